"""The operands of one run: drawn at random, the same for the same seed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arithmetic.arrays import Array, dtype
from ..graph.shapes import Shape
from ..graph.types import ElementType
from ..planner.plan import Plan


@dataclass(frozen=True)
class Operands:
    """What one run reads: the GEMM's A (M, K) and B (K, N), and the epilogue's inputs by name, scalars as (1, 1)."""

    a: Array
    b: Array
    inputs: dict[str, Array]


def operands(plan: Plan, shape: Shape, seed: int, data: str) -> Operands:
    """Random operands, the same for the same arguments.

    ``data`` is ``"int"``, whole numbers from −5 to 5 (0 to 5 in unsigned types), or ``"normal"``, the standard normal
    distribution, three times as wide and rounded in integer types.
    """
    m, n, k = shape
    rng = np.random.default_rng([seed, m, n, k])

    def draw(size: tuple[int, int], element: ElementType) -> Array:
        if data == "int":
            small = rng.integers(-5 if element.signed else 0, 6, size, dtype=np.int8)
            return small.astype(dtype(element))
        values = rng.standard_normal(size, dtype=np.float32)
        if element.kind == "int":
            whole = np.rint(3 * values)
            values = whole if element.signed else np.abs(whole)
        return values.astype(dtype(element))

    of_a, of_b = plan.operands
    a, b = draw((m, k), of_a), draw((k, n), of_b)
    inputs = {t.name: draw(t.shape.size(m, n), t.element) for t in plan.tensors if not t.output}
    return Operands(a, b, inputs | {scalar.name: draw((1, 1), scalar.T) for scalar in plan.scalars})
