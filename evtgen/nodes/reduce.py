"""The base of the reductions: the tile is reduced in UB, and the result combined atomically with a tensor in GM."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from ..graph.shapes import Problem, TensorShape
from ..graph.types import BLOCK_BYTES, REPEAT_BYTES, ElementType, Layout, RowMajor
from ..operators.constants import limits, nearest
from ..operators.declaration import Atomic, Operator
from ..operators.table import BY_NAME, FIRST_APPLIED, MEAN, OPERATORS, REDUCTIONS, reduction_name
from .base import Tensor, Tensors, Traits, VisitorNode, bare, pascal
from .compute import Compute


@dataclass(frozen=True)
class Reduce(VisitorNode):
    """A reduction over the rows, the columns or both; ``shape`` is the shape of the result.

    Its template is ``Visitor<kind><ReduceFn, Element, Layout>``, its arguments are ``{ptr, layout, identity}``. The
    caller fills the output before the launch, with ``identity`` for a plain reduction. Returns its input.

    Attributes:
        op: the C++ name of an operator that has an atomic write, or ``"Mean"``; or what ``ops`` calls it, ``"add"``.
            ``"amax"`` and ``"sum_of_squares"`` stand for two nodes, which a pass writes in place of this one.
        function: name of its function in ``ops``.
        axis: the axes that numpy reduces.
        over: the reduced extents, in words.
        ordered_by: rows and columns of the kernel's blocks, if the parts of each are joined in a fixed order; None for
            atomics alone. The planner fills it in.
    """

    name: str
    op: str
    T: ElementType
    identity: float | int = 0
    layout: Layout = RowMajor
    ordered_by: tuple[int, int] | None = field(default=None, repr=False, kw_only=True)

    min_inputs = 1
    max_inputs = 1
    forwards = True
    writes = True
    shape: ClassVar[TensorShape]
    function: ClassVar[str]
    axis: ClassVar[tuple[int, ...]]
    over: ClassVar[str]

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "op", reduction_name(self.op))

    @property
    def operator(self) -> Operator | None:
        """The operator that joins the values: the declaration of ``op``, which adds for a mean; None when there is no
        such operator."""
        return OPERATORS.get("Plus" if self.mean else REDUCTIONS[self.op] if self.op in FIRST_APPLIED else self.op)

    @property
    def first(self) -> Compute | None:
        """What is applied to each element before they are joined; None where they are joined as they are."""
        name = FIRST_APPLIED.get(self.op)
        return None if name is None else Compute(BY_NAME[name].cpp, self.T, location=self.location)

    @property
    def mean(self) -> bool:
        """Whether each tile's sum is taken times one over the number of all terms before it is joined to the others."""
        return self.op == MEAN

    def extents(self, problem: Problem) -> tuple[Any, int]:
        """How many rows become one, (rows of the tensor or 1, 1), and how many columns."""
        import numpy as np

        shared, columns = self.name in problem.shared, problem.n if 1 in self.axis else 1
        if 0 not in self.axis:
            return np.full((1, 1), problem.count if shared else 1), columns
        return np.reshape(problem.m if shared else problem.rows, (-1, 1)), columns

    def terms(self, problem: Problem) -> Any:
        """How many values become one, (rows of the tensor or 1, 1)."""
        rows, columns = self.extents(problem)
        return rows * columns

    def scale(self, problem: Problem) -> Any:
        """What the device takes a tile's sum times, (rows of the tensor or 1, 1): 1, or one over the count in float32,
        rounded once to the type. It is 1 where there is nothing to sum up."""
        import numpy as np

        from ..operators.arrays import dtype

        rows, columns = self.extents(problem)
        if not self.mean:
            return np.ones(rows.shape)
        count = rows.astype(np.float32) * np.float32(columns)
        return (np.float32(1) / np.maximum(count, np.float32(1))).astype(dtype(self.T)).astype(np.float64)

    def folded(self, ufunc: Any, values: Any, problem: Problem, empty: float) -> Any:
        """``values``, (M, N), reduced by a ufunc of numpy to the rows of the tensor: those of each matmul
        on their own, or all together if the tensor is shared. Where there are no rows, it is ``empty``."""
        import numpy as np

        shared = self.name in problem.shared
        if 0 not in self.axis:
            each = ufunc.reduce(values, axis=self.axis, keepdims=True)
            return ufunc.reduce(each.reshape(problem.count, problem.rows[0], 1), axis=0) if shared else each
        parts = [values] if shared else [values[rows] for rows in problem.segments()]
        nothing = np.full((1, 1 if 1 in self.axis else problem.n), empty, values.dtype)
        each = [ufunc.reduce(part, axis=self.axis, keepdims=True) if len(part) else nothing for part in parts]
        return np.concatenate([nothing[:0], *each])

    def joined(self, values: Any, problem: Problem, identity: Any) -> Any:
        """The reduction of ``values``, (M, N), joined to ``identity`` as its tensor has it before the launch."""
        import numpy as np

        ufunc = {Atomic.ADD: np.add, Atomic.MAX: np.maximum, Atomic.MIN: np.minimum}[self._atomic]
        reduced = self.folded(ufunc, values, problem, 0 if self._atomic is Atomic.ADD else identity)
        return ufunc(reduced / np.maximum(self.terms(problem), 1) if self.mean else reduced, identity)

    @property
    def element(self) -> ElementType:
        return self.T

    def takes(self, index: int) -> ElementType:
        return self.T

    @property
    def tensor(self) -> Tensor:
        return Tensor(self.name, self.T, self.shape, self.layout, output=True, initial=self.identity)

    @property
    def traits(self) -> Traits:
        return Traits(forwards=True, reads_in_compute=True)

    def alias(self, inputs: Sequence[str]) -> str:
        return f"{self.template.removeprefix('Visitor')}{pascal(self.name)}"

    def cpp(self, fusion: str) -> str:
        reduction = f"{fusion}{self.template}<{fusion}{self.op}, {self.T.cpp}, {self.layout.cpp}>"
        if self.ordered_by is None:
            return reduction
        rows, columns = self.ordered_by
        return f"{fusion}VisitorInOrder<{rows}, {columns}, {reduction}>"

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        calls = [call.name for call in self.operator.sequence] if self.operator else []
        first = self.first.calls() if self.first else ()
        return *first, *((call, self.T) for call in [*calls, *(["Muls"] if self.mean else [])])

    @property
    def noun(self) -> str:
        """What formulas call the result."""
        return "mean" if self.mean else self._atomic.noun if self.first is None else self.op

    @property
    def neutral(self) -> float | int:
        """The identity with which the result is that of the values alone."""
        if self._atomic is Atomic.ADD:
            return 0
        low, high = (-math.inf, math.inf) if self.T.kind == "float" else limits(self.T)
        return low if self._atomic is Atomic.MAX else high

    def assignment(self, value: str) -> str:
        joined = f"{self.noun} of the {self.over} of {bare(value)}"
        if self._atomic is Atomic.ADD:
            return f"{self.name} += {joined}"
        return f"{self.name} = {self.noun}({self.name}, {joined})"

    def golden_element(self, suffixes: Mapping[str, str]) -> str:
        """C++ for the element of the result, on the host, that a value is joined to."""
        return f"golden{suffixes[self.name]}[{self.shape.index}]"

    def golden_write(self, value: str, suffixes: Mapping[str, str], extents: tuple[str, str] = ("m", "n")) -> str:
        element = self.golden_element(suffixes)
        assert self.operator is not None
        if self.mean:
            count = " / ".join(f"static_cast<float>({extents[axis]})" for axis in self.axis)
            value = f"{value} / {count}"
        return f"{element} = {self.operator.on_host.format(element, value)};"

    @property
    def _atomic(self) -> Atomic:
        assert self.operator is not None and self.operator.atomic is not None
        return self.operator.atomic

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        import numpy as np

        # The order of an atomic reduction is not defined; the reference takes the exact sum and rounds once.
        wide = np.float64 if self.T.kind == "float" else np.int64
        values = inputs[0] if self.first is None else self.first.evaluate(inputs, tensors)
        joined = self.joined(values.astype(wide), tensors.problem, wide(nearest(self.identity, self.T)))
        tensors.outputs[self.name] = joined.astype(inputs[0].dtype)
        return inputs[0]


class LaneReduce(Reduce):
    """A reduction across the columns: V reduces the lanes of each repeat to one value, only in half and float."""

    def calls(self) -> tuple[tuple[str, ElementType], ...]:
        if self.operator is None or self.operator.lanes is None:
            return super().calls()
        return *super().calls(), (self.operator.lanes, self.T)

    def lane_bytes(self, compute_length: int) -> int:
        """Bytes for one value per row and repeat: the repeats of a tile, and 512 values of room for rounding up.

        Rows are rounded up to data blocks and columns to repeats; neither exceeds the limits of a tile.
        """
        lanes = REPEAT_BYTES // self.T.size
        return (-(-compute_length // lanes) + 512) * self.T.size // BLOCK_BYTES * BLOCK_BYTES + BLOCK_BYTES
