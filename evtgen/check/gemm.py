"""Rules of the GEMM before the epilogue, and of the accumulator that it writes."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics import aliases
from ..diagnostics.suggestions import suggest
from ..graph.ir import Gemm
from ..graph.types import LAYOUTS, ColumnMajor, ElementType, Layout, RowMajor, bfloat16, float32, half
from ..kernels import KERNELS
from ..nodes import AccLoad
from ..passes.analysis.fields import is_int, is_ints, short
from ..passes.analysis.gemm import MAX_WORKSPACE_STAGES, PINGPONG, PRELOADING, block_shape, casts_b
from ..passes.analysis.tiles import SIDE, MmadTypes, mmad_types
from ..planner.cut import MAX_TILE_COLUMNS
from ..planner.handoff import splits
from ..system.translation import tr
from .facts import Facts, Finding, Place
from .registry import rule

GROUPS = ("m",)
"""What may lie in groups."""

HANDOFFS = ("gm", "ub")
"""How the accumulator may reach the vector cores."""

ACCUMULATORS = ("halves", "separate")
"""The Bs that two accumulators may be products with."""

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
    return mmad_types(gemm.a, gemm.b, facts.arch)


@rule("EVT043", "The accumulator is not what the GEMM writes")
def accumulator_type(facts: Facts) -> Iterator[Finding]:
    """`AccLoad(T)` reads the accumulator that the GEMM wrote into its workspace, so `T` must be `Gemm.c`. With `c=None`
    the GEMM writes the type of the `AccLoad`."""
    c = facts.epilogue.gemm.c if hasattr(facts.epilogue.gemm, "c") else None
    if not isinstance(c, ElementType):
        return
    for place in facts.sound():
        if isinstance(place.node, AccLoad) and c != place.node.T:
            yield Finding(
                tr("{label} reads {T}, but the GEMM writes {c}", label=place.label, T=place.node.T, c=c),
                place.location,
                tr("write AccLoad({c}) and cast it, or Gemm(c={T})", c=c, T=place.node.T),
            )


@rule("EVT044", "The accumulator is read with two types")
def mixed_accumulator(facts: Facts) -> Iterator[Finding]:
    """All `AccLoad` nodes of an epilogue read what one GEMM wrote, also where it has two accumulators, so they have one
    element type. A `Cast` gives another."""
    first: Place | None = None
    for place in facts.sound():
        if not isinstance(place.node, AccLoad):
            continue
        if first is None:
            first = place
        elif place.element != first.element:
            yield Finding(
                tr(
                    "{label} reads the accumulator that {label2} reads as {element}",
                    label=place.label,
                    label2=first.label,
                    element=first.element,
                ),
                place.location,
                tr("write AccLoad({element}) and cast it", element=first.element),
            )


@rule("EVT193", "The accumulators are not those of the GEMM")
def accumulators(facts: Facts) -> Iterator[Finding]:
    """`Gemm.accumulators` gives an epilogue a second accumulator, which `AccLoad(T, index=1)` reads, in a traced
    function the second `Acc` parameter: `"halves"` for one B with 2N columns, of which each accumulator is the product
    with a half, or `"separate"` for two Bs. Both are computed, so both must be read."""
    given, location = getattr(facts.epilogue.gemm, "accumulators", None), facts.epilogue.location
    if isinstance(given, str) and given not in ACCUMULATORS:
        yield Finding(
            tr(
                "gemm.accumulators is {accumulators}, but is {given}",
                accumulators=" or ".join(map(short, ACCUMULATORS)),
                given=short(given),
            ),
            location,
            suggest(given, ACCUMULATORS, aliases.ACCUMULATORS) or tr("leave it out: there is one accumulator"),
        )
        return
    loads = [place for place in facts.sound() if isinstance(place.node, AccLoad)]
    read = {place.node.index for place in loads if isinstance(place.node, AccLoad)}
    for place in loads:
        index = getattr(place.node, "index", 0)
        if index not in (0, 1):
            yield Finding(
                tr(
                    "{label} reads accumulator {index}: a GEMM has two at most, 0 and 1",
                    label=place.label,
                    index=short(index),
                ),
                place.location,
            )
        elif index == 1 and given is None:
            yield Finding(
                tr("{label} reads a second accumulator, but the GEMM has one", label=place.label),
                place.location,
                tr('write gemm=Gemm(accumulators="halves") for one B with 2N columns, "separate" for two Bs'),
            )
    if given is not None and loads and not {0, 1} <= read:
        which = tr("second") if 1 not in read else tr("first")
        yield Finding(
            tr(
                "gemm.accumulators is {given}, but nothing reads the {which} accumulator",
                given=short(given),
                which=which,
            ),
            location,
            tr("leave it out") if 1 not in read else tr("read it with AccLoad(T), or leave accumulators out"),
        )


@rule("EVT056", "The tiles of the GEMM are wrong")
def gemm_tiles(facts: Facts) -> Iterator[Finding]:
    """Tiles are (m, n, k) in multiples of 16, the side of the cube unit's fractals; of 32 for operands of 8 bits, whose
    blocks of 32 bytes are as long: m for those of A, n for those of B, k for either. The tile in L0 has the m and n of
    the tile in L1 and at most its k. Of the two, one may be left out, or both: evtgen chooses. The swizzle is (offset,
    direction): an offset of 1 to 65535, since Catlass computes its product with a number of blocks in 32 bits, and
    direction 0 or 1."""
    gemm, location = facts.epilogue.gemm, facts.epilogue.location
    if not isinstance(gemm, Gemm):
        return
    of = _types(facts)
    shapes = {"l1": gemm.l1, "l0": gemm.l0}
    for name, shape in shapes.items():
        if shape is None or not is_ints(shape, 3):
            continue
        if any(side <= 0 or side % SIDE for side in shape):
            yield Finding(
                tr(
                    "the sides of gemm.{name} are positive multiples of {side}, but it is {shape}",
                    name=name,
                    side=SIDE,
                    shape=shape,
                ),
                location,
            )
        elif of is not None:
            for side, length, step in zip("mnk", shape, of.sides, strict=True):
                if length % step:
                    narrow = of.b if side == "n" or of.a.size > 1 else of.a
                    yield Finding(
                        tr(
                            "the {side} of gemm.{name} is a multiple of {step} for {narrow}, but it is {shape}",
                            side=side,
                            name=name,
                            step=step,
                            narrow=narrow,
                            shape=shape,
                        ),
                        location,
                    )
    if gemm.l1 is not None and gemm.l0 is not None and is_ints(gemm.l1, 3) and is_ints(gemm.l0, 3):
        if gemm.l0[:2] != gemm.l1[:2]:
            yield Finding(
                tr("gemm.l0 has the m and n of gemm.l1, but they are {l0} and {l1}", l0=gemm.l0, l1=gemm.l1),
                location,
                tr("write l0={shape}", shape=(*gemm.l1[:2], gemm.l0[2])),
            )
        if gemm.l0[2] > gemm.l1[2]:
            yield Finding(
                tr("the k of gemm.l0 is at most that of gemm.l1, but they are {l0} and {l1}", l0=gemm.l0, l1=gemm.l1),
                location,
            )
    if is_ints(gemm.swizzle, 2) and not (1 <= gemm.swizzle[0] <= MAX_OFFSET and gemm.swizzle[1] in (0, 1)):
        yield Finding(
            tr(
                "gemm.swizzle is (offset, direction), offset 1 to {max_offset} and direction 0 or 1, but is {swizzle}",
                max_offset=MAX_OFFSET,
                swizzle=short(gemm.swizzle),
            ),
            location,
        )


@rule("EVT058", "The GEMM has no such types")
def gemm_types(facts: Facts) -> Iterator[Finding]:
    """Both operands of the GEMM have one element type: half, bfloat16 or float32, whose products are accumulated in
    float32 and written as float32, half or bfloat16, or int8, whose products are accumulated and written in int32.
    Beside an A of half or bfloat16, B may also be int8, the weights of a layer: vector cores cast it to the type of A.
    On Ascend950 each may also be float8_e4m3fn or float8_e5m2, accumulated and written as those of half. The type
    written is `Gemm.c`, or else the one that the `AccLoad` reads. Operand types that are not given are int8 for an
    int32 accumulator, and half for any other."""
    gemm, location, known = facts.gemm, facts.epilogue.location, facts.arch.mmad
    if gemm is None or gemm.a is None or gemm.b is None:
        return
    accumulator = known.get((gemm.a, gemm.b))
    if accumulator is None:
        if facts.arch.has(gemm.a) and facts.arch.has(gemm.b):
            alike = ", ".join(str(a) for a, b in known if a == b)
            mixed = "".join(tr(", or {a} by {b}", a=a, b=b) for a, b in known if a != b)
            message = tr("the GEMM cannot multiply {a} by {b}", a=gemm.a, b=gemm.b)
            yield Finding(message, location, tr("both are {alike}{mixed}", alike=alike, mixed=mixed))
        return
    written = (accumulator, half, bfloat16) if accumulator == float32 else (accumulator,)
    if gemm.c in written:
        return
    both = " and ".join(dict.fromkeys((str(gemm.a), str(gemm.b))))
    message = tr(
        "the GEMM of {both} operands writes {written}, not {c}",
        both=both,
        written=" or ".join(map(str, written)),
        c=gemm.c,
    )
    operands = [str(a) for (a, _), to in known.items() if to == gemm.c]
    help = (
        tr("write gemm=Gemm(a={operands}, b={operands})", operands=operands[0])
        if operands
        else tr("write {accumulator} and cast it", accumulator=accumulator)
    )
    reads = next((place for place in facts.sound() if isinstance(place.node, AccLoad)), None)
    said = facts.epilogue.gemm.c is not None or reads is None
    yield Finding(message, location if said or reads is None else reads.location, help)


@rule("EVT190", "The weights cannot be cast before this GEMM")
def weights(facts: Facts) -> Iterator[Finding]:
    """Where A is half or bfloat16 and B is int8, the vector cores cast all of B before the matmul. The kernel that does
    it has one matmul with the whole of K, and a B whose rows or columns each lie in one piece: no `batch`, no `group`,
    no `split_k`, no second accumulator, and no `layout_b` but `RowMajor` and `ColumnMajor`."""
    gemm = facts.gemm
    if gemm is None or not casts_b(gemm):
        return
    fields = {
        "batch": gemm.batch is not False,
        "group": gemm.group is not None,
        "split_k": gemm.split_k != 1,
        "layout_b": gemm.layout_b not in (RowMajor, ColumnMajor),
        "accumulators": gemm.accumulators is not None,
    }
    for field, said in fields.items():
        if said:
            yield Finding(
                tr("the kernel that casts the {b} of B to {a} has no {field}", b=gemm.b, a=gemm.a, field=field),
                facts.epilogue.location,
                tr(
                    "leave {field} out, or cast B before the launch and write Gemm(a={a}, b={a})", field=field, a=gemm.a
                ),
            )


@rule("EVT059", "The tiles of the GEMM do not fit")
def gemm_sizes(facts: Facts) -> Iterator[Finding]:
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
            yield Finding(
                tr(
                    "gemm.{named} does not fit {memory}: it takes {used} bytes, {name} has {size}",
                    named=named,
                    memory=memory,
                    used=used,
                    name=facts.arch.name,
                    size=size,
                ),
                facts.epilogue.location,
                tr("the nearest that fits is {fitting}", fitting=fitting),
            )


@rule("EVT180", "The GEMM cannot read this layout")
def operand_layouts(facts: Facts) -> Iterator[Finding]:
    """`Gemm.layout_a` and `Gemm.layout_b` are the layouts of the matrices A and B in global memory: `RowMajor`,
    `ColumnMajor`, or the fractal ones `zN` (AscendC's NZ) and `nZ`, each in any combination and for every type. The
    columns of a `zN` matrix, and the rows of an `nZ` one, are filled up to whole blocks of 32 bytes, which the cube
    core reads. The transposed matrix of a `RowMajor` one is `ColumnMajor` without a copy. Where rows of A lie in
    groups, A is `RowMajor` or `ColumnMajor`: a group could begin within a fractal."""
    gemm = facts.epilogue.gemm
    for name in ("layout_a", "layout_b"):
        layout = getattr(gemm, name, None)
        if isinstance(layout, Layout) and layout not in LAYOUTS.values():
            yield Finding(
                tr('gemm.{name}: there is no layout "{layout}"', name=name, layout=layout),
                facts.epilogue.location,
                suggest(short(layout.name), LAYOUTS, aliases.LAYOUTS)
                or tr("write one of {layouts}", layouts=", ".join(LAYOUTS)),
            )
        elif isinstance(layout, Layout) and name == "layout_a" and layout.fractal and gemm.group is not None:
            yield Finding(
                tr(
                    "gemm.layout_a is {layout}, but a group of rows could begin within one of its fractals",
                    layout=layout,
                ),
                facts.epilogue.location,
                tr("write layout_a=RowMajor, or ColumnMajor"),
            )


@rule("EVT172", "The accumulator cannot be handed over like this")
def handoff(facts: Facts) -> Iterator[Finding]:
    """`Gemm.handoff` is how the accumulator reaches the vector cores: `"gm"`, through a workspace in global memory, on
    every architecture, or `"ub"`, stored by the cube core in the UB of its vector cores, on Ascend950. In UB there are
    whole rows of one or more blocks, never of the whole accumulator, and something must read them. They are there as
    the cube core sums them up, in float32 or int32: where `Fixpipe` splits a block between two vector cores, it
    converts nothing."""
    gemm, location = facts.epilogue.gemm, facts.epilogue.location
    way = getattr(gemm, "handoff", None)
    if way is None or not isinstance(way, str):
        return
    if way not in HANDOFFS:
        yield Finding(
            tr("gemm.handoff is {handoffs}, but is {way}", handoffs=" or ".join(map(short, HANDOFFS)), way=short(way)),
            location,
            suggest(way, HANDOFFS, aliases.HANDOFFS) or tr("leave it out: evtgen chooses"),
        )
        return
    if way == "gm":
        return
    if not facts.arch.stores_to_ub:
        yield Finding(
            tr('gemm.handoff is "ub", but the cube core of {name} cannot store to UB', name=facts.arch.name),
            location,
            tr('write handoff="gm", or leave it out: evtgen chooses'),
        )
        return
    own = facts.gemm
    if own is not None and not splits(own, facts.arch):
        yield Finding(
            tr(
                'gemm.handoff is "ub", but between two vector cores the cube core splits its sums only as they '
                "are, not rounded to {c}",
                c=own.c,
            ),
            location,
            tr(
                'read Acc[{mmad}] and cast it, write handoff="gm", or leave it out',
                mmad=facts.arch.mmad.get((own.a, own.b)),
            )
            if own.a is not None and own.b is not None
            else None,
        )
    elif not any(isinstance(place.node, AccLoad) for place in facts.sound()):
        yield Finding(tr('gemm.handoff is "ub", but nothing reads the accumulator'), location, tr("leave it out"))
    elif gemm.accumulators is not None:
        yield Finding(
            tr('gemm.handoff is "ub", but two accumulators go through global memory'),
            location,
            tr('write handoff="gm", or leave it out: evtgen chooses'),
        )
    elif gemm.workspace_stages == 0:
        yield Finding(
            tr("UB has no room for the whole accumulator"), location, tr("leave workspace_stages out: evtgen chooses")
        )
    elif own is not None and is_ints(own.l1, 3) and block_shape(own)[1] > MAX_TILE_COLUMNS:
        yield Finding(
            tr(
                'with handoff="ub" the n of gemm.l1 is at most {max_tile_columns}, the columns of a tile, but is {own}',
                max_tile_columns=MAX_TILE_COLUMNS,
                own=block_shape(own)[1],
            ),
            location,
        )


@rule("EVT179", "These matmuls cannot be computed in one launch")
def matmuls(facts: Facts) -> Iterator[Finding]:
    """A launch computes one matmul, matmuls of one shape (`batch=True`), or matmuls whose rows lie in groups
    (`group="m"`), each of which has a kernel of its own and may have two accumulators. `split_k` is how many parts of K
    are multiplied at the same time. What no kernel does together is refused."""
    gemm, location = facts.gemm, facts.epilogue.location
    if gemm is None or not isinstance(gemm.batch, bool) or not is_int(gemm.split_k):
        return
    if isinstance(gemm.group, str) and gemm.group not in GROUPS:
        help = suggest(gemm.group, GROUPS, aliases.GROUPS)
        yield Finding(tr('gemm.group is "m", but is {group}', group=short(gemm.group)), location, help)
    elif gemm.split_k < 1:
        yield Finding(
            tr("gemm.split_k is 1 or more, but is {split_k}", split_k=short(gemm.split_k)), location, tr("leave it out")
        )
    elif (gemm.group is None or gemm.group in GROUPS) and not any(kernel.takes(gemm) for kernel in KERNELS):
        given = [f"batch={gemm.batch}"] if gemm.batch else []
        given += [f"group={short(gemm.group)}"] if gemm.group is not None else []
        given += [f"split_k={short(gemm.split_k)}"] if gemm.split_k != 1 else []
        given += [f"accumulators={short(gemm.accumulators)}"] if gemm.accumulators is not None else []
        yield Finding(tr("no kernel has {given}", given=" and ".join(given)), location, tr("leave one of them out"))


@rule("EVT192", "K cannot be split like this")
def split_k(facts: Facts) -> Iterator[Finding]:
    """`Gemm.split_k` is how many slices of K are multiplied at the same time, at most 256: as many as the vector cores
    have room for in UB, where they add up their products. The workspace has all products and the whole of their sum,
    which the epilogue reads from there: it cannot have some blocks of it only, nor can the cube core leave it in UB,
    since it never has it. Where K has fewer tiles (the k of `l1`) than slices, each is a slice."""
    gemm, location = facts.epilogue.gemm, facts.epilogue.location
    if not isinstance(gemm, Gemm) or not is_int(gemm.split_k) or gemm.split_k < 2:
        return
    if gemm.split_k > MAX_SPLIT_K:
        yield Finding(
            tr(
                "gemm.split_k is at most {max_split_k}, but is {split_k}",
                max_split_k=MAX_SPLIT_K,
                split_k=short(gemm.split_k),
            ),
            location,
        )
    if gemm.workspace_stages:
        yield Finding(
            tr(
                "gemm.workspace_stages is {workspace_stages}, but with split_k the workspace has the whole accumulator",
                workspace_stages=short(gemm.workspace_stages),
            ),
            location,
            tr("leave workspace_stages out"),
        )
    if gemm.handoff == "ub":
        yield Finding(
            tr('gemm.handoff is "ub", but with split_k no cube core has the whole sum of a block'),
            location,
            tr('write handoff="gm", or leave it out'),
        )


@rule("EVT170", "The workspace cannot have so many blocks")
def workspace_stages(facts: Facts) -> Iterator[Finding]:
    """`Gemm.workspace_stages` is how many blocks of the accumulator the workspace has for each cube core, or 0 for the
    whole accumulator. The cube core sets a flag for each block that its vector cores have yet to read, and a flag
    counts to 15. Two blocks let both work at once, with a third neither waits where both take equally long; more take
    more of the L2 cache."""
    stages = getattr(facts.epilogue.gemm, "workspace_stages", None)
    if is_int(stages) and not 0 <= stages <= MAX_WORKSPACE_STAGES:
        yield Finding(
            tr(
                "gemm.workspace_stages is 0 to {max_workspace_stages}, but is {stages}",
                max_workspace_stages=MAX_WORKSPACE_STAGES,
                stages=short(stages),
            ),
            facts.epilogue.location,
            tr("leave it out: evtgen chooses"),
        )


@rule("EVT185", "The cube core cannot go through its blocks like this")
def policy(facts: Facts) -> Iterator[Finding]:
    """`Gemm.policy` is how the cube core goes from one block to the next: `"pingpong"`, one after the other, or
    `"preload_async"`, which loads the first tiles of the next block before this one waits for the vector cores. Both
    take the same types and tiles on every architecture. With `handoff="ub"` it is `"pingpong"`: there FIX waits alone,
    and loads go on in any case."""
    gemm, location = facts.epilogue.gemm, facts.epilogue.location
    given = getattr(gemm, "policy", None)
    if given is None or not isinstance(given, str):
        return
    if given not in POLICIES:
        yield Finding(
            tr(
                "gemm.policy is {policies}, but is {given}",
                policies=" or ".join(map(short, POLICIES)),
                given=short(given),
            ),
            location,
            suggest(given, POLICIES, aliases.POLICIES) or tr("leave it out: evtgen chooses"),
        )
    elif given == PRELOADING and getattr(gemm, "handoff", None) == "ub":
        yield Finding(
            tr(
                'gemm.policy is "{given}", but blocks that are stored in UB are multiplied one after the other',
                given=given,
            ),
            location,
            tr('write policy="{pingpong}" or handoff="gm", or leave either out: evtgen chooses', pingpong=PINGPONG),
        )
