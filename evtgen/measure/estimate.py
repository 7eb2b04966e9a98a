"""Cycles of a kernel by a formula: what orders the kernels that are worth a compilation. The clock decides.

A block takes the cube core the longest of its copies into L1 and its products, and then the store of C, which goes on
beside the next block where that is loaded ahead; its vector cores take the time of their tiles by
:mod:`evtgen.planner.buffering`. The blocks go over the cores in waves. The cores of a wave share global memory, which
gives A and B once, and the L2 cache; in the last wave fewer share them. Both kinds of cores work at once where
the workspace has two blocks or more.
"""

from __future__ import annotations

from ..graph.shapes import GEMM_A, GEMM_B, Problem, TensorShape
from ..nodes import node_of
from ..passes.analysis.gemm import DIGITS, PRELOADING, block_shape, in_digits, subblock_rows
from ..planner.buffering import work_of
from ..planner.cut import grain, tile_shape
from ..planner.plan import Plan

_Part = tuple[float, float, float]
"""Rows, columns and K of a block, or of one slice of it."""

_AHEAD = 130
"""Cycles that a tile in L1 takes longer, about, where the next one is loaded ahead."""

_MEETING = 500
"""Cycles of a meeting of all vector cores, about."""


def estimated(plan: Plan, problem: Problem, cores: int | None = None) -> float:
    """Cycles of ``plan`` at a problem, on so many cube cores."""
    cores = cores or plan.arch.cube_cores
    blocks, slices = _blocks(plan, problem)
    rows, columns = block_shape(plan.gemm)
    across = -(-problem.n // columns)
    # Blocks at the edges are smaller: of as many as there are, each has its share.
    m = max(1.0, problem.m / max(1, blocks // across))
    n = problem.n / across
    count, k = blocks * slices, problem.k / slices
    waves = -(-count // cores)
    whole = min(rows, max(problem.rows)), min(columns, problem.n)
    of_a, of_b = _read(plan, problem)
    depth = plan.mmad_tiles[0][2]
    longest = min(problem.k, -(-problem.k // depth // slices) * depth)  # slices are of whole tiles
    cube = _cubes(plan, (*whole, longest), (m, n, k), (of_a / count, of_b / count), count=count, cores=cores)
    in_rows = plan.rows if plan.has_whole_rows(problem.n) else None
    first, *later = plan.phases if in_rows is None else (in_rows,)
    alone = waves if slices == 1 else -(-blocks // cores)
    vector = _vector(first, *whole) + (alone - 1) * _vector(first, m, n)
    stages = plan.gemm.workspace_stages
    overlap = slices == 1 and (stages != 1 or plan.gemm.policy == PRELOADING or bool(plan.ub_workspace))
    total = max(cube, vector) + min(cube, vector) / max(1, alone) if overlap else cube + vector
    if slices > 1:
        costs = plan.arch.costs
        total += _MEETING + problem.m * problem.n * 4 * (slices + 1) / costs["l2Bytes"]
    return total + sum(_MEETING + -(-blocks // cores) * _vector(phase, m, n) for phase in later)


def units(plan: Plan, problem: Problem) -> int:
    """Blocks of C that cube cores compute, or slices of them."""
    blocks, slices = _blocks(plan, problem)
    return blocks * slices


def _blocks(plan: Plan, problem: Problem) -> tuple[int, int]:
    """Blocks of C, and the slices of each."""
    rows, columns = block_shape(plan.gemm)
    slices = min(plan.gemm.split_k, -(-problem.k // plan.mmad_tiles[0][2]))
    return sum(-(-m // rows) for m in problem.rows) * -(-problem.n // columns), slices


def _cubes(plan: Plan, whole: _Part, share: _Part, fetched: tuple[float, float], *, count: int, cores: int) -> float:
    """Cycles of the cube cores for so many blocks, or slices of them: in the first wave one core has a whole one.
    ``fetched``: bytes of A and of B for each that come from global memory."""
    first = min(count, cores)
    full, rest = divmod(count - first, cores)
    ahead = plan.gemm.policy == PRELOADING
    waves = [
        (1, _busy(plan, whole, fetched, first, together=not ahead), _stored(plan, whole)),
        (full, _busy(plan, share, fetched, cores), _stored(plan, share)),
        (min(rest, 1), _busy(plan, share, fetched, rest), _stored(plan, share)),
    ]
    if not ahead:
        return sum(times * (busy + stored) for times, busy, stored in waves)
    # The store of a block goes on beside the next one.
    _, last, stored = next(wave for wave in reversed(waves) if wave[0])
    return sum(times * max(busy, stored) for times, busy, stored in waves) + min(last, stored)


def _busy(plan: Plan, part: _Part, fetched: tuple[float, float], active: int, *, together: bool = False) -> float:
    """Cycles of a cube core for the copies and products of one block, or one slice of it, while so many cores work.
    Those that begin ``together`` begin with the same rows of A, which one of them fetches; blocks that are loaded ahead
    begin apart."""
    costs, (a, b), many, (m, n, k) = plan.arch.costs, plan.operands, plan.accumulators, part
    of_b = b if plan.widening is None else a
    a, m = (b, m * DIGITS) if in_digits(plan.gemm) else (a, m)
    of_a = k * m * a.size / a.packed
    loaded = of_a + k * many * n * of_b.size / of_b.packed
    if together:
        from_memory = fetched[1] * active / costs["readBytes"] + of_a * 10 / costs["l1In10"]
    else:
        from_memory = sum(fetched) * active / costs["readBytes"]
    deep = -(-k // plan.mmad_tiles[0][2])
    copied = loaded * 10 / costs["l1In10"] + (_AHEAD * deep if plan.gemm.policy == PRELOADING else 0)
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
    """Bytes of A and of B, which global memory gives at least once."""
    (a, b), several = plan.operands, plan.accumulators * problem.n
    rows, parts = problem.size(GEMM_A, TensorShape.COLUMN)[0], problem.size(GEMM_B, TensorShape.ROW)[0]
    return problem.k * rows * a.size / a.packed, problem.k * parts * several * b.size / b.packed


def _vector(plan: Plan, m: float, n: float) -> float:
    """Cycles of a vector core for its rows of one block."""
    nodes = [node_of(step) for step in plan.steps]
    rows, columns = subblock_rows(plan.gemm, plan.arch), block_shape(plan.gemm)[1]
    height, width = tile_shape(rows, columns, plan.compute_length, plan.buffers, grain(nodes))
    own = max(1.0, m / plan.arch.vector_cores)
    tiles = max(1.0, own / height) * max(1.0, n / width)
    return tiles * work_of(plan.ub.plan, plan.steps, plan.arch).cycles(own * n / tiles, plan.buffers, plan.arch)
