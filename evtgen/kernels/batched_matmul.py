"""Matmuls of one shape."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..graph.ir import Gemm
from ..graph.shapes import GEMM_A, GEMM_B, Problem, Shape, TensorShape
from ..nodes import Tensor
from .base import DEFAULTS, Example, Kernel, Matmuls, Names

REPEAT = 2
"""Matmuls of a test that take one matrix: of three, the last has one of its own."""

BATCH = 3
"""Matmuls of a test where none are asked for: the first, the last, and one between them."""


class BatchedMatmul(Kernel):
    """Matmuls of one shape, each a stride behind the one before."""

    name = "BatchedMatmulVisitor"
    header = "batched_matmul_visitor.hpp"
    noun = "matmuls of one shape"
    asked = {"batch": True}  # noqa: RUF012
    strides = {GEMM_A: "strideA", GEMM_B: "strideB"}  # noqa: RUF012
    repeated = {GEMM_A: "repeatA", GEMM_B: "repeatB"}  # noqa: RUF012
    several = "batch"
    example = Example("for each of a batch,")

    def takes(self, gemm: Gemm) -> bool:
        return gemm.batch and gemm.group is None and gemm.split_k == 1

    def arguments(self, names: Names) -> tuple[str, ...]:
        return names.count, names.shape, names.a, names.b, names.epilogue

    def rows(self, m: int, asked: Matmuls) -> tuple[int, ...]:
        return (m,) * (asked.batch or BATCH)

    def shape(self, problem: Problem) -> Shape:
        return problem.rows[0], problem.n, problem.k

    def matmuls(self, problem: Problem) -> Matmuls:
        return Matmuls(batch=problem.count)

    def problem(self, shape: Shape, asked: Matmuls = DEFAULTS, shared: frozenset[str] = frozenset()) -> Problem:
        return replace(super().problem(shape, asked, shared), batch=True)

    def strided(self, tensor: Tensor) -> bool:
        return True

    def repeats(self, tensors: Iterable[Tensor], problem: Problem) -> frozenset[tuple[str, int]]:
        """With what is shared, all else that can repeats."""
        if not problem.shared or problem.count <= REPEAT:
            return frozenset()
        able = [*self.repeated, *(tensor.name for tensor in tensors if self.may_repeat(tensor))]
        return frozenset((name, REPEAT) for name in able if name not in problem.shared)

    def sharings(self, tensors: Iterable[Tensor]) -> tuple[frozenset[str], ...]:
        """With B go the vectors and the reductions, with A the matrices."""
        able = [tensor for tensor in tensors if self.may_share(tensor)]
        matrices = {tensor.name for tensor in able if tensor.shape is TensorShape.MATRIX}
        vectors = {tensor.name for tensor in able} - matrices
        return frozenset(), frozenset({GEMM_B, *vectors}), frozenset({GEMM_A, *matrices})
