"""Rules of element types, operators and constants."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..diagnostics import aliases
from ..diagnostics.suggestions import suggest
from ..graph.ir import Scalar
from ..graph.types import ELEMENT_TYPES, ROUND_MODES, ElementType, float32, half, int32, mask, narrowest
from ..nodes import AuxLoad, Broadcast, Cast, Compute, Reduce, Reduced, VisitorNode, cast_path
from ..operators.constants import holds, nearest
from ..operators.declaration import Operator, is_number
from ..operators.table import BY_NAME, OPERATORS, REDUCTIONS
from ..passes.analysis.casts import needed_casts
from ..passes.analysis.fields import describe, values_of
from ..system.translation import tr
from ..targets import ARCHITECTURES
from .facts import Facts, Finding, Place
from .registry import rule

REDUCES = (Reduce, Reduced)
"""Reductions: outputs and operands."""


@rule("EVT021", "Element types do not match")
def mismatch(facts: Facts) -> Iterator[Finding]:
    """A node takes inputs and scalars of its own element type; the C++ asserts it with a `static_assert`. Put a `Cast`
    between, declare the scalar with the type of the values beside it, or let `auto_cast=True` insert the casts. It
    casts operands to the narrowest type that holds all of them exactly (half and bfloat16 to float32, half and int8 to
    half), and a store rounds once to its own type. It never computes in fewer bits than an operand has: for int32 and a
    float there is no such type, so write `.cast(float32)` to accept the loss of the low bits of large integers."""
    for place in facts.sound():
        for number, producer in place.inputs:
            expected = place.node.takes(number)
            source = facts.places[producer]
            actual = source.element
            if expected is None or actual is None or actual == expected:
                continue
            if not (facts.arch.has(expected) and facts.arch.has(actual)):
                continue
            if facts.epilogue.auto_cast and needed_casts(facts.arch, place.node, number, source.node):
                continue
            several = place.node.max_inputs != 1
            alike = len({place.node.takes(i) for i, _ in place.inputs}) == 1
            inputs = tr("{expected} inputs", expected=expected) if alike else tr("{expected} there", expected=expected)
            takes = (
                tr("{inputs}, but input {number}", inputs=inputs, number=number)
                if several
                else tr("{expected}, but its input", expected=expected)
            )
            yield Finding(
                tr("{label} takes {takes} is {actual}", label=place.label, takes=takes, actual=actual),
                place.location,
                _cast_help(facts, place, number, source),
            )
        if isinstance(place.node, Compute):
            yield from _scalars(facts, place, place.node)


def _scalars(facts: Facts, place: Place, node: Compute) -> Iterator[Finding]:
    """The scalars of an operator whose type is not that of its values."""
    for scalar in node.scalars:
        if scalar.T == node.T or (facts.epilogue.auto_cast and node.T.includes(scalar.T)):
            continue
        if mask in (scalar.T, node.T):
            continue
        meeting = narrowest((scalar.T, node.T))
        traced = facts.epilogue.traced
        declared = (
            tr("{name}: Scalar[{T}]", name=scalar.name, T=node.T)
            if traced
            else tr('Scalar("{name}", {T})', name=scalar.name, T=node.T)
        )
        ways = [tr("declare it as {declared}", declared=declared)]
        if meeting is None:
            ways.append(_lossy_meeting(scalar.T, node.T))
        else:
            if scalar.T.includes(node.T):
                ways.append(
                    tr("cast the values, as in x.cast({T})", T=scalar.T) if traced else tr("compute in {T}", T=scalar.T)
                )
            if traced or meeting == node.T:
                ways.append(_auto_cast(facts, meeting))
        yield Finding(
            tr(
                "{label} takes {T} scalars, but {name} is {T2}",
                label=place.label,
                T=node.T,
                name=scalar.name,
                T2=scalar.T,
            ),
            place.location,
            "; or ".join(ways),
        )


def _auto_cast(facts: Facts, meeting: ElementType) -> str:
    """The advice to use ``auto_cast``."""
    return tr("build with auto_cast=True") + (
        tr(", which computes in {meeting}", meeting=meeting) if facts.epilogue.traced else ""
    )


def _lossy_meeting(one: ElementType, other: ElementType) -> str:
    """The cast to write if no type holds two types exactly, and the precision that it costs."""
    lost = next((T for T in (one, other) if not float32.includes(T)), one)
    return tr(
        "write .cast(float32) for the {lost}: float32 keeps {precision} of its {precision2} bits, so "
        "auto_cast does not do it",
        lost=lost,
        precision=float32.precision,
        precision2=lost.precision,
    )


def _cast_help(facts: Facts, place: Place, number: int, source: Place) -> str:
    """The cast to write for an input, in the words of the front end that the spec was written in."""
    expected, actual = place.node.takes(number), source.element
    assert expected is not None and actual is not None
    if expected == mask:
        return tr('a comparison makes a mask: x > 0, or Compute("GreaterScalar", T, 0)')
    if actual == mask:
        return tr(
            'a mask chooses between numbers: ops.where(mask, 1.0, 0.0), or Compute("WhereScalars", T, (1.0, 0.0))'
        )
    if isinstance(place.node, Compute) and not expected.includes(actual):
        meeting = narrowest((expected, actual))
        if meeting is None:
            return _lossy_meeting(expected, actual)
        narrow = " and ".join(tr("the {T} operand", T=T) for T in (expected, actual) if meeting != T)
        if facts.epilogue.traced:
            return tr(
                "cast {narrow} to {meeting}, as in x.cast({meeting}), or {auto_cast}",
                narrow=narrow,
                meeting=meeting,
                auto_cast=_auto_cast(facts, meeting),
            )
        computed = tr("compute in {meeting}, which holds both exactly", meeting=meeting)
        return (
            computed
            if facts.epilogue.auto_cast
            else tr("{computed}, and cast {narrow}, or let auto_cast=True do that", computed=computed, narrow=narrow)
        )
    return _insert_help(facts, place, source, actual, expected)


def _insert_help(facts: Facts, place: Place, source: Place, actual: ElementType, expected: ElementType) -> str:
    """The casts to insert before an input, and whether ``auto_cast`` would."""
    path = cast_path(facts.arch, actual, expected)
    if not path:
        return _no_path(facts, actual, expected)
    if facts.epilogue.traced:
        # x.cast(T) becomes a sequence of casts that the architecture has; a Cast node is one instruction.
        name = getattr(source.node, "name", None) if source.node.tensor else None
        written = (name or "") + f".cast({expected})" + ("" if name else tr(" on that input"))
    else:
        written = " and then ".join(describe(step) for step in path) + tr(" on that input")
    automatic = expected.includes(actual) or place.node.narrows
    return tr("insert {written}", written=written) + (tr(", or build with auto_cast=True") if automatic else "")


def _no_path(facts: Facts, source: ElementType, to: ElementType, mode: str = "CAST_NONE") -> str:
    """The reason why there is no sequence of casts, and the nearest alternative."""
    others = [other for other in ROUND_MODES if cast_path(facts.arch, source, to, other)]
    through = [T for T in (float32, half) if cast_path(facts.arch, source, T) and cast_path(facts.arch, T, to)]
    if not others or not through:
        return tr("{name} has no cast from {source} that leads there", name=facts.arch.name, source=source)
    name = "CAST_RINT" if mode == "CAST_NONE" else mode
    return tr(
        "no sequence of casts from {source} to {to} rounds once in {name}; one does in {others}, and "
        ".cast({through}).cast({to}) rounds twice",
        source=source,
        to=to,
        name=name,
        others=", ".join(others),
        through=through[0],
    )


@rule("EVT034", "The architecture does not have this cast")
def cast_pair(facts: Facts) -> Iterator[Finding]:
    """`AscendC::Cast` exists only for certain pairs of element types, and a `Cast` node is one instruction. Other pairs
    need a sequence of casts, in which every cast but the last loses nothing, or records in the last bit that something
    was lost (`CAST_ODD`). `.cast(T)` in a traced function finds a sequence with the result of a single rounding. If
    there is none, as from int32 to bfloat16 in `CAST_RINT`, the cast is refused. A `Cast` to the type that its input
    already has emits no instruction and is always legal."""
    for place in facts.sound():
        node = place.node
        if isinstance(node, Cast) and node.to != node.from_ and (node.from_, node.to) not in facts.arch.casts:
            mode = node.round if node.round in ROUND_MODES else "CAST_NONE"
            path = cast_path(facts.arch, node.from_, node.to, mode)
            if not (facts.arch.has(node.from_) and facts.arch.has(node.to)):
                continue
            if path:
                help = "write " + " and then ".join(describe(step) for step in path)
                help += tr(", which together round once") if not node.to.includes(node.from_) else ""
            else:
                help = _no_path(facts, node.from_, node.to, mode)
            yield Finding(
                tr("{name} has no cast from {from_} to {to}", name=facts.arch.name, from_=node.from_, to=node.to),
                place.location,
                help,
            )


@rule("EVT035", "The cast does not have this round mode")
def round_mode(facts: Facts) -> Iterator[Finding]:
    """Each pair of element types has its own round modes. Widening casts lose nothing and have only `CAST_NONE`; some
    narrowing casts have every mode but `CAST_NONE`. A cast to the type that a value already has passes the value on
    unchanged, so it has no mode."""
    for place in facts.sound():
        node = place.node
        if not isinstance(node, Cast):
            continue
        if node.round not in ROUND_MODES:
            yield Finding(
                tr('"{round}" is not a round mode', round=node.round), place.location, suggest(node.round, ROUND_MODES)
            )
            continue
        if node.from_ == node.to and node.round != "CAST_NONE":
            message = tr(
                "a cast from {from_} to itself changes nothing, so it has no {round}",
                from_=node.from_,
                round=node.round,
            )
            yield Finding(message, place.location, tr("leave the round mode out"))
        modes = facts.arch.casts.get((node.from_, node.to))
        if modes and node.round not in modes:
            yield Finding(
                tr(
                    "the cast from {from_} to {to} does not have {round} on {name}",
                    from_=node.from_,
                    to=node.to,
                    round=node.round,
                    name=facts.arch.name,
                ),
                place.location,
                tr("it has {modes}", modes=", ".join(modes)),
            )


@rule("EVT173", "The architecture does not have this element type")
def missing_type(facts: Facts) -> Iterator[Finding]:
    """Floats of 8 bits, `float8_e4m3fn` and `float8_e5m2`, are element types of Ascend950: of the operands of its
    matrix unit, and of tensors that an epilogue casts from or to float32. Atlas A2 and A3 have nothing that reads
    one."""
    gemm, location = facts.epilogue.gemm, facts.epilogue.location
    named = [("gemm.a", getattr(gemm, "a", None), location), ("gemm.b", getattr(gemm, "b", None), location)]
    for place in facts.sound():
        named += [(place.label, T, place.location) for T in _types_of(place.node)]
    said: set[ElementType] = set()
    for label, T, where in named:
        if isinstance(T, ElementType) and T not in said and not facts.arch.has(T):
            said.add(T)
            have = " and ".join(name for name, arch in ARCHITECTURES.items() if arch.has(T))
            yield Finding(
                tr("{label}: {name} has no {T}", label=label, name=facts.arch.name, T=T),
                where,
                tr("{have} has it", have=have),
            )


def _types_of(node: VisitorNode) -> list[ElementType]:
    """The element types that a node names."""
    return [value for _, _, value in values_of(node) if isinstance(value, ElementType)]


@rule("EVT036", "The operator does not take this type")
def operator_type(facts: Facts) -> Iterator[Finding]:
    """Every AscendC call takes certain element types. An operator takes those that all calls of its sequence take;
    `evtgen ops` prints the table. AtlasA2 has no bfloat16 arithmetic: compute in float32 and cast back."""
    for place in facts.sound():
        if isinstance(place.node, AuxLoad) or not all(map(facts.arch.has, _types_of(place.node))):
            continue
        missing = place.node.unsupported(facts.arch)
        operator = place.node.operator if isinstance(place.node, (Compute, *REDUCES)) else None
        if isinstance(place.node, REDUCES) and place.node.mean and place.node.T.kind == "int":
            message = tr("{label}: a mean has fractions, so it does not take {T}", label=place.label, T=place.node.T)
            yield Finding(message, place.location, tr("reduce the value in float32: x.cast(float32)"))
            continue
        if missing is None and operator is not None and operator.fractions and place.node.element.kind == "int":
            yield Finding(
                tr(
                    "{label}: {name} computes with fractions, so it does not take {element}",
                    label=place.label,
                    name=operator.name,
                    element=place.node.element,
                ),
                place.location,
                tr("cast the inputs to float32 and the result back"),
            )
        if missing is None:
            continue
        call, element = missing
        known = [T for T in ELEMENT_TYPES.values() if _of_type(place.node, T).unsupported(facts.arch) is None]
        help = tr("it takes {known}", known=", ".join(map(str, known)) or tr("nothing there"))
        if float32 in known and float32.includes(element):
            if isinstance(place.node, Compute):
                help += tr(
                    "; write x.cast(float32) for its inputs and .cast({element}) after it, or auto_cast=True",
                    element=element,
                )
            elif isinstance(place.node, REDUCES):
                help += tr("; write x.cast(float32) for its input, or auto_cast=True")
        elif float32 in known and cast_path(facts.arch, element, float32):
            help += tr(
                "; write x.cast(float32), which keeps {precision} of the {precision2} bits",
                precision=float32.precision,
                precision2=element.precision,
            )
        yield Finding(
            tr(
                "{label}: {call} does not take {element} on {name}",
                label=place.label,
                call=call,
                element=element,
                name=facts.arch.name,
            ),
            place.location,
            help,
        )


def _of_type(node: Any, T: ElementType) -> VisitorNode:
    """A node with another element type."""
    other: VisitorNode = replace(node, T=T)
    return other


@rule("EVT037", "There is no such operator")
def unknown_operator(facts: Facts) -> Iterator[Finding]:
    """`op` is the C++ name of an operator: `"Plus"`, `"Maximum"`, …; `evtgen ops` lists them."""
    for place in facts.sound():
        op = place.node.op if isinstance(place.node, (Compute, *REDUCES)) else None
        if isinstance(place.node, REDUCES) and place.node.operator is not None:
            continue
        if isinstance(op, str) and op not in OPERATORS:
            help = (
                tr('did you mean "{cpp}"?', cpp=BY_NAME[op].cpp)
                if op in BY_NAME
                else suggest(op, OPERATORS, _CPP_ALIASES, "evtgen ops")
            )
            yield Finding(tr('{label}: there is no operator "{op}"', label=place.label, op=op), place.location, help)


_CPP_ALIASES = {name: BY_NAME[meant].cpp if meant in BY_NAME else meant for name, meant in aliases.OPERATORS.items()}
"""Names of operators in other libraries, and their C++ names here."""


@rule("EVT039", "The constant of an operator is wrong")
def scalar(facts: Facts) -> Iterator[Finding]:
    """An operator that is declared with constants (`Adds`, `Muls`, `Clamp`, …) needs them, and no other operator takes
    any; some constants have defaults. A number is converted to the type that the operator computes in, that of the
    values beside it. It may be rounded to the nearest value, but must not become 0 or infinite, lose its fraction, or
    keep fewer bits than the type has (1e-5 in half). `where` and comparisons also take infinities. The same holds for
    the numbers in the calls of an operator of your own and for the default of a `Scalar`."""
    for place in facts.sound():
        node = place.node
        if not isinstance(node, Compute) or node.operator is None:
            continue
        names = node.operator.constants
        if not names and node.scalar is not None:
            other = f"{node.op}s"
            yield Finding(
                tr("{label} takes no scalar", label=place.label), place.location, suggest(other, _with_constants())
            )
        elif len(node.constants) != len(names):
            wanted = tr("a scalar") if len(names) == 1 else tr("the scalars ({names})", names=", ".join(names))
            form = "..." if len(names) == 1 else f"({', '.join('...' for _ in names)})"
            yield Finding(
                tr("{label} needs {wanted}", label=place.label, wanted=wanted),
                place.location,
                tr('Compute("{op}", {T}, scalar={form})', op=node.op, T=node.T, form=form),
            )
        else:
            T = node.operator.computed_in(node.T)
            for constant in node.constants:
                # Selecting an infinity, or comparing with one, is not arithmetic.
                if isinstance(constant, Scalar):
                    yield from _default(place, constant)
                elif not holds(T, constant, finite=not node.operator.masks):
                    yield Finding(
                        tr("{label}: the number {lost}", label=place.label, lost=_lost(constant, T)),
                        place.location,
                        _number_help(constant, T),
                    )
        if node.own is not None:
            yield from _own_numbers(place, node.own, node.own.computed_in(node.T))


def _own_numbers(place: Place, operator: Operator, T: ElementType) -> Iterator[Finding]:
    """The numbers in the calls of a user's own operator that are not values of the type it computes in."""
    if operator.fractions and T.kind == "int":
        return  # another rule reports this
    for call in operator.sequence:
        for arg in filter(is_number, call.sources):
            if not holds(T, float(arg), finite=True):
                yield Finding(
                    tr(
                        "{label}: in {name}({args}) the number {lost}",
                        label=place.label,
                        name=call.name,
                        args=", ".join(call.args),
                        lost=_lost(float(arg), T),
                    ),
                    place.location,
                    _number_help(float(arg), T),
                )


def _lost(number: float | int, T: ElementType) -> str:
    """A number that a type does not hold, and the value that it would become."""
    if isinstance(number, float) and not math.isfinite(number):
        return tr("{number} is not a finite value of {T}", number=number, T=T)
    return tr("{number!r} would become {number2} in {T}", number=number, number2=nearest(number, T), T=T)


def _number_help(number: float | int, T: ElementType) -> str | None:
    """A type in which the number keeps its value."""
    if float32 != T and holds(float32, number, finite=True):
        return tr("float32 holds it: write x.cast(float32) for the inputs, and .cast() for the result")
    return None


def _default(place: Place, scalar: Scalar) -> Iterator[Finding]:
    """Faults in the type and the default of a scalar."""
    if scalar.T.kind == "mask":
        yield Finding(
            tr("{label}: the scalar {name} is a mask", label=place.label, name=scalar.name),
            place.location,
            tr("a scalar is a number"),
        )
    elif scalar.T.minifloat:
        message = tr(
            "{label}: the scalar {name} is {T}, which is only for the elements of tensors",
            label=place.label,
            name=scalar.name,
            T=scalar.T,
        )
        yield Finding(message, place.location, tr("write Scalar[float32]"))
    elif scalar.default is not None and not holds(scalar.T, scalar.default, finite=True):
        yield Finding(
            tr(
                "{label}: the default of {name}, {lost}",
                label=place.label,
                name=scalar.name,
                lost=_lost(scalar.default, scalar.T),
            ),
            place.location,
            tr("write Scalar[float32] and cast what it meets") if holds(float32, scalar.default, finite=True) else None,
        )


def _with_constants() -> list[str]:
    return [op.cpp for op in OPERATORS.values() if op.constants]


@rule("EVT061", "Two operators have one name")
def operator_names(facts: Facts) -> Iterator[Finding]:
    """Operators of your own become functors in the epilogue's header. The functor's name is `cpp=`, or else the
    operator's own name in capitals; two operators cannot share one."""
    own: dict[str, Operator] = {}
    for place in facts.sound():
        operator = place.node.own if isinstance(place.node, Compute) else None
        if operator is not None and own.setdefault(operator.cpp, operator) != operator:
            yield Finding(
                tr("{label}: there is another operator {cpp} in this epilogue", label=place.label, cpp=operator.cpp),
                place.location,
                tr('give one of them another name: cpp="…"'),
            )


@rule("EVT060", "A mask has no place in memory")
def mask_in_memory(facts: Facts) -> Iterator[Finding]:
    """The result of a comparison is one bit for each element of a tile. It exists only within UB; tensors hold numbers.
    `ops.where(mask, 1.0, 0.0)` turns a mask into numbers, `X > 0` turns numbers into a mask."""
    for place in facts.sound():
        tensor = place.node.tensor
        if tensor is not None and tensor.element == mask:
            help = (
                tr("store ops.where(mask, 1.0, 0.0)")
                if tensor.output
                else tr("load numbers and compare them, as in X > 0")
            )
            yield Finding(tr("{label}: a tensor cannot hold a mask", label=place.label), place.location, help)


@rule("EVT040", "The reduction has no atomic write")
def reduction_atomic(facts: Facts) -> Iterator[Finding]:
    """Cores combine their parts of a reduction in GM with atomic writes, which exist for add, max and min, and for some
    element types only. A mean is added up: each part is multiplied by one over the number of all terms first."""
    atomic = dict.fromkeys(REDUCTIONS.values())
    for place in facts.sound():
        node = place.node
        if not isinstance(node, REDUCES) or node.operator is None:
            continue
        if node.operator.atomic is None:
            yield Finding(
                tr(
                    '{label}: "{op}" has no atomic write, so cores cannot combine their parts',
                    label=place.label,
                    op=node.op,
                ),
                place.location,
                tr("a reduction can use {atomic}", atomic=", ".join(atomic)),
            )
        elif node.T not in facts.arch.atomics:
            yield Finding(
                tr("{label}: {name} has no atomic write of {T}", label=place.label, name=facts.arch.name, T=node.T),
                place.location,
                tr("it has {atomics}", atomics=", ".join(map(str, facts.arch.atomics))),
            )


@rule("EVT201", "A reduction that is used again has a narrow type")
def reduced_type(facts: Facts) -> Iterator[Finding]:
    """A reduction that is a value, `RowReduced`, `ColReduced` or `ScalarReduced`, is of float32 or int32: it crosses
    from one phase of the epilogue to the next, and must not be rounded on the way. Cast its input, and its output back.
    A traced function does so by itself."""
    for place in facts.sound():
        node = place.node
        if isinstance(node, Reduced) and node.T not in (float32, int32):
            wide = float32 if float32.includes(node.T) else int32
            yield Finding(
                tr(
                    "{label}: a reduction that is used again is of float32 or int32, not of {T}",
                    label=place.label,
                    T=node.T,
                ),
                place.location,
                tr("cast its input to {wide}, and its output back to {T}", wide=wide, T=node.T),
            )


@rule("EVT041", "The type cannot hold the identity")
def identity(facts: Facts) -> Iterator[Finding]:
    """The output of a reduction is filled with `identity` before the launch, so the identity must be a value of the
    output's element type, by the rule for numbers in operators (EVT039). Float types hold infinities, the identities of
    max and min. NaN is not allowed as an identity."""
    for place in facts.sound():
        node = place.node
        if isinstance(node, Reduce) and not holds(node.T, node.identity):
            yield Finding(
                tr(
                    "{label}: {T} cannot hold the identity: {lost}",
                    label=place.label,
                    T=node.T,
                    lost=_lost(node.identity, node.T),
                ),
                place.location,
                _number_help(node.identity, node.T),
            )


@rule("EVT042", "The default of a null pointer is wrong")
def null_default(facts: Facts) -> Iterator[Finding]:
    """With `null_default` a null pointer stands for a tensor full of that value. It must be a value of the element
    type, by the rule for numbers in operators, and `AscendC::Duplicate`, which fills the tile, must take that type."""
    for place in facts.sound():
        node = place.node
        if not isinstance(node, AuxLoad | Broadcast) or node.null_default is None:
            continue
        fills = facts.arch.calls.get("Duplicate", ())
        if node.T not in fills:
            yield Finding(
                tr(
                    "{label}: Duplicate does not take {T} on {name}, so there is no default",
                    label=place.label,
                    T=node.T,
                    name=facts.arch.name,
                ),
                place.location,
                tr("it takes {fills}", fills=", ".join(map(str, fills))),
            )
        if not holds(node.T, node.null_default):
            yield Finding(
                tr(
                    "{label}: {T} cannot hold the default: {lost}",
                    label=place.label,
                    T=node.T,
                    lost=_lost(node.null_default, node.T),
                ),
                place.location,
            )
