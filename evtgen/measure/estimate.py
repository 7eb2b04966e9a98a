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
from ..passes.analysis.gemm import PRELOADING, block_shape, subblock_rows
from ..planner.buffering import work_of
from ..planner.cut import grain, tile_shape
from ..planner.plan import Plan

_MEETING = 4_000
"""Cycles of a meeting of all vector cores, about."""


def estimated(plan: Plan, problem: Problem, cores: int | None = None) -> float:
    """Cycles of ``plan`` at a problem, on so many cube cores."""
    cores = cores or plan.arch.cube_cores
    rows, columns = block_shape(plan.gemm)
    depth = plan.mmad_tiles[0][2]
    slices = min(plan.gemm.split_k, -(-problem.k // depth))
    across = -(-problem.n // columns)
    blocks = sum(-(-m // rows) for m in problem.rows) * across
    # Blocks at the edges are smaller: of as many as there are, each has its share.
    m = max(1.0, problem.m / max(1, blocks // across))
    n = problem.n / across
    units = blocks * slices
    waves = -(-units // cores)
    fetched = _read(plan, problem) / units
    part = (m, n, problem.k / slices)
    full, rest = divmod(units, cores)
    cube = full * _cube(plan, part, fetched, cores) + (_cube(plan, part, fetched, rest) if rest else 0)
    if plan.gemm.policy != PRELOADING:
        # All begin with the same rows of A, which one of them fetches; blocks that are loaded ahead begin apart.
        cube += m * part[2] * plan.operands[0].size * 10 / plan.arch.costs["l1In10"]
    in_rows = plan.rows if plan.has_whole_rows(problem.n) else None
    first, *later = plan.phases if in_rows is None else (in_rows,)
    alone = waves if slices == 1 else -(-blocks // cores)
    vector = alone * _vector(first, m, n)
    stages = plan.gemm.workspace_stages
    overlap = slices == 1 and (stages != 1 or plan.gemm.policy == PRELOADING or bool(plan.ub_workspace))
    total = max(cube, vector) + min(cube, vector) / max(1, alone) if overlap else cube + vector
    if slices > 1:
        costs = plan.arch.costs
        total += _MEETING + problem.m * problem.n * 4 * (slices + 1) / costs["l2Bytes"]
    return total + sum(_MEETING + -(-blocks // cores) * _vector(phase, m, n) for phase in later)


def _cube(plan: Plan, part: tuple[float, float, float], fetched: float, active: int) -> float:
    """Cycles of the cube core for one block, or one slice of it, of which ``fetched`` bytes come from global memory,
    while so many cores work."""
    costs, (a, b), many, (m, n, k) = plan.arch.costs, plan.operands, plan.accumulators, part
    (rows, columns), (_, _, depth) = block_shape(plan.gemm), plan.mmad_tiles[0]
    of_b = b if plan.widening is None else a
    loaded = k * (m * a.size / a.packed + many * n * of_b.size / of_b.packed)
    load = max(loaded * 10 / costs["l1In10"], fetched * active / costs["readBytes"], loaded * active / costs["l2Bytes"])
    # Fractals are whole, and half a fractal costs as much as one.
    products = many * -(-m // 16) * -(-n // 16) * 256 * k * plan.product / costs["macs"]
    starts = -(-k // depth) * costs["copyStartup"] + -(-k // plan.mmad_tiles[1][2]) * costs["localLatency"]
    stored = many * min(m, rows) * min(n, columns) * plan.element_c.size * 10 / costs["l0cOut10"]
    stored += costs["storeLatency"]
    busy = max(load, products + starts)
    return max(busy, stored) if plan.gemm.policy == PRELOADING else busy + stored


def _read(plan: Plan, problem: Problem) -> float:
    """Bytes of A and B, which global memory gives at least once."""
    (a, b), several = plan.operands, plan.accumulators * problem.n
    rows, parts = problem.size(GEMM_A, TensorShape.COLUMN)[0], problem.size(GEMM_B, TensorShape.ROW)[0]
    return problem.k * (rows * a.size / a.packed + parts * several * b.size / b.packed)


def _vector(plan: Plan, m: float, n: float) -> float:
    """Cycles of a vector core for its rows of one block."""
    nodes = [node_of(step) for step in plan.steps]
    rows, columns = subblock_rows(plan.gemm, plan.arch), block_shape(plan.gemm)[1]
    height, width = tile_shape(rows, columns, plan.compute_length, plan.buffers, grain(nodes))
    own = max(1.0, m / plan.arch.vector_cores)
    tiles = max(1.0, own / height) * max(1.0, n / width)
    return tiles * work_of(plan.ub.plan, plan.steps, plan.arch).cycles(own * n / tiles, plan.buffers, plan.arch)
