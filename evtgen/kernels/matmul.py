"""One matmul."""

from __future__ import annotations

from ..graph.ir import Gemm
from .base import Kernel, Names


class Matmul(Kernel):
    """One matmul in a launch."""

    name = "MatmulVisitor"
    header = "matmul_visitor.hpp"

    def takes(self, gemm: Gemm) -> bool:
        return not gemm.batch and gemm.group is None and gemm.split_k == 1

    def arguments(self, names: Names) -> tuple[str, ...]:
        return names.shape, names.a, names.b, names.epilogue
