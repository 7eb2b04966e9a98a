"""An example program as its template writes it."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.ir import Gemm
from ..graph.shapes import GEMM_A, GEMM_B, GEMM_B2
from ..kernels import Kernel, Names
from ..kernels.groups import POINTERS
from ..nodes import Tensor
from ..passes.analysis.cpp_names import macros_among
from ..planner.plan import Plan
from ..targets import AtlasA2
from .formula import formula, product
from .framework import Framework


@dataclass(frozen=True)
class TensorView:
    """A tensor of the epilogue on the host.

    Attributes:
        name: field of the arguments struct.
        suffix: the name as the end of another: ``RowOut``.
        element: host type of the elements.
        layout: its layout, constructed.
        output: whether the epilogue writes it.
        ranks: the field of the number of ranks that have one each; empty where there is one.
        stride: the field that says how far those of one matmul are from those of the next, if the data may share it.
    """

    name: str
    suffix: str
    element: str
    layout: str
    output: bool
    ranks: str
    stride: str


@dataclass(frozen=True)
class OperandView:
    """An operand of the matmul on the host.

    Attributes:
        name: ``"a"``, ``"b"``, or ``"b2"`` for that of a second accumulator.
        file: the name of its file.
        stride: the field of the kernel's arguments that says how far apart the matrices are, if the data may share it.
    """

    name: str
    file: str
    stride: str


@dataclass(frozen=True)
class ExampleView:
    """The view of the templates of an example directory.

    Attributes:
        name: name of the epilogue.
        arch, npu: its architecture, and Catlass's number of that.
        newer: whether only some releases of Catlass have the architecture; they are told which to build for.
        kernel: its kernel.
        gemm: the matmul.
        launch: the first arguments of that, which have no defaults.
        second_b: the operand with the B of a second accumulator; empty where there is one.
        meets: whether all vector cores wait for each other, so that it is launched in batch mode.
        feeds: whether they write to L1, for which AscendC has an option.
        catlass: whether the epilogue is written in the nodes of Catlass's own framework.
        product: the definition of the accumulator, as text.
        formula: the formula of the epilogue, line by line.
        phases: the formula of each of its phases; empty where there is one.
        operands: A and B, or two Bs.
        shared: what all matmuls have in common if the data say so, as text.
        tensors: the epilogue's tensors, in the order of its arguments.
        scalars: the names of its scalars.
        deep: whether some tensor has rows of blocks of B, which K counts.
        hidden: its name and those of fields that may be macros, which must not be seen where they are used.
    """

    name: str
    arch: str
    npu: int
    newer: bool
    kernel: Kernel
    gemm: Gemm
    launch: tuple[str, ...]
    second_b: str
    meets: bool
    feeds: bool
    catlass: bool
    product: str
    formula: tuple[str, ...]
    phases: tuple[tuple[str, ...], ...]
    operands: tuple[OperandView, ...]
    shared: tuple[str, ...]
    tensors: tuple[TensorView, ...]
    scalars: tuple[str, ...]
    deep: bool
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
    def strided(self) -> bool:
        """Whether they may have tensors or operands in common."""
        return any(view.stride for view in self.operands) or any(view.stride for view in self.tensors)

    @property
    def pointers(self) -> bool:
        """Whether the Bs are at the addresses of a list."""
        return self.gemm.weights == POINTERS

    @property
    def weight_index(self) -> bool:
        """Whether a list says which B each group takes."""
        return self.gemm.weight_index

    @property
    def outputs(self) -> tuple[TensorView, ...]:
        return tuple(tensor for tensor in self.tensors if tensor.output)


def example_view(plan: Plan, fw: Framework) -> ExampleView:
    """The view of the example of an epilogue that is written for a framework."""
    kernel, shared = plan.kernel, shareable(plan)
    names = Names("data.problemShape", "data.count", "groups.device", "a.device", "b.device", "epilogue.ToEvt()")
    return ExampleView(
        name=plan.name,
        arch=plan.arch.name,
        npu=plan.arch.npu,
        newer=plan.arch.npu != AtlasA2.npu,
        kernel=kernel,
        gemm=plan.gemm,
        launch=_evg_arguments(plan) if fw.catlass else kernel.arguments(names),
        second_b={None: "", "halves": "b", "separate": "b2"}[plan.gemm.accumulators],
        meets=plan.meets,
        feeds=plan.feeds,
        catlass=fw.catlass,
        product=product(plan),
        formula=tuple(formula(plan)),
        phases=tuple(tuple(formula(part)) for part in plan.parts),
        operands=_operands(plan),
        shared=(*(["B"] if GEMM_B in shared else []), *(f"`{t.name}`" for t in plan.tensors if t.name in shared)),
        tensors=tuple(_tensor(tensor, plan) for tensor in plan.tensors),
        scalars=tuple(scalar.name for scalar in plan.scalars),
        deep=any(tensor.shape.rows == "K" for tensor in plan.tensors),
        hidden=macros_among([plan.name, *plan.suffixes]),
    )


def shareable(plan: Plan) -> frozenset[str]:
    """The names of the tensors and operands that data which share have in common for all matmuls of an example: the
    first set that is not empty of those with which the kernel is tested."""
    sharings = plan.sharings
    return next((shared for shared in sharings if shared), frozenset())


def _evg_arguments(plan: Plan) -> tuple[str, ...]:
    """The arguments of Catlass's visitor kernels, with layouts of TLA. C is in the workspace or in UB, and there is no
    bias beside the epilogue's."""
    operands = []
    for name, extents in (("A", "m, k"), ("B", "k, n")):
        types = (f"Evt::{plan.name}::{kind}{name}" for kind in ("Element", "LayoutTag"))
        operands += [f"{name.lower()}.device", f"tla::MakeLayout<{', '.join(types)}>({extents})"]
    return "data.problemShape", *operands, "nullptr", "{}", "nullptr", "epilogue.ToEvg()"


def _operands(plan: Plan) -> tuple[OperandView, ...]:
    strides = {name: stride for name, stride in plan.kernel.strides.items() if name in shareable(plan)}
    views = [OperandView("a", GEMM_A, strides.get(GEMM_A, "")), OperandView("b", GEMM_B, strides.get(GEMM_B, ""))]
    if plan.gemm.accumulators == "separate":
        views.append(OperandView("b2", GEMM_B2, f"{strides[GEMM_B]}2" if GEMM_B in strides else ""))
    return tuple(views)


def _tensor(tensor: Tensor, plan: Plan) -> TensorView:
    suffix = plan.suffixes[tensor.name]
    return TensorView(
        name=tensor.name,
        suffix=suffix,
        element=tensor.element.host,
        layout=f"{tensor.layout.cpp}{{{', '.join(tensor.extents).lower()}}}",
        output=tensor.output,
        ranks=f"ranks{suffix}" if tensor.ranks else "",
        stride=f"stride{suffix}" if plan.kernel.strided(tensor) and tensor.name in shareable(plan) else "",
    )
