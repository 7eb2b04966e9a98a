"""Values of a traced function: each operator on them adds a node to the graph."""

from __future__ import annotations

import dis
import linecache
import math
import numbers
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NoReturn, Protocol

from ..diagnostics import tracing as codes
from ..diagnostics.table import Code
from ..graph.ir import Scalar
from ..graph.location import Location, caller, users_frame
from ..graph.shapes import WHOLE
from ..graph.types import ElementType, element_type, float32, int32, mask, narrowest
from ..nodes import REDUCED, Alternate, Cast, Compute, Constant, Part, Position, Reduce, Store, VisitorNode, cast_path
from ..operators.declaration import Operator
from ..operators.table import BY_NAME
from ..passes.analysis.fields import short
from ..targets import Architecture
from .parts import columns_of
from .positions import EXACT, POSITIONS, Span, compared_with, require, span

Number = float | int


@dataclass
class Entry:
    """A node of the graph in the making: its inputs are indices of earlier entries. ``span`` is that of a whole number
    which is made of positions."""

    node: VisitorNode
    inputs: tuple[int, ...]
    span: Span | None = None


@dataclass(eq=False)
class Elsewhere:
    """What ``ops.transpose`` and its like give: an output without a name yet, whose elements lie in other places than
    those of its value.

    Attributes:
        noun: what messages call it.
        store: its store, without a name.
    """

    value: Value
    noun: str
    store: Store
    location: Location | None
    returned: bool = False


class Foreign(Protocol):
    """The calls of other libraries, and methods, on values."""

    def numpy_ufunc(self, ufunc: Any, how: str, operands: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """``np.exp(x)`` and the like."""

    def named_function(
        self, library: str, function: Any, operands: Sequence[Any], named: Mapping[str, Any] | None
    ) -> Any:
        """``np.where(x > 0, x, 0)``, ``torch.relu(x)`` and the like."""

    def method(self, value: Value, name: str) -> Any:
        """The meaning of ``value.name``."""

    def of_math(self, name: str) -> str | None:
        """What to write in place of ``math.name(value)``."""


tracing: ContextVar[Graph | None] = ContextVar("tracing", default=None)
"""The graph of the function that is being traced."""


class Graph:
    """The nodes that a function made so far, in order; and who takes the calls of other libraries on its values."""

    def __init__(self, arch: Architecture, auto_cast: bool, foreign: Foreign) -> None:
        self.arch = arch
        self.auto_cast = auto_cast
        self.foreign = foreign
        self.entries: list[Entry] = []
        self.reductions: list[Reduction] = []
        self.elsewhere: list[Elsewhere] = []
        self.taken: set[int] = set()
        """Parameters that another node has in its arguments: no load of their own is needed for that."""

    def add(self, node: VisitorNode, inputs: Sequence[Value], T: ElementType, span: Span | None = None) -> Value:
        """Add a node; ``T`` is what the user takes its element type to be."""
        self.entries.append(Entry(node, tuple(v.index for v in inputs), span))
        return Value(self, len(self.entries) - 1, T)

    def position(self, kind: type[Position]) -> Value:
        """The row or the column of each element."""
        return self.add(kind(location=caller()), (), int32, POSITIONS)

    def common(self, types: Sequence[ElementType]) -> ElementType:
        """The type in which operands meet: with ``auto_cast`` the narrowest that holds all of them exactly.

        Without ``auto_cast``, or where there is no such type, it is that of the first, and the checker reports the
        others.
        """
        return (narrowest(types) if self.auto_cast else None) or types[0]

    def compute(self, operator: Operator, operands: Sequence[Value], *constants: Constant) -> Value:
        """An operator on values, or on masks where it takes those; raises EVT011 for one in the place of the other.

        With ``auto_cast`` what the operator does not have on the architecture is computed in float32 where that holds
        the operands exactly; the value keeps their type for the user (bfloat16 + bfloat16 is bfloat16), so a store
        casts back to it. A scalar has a type as a value has; a number takes that of the values.
        """
        for i, v in enumerate(operands):
            if operator.takes(i, float32) == mask != v.T:
                raise codes.ARGUMENT.here("mask", name=re.sub("_scalars?$", "", operator.name), T=v.T)
            if operator.takes(i, float32) != mask == v.T:
                raise codes.ARGUMENT.here("numbers", name=operator.name)
        if operator.masks == ("dst",) and not any(isinstance(constant, Scalar) for constant in constants):
            by_sign = self._compared_by_sign(operator, operands, *constants)
            if by_sign is not None:
                return by_sign
        if operator.name == "absolute" and operands[0].span is not None and int32 not in operator.types(self.arch):
            return self.compute(BY_NAME["maximum"], [*operands, self.compute(BY_NAME["negative"], operands)])
        values = [v for i, v in enumerate(operands) if operator.takes(i, float32) != mask]
        types = [constant.T for constant in constants if isinstance(constant, Scalar)]
        if not values and not types:
            # What is chosen where there is nothing but a mask and numbers has the type of what was compared; of
            # positions, it is a float.
            values = list(operands) if operator.yields(float32) == mask else [self.compared(operands[0])]
            if values[0].span is not None:
                values, types = [], [float32]
        T = self.common([v.T for v in values] + types)
        computed = self.common([v.element for v in values] + types)
        has = operator.types(self.arch)
        if self.auto_cast and computed not in has and float32 in has and float32.includes(computed):
            computed = float32
        node = Compute.of(operator, computed, constants, caller())
        whole = span(operator, [v.span for v in operands], constants)
        return self.add(node, operands, mask if node.element == mask else T, whole)

    def _compared_by_sign(self, operator: Operator, operands: Sequence[Value], *constants: Constant) -> Value | None:
        """A comparison of whole numbers made of positions on an architecture that compares no int32; None for others.

        The difference is a whole number, which a rounding to float32 leaves on its side of 0, and of any other number
        below :data:`EXACT`. Raises EVT195.
        """
        if any(v.span is None for v in operands):
            return None
        limit = compared_with(*constants) if constants else 0
        if int32 in operator.types(self.arch):
            return None
        value = operands[0] if constants else self.compute(BY_NAME["subtract"], operands)
        if abs(limit) >= EXACT:
            value, limit = self.compute(BY_NAME["add_scalar"], [value], -limit), 0
        assert value.span is not None
        require(value.span)
        name = operator.name if constants else f"{operator.name}_scalar"
        return self.compute(BY_NAME[name], [value.cast(float32)], limit)

    def compared(self, value: Value) -> Value:
        """A value that was compared to make a mask; anything else is itself."""
        while value.element == mask and self.entries[value.index].inputs:
            index = self.entries[value.index].inputs[0]
            value = Value(self, index, self.entries[index].node.element)
        return value


def _refused(code: Code, when: str) -> Callable[..., NoReturn]:
    """A method of Python's that values do not have."""

    def refuse(self: Any, *given: Any) -> NoReturn:
        raise code.here(when)

    return refuse


def _joined(name: str) -> tuple[Callable[[Any, Any], Value], Callable[[Any, Any], Value]]:
    """The methods of an operator of Python's with the value on its left, and on its right."""
    return lambda self, other: binary(name, self, other), lambda self, other: binary(name, other, self)


def _of_one(name: str) -> Callable[[Any], Value]:
    """The method of an operator of one value."""
    return lambda self: self.graph.compute(BY_NAME[name], [self])


class Value:
    """A tile of the epilogue, M×N.

    Attributes:
        T: its element type as the function sees it.
        element: the type that its node yields; with ``auto_cast`` it may be wider than ``T``.
    """

    __slots__ = ("T", "_index", "graph")
    __hash__ = object.__hash__

    def __init__(self, graph: Graph, index: int, T: ElementType) -> None:
        self.graph = graph
        self._index = index
        self.T = T

    def __repr__(self) -> str:
        return f"<value of {self.T}>"

    @property
    def index(self) -> int:
        """Of its entry in the graph."""
        return self._index

    @property
    def element(self) -> ElementType:
        return self.graph.entries[self.index].node.element

    @property
    def span(self) -> Span | None:
        """Of a whole number that is made of positions: between which it lies."""
        return self.graph.entries[self.index].span

    def cast(self, T: Any, round: str | None = None) -> Value:
        """The value in another element type; casting to the type that it has changes nothing.

        ``round`` is a mode of ``AscendC::RoundMode``. Left out, it is to nearest with ties to even, in the spelling
        that this pair of types has: ``CAST_NONE``, or ``CAST_RINT`` where that does not exist. It rounds once: where
        the architecture needs several instructions, they are those whose result is that of a single rounding.
        """
        T = element_type(T)
        if not isinstance(T, ElementType):
            raise codes.ARGUMENT.here("element type", what="ops.cast", given=T)
        if round is not None and not isinstance(round, str):
            raise codes.ARGUMENT.here("round mode", what="ops.cast", given=round)
        source = self.element
        if source == T and round in (None, "CAST_NONE"):
            return self if T == self.T else Value(self.graph, self.index, T)
        mode = round or "CAST_NONE"
        # The checker says why there is none.
        path = cast_path(self.graph.arch, source, T, mode, caller()) or [Cast(T, source, mode, location=caller())]
        value = self
        for node in path:
            value = self.graph.add(node, (value,), T)
        return value

    __add__, __radd__ = _joined("add")
    __sub__, __rsub__ = _joined("subtract")
    __mul__, __rmul__ = _joined("multiply")
    __truediv__, __rtruediv__ = _joined("divide")
    __neg__, __abs__ = _of_one("negative"), _of_one("absolute")
    __trunc__, __floor__, __ceil__ = _of_one("trunc"), _of_one("floor"), _of_one("ceil")

    def __pos__(self) -> Value:
        return self

    def __pow__(self, exponent: Any) -> Value:
        return power(self, exponent)

    def __rpow__(self, base: Any) -> Value:
        return power(base, self)

    def __array_ufunc__(self, ufunc: Any, how: str, *operands: Any, **named: Any) -> Any:
        return self.graph.foreign.numpy_ufunc(ufunc, how, operands, named)

    def __array_function__(self, function: Any, types: Any, operands: Any, named: Any) -> Any:
        return self.graph.foreign.named_function("np", function, operands, named)

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, operands: Any = (), named: Any = None) -> Any:
        given = next(values_among([*operands, *(named or {}).values()]))
        return given.graph.foreign.named_function("torch", function, operands, named)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # numpy and others look for what an array has
            raise AttributeError(name)
        return self.graph.foreign.method(self, name)

    def __bool__(self) -> NoReturn:
        asked = _builtin()
        raise codes.CONDITION.here("builtin", name=asked) if asked else codes.CONDITION.here("value")

    def __getitem__(self, key: Any) -> Value:
        part = columns_of(key)
        if part == WHOLE:
            return self
        kind = Part if part.step == 1 else Alternate
        return self.graph.add(kind(self.element, part.start, part.stop, location=caller()), (self,), self.T)

    __setitem__ = __delitem__ = _refused(codes.ELEMENTS, "set")
    __iter__ = __len__ = __contains__ = __reversed__ = _refused(codes.ELEMENTS, "counted")
    __int__ = __index__ = __complex__ = _refused(codes.ELEMENTS, "number")

    def __float__(self) -> NoReturn:
        frame = users_frame()
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno) if frame else ""
        calls = re.findall(r"(?<![.\w])(?:math\.(\w+)|float)\(", line)
        # Of several calls any may be the one that asks.
        help = self.graph.foreign.of_math(calls[0]) if len(calls) == 1 else None
        raise codes.ELEMENTS.here("number", help=help)

    def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
        raise codes.ELEMENTS.here("array")

    def __round__(self, digits: Any = None) -> Value:
        if digits is not None:
            raise codes.ARGUMENT.here("digits")
        return self.graph.compute(BY_NAME["round"], [self])

    __matmul__ = __rmatmul__ = _refused(codes.UNKNOWN_NAME, "@")
    __floordiv__ = __rfloordiv__ = _refused(codes.UNKNOWN_NAME, "//")
    __mod__ = __rmod__ = __divmod__ = __rdivmod__ = _refused(codes.UNKNOWN_NAME, "%")
    __lshift__ = __rlshift__ = _refused(codes.UNKNOWN_NAME, "<<")
    __rshift__ = __rrshift__ = _refused(codes.UNKNOWN_NAME, ">>")

    __lt__, __gt__ = _joined("less")[0], _joined("greater")[0]
    __le__, __ge__ = _joined("less_equal")[0], _joined("greater_equal")[0]
    __eq__, __ne__ = _joined("equal")[0], _joined("not_equal")[0]  # type: ignore[assignment]

    def __and__(self, other: Any) -> Value:
        return logical("logical_and", self, other)

    def __or__(self, other: Any) -> Value:
        return logical("logical_or", self, other)

    def __invert__(self) -> Value:
        return logical("logical_not", self)

    __rand__, __ror__ = __and__, __or__
    __xor__ = __rxor__ = _refused(codes.ARGUMENT, "xor")


class Reduction(Value):
    """What ``ops.row_reduce`` and its like give.

    As an operand it is a value: its input reduced, and repeated in every place. One that is returned and is no operand
    is an output that the caller fills before the launch.

    Attributes:
        node: the reduction as an output, without a name.
        value: what the user gives.
        first: what is applied to each element before; None for nothing.
        reduced: the value with that applied in its own type, which an output reduces.
        identity: what the user says the output is filled with; None where that is left to the node.
        returned: whether it is an output.
    """

    __slots__ = ("_wide", "first", "identity", "node", "reduced", "returned", "value")
    __hash__ = object.__hash__

    def __init__(
        self, value: Value, node: Reduce, first: Operator | None, reduced: Value, identity: Number | None
    ) -> None:
        super().__init__(value.graph, -1, node.T)
        self.value, self.node, self.first, self.reduced, self.identity = value, node, first, reduced, identity
        self.returned = False
        self._wide: Value | None = None
        value.graph.reductions.append(self)

    def __repr__(self) -> str:
        return f"<{self.node.function} of {self.T}>"

    @property
    def read(self) -> bool:
        """Whether it has been an operand."""
        return self._wide is not None

    @property
    def element(self) -> ElementType:
        return self.T

    @property
    def index(self) -> int:
        """Of its entry in the graph, which it gets when an operator reads it."""
        if self._index < 0:
            self._index = self.wide.cast(self.T).index
        return self._index

    @property
    def wide(self) -> Value:
        """The value as it is reduced, in float32 or int32: what float32 holds is cast to that first.

        Raises:
            EvtgenError: EVT200, if the reduction has an identity.
        """
        if self.identity is not None:
            raise codes.IDENTITY.here(identity=self.identity)
        if self._wide is None:
            T = float32 if float32.includes(self.T) else self.T
            given = self.value.cast(T)
            given = self.graph.compute(self.first, [given]) if self.first else given
            node = REDUCED[type(self.node)](self.node.op, T, location=self.node.location)
            self._wide = self.graph.add(node, (given,), T)
        return self._wide

    def cast(self, T: Any, round: str | None = None) -> Value:
        """As of any value, but from the type that it is reduced in: it is rounded once."""
        T = element_type(T)
        return super().cast(T, round) if T == self.T or not isinstance(T, ElementType) else self.wide.cast(T, round)


class ScalarValue:
    """A number that is given at run time, in a traced function: it stands where a constant may, and nowhere else."""

    __slots__ = ("scalar",)
    __hash__ = object.__hash__

    def __init__(self, scalar: Scalar) -> None:
        self.scalar = scalar

    def __repr__(self) -> str:
        return repr(self.scalar)

    def __neg__(self) -> ScalarValue:
        return ScalarValue(-self.scalar)

    def __pos__(self) -> ScalarValue:
        return self

    def __bool__(self) -> NoReturn:
        raise codes.CONDITION.here("scalar", name=self.scalar.name)

    def _compared(self, other: Any) -> Any:
        return NotImplemented if isinstance(other, Value) else self.__bool__()

    def _computed(self, *other: Any) -> Any:
        # A value knows what to do with a scalar.
        if other and isinstance(other[0], Value):
            return NotImplemented
        raise codes.OPERAND.here("scalar", name=self.scalar.name)

    def __array_ufunc__(self, ufunc: Any, how: str, *operands: Any, **named: Any) -> Any:
        value = next(values_among(operands), None)
        if value is None:
            return self._computed()
        return value.graph.foreign.numpy_ufunc(ufunc, how, operands, named)

    __lt__ = __le__ = __gt__ = __ge__ = __eq__ = __ne__ = _compared
    __abs__ = __round__ = __int__ = __float__ = __invert__ = _computed
    __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __mod__ = __pow__ = _computed
    __radd__ = __rsub__ = __rmul__ = __rtruediv__ = __rfloordiv__ = __rmod__ = __rpow__ = _computed


def values_among(things: Sequence[Any]) -> Iterator[Value]:
    """The values among arguments, and in lists and tuples among those."""
    for thing in things:
        if isinstance(thing, Value):
            yield thing
        elif isinstance(thing, (list, tuple)):
            yield from values_among(thing)


def graph_of(values: Sequence[Any], what: str) -> Graph:
    """The graph of the values among the operands of ``what``; raises EVT009 if there is none."""
    for value in values:
        if isinstance(value, Value):
            return value.graph
    raise codes.OPERAND.here("no value", what=what)


def is_number(thing: object) -> bool:
    """Whether it is a real number, numpy's included; True and False are none."""
    return isinstance(thing, numbers.Real) and not isinstance(thing, bool)


def is_constant(thing: object) -> bool:
    """Whether an operator can take it as a constant: a real number, or one that is given at run time."""
    return isinstance(thing, (ScalarValue, Scalar)) or is_number(thing)


def constant(thing: Any) -> Constant:
    """A constant as a node holds it: a Scalar, or Python's own int or float."""
    if isinstance(thing, ScalarValue):
        return thing.scalar
    return thing if isinstance(thing, Scalar) else number(thing)


def number(thing: Any) -> Number:
    """A real number as Python's own int or float."""
    return int(thing) if isinstance(thing, numbers.Integral) else float(thing)


def operand(graph: Graph, thing: Any, what: str) -> Value:
    """``thing`` as a value of ``graph``; raises EVT009 for anything else."""
    if isinstance(thing, Value) and thing.graph is graph:
        return thing
    if isinstance(thing, Value):
        raise codes.OPERAND.here("foreign", what=what)
    if isinstance(thing, Elsewhere):
        raise codes.OPERAND.here("elsewhere", what=what, noun=thing.noun)
    if isinstance(thing, ElementType):
        raise codes.OPERAND.here("type", what=what, T=thing)
    raise codes.OPERAND.here("other", what=what, thing=short(thing))


_MIRRORED = {
    "less": "greater", "less_equal": "greater_equal", "greater": "less", "greater_equal": "less_equal",
    "divide": "divide_into",
}  # fmt: skip
"""What a comparison or quotient is with its operands exchanged, for those that it matters to."""


def binary(name: str, left: Any, right: Any) -> Value:
    """An arithmetic operator or a comparison of two values, or of a value and a constant.

    Constants take the instructions for constants: ``x - c`` adds ``-c``, ``c - x`` multiplies by -1 and adds.
    """
    graph = left.graph if isinstance(left, Value) else right.graph
    what = f"{name}()"
    if is_constant(right):
        value, given = operand(graph, left, what), constant(right)
        if name == "subtract":
            name, given = "add", -given
        return graph.compute(BY_NAME[f"{name}_scalar"], [value], given)
    if is_constant(left):
        value = operand(graph, right, what)
        if name == "subtract":
            negated = graph.compute(BY_NAME["multiply_scalar"], [value], -1)
            return graph.compute(BY_NAME["add_scalar"], [negated], constant(left))
        return graph.compute(BY_NAME[f"{_MIRRORED.get(name, name)}_scalar"], [value], constant(left))
    return graph.compute(BY_NAME[name], [operand(graph, left, what), operand(graph, right, what)])


def power(base: Any, exponent: Any) -> Value:
    """``x ** n``: products for whole numbers up to 64, with a square root for halves, and their reciprocals.

    Any other exponent is no whole number, so that negative values have no such power: NaN, as in numpy, of which
    exp(n * log(x)) makes no exception.

    Raises:
        EvtgenError: EVT011, for an exponent that is 0, no number, not finite, or whole and larger.
    """
    if not isinstance(base, Value):
        raise codes.ARGUMENT.here("exponent")
    if not is_number(exponent):
        raise codes.ARGUMENT.here("exponent is no number")
    compute, exponent = base.graph.compute, number(exponent)
    twice = 2 * exponent
    if exponent == 0 or not math.isfinite(exponent) or (exponent == int(exponent) and abs(exponent) > _MOST):
        raise codes.ARGUMENT.here("power" if exponent else "power 0", exponent=exponent)
    if twice != int(twice) or abs(exponent) > _MOST:
        return compute(BY_NAME["power"], [base], exponent)
    if exponent == -0.5:
        return compute(BY_NAME["rsqrt"], [base])
    whole, half = divmod(abs(int(twice)), 2)
    factors = [_multiplied(base, whole)] if whole else []
    factors += [compute(BY_NAME["sqrt"], [base])] if half else []
    raised = factors[0] if len(factors) == 1 else compute(BY_NAME["multiply"], factors)
    return raised if exponent > 0 else compute(BY_NAME["reciprocal"], [raised])


_MOST = 64
"""The largest exponent that is made of products."""


def _multiplied(base: Value, count: int) -> Value:
    """A value times itself, by squaring: as few products as the bits of ``count`` ask for."""
    if count == 1:
        return base
    half = _multiplied(base, count // 2)
    square = base.graph.compute(BY_NAME["square"], [half])
    return square if count % 2 == 0 else base.graph.compute(BY_NAME["multiply"], [square, base])


def _builtin() -> str | None:
    """``max`` or ``min`` where Python's own is being called on the user's line; None where neither is."""
    frame = users_frame()
    # An expression jumps on a truth value, a function that asks for one is called.
    if frame is None or not dis.opname[frame.f_code.co_code[frame.f_lasti]].startswith(("CALL", "PRECALL")):
        return None
    found = re.search(r"(?<![.\w])(max|min)\(", linecache.getline(frame.f_code.co_filename, frame.f_lineno))
    return found[1] if found else None


def logical(name: str, *operands: Any) -> Value:
    """``logical_and``, ``logical_or`` or ``logical_not`` of masks."""
    graph = next(thing.graph for thing in operands if isinstance(thing, Value))
    for thing in operands:
        if is_constant(thing):
            raise codes.ARGUMENT.here("masks", name=name, thing=thing)
    return graph.compute(BY_NAME[name], [operand(graph, thing, f"{name}()") for thing in operands])
