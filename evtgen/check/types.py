"""Rules of element types, operators and constants."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..diagnostics import aliases
from ..diagnostics.suggestions import suggest
from ..graph.ir import Scalar
from ..graph.shapes import WHOLE
from ..graph.types import (
    ELEMENT_TYPES,
    ROUND_MODES,
    ElementType,
    RowMajor,
    bfloat16,
    float4_e2m1fn,
    float32,
    half,
    int32,
    mask,
    narrowest,
)
from ..nodes import (
    AuxLoad,
    AuxScatter,
    AuxStore,
    Broadcast,
    Cast,
    Compute,
    Reduce,
    Reduced,
    Reducing,
    VisitorNode,
    cast_path,
)
from ..operators.constants import holds, nearest
from ..operators.declaration import Operator, is_number
from ..operators.table import BY_NAME, OPERATORS, REDUCTIONS
from ..passes.analysis.casts import needed_casts
from ..passes.analysis.fields import describe, values_of
from ..passes.analysis.gemm import casts_b
from ..system.translation import tr
from ..targets import ARCHITECTURES
from .facts import Facts, Found, Place
from .registry import rule, says

REDUCES = (Reduce, Reducing)
"""Reductions: outputs and operands."""


@rule("EVT021", "Element types do not match")
@says("{label} takes {expected}, but its input is {actual}", when="only")
@says("{label} takes {expected} inputs, but input {number} is {actual}", when="alike")
@says("{label} takes {expected} as input {number}, but it is {actual}", when="different")
@says("{label} takes {T} scalars, but {name} is {actual}", when="scalar")
def mismatch(facts: Facts) -> Iterator[Found]:
    """A node takes inputs and scalars of its own element type; the C++ asserts it with a `static_assert`. Put a `Cast`
    between, declare the scalar with the type of the values beside it, or let `auto_cast=True` insert the casts. It
    casts operands to the narrowest type that holds all of them exactly (half and bfloat16 to float32, half and int8 to
    half), and a store rounds once to its own type. It never computes in fewer bits than an operand has: for int32 and a
    float there is no such type, so write `.cast(float32)` to accept the loss of the low bits of large integers."""
    for place in facts.sound():
        if any(producer in facts.unsettled for _, producer in place.inputs):
            continue
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
            alike = len({place.node.takes(i) for i, _ in place.inputs}) == 1
            when = "only" if place.node.max_inputs == 1 else "alike" if alike else "different"
            help = _cast_help(facts, place, source, expected, actual)
            yield Found(place, when, help, expected=expected, number=number, actual=actual)
        if isinstance(place.node, Compute):
            T = place.node.T
            for scalar in place.node.scalars:
                fits = scalar.T == T or (facts.epilogue.auto_cast and T.includes(scalar.T))
                if not fits and mask not in (scalar.T, T):
                    help = _scalar_help(scalar, place.node, facts)
                    yield Found(place, "scalar", help, T=T, name=scalar.name, actual=scalar.T)


def _scalar_help(scalar: Scalar, node: Compute, facts: Facts) -> str:
    """The ways out for a scalar whose type is not that of the values beside it, one in a line."""
    T, traced = node.T, facts.epilogue.traced
    declared = f"{scalar.name}: Scalar[{T}]" if traced else f'Scalar("{scalar.name}", {T})'
    taken = node.unsupported(facts.arch) is None
    ways = [tr("declare it as {declared}", declared=declared)] if taken else []
    meeting = narrowest((scalar.T, T))
    if meeting is None:
        return "\n".join([*ways, _lossy_meeting(scalar.T, T)])
    if scalar.T.includes(T):
        ways += [tr("cast the values, as in x.cast({T})", T=scalar.T) if traced else tr("compute in {T}", T=scalar.T)]
    if traced or meeting == T:
        ways += [tr("build with auto_cast=True, which computes in {meeting}", meeting=meeting)]
    return "\n".join(ways)


def _lossy_meeting(one: ElementType, other: ElementType) -> str:
    """The cast to write if no type holds two types exactly, and the precision that it costs."""
    lost = next((T for T in (one, other) if not float32.includes(T)), one)
    return tr(
        "write .cast(float32) for the {lost}: float32 keeps {kept} of its {bits} bits, so auto_cast does not do it",
        lost=lost,
        kept=float32.precision,
        bits=lost.precision,
    )


def _cast_help(facts: Facts, place: Place, source: Place, expected: ElementType, actual: ElementType) -> str:
    """The cast to write for an input, in the words of the front end that the spec was written in."""
    if expected == mask:
        return tr('a comparison makes a mask: x > 0, or Compute("GreaterScalar", T, 0)')
    if actual == mask:
        return tr(
            'a mask chooses between numbers: ops.where(mask, 1.0, 0.0), or Compute("WhereScalars", T, (1.0, 0.0))'
        )
    if not isinstance(place.node, Compute) or expected.includes(actual):
        return _insert_help(facts, place, source, expected, actual)
    return _meeting_help(facts, expected, actual)


def _meeting_help(facts: Facts, expected: ElementType, actual: ElementType) -> str:
    """The type in which two operands of an operator meet."""
    meeting = narrowest((expected, actual))
    if meeting is None:
        return _lossy_meeting(expected, actual)
    if facts.epilogue.auto_cast and not facts.epilogue.traced:
        return tr("compute in {meeting}, which holds both exactly", meeting=meeting)
    narrow = [T for T in (expected, actual) if meeting != T]
    fields = {"meeting": meeting, "narrow": narrow[0]}
    if facts.epilogue.traced:
        return (
            tr(
                "cast both operands to {meeting}, as in x.cast({meeting}), or build with auto_cast=True, which "
                "computes in {meeting}",
                **fields,
            )
            if len(narrow) > 1
            else tr(
                "cast the {narrow} operand to {meeting}, as in x.cast({meeting}), or build with auto_cast=True, which "
                "computes in {meeting}",
                **fields,
            )
        )
    return (
        tr(
            "compute in {meeting}, which holds both exactly, and cast both operands, or let auto_cast=True do that",
            **fields,
        )
        if len(narrow) > 1
        else tr(
            "compute in {meeting}, which holds both exactly, and cast the {narrow} operand, or let auto_cast=True do "
            "that",
            **fields,
        )
    )


def _insert_help(facts: Facts, place: Place, source: Place, to: ElementType, actual: ElementType) -> str:
    """The casts to insert before an input, and whether ``auto_cast`` would."""
    path = cast_path(facts.arch, actual, to)
    if not path:
        return _no_path(facts, actual, to)
    # x.cast(T) becomes a sequence of casts that the architecture has; a Cast node is one instruction.
    name = getattr(source.node, "name", "x") if source.node.tensor else "x"
    written = f"{name}.cast({to})" if facts.epilogue.traced else _nodes(path)
    if to.includes(actual) or place.node.narrows:
        return tr("insert {written}, or build with auto_cast=True", written=written)
    return tr("insert {written}", written=written)


def _nodes(path: list[Cast]) -> str:
    return " → ".join(map(describe, path))


def _no_path(facts: Facts, source: ElementType, to: ElementType, mode: str = "CAST_NONE") -> str:
    """The reason why there is no sequence of casts, and the nearest alternative."""
    if source == mask:
        return tr("a mask chooses between numbers: ops.where(mask, 1.0, 0.0)")
    others = [other for other in ROUND_MODES if cast_path(facts.arch, source, to, other)]
    through = [T for T in (float32, half) if cast_path(facts.arch, source, T) and cast_path(facts.arch, T, to)]
    if not others or not through:
        return tr("{name} has no cast from {source} that leads there", name=facts.arch.name, source=source)
    return tr(
        "no sequence of casts from {source} to {to} rounds once in {name}; one does in {others}, and "
        ".cast({through}).cast({to}) rounds twice",
        source=source,
        to=to,
        name="CAST_RINT" if mode == "CAST_NONE" else mode,
        others=", ".join(others),
        through=through[0],
    )


@rule("EVT034", "The architecture does not have this cast")
@says("{arch} has no cast from {source} to {to}", "write {path}")
@says("{arch} has no cast from {source} to {to}", "write {path}, which together round once", when="rounding")
def cast_pair(facts: Facts) -> Iterator[Found]:
    """`AscendC::Cast` exists only for certain pairs of element types, and a `Cast` node is one instruction. Other pairs
    need a sequence of casts, in which every cast but the last loses nothing, or records in the last bit that something
    was lost (`CAST_ODD`). `.cast(T)` in a traced function finds a sequence with the result of a single rounding. If
    there is none, as from int32 to bfloat16 in `CAST_RINT`, the cast is refused. A `Cast` to the type that its input
    already has emits no instruction and is always legal."""
    for place in facts.sound():
        node = place.node
        if not isinstance(node, Cast) or node.to == node.from_ or (node.from_, node.to) in facts.arch.casts:
            continue
        if any(producer in facts.unsettled for _, producer in place.inputs):
            continue
        if facts.arch.has(node.from_) and facts.arch.has(node.to):
            mode = node.round if node.round in ROUND_MODES else "CAST_NONE"
            path = cast_path(facts.arch, node.from_, node.to, mode)
            help = None if path else _no_path(facts, node.from_, node.to, mode)
            when = "" if node.to.includes(node.from_) else "rounding"
            yield Found(place, when, help, source=node.from_, to=node.to, path=_nodes(path or []))


@rule("EVT035", "The cast does not have this round mode")
@says('"{mode}" is not a round mode', when="unknown")
@says(
    "a cast from {source} to itself changes nothing, so it has no {mode}", "leave the round mode out", when="no change"
)
@says("the cast from {source} to {to} does not have {mode} on {arch}", "it has {modes}", when="other")
def round_mode(facts: Facts) -> Iterator[Found]:
    """Each pair of element types has its own round modes. Widening casts lose nothing and have only `CAST_NONE`; some
    narrowing casts have every mode but `CAST_NONE`. A cast to the type that a value already has passes the value on
    unchanged, so it has no mode."""
    for place in facts.sound():
        node = place.node
        if not isinstance(node, Cast):
            continue
        fields: dict[str, Any] = {"source": node.from_, "to": node.to, "mode": node.round}
        modes = facts.arch.casts.get((node.from_, node.to))
        if node.round not in ROUND_MODES:
            yield Found(place, "unknown", suggest(node.round, ROUND_MODES), mode=node.round)
        elif node.from_ == node.to and node.round != "CAST_NONE":
            yield Found(place, "no change", **fields)
        elif modes and node.round not in modes:
            yield Found(place, "other", modes=", ".join(modes), **fields)


@rule("EVT173", "The architecture does not have this element type")
@says("{label}: {arch} has no {T}", "it is a type of {others}")
@says("{label}: tensors have no {T}", "it is for lists of groups, Gemm.group_type; write int32", when="lists")
def missing_type(facts: Facts) -> Iterator[Found]:
    """Floats of 8 bits, `float8_e4m3fn` and `float8_e5m2`, are element types of Ascend950: of the operands of its
    matrix unit, and of tensors that an epilogue casts from or to float32. `float8_e8m0fnu`, the type of MX scales, is
    one of such tensors, and `float4_e2m1fn` is a type of operands in MX formats (EVT290). Atlas A2 and A3 have no
    instruction that reads one; a B that is widened may be of a float of 8 bits, for vector cores decode its bits
    (EVT190)."""
    gemm, said = facts.epilogue.gemm, set[ElementType]()
    widened = facts.gemm is not None and casts_b(facts.gemm)
    named: list[tuple[str, object, Place | None]] = [
        (f"gemm.{field}", getattr(gemm, field, None), None) for field in ("a", *(() if widened else ("b",)))
    ]
    named += [(place.label, T, place) for place in facts.sound() for T in _types_of(place.node)]
    for label, T, place in named:
        if isinstance(T, ElementType) and T not in said and not facts.arch.has(T):
            said.add(T)
            others = ", ".join(name for name, arch in ARCHITECTURES.items() if arch.has(T))
            yield Found(place, "" if others else "lists", label=label, T=T, others=others)


def _types_of(node: VisitorNode) -> list[ElementType]:
    """The element types that a node names."""
    return [value for _, _, value in values_of(node) if isinstance(value, ElementType)]


@rule("EVT036", "The operator does not take this type")
@says(
    "{label}: a mean has fractions, so it does not take {T}",
    "reduce the value in float32: x.cast(float32)",
    when="mean",
)
@says(
    "{label}: {name} computes with fractions, so it does not take {T}",
    "cast the inputs to float32 and the result back",
    when="fractions",
)
@says("{label}: {call} does not take {T} on {arch}", "it takes {known}", when="")
@says("{label}: {call} takes numbers, not a mask", "write ops.where(mask, 1.0, 0.0)", when="mask")
@says("{label}: {call} does not take {T} on {arch}", "it takes nothing there", when="nothing")
@says(
    "{label}: {call} does not take {T} on {arch}",
    "it takes {known}; write x.cast(float32) for its inputs and .cast({T}) after it, or auto_cast=True",
    when="operator",
)
@says(
    "{label}: {call} does not take {T} on {arch}",
    "it takes {known}; write x.cast(float32) for its input, or auto_cast=True",
    when="reduction",
)
@says(
    "{label}: {call} does not take {T} on {arch}",
    "it takes {known}; write x.cast(float32), which keeps {kept} of the {bits} bits",
    when="lossy",
)
def operator_type(facts: Facts) -> Iterator[Found]:
    """Every AscendC call takes certain element types. An operator takes those that all calls of its sequence take;
    `evtgen ops` prints the table. AtlasA2 has no bfloat16 arithmetic: compute in float32 and cast back."""
    for place in facts.settled():
        node: Any = place.node
        if isinstance(node, AuxLoad) or not all(map(facts.arch.has, _types_of(node))):
            continue
        operator = node.operator if isinstance(node, (Compute, *REDUCES)) else None
        missing = node.unsupported(facts.arch)
        if isinstance(node, REDUCES) and node.mean and node.T.kind == "int":
            yield Found(place, "mean", T=node.T)
        elif missing is not None:
            call, T = missing
            takes = [one for one in ELEMENT_TYPES.values() if replace(node, T=one).unsupported(facts.arch) is None]
            fields = {"kept": float32.precision, "bits": T.precision, "known": ", ".join(map(str, takes))}
            yield Found(place, _way(facts, node, T, takes), call=call, T=T, **fields)
        elif operator is not None and operator.fractions and node.element.kind == "int":
            yield Found(place, "fractions", name=operator.name, T=node.element)


def _way(facts: Facts, node: VisitorNode, T: ElementType, takes: list[ElementType]) -> str:
    """Which help there is for a type that a node does not take."""
    if mask == T:
        return "mask"
    if float32 in takes and float32.includes(T):
        return "operator" if isinstance(node, Compute) else "reduction" if isinstance(node, REDUCES) else ""
    if float32 in takes and cast_path(facts.arch, T, float32):
        return "lossy"
    return "" if takes else "nothing"


@rule("EVT037", "There is no such operator")
@says('{label}: there is no operator "{op}"', 'did you mean "{cpp}"?')
def unknown_operator(facts: Facts) -> Iterator[Found]:
    """`op` is the C++ name of an operator: `"Plus"`, `"Maximum"`, …; `evtgen ops` lists them."""
    for place in facts.sound():
        op = place.node.op if isinstance(place.node, (Compute, *REDUCES)) else None
        if isinstance(place.node, REDUCES) and place.node.operator is not None:
            continue
        if isinstance(op, str) and op not in OPERATORS:
            known = BY_NAME.get(op)
            help = None if known else suggest(op, OPERATORS, _CPP_ALIASES, "evtgen ops")
            yield Found(place, help=help, op=op, cpp=known and known.cpp)


_CPP_ALIASES = {name: BY_NAME[meant].cpp if meant in BY_NAME else meant for name, meant in aliases.OPERATORS.items()}
"""Names of operators in other libraries, and their C++ names here."""


@rule("EVT039", "The constant of an operator is wrong")
@says("{label} takes no scalar", when="none")
@says("{label} needs a scalar", 'Compute("{op}", {T}, scalar=...)', when="one")
@says("{label} needs the scalars ({names})", 'Compute("{op}", {T}, scalar=({dots}))', when="several")
@says("{label}: what is divided by 0 is infinite or NaN", "divide by another number", when="zero")
@says("{label}: the scalar {name} must be a number, not a mask", when="mask")
@says(
    "{label}: the scalar {name} is {T}, which is only for the elements of tensors",
    "write Scalar[float32]",
    when="8 bits",
)
@says("{label}: the number {number} is not a finite value of {T}", when="infinite")
@says("{label}: the number {number} would become {becomes} in {T}", when="lost")
@says("{label}: in {call} the number {number} is not a finite value of {T}", when="infinite in a call")
@says("{label}: in {call} the number {number} would become {becomes} in {T}", when="lost in a call")
@says("{label}: the default of {name}, {number}, is not a finite value of {T}", when="infinite default")
@says("{label}: the default of {name}, {number}, would become {becomes} in {T}", when="lost default")
def scalar(facts: Facts) -> Iterator[Found]:
    """An operator that is declared with constants (`Adds`, `Muls`, `Clamp`, …) needs them, and no other operator takes
    any; some constants have defaults. A number is converted to the type that the operator computes in, the type of the
    values beside it. It may be rounded to the nearest value, but must not become 0 or infinite, lose its fraction, or
    keep fewer bits than the type has (1e-5 in half). `where` and comparisons also take infinities. The same holds for
    the numbers in the calls of an operator of your own and for the default of a `Scalar`. No number divides by 0."""
    for place in facts.settled():
        node = place.node
        if not isinstance(node, Compute) or node.operator is None:
            continue
        names = node.operator.constants
        if not names and node.scalar is not None:
            known = [op.cpp for op in OPERATORS.values() if op.constants]
            yield Found(place, "none", suggest(f"{node.op}s", known))
        elif len(node.constants) != len(names):
            when = "one" if len(names) == 1 else "several"
            dots = ", ".join("..." for _ in names)
            yield Found(place, when, op=node.op, T=node.T, names=", ".join(names), dots=dots)
        else:
            # Selecting an infinity, or comparing with one, is not arithmetic.
            T, finite = node.operator.computed_in(node.T), not node.operator.masks
            for constant in node.constants:
                if isinstance(constant, Scalar):
                    yield from _default(place, constant)
                elif node.operator.name == "divide_scalar" and constant == 0:
                    yield Found(place, "zero")
                else:
                    yield from _lost(place, "", constant, T, _wider(), finite=finite)
        if node.own is not None and not (node.own.fractions and node.T.kind == "int"):  # another rule reports this
            for call in node.own.sequence:
                for number in map(float, filter(is_number, call.sources)):
                    yield from _lost(place, " in a call", number, node.own.computed_in(node.T), _wider(), call=call)


def _lost(
    place: Place,
    where: str,
    number: float | int,
    T: ElementType,
    advice: str | None,
    *,
    finite: bool = True,
    **fields: object,
) -> Iterator[Found]:
    """The finding that a type does not hold a number; with ``advice`` where float32 does."""
    if holds(T, number, finite):
        return
    fields |= {"number": number, "T": T}
    help = advice if float32 != T and holds(float32, number, finite=True) else None
    if isinstance(number, float) and not math.isfinite(number):
        yield Found(place, "infinite" + where, help, **fields)
    else:
        yield Found(place, "lost" + where, help, becomes=nearest(number, T), **fields)


def _wider() -> str:
    return tr("float32 holds it: write x.cast(float32) for the inputs, and .cast() for the result")


def _default(place: Place, scalar: Scalar) -> Iterator[Found]:
    """Faults in the type and the default of a scalar."""
    if scalar.T.kind == "mask":
        yield Found(place, "mask", name=scalar.name)
    elif scalar.T.minifloat:
        yield Found(place, "8 bits", name=scalar.name, T=scalar.T)
    elif scalar.default is not None:
        advice = tr("write Scalar[float32] and cast what it meets")
        yield from _lost(place, " default", scalar.default, scalar.T, advice, name=scalar.name)


@rule("EVT061", "Two operators have one name")
@says("{label}: there is another operator {cpp} in this epilogue", 'give one of them another name: cpp="…"')
def operator_names(facts: Facts) -> Iterator[Found]:
    """Operators of your own become functors in the epilogue's header. The functor's name is `cpp=`, or else the
    operator's own name in capitals; two operators cannot share one."""
    own: dict[str, Operator] = {}
    for place in facts.sound():
        operator = place.node.own if isinstance(place.node, Compute) else None
        if operator is not None and own.setdefault(operator.cpp, operator) != operator:
            yield Found(place, cpp=operator.cpp)


@rule("EVT287", "Only A and B have elements of 4 bits")
@says("{label}: {T} is only for the operands of the GEMM", "write int8, or half")
def four_bits(facts: Facts) -> Iterator[Found]:
    """`int4` and `float4_e2m1fn` are types of `Gemm.a` and `Gemm.b`, whose elements lie two in a byte. An epilogue
    loads and computes in no type of 4 bits; it may cast bfloat16 to `float4_e2m1fn`, and store that by rows, as
    `ops.quantize_mx` does."""
    for place in facts.sound():
        T = next((T for T in _types_of(place.node) if T.packed > 1), None)
        if T is not None and not _quantises(place.node):
            yield Found(place, T=T)


def _quantises(node: VisitorNode) -> bool:
    """Whether a node makes values of float4, or stores them by rows, whole."""
    if isinstance(node, AuxStore):
        return node.tensor.element == float4_e2m1fn and node.layout == RowMajor and node.columns == WHOLE
    return isinstance(node, Cast) and node.to == float4_e2m1fn and node.from_ == bfloat16


@rule("EVT060", "A mask has no place in memory")
@says("{label}: a tensor cannot hold a mask", "store ops.where(mask, 1.0, 0.0)", when="output")
@says("{label}: a tensor cannot hold a mask", "load numbers and compare them, as in X > 0", when="input")
def mask_in_memory(facts: Facts) -> Iterator[Found]:
    """The result of a comparison is one bit for each element of a tile. It exists only within UB; tensors hold numbers.
    `ops.where(mask, 1.0, 0.0)` turns a mask into numbers, `X > 0` turns numbers into a mask."""
    for place in facts.sound():
        tensor = place.node.tensor
        # That no reduction takes a mask is EVT036.
        if tensor is not None and tensor.element == mask and not isinstance(place.node, REDUCES):
            yield Found(place, "output" if tensor.output else "input")


@rule("EVT040", "The reduction has no atomic write")
@says(
    '{label}: "{op}" has no atomic write, so cores cannot combine their parts',
    "a reduction can use {atomic}",
    when="op",
)
@says("{label}: {arch} has no atomic write of {T}", "it has {atomics}", when="type")
def reduction_atomic(facts: Facts) -> Iterator[Found]:
    """Cores combine their parts of a reduction in GM with atomic writes, which exist for add, max and min, and for some
    element types only. A mean is added up: each part is multiplied by one over the number of all terms first. So are
    rows that `ops.scatter` adds up."""
    for place in facts.sound():
        node = place.node
        if isinstance(node, AuxScatter) and node.add and node.T not in facts.arch.atomics:
            yield Found(place, "type", T=node.T, atomics=", ".join(map(str, facts.arch.atomics)))
        # What does not compute with a type (EVT036) need not write it.
        if not isinstance(node, REDUCES) or node.operator is None or node.unsupported(facts.arch) is not None:
            continue
        if node.operator.atomic is None:
            yield Found(place, "op", op=node.op, atomic=", ".join(dict.fromkeys(REDUCTIONS.values())))
        elif node.T not in facts.arch.atomics:
            yield Found(place, "type", T=node.T, atomics=", ".join(map(str, facts.arch.atomics)))


@rule("EVT201", "A reduction that is used again has a narrow type")
@says(
    "{label}: a reduction that is used again must be of float32 or int32, not of {T}",
    "cast its input to {wide}, and its output back to {T}",
)
def reduced_type(facts: Facts) -> Iterator[Found]:
    """A reduction that is a value, `RowReduced`, `ColReduced` or `ScalarReduced`, is of float32 or int32: it crosses
    from one phase of the epilogue to the next, and must not be rounded on the way. Cast its input, and its output back.
    A traced function does so by itself."""
    for place in facts.sound():
        node = place.node
        if isinstance(node, Reduced) and node.T not in (float32, int32):
            yield Found(place, T=node.T, wide=float32 if float32.includes(node.T) else int32)


@rule("EVT041", "The type cannot hold the identity")
@says("{label}: {T} cannot hold the identity {number}", when="infinite")
@says("{label}: {T} cannot hold the identity {number}, which would become {becomes}", when="lost")
def identity(facts: Facts) -> Iterator[Found]:
    """The output of a reduction is filled with `identity` before the launch, so the identity must be a value of the
    output's element type, by the rule for numbers in operators (EVT039). Float types hold infinities, the identities of
    max and min. NaN is not allowed as an identity."""
    for place in facts.sound():
        node = place.node
        if isinstance(node, Reduce):
            yield from _lost(place, "", node.identity, node.T, _wider(), finite=False)


@rule("EVT042", "The default of a null pointer is wrong")
@says("{label}: Duplicate does not take {T} on {arch}, so there is no default", "it takes {fills}", when="call")
@says("{label}: {T} cannot hold the default {number}", when="infinite")
@says("{label}: {T} cannot hold the default {number}, which would become {becomes}", when="lost")
def null_default(facts: Facts) -> Iterator[Found]:
    """With `null_default` a null pointer stands for a tensor full of that value. It must be a value of the element
    type, by the rule for numbers in operators, and `AscendC::Duplicate`, which fills the tile, must take that type."""
    for place in facts.sound():
        node = place.node
        if not isinstance(node, AuxLoad | Broadcast) or node.null_default is None:
            continue
        fills = facts.arch.calls.get("Duplicate", ())
        if node.T not in fills:
            yield Found(place, "call", T=node.T, fills=", ".join(map(str, fills)))
        yield from _lost(place, "", node.null_default, node.T, None, finite=False)
