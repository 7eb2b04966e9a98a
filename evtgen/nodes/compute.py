"""Compute: an elementwise operator."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from ..ops import OPERATORS, Operator
from ..types import ElementType, float32
from ..values import literal, nearest
from .base import Tensors, VisitorNode, rounded


@dataclass(frozen=True)
class Compute(VisitorNode):
    """``VisitorCompute<ComputeFn, ElementCompute>``: COMPUTE applies ``op`` to its inputs, all of type ``T``.

    ``op`` is the C++ name of an operator in :data:`evtgen.ops.OPERATORS`; ``scalar`` the constant of one that takes a
    constant. Arguments ``{}``.
    """

    op: str
    T: ElementType
    scalar: float | int | None = None

    header = "visitor_compute.hpp"
    min_inputs = 1
    max_inputs = None

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
    def alias(self) -> str:
        return self.op

    def cpp(self, fusion: str, functor: str | None = None) -> str:
        return f"{fusion}VisitorCompute<{functor or fusion + self.op}, {self.T.cpp}>"

    def ub_bytes(self, compute_length: int) -> int:
        return compute_length * self.T.size

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        return tuple((call.name, self.T) for call in self.operator.sequence) if self.operator else ()

    def formula(self, inputs: list[str]) -> str:
        assert self.operator is not None
        expression = self.operator.golden.replace("std::", "").replace(".0f", "")
        scalar = "" if self.scalar is None else literal(self.scalar, self.T).removesuffix("f").removesuffix(".0")
        text = expression.format(*inputs, scalar=scalar)
        for more in inputs[self.operator.inputs :]:
            text = expression.format(text, more)
        return text if re.fullmatch(r"\w+\(.*\)", expression) else f"({text})"

    def golden(self, inputs: list[str]) -> str:
        assert self.operator is not None
        scalar = "" if self.scalar is None else literal(float(nearest(self.scalar, self.T)), float32)
        value = self.operator.golden.format(*inputs, scalar=scalar)
        for more in inputs[self.operator.inputs :]:
            value = self.operator.golden.format(rounded(value, self.T), more)
        return rounded(value, self.T)

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        import numpy as np

        operator = self.operator
        assert operator is not None
        dtype = inputs[0].dtype.type
        constant = () if self.scalar is None else (dtype(nearest(self.scalar, self.T)),)
        with np.errstate(all="ignore"):
            result = operator.numpy(np, *inputs[: operator.inputs], *constant)
            for more in inputs[operator.inputs :]:
                result = operator.numpy(np, result, more)
        return result
