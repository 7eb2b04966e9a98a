"""Shapes: of a problem in numbers, of a tensor in the problem's extents."""

from __future__ import annotations

from enum import Enum

Shape = tuple[int, int, int]
"""A problem: (M, N, K)."""


class TensorShape(Enum):
    """The shape of a tensor in GM: its rows and columns in the extents of the problem."""

    MATRIX = ("M", "N")
    ROW = ("1", "N")
    COLUMN = ("M", "1")
    SINGLE = ("1", "1")

    @property
    def rows(self) -> str:
        """``"M"`` or ``"1"``."""
        return self.value[0]

    @property
    def columns(self) -> str:
        """``"N"`` or ``"1"``."""
        return self.value[1]

    @property
    def noun(self) -> str:
        """The name of such a tensor in messages."""
        return _NOUNS[self]

    @property
    def index(self) -> str:
        """C++ for the index of an element in a packed host vector, over ``row``, ``column`` and ``n``."""
        return _INDICES[self]

    @property
    def count(self) -> str:
        """C++ for the number of its elements, over ``m`` and ``n``."""
        return _COUNTS[self]

    @property
    def strided(self) -> bool:
        """Whether its rows may lie apart: the values of a column and a single value are packed."""
        return self.columns == "N"

    def size(self, m: int, n: int) -> tuple[int, int]:
        """(rows, columns) in a problem of (m, n)."""
        return m if self.rows == "M" else 1, n if self.columns == "N" else 1

    def __str__(self) -> str:
        return f"{self.rows} x {self.columns}"


_NOUNS = {
    TensorShape.MATRIX: "a matrix",
    TensorShape.ROW: "a row vector",
    TensorShape.COLUMN: "a column vector",
    TensorShape.SINGLE: "a single value",
}

_COUNTS = {
    TensorShape.MATRIX: "static_cast<size_t>(m) * n",
    TensorShape.ROW: "n",
    TensorShape.COLUMN: "m",
    TensorShape.SINGLE: "1",
}

_INDICES = {
    TensorShape.MATRIX: "row * n + column",
    TensorShape.ROW: "column",
    TensorShape.COLUMN: "row",
    TensorShape.SINGLE: "0",
}
