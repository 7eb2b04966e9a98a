"""One matmul whose K is split."""

from __future__ import annotations

from ..graph.ir import Gemm
from .base import Constant, Kernel, Names


class SplitkMatmul(Kernel):
    """One matmul in a launch: slices of K are multiplied at the same time, and their products added up."""

    name = "SplitkMatmulVisitor"
    header = "splitk_matmul_visitor.hpp"
    noun = "one matmul, K in slices"
    asked = {"split_k": 2}  # noqa: RUF012
    adds = True

    def takes(self, gemm: Gemm) -> bool:
        return gemm.split_k > 1 and not gemm.batch and gemm.group is None and gemm.accumulators is None

    def arguments(self, names: Names) -> tuple[str, ...]:
        return names.shape, names.a, names.b, names.epilogue

    def constant(self, gemm: Gemm) -> Constant:
        return Constant("SPLITK_FACTOR", gemm.split_k, "Slices of K; no more than it has tiles")
