"""Matmuls that a list on the device cuts out of one extent, one group behind the other."""

from __future__ import annotations

from typing import ClassVar

from ..graph.ir import Gemm
from ..graph.types import int64
from .base import Kernel, Lists, Matmuls, Names

OFFSETS, COUNTS = "offsets", "counts"
"""What the numbers of a list of groups are: where each ends, or how many rows, or how much of K, it has."""

STACKED, POINTERS = "stacked", "pointers"
"""How the Bs of groups of rows lie: one behind the other, or each at an address in a list."""

ROOM = 5
"""What lies behind the groups of a test."""


class Grouped(Kernel):
    """Matmuls by a list of groups.

    Attributes:
        counts, ends: what the numbers of the list are, in words.
    """

    several = "groups"
    counts: ClassVar[str]
    ends: ClassVar[str]

    def takes(self, gemm: Gemm) -> bool:
        return gemm.group == self.asked["group"] and not gemm.batch and gemm.split_k == 1

    def arguments(self, names: Names) -> tuple[str, ...]:
        return names.shape, names.count, names.groups, names.a, names.b, names.epilogue

    def lists(self, gemm: Gemm) -> Lists | None:
        if (gemm.group_list, gemm.group_type, gemm.weights, gemm.weight_index) == (OFFSETS, int64, STACKED, False):
            return None
        says = self.counts if gemm.group_list == COUNTS else self.ends
        element = gemm.group_type.cpp
        cpp = f"{element}, {{prefix}}VisitorGroupList::{gemm.group_list.upper()}"
        remark = f"The list of groups says {says}, in {element}"
        if gemm.weights == POINTERS or gemm.weight_index:
            cpp += f", {{prefix}}VisitorWeights::{gemm.weights.upper()}"
            remark += "; the Bs are at the addresses of a list" if gemm.weights == POINTERS else ""
        if gemm.weight_index:
            cpp += ", true"
            remark += "; another list says which B each takes"
        return Lists("Groups", f"VisitorGroups<{cpp}>", remark)

    def groups(self, extent: int, asked: Matmuls) -> tuple[int, ...]:
        """By default three groups of different sizes; an empty one comes first, one between them and one last."""
        if asked.groups is not None:
            return asked.groups
        first = -(-extent // 9)
        second = min(-(-extent // 4), extent - first)
        return 0, first, second, 0, extent - first - second, 0
