"""Compute: an elementwise operator."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.ir import Scalar
from ..graph.location import Location
from ..graph.types import BANK_PERIOD, BLOCK_BYTES, REPEAT_BYTES, ElementType, float32, mask
from ..operators.constants import literal, nearest
from ..operators.declaration import Operator
from ..operators.flushing import flushed, flushes
from ..operators.table import OPERATORS, SUMS_OF_PRODUCTS
from .base import ALL_INPUTS, Tensors, Traits, UbParts, VisitorNode, bare, rounded

Constant = float | int | Scalar

LOCAL = "operations"
"""The namespace, within that of an epilogue, of the operators that its header declares."""


@dataclass(frozen=True)
class Compute(VisitorNode):
    """``VisitorCompute<ComputeFn, ElementCompute, Scalars...>``: COMPUTE applies ``op`` to its inputs.

    All inputs are of type ``T``, but for the operands of the operator that are masks.

    Attributes:
        op: the C++ name of an operator in :mod:`evtgen.operators.table`, or an operator of the user's own.
        T: element type of the values. ``mask`` for logical operators.
        scalar: the constant of an operator that takes one, a tuple where it takes several: numbers, which become
            values of the type that the operator computes in, or :class:`~evtgen.graph.ir.Scalar` of type ``T`` for
            numbers that the caller gives at run time.

    Arguments ``{}``, or ``{{constants...}}`` for an operator that has constants.
    """

    op: str | Operator
    T: ElementType
    scalar: Constant | tuple[Constant, ...] | None = None

    header = "visitor_compute.hpp"
    min_inputs = 1
    max_inputs = None

    @classmethod
    def of(
        cls, operator: Operator, T: ElementType, constants: Sequence[Constant] = (), location: Location | None = None
    ) -> Compute:
        """The node of an operator."""
        scalar = constants[0] if len(constants) == 1 else tuple(constants) or None
        known = OPERATORS.get(operator.cpp) is operator
        return cls(operator.cpp if known else operator, T, scalar, location=location)

    @property
    def operator(self) -> Operator | None:
        """The declaration of ``op``; None when there is no such operator."""
        return OPERATORS.get(self.op) if isinstance(self.op, str) else self.op

    @property
    def own(self) -> Operator | None:
        """The operator if it is one of the user's own."""
        return None if isinstance(self.op, str) else self.op

    @property
    def local(self) -> Operator | None:
        """The operator if the header of the epilogue declares its functor, and not the framework."""
        return SUMS_OF_PRODUCTS.get(self.op) if isinstance(self.op, str) else self.op

    @property
    def constants(self) -> tuple[Constant, ...]:
        """The constants in order; the operator's defaults where none are written."""
        if self.scalar is None:
            return self.operator.defaults if self.operator else ()
        return self.scalar if isinstance(self.scalar, tuple) else (self.scalar,)

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        """Those of the constants that the caller gives at run time."""
        return tuple(constant.argument for constant in self.constants if isinstance(constant, Scalar))

    def held(self, tensors: Tensors) -> list[float | int]:
        """The constants as the device has them: a number rounded once, to the type that is computed in."""
        assert self.operator is not None
        T = self.operator.computed_in(self.T)
        return [tensors.scalar(c) if isinstance(c, Scalar) else nearest(c, T) for c in self.constants]

    @property
    def element(self) -> ElementType:
        return self.operator.yields(self.T) if self.operator else self.T

    def takes(self, index: int) -> ElementType:
        return self.operator.takes(index, self.T) if self.operator else self.T

    def alias(self, inputs: Sequence[str]) -> str:
        return self.op if isinstance(self.op, str) else self.op.cpp

    def cpp(self, fusion: str) -> str:
        functor = f"{fusion}{self.op}" if self.local is None else f"{LOCAL}::{self.local.cpp}"
        element = f"{fusion}Mask" if mask == self.T else self.T.cpp
        scalars = [self.element_constant.cpp] * len(self.constants)
        return f"{fusion}VisitorCompute<{', '.join([functor, element, *scalars])}>"

    @property
    def element_constant(self) -> ElementType:
        """The type of the constants: that of the members of the C++ functor."""
        return self.operator.computed_in(self.T) if self.operator else self.T

    @property
    def traits(self) -> Traits:
        if self.operator is None:
            return Traits(pending=True, reads_in_compute=True)
        return Traits(
            pending=True,
            reads_in_compute=True,
            has_barrier=self._casts or any(self.operator.barriers()),
            in_place=ALL_INPUTS if self._casts else self.operator.in_place,
        )

    @property
    def _casts(self) -> bool:
        """Whether the operator computes in another type, between casts of its inputs and of its result."""
        return self.operator is not None and self.operator.computed_in(self.T) != self.T

    def ub_parts(self, compute_length: int) -> UbParts:
        if self.element == mask:
            tile = -(-compute_length // (8 * BLOCK_BYTES)) * BLOCK_BYTES
        else:
            tile = compute_length * self.T.size
        if self.operator is None:
            return UbParts(tile=tile)
        step = scratch_step(compute_length * self.operator.computed_in(self.T).size)
        return UbParts(tile=tile, scratch=self.operator.scratch_tiles(self.T) * step)

    @property
    def granule(self) -> int:
        # Compare takes whole repeats (AscendC, Compare).
        compares = any(call == "Compare" for call, _ in self.calls())
        return REPEAT_BYTES // self.T.size if compares else super().granule

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        return self.operator.calls(self.T) if self.operator else ()

    def formula(self, inputs: list[str]) -> str:
        operator = self.operator
        assert operator is not None
        if operator.wide or operator.constants[1:] or operator.golden is None:
            # The name is shorter than the expression of a sequence.
            named = [
                f"{name}={constant.spelled() if isinstance(constant, Scalar) else f'{constant:g}'}"
                for name, constant in zip(operator.constants, self.constants, strict=True)
            ]
            return f"{operator.name}({', '.join([*map(bare, inputs), *named])})"
        expression = operator.golden.replace("std::", "").replace(".0f", "")
        texts = (c.spelled() if isinstance(c, Scalar) else _in_words(literal(c, self.T)) for c in self.constants)
        constants = dict(zip(operator.constants, texts, strict=True))
        text = expression.format(*inputs, **constants)
        for more in inputs[operator.inputs :]:
            text = expression.format(text, more)
        return text if re.fullmatch(r"\w+\(.*\)", expression) else f"({text})"

    def golden(self, inputs: list[str], suffixes: Mapping[str, str]) -> str:
        operator = self.operator
        assert operator is not None
        expression = operator.on_host
        T = operator.computed_in(self.T)
        constants = (
            c.spelled(f"host{suffixes[c.name]}") if isinstance(c, Scalar) else literal(float(nearest(c, T)), float32)
            for c in self.constants
        )
        value = expression.format(*inputs, **dict(zip(operator.constants, constants, strict=True)))
        for more in inputs[operator.inputs :]:
            value = expression.format(rounded(value, self.element), more)
        return rounded(value, self.element)

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        operator = self.operator
        assert operator is not None
        result = self._rounded(self._computed(inputs, tensors))
        other = self.evaluate_flushed(inputs, tensors, result) if operator.ulp == 0 else None
        return result if other is None else other

    def ulp(self, tensors: Tensors) -> int:
        """The ulp by which the device may be off :meth:`evaluate`, besides :meth:`evaluate_off`."""
        assert self.operator is not None
        return 0 if self._casts else self.operator.error(self.T, tensors.division_ulp)

    def evaluate_off(self, inputs: Sequence[Any], tensors: Tensors) -> tuple[Any, Any] | None:
        """The least and the greatest that the device may make where it computes in another type: off there by what
        :meth:`ulp` would be, and then rounded as :meth:`evaluate` is. None where it does not, or is exact."""
        if self.operator is None or not self._casts:
            return None
        ulp = self.operator.error(self.element_constant, tensors.division_ulp)
        if ulp == 0:
            return None
        import numpy as np

        from ..operators.arrays import dtype, neighbour

        values = [x.astype(np.float64) if x.dtype != bool else x for x in inputs]
        with np.errstate(all="ignore"):
            wide = np.asarray(self._computed(values, tensors)).astype(dtype(self.element_constant))
        return self._rounded(neighbour(wide, -ulp)), self._rounded(neighbour(wide, ulp))

    def _computed(self, inputs: Sequence[Any], tensors: Tensors) -> Any:
        """The operator's meaning, before it is rounded."""
        import numpy as np

        operator = self.operator
        assert operator is not None
        constants: list[Any] = [np.float64(value) for value in self.held(tensors)]
        if operator.ulp:
            inputs = [x.astype(np.float64) if x.dtype != bool else x for x in inputs]
        elif operator.computed_in(self.T) == self.T:
            constants = self._in_own_type(tensors)
        with np.errstate(all="ignore"):
            result = operator.numpy(np, *inputs[: operator.inputs], *constants)
            for more in inputs[operator.inputs :]:
                result = operator.numpy(np, result, more)
            return result

    def evaluate_fused(self, inputs: Sequence[Any], tensors: Tensors) -> Any:
        """As :meth:`evaluate`, without the rounding that the device may leave out; None where there is none."""
        import numpy as np

        operator = self.operator
        if operator is None or operator.fused is None or self.T.kind == "int":
            return None
        with np.errstate(all="ignore"):
            return self._rounded(operator.fused(np, *inputs, *self._in_own_type(tensors)))

    def evaluate_flushed(self, inputs: Sequence[Any], tensors: Tensors, result: Any) -> Any:
        """``result``, which is :meth:`evaluate`'s, with what becomes of it where the architecture flushes subnormals;
        None where it flushes none."""
        import numpy as np

        operator = self.operator
        if operator is None or not tensors.flushes_subnormals or self.T.kind != "float" or not flushes(operator):
            return None
        with np.errstate(all="ignore"):
            value, touched = flushed(operator, self.T, inputs, self.held(tensors))
            return np.where(touched, self._rounded(value), result)

    def _in_own_type(self, tensors: Tensors) -> list[Any]:
        from ..operators.arrays import dtype

        return [dtype(self.T).type(value) for value in self.held(tensors)]

    def _rounded(self, result: Any) -> Any:
        import numpy as np

        from ..operators.arrays import dtype

        with np.errstate(all="ignore"):
            return np.asarray(result).astype(dtype(self.element))


def scratch_step(tile: int) -> int:
    """Bytes from one tile of scratch to the next, for tiles of so many bytes: neighbours start in different halves of
    the groups of banks, 256 bytes apart modulo 512 (AscendC's guide, bank conflicts of architecture 2201)."""
    return -(-tile // BANK_PERIOD) * BANK_PERIOD + REPEAT_BYTES


def _in_words(literal: str) -> str:
    """A number of C++ as formulas have it."""
    if "inff" in literal:
        return literal.replace("__builtin_inff()", "inf")
    return literal.removesuffix("f").removesuffix(".0")
