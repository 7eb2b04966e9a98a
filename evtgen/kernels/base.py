"""The interface of kernels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ..graph.ir import Gemm
from ..graph.shapes import RANKS, Problem, Shape
from ..nodes import Tensor

_FEW = 12
"""Groups of which a text lists the rows of each."""


@dataclass(frozen=True)
class Matmuls:
    """The matmuls of a launch, as a user asks for them and as results name them.

    Attributes:
        batch: how many there are, all of one shape; None where the kernel is not batched, or its default is meant.
        groups: the rows of each, or its part of K; likewise.
        ranks: how many ranks outputs may go to; None where none do, or the default of a test is meant.
        axis: which of (M, N, K) the groups are of.
    """

    batch: int | None = None
    groups: tuple[int, ...] | None = None
    ranks: int | None = None
    axis: int = 0

    def text(self, shape: Shape, by: str = "x") -> str:
        """The size of a launch of (M, N, K): ``87x198x120``, ``3 x 87x198x120``, ``5,0,17x198x120``, ``87x198x5,0,17``
        or ``87x198x120, 3 ranks``."""
        sizes = [str(extent) for extent in shape]
        if self.groups is not None:
            sizes[self.axis] = self.sizes
        size = by.join(sizes) if self.batch is None else f"{self.batch} x {by.join(sizes)}"
        return size if self.ranks is None else f"{size}, {self.ranks} ranks"

    @property
    def sizes(self) -> str:
        """The sizes of the groups: ``5,0,17``, or ``no groups``."""
        groups = self.groups or ()
        more = f",...({len(groups)} groups)" if len(groups) > _FEW else ""
        return ",".join(map(str, groups[:_FEW])) + more or "no groups "

    def to_json(self) -> dict[str, object]:
        """The fields of a result."""
        groups = None if self.groups is None else list(self.groups)
        return {"batch": self.batch, "groups": groups, "ranks": self.ranks}


DEFAULTS = Matmuls()
"""Nothing is asked for."""


@dataclass(frozen=True)
class Names:
    """How a program spells what it launches a kernel with.

    Attributes:
        shape: the problem's shape, a ``GemmCoord``.
        count: the number of matmuls.
        groups: the address of the list of groups on the device.
        a, b: the addresses of the operands.
        epilogue: the arguments of the epilogue.
    """

    shape: str
    count: str
    groups: str
    a: str
    b: str
    epilogue: str


@dataclass(frozen=True)
class Constant:
    """A constant of the header of an epilogue, as an argument of the kernel's template.

    Attributes:
        name: in C++.
        value: a number.
        remark: what it is.
    """

    name: str
    value: int
    remark: str


@dataclass(frozen=True)
class Lists:
    """How a kernel finds its matmuls on the device: a type of the header of an epilogue, and the last argument of the
    kernel's template.

    Attributes:
        name: in C++.
        cpp: the type, in the namespace of the kernels.
        remark: what it says.
    """

    name: str
    cpp: str
    remark: str


@dataclass(frozen=True)
class Example:
    """What the example programs of a kernel say of it.

    Attributes:
        each: behind "a matmul C = A · B", what there is one for; empty where there is one.
    """

    each: str = ""


class Kernel:
    """A kernel of the framework.

    Attributes:
        name: its C++ template.
        header: the header that it is in, beside the other kernels'.
        noun: what it computes in a launch, in words.
        asked: the fields of a GEMM that ask for it, such that all others may have their defaults.
        strides: the fields of its ``Arguments`` that say how far the operands of one matmul are from the next one's, by
            the operand's name; 0 where all share it.
        repeated: the fields that say how many matmuls, one after the other, take the same matrix, likewise.
        several: the field of :class:`Matmuls` that says how many there are; None where there is one.
        axis: which of (M, N, K) groups are of.
        adds: whether it adds up products of parts of K, which the cube core leaves as it has summed them up; C, which
            the epilogue reads, then is at the start of the workspace, whole and as it was to the end.
        example: the words of its example programs.
    """

    name: ClassVar[str]
    header: ClassVar[str]
    noun: ClassVar[str] = "one matmul"
    asked: ClassVar[Mapping[str, object]] = {}
    strides: ClassVar[Mapping[str, str]] = {}
    repeated: ClassVar[Mapping[str, str]] = {}
    several: ClassVar[str | None] = None
    axis: ClassVar[int] = 0
    adds: ClassVar[bool] = False
    example: ClassVar[Example] = Example()

    def takes(self, gemm: Gemm) -> bool:
        """Whether it computes such a GEMM."""
        raise NotImplementedError

    def arguments(self, names: Names) -> tuple[str, ...]:
        """The first fields of its ``Arguments``, those without a default, as C++."""
        raise NotImplementedError

    def constant(self, gemm: Gemm) -> Constant | None:
        """The last argument of its template; None where that is how many blocks the workspace has."""
        return None

    def lists(self, gemm: Gemm) -> Lists | None:
        """The argument of its template behind the number of blocks; None where it is the default, or there is none."""
        return None

    def rows(self, m: int, asked: Matmuls) -> tuple[int, ...]:
        """The rows of each matmul of a launch where the user gives M; what is not asked for has a default for tests,
        with which each of the kernel's cases comes up."""
        return (m,)

    def room(self, m: int, asked: Matmuls) -> int:
        """The rows behind those of all matmuls that a launch with M rows has room for."""
        return 0

    def shape(self, problem: Problem) -> Shape:
        """(M, N, K) of its ``Arguments``, where there is no room for more rows."""
        return problem.m, problem.n, problem.k

    def at_least(self, shape: Shape, asked: Matmuls) -> Shape:
        """A shape that nobody asked for, with the extent of the groups; no launch has none at all."""
        if asked.groups is None or self.several != "groups":
            return shape
        m, n, k = shape
        extent = max(1, sum(asked.groups))
        return (extent, n, k) if self.axis == 0 else (m, n, extent)

    def matmuls(self, problem: Problem) -> Matmuls:
        """What a user asks for to get ``problem``."""
        return DEFAULTS

    def strided(self, tensor: Tensor) -> bool:
        """Whether each matmul has a part of its own of a tensor of the epilogue, a stride from the last one's."""
        return False

    def parts(self, tensor: Tensor, problem: Problem) -> int:
        """Of how many matrices, one for each matmul or each rank, a tensor of the epilogue consists."""
        if tensor.ranks:
            return problem.ranks
        return problem.parts(tensor.name) if self.strided(tensor) else 1

    def repeats(self, tensors: Iterable[Tensor], problem: Problem) -> frozenset[tuple[str, int]]:
        """The tensors and operands that repeat in a run of a test, beside those that are shared, and how often."""
        return frozenset()

    def may_repeat(self, tensor: Tensor) -> bool:
        """Whether several matmuls, one after the other, may take one part of a tensor of the epilogue."""
        return bool(self.repeated) and not tensor.output

    def sharings(self, tensors: Iterable[Tensor]) -> tuple[frozenset[str], ...]:
        """Sets of tensors to share in the runs of a test: among them, every tensor that can is shared once and not
        shared once."""
        return (frozenset(),)

    def may_share(self, tensor: Tensor) -> bool:
        """Whether all matmuls may have a tensor of the epilogue in common: what is written must be joined."""
        return self.strided(tensor) and (not tensor.output or tensor.initial is not None)

    def problem(self, shape: Shape, asked: Matmuls = DEFAULTS, shared: frozenset[str] = frozenset()) -> Problem:
        """A launch at a shape."""
        m, n, k = shape
        return Problem(self.rows(m, asked), n, k, shared, self.room(m, asked), ranks=asked.ranks or RANKS)
