"""Compute: an elementwise operator."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..ir import Location
from ..operator import Operator
from ..ops import OPERATORS
from ..types import ElementType, float32
from ..values import literal, nearest
from .base import Tensors, VisitorNode, bare, rounded


@dataclass(frozen=True)
class Compute(VisitorNode):
    """``VisitorCompute<ComputeFn, ElementCompute>``: COMPUTE applies ``op`` to its inputs, all of type ``T``.

    ``op`` is the C++ name of an operator in :data:`evtgen.ops.OPERATORS`; ``scalar`` the constant of one that takes a
    constant, a tuple where it takes several. Arguments ``{}``.
    """

    op: str
    T: ElementType
    scalar: float | int | tuple[float | int, ...] | None = None

    header = "visitor_compute.hpp"
    min_inputs = 1
    max_inputs = None

    @classmethod
    def of(
        cls, operator: Operator, T: ElementType, constants: Sequence[float | int] = (), location: Location | None = None
    ) -> Compute:
        """The node of an operator."""
        scalar = constants[0] if len(constants) == 1 else tuple(constants) or None
        return cls(operator.cpp, T, scalar, location=location)

    @property
    def operator(self) -> Operator | None:
        """The declaration of ``op``; None when there is no such operator."""
        return OPERATORS.get(self.op)

    @property
    def scalars(self) -> tuple[float | int, ...]:
        """The constants in order; the operator's defaults where none are written."""
        if self.scalar is None:
            return self.operator.defaults if self.operator else ()
        return self.scalar if isinstance(self.scalar, tuple) else (self.scalar,)

    @property
    def held(self) -> tuple[Any, ...]:
        """The constants as the device has them: rounded once, to the type that is computed in."""
        assert self.operator is not None
        T = self.operator.computed_in(self.T)
        return tuple(nearest(value, T) for value in self.scalars)

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
        if self.operator is None:
            return compute_length * self.T.size
        scratch = self.operator.scratch_tiles(self.T) * self.operator.computed_in(self.T).size
        return compute_length * (self.T.size + scratch)

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        return self.operator.calls(self.T) if self.operator else ()

    def formula(self, inputs: list[str]) -> str:
        assert self.operator is not None
        if self.operator.wide or self.operator.constants[1:]:
            # The expression is longer than the name says.
            named = [f"{name}={value:g}" for name, value in zip(self.operator.constants, self.scalars, strict=True)]
            return f"{self.operator.name}({', '.join([*map(bare, inputs), *named])})"
        expression = self.operator.golden.replace("std::", "").replace(".0f", "")
        texts = (literal(value, self.T).removesuffix("f").removesuffix(".0") for value in self.scalars)
        constants = dict(zip(self.operator.constants, texts, strict=True))
        text = expression.format(*inputs, **constants)
        for more in inputs[self.operator.inputs :]:
            text = expression.format(text, more)
        return text if re.fullmatch(r"\w+\(.*\)", expression) else f"({text})"

    def golden(self, inputs: list[str]) -> str:
        assert self.operator is not None
        names = self.operator.constants
        value = self.operator.golden.format(
            *inputs, **{name: literal(float(held), float32) for name, held in zip(names, self.held, strict=True)}
        )
        for more in inputs[self.operator.inputs :]:
            value = self.operator.golden.format(rounded(value, self.T), more)
        return rounded(value, self.T)

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        import numpy as np

        operator = self.operator
        assert operator is not None
        dtype = inputs[0].dtype
        constants: list[Any] = [np.float64(value) for value in self.held]
        if operator.ulp:
            inputs = [x.astype(np.float64) for x in inputs]
        elif operator.computed_in(self.T) == self.T:
            constants = [dtype.type(value) for value in self.held]
        with np.errstate(all="ignore"):
            result = operator.numpy(np, *inputs[: operator.inputs], *constants)
            for more in inputs[operator.inputs :]:
                result = operator.numpy(np, result, more)
            return result.astype(dtype)
