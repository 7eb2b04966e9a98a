"""An example program as its template writes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from ..graph.ir import Scalar
from ..graph.shapes import GEMM_A, GEMM_B
from ..graph.types import RowMajor
from ..kernels import Kernel, Names
from ..nodes import Reduce, Tensor
from ..operators.constants import literal
from ..passes.analysis.cpp_names import macros_among
from ..planner.plan import Plan
from ..targets import AtlasA2
from .formula import formula, product
from .framework import Framework
from .golden import KeptOnHost, loops, shareable
from .graph import element_literal


@dataclass(frozen=True)
class TensorView:
    """A tensor of the epilogue on the host.

    Attributes:
        name: field of the arguments struct.
        suffix: the name as the end of another: ``RowOut``.
        element: host type of the elements.
        count: how many there are, in C++ over ``m`` and ``n``, and of several matmuls over ``count`` and ``parts``.
        first: of several matmuls, where the elements of one begin: in C++ over ``index``, ``part`` and ``firstRow``.
        written: of several matmuls, how many elements have a golden result: rows behind the last matmul's have none.
        stride: the field that says how far those of one matmul are from those of the next, if an option sets it.
        layout: its layout, constructed.
        output: whether the epilogue writes it.
        initial: initial value of the golden result, in C++; empty if the caller need not fill the output.
        cleared: whether the caller fills it with zeros, because the golden result has elements that nothing writes.
        indexes: whether its values are numbers of rows.
    """

    name: str
    suffix: str
    element: str
    count: str
    layout: str
    output: bool
    initial: str
    first: str = ""
    written: str = ""
    stride: str = ""
    cleared: bool = False
    indexes: bool = False

    @property
    def golden_arguments(self) -> str:
        """Arguments of the vector that holds the golden result."""
        size = self.written or f"tensor{self.suffix}.host.size()"
        return f"{size}, {self.initial}" if self.initial else size


@dataclass(frozen=True)
class ScalarView:
    """A number that the epilogue takes: its field, the name as the end of another, and a value, in C++."""

    name: str
    suffix: str
    value: str


@dataclass(frozen=True)
class OperandView:
    """An operand of the matmul on the host.

    Attributes:
        name: ``"a"``, ``"b"``, or ``"b2"`` for that of a second accumulator.
        element: host type of the elements.
        layout: its layout, a type.
        extents: its rows and columns.
        copies: of several matmuls, how many there are, in C++ over ``count`` and ``parts``; else empty.
        first: of several matmuls, where that of one begins: in C++ over ``index``, ``part`` and ``firstRow``; else 0.
        stride: the field of the kernel's arguments that says how far apart they are, if an option sets it.
    """

    name: str
    element: str
    layout: str
    extents: str
    copies: str = ""
    first: str = "0"
    stride: str = ""

    @property
    def called(self) -> str:
        """The name of its layout."""
        return f"layout{self.name[0].upper()}"

    @property
    def count(self) -> str:
        """How many elements there are."""
        return f"{self.copies} * SizeOf({self.called})" if self.copies else f"SizeOf({self.called})"


@dataclass(frozen=True)
class ProductView:
    """A product on the host.

    Attributes:
        name: of the vector with its elements.
        acc: of one of them in the golden statements.
        b: the operand that it is a product with.
        first: where that begins.
    """

    name: str
    acc: str
    b: str
    first: str


@dataclass(frozen=True)
class KeptView:
    """A value that crosses from one phase to later ones: a vector, and what it is constructed with, in C++."""

    name: str
    arguments: str


@dataclass(frozen=True)
class PhaseView:
    """A loop over the accumulator.

    Attributes:
        formula: of the phase, line by line; empty where it is the only one.
        products: the accumulators that it needs.
        kept: what it leaves to later ones.
        statements: those that compute one element.
    """

    formula: tuple[str, ...]
    products: tuple[ProductView, ...]
    kept: tuple[KeptView, ...]
    statements: tuple[str, ...]


@dataclass(frozen=True)
class ExampleView:
    """The view of the templates of an example directory.

    Attributes:
        name: name of the epilogue.
        arch, npu: its architecture, and Catlass's number of that.
        newer: whether only some releases of Catlass have the architecture; they are told which to build for.
        kernel: its kernel.
        launch: the first arguments of that, which have no defaults.
        meets: whether all vector cores wait for each other, so that it is launched in batch mode.
        catlass: whether the epilogue is written in the nodes of Catlass's own framework.
        product: the definition of the accumulator, as text.
        formula: the formula of the epilogue, line by line.
        operands: A and B, or two Bs.
        products: A by each B, or by each half of one.
        shared: what all matmuls have in common if the command line says so, as text.
        tensors, scalars: the epilogue's tensors and scalars, in the order of its arguments.
        phases: the loops that compute the golden result.
        hidden: its name and those of fields that may be macros, which must not be seen where they are used.
    """

    name: str
    arch: str
    npu: int
    newer: bool
    kernel: Kernel
    launch: tuple[str, ...]
    meets: bool
    catlass: bool
    product: str
    formula: tuple[str, ...]
    operands: tuple[OperandView, ...]
    products: tuple[ProductView, ...]
    shared: tuple[str, ...]
    tensors: tuple[TensorView, ...]
    scalars: tuple[ScalarView, ...]
    phases: tuple[PhaseView, ...]
    hidden: tuple[str, ...]

    @property
    def several(self) -> bool:
        """Whether a launch has several matmuls."""
        return self.kernel.several is not None

    @property
    def groups(self) -> bool:
        """Whether they lie by a list on the device."""
        return self.kernel.several == "groups"

    @property
    def result(self) -> str:
        """The beginning of the name of a golden result: of several matmuls ``golden`` is that of one of them."""
        return "expected" if self.several else "golden"

    @property
    def has_layouts(self) -> bool:
        """Whether the operands are more than two matrices by rows, so that their layouts have names."""
        return self.several or len(self.products) > 1 or any(o.layout != RowMajor.cpp for o in self.operands)

    @property
    def laid_out(self) -> tuple[OperandView, ...]:
        """The operands whose layout has a name: a second B lies as the first."""
        return self.operands[:2]

    @property
    def arguments(self) -> str:
        """The command line."""
        words = ("m", "n", "k", "[deviceId]")
        return " ".join((self.kernel.example.count, *words[:3], "[deviceId] [shared]") if self.several else words)

    @property
    def values(self) -> str:
        """Values for it."""
        return "3 256 512 1024" if self.several else "256 512 1024"

    @property
    def inputs(self) -> tuple[TensorView, ...]:
        return tuple(tensor for tensor in self.tensors if not tensor.output)

    @property
    def outputs(self) -> tuple[TensorView, ...]:
        return tuple(tensor for tensor in self.tensors if tensor.output)

    @property
    def filled(self) -> tuple[TensorView, ...]:
        """The outputs that the caller fills before the launch."""
        return tuple(tensor for tensor in self.tensors if tensor.initial)


def example_view(plan: Plan, fw: Framework) -> ExampleView:
    """The view of the example of an epilogue that is written for a framework."""
    kernel, shared = plan.kernel, shareable(plan)
    names = Names("options.problemShape", "options.count", "groups.device", "a.device", "b.device", "epilogue.ToEvt()")
    return ExampleView(
        name=plan.name,
        arch=plan.arch.name,
        npu=plan.arch.npu,
        newer=plan.arch.npu != AtlasA2.npu,
        kernel=kernel,
        launch=_evg_arguments(plan) if fw.catlass else kernel.arguments(names),
        meets=plan.meets,
        catlass=fw.catlass,
        product=product(plan),
        formula=tuple(formula(plan)),
        operands=(operands := _operands(plan)),
        products=(products := _products(plan, operands)),
        shared=(*(["B"] if GEMM_B in shared else []), *(f"`{t.name}`" for t in plan.tensors if t.name in shared)),
        tensors=tuple(_tensor(tensor, plan) for tensor in plan.tensors),
        scalars=tuple(_scalar(scalar, plan.suffixes, n) for n, scalar in enumerate(plan.scalars, 1)),
        phases=tuple(_phases(plan, products)),
        hidden=macros_among([plan.name, *plan.suffixes]),
    )


def _evg_arguments(plan: Plan) -> tuple[str, ...]:
    """The arguments of Catlass's visitor kernels, with layouts of TLA. C is in the workspace or in UB, and there is no
    bias beside the epilogue's."""
    operands = []
    for name, extents in (("A", "m, k"), ("B", "k, n")):
        types = (f"Evt::{plan.name}::{kind}{name}" for kind in ("Element", "LayoutTag"))
        operands += [f"{name.lower()}.device", f"tla::MakeLayout<{', '.join(types)}>({extents})"]
    return "options.problemShape", *operands, "nullptr", "{}", "nullptr", "epilogue.ToEvg()"


def _phases(plan: Plan, products: tuple[ProductView, ...]) -> Iterator[PhaseView]:
    """The loops that compute the golden result."""
    for part, loop in zip(plan.phases, loops(plan), strict=True):
        kept = tuple(KeptView(value.name, _constructed(value, plan)) for value in loop.kept)
        read = tuple(products[index] for index in loop.reads)
        yield PhaseView(tuple(formula(part)) if plan.parts else (), read, kept, loop.statements)


def _constructed(value: KeptOnHost, plan: Plan) -> str:
    """The arguments of the vector that holds a value which crosses; 0 in every place needs no saying."""
    identity = value.node.identity if isinstance(value.node, Reduce) else 0
    if identity == 0:
        return value.count
    return f"{value.count}, {literal(identity, value.node.element)}"


def _operands(plan: Plan) -> tuple[OperandView, ...]:
    (a, b), gemm, strides, shared = plan.operands, plan.gemm, plan.kernel.strides, shareable(plan)
    of_b = "k, 2 * n" if gemm.accumulators == "halves" else "k, n"
    made = {GEMM_A: ("a", a.host, gemm.layout_a.cpp, "m, k"), GEMM_B: ("b", b.host, gemm.layout_b.cpp, of_b)}
    views = []
    if plan.kernel.several is None:
        views, made = [OperandView(*operand) for operand in made.values()], {}
    for name, operand in made.items():
        layout = f"layout{operand[0].upper()}"
        if name not in strides:  # the rows of all matmuls are those of one matrix
            views.append(OperandView(*operand, first=f"firstRow * static_cast<size_t>({layout}.stride(0))"))
            continue
        copies, index, stride = ("parts", "part", strides[name]) if name in shared else ("count", "index", "")
        views.append(OperandView(*operand, copies, f"{index} * SizeOf({layout})", stride))
    if gemm.accumulators == "separate":
        stride = views[1].stride and f"{views[1].stride}2"
        views.append(replace(views[1], name="b2", stride=stride))
    return tuple(views)


def _products(plan: Plan, operands: tuple[OperandView, ...]) -> tuple[ProductView, ...]:
    first = ProductView("product", "acc", "b", operands[1].first)
    if plan.accumulators == 1:
        return (first,)
    half = f"{operands[1].first} + static_cast<size_t>(layoutB.GetOffset(MatrixCoord{{0u, n}}))".removeprefix("0 + ")
    begin = half if plan.gemm.accumulators == "halves" else operands[2].first
    return first, ProductView("product2", "acc2", operands[-1].name, begin)


def _tensor(tensor: Tensor, plan: Plan) -> TensorView:
    suffix, shape = plan.suffixes[tensor.name], tensor.shape
    view = TensorView(
        name=tensor.name,
        suffix=suffix,
        element=tensor.element.host,
        count=shape.count,
        layout=f"{tensor.layout.cpp}{{{shape.rows.lower()}, {shape.columns.lower()}}}",
        output=tensor.output,
        initial="" if tensor.initial is None else literal(tensor.initial, tensor.element),
        indexes=tensor.indexes,
    )
    if plan.kernel.several is None:
        return view
    extents = [extent.lower() for extent in shape.value if extent != "1"]
    if any(node.indices is not None and node.tensor == tensor for _, node in plan.nodes()):
        # The numbers count the rows of all matmuls.
        return replace(view, first="0", cleared=tensor.output)
    if not plan.kernel.strided(tensor) and tensor.by_columns:
        # Each column has those of all matmuls, and places behind them.
        return replace(view, first="firstRow", cleared=tensor.output)
    if not plan.kernel.strided(tensor):
        written, first = (" * ".join([rows, *extents[1:]]) for rows in ("static_cast<size_t>(ends.back())", "firstRow"))
        return replace(view, written=written, first=first)
    shared = tensor.name in shareable(plan)
    count, first = (" * ".join([of, *extents]) for of in (("parts", "part") if shared else ("count", "index")))
    return replace(view, count=count, first=first, stride=f"stride{suffix}" if shared else "")


def _scalar(scalar: Scalar, suffixes: Mapping[str, str], number: int) -> ScalarView:
    """Numbers without a default are told apart by their values: 1, 2, and so on."""
    value = number if scalar.default is None else scalar.default
    return ScalarView(scalar.name, suffixes[scalar.name], element_literal(value, scalar.T))
