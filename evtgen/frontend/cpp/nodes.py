"""A node's type in C++ as a node, with what the host gives it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ...diagnostics import cpp as codes
from ...graph.ir import Epilogue, flatten
from ...graph.location import Location
from ...graph.types import ELEMENT_TYPES, LAYOUTS, ElementType, Layout, RowMajor, float8_e4m3fn, float8_e5m2, mask
from ...nodes import (
    KEPT,
    MADE_KINDS,
    NODE_KINDS,
    STATISTICS,
    AccLoad,
    Alternate,
    AStatistic,
    AuxGather,
    AuxLoad,
    AuxScatter,
    AuxStore,
    Band,
    BlockBroadcast,
    BlockReduced,
    BlockStore,
    Broadcast,
    Cast,
    ColReduced,
    Compute,
    Constant,
    DecodeFloat8,
    HeadBroadcast,
    KeptLoad,
    KeptStore,
    Outputs,
    Part,
    Position,
    RankScatter,
    Reduce,
    Reduced,
    Reducing,
    Rotate,
    Store,
    TopK,
    TopKResult,
    VisitorNode,
    WideStore,
)
from ...nodes.base import pascal
from ...operators.declaration import Operator
from ...operators.table import MEAN, OPERATORS, SUMS_OF_PRODUCTS
from ...planner.parts import ALL_INPUTS
from ...targets import Architecture
from .clang import COPY, FUNCTORS, FUSION
from .graph import Located
from .types import CppType

KINDS: dict[str, type[VisitorNode]] = {
    pascal(kind.header.removesuffix(".hpp")): kind
    for kind in [*NODE_KINDS.values(), *MADE_KINDS]
    if kind is ColReduced or not issubclass(kind, Reduced)
}
"""The node kinds by the names of their templates."""

_LOADS = (AuxLoad, Broadcast)

_ELEMENTS = {
    **{T.cpp: T for T in ELEMENT_TYPES.values() if mask != T},
    "signed char": ELEMENT_TYPES["int8"],
    "unsigned char": ELEMENT_TYPES["uint8"],
    "short": ELEMENT_TYPES["int16"],
    "int": ELEMENT_TYPES["int32"],
}


class Unseen(Operator):
    """A functor whose body is not read: only its name and the number of its operands are known. It is taken for one
    that needs the least."""

    in_place = ALL_INPUTS

    def types(self, arch: Architecture) -> tuple[ElementType, ...]:
        return tuple(ELEMENT_TYPES.values())


@cache
def _unseen(name: str, inputs: int, constants: int) -> Unseen:
    def numbers(np: Any, *inputs: Any) -> Any:
        raise NotImplementedError(name)

    named = tuple(f"constant{i + 1}" if i else "constant" for i in range(constants))
    return Unseen(name, name, max(1, min(inputs, 4)), (), numbers, variadic=inputs > 4, constants=named)


ALL_COLUMNS = 2**32 - 1
"""Of a part that goes to the end of the rows (problem.hpp)."""


@dataclass
class Gets:
    """What the host gives a node; what is not known of it keeps its default.

    Attributes:
        name: of its tensor.
        rows, ranks: of the tensors that number rows, and the ranks that own them.
        number: the identity of a reduction, or what a null pointer stands for.
        constants: of an operator.
    """

    name: str = ""
    rows: str = ""
    ranks: str = ""
    number: float | int | None = None
    constants: tuple[Constant, ...] = ()


@dataclass(frozen=True)
class Form:
    """What braces a node takes.

    Attributes:
        fields: ``"pointer"``, ``"layout"`` or ``"number"`` for each of its arguments, ``"stride"`` for how far the
            tensor of one matmul is from the next one's, or how many take one, ``"constants"`` for those of an operator.
        needed: how many of them it does not do without.
        shown: how many messages name.
    """

    fields: tuple[str, ...] = ()
    needed: int = 0
    shown: int = 0

    @property
    def text(self) -> str:
        """The braces, for a message."""
        words = {"pointer": "ptr", "number": "value", "constants": "{…}"}
        return f"{{{', '.join(words.get(field, field) for field in self.fields[: max(self.needed, self.shown)])}}}"


def unseen(epilogue: Epilogue) -> Iterator[Compute]:
    """The nodes whose functors cannot be seen into."""
    for step in flatten(epilogue.root):
        if isinstance(step.node, Compute) and isinstance(step.node.op, Unseen):
            yield step.node


def kind_of(at: Located) -> type[VisitorNode]:
    """The kind of a node. Raises EvtgenError (EVT216) where it is none of the framework's."""
    kind = KINDS.get(inner_of(at).type.last)
    if kind is None:
        raise codes.UNREAD_CPP.refusal("no node", at.location, type=at.type)
    return kind


def form(at: Located) -> Form:
    """The arguments of a node."""
    kind = kind_of(at)
    if at.type.last == "VisitorInWorkspace":
        return Form()
    if issubclass(kind, Compute):
        return Form(("constants",), 1) if len(inner_of(at).type.args) > 2 else Form()
    return next((made(at) for base, made in _FORMS if issubclass(kind, base)), Form())


_PLACE = ("pointer", "layout")

_FORMS: tuple[tuple[tuple[type[VisitorNode], ...], Callable[[Located], Form]], ...] = (
    ((RankScatter,), lambda at: Form((*_PLACE, *_PLACE, *_PLACE, "number"), 7)),
    ((AStatistic,), lambda at: Form()),
    ((AuxGather, AuxScatter), lambda at: Form((*_PLACE, *_PLACE), 4)),
    # Left out, the identity is 0, which is that of a sum alone.
    ((Band,), lambda at: Form(("constants",), 1)),
    ((Reduce,), lambda at: Form((*_PLACE, "number", "stride"), 2 if _adds(at) else 3, shown=3)),
    ((Store,), lambda at: Form((*_PLACE, "stride"), 2)),
    ((BlockBroadcast, HeadBroadcast), lambda at: Form((*_PLACE, "stride", "stride"), 2)),
    (_LOADS, lambda at: Form((*_PLACE, "number", "stride", "stride"), 2, shown=3 if _takes_null(at) else 2)),
)
"""The arguments of the kinds that have any."""


_NUMBERS: dict[type[VisitorNode], tuple[str, ...]] = {
    Band: ("row", "column", "lower", "upper"), Part: ("start", "stop"), Alternate: ("start",), TopK: ("stop",),
    Rotate: ("head",),
}  # fmt: skip
"""The numbers behind the element type among the arguments of a template."""

_WIDTHS: dict[type[VisitorNode], str] = {BlockReduced: "block", BlockStore: "block", HeadBroadcast: "head"}
"""What the third argument of a template is: how many columns come together."""


def node(at: Located, inputs: int, gets: Gets) -> VisitorNode:  # noqa: PLR0912
    """A node with so many inputs. Raises EvtgenError (EVT216) where it cannot be read."""
    kind, inner, location = kind_of(at), inner_of(at), at.location
    type = inner.type
    fields: dict[str, Any] = {"location": location}
    if issubclass(kind, AccLoad):
        kind = AccLoad
        fields |= {"T": _element(type, 0, location), "index": type.argument(2, "0").number or 0}
    elif issubclass(kind, AStatistic):
        names = {cpp: name for name, cpp in STATISTICS.items()}
        fields |= {"name": names.get(type.argument(0).last, type.argument(0).last)}
    elif issubclass(kind, Cast):
        fields |= {"to": _element(type, 0, location), "from_": _element(type, 1, location)}
        fields["round"] = type.argument(2, "CAST_NONE").last
    elif issubclass(kind, Band | Part | Rotate):
        fields |= {name: type.argument(place).number for place, name in enumerate(_NUMBERS[kind], 1)}
        fields |= {"T": _element(type, 0, location)} | ({"other": gets.constants[0]} if issubclass(kind, Band) else {})
        fields |= {"stop": None} if fields.get("stop") == ALL_COLUMNS else {}
        fields |= {"interleaved": type.argument(2).name == "true"} if kind is Rotate else {}
    elif issubclass(kind, DecodeFloat8):
        fields["source"] = encoded(type)
    elif issubclass(kind, Compute):
        return compute(type, inputs, gets.constants, location)
    elif issubclass(kind, Reduce):
        op = FUNCTORS.get(type.argument(0).last, type.argument(0).last)
        fields |= {"name": gets.name, "op": op, "T": _element(type, 1, location), "layout": _layout(type, 2)}
        fields["identity"] = _neutral(kind(**fields)) if gets.number is None else gets.number
    elif issubclass(kind, Reducing):
        fields |= {"op": FUNCTORS.get(type.argument(0).last, type.argument(0).last), "T": _element(type, 1, location)}
    elif issubclass(kind, TopKResult):
        fields |= {"T": _element(type, 0, location)}
    elif not issubclass(kind, (Outputs, Position)):
        fields |= {"name": gets.name, "T": _element(type, 0, location)}
        fields |= {} if kind is WideStore else {"layout": _layout(type, 1)}
        if issubclass(kind, (AuxGather, AuxScatter)):
            fields["rows"] = gets.rows
            if issubclass(kind, RankScatter):
                fields["ranks"] = gets.ranks
            if type.argument(2).name == "true" and issubclass(kind, AuxScatter):
                fields["add"] = True
        elif issubclass(kind, _LOADS) and _takes_null(at):
            fields["null_default"] = 0 if gets.number is None else gets.number
    fields |= {_WIDTHS[kind]: type.argument(2).number} if kind in _WIDTHS else {}
    if kind is WideStore:
        fields |= {"lines": type.argument(1).number, "length": type.argument(2).number}
    fields |= {"block": (type.argument(2).number, type.argument(3).number)} if kind is BlockBroadcast else {}
    if at.type.last == "VisitorInWorkspace":
        return _kept(at, kind, fields)
    maker: Any = kind
    made: VisitorNode = maker(**fields)
    return made


def encoded(type: CppType) -> ElementType:
    """The type of what a ``VisitorDecodeFloat8`` decodes."""
    return float8_e4m3fn if type.argument(0).number == 8 - float8_e4m3fn.precision else float8_e5m2


def _kept(at: Located, kind: type[VisitorNode], fields: dict[str, Any]) -> VisitorNode:
    """A node whose tensor lies in the workspace."""
    number = at.type.argument(0).number or 0
    known: dict[type[VisitorNode], Any] = {**KEPT, AuxLoad: KeptLoad, AuxStore: KeptStore}
    if kind not in known:
        raise codes.UNREAD_CPP.refusal("not kept", at.location, type=at.type)
    kept: VisitorNode = known[kind](**{**fields, "name": f"kept{number}"}, number=number)
    return kept


def _neutral(reduce: Reduce) -> float | int:
    known = reduce.operator is not None and reduce.operator.atomic is not None
    return reduce.neutral if known else 0


def _adds(at: Located) -> bool:
    """Whether a reduction adds up."""
    functor = inner_of(at).type.argument(0).last
    return FUNCTORS.get(functor, functor) in ("Plus", MEAN)


def _takes_null(at: Located) -> bool:
    """Whether the pointer of a load may be null."""
    return inner_of(at).type.argument(2, "false").name == "true" or at.type.last == "VisitorOrDefault"


def compute(type: CppType, inputs: int, constants: Sequence[Constant], location: Location) -> VisitorNode:
    """The node of an operator."""
    functor = type.argument(0)
    T = _element(type, 1, location)
    if functor.name == f"{FUSION}::{COPY}":
        return Cast(T, T, location=location)  # it hands on its input
    scalar = constants[0] if len(constants) == 1 else tuple(constants) or None
    operator = OPERATORS.get(FUNCTORS.get(functor.last, functor.last))
    if operator is None or not _is_frameworks(functor, operator):
        return Compute(_unseen(functor.last, inputs, len(type.args[2:])), T, scalar, location=location)
    if ELEMENT_TYPES["uint8"] == T and {"dst", *operator.operands} <= set(operator.masks):
        T = mask  # Mask is another name of uint8_t
    return Compute(operator.cpp, T, scalar, location=location)


def _is_frameworks(functor: CppType, operator: Operator) -> bool:
    if operator.cpp in SUMS_OF_PRODUCTS:
        return "::operations::" in functor.name
    return functor.name.startswith(f"{FUSION}::")


def constant_types(at: Located) -> tuple[ElementType, ...]:
    """The types of the constants of an operator, or of the one of a band."""
    type = inner_of(at).type
    if issubclass(kind_of(at), Band):
        return (_element(type, 0, at.location),)
    return tuple(_element(type, index, at.location) for index in range(2, len(type.args)))


def element_of(type: CppType) -> ElementType | None:
    """The element type that a type of C++ is."""
    return _ELEMENTS.get(type.name)


def layout_of(type: CppType) -> Layout:
    """The layout that a type of C++ is; one of another name for a type that is none."""
    if type.name == "tla::Layout" and type.args:
        type = type.args[0]
    return LAYOUTS.get(type.last, Layout(type.last))


def inner_of(at: Located) -> Located:
    """The node itself, within what says where its tensor is, in which order it joins, that it may be absent, or that it
    works on a vector or reads one."""
    wrapped = {
        "VisitorInWorkspace": 1, "VisitorInOrder": 2, "VisitorOrDefault": 0, "VisitorOnRow": 0, "VisitorOnColumn": 0,
        "VisitorByRepeats": 0, "VisitorOnColumns": 2, "VisitorOnHalf": 0, "VisitorOnFirst": 1,
        "VisitorScatterInOrder": 0,
    }  # fmt: skip
    return inner_of(at.args[wrapped[at.type.last]]) if at.type.last in wrapped and at.args else at


def _element(type: CppType, index: int, location: Location) -> ElementType:
    given = type.argument(index)
    found = element_of(given)
    if found is None and "type-parameter" in given.name:
        raise codes.UNREAD_CPP.refusal("template", location, node=type.last)
    if found is None:
        known = ", ".join(name for name in _ELEMENTS if " " not in name)
        raise codes.UNREAD_CPP.refusal("element type", location, node=type.last, type=given, known=known)
    return found


def _layout(type: CppType, index: int) -> Layout:
    return layout_of(type.args[index]) if index < len(type.args) else RowMajor
