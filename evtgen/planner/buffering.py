"""How much at once: how many tiles are in flight, and how long they are.

More buffers hide more of what a tile waits for, and make the tiles shorter, so that the fixed costs of instructions
weigh more. The number is the one with which a sub-block, a vector core's rows of a block, takes least time, by a
formula over the plan of a tile. With a tile of e elements, b buffers, and the costs of the architecture's table:

- MTE2 takes L, MTE3 takes S, V takes C, and the traffic of all cores with global memory takes G: at least the longest
  of these lies between two tiles. The accumulator comes from the L2 cache.
- A buffer is not loaded again before its last COMPUTE is done, nor computed again before its last STORE is done:
  L + C and C + S, with the latencies of loads and stores, come round once in b tiles; where a STORE reads what LOAD
  fills, L + C + S.

``python -m benchmarks buffers`` compares the choice with an exhaustive search on the clock.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..graph.ir import Epilogue, Step
from ..graph.types import REPEAT_BYTES
from ..nodes import (
    AccDigits,
    AccLoad,
    AuxGather,
    AuxLoad,
    AuxScatter,
    AuxStore,
    BlockReduced,
    ColReduced,
    Compute,
    HeadBroadcast,
    Position,
    Reduce,
    VisitorNode,
    node_of,
)
from ..operators.declaration import Atomic
from ..passes.analysis.gemm import DIGITS, block_shape, subblock_rows
from ..passes.analysis.instructions import calls
from ..targets import Architecture
from .cut import grain, tile_shape
from .parts import granule, traits_of
from .tile import TilePlan, UbMap, fitting_length, plan_tile, ub_map

LANES = {atomic.lanes for atomic in Atomic}
"""The calls that reduce the lanes of each repeat to one value."""

FOLDED = 4
"""The repeats of a row, of 256 columns of float: so many become one before V reduces its lanes, and an operator that
reads a vector where it lies makes a call for each."""

UNEVEN = 1.015
"""A third buffer may cost so much by the formula. It takes even times for copies; on the clock a third buffer makes up
for uneven ones, by up to 6 % where memory limits at 4096 x 4096 x 64."""

HALVINGS = 5
"""How often a reduction issues its calls for a tile, each time over half of what is left: 32 rows become one. So does a
position, the other way round."""


@dataclass(frozen=True)
class Work:
    """What one tile asks of the pipes of a vector core.

    Attributes:
        accumulator, loaded, stored: bytes per element, of C, of other matrices, of outputs.
        start: cycles that V takes to start the tile's instructions.
        compute: cycles that V takes per element besides.
        stores_loaded: whether a STORE reads what LOAD fills.
    """

    accumulator: int
    loaded: int
    stored: int
    start: float
    compute: float
    stores_loaded: bool

    def cycles(self, length: float, buffers: int, arch: Architecture, waited: float = 0.0) -> float:
        """From one tile of ``length`` elements to the next, while all vector cores work alike. In each, V waits
        ``waited`` cycles for the accumulator."""
        cost = arch.costs
        cores = arch.cube_cores * arch.vector_cores
        through = cost["globalBytes"] / cores
        read = min(cost["ubIn10"] / 10, cost["readBytes"] / cores)
        written = min(cost["ubOut10"] / 10, through)
        load = cost["copyStartup"] + length * (self.accumulator * 10 / cost["ubIn10"] + self.loaded / read)
        store = cost["copyStartup"] + length * self.stored / written
        compute = self.start + length * self.compute + waited
        traffic = length * (self.loaded + self.stored) / through
        refill = load + cost["loadLatency"] + compute
        drain = compute + store + cost["storeLatency"]
        held = refill + drain - compute if self.stores_loaded else max(refill, drain)
        return max(load, store, compute, traffic, held / buffers)


class Taken(NamedTuple):
    """What an epilogue takes for each element of C, in all its phases.

    Attributes:
        bytes: of matrices that it moves in global memory.
        vector: cycles of V.
        cycles: of the pipe, or the memory, that is the slowest in each phase.
    """

    bytes: int
    vector: float
    cycles: float


def work_of(plan: TilePlan, steps: Sequence[Step], arch: Architecture) -> Work:
    """The work of a tile of these steps, of which ``plan`` is the plan."""
    nodes = [node_of(step) for step in steps]
    start, compute = map(sum, zip(*(vector_work(step, arch) for step in steps), strict=True))
    return Work(
        accumulator=sum(
            n.element.size * (DIGITS if isinstance(n, AccDigits) else 1)
            for n in nodes
            if isinstance(n, AccLoad) and traits_of(n).loaded
        ),
        loaded=sum(step.node.T.size for step in steps if isinstance(step.node, AuxLoad | AuxGather | HeadBroadcast)),
        stored=sum(step.node.T.size for step in steps if isinstance(step.node, AuxStore | AuxScatter)),
        start=start,
        compute=compute,
        stores_loaded=plan.stores_loaded,
    )


def vector_work(step: Step, arch: Architecture) -> tuple[float, float]:
    """Cycles that V takes to start a step's instructions for a tile, and for each element besides."""
    if isinstance(step.node, ColReduced) and step.node.vector is not None:
        step = Step(step.node.reduce, step.inputs)  # of whole tiles, though its own is short
    start = compute = 0.0
    times = HALVINGS if isinstance(step.node, (Position, Reduce)) else 1
    if isinstance(step.node, Compute) and step.node.reads:
        times = FOLDED
    # The lanes of a row are folded before, those of a block as far as it has more than a repeat.
    folded = step.node.block * step.node.T.size / REPEAT_BYTES if isinstance(step.node, BlockReduced) else FOLDED
    # A vector is short beside its tile.
    is_whole = node_of(step).vector is None
    for call, element in calls(step):
        price = arch.price(call)
        lanes = call in LANES
        start += price.start * (1 if lanes else times)
        if is_whole or call == "Copy":
            compute += price.repeat * element.size / REPEAT_BYTES / (folded if lanes else 1)
    return start, compute


class Buffered(NamedTuple):
    """The tiles of an epilogue.

    Attributes:
        ub: the plan of a tile, laid out in UB.
        length: elements of a tile; 0 where none fits.
        cycles: from one sub-block to the next, by the formula, with the best number of buffers by it; infinite where
            nothing fits.
        work: what each element of a tile takes.
    """

    ub: UbMap
    length: int
    cycles: float
    work: Work


def buffered(
    epilogue: Epilogue, steps: Sequence[Step], arch: Architecture, limit: int, waited: float = 0.0
) -> Buffered:
    """The tiles of the flattened graph of an epilogue whose GEMM is chosen, in ``limit`` bytes of UB. Their length and
    the number of buffers are as the epilogue gives them, or chosen. V waits ``waited`` cycles in each sub-block for the
    accumulator.

    Chosen are two buffers or more; one only where not even the shortest tiles fit UB twice. Where nothing fits, the
    least that there is to choose, and 0 elements unless their number is given; the layout is then that of the shortest
    tile.
    """
    nodes = [node_of(step) for step in steps]
    plan = plan_tile(nodes, [step.inputs for step in steps])
    rows, columns = subblock_rows(epilogue.gemm, arch), block_shape(epilogue.gemm)[1]
    work, cut = work_of(plan, steps, arch), grain(nodes)

    def cycles(choice: tuple[int, int]) -> float:
        buffers, length = choice
        height, width = tile_shape(rows, columns, length, buffers, cut)
        tiles = math.ceil(rows / height) * math.ceil(columns / width)
        return tiles * work.cycles(rows * columns / tiles, buffers, arch, waited / tiles)

    given, length = epilogue.buffers, epilogue.compute_length
    counts = [given] if isinstance(given, int) else range(2, arch.event_ids + 1)
    shortest = cut.shortest(columns)
    fitting = [choice for choice in _fitting(counts, plan, nodes, length, limit) if choice[1] >= shortest]
    if not fitting and isinstance(given, str) and isinstance(length, str):
        counts = [1]
        fitting = [choice for choice in _fitting(counts, plan, nodes, length, limit) if choice[1] >= shortest]
    least = counts[0], length if isinstance(length, int) else 0
    count, longest = min(fitting, key=cycles, default=least)
    time = cycles((count, longest)) if fitting else math.inf
    if count == 2:
        third = (choice for choice in fitting if choice[0] == 3 and cycles(choice) <= UNEVEN * time)
        count, longest = next(third, (2, longest))
    ub = ub_map(plan, nodes, longest or granule(nodes), count)
    return Buffered(ub, longest, time, work)


def _fitting(
    counts: Sequence[int], plan: TilePlan, nodes: Sequence[VisitorNode], length: int | str, limit: int
) -> Iterator[tuple[int, int]]:
    """Of these numbers of buffers those that fit ``limit`` bytes, each with its length."""
    for count in counts:
        if isinstance(length, str):
            if longest := fitting_length(plan, nodes, limit, count):
                yield count, longest
        elif ub_map(plan, nodes, length, count).used <= limit:
            yield count, length
