"""The arguments of a kernel that is called from Python: names, shapes, types and strides, as operands of a launch."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..diagnostics.diagnostic import EvtgenError
from ..diagnostics.run import NOT_IN_PLACE, NOT_ITS_ARGUMENTS, WRONG_SHAPE, WRONG_TYPE
from ..diagnostics.suggestions import suggest
from ..frontend.errors import words
from ..graph.ir import Scalar
from ..graph.shapes import GEMM_A, GEMM_B, GEMM_B2, Problem, TensorShape
from ..graph.types import ColumnMajor, ElementType, Layout, RowMajor, uint64
from ..kernels import Matmuls
from ..kernels.groups import POINTERS
from ..model.data import Operands
from ..model.layouts import Place
from ..nodes import AuxScatter, Tensor
from ..nodes.base import named
from ..operators.arrays import ADDED, Array, dtype, unpacked
from ..operators.constants import holds, nearest
from ..planner.plan import Plan
from ..reference.dequantised import refused
from ..system.translation import tr
from .strides import is_packed, meant_text, place, strides_text
from .tensors import array_of

GROUPS, WEIGHT_INDEX = "groups", "weight_index"
"""The arguments with the rows of the groups, and the number of the B that each takes."""

RANKS = "ranks"
"""The argument with the number of ranks."""

Axes = tuple[str, ...]
"""The axes of an array, by the letters of their extents."""

Forms = tuple[tuple[Axes, ...], tuple[Axes, ...]]
"""The axes that an array may have with a part for each matmul, and those of one that all share; the fullest first."""

_ONE = {
    TensorShape.MATRIX: (("M", "N"),),
    TensorShape.ROW: (("1", "N"), ("N",)),
    TensorShape.COLUMN: (("M", "1"), ("M",)),
    TensorShape.SINGLE: (("1", "1"), ("1",), ()),
    TensorShape.BLOCKS: (("K", "N"),),
    TensorShape.GROUPS_OF_A: (("M", "K"),),
}
"""The axes of a tensor of one matmul, all of them first."""


def _axes(tensor: Tensor) -> tuple[Axes, ...]:
    """The axes of a tensor of one matmul, those of a transposed one exchanged; with one in front of a part for each
    rank."""
    if tensor.ranks:
        return (("R", *tensor.extents),)
    return tuple(axes[::-1] for axes in _by_rows(tensor)) if tensor.by_columns else _by_rows(tensor)


def _row_axis(tensor: Tensor) -> int:
    """The axis of an array that counts the rows of a matrix."""
    return -1 if tensor.by_columns else -2


def _by_rows(tensor: Tensor) -> tuple[Axes, ...]:
    """The axes of a tensor of one matmul, its rows first."""
    named = dict(zip(tensor.shape.value, tensor.extents, strict=True))
    return tuple(tuple(named.get(axis, axis) for axis in axes) for axes in _ONE[tensor.shape])


Numbers = tuple[int, ...] | None
"""A list of an argument; None where there is none."""


def named_arguments(plan: Plan, given: Mapping[str, Any]) -> tuple[dict[str, Any], Numbers, int | None, Numbers]:
    """The arguments that the epilogue has by these names, the rows of its groups, how many ranks there are, and the
    numbers of the Bs that groups take. Raises EvtgenError (EVT186)."""
    tensors = {t.name: t for t in plan.tensors}
    names = [*tensors, *(scalar.name for scalar in plan.scalars)]
    known = [name for name in names if name not in tensors or _taken(tensors[name])]
    rest, lists = dict(given), {GROUPS: plan.kernel.several == GROUPS, WEIGHT_INDEX: plan.gemm.weight_index}
    listed: dict[str, Numbers] = dict.fromkeys(lists)
    for name in (name for name, wanted in lists.items() if wanted):
        if name in names:
            raise NOT_ITS_ARGUMENTS.here("called groups", name=plan.name, groups=name)
        if name not in rest:
            raise NOT_ITS_ARGUMENTS.here("no groups" if name == GROUPS else "no weight index", name=plan.name)
        listed[name] = _numbers(name, rest.pop(name))
    ranks = None
    if any(t.ranks for t in plan.tensors):
        if RANKS in names:
            raise NOT_ITS_ARGUMENTS.here("called ranks", name=plan.name, ranks=RANKS)
        ranks = rest.pop(RANKS, None)
        if isinstance(ranks, bool) or not hasattr(ranks, "__index__") or ranks < 1:
            raise NOT_ITS_ARGUMENTS.here("ranks", name=plan.name, ranks=ranks)
    for name in rest:
        if name == GROUPS and name not in names:
            raise NOT_ITS_ARGUMENTS.here("not grouped", name=plan.name)
        if name not in names:
            raise NOT_ITS_ARGUMENTS.here(
                "unknown", help=suggest(name, known) or tr("it has no inputs"), name=plan.name, name2=name
            )
        if name not in known:
            raise NOT_ITS_ARGUMENTS.here("output", name=name, name2=plan.name)
    needed = {t.name: Launch(plan, {}, None).meant(t) for t in plan.tensors if not t.output and t.null_default is None}
    needed |= {s.name: tr("a number of type {T}", T=s.T) for s in plan.scalars if s.default is None}
    if missing := [name for name in needed if name not in rest]:
        each = "; ".join(f"{name}, {needed[name]}" for name in missing)
        raise NOT_ITS_ARGUMENTS.here("missing", name=plan.name, missing=each, first=missing[0])
    return rest, listed[GROUPS], ranks, listed[WEIGHT_INDEX]


def _taken(tensor: Tensor) -> bool:
    """Whether a kernel reads what its caller has put into a tensor."""
    return not tensor.output or tensor.initial is not None


def _numbers(name: str, given: Any) -> tuple[int, ...]:
    """The rows of the groups; or numbers of Bs, -1 for none. Raises EvtgenError (EVT186)."""
    array, least = np.asarray(given), -1 if name == WEIGHT_INDEX else 0
    if array.ndim == 1 and (not array.size or (array.dtype.kind in "iu" and (array >= least).all())):
        return tuple(map(int, array))
    raise NOT_ITS_ARGUMENTS.here("groups" if name == GROUPS else "weight index", groups=given)


@dataclass
class Launch:
    """A launch, as its arrays say it.

    Attributes:
        plan: of the epilogue.
        given: tensors and numbers by name.
        groups: the rows of the groups; None where it is not grouped.
        ranks: how many there are; None where no output goes to any.
        weights: the number of the B that each group takes, or -1; None where each has its own.
        copy: an array that the kernel cannot read in place may be copied.
        extents: of the axes, by their letters: M, N, K, L of a batch, G of groups, W of Bs that they take, R of ranks,
            and 1.
        shared: the tensors that all matmuls have in common.
        repeats: those of which several matmuls of a batch, one after the other, take one part, and how many do.
        converted: the arrays that are copies already, since they had another type.
        places: of arrays that the kernel reads in place, although they are not packed.
        rows: of outputs to whose rows others are scattered, how many the caller's array has where these are fewer than
            M. The kernel is given M, and those behind are left out.
    """

    plan: Plan
    given: dict[str, Any]
    groups: Numbers
    ranks: int | None = None
    weights: Numbers = None
    copy: bool = False
    extents: dict[str, int] = field(default_factory=dict)
    shared: set[str] = field(default_factory=set)
    repeats: dict[str, int] = field(default_factory=dict)
    converted: set[str] = field(default_factory=set)
    places: dict[str, Place] = field(default_factory=dict)
    rows: dict[str, int] = field(default_factory=dict)

    @property
    def front(self) -> str | None:
        """The letter of the axis that counts the matmuls."""
        return {"batch": "L", GROUPS: "G", None: None}[self.plan.kernel.several]

    @property
    def problem(self) -> Problem:
        """What the launch computes, once its arrays are known."""
        extents = self.extents
        shape = extents["M"], extents["N"], extents["K"]
        asked = Matmuls(extents.get("L"), self.groups, extents.get("R"))
        problem = self.plan.kernel.problem(shape, asked, frozenset(self.shared))
        repeats = frozenset(self.repeats.items())
        return replace(problem, repeats=repeats, weights=self.weights, weight_count=extents.get("W", 0))

    @property
    def null(self) -> list[str]:
        """The inputs that are null pointers."""
        return [t.name for t in self.plan.tensors if not t.output and t.name not in self.given]

    def operands(self, a: Any, b: Any) -> Operands:
        """All arrays, with two axes; without rows behind those of the groups. Raises EvtgenError (EVT187, EVT188,
        EVT255)."""
        (of_a, of_b), strides = self.plan.operands, self.plan.kernel.strides
        self._of_one_shape(a)
        a, b = self._with_k(self._typed("a", a, of_a), self._side_by_side(b, of_b))
        tensors = [t for t in self.plan.tensors if t.name in self.given]
        arrays = {t.name: self._typed(t.name, self.given[t.name], t.element) for t in tensors}
        self._measure(a, b, arrays.values())
        repeats = bool(self.plan.kernel.repeated)
        a = self._placed("a", GEMM_A, of_a, a, self._forms((("M", "K"),), GEMM_A in strides), repeats=repeats)
        self._lies("a", GEMM_A, a, self.plan.gemm.layout_a)
        b = self._placed("b", GEMM_B, of_b, b, self._forms_of_b(), repeats=repeats)
        if self.plan.gemm.accumulators != "separate" and not self._pointers:
            self._lies("b", GEMM_B, b, self.plan.gemm.layout_b)
        for t in tensors:
            repeats, forms = self.plan.kernel.may_repeat(t), self._forms_of(t)
            array = self.filled(t, arrays[t.name])
            array = self._placed(t.name, t.name, t.element, array, forms, read=not t.output, repeats=repeats)
            whole = array.reshape(self._whole(t))
            if not t.output:
                # The elements of a column are neighbours, too.
                layout = ColumnMajor if t.shape.columns == "1" else RowMajor
                self._lies(t.name, t.name, whole, layout, turned=t.by_columns)
            stacked = self._stacked(t, whole)
            arrays[t.name] = stacked[self._computed(t, len(stacked))]
            if t.indexes and not any(t.name == other.ranks for other in self.plan.tensors):
                self._names_rows(t.name, arrays[t.name])
                # Rows that are left alone go nowhere.
                arrays[t.name] = np.where(self._multiplied(rows=True)[:, None], arrays[t.name], np.int32(-1))
        joined = [t.name for t in self.plan.tensors if t.output and t.name in self.shared]
        if joined and not self._multiplied(rows=False).all():
            raise NOT_ITS_ARGUMENTS.here("left alone", name=joined[0])
        numbers = {scalar.name: _number(scalar, self.given.get(scalar.name)) for scalar in self.plan.scalars}
        k, columns = self.extents["K"], self.extents[self._columns]
        rows = self.problem.size(GEMM_A, TensorShape.COLUMN)[0]
        return Operands(a.reshape(-1, k)[:rows], b.reshape(-1, columns), {**arrays, **numbers})

    def _with_k(self, a: Array, b: Array) -> tuple[Array, Array]:
        """A and B. Of groups of K that are all empty, with one column and one row of zeros, which no group has."""
        if not self.plan.kernel.axis or a.ndim != 2 or b.ndim != 2 or a.shape[1] or b.shape[0]:
            return a, b
        return np.zeros((len(a), 1), a.dtype), np.zeros((1, b.shape[1]), b.dtype)

    def _multiplied(self, *, rows: bool) -> Array:
        """Of each matmul, or each of their rows, whether it is computed: not that of a group that takes no B."""
        taken = np.array(self.weights or self.problem.rows, int) >= 0
        return np.repeat(taken, np.array(self.problem.rows, int)) if rows else taken

    def _of_one_shape(self, a: Any) -> None:
        """Matrices of a batch in a list. Raises EvtgenError (EVT187)."""
        shapes = [tuple(getattr(one, "shape", ())) for one in a] if isinstance(a, list | tuple) else []
        if self.front == "L" and len(set(shapes)) > 1 and all(shapes):
            rows = [shape[0] for shape in shapes]
            raise WRONG_SHAPE.here("chunks", name=self.plan.name, shapes=", ".join(map(str, shapes)), groups=rows)

    def _whole(self, tensor: Tensor) -> tuple[int, ...]:
        """The shape of a tensor as callers have it, with all its axes and all rows that there is room for."""
        parts = (self._parts(tensor),) if self.plan.kernel.strided(tensor) and tensor.name not in self.shared else ()
        return (*parts, *(self.extents[letter] for letter in _axes(tensor)[0]))

    def _parts(self, tensor: Tensor) -> int:
        return self.plan.kernel.parts(tensor, self.problem)

    def _stacked(self, tensor: Tensor, whole: Array) -> Array:
        """A tensor as a kernel's reference has it: (M, N) of all matmuls, one after the other."""
        rows, columns = (self.extents[letter] for letter in _by_rows(tensor)[0])
        turned = whole.swapaxes(-1, -2) if tensor.by_columns else whole
        return turned.reshape(self._parts(tensor) * rows, columns)

    def result(self, tensor: Tensor, computed: Array | None, operands: Operands, before: Array | None) -> Array:
        """An output as the caller gets it: those of a batch with an axis in front. Where the kernel writes nothing, it
        has what was there ``before``, else 0; a reduction of no rows, what it is joined to.

        Args:
            computed: what the kernel has left, stacked; None if there are no rows.
        """
        rows, columns = (self.extents[letter] for letter in _by_rows(tensor)[0])
        if before is None:
            whole = np.zeros((self._parts(tensor) * rows, columns), dtype(tensor.element))
        else:
            whole = self._stacked(tensor, self.filled(tensor, before).reshape(self._whole(tensor))).copy()
        own = np.arange(len(whole))[self._computed(tensor, len(whole)) if computed is not None else slice(None)]
        if tensor.initial is not None:
            whole[own] = operands.inputs.get(tensor.name, nearest(tensor.initial, tensor.element))
        if computed is not None:
            written = self._written(tensor, operands, len(computed))
            whole[own[written]] = computed[written]
        parts: Array = whole.reshape(self._parts(tensor), rows, columns)[:, : self.rows.get(tensor.name, rows)]
        return np.ascontiguousarray(parts.swapaxes(1, 2) if tensor.by_columns else parts).reshape(self.shape(tensor))

    def shape(self, tensor: Tensor) -> tuple[int, ...]:
        """The shape of an output as callers have it."""
        shape = [self.extents[letter] for letter in self._forms_of(tensor)[tensor.name in self.shared][0]]
        if tensor.name in self.rows:
            shape[_row_axis(tensor)] = self.rows[tensor.name]
        return tuple(shape)

    def filled(self, tensor: Tensor, array: Array) -> Array:
        """An array of M rows: with zeros behind the rows of one to which rows are scattered, and which has fewer."""
        scattered = {node.name for _, node in self.plan.nodes() if isinstance(node, AuxScatter) and not node.ranks}
        axis = _row_axis(tensor)
        if tensor.name not in scattered or array.ndim < 2 or array.shape[axis] >= self.extents["M"]:
            return array
        self.rows[tensor.name] = array.shape[axis]
        widths = [(0, 0)] * array.ndim
        widths[axis] = 0, self.extents["M"] - array.shape[axis]
        return np.pad(array, widths)

    def _computed(self, tensor: Tensor, count: int) -> Array:
        """Which of so many stacked rows a launch has: not those behind its groups, in the memory of each rank."""
        own = tensor.size(self.problem)[0]
        parts = self.problem.ranks if tensor.ranks else 1
        return np.arange(count) % max(1, count // parts) < own // parts

    def _written(self, tensor: Tensor, operands: Operands, count: int) -> Array:
        """Which of so many stacked rows the kernel writes: not those that no number names, nor an empty group's."""
        if tensor.rows:
            return np.isin(np.arange(count), named(tensor, operands.inputs, self.problem)[1])
        if tensor.shape.rows == "1" and tensor.initial is None:
            return (np.array(self.problem.rows) > 0) & self._multiplied(rows=False)
        if self.weights is None or tensor.name in self.shared:
            return np.ones(count, bool)
        return self._multiplied(rows=tensor.shape.rows == "M")

    def _names_rows(self, name: str, numbers: Array) -> None:
        """Numbers of rows of the groups, or of none. Raises EvtgenError (EVT187)."""
        behind = (numbers >= self.problem.m) & (numbers < self.problem.m + self.problem.room)
        if behind.any():
            raise WRONG_SHAPE.here("behind groups", name=name, number=numbers[behind][0])

    def _lies(self, name: str, tensor: str, array: Array, layout: Layout, *, turned: bool = False) -> None:
        """Note where an array lies, which its caller has ``turned``. Raises EvtgenError (EVT255)."""
        along = -1 if layout.by_rows else -2
        lies = place(array, along)
        # No strides say how a fractal matrix lies.
        if name in self.converted or layout.fractal or (lies is None and self.copy):
            return
        if lies is not None:
            if array.size and not is_packed(array, lies):
                self.places[tensor] = lies._replace(by_rows=lies.by_rows != turned)
            return
        raise NOT_IN_PLACE.here(
            name=name, shape=array.shape, strides=strides_text(array), meant=meant_text(array, along)
        )

    def meant(self, tensor: Tensor) -> str:
        """The type and the shape that an input of the epilogue has."""
        return tr("{T} of {shape}", T=tensor.element, shape=self._text(*self._forms_of(tensor)))

    def _forms_of(self, tensor: Tensor) -> Forms:
        own, shared = self._forms(_axes(tensor), self.plan.kernel.strided(tensor))
        return own, shared if self.plan.kernel.may_share(tensor) else ()

    @property
    def _columns(self) -> str:
        """The axis of B's columns."""
        return "N" if self.plan.accumulators == 1 else "2N"

    def _forms_of_b(self) -> Forms:
        """The forms of B: where a list names Bs, no two groups share one without it."""
        own, shared = self._forms((("K", self._columns),), GEMM_B in self.plan.kernel.strides)
        if self.weights is not None:
            return (("W", "K", self._columns),), ()
        return own, () if self._pointers else shared

    @property
    def _pointers(self) -> bool:
        return self.plan.gemm.weights == POINTERS

    def _one_b(self, name: str, tensor: str, b: Any, of_b: ElementType) -> Array:
        """A B; or several, each an array of its own, stacked. Raises EvtgenError (EVT187, EVT188, EVT255)."""
        if not self._pointers or not isinstance(b, tuple | list):
            return self._typed(name, b, of_b)
        if not b:
            raise WRONG_SHAPE.here("no Bs", name=name)
        layout, lie = self.plan.gemm.layout_b, set()
        each = [self._typed(f"{name}[{i}]", one, of_b) for i, one in enumerate(b)]
        for i, one in enumerate(each):
            if one.ndim != 2 or one.shape != each[0].shape:
                raise WRONG_SHAPE.here("pointers", name=f"{name}[{i}]", shape=one.shape, first=each[0].shape)
            self._lies(f"{name}[{i}]", tensor, one, layout)
            lie.add(self.places.pop(tensor, None))
            if len(lie) > 1 and not self.copy:
                text = strides_text(one), strides_text(each[0])
                raise NOT_IN_PLACE.here(name=f"{name}[{i}]", shape=one.shape, strides=text[0], meant=text[1])
        return np.stack(each)

    def _side_by_side(self, b: Any, of_b: ElementType) -> Array:
        """B, or both. Raises EvtgenError (EVT187, EVT188, EVT255)."""
        if self.plan.gemm.accumulators != "separate":
            return self._one_b("b", GEMM_B, b, of_b)
        if not isinstance(b, tuple | list) or len(b) != 2:
            raise WRONG_SHAPE.here(
                "two Bs", name=self.plan.name, given=tr("one") if hasattr(b, "shape") else tr("no pair of them")
            )
        bs = zip((GEMM_B, GEMM_B2), b, strict=True)
        first, second = (self._one_b(f"b[{i}]", tensor, one, of_b) for i, (tensor, one) in enumerate(bs))
        if first.shape != second.shape:
            raise WRONG_SHAPE.here("unequal Bs", shape=first.shape, shape2=second.shape)
        if first.ndim not in (2, 3):
            return first
        if not self._pointers:
            self._lies("b[0]", GEMM_B, first, self.plan.gemm.layout_b)
            self._lies("b[1]", GEMM_B2, second, self.plan.gemm.layout_b)
        return np.concatenate((first, second), axis=-1)

    def _require_scales(self, name: str, array: Array) -> None:
        """Scales that the cube core takes as it stores a product. Raises EvtgenError (EVT188)."""
        if array.dtype.kind not in "iu":
            raise WRONG_TYPE.here("scales", name=name, dtype=array.dtype)
        wrong = refused(array.astype(np.uint64), shifts=self.plan.arch.name == "AtlasA2")
        if wrong.any():
            raise WRONG_TYPE.here("bits", name=name, bits=int(array[wrong][0]))

    def _typed(self, name: str, given: Any, element: ElementType) -> Array:
        """An array of a type with the values that were given; of a type of 4 bits also from bytes that have two each,
        along the lines of the operand. Raises EvtgenError (EVT188)."""
        wanted, to = f"{'ml_dtypes' if element.numpy in ADDED else 'numpy'}.{element.numpy}", dtype(element)
        array = _array(name, given, wanted)
        if element == uint64:
            self._require_scales(name, array)
        if element.packed > 1 and array.dtype == np.uint8:
            self.converted.add(name)
            along = -1 if (self.plan.gemm.layout_a if name == "a" else self.plan.gemm.layout_b).by_rows else -2
            return np.moveaxis(_in_bytes(np.moveaxis(array, along, -1), element), -1, along)
        if element.packed > 1:
            self.converted.add(name)  # no kernel reads a byte for each
        if array.dtype == to:
            return array
        if array.dtype == object:
            kind = type(given).__name__
            raise WRONG_TYPE.here("no array", name=name, kind=kind, wanted=wanted)
        if array.dtype.kind not in "biuf" and array.dtype.name not in ADDED:
            raise WRONG_TYPE.here("type", name=name, dtype=array.dtype, wanted=wanted)
        with np.errstate(all="ignore"):
            typed = array.astype(to)
            if array.dtype.kind in "biu" and to.kind in "iu":
                lost = (typed != array) | ((typed < 0) != (array < 0))
            else:
                before, after = array.astype(np.float64), typed.astype(np.float64)
                lost = (before != after) & ~(np.isnan(before) & np.isnan(after))
        if lost.any():
            raise WRONG_TYPE.here(
                "values", name=name, dtype=array.dtype, element=element, array=array[lost][0], wanted=wanted
            )
        self.converted.add(name)
        return typed

    def _measure(self, a: Array, b: Array, others: Iterable[Array]) -> None:
        """Take the extents from the operands. Raises EvtgenError (EVT187)."""
        for name, array, axes in (("a", a, ("M", "K")), ("b", b, ("K", self._columns))):
            if array.size == 0 and (
                (name == "b" and 0 in array.shape[-2:])
                or array.shape[-1] == 0
                or (self.front == "L" and not array.shape[0])
            ):
                raise WRONG_SHAPE.here("empty", name=name, shape=array.shape)
            if array.ndim not in (2, 3):
                element = self.plan.operands[name == "b"]
                raise _wrong(name, element, array, self._text(*self._forms((axes,), self.front is not None)))
        (m, k), (of_b, columns) = a.shape[-2:], b.shape[-2:]
        if k != of_b:
            raise WRONG_SHAPE.here("K", k=k, of_b=of_b, columns=self._columns)
        n, more = divmod(columns, self.plan.accumulators)
        if more:
            raise WRONG_SHAPE.here("halves", columns=columns)
        own = {letters: size for t in self.plan.tensors for letters, size in t.sizes(n, k).items()}
        self.extents = {**own, "1": 1, "M": m, "N": n, "2N": columns, "K": k}
        if self.front == "L":
            first, *more = [array.shape[0] for array in (a, b) if array.ndim == 3] or [
                *(array.shape[0] for array in others if array.ndim == 3), 0
            ][:1]  # fmt: skip
            many = max(first, *(one for one in more if first and one % first == 0), 0)
            if not many:
                raise WRONG_SHAPE.here("batch", name=self.plan.name)
            self.extents["L"] = many
        if self.groups is not None:
            if self.plan.kernel.axis == 0 and sum(self.groups) > m:
                raise WRONG_SHAPE.here("rows", groups=sum(self.groups), m=m)
            if self.plan.kernel.axis and sum(self.groups) > k:
                raise WRONG_SHAPE.here("K of groups", groups=sum(self.groups), k=k)
            self.extents["G"] = len(self.groups)
        if self.ranks is not None:
            self.extents["R"] = self.ranks
        if self.weights is not None:
            self._count(b, self.weights, self.groups or ())

    def _count(self, b: Array, weights: tuple[int, ...], groups: tuple[int, ...]) -> None:
        """Take how many Bs there are, which groups take by their numbers. Raises EvtgenError (EVT187)."""
        self.extents["W"] = bs = b.shape[0] if b.ndim == 3 else 1
        if len(weights) != len(groups):
            raise WRONG_SHAPE.here("weights", weights=len(weights), groups=len(groups))
        if b.ndim == 3 and max(weights, default=0) >= max(bs, 1):
            raise WRONG_SHAPE.here("weight", number=max(weights), bs=bs)

    def _forms(self, axes: tuple[Axes, ...], strided: bool) -> Forms:
        """The axes of an array with a part for each matmul, and of one that they share."""
        if self.front is None or not strided:
            return axes, ()
        own = tuple((self.front, *some) for some in axes)
        if self.front == "G" and axes[0][0] == "1":
            own = ((self.front, *axes[0][1:]), *own)
        return own, axes

    def _placed(
        self, name: str, tensor: str, element: ElementType, array: Array, forms: Forms, *, read: bool = True,
        repeats: bool = False,
    ) -> Array:  # fmt: skip
        """The array, noted as shared if it is; one that is ``read`` is, too, if each of its parts is the same memory.
        One that ``repeats`` has a part for every so many matmuls. Raises EvtgenError (EVT187)."""
        for shared, several in enumerate(forms):
            for axes in several:
                shape = tuple(self.extents[letter] for letter in axes)
                if array.shape == shape:
                    same = read and not shared and bool(forms[1]) and array.strides[0] == 0 and len(array) > 1
                    self.shared |= {tensor} if shared or same else set()
                    return np.asarray(array[0]) if same else array
                if repeats and not shared and array.shape[1:] == shape[1:] and shape[0] % max(1, len(array)) == 0:
                    if len(array) == 1:
                        self.shared.add(tensor)
                        return np.asarray(array[0])
                    self.repeats[tensor] = shape[0] // len(array)
                    return array
        raise _wrong(name, element, array, self._text(*forms))

    def _text(self, own: tuple[Axes, ...], shared: tuple[Axes, ...]) -> str:
        """The shapes that are meant, in letters and, where they are known, in numbers."""
        return ", or ".join(self._form(axes[0]) for axes in (own, shared) if axes)

    def _form(self, axes: Axes) -> str:
        letters = ", ".join(axes)
        known = all(letter in self.extents for letter in axes) and set(axes) != {"1"}
        return f"({letters}) = ({', '.join(str(self.extents[a]) for a in axes)})" if known else f"({letters})"


def _in_bytes(array: Array, element: ElementType) -> Array:
    """The elements in bytes whose last axis is that of the lines."""
    return unpacked(np.ascontiguousarray(array).reshape(-1), element).reshape(*array.shape[:-1], -1)


def _wrong(name: str, element: ElementType, array: Array, meant: str) -> EvtgenError:
    return WRONG_SHAPE.here("shape", name=name, shape=array.shape, meant=meant, T=element)


def _array(name: str, given: Any, wanted: str) -> Array:
    """An array of numpy's. Raises EvtgenError (EVT188)."""
    try:
        return array_of(given)
    except Exception as error:
        why = words(error)
        raise WRONG_TYPE.here("unreadable", name=name, wanted=wanted, why=why) from None


def _number(scalar: Scalar, given: Any) -> Array:
    """A number given at run time, (1, 1). Raises EvtgenError (EVT188)."""
    value = scalar.default if given is None else given
    array = np.asarray(value)
    if array.size != 1 or array.dtype.kind not in "biuf":
        raise WRONG_TYPE.here("no number", name=scalar.name, value=value, T=scalar.T)
    number = array.item()
    if not holds(scalar.T, number):
        raise WRONG_TYPE.here("number", name=scalar.name, number=number, T=scalar.T)
    return np.full((1, 1), nearest(number, scalar.T), dtype(scalar.T))


def outputs_of(plan: Plan, launch: Launch, out: Any) -> dict[str, Array]:
    """The arrays that outputs are written into, by their names: ``out``, where there is one output, or a dict. Raises
    EvtgenError (EVT186 to EVT188)."""
    outputs = {t.name: t for t in plan.tensors if t.output}
    if out is None:
        return {}
    if not isinstance(out, dict):
        if len(outputs) > 1:
            raise NOT_ITS_ARGUMENTS.here("one out", name=plan.name, output=repr(next(iter(outputs))))
        out = dict.fromkeys(outputs, out)
    into = {}
    for name, given in out.items():
        if name not in outputs:
            raise NOT_ITS_ARGUMENTS.here("no output", help=suggest(name, list(outputs)), name=plan.name, name2=name)
        label, tensor = f"out[{name!r}]", outputs[name]
        array = _array(label, given, tensor.element.numpy)
        if not hasattr(given, "shape") or array.dtype != dtype(tensor.element) or not array.flags.writeable:
            kind = array.dtype if hasattr(given, "shape") else type(given).__name__
            raise WRONG_TYPE.here("not writable", name=label, kind=kind, wanted=dtype(tensor.element))
        if name not in launch.given:
            launch.filled(tensor, array)
        if array.shape != launch.shape(tensor):
            raise WRONG_SHAPE.here("out", name=label, shape=array.shape, meant=launch.shape(tensor))
        into[name] = array
    return into
