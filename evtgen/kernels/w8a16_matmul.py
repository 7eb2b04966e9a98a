"""One matmul with weights of 8 bits."""

from __future__ import annotations

from ..graph.ir import Gemm
from ..graph.types import half, int8
from ..targets.architecture import WEIGHTS
from .matmul import Matmul


class W8A16Matmul(Matmul):
    """One matmul; vector cores cast its B to the type of A before."""

    name = "W8A16MatmulVisitor"
    header = "w8a16_matmul_visitor.hpp"
    noun = "one matmul, B of 8 bits"
    casts = True
    asked = {"a": half, "b": int8}  # noqa: RUF012

    def takes(self, gemm: Gemm) -> bool:
        return (gemm.a, gemm.b) in WEIGHTS and gemm.accumulators is None and super().takes(gemm)
