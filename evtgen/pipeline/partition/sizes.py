"""The matmuls of kernels: their sizes, and the tiles for these where they are fixed."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace

from ...check import planned
from ...frontend.dispatch import Fields, applied
from ...graph.ir import Epilogue
from ...graph.shapes import Problem, Shape
from ...kernels import Matmuls
from ...measure.fitting import fitted
from ...measure.space import identity
from ...model.workers import each
from ...planner.plan import Plan
from .graphs import FIXED, example
from .grow import Grown


def size_of(found: Grown) -> tuple[Shape, int | None]:
    """(M, N, K) at the examples, and how many matmuls there are, if there is a batch of them."""
    (*lead, rows, columns), k = _extents(found)
    count, gemm = math.prod(map(example, lead)), found.plan.gemm
    n = example(columns) // (2 if gemm.accumulators == "halves" else 1)
    shape = example(rows) * (1 if gemm.batch else count), n, example(k) * found.plan.operands[0].packed
    return shape, count if gemm.batch else None


def with_tiles(found: Sequence[Grown], executor: Executor | None) -> Iterator[Grown]:
    """Kernels with the tiles for the one size that each has, unless others have been chosen for any size, or the sizes
    of groups are in a list. Each graph at each size is a job."""
    keys = [(identity(replace(one.epilogue, name="")), *size_of(one)) if _is_fixed(one) else None for one in found]
    jobs = {
        key: (one.epilogue, one.plan, one.plan.problem(key[1], Matmuls(batch=key[2])))
        for key, one in zip(keys, found, strict=True)
        if key is not None
    }
    tiles = dict(zip(jobs, each(_tiles, jobs.values(), executor, threads=1), strict=True))
    for key, one in zip(keys, found, strict=True):
        if key is None or not tiles[key]:
            yield one
            continue
        epilogue = applied(one.epilogue, tiles[key])
        plan, _ = planned(epilogue)
        assert plan is not None
        yield replace(one, epilogue=epilogue, plan=plan)


def _tiles(job: tuple[Epilogue, Plan, Problem]) -> Fields:
    return fitted(*job)[0]


def _is_fixed(found: Grown) -> bool:
    extents, k = _extents(found)
    return found.plan.kernel.several != "groups" and all(isinstance(size, int) for size in (*extents, k))


def _extents(found: Grown) -> tuple[list[int], int]:
    """Those of the product, and of K."""
    product = found.chosen.products[0]
    depth = product.a.meta[FIXED].shape[-2 if product.a_transposed else -1]
    return [*product.node.meta[FIXED].shape], depth
