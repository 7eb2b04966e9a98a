"""Values of values: elementwise operators and casts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ..graph.ir import Scalar
from ..graph.location import Location
from ..graph.shapes import TensorShape
from ..graph.types import ElementType, half, int16, mask
from ..operators.declaration import Operator
from ..operators.table import OPERATORS, SUMS_OF_PRODUCTS
from ..targets import Architecture, cast_steps
from .base import Calls, VisitorNode

Constant = float | int | Scalar


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
        reads: of each input, the vector that it is read as where it lies, or ``MATRIX``; empty where all are read as
            whole tiles. The planner fills it in.

    Arguments ``{}``, or ``{{constants...}}`` for an operator that has constants.
    """

    op: str | Operator
    T: ElementType
    scalar: Constant | tuple[Constant, ...] | None = None
    reads: tuple[TensorShape, ...] = field(default=(), repr=False, kw_only=True)

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

    @property
    def element(self) -> ElementType:
        return self.operator.yields(self.T) if self.operator else self.T

    @property
    def element_constant(self) -> ElementType:
        """The type that the operator computes in, and that of the constants: the members of the C++ functor."""
        return self.operator.computed_in(self.T) if self.operator else self.T

    @property
    def casts(self) -> bool:
        """Whether the operator computes in another type, between casts of its inputs and of its result."""
        return self.element_constant != self.T

    def takes(self, index: int) -> ElementType:
        return self.operator.takes(index, self.T) if self.operator else self.T

    def calls(self) -> Calls:
        return self.operator.calls(self.T) if self.operator else ()


@dataclass(frozen=True)
class Band(VisitorNode):
    """``VisitorBand<Element, ROW, COLUMN, LOWER, UPPER>``: its input where ``lower <= row * i + column * j <= upper``
    in row i and column j, elsewhere ``other``. Arguments ``{{other}}``. A pass makes it of comparisons of positions.

    A tile within the band is left alone, one outside is filled: only one that the edge crosses takes work by rows.

    Attributes:
        T: element type, of ``other`` too.
        row, column: factors of the positions; that of the column is 0 or 1.
        lower, upper: between which the elements are; a limit of int32 where there is none.
        other: a constant, or a number that the caller gives at run time.
    """

    T: ElementType
    row: int
    column: int
    lower: int
    upper: int
    other: Constant

    header = "visitor_band.hpp"
    min_inputs = 1
    max_inputs = 1

    def takes(self, index: int) -> ElementType:
        return self.T

    @property
    def constants(self) -> tuple[Constant, ...]:
        """The value of what is not in the band, as an operator has its constants."""
        return (self.other,)

    @property
    def element_constant(self) -> ElementType:
        return self.T

    @property
    def scalars(self) -> tuple[Scalar, ...]:
        return (self.other.argument,) if isinstance(self.other, Scalar) else ()

    def calls(self) -> Calls:
        return (("Duplicate", self.T),)


@dataclass(frozen=True)
class Cast(VisitorNode):
    """``VisitorCast<To, From, RoundMode>``: COMPUTE casts its input. With ``to == from_`` it returns its input.

    Arguments ``{}``. The available pairs and modes depend on the architecture (AscendC, Cast).
    """

    to: ElementType
    from_: ElementType
    round: str = "CAST_NONE"

    header = "visitor_cast.hpp"
    min_inputs = 1
    max_inputs = 1
    by_rows = False

    @property
    def element(self) -> ElementType:
        return self.to

    @property
    def shifts(self) -> bool:
        """Whether it shifts bits, where no instruction casts: from float32 to the scales of MX formats, and back."""
        return self.to != self.from_ and "scale" in (self.to.kind, self.from_.kind)

    def takes(self, index: int) -> ElementType:
        return self.from_


@dataclass(frozen=True)
class DecodeFloat8(VisitorNode):
    """``VisitorDecodeFloat8<EXPONENT_BITS>``: int16 in, the bits of floats of 8 bits as int8 has them, and half out.
    Arguments ``{}``. The planner has it where no instruction casts such floats.

    Attributes:
        source: their type.
    """

    source: ElementType
    T: ElementType = field(default=half, init=False, repr=False)

    header = "visitor_decode_float8.hpp"
    min_inputs = 1
    max_inputs = 1
    by_rows = False

    @property
    def exponent_bits(self) -> int:
        return 8 - self.source.precision

    def takes(self, index: int) -> ElementType:
        return int16

    def calls(self) -> Calls:
        shifted = (("ShiftLeft", int16),)
        more = (("Duplicate", int16), ("Adds", int16), ("Or", mask), ("And", mask), ("Muls", half))
        return (*shifted, *more) if self.exponent_bits == 4 else shifted


def cast_path(
    arch: Architecture,
    source: ElementType,
    to: ElementType,
    mode: str = "CAST_NONE",
    location: Location | None = None,
) -> list[Cast] | None:
    """The casts from one type to another that together round once, in ``mode``; None where ``arch`` has none.

    See :func:`evtgen.targets.cast_steps`.
    """
    steps = cast_steps(arch, source, to, mode)
    return None if steps is None else [Cast(end, start, how, location=location) for start, end, how in steps]
