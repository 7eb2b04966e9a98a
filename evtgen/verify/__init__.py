"""Proof: compile the emitted code, run it on the CPU model, compare with the reference.

The public face is :func:`verify_plans`, with the :class:`Options` of the command and the :class:`Result` that it
returns.
"""

from ..graph.shapes import Shape
from ..options import VerifyOptions as Options
from .result import Comparison, Result
from .session import DEFAULT_SHAPES, verify_plans

__all__ = ["DEFAULT_SHAPES", "Comparison", "Options", "Result", "Shape", "verify_plans"]
