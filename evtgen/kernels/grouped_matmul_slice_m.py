"""Matmuls whose rows lie in groups."""

from __future__ import annotations

from collections.abc import Iterable

from ..graph.ir import Gemm
from ..graph.shapes import GEMM_B, Problem
from ..nodes import Tensor
from .base import Example, Kernel, Matmuls, Names

ROOM = 5
"""Rows behind those of the groups of a test."""


class GroupedMatmulSliceM(Kernel):
    """Matmuls whose rows lie in groups, one after the other, by a list on the device of where each group ends."""

    name = "GroupedMatmulSliceMVisitor"
    header = "grouped_matmul_slice_m_visitor.hpp"
    noun = "matmuls whose rows lie in groups"
    asked = {"group": "m"}  # noqa: RUF012
    strides = {GEMM_B: "strideB"}  # noqa: RUF012
    several = "groups"
    example = Example("for each group of rows, which has a B of its own,")

    def takes(self, gemm: Gemm) -> bool:
        return gemm.group == "m" and not gemm.batch and gemm.split_k == 1

    def arguments(self, names: Names) -> tuple[str, ...]:
        return names.shape, names.count, names.groups, names.a, names.b, names.epilogue

    def rows(self, m: int, asked: Matmuls) -> tuple[int, ...]:
        """By default three groups of different sizes; an empty one comes first, one between them and one last."""
        if asked.groups is not None:
            return asked.groups
        first = -(-m // 9)
        second = min(-(-m // 4), m - first)
        return 0, first, second, 0, m - first - second, 0

    def room(self, asked: Matmuls) -> int:
        """By default there is some, which the kernel must leave alone."""
        return ROOM if asked.groups is None else 0

    def matmuls(self, problem: Problem) -> Matmuls:
        return Matmuls(groups=problem.rows)

    def strided(self, tensor: Tensor) -> bool:
        return tensor.shape.rows != "M"

    def sharings(self, tensors: Iterable[Tensor]) -> tuple[frozenset[str], ...]:
        return frozenset(), frozenset({GEMM_B, *(tensor.name for tensor in tensors if self.may_share(tensor))})
