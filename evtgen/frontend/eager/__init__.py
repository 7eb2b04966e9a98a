"""The functions of ``ops`` on arrays of numpy and tensors of torch: an epilogue as its own reference.

1. A function of ``ops`` that is given an array, and no value of a traced function, asks :func:`library_of` for the
   module here that computes with it. Neither library is imported for that: whoever has a tensor has its library.
2. Numbers are computed as the operator's declaration says in numpy: what is exact, in the arrays' own type; anything
   else in float64 (of torch, at least float32), rounded once to it.
3. An array of float64 stands for numbers that are not rounded at all: as in the formula, a cast between floats leaves
   it as it is, and a cast to an integer type gives the whole numbers of that, in float64.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from contextvars import ContextVar
from typing import Any, Protocol

from ...graph.types import ElementType
from ...operators.declaration import Operator

running: ContextVar[Any] = ContextVar("running", default=None)
"""An array with the rows and columns of the outputs, while :func:`evtgen.frontend.eager.call.call` runs a function."""


running_a: ContextVar[Any] = ContextVar("running_a", default=None)
"""A, (M, K), at the same time."""


class Library(Protocol):
    """What the functions of ``ops`` are on the arrays of one library; each array has (..., M, N) or axes of 1."""

    def compute(self, operator: Operator, operands: Sequence[Any], constants: Sequence[Any]) -> Any:
        """An operator over arrays, and numbers among them."""

    def cast(self, array: Any, T: ElementType, mode: str) -> Any:
        """In another element type, rounded in a mode of AscendC's."""

    def wide(self, array: Any) -> Any:
        """In float32, or float64 if it is in that."""

    def narrow(self, array: Any, given: Any) -> Any:
        """What was computed of ``given``, in the type of that, if it has fractions."""

    def reduced(self, array: Any, op: str, axes: tuple[int, ...], identity: float | None) -> Any:
        """Reduced by what ``ops`` calls ``op`` over ``axes``, which stay as 1, and joined to ``identity``."""

    def largest(self, array: Any, k: int) -> tuple[Any, Any]:
        """The k largest values of each row, the largest first, of equal ones the first, NaN before all; and their
        columns, int32."""

    def transposed(self, array: Any) -> Any:
        """The last two axes exchanged."""

    def gathered(self, array: Any, rows: Any) -> Any:
        """Row i is row ``rows[i]``, or 0 where there is none."""

    def scattered(self, array: Any, rows: Any, add: bool, ranks: Any = None) -> Any:
        """Row ``rows[i]`` is row i, or has it added, if it is not negative; there are as many rows as before, or as
        they ask for. With ``ranks``, (R, M, N), as many as they ask for: it is that of ``ranks[i]``."""

    def positions(self, like: Any, axis: int) -> Any:
        """The index of each element along ``axis``, int32, as many as ``like`` has."""


def library_of(things: Iterable[Any]) -> Library | None:
    """What computes with the first array among ``things``; None where there is none."""
    for thing in things:
        if _is(thing, "numpy", "ndarray"):
            from . import numpy_arrays

            return numpy_arrays
        if _is(thing, "torch", "Tensor"):
            from . import torch_tensors

            return torch_tensors
    return None


def is_array(thing: object) -> bool:
    """Whether it is an array of numpy or a tensor of torch. A mask hides elements, of which an epilogue has all."""
    return _is(thing, "numpy", "ndarray") or _is(thing, "torch", "Tensor")


def _is(thing: object, module: str, name: str) -> bool:
    kind = getattr(sys.modules.get(module), name, None)
    masked = getattr(sys.modules.get("numpy.ma"), "MaskedArray", ())
    return isinstance(kind, type) and isinstance(thing, kind) and not isinstance(thing, masked)
