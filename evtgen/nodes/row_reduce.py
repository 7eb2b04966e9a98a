"""RowReduce: the tile's rows reduced to one, and that one added atomically to a user's 1×N tensor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..operator import Operator
from ..ops import OPERATORS
from ..types import ElementType, Layout, RowMajor
from ..values import nearest
from .base import Tensor, Tensors, VisitorNode, bare, pascal


@dataclass(frozen=True)
class RowReduce(VisitorNode):
    """``VisitorRowReduce<ReduceFn, Element, Layout>``: COMPUTE reduces the rows to 1×N, STORE joins that to GM.

    Arguments ``{ptr_row_out, layout, identity}``, the layout of shape (1, N). The caller fills the output before the
    launch, with ``identity`` for a plain reduction. Returns its input.
    """

    name: str
    op: str
    T: ElementType
    identity: float | int = 0
    layout: Layout = RowMajor

    header = "visitor_row_reduce.hpp"
    min_inputs = 1
    max_inputs = 1
    forwards = True
    writes = True

    @property
    def operator(self) -> Operator | None:
        """The declaration of ``op``; None when there is no such operator."""
        return OPERATORS.get(self.op)

    @property
    def element(self) -> ElementType:
        return self.T

    @property
    def input_element(self) -> ElementType:
        return self.T

    @property
    def tensor(self) -> Tensor:
        return Tensor(self.name, self.T, ("1", "N"), self.layout, output=True, initial=self.identity)

    @property
    def alias(self) -> str:
        return f"RowReduce{pascal(self.name)}"

    def cpp(self, fusion: str, functor: str | None = None) -> str:
        return f"{fusion}VisitorRowReduce<{fusion}{self.op}, {self.T.cpp}, {self.layout.cpp}>"

    def ub_bytes(self, compute_length: int) -> int:
        # Half a tile: the first halving of the rows leaves the input as it is and writes here; one row needs none.
        return compute_length // 2 * self.T.size

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        return tuple((call.name, self.T) for call in self.operator.sequence) if self.operator else ()

    def assignment(self, value: str) -> str:
        reduced = {"Add": "sum", "Max": "max", "Min": "min"}[self._atomic]
        joined = f"{reduced} of the rows of {bare(value)}"
        return f"{self.name} += {joined}" if reduced == "sum" else f"{self.name} = {reduced}({self.name}, {joined})"

    def golden_write(self, value: str) -> str:
        element = f"golden{pascal(self.name)}[column]"
        assert self.operator is not None
        return f"{element} = {self.operator.golden.format(element, value)};"

    @property
    def _atomic(self) -> str:
        assert self.operator is not None and self.operator.atomic is not None
        return self.operator.atomic

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        import numpy as np

        ufunc = {"Add": np.add, "Max": np.maximum, "Min": np.minimum}[self._atomic]
        # The order of an atomic reduction is not defined; the reference takes the exact sum and rounds once.
        wide = np.float64 if self.T.kind == "float" else np.int64
        reduced = ufunc.reduce(inputs[0].astype(wide), axis=0, keepdims=True)
        joined = ufunc(reduced, wide(nearest(self.identity, self.T)))
        tensors.outputs[self.name] = joined.astype(inputs[0].dtype)
        return inputs[0]
