"""Cycles of a kernel by a formula: what orders the kernels that are worth a compilation. The clock decides.

The blocks go over the cores in waves. A block takes the cube core the longest of its copies into L1 and its products,
then the store of C, and then its vector cores the time of their tiles by :mod:`evtgen.planner.buffering`. From one wave
to the next it is the longest of these, for each goes on beside the others; or the time in which a place of the
workspace is held, over the number of places. The cores of a wave share global memory, which gives A and B once, and the
L2 cache; in the last wave fewer share them. A narrow B is widened before, or beside (:func:`_widened`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from ..graph.shapes import GEMM_A, GEMM_B, Problem, TensorShape
from ..nodes import node_of
from ..passes.analysis.gemm import DIGITS, PRELOADING, block_shape, in_digits, subblock_rows
from ..planner.buffering import work_of
from ..planner.cut import grain, tile_shape
from ..planner.plan import Plan

_Part = tuple[float, float, float]
"""Rows, columns and K of a block, or of one slice of it."""


class _Pair(NamedTuple):
    """Bytes of A and of B."""

    a: float
    b: float


_AHEAD = 50
"""Cycles that a tile in L1 takes longer, about, where the next one is loaded ahead."""

_AT_ONCE = 1024
"""Elements of a line of B that are widened at once (``WIDENED_AT_ONCE`` of visitor_widening.hpp)."""

_SLICE = 300
"""Cycles in which a slice of a ring is handed over, about: the vector cores tell, and the cube cores meet."""

_MEETING = 500
"""Cycles of a meeting of all vector cores, about."""


def estimated(plan: Plan, problem: Problem, cores: int | None = None) -> float:
    """Cycles of ``plan`` at a problem, on so many cube cores."""
    cores = cores or plan.arch.cube_cores
    blocks, slices = _blocks(plan, problem)
    rows, columns = block_shape(plan.gemm)
    across = -(-problem.n // columns)
    down = max(1, blocks // across)
    # Blocks at the edges are smaller: of as many as there are, each has its share.
    m, n = max(1.0, problem.m / down), problem.n / across
    count, k = blocks * slices, problem.k / slices
    whole = min(rows, max(problem.rows)), min(columns, problem.n)
    fetched = _Pair(*(of / count for of in _read(plan, problem)))
    depth = plan.mmad_tiles[0][2]
    longest = min(problem.k, -(-problem.k // depth // slices) * depth)  # slices are of whole tiles
    in_rows = plan.rows if plan.has_whole_rows(problem.n) else None
    first, *later = plan.phases if in_rows is None else (in_rows,)
    full, rest = divmod(count - min(count, cores), cores)
    waves = [(1, min(count, cores), (*whole, longest)), (full, cores, (m, n, k)), (min(rest, 1), rest, (*whole, k))]
    passes = [
        _Pass(
            times,
            _busy(plan, part, fetched, active, down, together=not number),
            _stored(plan, part),
            _vector(first, *part[:2]) if slices == 1 else 0.0,
            _widened(plan, problem, part, active, cores),
        )
        for number, (times, active, part) in enumerate(waves)
        if times
    ]
    costs = plan.arch.costs
    latency = costs["loadLatency"] + costs["storeLatency"]
    total = _in_turn(plan, passes) + latency
    if plan.widening is not None:
        total += latency + _widened_first(plan, problem, passes[0].widened, cores)
    if slices > 1:
        total += _vector(first, *whole) + (-(-blocks // cores) - 1) * _vector(first, m, n)
        total += _MEETING + problem.m * problem.n * 4 * (slices + 1) / costs["l2Bytes"]
    return total + sum(_MEETING + -(-blocks // cores) * _vector(phase, m, n) for phase in later)


class _Pass(NamedTuple):
    """Waves of blocks that are alike: how many, and the cycles of each for the loads and products of its blocks, for
    their stores, and for the vector cores; of these besides for a B that they widen meanwhile."""

    waves: int
    busy: float
    stored: float
    vector: float
    widened: float


def _in_turn(plan: Plan, passes: Sequence[_Pass]) -> float:
    """Cycles of all waves: of the last alone, and from each other one to the next."""
    places = plan.gemm.workspace_stages or math.inf
    waits = plan.gemm.policy != PRELOADING and not plan.ub_workspace  # for a place, before it loads

    def period(one: _Pass) -> float:
        held = one.stored + one.vector + (one.busy if waits else 0)
        return max(one.busy, one.stored, one.vector + one.widened, held / places)

    last = passes[-1]
    alone = max(last.busy, last.widened) + last.stored + last.vector
    return sum(one.waves * period(one) for one in passes) - period(last) + alone


def _has_ring(plan: Plan, problem: Problem) -> bool:
    """Whether a B goes through a ring (``IsRing`` of visitor_widening.hpp)."""
    gemm, rows = plan.gemm, block_shape(plan.gemm)[0]
    if plan.widening is None or plan.feeds or len(plan.graphs) > 1 or problem.m > rows * len(problem.rows):
        return False
    in_blocks = bool(gemm.workspace_stages) and not plan.ub_workspace and gemm.policy != PRELOADING
    return in_blocks and plan.element_c == plan.arch.mmad[plan.operands]


def _widened(plan: Plan, problem: Problem, part: _Part, active: int, cores: int) -> float:
    """Cycles of a vector core for its share of the B of a wave that is widened beside the products: of its own block if
    that goes to L1, of all blocks if it goes through a ring; the L2 cache then has it stored and loaded, too."""
    (a, b), (_, n, k), depth, each = plan.operands, part, plan.mmad_tiles[0][2], plan.arch.vector_cores
    if plan.feeds:
        return _widening(plan, k * n / each, depth * n / each, active)
    if not _has_ring(plan, problem):
        return 0.0
    all_of = k * n * active
    moved = all_of * (b.size / b.packed + 2 * a.size) / plan.arch.costs["l2Bytes"]
    stored = -(-k // depth) * _stored(plan, part)  # each slice
    lines = -(-depth // (cores * each))
    return max(_widening(plan, all_of / cores / each, lines * _AT_ONCE, cores), moved, stored) + -(-k // depth) * _SLICE


def _widened_first(plan: Plan, problem: Problem, wave: float, cores: int) -> float:
    """Cycles until the cube cores can begin: of a slice, or of all that a matmul multiplies and all vector cores then
    meet. ``wave``: of what is widened beside the products in the first wave."""
    if wave:
        return wave * plan.mmad_tiles[0][2] / max(problem.k, plan.mmad_tiles[0][2])
    (a, b), costs = plan.operands, plan.arch.costs
    count = problem.k * problem.n * problem.size(GEMM_B, TensorShape.ROW)[0]
    read = count * b.size / b.packed
    # What the L2 cache has no room for is written back meanwhile.
    memory = costs["readBytes"] if read + count * a.size < costs["l2Size"] << 20 else costs["globalBytes"] / 2
    return max(_widening(plan, count / cores / plan.arch.vector_cores, math.inf, cores), read / memory) + _MEETING


def _widening(plan: Plan, elements: float, most: float, active: int) -> float:
    """Cycles of a vector core for so many elements of B, in tiles of at most ``most``, while those of so many cube
    cores widen: what it stores goes no further than to the L2 cache."""
    graph = plan.widening
    assert graph is not None
    if not elements:
        return 0.0
    tile = min(graph.compute_length, most, elements)
    work = replace(work_of(graph.ub.plan, graph.steps, graph.arch), stored=0)
    return elements / tile * work.cycles(tile, graph.buffers, replace(graph.arch, cube_cores=active))


def units(plan: Plan, problem: Problem) -> int:
    """Blocks of C that cube cores compute, or slices of them."""
    blocks, slices = _blocks(plan, problem)
    return blocks * slices


def _blocks(plan: Plan, problem: Problem) -> tuple[int, int]:
    """Blocks of C, and the slices of each."""
    rows, columns = block_shape(plan.gemm)
    slices = min(plan.gemm.split_k, -(-problem.k // plan.mmad_tiles[0][2]))
    return sum(-(-m // rows) for m in problem.rows) * -(-problem.n // columns), slices


def _busy(plan: Plan, part: _Part, fetched: _Pair, active: int, down: int, *, together: bool) -> float:
    """Cycles of a cube core for the copies and products of one block, or one slice of it, while so many cores work.

    ``fetched``: bytes of A and of B for each that come from global memory. Those that begin ``together`` begin with the
    same rows of A, which one of them fetches. Blocks that are loaded ahead begin with different tiles of K, so of their
    first tile less is there than of the others. ``down``: how many blocks have the same columns of B."""
    costs, (a, b), many, (m, n, k) = plan.arch.costs, plan.operands, plan.accumulators, part
    of_b = b if plan.widening is None else a
    a, m = (b, m * DIGITS) if in_digits(plan.gemm) else (a, m)
    of_a = k * m * a.size / a.packed
    from_gm = 0 if plan.feeds else k * n * of_b.size / of_b.packed
    loaded = many * (of_a + from_gm)  # A once for each product
    deep, port, memory = -(-k // plan.mmad_tiles[0][2]), costs["l1In10"] / 10, costs["readBytes"] / active
    copied, from_memory = loaded / port, sum(fetched) / memory
    if plan.gemm.policy == PRELOADING:
        apart = fetched.a * min(active / down, deep) + fetched.b * min(active, down, deep)
        copied += max(0.0, apart / memory - copied) / deep + _AHEAD * deep
    elif together:
        from_memory = fetched.b / memory + of_a / port
    load = max(copied, from_memory, loaded * active / costs["l2Bytes"])
    # Fractals are whole, and half a fractal costs as much as one.
    products = many * -(-m // 16) * -(-n // 16) * 256 * k * plan.product / costs["macs"]
    starts = deep * costs["copyStartup"] + -(-k // plan.mmad_tiles[1][2]) * costs["localLatency"]
    return max(load, products + starts)


def _stored(plan: Plan, part: _Part) -> float:
    """Cycles of a cube core for the store of one block."""
    (rows, columns), (m, n, _), costs = block_shape(plan.gemm), part, plan.arch.costs
    many = DIGITS if in_digits(plan.gemm) else plan.accumulators
    moved = many * min(m, rows) * min(n, columns) * plan.element_c.size
    return moved * 10 / costs["l0cOut10"] + costs["storeLatency"]


def _read(plan: Plan, problem: Problem) -> tuple[float, float]:
    """Bytes of A and of B, which global memory gives the cube cores at least once; a widened B comes from elsewhere."""
    (a, b), several = plan.operands, plan.accumulators * problem.n
    rows, parts = problem.size(GEMM_A, TensorShape.COLUMN)[0], problem.size(GEMM_B, TensorShape.ROW)[0]
    of_b = 0.0 if plan.widening else problem.k * parts * several * b.size / b.packed
    return problem.k * rows * a.size / a.packed, of_b


def _vector(plan: Plan, m: float, n: float) -> float:
    """Cycles of a vector core for its rows of one block."""
    nodes = [node_of(step) for step in plan.steps]
    rows, columns = subblock_rows(plan.gemm, plan.arch), block_shape(plan.gemm)[1]
    height, width = tile_shape(rows, columns, plan.compute_length, plan.buffers, grain(nodes))
    own = max(1.0, m / plan.arch.vector_cores)
    tiles = max(1.0, own / height) * max(1.0, n / width)
    return tiles * work_of(plan.ub.plan, plan.steps, plan.arch).cycles(own * n / tiles, plan.buffers, plan.arch)
