"""Operators: what one is (:mod:`~evtgen.operators.declaration`), and all there are (:mod:`~evtgen.operators.table`).

What a user writes is in :mod:`evtgen.ops`.
"""
