"""An example program as its template writes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..analysis.cpp_names import macros_among
from ..graph.ir import Scalar
from ..nodes import Tensor
from ..planner.plan import Plan
from ..targets import AtlasA2
from .golden import formula, product, statements
from .graph import element_literal, number_literal


@dataclass(frozen=True)
class TensorView:
    """A tensor of the epilogue on the host.

    Attributes:
        name: field of the arguments struct.
        suffix: the name as the end of another: ``RowOut``.
        element: host type of the elements.
        count: how many there are, in C++ over ``m`` and ``n``.
        layout: its layout, constructed.
        output: whether the epilogue writes it.
        initial: initial value of the golden result, in C++; empty if the caller need not fill the output.
    """

    name: str
    suffix: str
    element: str
    count: str
    layout: str
    output: bool
    initial: str

    @property
    def golden_arguments(self) -> str:
        """Arguments of the vector that holds the golden result."""
        size = f"tensor{self.suffix}.host.size()"
        return f"{size}, {self.initial}" if self.initial else size


@dataclass(frozen=True)
class ScalarView:
    """A number that the epilogue takes: its field, the name as the end of another, and a value, in C++."""

    name: str
    suffix: str
    value: str


@dataclass(frozen=True)
class ExampleView:
    """The view of the templates of an example directory.

    Attributes:
        name: name of the epilogue.
        arch, npu: its architecture, and Catlass's number of that.
        newer: whether only some releases of Catlass have the architecture; they are told which to build for.
        product: the definition of the accumulator, as text.
        formula: the formula of the epilogue, line by line.
        element_a, element_b: host types of A and B.
        tensors, scalars: the epilogue's tensors and scalars, in the order of its arguments.
        golden: statements that compute one element of each output.
        hidden: names of fields that may be macros, which must not be seen where they are used.
    """

    name: str
    arch: str
    npu: int
    newer: bool
    product: str
    formula: tuple[str, ...]
    element_a: str
    element_b: str
    tensors: tuple[TensorView, ...]
    scalars: tuple[ScalarView, ...]
    golden: tuple[str, ...]
    hidden: tuple[str, ...]

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


def example_view(plan: Plan) -> ExampleView:
    """The view of the example of an epilogue."""
    a, b = plan.operands
    return ExampleView(
        name=plan.name,
        arch=plan.arch.name,
        npu=plan.arch.npu,
        newer=plan.arch.npu != AtlasA2.npu,
        product=product(plan),
        formula=tuple(formula(plan)),
        element_a=a.host,
        element_b=b.host,
        tensors=tuple(_tensor(tensor, plan.suffixes) for tensor in plan.tensors),
        scalars=tuple(_scalar(scalar, plan.suffixes, n) for n, scalar in enumerate(plan.scalars, 1)),
        golden=tuple(statements(plan)),
        hidden=macros_among(plan.suffixes),
    )


def _tensor(tensor: Tensor, suffixes: Mapping[str, str]) -> TensorView:
    return TensorView(
        name=tensor.name,
        suffix=suffixes[tensor.name],
        element=tensor.element.host,
        count=tensor.shape.count,
        layout=f"{tensor.layout.cpp}{{{tensor.shape.rows.lower()}, {tensor.shape.columns.lower()}}}",
        output=tensor.output,
        initial="" if tensor.initial is None else number_literal(tensor.initial, tensor.element, suffixes),
    )


def _scalar(scalar: Scalar, suffixes: Mapping[str, str], number: int) -> ScalarView:
    """Numbers without a default are told apart by their values: 1, 2, and so on."""
    value = number if scalar.default is None else scalar.default
    return ScalarView(scalar.name, suffixes[scalar.name], element_literal(value, scalar.T, suffixes))
