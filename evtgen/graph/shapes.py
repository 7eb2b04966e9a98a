"""Shapes: of a problem in numbers, of a tensor in the problem's extents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum

Shape = tuple[int, int, int]
"""A problem: (M, N, K)."""


@dataclass(frozen=True)
class Columns:
    """Which columns of C a value has: ``range(start, stop, step)``, where no ``stop`` is N.

    With ``sorted`` they are the first of the row as it is sorted: a tile of whole rows has them in its first columns,
    and does not end with them.
    """

    start: int = 0
    stop: int | None = None
    step: int = 1
    sorted: bool = False

    def of(self, n: int) -> range:
        """Their numbers in a problem of so many columns."""
        return range(self.start, n if self.stop is None else self.stop, self.step)

    @property
    def count(self) -> str:
        """How many there are, in letters and, in small ones, in C++: ``"N"``, ``"512"``, ``"N - 64"`` or
        ``"(N + 127) / 128"``."""
        if self.stop is not None:
            return str(len(self.of(0)))
        more = self.step - 1 - self.start
        left = f"N {'-' if more < 0 else '+'} {abs(more)}" if more else "N"
        return left if self.step == 1 else f"({left}) / {self.step}"

    def within(self, part: Columns) -> Columns:
        """The columns of a part of these, by their numbers in C."""
        stop = self.stop if part.stop is None else self.start + part.stop * self.step
        return Columns(self.start + part.start * self.step, stop, self.step * part.step)

    def __str__(self) -> str:
        step = "" if self.step == 1 else f":{self.step}"
        return f"{self.start}:{'' if self.stop is None else self.stop}{step}"


WHOLE = Columns()
"""All columns."""


class TensorShape(Enum):
    """The shape of a tensor in GM: its rows and columns in the extents of the problem."""

    MATRIX = ("M", "N")
    ROW = ("1", "N")
    COLUMN = ("M", "1")
    SINGLE = ("1", "1")
    BLOCKS = ("K", "N")
    GROUPS_OF_A = ("M", "K")

    @property
    def rows(self) -> str:
        """``"M"`` or ``"1"``; of one with a value for each block of B, ``"K"``."""
        return self.value[0]

    @property
    def columns(self) -> str:
        """``"N"`` or ``"1"``; of values of groups of A, ``"K"``."""
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
        return self.count_of("m")

    def count_of(self, rows: str) -> str:
        """The same where something else than ``m`` is the number of rows."""
        return _COUNTS[self].format(rows)

    @property
    def strided(self) -> bool:
        """Whether its rows may lie apart: the values of a column and a single value are packed."""
        return self.columns == "N"

    def size(self, m: int, n: int) -> tuple[int, int]:
        """(rows, columns) in a problem of (m, n)."""
        return m if self.rows == "M" else 1, n if self.columns == "N" else 1

    def __str__(self) -> str:
        return f"{self.rows} x {self.columns}"


GEMM_A, GEMM_B, GEMM_B2 = "gemm.A", "gemm.B", "gemm.B2"
"""The names of the operands of the matmul among those of tensors; the B of a second accumulator is shared, and lies, as
the first is."""


GEMM_GROUPS, WEIGHT_INDEX = "gemm.groups", "gemm.weight_index"
"""The names of a list of groups, and of a list of the B that each takes, among theirs."""


MX_GROUP, MX_STEP = 32, 64
"""Elements of K that share a scale in an MX format, and what K is a multiple of: scales are copied two by two."""


RANKS = 3
"""The ranks of a launch that says nothing else: those before, of and behind its own."""


@dataclass(frozen=True)
class Problem:
    """What a kernel computes in one launch: one matmul, or several that have N and K in common.

    Their rows are stacked: a tensor of M x N or M x 1 is one array with the rows of all matmuls, one of 1 x N or 1 x 1
    has a row for each matmul, or one that all share. So every array has two axes; B has K rows for each matmul, or K.

    Attributes:
        rows: M of each matmul; some may have none.
        n, k: of all of them.
        shared: the names of the tensors that all matmuls have in common, :data:`GEMM_A` and :data:`GEMM_B` among them.
        room: rows behind those of all matmuls that tensors in GM have room for; no array has them.
        above: of a problem that is a part of one matmul, the rows of that matmul above its own.
        ranks: those that outputs may go to.
        depths: of matmuls whose K lies in groups, the part of each. They have one A and one B, whose columns and rows
            are those of all groups, and may have more behind them.
        batch: each matmul has tensors of its own, or shares them: numbers of rows count those of one matmul.
        repeats: names of tensors of a batch, each with how many matmuls one after the other take one part of it.
        weights: the number of the B that each matmul takes, or -1: its rows are left alone. None: each has its own.
        weight_count: how many Bs there are then.
    """

    rows: tuple[int, ...]
    n: int
    k: int
    shared: frozenset[str] = frozenset()
    room: int = 0
    above: int = 0
    ranks: int = RANKS
    depths: tuple[int, ...] | None = None
    repeats: frozenset[tuple[str, int]] = frozenset()
    batch: bool = False
    weights: tuple[int, ...] | None = None
    weight_count: int = 0

    @classmethod
    def of(cls, shape: Shape | Problem) -> Problem:
        """One matmul of (M, N, K), or the problem itself."""
        return shape if isinstance(shape, Problem) else cls(shape[:1], *shape[1:])

    @property
    def m(self) -> int:
        """The rows of all matmuls together."""
        return sum(self.rows)

    @property
    def count(self) -> int:
        """How many matmuls there are."""
        return len(self.rows)

    def part(self, name: str, matmul: int) -> int:
        """Which part of a tensor a matmul takes."""
        if name == GEMM_B and self.weights is not None:
            return self.weights[matmul]
        return 0 if name in self.shared else matmul // dict(self.repeats).get(name, 1)

    def parts(self, name: str) -> int:
        """How many parts a tensor has of which each matmul may have its own."""
        if name == GEMM_B and self.weights is not None:
            return self.weight_count
        return self.part(name, self.count - 1) + 1

    def segments(self) -> Iterator[slice]:
        """The rows of each matmul among those of all."""
        end = 0
        for rows in self.rows:
            yield slice(end, end + rows)
            end += rows

    def factors(self) -> Iterator[tuple[slice, tuple[slice, slice], slice]]:
        """Of each matmul that has a B, its rows among those of C, its part of A, and its rows among those of B."""
        segments = list(self.segments())
        for index, rows in enumerate(segments):
            if self.depths is not None:
                first = sum(self.depths[:index])
                part = slice(first, first + self.depths[index])
                yield rows, (slice(0, self.rows[index]), part), part
                continue
            number = self.part(GEMM_B, index)
            if number >= 0:
                first = number * self.k
                yield rows, (segments[self.part(GEMM_A, index)], slice(0, self.k)), slice(first, first + self.k)

    def size(self, name: str, shape: TensorShape, columns: Columns = WHOLE) -> tuple[int, int]:
        """(rows, columns) of the array of a tensor of the epilogue, which may have a part of the columns. Of an
        operand, a row counts a matrix."""
        if name == GEMM_B and self.weights is not None:
            return self.weight_count, self.n if shape.columns == "N" else 1
        one = name in self.shared or (self.depths is not None and name in (GEMM_A, GEMM_B))
        own = self.rows[:1] or (0,) if one else self.rows[: self.parts(name)]
        rows = sum(own) if shape.rows == "M" else len(own)
        return rows, len(columns.of(self.n)) if shape.columns == "N" else 1

    def narrowed(self, columns: Columns) -> Problem:
        """The same with a part of its columns."""
        return self if columns == WHOLE else replace(self, n=len(columns.of(self.n)))


_NOUNS = {
    TensorShape.MATRIX: "a matrix",
    TensorShape.ROW: "a row vector",
    TensorShape.COLUMN: "a column vector",
    TensorShape.SINGLE: "a single value",
    TensorShape.BLOCKS: "values of blocks",
    TensorShape.GROUPS_OF_A: "values of groups",
}

_COUNTS = {
    TensorShape.MATRIX: "static_cast<size_t>({}) * n",
    TensorShape.ROW: "n",
    TensorShape.COLUMN: "{}",
    TensorShape.SINGLE: "1",
}

_INDICES = {
    TensorShape.MATRIX: "row * n + column",
    TensorShape.ROW: "column",
    TensorShape.COLUMN: "row",
    TensorShape.SINGLE: "0",
}
