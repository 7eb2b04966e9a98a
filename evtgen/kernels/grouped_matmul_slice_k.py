"""Matmuls whose K lies in groups."""

from __future__ import annotations

from collections.abc import Iterable

from ..graph.shapes import Problem, Shape
from ..nodes import Tensor
from .base import DEFAULTS, Example, Matmuls
from .groups import ROOM, Grouped


class GroupedMatmulSliceK(Grouped):
    """Matmuls of columns of A and rows of B that lie in groups, one after the other, by a list on the device. An empty
    group is a matmul too: its product is 0."""

    name = "GroupedMatmulSliceKVisitor"
    header = "grouped_matmul_slice_k_visitor.hpp"
    noun = "matmuls whose K lies in groups"
    asked = {"group": "k"}  # noqa: RUF012
    counts, ends = "how much of K each has", "where the part of K of each ends"
    axis = 2
    example = Example("for each group of columns of A and rows of B,")

    def shape(self, problem: Problem) -> Shape:
        return sum(problem.rows[:1]), problem.n, problem.k

    def matmuls(self, problem: Problem) -> Matmuls:
        return Matmuls(groups=problem.depths, axis=self.axis)

    def strided(self, tensor: Tensor) -> bool:
        return True

    def sharings(self, tensors: Iterable[Tensor]) -> tuple[frozenset[str], ...]:
        return frozenset(), frozenset(tensor.name for tensor in tensors if self.may_share(tensor))

    def problem(self, shape: Shape, asked: Matmuls = DEFAULTS, shared: frozenset[str] = frozenset()) -> Problem:
        """By default the groups end before K where there is room. The rows of A without any group are room, too."""
        m, n, k = shape
        depths = self.groups(k - ROOM if k > 2 * ROOM else k, asked)
        return Problem((m,) * len(depths), n, k, shared, 0 if depths else m, depths=depths)
