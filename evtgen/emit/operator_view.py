"""The view of an epilogue as an operator of PyTorch: its operands, tensors and numbers as C++, its schema, its stub."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass

from ..graph.ir import Scalar
from ..graph.shapes import WHOLE, Columns, TensorShape
from ..graph.types import ColumnMajor, ElementType, RowMajor, uint64
from ..kernels import Kernel, Names
from ..kernels.groups import COUNTS, POINTERS
from ..nodes import Tensor
from ..passes.analysis.cpp_names import macros_among
from ..planner.plan import Plan
from ..planner.widening import loads_of
from ..targets import AtlasA2
from .formula import formula
from .framework import Framework
from .header import header_view

GROUPS, WEIGHT_INDEX = "groups", "weight_index"
OPERANDS = ("a", "b", "b2")

_AT = {
    "float16": "Half", "bfloat16": "BFloat16", "float32": "Float", "float8_e4m3fn": "Float8_e4m3fn",
    "float8_e5m2": "Float8_e5m2", "float8_e8m0fnu": "Float8_e8m0fnu", "float4_e2m1fn": "Float4_e2m1fn_x2",
    "int8": "Char", "uint8": "Byte", "int16": "Short", "int32": "Int",
    "int64": "Long", "uint64": "Long",
}  # fmt: skip
"""ATen's names of the types, by numpy's. Of uint64 those of torch_npu, whose ``npu_trans_quant_param`` makes int64."""

_AXES = {
    TensorShape.MATRIX: (("M", "N"),),
    TensorShape.ROW: (("1", "N"), ("N",)),
    TensorShape.COLUMN: (("M", "1"), ("M",)),
    TensorShape.SINGLE: (("1", "1"), ("1",), ()),
    TensorShape.BLOCKS: (("K", "N"),),
    TensorShape.GROUPS_OF_A: (("M", "K"),),
}
"""The axes that a tensor of one matmul may have, the fullest first; each has another number of them."""

_FRONT = {"batch": "L", "groups": "G", None: ""}
_CPP = {
    "M": "m", "N": "n", "2N": "2 * n", "K": "k", "L": "count", "G": "count", "W": "weights", "1": "1",
    "K/2": "k / 2", "N/2": "n / 2", "2N/2": "n",
}  # fmt: skip

Axes = tuple[str, ...]


@dataclass(frozen=True)
class OperandView:
    """An operand of the matmul: its name in the schema, its variable, its letters in the kernel, ATen's type, the forms
    and the numbers of dimensions that it may have, the field of its stride; whether it is a list of matrices, and the
    axis that counts them."""

    name: str
    variable: str
    letters: str
    element: ElementType
    axes: tuple[Axes, ...]
    stride: str
    by_columns: bool
    repeats: bool
    listed: str = ""

    @property
    def tested(self) -> Axes:
        """The axes of all that is given in a test."""
        return (self.listed, *self.axes[0]) if self.listed else self.axes[0]

    @property
    def repeat(self) -> str:
        """The variable that says how many matmuls take the same part; empty where each has its own."""
        return f"repeatOperand{self.letters[0]}" * self.repeats  # two Bs repeat together

    @property
    def field(self) -> str:
        return f"operand{self.letters}"

    @property
    def packed(self) -> bool:
        """Whether it is given as bytes that have two elements each."""
        return self.element.packed > 1

    @property
    def given(self) -> str:
        """The variable of the argument."""
        return f"{self.variable}Given" if self.packed else self.variable

    @property
    def extents(self) -> str:
        """Its rows and columns, as C++."""
        return ", ".join(_CPP[axis.removesuffix("/2")].replace("k", "given.k") for axis in self.axes[-1][-2:])

    def place(self, either: bool) -> str:
        """The last arguments of the call that reads it; B may lie ``either`` way."""
        own_rank = 3 if self.stride else None
        if either and self.letters != "A":
            return _place(f"{'!' * self.by_columns}arguments.turnsB", own_rank)
        return _place(self.by_columns, own_rank)

    @property
    def held(self) -> str:
        """The type of the tensor that holds it, by its name in torch."""
        return "uint8" if self.packed else self.element.numpy

    @property
    def type(self) -> str:
        return f"at::k{_AT[self.held]}"

    @property
    def pairs(self) -> str:
        """ATen's type of two elements in a byte, where it has one."""
        return f"at::k{_AT[self.element.numpy]}" if self.element.numpy in _AT else ""

    @property
    def forms(self) -> str:
        return _forms(self.axes, self.repeat)

    @property
    def ranks(self) -> str:
        return ", ".join(str(len(axes)) for axes in self.axes)

    @property
    def second(self) -> bool:
        return self.variable == "b2"


@dataclass(frozen=True)
class TensorView:
    """A tensor of the epilogue: as an operand, and the suffix of its names, its layout in the kernel, whether each
    matmul may have a part of its own, and, of an output, the call that makes it."""

    name: str
    suffix: str
    tensor: Tensor
    axes: tuple[Axes, ...]
    strided: bool
    layout: str
    made: str
    repeats: bool

    @property
    def repeat(self) -> str:
        """The variable that says how many matmuls take the same part; empty where each has its own."""
        return f"repeatTensor{self.suffix}" * self.repeats

    @property
    def field(self) -> str:
        return self.variable

    @property
    def variable(self) -> str:
        """Of the operator, and the field of the launch."""
        return f"tensor{self.suffix}"

    @property
    def place(self) -> str:
        """The last arguments of the call that reads it. Elements of a column are neighbours, too."""
        axes = self.axes[0]
        return _place(len(axes) > 1 and axes[-1] == "1" != axes[-2], len(axes) if self.strided else None)

    @property
    def element(self) -> str:
        return "int64" if self.tensor.element == uint64 else self.tensor.element.name

    @property
    def packed(self) -> bool:
        """Whether it has two elements in a byte."""
        return self.tensor.element.packed > 1

    @property
    def type(self) -> str:
        return f"at::k{_AT[self.tensor.element.numpy]}"

    @property
    def extents(self) -> str:
        return self.tensor.size_text

    @property
    def forms(self) -> str:
        return _forms(self.axes, self.repeat)

    @property
    def optional(self) -> bool:
        return self.tensor.null_default is not None


@dataclass(frozen=True)
class NumberView:
    """A number given at run time: its variable, its field, its type on the host and in the kernel."""

    name: str
    suffix: str
    scalar: Scalar

    @property
    def field(self) -> str:
        return f"value{self.suffix}"

    @property
    def variable(self) -> str:
        return f"number{self.suffix}"

    @property
    def element(self) -> str:
        return self.scalar.T.name

    @property
    def whole(self) -> bool:
        return self.scalar.T.kind == "int"

    @property
    def range(self) -> str:
        """The least and the largest finite value of its type."""
        T = self.scalar.T
        lowest = (-(2.0**T.precision) if T.signed else 0.0) if self.whole else -T.largest
        return f"{lowest!r}, {T.largest!r}"

    @property
    def host(self) -> str:
        return "int64_t" if self.whole else "float"

    @property
    def cpp(self) -> str:
        return self.scalar.T.cpp


@dataclass(frozen=True)
class Parameter:
    """A parameter of an operator: its name, its types in the schema, in C++ and in Python, and its default; None
    without."""

    name: str
    schema: str
    cpp: str
    python: str
    default: str | None = None


class OperatorView:
    """An epilogue as an operator."""

    def __init__(self, plan: Plan, namespace: str, fw: Framework, *, either: bool) -> None:
        self.plan, self.name, self.kernel = plan, plan.name, plan.kernel
        self.header, self.either = header_view(plan, fw), either
        self.other_layout = (RowMajor if plan.gemm.layout_b == ColumnMajor else ColumnMajor).cpp
        self.several = plan.kernel.several
        self.grouped, self.halves = self.several == GROUPS, plan.gemm.accumulators == "halves"
        self.by_rows = self.grouped and self.kernel.axis == 0
        self.group_type, self.counts = plan.gemm.group_type, plan.gemm.group_list == COUNTS
        self.entry = f"{namespace}_{plan.name}"
        self.meets, self.sets_sync = plan.meets, plan.arch.npu == AtlasA2.npu
        self.casts = plan.widening is not None
        self.hidden = macros_among([plan.name, *plan.suffixes])
        taken = {*(t.name for t in plan.tensors if not t.output or t.ranks), *(s.name for s in plan.scalars)}
        self.groups, self.weight_index = _free(GROUPS, taken), ""
        self.pointers = plan.gemm.weights == POINTERS
        if plan.gemm.weight_index:
            self.weight_index = _free(WEIGHT_INDEX, taken)
        self.operands = tuple(self._operands(taken))
        self.tensors = tuple(self._tensor(tensor) for tensor in plan.tensors)
        self.inputs = tuple(view for view in self.tensors if not view.tensor.output)
        made = (view for name in plan.results for view in self.tensors if view.name == name)
        self.outputs = tuple(view for view in made if not view.tensor.ranks)
        self.sent = tuple(view for view in self.tensors if view.tensor.ranks)
        self.numbers = tuple(NumberView(s.name, plan.suffixes[s.name], s) for s in plan.scalars)
        self.formula = tuple(formula(plan))
        self._parameters = tuple(self._in_order())

    @property
    def spec(self) -> str:
        """The name in the spec."""
        return getattr(self.plan.epilogue, "operator", self.name)

    @property
    def extent_k(self) -> str:
        """K, as C++ of the columns of A."""
        return f"{'2 * ' * self.operands[0].packed}a.sym_size(-1)"

    @property
    def extent_n(self) -> str:
        """N, as C++ of the columns of B."""
        b = self.operands[1]
        columns = f"{'2 * ' * (b.packed and not b.by_columns)}b{'[0]' * self.pointers}.sym_size(-1)"
        return f"{columns} / 2" if self.halves else columns

    @property
    def lines(self) -> str:
        """The lines of A that lie in groups."""
        return "rows" if self.by_rows else "columns"

    @property
    def group_kind(self) -> str:
        """ATen's type of a list of groups."""
        return f"at::k{_AT[self.group_type.numpy]}"

    @property
    def parts(self) -> list[tuple[str, str, Columns]]:
        """The parts of the columns, and the blocks and groups of K, that tensors have: their counts in letters, the
        extent that they are of, and which of it they are."""
        columns = {t.columns.count: ("N", t.columns) for t in self.plan.tensors if t.columns != WHOLE}
        deep = {
            letters: ("K", Columns(step=t.depth))
            for t in self.plan.tensors
            for letters, side in zip(t.extents, t.shape.value, strict=True)
            if side == "K" and t.depth > 1
        }
        return [(letters, *part) for letters, part in {**columns, **deep}.items()]

    @property
    def accumulators(self) -> tuple[str, ...]:
        """The parameters of the spec's function that are accumulators."""
        function = self.plan.epilogue.function
        own = {*(view.name for view in self.inputs), *(number.name for number in self.numbers)}
        return () if function is None else tuple(n for n in inspect.signature(function).parameters if n not in own)

    @property
    def compared(self) -> bool:
        """Whether the spec's function says what one matmul is: it does not where rows go elsewhere among those of
        several, a tensor lies transposed, B is scaled, or a rounding to 4 bits shows where one before it was."""
        moved = any(t.indexes or t.by_columns or t.rows or t.element.packed > 1 for t in self.plan.tensors)
        moved = moved or any(loads_of(self.plan.gemm))
        return self.plan.epilogue.function is not None and not moved

    @property
    def launch(self) -> tuple[str, ...]:
        """The first arguments of the kernel, as C++."""
        groups, a, b = (f"ToPointer(given.{field})" for field in (GROUPS, "operandA.address", "operandB.address"))
        return self.kernel.arguments(Names("shape", "given.count", groups, a, b, "epilogue.ToEvt()"))

    @property
    def repeats(self) -> tuple[OperandView | TensorView, ...]:
        """The tensors of which several matmuls may take one part."""
        views: tuple[OperandView | TensorView, ...] = (*self.operands[:2], *self.inputs)
        return tuple(view for view in views if view.repeat)

    @property
    def parameters(self) -> list[str]:
        return [one.cpp for one in self._parameters]

    @property
    def schema(self) -> str:
        """The schema of ``TORCH_LIBRARY``."""
        results = ["Tensor"] * len(self.outputs)
        given = ", ".join(self._listed(lambda one: f"{one.schema} {one.name}"))
        return f"{self.name}({given}) -> {results[0] if len(results) == 1 else '(' + ', '.join(results) + ')'}"

    @property
    def stub(self) -> list[str]:
        return self._listed(lambda one: f"{one.name}: {one.python}", " = ")

    @property
    def stub_returns(self) -> str:
        count = len(self.outputs)
        return "Tensor" if count == 1 else f"tuple[{', '.join(['Tensor'] * count)}]" if count else "None"

    @property
    def returns(self) -> str:
        count = len(self.outputs)
        return "at::Tensor" if count == 1 else f"std::tuple<{', '.join(['at::Tensor'] * count)}>" if count else "void"

    @property
    def returned(self) -> str:
        names = ", ".join(view.variable for view in self.outputs)
        return names if len(self.outputs) < 2 else f"{{{names}}}"

    @property
    def explained(self) -> Iterator[str]:
        """The arguments and the results, a line each."""
        for operand in self.operands:
            how = ", by columns: w.mT of a weight w" if operand.by_columns else ""
            how = ", by rows or by columns" if self.either and operand.letters != "A" else how
            many = f"a list of {operand.listed} of " if operand.listed else ""
            two = ", two in a byte" * operand.packed
            yield f"{operand.name}: {operand.element}{two}, {many}{_said(operand.axes, operand.repeats)}{how}"
        for view in self.inputs:
            yield f"{view.name}: {view.element}, {_said(view.axes, view.repeats)}"
        for number in self.numbers:
            yield f"{number.name}: {number.element}"
        if self.grouped:
            says = f"the {self.lines} of each group" if self.counts else f"the {self.lines} at which each group ends"
            yield f"{self.groups}: {self.group_type}, (G), {says}"
        if self.weight_index:
            yield f"{self.weight_index}: {self.group_type}, (G), the number of the b that each group takes"
        for view in self.sent:
            yield f"{view.name}: for each rank, {view.element}, (rows, N) in its memory, which are written to"
        for view in self.outputs:
            two = ", two in a byte" * view.packed
            yield f"result {view.name}: {view.element}{two}, {_said(view.axes[:1])}"

    def _listed(self, spell: Callable[[Parameter], str], equals: str = "=") -> list[str]:
        """The parameters; from the first on that must be given behind one that need not, by name only."""
        listed, may_miss, named = [], False, False
        for one in self._parameters:
            if one.default is None and may_miss and not named:
                listed.append("*")
                named = True
            may_miss |= one.default is not None
            listed.append(spell(one) + ("" if one.default is None else f"{equals}{one.default}"))
        return listed

    def _in_order(self) -> Iterator[Parameter]:
        for operand in self.operands:
            if operand.listed:
                yield Parameter(operand.name, "Tensor[]", f"at::TensorList {operand.given}", "list[Tensor]")
            else:
                yield Parameter(operand.name, "Tensor", f"at::Tensor const& {operand.given}", "Tensor")
        of_epilogue: dict[str, Parameter] = {}
        for view in self.inputs:
            if view.optional:
                cpp = f"std::optional<at::Tensor> const& {view.variable}"
                of_epilogue[view.name] = Parameter(view.name, "Tensor?", cpp, "Tensor | None", "None")
            else:
                of_epilogue[view.name] = Parameter(view.name, "Tensor", f"at::Tensor const& {view.variable}", "Tensor")
        for number in self.numbers:
            schema, cpp = ("int", "int64_t") if number.whole else ("float", "double")
            default = None if number.scalar.default is None else repr(number.scalar.default)
            of_epilogue[number.name] = Parameter(number.name, schema, f"{cpp} {number.variable}", schema, default)
        function = self.plan.epilogue.function
        written = [] if function is None else [n for n in inspect.signature(function).parameters if n in of_epilogue]
        for name in dict.fromkeys([*written, *of_epilogue]):
            yield of_epilogue[name]
        for letter, view in zip("cdefghijklmnopqrstuvwxyz", self.sent, strict=False):
            yield Parameter(view.name, f"Tensor({letter}!)[]", f"at::TensorList {view.variable}", "list[Tensor]")
        if self.grouped:
            yield Parameter(self.groups, "Tensor", "at::Tensor const& groups", "Tensor")
        if self.weight_index:
            yield Parameter(self.weight_index, "Tensor", "at::Tensor const& weightIndex", "Tensor")

    def _operands(self, taken: Container[str]) -> Iterator[OperandView]:
        gemm, strides = self.plan.gemm, self.kernel.strides
        names = OPERANDS if gemm.accumulators == "separate" else OPERANDS[:2]
        for name in names:
            letter, second = name[0].upper(), name[1:]
            one = ("M", "K") if name == "a" else ("K", "2N" if self.halves else "N")
            many = ("W" if self.weight_index else _FRONT[self.several]) if letter == "B" else _FRONT[self.several]
            listed = many if self.pointers and letter == "B" else ""
            stride = "" if listed else strides.get(f"gemm.{letter}", "")
            layout = gemm.layout_a if name == "a" else gemm.layout_b
            element = self.plan.operands[letter == "B"]
            if element.packed > 1:
                one = (one[0], f"{one[1]}/2") if layout.by_rows else (f"{one[0]}/2", one[1])
            own, shared = (many, *one), many != "W"
            axes: tuple[Axes, ...] = ((own, one) if shared else (own,)) if stride else (one,)
            yield OperandView(
                _free(name, taken), name, f"{letter}{second}", element, axes,
                f"{stride}{second}" if stride else "", not layout.by_rows, f"gemm.{letter}" in self.kernel.repeated,
                listed,
            )  # fmt: skip

    def _tensor(self, tensor: Tensor) -> TensorView:
        plan, suffix = self.plan, self.plan.suffixes[tensor.name]
        strided = plan.kernel.strided(tensor)
        axes = _axes_of(tensor, self.kernel, strided)
        rows, columns = map(_cpp, tensor.extents)
        layout = f"{tensor.layout.cpp}{{{rows}, {columns}}}"
        if len(_AXES[tensor.shape]) == 1:
            rows, columns = (side.replace("k", "given.k") for side in (rows, columns))
            rows = f"given.rows{suffix}" if tensor.ranks else rows
            layout = f"LayoutOf<{tensor.layout.cpp}>({rows}, {columns}, given.tensor{suffix})"
        return TensorView(
            tensor.name, suffix, tensor, axes, strided, layout,
            _made(tensor, axes[0], self.by_rows) if tensor.output and not tensor.ranks else "",
            self.kernel.may_repeat(tensor),
        )  # fmt: skip


def _cpp(axis: str) -> str:
    """An extent as C++: a part of the columns is counted from n."""
    return _CPP.get(axis, axis.lower())


def _free(name: str, taken: Container[str]) -> str:
    """The name of an argument of every operator, with underscores behind it if a parameter has that name."""
    return _free(f"{name}_", taken) if name in taken else name


def _place(by_columns: bool | str, own_rank: int | None) -> str:
    """The last arguments of the call that reads a tensor: whether elements of its columns are neighbours, and how many
    dimensions it has if each matmul has a part of its own."""
    said = [str(by_columns).replace("True", "true").replace("False", "false")] if by_columns or own_rank else []
    return "".join(f", {one}" for one in (*said, *([own_rank] if own_rank else [])))


def _axes_of(tensor: Tensor, kernel: Kernel, strided: bool) -> tuple[Axes, ...]:
    named = dict(zip(tensor.shape.value, tensor.extents, strict=True))
    named |= {"N": "N/2"} if tensor.element.packed > 1 else {}
    one = tuple(tuple(named.get(axis, axis) for axis in axes) for axes in _AXES[tensor.shape])
    one = tuple(axes[::-1] for axes in one) if tensor.by_columns else one
    if not strided:
        return one
    front = _FRONT[kernel.several]
    if kernel.several != GROUPS:
        return ((front, *one[0]), *one)
    if len(one) == 1:
        return (front, *one[0]), one[0]
    # A vector of each group is a row, and one that all share has an axis less.
    own = one[0][:1] if tensor.shape is TensorShape.COLUMN else one[0][1:]
    return ((front, *own), *one[1:])


def _made(tensor: Tensor, axes: Axes, by_rows: bool) -> str:
    """The call that makes an output. Rows that the kernel may leave alone, of groups ``by_rows``, are 0."""
    sizes = f"{{{', '.join(map(_cpp, axes))}}}"
    T = f"at::k{_AT[tensor.element.numpy]}"
    options = f"a.options().dtype({T})"
    if tensor.initial is not None:
        value = "std::numeric_limits<double>::infinity()" if tensor.initial == float("inf") else repr(tensor.initial)
        value = value if tensor.initial != -float("inf") else "-std::numeric_limits<double>::infinity()"
        return f"at::full_symint({sizes}, {value}, {options})"
    left = tensor.rows or (by_rows and tensor.shape.rows == "M")
    call = f"at::{'zeros' if left else 'empty'}_symint({sizes}, "
    if tensor.element.packed > 1:  # ATen fills bytes alone
        return f"{call}a.options().dtype(at::kByte)).view({T})"
    return f"{call}{options})"


def _forms(axes: Sequence[Axes], repeat: str) -> str:
    spelled = {"L": f"count / {repeat}"} if repeat else {}
    return ", ".join(f"{{{', '.join(spelled.get(axis, _cpp(axis)) for axis in one)}}}" for one in axes)


def _said(axes: Sequence[Axes], repeats: bool = False) -> str:
    own, *others = (f"({', '.join(one)})" for one in axes)
    return " or ".join((f"{own}, {own.replace('L', 'L / r')}" if repeats else own, *others))
