"""Proof: compile what was emitted, run it on the CPU model, compare with the reference.

The public face is :func:`verify_plans` with its :class:`Options`, the :class:`Result` that it returns, and
:func:`table` and :func:`failures` to show results to people.
"""

from .report import Comparison, Result, Shape, failures, hazard_text, table
from .session import DEFAULT_SHAPES, Options, verify_plans

__all__ = [
    "DEFAULT_SHAPES",
    "Comparison",
    "Options",
    "Result",
    "Shape",
    "failures",
    "hazard_text",
    "table",
    "verify_plans",
]
