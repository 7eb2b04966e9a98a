"""Reductions, and rows that a scatter adds up, in a fixed order.

Atomics of floats have the result depend on which core is first: sums round, and of two zeros, or of NaN and a number,
a maximum or a minimum is the one or the other. Where an epilogue is deterministic, each of its reductions has parts in
the workspace instead, which ``visitor_in_order.hpp`` joins in the order of the matmul, and each scatter has all rows
there, which ``visitor_scatter_in_order.hpp`` adds up in theirs. Integers have one result in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..graph.ir import Gemm, Step
from ..nodes import AuxScatter, Reduce, VisitorNode
from ..passes.analysis.gemm import block_shape


def ordered(steps: Sequence[Step], gemm: Gemm) -> tuple[Step, ...]:
    """The steps of a deterministic epilogue, with reductions of floats in the order of the blocks of a chosen GEMM, and
    scatters in that of its rows."""
    return tuple(_ordered(step, block_shape(gemm)) for step in steps)


def _ordered(step: Step, blocks: tuple[int, int]) -> Step:
    node = step.node
    if isinstance(node, Reduce) and node.T.kind == "float":
        return replace(step, node=replace(node, ordered_by=blocks))
    if isinstance(node, AuxScatter) and node.add and node.T.kind == "float":
        return replace(step, node=replace(node, ordered=True))
    return step


def is_ordered(node: VisitorNode) -> bool:
    """Whether what a node joins is in a fixed order."""
    return (isinstance(node, Reduce) and node.ordered_by is not None) or (isinstance(node, AuxScatter) and node.ordered)
