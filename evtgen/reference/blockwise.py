"""The references of a large problem, a block of rows at a time: what both take then does not grow with the problem.

A block is some rows of one matmul, from the start of a row of the kernel's blocks on. So it is cut into the tiles that
the whole is cut into there, and each value and bound is the whole's. A graph in which rows meet is one block.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from ..graph.shapes import GEMM_A, Problem
from ..nodes import AuxGather, AuxScatter, Reduce, Reduced, Tensor, node_of
from ..operators.arrays import Array
from ..passes.analysis.gemm import block_shape
from ..planner.plan import Plan
from .enclosure import Enclosure
from .sums import product
from .walk import Inputs, Reading, formulas, read

ELEMENTS = 1 << 19
"""Elements of C that are read at once."""


@dataclass(frozen=True)
class Block:
    """Rows of C that are read at once.

    Attributes:
        plan: of the epilogue.
        whole: the problem that they are of.
        rows: among those of all its matmuls.
        matmul: the number of theirs; None: they are all of all matmuls.
        problem: what is computed of them.
    """

    plan: Plan
    whole: Problem
    rows: slice
    matmul: int | None
    problem: Problem

    def product(self, a: Array, b: Array, multiplied: Problem | None = None) -> Array:
        """Their part of ``A @ B`` in float64; ``multiplied`` is the whole with as many of both as there are, where that
        differs."""
        if self.matmul is None:
            return product(a, b, self.problem)
        whole = multiplied or self.whole
        return product(self._of_a(a, whole), b[list(whole.factors())[self.matmul][2]])

    def _of_a(self, a: Array, whole: Problem) -> Array:
        """Their rows of A."""
        assert self.matmul is not None
        of_a, first = list(whole.factors())[self.matmul][1], self.problem.above
        rows: Array = a[of_a][first : first + self.problem.m]
        return rows

    def read(self, acc: Array, inputs: Inputs, exact: Array) -> Iterator[Reading]:
        """Both references of every step; ``acc`` and ``inputs`` are those of the whole, ``exact`` is :meth:`product`.
        The formula of an output is that of the graph as the user wrote it."""
        own = self.inputs(inputs)
        written = formulas(self.plan.written, own, exact, self.problem, rounds=True) if self.plan.savings else {}
        for reading in read(self.plan, acc[self.rows], own, exact, self.problem):
            tensor = reading.node.tensor
            named = reading.node.writes and tensor is not None and tensor.name in written
            yield replace(reading, formula=written[tensor.name]) if named and tensor else reading

    def inputs(self, inputs: Inputs) -> Mapping[str, Array]:
        """What they read of the inputs of the whole."""
        if self.matmul is None:
            return inputs
        gathered = {node.name for step in self.plan.steps if isinstance(node := step.node, AuxGather)}
        given = {tensor.name: tensor for tensor in self.plan.tensors if tensor.name not in gathered}
        own = {name: self._own(given[name], array) if name in given else array for name, array in inputs.items()}
        if self.whole.batch:
            rows = list(self.whole.segments())
            own |= {name: inputs[name][rows[self.whole.part(name, self.matmul)]] for name in gathered}
        return {**own, GEMM_A: self._of_a(inputs[GEMM_A], self.whole)} if GEMM_A in inputs else own

    def _own(self, tensor: Tensor, array: Array) -> Array:
        """Their part of a tensor, as an array of a problem of one matmul."""
        assert self.matmul is not None
        part = self.whole.part(tensor.name, self.matmul)
        if tensor.shape.rows == "M":
            first = list(self.whole.segments())[part].start + self.problem.above
            return array[first : first + self.problem.m]
        return array[part : part + 1]


def blocks(plan: Plan, problem: Problem) -> Iterator[Block]:
    """The blocks of a problem, all its rows once, in their order."""
    count = _rows_of_a_block(plan, problem)
    if count is None:
        yield Block(plan, problem, slice(0, problem.m), None, problem)
        return
    for index, rows in enumerate(problem.segments()):
        for first in range(rows.start, rows.stop, count):
            own = slice(first, min(first + count, rows.stop))
            part = Problem((own.stop - own.start,), problem.n, problem.k, above=first - rows.start)
            yield Block(plan, problem, own, index, part)


def most_rows(plan: Plan, problem: Problem) -> int:
    """The rows of the largest block; all of the problem's if there is one."""
    count = _rows_of_a_block(plan, problem)
    return problem.m if count is None else max(min(count, rows) for rows in problem.rows)


def _rows_of_a_block(plan: Plan, problem: Problem) -> int | None:
    """None: all are one block."""
    if problem.m * problem.n <= ELEMENTS or not _by_rows(plan, problem):
        return None
    height, _ = block_shape(plan.gemm)
    return height * max(1, ELEMENTS // (height * problem.n))


def _by_rows(plan: Plan, problem: Problem) -> bool:
    """Whether no row of an output depends on other rows, nor is one output of several matmuls."""
    nodes = [node_of(step) for step in plan.steps]
    outputs = [node.tensor for node in nodes if node.writes and node.tensor is not None]
    apart = all(tensor.shape.rows == "M" and tensor.name not in problem.shared for tensor in outputs)
    if any(isinstance(node, AuxScatter) and node.add for node in nodes):
        return False
    return apart and not any(isinstance(node, Reduced) and 0 in node.reduce_kind.axis for node in nodes)


class Joined:
    """The readings of one step in all blocks as one: that of the whole, but for ``local``, and of the inputs only what
    :func:`~.differences.magnitude` needs."""

    def __init__(self) -> None:
        self._last: Reading | None = None
        self._value, self._low, self._high, self._formula, self._squares = (_Rows() for _ in range(5))

    def add(self, block: Block, reading: Reading) -> None:
        """Take the reading of the next block."""
        self._last = reading
        if block.matmul is None:
            return
        self._last = replace(reading, local=None, problem=block.whole.narrowed(reading.node.columns))
        here, rows, m = reading.stepwise, block.rows, block.whole.m
        if not here.exact or self._low.array is not None:
            for end, own in zip((self._low, self._high), here.ends, strict=True):
                if end.array is None and self._value.array is not None:
                    end.put(m, slice(0, m), self._value.array)
                end.put(m, rows, own)
        self._value.put(m, rows, here.value)
        if reading.formula is not None:
            self._formula.put(m, rows, reading.formula)
        if isinstance(reading.node, Reduce) and reading.inputs:
            with np.errstate(all="ignore"):
                self._squares.put(m, rows, np.sqrt(np.square(reading.inputs[0]).sum(axis=1, keepdims=True)))

    @property
    def reading(self) -> Reading:
        """What has been taken."""
        assert self._last is not None
        if self._value.array is None:
            return self._last
        whole = Enclosure(self._value.array, self._low.array, self._high.array)
        inputs = [] if self._squares.array is None else [self._squares.array]
        return replace(self._last, stepwise=whole, formula=self._formula.array, inputs=inputs)


class _Rows:
    """An array that is filled with rows, of a type that holds all of them."""

    def __init__(self) -> None:
        self.array: Array | None = None

    def put(self, count: int, rows: slice, part: Array) -> None:
        """Fill some of ``count`` rows."""
        if self.array is None:
            self.array = np.empty((count, part.shape[1]), part.dtype)
        elif self.array.dtype != part.dtype:
            self.array = self.array.astype(np.promote_types(self.array.dtype, part.dtype), copy=False)
        self.array[rows] = part
