"""How the accumulator reaches the vector cores: through a workspace in global memory, or stored in their UB.

In UB it takes the place of tiles, which get shorter, and is not loaded. With two blocks there the cube core stores one
while the vector cores still work on the other; with one, V waits while it is stored. Through global memory it goes to
the L2 cache and back. Chosen is what takes a sub-block the least time: by the formula of :mod:`.buffering`, or what its
traffic with the L2 cache takes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ..graph.ir import Epilogue, Gemm, Step, flatten
from ..graph.types import BANK_PERIOD
from ..nodes import AccDigits, AccLoad, ResidentAccLoad, node_of
from ..passes.analysis.columns import has_parts, with_halves
from ..passes.analysis.gemm import (
    PINGPONG,
    PRELOADING,
    WORKSPACE_STAGES,
    adds_slices,
    block_shape,
    casts_b,
    chosen,
    in_digits,
    subblock_rows,
)
from ..passes.analysis.tiles import feeds
from ..targets import Architecture
from .buffering import Buffered, buffered
from .cut import grain
from .parts import MAX_TILE_COLUMNS
from .vectors import with_vectors

UB_STAGES = (2, 1)
"""Blocks of the accumulator in UB: with two the cube core stores one while the vector cores work on the other."""

ABOUT_EQUAL = 1.03
"""What the way through global memory takes on the clock where the formula says 1 (``python -m benchmarks evg``)."""


@dataclass(frozen=True)
class Placed:
    """An epilogue with its accumulator's way chosen.

    Attributes:
        steps: the flattened graph, with the AccLoad that this way needs.
        gemm: the GEMM, nothing left open.
        tiles: its tiles.
        ub_workspace: bytes of UB that hold blocks of the accumulator.
        ub_limit: bytes of UB that are left to tiles; negative where the blocks alone do not fit.
    """

    steps: tuple[Step, ...]
    gemm: Gemm
    tiles: Buffered
    ub_workspace: int
    ub_limit: int

    @property
    def fits(self) -> bool:
        """Whether there is room for the tiles."""
        return self.tiles.length > 0 and self.tiles.cycles < math.inf

    def cycles(self, arch: Architecture) -> float:
        """From one sub-block to the next, in favour of UB where both take about equally long."""
        work, elements = self.tiles.work, subblock_rows(self.gemm, arch) * block_shape(self.gemm)[1]
        moved = elements * (2 * work.accumulator + work.loaded + work.stored) * arch.cube_cores * arch.vector_cores
        longest = max(self.tiles.cycles, moved / arch.costs["l2Bytes"])
        return longest if self.ub_workspace else longest * ABOUT_EQUAL


def placed(epilogue: Epilogue, arch: Architecture, taken: int | None = None) -> Placed:
    """The way of an epilogue's accumulator and its tiles, as given or chosen. Where nothing fits, it is not
    :attr:`~Placed.fits`, and the one that leaves most to tiles. ``taken`` bytes of UB hold blocks of the accumulator
    for another phase; by default as many as this one needs."""
    steps = with_vectors(with_halves(flatten(epilogue.root)), arch)
    gemm = chosen(epilogue.gemm, next((step.node.T for step in steps if isinstance(step.node, AccLoad)), None), arch)
    steps = tuple(_in_place(step, AccDigits) for step in steps) if in_digits(gemm) else steps
    ways = list(_ways(epilogue.gemm, gemm, steps, arch))
    all_placed = [_placed(epilogue, steps, way, arch, taken) for way in ways]
    fitting = (one for one in all_placed if one.fits)
    return min(fitting, key=lambda one: one.cycles(arch), default=all_placed[-1])


def placed_products(epilogue: Epilogue, arch: Architecture) -> Placed:
    """The way of the products of slices with scales, as given or chosen: through UB where it has room for two blocks,
    else through global memory. The formula does not decide: of few rows both take equally long on the clock, and of
    many the traffic of global memory is a third (docs/kernels.md)."""
    given = epilogue.gemm.handoff
    wide = block_shape(epilogue.gemm)[1] > MAX_TILE_COLUMNS
    ways = [("ub", stages) for stages in UB_STAGES if given == "ub" or (not given and stages > 1)]
    ways = [] if wide or not arch.stores_to_ub else ways
    ways += [("gm", WORKSPACE_STAGES)] if given != "ub" or not ways else []
    made = [
        placed(replace(epilogue, gemm=replace(epilogue.gemm, handoff=way, workspace_stages=stages)), arch)
        for way, stages in ways
    ]
    return next((one for one in made if one.fits), made[-1])


def of_sum(given: Gemm, gemm: Gemm) -> Gemm:
    """What was ``given`` for a chosen GEMM, as far as it says how the accumulator that the epilogue reads reaches it:
    products of slices with scales have a way of their own, and their sum lies in global memory."""
    return replace(given, handoff="gm") if adds_slices(gemm) else given


def _ways(given: Gemm, gemm: Gemm, steps: Sequence[Step], arch: Architecture) -> Iterator[Gemm]:
    """The ways that are open, the best first where they take equally long."""
    given = of_sum(given, gemm)
    is_read = any(isinstance(step.node, AccLoad) for step in steps)
    in_ub = splits(gemm, arch) and is_read and block_shape(gemm)[1] <= MAX_TILE_COLUMNS and given.workspace_stages != 0
    # Only through global memory the cube core adds up slices of K while vector cores widen B into a ring.
    in_ub = in_ub and (feeds(gemm, arch) or not casts_b(gemm))
    # Rows there are as far apart as those of a tile, which parts make shorter.
    in_ub = in_ub and not has_parts(steps)
    in_ub = in_ub and given.policy != PRELOADING and gemm.split_k == 1 and gemm.accumulators is None
    if given.handoff == "ub" or (given.handoff is None and in_ub):
        for stages in UB_STAGES if given.workspace_stages is None else (given.workspace_stages,):
            yield replace(gemm, handoff="ub", workspace_stages=stages, policy=PINGPONG)
    if given.handoff != "ub":
        yield replace(gemm, handoff="gm")


def splits(gemm: Gemm, arch: Architecture) -> bool:
    """Whether the cube core can split the product of a chosen GEMM between the UB of its vector cores: where it can
    store there at all, and only as it has summed it up (AscendC API reference, Fixpipe from L0C to UB: no conversion
    with two destinations)."""
    return arch.stores_to_ub and gemm.a is not None and gemm.b is not None and gemm.c == arch.mmad.get((gemm.a, gemm.b))


def _placed(
    epilogue: Epilogue, steps: tuple[Step, ...], gemm: Gemm, arch: Architecture, given: int | None = None
) -> Placed:
    taken, waited = given or 0, 0.0
    if gemm.handoff == "ub" and given is None:
        steps = tuple(_in_place(step, ResidentAccLoad) for step in steps)
        block = block_bytes(gemm, steps, arch)
        taken = block * (gemm.workspace_stages or 0)
        if gemm.workspace_stages == 1:
            waited = arch.costs["localLatency"] + block * arch.vector_cores * 10 / arch.costs["l0cUb10"]
    limit = arch.ub_usable - taken
    return Placed(steps, gemm, buffered(replace(epilogue, gemm=gemm), steps, arch, limit, waited), taken, limit)


def _in_place(step: Step, kind: type[AccLoad]) -> Step:
    """A step with another kind of load of the accumulator, if it is one."""
    node = step.node
    if not isinstance(node, AccLoad):
        return step
    return replace(step, node=kind(node.T, node.index, location=node.location))


def block_bytes(gemm: Gemm, steps: Sequence[Step], arch: Architecture) -> int:
    """Bytes of UB of a vector core's rows of a block, each as long as that of a tile (``BLOCK_BYTES`` of
    accumulator_handoff.hpp)."""
    assert gemm.c is not None
    rows, align = subblock_rows(gemm, arch), grain(node_of(step) for step in steps).columns
    size = rows * -(-block_shape(gemm)[1] // align) * align * gemm.c.size
    return -(-size // BANK_PERIOD) * BANK_PERIOD
