"""The base of the stores: what a node was given is written to a user's tensor, as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..graph.shapes import Problem, TensorShape
from ..graph.types import ElementType, Layout, RowMajor
from .base import Tensor, Tensors, Traits, VisitorNode, bare, pascal


@dataclass(frozen=True)
class Store(VisitorNode):
    """A store whose tensor has the shape ``shape``: where that is smaller than M×N, it gets the first column, the first
    row or the first value of what is stored.

    Its template is ``Visitor<kind><Element, Layout>``, its arguments are ``{ptr, layout}``. STORE writes straight from
    the input's buffer. Returns its input, so it can sit anywhere in a graph.
    """

    name: str
    T: ElementType
    layout: Layout = RowMajor

    min_inputs = 1
    max_inputs = 1
    forwards = True
    writes = True
    narrows = True
    shape: ClassVar[TensorShape]

    @property
    def element(self) -> ElementType:
        return self.T

    def takes(self, index: int) -> ElementType:
        return self.T

    @property
    def tensor(self) -> Tensor:
        return Tensor(self.name, self.T, self.shape, self.layout, output=True)

    @property
    def traits(self) -> Traits:
        return Traits(forwards=True, reads_in_store=True)

    def alias(self, inputs: Sequence[str]) -> str:
        return f"{self.template.removeprefix('Visitor')}{pascal(self.name)}"

    def cpp(self, fusion: str) -> str:
        return f"{fusion}{self.template}<{self.T.cpp}, {self.layout.cpp}>"

    def assignment(self, value: str) -> str:
        return f"{self.name} = {self.part}{value if self.part else bare(value)}"

    @property
    def part(self) -> str:
        """What is stored of the value, in words; empty for all of it."""
        return _PARTS[self.shape]

    def golden_write(self, value: str, suffixes: Mapping[str, str], extents: tuple[str, str] = ("m", "n")) -> str:
        first = " && ".join(f"{index} == 0" for index in _SKIPPED[self.shape])
        return f"{f'if ({first}) ' if first else ''}golden{suffixes[self.name]}[{self.shape.index}] = {value};"

    def stored(self, values: Any, problem: Problem) -> Any:
        """What is stored of (M, N) values, those of all matmuls. Of a matmul without rows nothing is; the values there
        are 0."""
        import numpy as np

        if self.shape.columns == "1":
            values = values[:, :1]
        if self.shape.rows == "M":
            return values
        parts = [values[rows][:1] for rows in problem.segments()]
        return np.concatenate([part if len(part) else np.zeros((1, values.shape[1]), values.dtype) for part in parts])

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        tensors.outputs[self.name] = self.stored(inputs[0], tensors.problem)
        return inputs[0]


_PARTS = {
    TensorShape.MATRIX: "",
    TensorShape.ROW: "first row of ",
    TensorShape.COLUMN: "first column of ",
    TensorShape.SINGLE: "first value of ",
}

_SKIPPED = {
    TensorShape.MATRIX: (),
    TensorShape.ROW: ("row",),
    TensorShape.COLUMN: ("column",),
    TensorShape.SINGLE: ("row", "column"),
}
"""The indices of an element of which only the first is stored."""
