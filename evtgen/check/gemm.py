"""Rules of the GEMM before the epilogue, and of the accumulator that it writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..diagnostics import aliases
from ..diagnostics.suggestions import suggest
from ..graph.ir import Gemm
from ..graph.types import (
    LAYOUTS,
    LIST_TYPES,
    ColumnMajor,
    ElementType,
    Layout,
    RowMajor,
    bfloat16,
    float4_e2m1fn,
    float8_e4m3fn,
    float8_e5m2,
    float32,
    half,
    int4,
    int8,
    nZ,
)
from ..kernels import KERNELS
from ..kernels.groups import COUNTS, OFFSETS, POINTERS, STACKED
from ..nodes import STATISTICS, AccLoad, AStatistic, cast_path
from ..passes.analysis.fields import is_int, is_ints, short
from ..passes.analysis.gemm import (
    COLUMN,
    DEQUANTISED,
    MAX_WORKSPACE_STAGES,
    MX,
    PINGPONG,
    PRELOADING,
    adds_slices,
    block_shape,
    casts_b,
    dequantises,
    in_digits,
    types_of,
)
from ..passes.analysis.tiles import SIDE, MmadTypes
from ..planner.handoff import splits
from ..planner.parts import MAX_TILE_COLUMNS
from ..planner.scales import SCALE_OF_A, scales
from ..planner.widening import SCALE, ZERO, block_of, loads_of
from .facts import Facts, Found, Place
from .registry import rule, says

GROUPS = ("m", "k")
"""What may lie in groups."""

SCALES = (COLUMN, "group:128", "block:128x128", MX)
"""What may have a scale of its own: in a B that is widened or in both operands, where groups and blocks may have other
sides, or in operands of MX formats."""

MX_TYPES = {float8_e4m3fn, float8_e5m2, float4_e2m1fn}
"""The types of operands in MX formats."""

SCALED_SIDE = 32
"""What the sides of groups and blocks are multiples of, so that each begins on a data block."""

HANDOFFS = ("gm", "ub")
"""How the accumulator may reach the vector cores."""

ACCUMULATORS = ("halves", "separate")
"""The Bs that two accumulators may be products with."""

_LISTS: tuple[tuple[str, tuple[Any, ...], Mapping[str, str]], ...] = (
    ("group_list", (OFFSETS, COUNTS), aliases.GROUP_LISTS),
    ("group_type", LIST_TYPES, {}),
    ("weights", (STACKED, POINTERS), aliases.WEIGHTS),
    ("weight_index", (False, True), {}),
)
"""The fields that say how groups and their Bs are listed, what each may be, the default first, and its other names."""

POLICIES = (PINGPONG, PRELOADING)
"""How the cube core may go from one block to the next."""

MAX_SPLIT_K = 256
"""The most slices of K (``MAX_SPLITK_FACTOR`` of splitk_matmul_visitor.hpp)."""

MAX_OFFSET = 2**16 - 1
"""The most blocks in a band of the swizzle."""


def _types(facts: Facts) -> MmadTypes | None:
    """The types that the tiles depend on; None where there are none that the cube multiplies."""
    gemm = facts.gemm
    if gemm is None or gemm.a is None or gemm.b is None or (gemm.a, gemm.b) not in facts.arch.mmad:
        return None
    return types_of(gemm, facts.arch)


def _named(facts: Facts) -> Iterator[tuple[Place, str]]:
    """The names of all tensors and numbers, each with its place."""
    for place in facts.sound():
        yield from ((place, tensor.name) for tensor in place.node.tensors)
        yield from ((place, scalar.name) for scalar in place.node.scalars)


@rule("EVT043", "The accumulator is not what the GEMM writes")
@says("{label} reads {T}, but the GEMM writes {c}", "write AccLoad({c}) and cast it, or Gemm(c={T})")
def accumulator_type(facts: Facts) -> Iterator[Found]:
    """`AccLoad(T)` reads the accumulator that the GEMM wrote into its workspace, so `T` must be `Gemm.c`. With `c=None`
    the GEMM writes the type of the `AccLoad`."""
    c = facts.epilogue.gemm.c if hasattr(facts.epilogue.gemm, "c") else None
    if not isinstance(c, ElementType):
        return
    for place in facts.sound():
        if isinstance(place.node, AccLoad) and c != place.node.T:
            yield Found(place, T=place.node.T, c=c)


@rule("EVT044", "The accumulator is read with two types")
@says("{label} reads the accumulator that {first} reads as {element}", "write AccLoad({element}) and cast it")
def mixed_accumulator(facts: Facts) -> Iterator[Found]:
    """All `AccLoad` nodes of an epilogue read what one GEMM wrote, also where it has two accumulators, so they have one
    element type. A `Cast` gives another."""
    first: Place | None = None
    for place in facts.sound():
        if not isinstance(place.node, AccLoad):
            continue
        if first is None:
            first = place
        elif place.element != first.element:
            yield Found(place, first=first.label, element=first.element)


@rule("EVT193", "The accumulators do not match the GEMM")
@says(
    'gemm.accumulators must be "halves" or "separate", not {given}',
    "leave it out: there is one accumulator",
    when="name",
)
@says("{label} reads accumulator {index}, but a GEMM has at most two, 0 and 1", when="index")
@says(
    "{label} reads a second accumulator, but the GEMM has one",
    'write gemm=Gemm(accumulators="halves") for one B with 2N columns, "separate" for two Bs',
    when="only one",
)
@says("gemm.accumulators is {given}, but nothing reads the second accumulator", "leave it out", when="second unread")
@says(
    "gemm.accumulators is {given}, but nothing reads the first accumulator",
    "read it with AccLoad(T), or leave accumulators out",
    when="first unread",
)
def accumulators(facts: Facts) -> Iterator[Found]:
    """`Gemm.accumulators` gives an epilogue a second accumulator. `AccLoad(T, index=1)` reads it; in a traced function
    it is the second `Acc` parameter. With `"halves"` one B has 2N columns, and each accumulator is the product with one
    half of them. With `"separate"` there are two Bs. Both products are computed, so both must be read."""
    given = getattr(facts.epilogue.gemm, "accumulators", None)
    if isinstance(given, str) and given not in ACCUMULATORS:
        yield Found(None, "name", suggest(given, ACCUMULATORS, aliases.ACCUMULATORS), given=short(given))
        return
    loads = [place for place in facts.sound() if isinstance(place.node, AccLoad)]
    read = {place.node.index for place in loads if isinstance(place.node, AccLoad)}
    for place in loads:
        index = getattr(place.node, "index", 0)
        if index not in (0, 1):
            yield Found(place, "index", index=short(index))
        elif index == 1 and given is None:
            yield Found(place, "only one")
    if given is not None and loads and not {0, 1} <= read:
        yield Found(None, "second unread" if 1 not in read else "first unread", given=short(given))


@rule("EVT281", "There is no such statistic of A")
@says("{label}: A has no statistic {name}", "it has {names}", when="name")
@says("{label} adds up rows of A, and A is {layout}", "write layout_a=RowMajor or ColumnMajor", when="layout")
@says("{label} adds up rows of A, and each group has columns of A", "compute it before the launch", when="groups")
@says("{label} adds up rows of A in float32, and nothing casts {a} to it on {arch}", when="type")
def statistics_of_a(facts: Facts) -> Iterator[Found]:
    """`AStatistic("a_sum")` and `AStatistic("a_sum_of_squares")`, in a function `ops.a_sum()` and
    `ops.a_sum_of_squares()`, are columns that the vector cores compute from A. They read A by rows or by columns, not
    in fractals, and whole rows of it, not groups of K; and add up in float32."""
    a, layout = (None, None) if facts.gemm is None else (facts.gemm.a, facts.gemm.layout_a)
    for place in facts.sound():
        if not isinstance(place.node, AStatistic):
            continue
        if place.node.name not in STATISTICS:
            name, names = short(place.node.name), ", ".join(map(repr, STATISTICS))
            yield Found(place, "name", suggest(place.node.name, STATISTICS), name=name, names=names)
        elif facts.gemm is not None and facts.gemm.group == "k":
            yield Found(place, "groups")
        elif layout not in (None, RowMajor, ColumnMajor):
            yield Found(place, "layout", layout=layout)
        elif a is not None and cast_path(facts.arch, a, float32) is None:
            yield Found(place, "type", a=a)


@rule("EVT056", "The tiles of the GEMM are wrong")
@says("the sides of gemm.{name} must be positive multiples of {side}, but it is {shape}", when="sides")
@says("the {side} of gemm.{name} must be a multiple of {step} for {narrow}, but it is {shape}", when="step")
@says("gemm.l0 must have the m and n of gemm.l1, but they are {l0} and {l1}", "write l0={shape}", when="m and n")
@says("gemm.l0 must not have a larger k than gemm.l1, but they are {l0} and {l1}", when="k")
@says(
    "gemm.swizzle must be (offset, direction), offset 1 to {limit} and direction 0 or 1, not {swizzle}", when="swizzle"
)
def gemm_tiles(facts: Facts) -> Iterator[Found]:
    """Tiles are (m, n, k) in multiples of 16, the side of the cube unit's fractals. An operand of 8 bits has 32
    elements in a block of 32 bytes, and one of 4 bits has 64, so m must be a multiple of 32 if A has 8 bits, n if B
    has, and k if either has. The tile in L0 has the m and n of the tile in L1 and at most its k. One of the two may be
    left out, or both: then evtgen chooses. The swizzle is (offset, direction): an offset of 1 to 65535, since Catlass
    computes its product with a number of blocks in 32 bits, and direction 0 or 1."""
    gemm = facts.epilogue.gemm
    if not isinstance(gemm, Gemm):
        return
    of = _types(facts)
    shapes = {"l1": gemm.l1, "l0": gemm.l0}
    for name, shape in shapes.items():
        if shape is None or not is_ints(shape, 3):
            continue
        if any(side <= 0 or side % SIDE for side in shape):
            yield Found(None, "sides", name=name, side=SIDE, shape=shape)
        elif of is not None:
            for side, length, step in zip("mnk", shape, of.sides, strict=True):
                if length % step:
                    narrow = of.b if side == "n" or of.a.size > 1 else of.a
                    yield Found(None, "step", side=side, name=name, step=step, narrow=narrow, shape=shape)
    if gemm.l1 is not None and gemm.l0 is not None and is_ints(gemm.l1, 3) and is_ints(gemm.l0, 3):
        if gemm.l0[:2] != gemm.l1[:2]:
            yield Found(None, "m and n", l0=gemm.l0, l1=gemm.l1, shape=(*gemm.l1[:2], gemm.l0[2]))
        if gemm.l0[2] > gemm.l1[2]:
            yield Found(None, "k", l0=gemm.l0, l1=gemm.l1)
    if is_ints(gemm.swizzle, 2) and not (1 <= gemm.swizzle[0] <= MAX_OFFSET and gemm.swizzle[1] in (0, 1)):
        yield Found(None, "swizzle", limit=MAX_OFFSET, swizzle=short(gemm.swizzle))


@rule("EVT058", "The GEMM has no such types")
@says("the GEMM cannot multiply {a} by {b}", "it multiplies {pairs}", when="product")
@says(
    "the GEMM of {a} by {b} can write {written}, but not {c}",
    "write gemm=Gemm(a={operand}, b={operand})",
    when="operands",
)
@says("the GEMM of {a} by {b} can write {written}, but not {c}", "write {accumulator} and cast it", when="cast")
@says(
    "the GEMM of {a} by {b} can write {c} only with a scale for each column",
    'write Gemm(a={a}, b={b}, scale="column"), with scales of uint64, or read {accumulator} and cast it',
    when="dequantise",
)
@says(
    "the GEMM multiplies {a} by {b} with the scales of MX formats only",
    'write Gemm(a={a}, b={b}, layout_b=ColumnMajor, scale="mx")',
    when="scales",
)
def gemm_types(facts: Facts) -> Iterator[Found]:
    """Both operands of the GEMM have one element type. Products of half, bfloat16 and float32 are accumulated in
    float32 and written as float32, half or bfloat16. Products of int8 are accumulated and written in int32, and on
    Atlas A2 so are those of int4; with `scale="column"` both are written as half. Beside an A of half or bfloat16, B
    may also be int8, int4, float8_e4m3fn or float8_e5m2, and beside one of int8 it may be int4, the weights of a layer:
    vector cores cast it to the type of A. On Ascend950 both may be of the floats of 8 bits, or, with `scale="mx"`
    (EVT290), of float4_e2m1fn, or B alone beside float8_e4m3fn; products are accumulated and written as for half. Where
    both have scales of groups of K, float32 is written. The type written is `Gemm.c`, or else the one that the
    `AccLoad` reads. Operand types that are not given are int8 for an int32 accumulator, and half for any other."""
    gemm, known = facts.gemm, facts.arch.mmad
    if gemm is None or gemm.a is None or gemm.b is None:
        return
    accumulator = known.get((gemm.a, gemm.b))
    if accumulator is None:
        if facts.arch.has(gemm.a) and facts.arch.has(gemm.b):
            yield Found(None, "product", a=gemm.a, b=gemm.b, pairs=", ".join(f"{a} × {b}" for a, b in known))
        return
    if gemm.b == float4_e2m1fn and gemm.scale != MX:
        yield Found(None, "scales", a=gemm.a, b=gemm.b)
    written = (accumulator, half, bfloat16) if accumulator == float32 else (accumulator,)
    if adds_slices(gemm):
        accumulator, written = float32, (float32,)
    if dequantises(gemm):
        accumulator, written = half, (half,)
    if gemm.c in written or _is_no_scale(gemm):  # A scale that is none (EVT190) says nothing of C
        return
    operands = [a for (a, _), to in known.items() if to == gemm.c]
    to_half = gemm.c == half and (gemm.a, gemm.b) in DEQUANTISED
    reads = next((place for place in facts.sound() if isinstance(place.node, AccLoad)), None)
    yield Found(
        reads if facts.epilogue.gemm.c is None else None,
        "dequantise" if to_half else "operands" if operands else "cast",
        a=gemm.a,
        b=gemm.b,
        c=gemm.c,
        written=", ".join(map(str, written)),
        operand=operands[0] if operands else None,
        accumulator=accumulator,
    )


@rule("EVT190", "The weights cannot be widened before this GEMM")
@says(
    "the {b} of B cannot be widened to {a} with this {field}",
    "leave {field} out, or cast B before the launch and write Gemm(a={a}, b={a})",
    when="field",
)
@says("gemm.scale must be {known}, not {given}", "leave it out: then the epilogue has the scale", when="scale")
@says(
    "the sides of gemm.scale must be positive multiples of {side}, but it is {given}",
    'write scale="group:128", or "block:128x128"',
    when="sides",
)
@says(
    "B cannot be multiplied by its scale before it is widened to {a}, which has whole numbers only",
    "leave gemm.scale out, and scale in the epilogue",
    when="whole",
)
@says(
    "B of {b} cannot have scales of groups of K beside an A of {a}: they would be lost in whole numbers",
    "write Gemm(a=half, b={b}, scale={given}), or store B as int8: Gemm(a=int8, b=int8, scale={given}) has the "
    "products of groups scaled and added up in float32",
    when="groups",
)
@says(
    "gemm.{field} is {given}, but B is multiplied as it is stored",
    "leave it out, or write gemm=Gemm(a=half, b=int8)",
    when="not widened",
)
@says("{label} and the {what} of B have the same name", "name it differently", when="name")
def weights(facts: Facts) -> Iterator[Found]:
    """Where A is half or bfloat16 and B is int8, int4 or a float of 8 bits, where A is int8 and B is int4, or where A
    is float8_e4m3fn and B is float4_e2m1fn (`scale="mx"`), the vector cores widen B to the type of A before the matmul,
    by rows or by columns: `layout_b` is `RowMajor` or `ColumnMajor`, there is one accumulator, groups are not of K and
    each has a B of its own in one stack. With `scale="column"`, for half and bfloat16, they also multiply each column
    by its value of the input `b_scale`, and with `zero_point=True` subtract that of `b_zero` first; both are 1 × N, of
    A's type, and no other input has such a name. With `scale="group:128"` each 128 rows of a column have values of
    their own: both are K/128 × N. With `scale="block:128x128"` each 128 rows of 128 columns have: both are
    K/128 × N/128, of float32. The last group or block may be smaller. Sides are multiples of 32."""
    gemm = facts.gemm
    if gemm is None:
        return
    block = block_of(gemm)
    if _is_no_scale(gemm):
        help = suggest(gemm.scale, SCALES, aliases.SCALES) if isinstance(gemm.scale, str) else None
        yield Found(None, "scale", help, known=" or ".join(map(short, SCALES)), given=short(gemm.scale))
        return
    if block is not None and any(side <= 0 or side % SCALED_SIDE for side in block if side != 1):
        yield Found(None, "sides", side=SCALED_SIDE, given=short(gemm.scale))
        return
    of_both = gemm.scale == MX or adds_slices(gemm) or dequantises(gemm)
    given = {"scale": None if of_both else gemm.scale, "zero_point": gemm.zero_point or None}
    if not casts_b(gemm):
        for field, value in given.items():
            if value is not None and gemm.a is not None and gemm.b is not None:
                yield Found(None, "not widened", field=field, given=short(value))
        return
    fields = {
        "group": gemm.group == "k",
        "weights": gemm.weights == "pointers",
        "weight_index": gemm.weight_index is True,
        "layout_b": gemm.layout_b not in (RowMajor, ColumnMajor),
        "accumulators": gemm.accumulators is not None,
    }
    if gemm.scale == MX:  # what else is refused, EVT290 says
        fields = {"zero_point": gemm.zero_point is True}
    for field, said in fields.items():
        if said:
            yield Found(None, "field", a=gemm.a, b=gemm.b, field=field)
    if gemm.scale is not None and gemm.a == int8:
        case = "whole" if gemm.scale == COLUMN else "groups"
        yield Found(None, case, a=gemm.a, b=gemm.b, given=short(gemm.scale))
    nouns = {SCALE: "scale", ZERO: "zero point"}
    names = {load.name: nouns[load.name] for load in loads_of(gemm)}
    for place, name in _named(facts):
        if name in names:
            yield Found(place, "name", what=names[name])


def _is_no_scale(gemm: Gemm) -> bool:
    return gemm.scale is not None and gemm.scale not in (COLUMN, MX) and block_of(gemm) is None


def _beside_scales(gemm: Gemm, given: Gemm) -> Iterator[tuple[str, object]]:
    """The fields of a GEMM that no kernel takes with scales of both operands, or of the columns of their product;
    ``given`` is what was written."""
    refused = {"group": "k", "weights": POINTERS, "weight_index": True, "policy": PRELOADING}
    yield from ((field, value) for field, value in refused.items() if getattr(gemm, field) == value)
    defaults = {"accumulators": None, "split_k": 1}
    yield from ((field, getattr(gemm, field)) for field, value in defaults.items() if getattr(gemm, field) != value)
    if adds_slices(gemm) and given.workspace_stages:
        yield "workspace_stages", given.workspace_stages


@rule("EVT290", "The operands cannot have these scales")
@says(
    'gemm.scale is "mx", but {arch} multiplies no {a} by {b} with scales',
    'write Gemm(a=float8_e4m3fn, b=float8_e4m3fn, layout_b=ColumnMajor, scale="mx") for Ascend950',
    when="types",
)
@says('with scale="mx" gemm.{field} is {wanted}, not {given}', "write {field}={wanted}", when="layout")
@says("with scale={scale} of {a} by {b} no kernel takes gemm.{field}={given}", "leave it out", when="field")
@says("{label} adds up A without its scales", "compute it before the launch", when="statistic")
@says("{label} and the scales of the GEMM have the same name", "name it differently", when="name")
def scales_of_both(facts: Facts) -> Iterator[Found]:
    """With `scale="mx"` both operands are float8_e4m3fn or float8_e5m2, or both are float4_e2m1fn, which is multiplied
    in no other way; or A is float8_e4m3fn and B float4_e2m1fn, which vector cores widen. Every 32 elements of a row of
    A, and of a column of B, share a scale of float8_e8m0fnu, a power of two: the inputs `a_scale`, M × K/32, and
    `b_scale`, K/32 × N. The matrix unit of Ascend950 multiplies with them. A is `RowMajor` and B is `ColumnMajor`, so
    that the scales of a row or a column are neighbours, and K is a multiple of 64. With `scale="group:128"` or
    `"block:128x128"` both operands are int8, or each is one of the floats of 8 bits: every 128 elements of a row of A
    share a scale of float32, and so do those of a column of B, or 128 rows of 128 columns. `a_scale` is M × K/128, by
    columns, and `b_scale` is K/128 × N or K/128 × N/128. The vector cores multiply the product of each 128 of K by
    them, and add the products up; the workspace has the whole sum. With `scale="column"` of two operands of int8, or on
    Atlas A2 of int4, the cube core multiplies each column of the product by a scale and stores it as half. `b_scale` is
    1 × N of uint64, each with the bits of a float32 in its low half. With all of these there is one matmul, a batch, or
    groups of rows with stacked Bs, one accumulator, the whole of K, and the policy `"pingpong"`."""
    gemm = facts.gemm
    if gemm is None or gemm.a is None or gemm.b is None or not any(scales(gemm)):
        return
    if gemm.scale == MX and (not facts.arch.mx_policy or not {gemm.a, gemm.b} <= MX_TYPES):
        yield Found(None, "types", arch=facts.arch.name, a=gemm.a, b=gemm.b)
        return
    for node, field in zip(scales(gemm), ("layout_a", "layout_b"), strict=True) if gemm.scale == MX else ():
        if (layout := getattr(gemm, field)) != node.layout:
            yield Found(None, "layout", field=field, wanted=node.layout, given=layout)
    for field, value in _beside_scales(gemm, facts.epilogue.gemm):
        yield Found(None, "field", field=field, given=short(value), scale=short(gemm.scale), a=gemm.a, b=gemm.b)
    names = {node.name for node in scales(gemm)}
    for place in facts.sound():
        if isinstance(place.node, AStatistic) and SCALE_OF_A in names:
            yield Found(place, "statistic")
    for place, name in _named(facts):
        if name in names:
            yield Found(place, "name")


@rule("EVT285", "Only float32 is rounded to HF32")
@says(
    "gemm.hf32 is True, but the operands are {a} and {b}",
    "leave hf32 out, or write gemm=Gemm(a=float32, b=float32, hf32=True)",
)
def hf32(facts: Facts) -> Iterator[Found]:
    """With `Gemm(hf32=True)` the matrix unit rounds both operands to HF32 before it multiplies them, twice as fast on
    Atlas A2. HF32 has the range of float32, and of its mantissa 11 bits on Atlas A2 and 10 on Ascend950; of two equally
    near numbers the even one is taken. Both operands must be float32. Products are added up in float32."""
    gemm = facts.gemm
    if gemm is not None and gemm.hf32 is True and {gemm.a, gemm.b} != {float32} and None not in (gemm.a, gemm.b):
        yield Found(a=gemm.a, b=gemm.b)


@rule("EVT310", "A cannot be multiplied in digits")
@says(
    "gemm.msd is True, but {arch} multiplies no {a} by {b} in digits",
    "leave msd out, or write gemm=Gemm(a=int8, b=int4, msd=True) for AtlasA2",
    when="types",
)
@says("with gemm.msd no kernel takes gemm.{field}={given}", "leave out {field}, or msd", when="field")
@says("gemm.msd is True, but nothing reads the accumulator", "leave msd out", when="unread")
def digits(facts: Facts) -> Iterator[Found]:
    """With `Gemm(a=int8, b=int4, msd=True)` vector cores put A in digits of int4, 16 · high + low + 8, and the matrix
    unit of Atlas A2 multiplies these by B as it is stored; the vector cores make C of the products, exactly. Few rows
    are faster so. Ascend950 has no products of int4. A is `RowMajor`, there is one accumulator, K is whole, and groups
    are not of K. Something must read the accumulator, for that is where C is made. B has neither scales nor zero points
    (EVT190)."""
    gemm = facts.gemm
    if gemm is None or gemm.msd is not True or gemm.a is None or gemm.b is None:
        return
    if not in_digits(gemm) or (gemm.b, gemm.b) not in facts.arch.mmad:
        yield Found(None, "types", arch=facts.arch.name, a=gemm.a, b=gemm.b)
        return
    taken = {"layout_a": RowMajor, "accumulators": None, "split_k": 1}
    for field, value in taken.items():
        if (given := getattr(gemm, field)) != value:
            yield Found(None, "field", field=field, given=given if field == "layout_a" else short(given))
    if gemm.group == "k":
        yield Found(None, "field", field="group", given=short(gemm.group))
    if not any(isinstance(place.node, AccLoad) for place in facts.sound()):
        yield Found(None, "unread")


@rule("EVT059", "The tiles of the GEMM do not fit")
@says(
    "gemm.{named} does not fit {memory}: it takes {used} bytes, {arch} has {size}", "the nearest that fits is {fitting}"
)
def gemm_sizes(facts: Facts) -> Iterator[Found]:
    """The cube core holds two tiles of A and of B in L1, two of each in L0A and L0B, and one of the accumulator
    in L0C. The help names the nearest tiles that fit: with the same m and n if they can, and as much of k as fits."""
    gemm, given, of = facts.gemm, facts.epilogue.gemm, _types(facts)
    if gemm is None or of is None or not is_ints(gemm.l1, 3) or not is_ints(gemm.l0, 3):
        return
    l1, l0 = gemm.l1, gemm.l0
    if l1 is None or l0 is None or min(*l1, *l0) <= 0:
        return
    for field, memory, used, size in of.budgets(l1, l0):
        if used > size:
            # A tile in L0 that is not given follows from the one in L1, and the other way round.
            named = field if getattr(given, field) is not None else {"l1": "l0", "l0": "l1"}[field]
            nearest = dict(zip(("l1", "l0"), of.nearest(l1, l0), strict=True))
            fitting = ", ".join(f"{name}={tile}" for name, tile in nearest.items() if getattr(given, name) is not None)
            yield Found(named=named, memory=memory, used=used, size=size, fitting=fitting)


@rule("EVT180", "The GEMM cannot read this layout")
@says('gemm.{name}: there is no layout "{layout}"', "write one of {layouts}", when="name")
@says(
    "gemm.{name} is {layout}, but a group could begin within one of its fractals",
    "write {name}=RowMajor, or ColumnMajor",
    when="group",
)
@says(
    "gemm.layout_a is {layout}, but the cube core transposes no A of {T}",
    "write layout_a=RowMajor, or zN",
    when="packed",
)
@says(
    "a group of K could begin within a byte of {T}",
    'write group="m", or unpack A and B to int8',
    when="byte",
)
def operand_layouts(facts: Facts) -> Iterator[Found]:
    """`Gemm.layout_a` and `Gemm.layout_b` are the layouts of the matrices A and B in global memory: `RowMajor`,
    `ColumnMajor`, or the fractal ones `zN` (AscendC's NZ) and `nZ`, each in any combination and for every type. The
    columns of a `zN` matrix, and the rows of an `nZ` one, are filled up to whole blocks of 32 bytes, which the cube
    core reads. The transposed matrix of a `RowMajor` one is `ColumnMajor` without a copy. Where rows of A lie in
    groups, A is `RowMajor` or `ColumnMajor`, and where K does, so is B: a group could begin within a fractal. The cube
    core transposes no A of int4, so that is `RowMajor` or `zN`, and no group of K is of int4."""
    gemm = facts.epilogue.gemm
    own = facts.gemm
    if own is not None and own.a == int4:
        if own.group == "k":
            yield Found(None, "byte", T=own.a)
        if isinstance(own.layout_a, Layout) and own.layout_a in (ColumnMajor, nZ):
            yield Found(None, "packed", layout=own.layout_a, T=own.a)
    for name in ("layout_a", "layout_b"):
        layout = getattr(gemm, name, None)
        if isinstance(layout, Layout) and isinstance(layout.name, str) and layout not in LAYOUTS.values():
            help = suggest(layout.name, LAYOUTS, aliases.LAYOUTS)
            yield Found(None, "name", help, name=name, layout=layout, layouts=", ".join(LAYOUTS))
        elif (
            isinstance(layout, Layout)
            and layout.fractal
            and (gemm.group == "k" or (gemm.group is not None and name == "layout_a"))
        ):
            yield Found(None, "group", name=name, layout=layout)


@rule("EVT172", "The accumulator cannot be handed over like this")
@says('gemm.handoff must be "gm" or "ub", not {given}', "leave it out: evtgen chooses", when="name")
@says(
    'gemm.handoff is "ub", but the cube core of {arch} cannot store to UB',
    'write handoff="gm", or leave it out: evtgen chooses',
    when="no store",
)
@says(
    'gemm.handoff is "ub", but the cube core rounds no sums to {c} that it splits between two vector cores',
    'read Acc[{mmad}] and cast it, write handoff="gm", or leave it out',
    when="rounded",
)
@says('gemm.handoff is "ub", but nothing reads the accumulator', "leave it out", when="unread")
@says(
    'gemm.handoff is "ub", but two accumulators go through global memory',
    'write handoff="gm", or leave it out: evtgen chooses',
    when="two",
)
@says("UB has no room for the whole accumulator", "leave workspace_stages out: evtgen chooses", when="whole")
@says(
    'with handoff="ub" the n of gemm.l1 must be at most {limit}, the columns of a tile, but it is {columns}',
    when="columns",
)
def handoff(facts: Facts) -> Iterator[Found]:
    """`Gemm.handoff` is how the accumulator reaches the vector cores: `"gm"`, through a workspace in global memory, on
    every architecture, or `"ub"`, stored by the cube core in the UB of its vector cores, on Ascend950. In UB there are
    whole rows of one or more blocks, never of the whole accumulator, and something must read them. They are there as
    the cube core sums them up, in float32 or int32: where `Fixpipe` splits a block between two vector cores, it
    converts nothing. With scales of groups of K it is the way of the products of slices; their sum lies in global
    memory."""
    gemm, own = facts.epilogue.gemm, facts.gemm
    way = getattr(gemm, "handoff", None)
    if way is None or not isinstance(way, str):
        return
    if way not in HANDOFFS:
        yield Found(None, "name", suggest(way, HANDOFFS, aliases.HANDOFFS), given=short(way))
    elif way == "gm":
        return
    elif not facts.arch.stores_to_ub:
        yield Found(None, "no store")
    elif own is not None and own.a and own.b and not splits(own, facts.arch) and not adds_slices(own):
        yield Found(None, "rounded", c=own.c, mmad=facts.arch.mmad.get((own.a, own.b)))
    elif not any(isinstance(place.node, AccLoad) for place in facts.sound()):
        yield Found(None, "unread")
    elif gemm.accumulators is not None:
        yield Found(None, "two")
    elif gemm.workspace_stages == 0:
        yield Found(None, "whole")
    elif own is not None and is_ints(own.l1, 3) and block_shape(own)[1] > MAX_TILE_COLUMNS:
        yield Found(None, "columns", limit=MAX_TILE_COLUMNS, columns=block_shape(own)[1])


@rule("EVT179", "These matmuls cannot be computed in one launch")
@says('gemm.group must be "m" or "k", not {given}', when="group")
@says("gemm.split_k must be 1 or more, not {given}", "leave it out", when="slices")
@says("no kernel takes these together: {given}", "leave one of them out", when="together")
def matmuls(facts: Facts) -> Iterator[Found]:
    """A launch computes one matmul, matmuls of one shape (`batch=True`), or matmuls whose rows (`group="m"`) or whose K
    (`group="k"`) lie in groups, each of which has a kernel of its own and may have two accumulators. `split_k` is how
    many parts of K are multiplied at the same time. A combination that no kernel has is refused."""
    gemm = facts.gemm
    if gemm is None or not isinstance(gemm.batch, bool) or not is_int(gemm.split_k):
        return
    if isinstance(gemm.group, str) and gemm.group not in GROUPS:
        yield Found(None, "group", suggest(gemm.group, GROUPS, aliases.GROUPS), given=short(gemm.group))
    elif gemm.split_k < 1:
        yield Found(None, "slices", given=short(gemm.split_k))
    elif (gemm.group is None or gemm.group in GROUPS) and not any(kernel.takes(gemm) for kernel in KERNELS):
        given = [f"batch={gemm.batch}"] if gemm.batch else []
        given += [f"group={short(gemm.group)}"] if gemm.group is not None else []
        given += [f"split_k={short(gemm.split_k)}"] if gemm.split_k != 1 else []
        given += [f"accumulators={short(gemm.accumulators)}"] if gemm.accumulators is not None else []
        yield Found(None, "together", given=", ".join(given))


@rule("EVT270", "Groups cannot be listed like this")
@says("gemm.{field} must be {known}, not {given}", "leave it out, or write one of these", when="value")
@says(
    "gemm.{field} is {given}, but nothing lies in groups", 'leave it out, or write group="m" or "k"', when="no groups"
)
@says("gemm.{field} is {given}, but groups of K have one B", 'leave it out, or write group="m"', when="one B")
def group_lists(facts: Facts) -> Iterator[Found]:
    """With `group="m"` or `"k"` a list on the device has a number for each group: where its rows, or its part of K, end
    (`group_list="offsets"`, the default), or how many it has (`"counts"`), as `int64` (the default) or `int32`
    (`group_type`). For groups of rows, another list has the address of each B with `weights="pointers"`, and one has
    the number of the B that each group takes with `weight_index=True`."""
    gemm = facts.gemm
    if gemm is None:
        return
    for field, known, others in _LISTS:
        given = getattr(gemm, field)
        if given not in known:
            help = suggest(given, known, others) if isinstance(given, str) else None
            yield Found(None, "value", help, field=field, known=" or ".join(map(short, known)), given=short(given))
        elif given != known[0] and gemm.group is None:
            yield Found(None, "no groups", field=field, given=short(given))
        elif given != known[0] and gemm.group == "k" and field.startswith("weight"):
            yield Found(None, "one B", field=field, given=short(given))


@rule("EVT192", "K cannot be split like this")
@says("gemm.split_k must be at most {limit}, not {given}", when="slices")
@says(
    "gemm.workspace_stages is {given}, but with split_k the workspace has the whole accumulator",
    "leave workspace_stages out",
    when="stages",
)
@says(
    'gemm.handoff is "ub", but with split_k no cube core has the whole sum of a block',
    'write handoff="gm", or leave it out',
    when="ub",
)
def split_k(facts: Facts) -> Iterator[Found]:
    """`Gemm.split_k` is how many slices of K are multiplied at the same time, at most 256: the vector cores add up the
    products in UB, which has room for so many. The workspace has all products and their whole sum, and the epilogue
    reads the sum from there. So the workspace cannot hold only some blocks of the sum, and the cube core cannot leave
    the sum in UB, since it never has it. Where K has fewer tiles (the k of `l1`) than slices, each is a slice."""
    gemm = facts.epilogue.gemm
    if not isinstance(gemm, Gemm) or not is_int(gemm.split_k) or gemm.split_k < 2:
        return
    if gemm.split_k > MAX_SPLIT_K:
        yield Found(None, "slices", limit=MAX_SPLIT_K, given=short(gemm.split_k))
    if gemm.workspace_stages:
        yield Found(None, "stages", given=short(gemm.workspace_stages))
    if gemm.handoff == "ub":
        yield Found(None, "ub")


@rule("EVT170", "The workspace cannot have so many blocks")
@says("gemm.workspace_stages must be 0 to {limit}, not {given}", "leave it out: evtgen chooses")
def workspace_stages(facts: Facts) -> Iterator[Found]:
    """`Gemm.workspace_stages` is how many blocks of the accumulator the workspace has for each cube core, or 0 for the
    whole accumulator. The cube core sets a flag for each block that its vector cores have yet to read, and a flag
    counts to 15. Two blocks let both work at once, with a third neither waits where both take equally long; more take
    more of the L2 cache."""
    stages = getattr(facts.epilogue.gemm, "workspace_stages", None)
    if is_int(stages) and not 0 <= stages <= MAX_WORKSPACE_STAGES:
        yield Found(limit=MAX_WORKSPACE_STAGES, given=short(stages))


@rule("EVT185", "The cube core cannot go through its blocks like this")
@says('gemm.policy must be "pingpong" or "preload_async", not {given}', "leave it out: evtgen chooses", when="name")
@says(
    'gemm.policy is "{given}", but blocks that are stored in UB are multiplied one after the other',
    'write policy="pingpong" or handoff="gm", or leave either out: evtgen chooses',
    when="ub",
)
def policy(facts: Facts) -> Iterator[Found]:
    """`Gemm.policy` is how the cube core goes from one block to the next: `"pingpong"`, one after the other, or
    `"preload_async"`, which loads the first tiles of the next block before this one waits for the vector cores. Both
    take the same types and tiles on every architecture. With `handoff="ub"` it is `"pingpong"`: there FIX waits alone,
    and loads go on in any case."""
    gemm = facts.epilogue.gemm
    given = getattr(gemm, "policy", None)
    if given is None or not isinstance(given, str):
        return
    if given not in POLICIES:
        yield Found(None, "name", suggest(given, POLICIES, aliases.POLICIES), given=short(given))
    elif given == PRELOADING and getattr(gemm, "handoff", None) == "ub":
        yield Found(None, "ub", given=given)
