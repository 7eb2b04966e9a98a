"""Matmuls whose rows lie in groups."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..graph.shapes import GEMM_B, Problem
from ..nodes import Tensor
from .base import Example, Matmuls
from .groups import ROOM, Grouped


class GroupedMatmulSliceM(Grouped):
    """Matmuls whose rows lie in groups, one after the other, by a list on the device."""

    name = "GroupedMatmulSliceMVisitor"
    header = "grouped_matmul_slice_m_visitor.hpp"
    noun = "matmuls whose rows lie in groups"
    asked = {"group": "m"}  # noqa: RUF012
    counts, ends = "how many rows each has", "where the rows of each end"
    strides = {GEMM_B: "strideB"}  # noqa: RUF012
    example = Example("for each group of rows, which has a B of its own,")

    def rows(self, m: int, asked: Matmuls) -> tuple[int, ...]:
        return self.groups(m, asked)

    def room(self, m: int, asked: Matmuls) -> int:
        """By default there is some, which the kernel must leave alone."""
        return ROOM if asked.groups is None else m - sum(asked.groups)

    def matmuls(self, problem: Problem) -> Matmuls:
        return Matmuls(groups=problem.rows)

    def strided(self, tensor: Tensor) -> bool:
        return tensor.shape.rows != "M"

    def sharings(self, tensors: Iterable[Tensor]) -> tuple[frozenset[str], ...]:
        return frozenset(), frozenset({GEMM_B, *(tensor.name for tensor in tensors if self.may_share(tensor))})


def by_weight_index(problem: Problem) -> Problem:
    """The same groups of a test, which take Bs by their numbers: the first takes the last, every third the same, and
    none the first."""
    period = min(3, max(1, problem.count))
    weights = tuple(period - group % period for group in range(problem.count))
    return replace(problem, weights=weights, weight_count=period + 1)
