"""The two ways to write an epilogue, and how spec files are read."""

from __future__ import annotations

from .. import ops
from .operators import operator
from .trace import Acc, Aux, ColVector, RowVector, ScalarTensor, epilogue

__all__ = ["Acc", "Aux", "ColVector", "RowVector", "ScalarTensor", "epilogue", "operator", "ops"]
