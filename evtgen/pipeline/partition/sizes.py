"""The matmul of a kernel: its size, and the tiles for it where that is fixed."""

from __future__ import annotations

import math
from dataclasses import replace

from ...check import planned
from ...frontend.dispatch import Fields, applied
from ...graph.shapes import Shape
from ...kernels import Matmuls
from ...measure.fitting import fitted
from ...measure.space import identity
from .graphs import FIXED, example
from .grow import Grown

Known = dict[tuple[str, Shape, int | None], Fields]
"""The tiles of graphs at sizes."""


def size_of(found: Grown) -> tuple[Shape, int | None]:
    """(M, N, K) at the examples, and how many matmuls there are, if there is a batch of them."""
    (*lead, rows, columns), k = _extents(found)
    count, gemm = math.prod(map(example, lead)), found.plan.gemm
    n = example(columns) // (2 if gemm.accumulators == "halves" else 1)
    shape = example(rows) * (1 if gemm.batch else count), n, example(k) * found.plan.operands[0].packed
    return shape, count if gemm.batch else None


def with_tiles(found: Grown, known: Known) -> Grown:
    """A kernel with the tiles for the one size that it has, unless others have been chosen for any size, or the sizes
    of groups are in a list."""
    extents, k = _extents(found)
    if found.plan.kernel.several == "groups" or not all(isinstance(size, int) for size in (*extents, k)):
        return found
    shape, batch = size_of(found)
    key = identity(replace(found.epilogue, name="")), shape, batch
    if key not in known:
        problem = found.plan.problem(shape, Matmuls(batch=batch))
        known[key], _ = fitted(found.epilogue, found.plan, problem)
    epilogue = applied(found.epilogue, known[key])
    plan, _ = planned(epilogue)
    assert plan is not None
    return replace(found, epilogue=epilogue, plan=plan)


def _extents(found: Grown) -> tuple[list[int], int]:
    """Those of the product, and of K."""
    product = found.chosen.products[0]
    depth = product.a.meta[FIXED].shape[-2 if product.a_transposed else -1]
    return [*product.node.meta[FIXED].shape], depth
