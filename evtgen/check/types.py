"""Rules of element types, operators and constants."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..analysis.fields import describe
from ..arithmetic.constants import holds
from ..diagnostics import aliases
from ..diagnostics.suggestions import suggest
from ..graph.ir import Scalar
from ..graph.types import ELEMENT_TYPES, ROUND_MODES, ElementType, float32, int32, mask
from ..nodes import AuxLoad, Broadcast, Cast, Compute, Reduce, VisitorNode, cast_path
from ..operators.declaration import Operator
from ..operators.table import BY_NAME, OPERATORS
from .facts import Facts, Finding, Place
from .registry import rule


@rule("EVT021", "Element types do not match")
def mismatch(facts: Facts) -> Iterator[Finding]:
    """A node takes inputs of its own element type; the C++ says so in a `static_assert`. Put a `Cast` between, or let
    `auto_cast=True` insert the casts: one where the architecture has that cast, two by way of float32 where it has
    not."""
    for place in facts.sound():
        for number, producer in place.inputs:
            expected = place.node.takes(number)
            source = facts.places[producer]
            actual = source.element
            if expected is None or actual is None or actual == expected:
                continue
            path = cast_path(facts.arch, actual, expected)
            if facts.epilogue.auto_cast and path:
                continue
            several = place.node.max_inputs != 1
            alike = len({place.node.takes(i) for i, _ in place.inputs}) == 1
            inputs = f"{expected} inputs" if alike else f"{expected} there"
            takes = f"{inputs}, but input {number}" if several else f"{expected}, but its input"
            yield Finding(
                f"{place.label} takes {takes} is {actual}",
                place.location,
                _cast_help(facts, place, number, source),
            )


def _cast_help(facts: Facts, place: Place, number: int, source: Place) -> str:
    """The cast to write for an input, in the words of the front end that the spec was written in."""
    expected, actual = place.node.takes(number), source.element
    assert expected is not None and actual is not None
    path = cast_path(facts.arch, actual, expected)
    if expected == mask:
        return 'a comparison makes a mask: x > 0, or Compute("GreaterScalar", T, 0)'
    if actual == mask:
        return 'a mask chooses between numbers: ops.where(mask, 1.0, 0.0), or Compute("WhereScalars", T, (1.0, 0.0))'
    if isinstance(place.node, Compute) and (len(path or ()) > 1 or (expected.kind == "int" and actual.kind == "float")):
        # The way that the help would show loses what the other operand has.
        return "cast both to float32, as in x.cast(float32), and the result to what it is to be; or auto_cast=True"
    if not path:
        return f"{facts.arch.name} has no cast from {actual} that leads there"
    if facts.epilogue.traced:
        name = getattr(source.node, "name", None) if source.node.tensor else None
        written = (name or "") + "".join(f".cast({step.to})" for step in path) + ("" if name else " on that input")
    else:
        written = " and then ".join(describe(step) for step in path) + " on that input"
    return f"insert {written}, or build with auto_cast=True"


@rule("EVT034", "The architecture does not have this cast")
def cast_pair(facts: Facts) -> Iterator[Finding]:
    """`AscendC::Cast` exists for certain pairs of element types only. What is missing can be had in two steps by way of
    float32 where both of those exist; a `Cast` to the type that its input already has is no instruction and always
    legal."""
    for place in facts.sound():
        node = place.node
        if isinstance(node, Cast) and node.to != node.from_ and (node.from_, node.to) not in facts.arch.casts:
            path = cast_path(facts.arch, node.from_, node.to)
            targets = ", ".join(str(to) for source, to in facts.arch.casts if source == node.from_)
            help = f"{node.from_} can be cast to {targets}" if targets else f"nothing can be cast from {node.from_}"
            if path:
                help = f"cast {node.from_} to {path[0].to} first, and that to {node.to}"
            yield Finding(f"{facts.arch.name} has no cast from {node.from_} to {node.to}", place.location, help)


@rule("EVT035", "The cast does not have this round mode")
def round_mode(facts: Facts) -> Iterator[Finding]:
    """Each pair of element types has its own round modes. Widening casts lose nothing and have `CAST_NONE` only; some
    narrowing ones have every mode but `CAST_NONE`. A cast to the type that a value has hands it on, so it has none."""
    for place in facts.sound():
        node = place.node
        if not isinstance(node, Cast):
            continue
        if node.round not in ROUND_MODES:
            yield Finding(f'"{node.round}" is not a round mode', place.location, suggest(node.round, ROUND_MODES))
            continue
        if node.from_ == node.to and node.round != "CAST_NONE":
            message = f"a cast from {node.from_} to itself hands the value on, so it has no {node.round}"
            yield Finding(message, place.location, "leave the round mode out")
        modes = facts.arch.casts.get((node.from_, node.to))
        if modes and node.round not in modes:
            yield Finding(
                f"the cast from {node.from_} to {node.to} does not have {node.round} on {facts.arch.name}",
                place.location,
                f"it has {', '.join(modes)}",
            )


@rule("EVT036", "The operator does not take this type")
def operator_type(facts: Facts) -> Iterator[Finding]:
    """Every AscendC call takes certain element types. An operator takes those that all calls of its sequence take;
    `evtgen ops` prints the table. There is no bfloat16 arithmetic on AtlasA2: compute in float32 and cast back."""
    for place in facts.sound():
        if isinstance(place.node, AuxLoad):
            continue
        missing = place.node.unsupported(facts.arch)
        operator = place.node.operator if isinstance(place.node, (Compute, Reduce)) else None
        if missing is None and operator is not None and operator.fractions and place.node.element.kind == "int":
            yield Finding(
                f"{place.label}: {operator.name} computes with fractions, so it does not take {place.node.element}",
                place.location,
                "cast the inputs to float32 and the result back",
            )
        if missing is None:
            continue
        call, element = missing
        known = [T for T in ELEMENT_TYPES.values() if _of_type(place.node, T).unsupported(facts.arch) is None]
        help = f"it takes {', '.join(map(str, known)) or 'nothing there'}"
        if float32 in known and cast_path(facts.arch, element, float32):
            if isinstance(place.node, Compute):
                help += f"; write x.cast(float32) for its inputs and .cast({element}) behind it, or auto_cast=True"
            elif isinstance(place.node, Reduce):
                help += "; write x.cast(float32) for its input, or auto_cast=True"
        yield Finding(f"{place.label}: {call} does not take {element} on {facts.arch.name}", place.location, help)


def _of_type(node: Any, T: ElementType) -> VisitorNode:
    """A node with another element type."""
    other: VisitorNode = replace(node, T=T)
    return other


@rule("EVT037", "There is no such operator")
def unknown_operator(facts: Facts) -> Iterator[Finding]:
    """`op` is the C++ name of an operator: `"Plus"`, `"Maximum"`, …; `evtgen ops` lists them."""
    for place in facts.sound():
        op = place.node.op if isinstance(place.node, (Compute, Reduce)) else None
        if isinstance(op, str) and op not in OPERATORS:
            help = f'did you mean "{BY_NAME[op].cpp}"?' if op in BY_NAME else suggest(op, OPERATORS, _CPP_ALIASES)
            yield Finding(f'{place.label}: there is no operator "{op}"', place.location, help)


_CPP_ALIASES = {
    name: BY_NAME[meant].cpp if meant in BY_NAME else meant for name, meant in aliases.OPERATORS.items()
}
"""What others call an operator, and what it is called in C++ here."""


@rule("EVT039", "The constant of an operator is wrong")
def scalar(facts: Facts) -> Iterator[Finding]:
    """An operator that is declared with constants (`Adds`, `Muls`, `Clamp`, …) needs them, no other takes any; some
    have defaults. Each must be a finite value of the element type that is computed in: an integer for integer types,
    and small enough; `where` and comparisons take infinities, too. A `Scalar`, which the caller gives at run time, is
    float32 where floats are computed, whichever, and int32 where integers are."""
    for place in facts.sound():
        node = place.node
        if not isinstance(node, Compute) or node.operator is None:
            continue
        names = node.operator.constants
        if not names and node.scalar is not None:
            other = f"{node.op}s"
            yield Finding(f"{place.label} takes no scalar", place.location, suggest(other, _with_constants()))
        elif len(node.constants) != len(names):
            wanted = "a scalar" if len(names) == 1 else f"the scalars ({', '.join(names)})"
            form = "..." if len(names) == 1 else f"({', '.join('...' for _ in names)})"
            yield Finding(
                f"{place.label} needs {wanted}", place.location, f'Compute("{node.op}", {node.T}, scalar={form})'
            )
        else:
            T = node.operator.computed_in(node.T)
            for constant in node.constants:
                if isinstance(constant, Scalar):
                    yield from _runtime(place, constant, float32 if T.kind == "float" else int32)
                elif not holds(T, constant, finite=not node.operator.masks):
                    # To choose or compare with an infinity is no arithmetic.
                    kind = "value" if node.operator.masks else "finite value"
                    help = "write x.cast(float32) for its inputs" if T.kind == "int" else None
                    yield Finding(f"{place.label}: the scalar {constant} is not a {kind} of {T}", place.location, help)


def _runtime(place: Place, scalar: Scalar, wanted: ElementType) -> Iterator[Finding]:
    """What is wrong with a number that is given at run time, where one of a type is wanted."""
    if wanted != scalar.T:
        yield Finding(
            f"{place.label}: the scalar {scalar.name} is {scalar.T}, but must be {wanted}",
            place.location,
            "the operator rounds it to the type that it computes in" if wanted == float32 else None,
        )
    elif scalar.default is not None and not holds(scalar.T, scalar.default, finite=True):
        yield Finding(
            f"{place.label}: the default {scalar.default} of {scalar.name} is not a finite value of {scalar.T}",
            place.location,
        )


def _with_constants() -> list[str]:
    return [op.cpp for op in OPERATORS.values() if op.constants]


@rule("EVT061", "Two operators have one name")
def operator_names(facts: Facts) -> Iterator[Finding]:
    """Operators of your own are functors in the epilogue's header, by the names that `cpp=` gives them there, or else
    by their own names in capitals. Two of them cannot share one."""
    own: dict[str, Operator] = {}
    for place in facts.sound():
        operator = place.node.own if isinstance(place.node, Compute) else None
        if operator is not None and own.setdefault(operator.cpp, operator) != operator:
            yield Finding(
                f"{place.label}: there is another operator {operator.cpp} in this epilogue",
                place.location,
                'give one of them another name: cpp="…"',
            )


@rule("EVT060", "A mask has no place in memory")
def mask_in_memory(facts: Facts) -> Iterator[Finding]:
    """What a comparison yields is one bit for each element of a tile. It exists within UB only: tensors hold numbers.
    `ops.where(mask, 1.0, 0.0)` makes numbers of a mask, `X > 0` a mask of numbers."""
    for place in facts.sound():
        tensor = place.node.tensor
        if tensor is not None and tensor.element == mask:
            help = "store ops.where(mask, 1.0, 0.0)" if tensor.output else "load numbers and compare them, as in X > 0"
            yield Finding(f"{place.label}: a tensor cannot hold a mask", place.location, help)


@rule("EVT040", "The reduction has no atomic write")
def reduction_atomic(facts: Facts) -> Iterator[Finding]:
    """Cores join their parts of a reduction in GM with an atomic write, which exists for add, max and min, and for some
    element types."""
    atomic = [op.cpp for op in OPERATORS.values() if op.atomic]
    for place in facts.sound():
        node = place.node
        if not isinstance(node, Reduce) or node.operator is None:
            continue
        if node.operator.atomic is None:
            yield Finding(
                f'{place.label}: "{node.op}" has no atomic write, so cores cannot join their parts',
                place.location,
                f"a reduction can use {', '.join(atomic)}",
            )
        elif node.T not in facts.arch.atomics:
            yield Finding(
                f"{place.label}: {facts.arch.name} has no atomic write of {node.T}",
                place.location,
                f"it has {', '.join(map(str, facts.arch.atomics))}",
            )


@rule("EVT041", "The type cannot hold the identity")
def identity(facts: Facts) -> Iterator[Finding]:
    """The output of a reduction is filled with `identity` before the launch, so that must be a value of its element
    type. Float types hold infinities, the identities of max and min; no type holds NaN as an identity."""
    for place in facts.sound():
        if isinstance(place.node, Reduce) and not holds(place.node.T, place.node.identity):
            yield Finding(
                f"{place.label}: {place.node.T} cannot hold the identity {place.node.identity}", place.location
            )


@rule("EVT042", "The default of a null pointer is wrong")
def null_default(facts: Facts) -> Iterator[Finding]:
    """With `null_default` a null pointer stands for a tensor full of that value. It must be a value of the element
    type, and `AscendC::Duplicate`, which fills the tile, must take that type."""
    for place in facts.sound():
        node = place.node
        if not isinstance(node, AuxLoad | Broadcast) or node.null_default is None:
            continue
        fills = facts.arch.calls.get("Duplicate", ())
        if node.T not in fills:
            yield Finding(
                f"{place.label}: Duplicate does not take {node.T} on {facts.arch.name}, so there is no default",
                place.location,
                f"it takes {', '.join(map(str, fills))}",
            )
        if not holds(node.T, node.null_default):
            yield Finding(f"{place.label}: {node.T} cannot hold the default {node.null_default}", place.location)
