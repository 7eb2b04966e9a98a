"""Proof: compile what was emitted, run it on the CPU model, compare with the reference.

The public face is :func:`verify_plans` with its :class:`Options` and the :class:`Result` that it returns.
"""

from ..graph.shapes import Shape
from .result import Comparison, Result
from .session import DEFAULT_SHAPES, Options, verify_plans

__all__ = ["DEFAULT_SHAPES", "Comparison", "Options", "Result", "Shape", "verify_plans"]
