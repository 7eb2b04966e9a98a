"""Matmuls whose rows lie in groups."""

from __future__ import annotations

from collections.abc import Iterable

from ..graph.ir import Gemm
from ..graph.shapes import GEMM_B, Problem
from ..graph.types import int64
from ..nodes import Tensor
from .base import Example, Kernel, Lists, Matmuls, Names

OFFSETS, COUNTS = "offsets", "counts"
"""What the numbers of a list of groups are: where the rows of each end, or how many it has."""

ROOM = 5
"""Rows behind those of the groups of a test."""


class GroupedMatmulSliceM(Kernel):
    """Matmuls whose rows lie in groups, one after the other, by a list on the device."""

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

    def lists(self, gemm: Gemm) -> Lists | None:
        if (gemm.group_list, gemm.group_type) == (OFFSETS, int64):
            return None
        says = "how many rows each has" if gemm.group_list == COUNTS else "where the rows of each end"
        element = gemm.group_type.cpp
        cpp = f"VisitorGroups<{element}, {{prefix}}VisitorGroupList::{gemm.group_list.upper()}>"
        return Lists("Groups", cpp, f"The list of groups says {says}, in {element}")

    def rows(self, m: int, asked: Matmuls) -> tuple[int, ...]:
        """By default three groups of different sizes; an empty one comes first, one between them and one last."""
        if asked.groups is not None:
            return asked.groups
        first = -(-m // 9)
        second = min(-(-m // 4), m - first)
        return 0, first, second, 0, m - first - second, 0

    def room(self, m: int, asked: Matmuls) -> int:
        """By default there is some, which the kernel must leave alone."""
        return ROOM if asked.groups is None else m - sum(asked.groups)

    def matmuls(self, problem: Problem) -> Matmuls:
        return Matmuls(groups=problem.rows)

    def strided(self, tensor: Tensor) -> bool:
        return tensor.shape.rows != "M"

    def sharings(self, tensors: Iterable[Tensor]) -> tuple[frozenset[str], ...]:
        return frozenset(), frozenset({GEMM_B, *(tensor.name for tensor in tensors if self.may_share(tensor))})
