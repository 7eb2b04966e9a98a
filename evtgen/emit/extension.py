"""An extension of PyTorch as its templates write it: an operator for each epilogue, and what is around them."""

from __future__ import annotations

import keyword
import sys
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..diagnostics.diagnostic import Diagnostic, EvtgenError
from ..diagnostics.extension import NO_OPERATOR
from ..frontend.dispatch import Served
from ..passes.analysis.cpp_names import is_identifier
from ..planner.plan import Plan
from .finish import PLAIN
from .framework import Framework
from .operator_view import OperatorView


@dataclass(frozen=True)
class ExtensionView:
    """An extension.

    Attributes:
        namespace: of its operators; the name of a package, too.
        copies: a tensor that a kernel cannot read in place is copied.
        style: what it is, see :func:`extension_files`.
    """

    namespace: str
    operators: tuple[OperatorView, ...]
    copies: bool
    style: str

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(op.name for op in self.operators)

    @cached_property
    def dispatches(self) -> tuple[DispatchView, ...]:
        """The operators that take one of several kernels."""
        served: dict[str, list[OperatorView]] = {}
        for op in self.operators:
            if isinstance(op.plan.epilogue, Served):
                served.setdefault(op.plan.epilogue.operator, []).append(op)
        return tuple(DispatchView(name, kernels) for name, kernels in served.items())

    @property
    def all(self) -> tuple[OperatorView, ...]:
        """All operators."""
        return (*self.operators, *self.dispatches)

    @property
    def packs(self) -> bool:
        """Whether an operand lies in bytes that have two elements each."""
        return any(operand.packed for op in self.operators for operand in op.operands)

    @property
    def prefix(self) -> str:
        """Of its headers, where others' lie beside them."""
        return f"{self.namespace}/" if self.style == "catlass" else ""

    @property
    def npu(self) -> int:
        """Catlass's number of the architecture."""
        return self.operators[0].plan.arch.npu

    @property
    def definitions(self) -> str:
        """The macros that its kernels are compiled with: the architecture, and AscendC's option for vector cores that
        write to L1."""
        feeds = any(op.plan.feeds for op in self.operators)
        return f"CATLASS_ARCH={self.npu}{' ENABLE_CV_COMM_VIA_SSBUF=true' if feeds else ''}"


class DispatchView(OperatorView):
    """An operator that takes one of several kernels by the rows of A: the others' view, for launches up to so many rows
    in ``kernels``, the last of which serves all that are left."""

    def __init__(self, name: str, kernels: Sequence[OperatorView]) -> None:
        vars(self).update(vars(kernels[-1]))
        self.name, self.kernels = name, [(getattr(one.plan.epilogue, "rows", None), one) for one in kernels]

    @property
    def given(self) -> list[str]:
        """The variables of its parameters."""
        return [one.split()[-1] for one in self.parameters]


_PLACES = {
    "package": ("csrc", "csrc", "csrc/", "csrc"),
    "csrc": (".", ".", "", "."),
    "catlass": (
        "examples/shared_lib/src/kernels",
        "examples/shared_lib/include/{namespace}",
        "examples/python_extension/src/wrapper/{namespace}_",
        "examples/python_extension/src/include/{namespace}",
    ),
}
"""Where the kernels are, and their headers, the sources of the host (as a prefix), and theirs."""


def extension_files(
    plans: Sequence[Plan],
    namespace: str,
    tests: Mapping[str, str],
    fw: Framework,
    *,
    either: Container[str] = (),
    copies: bool = False,
    style: str = "package",
) -> dict[str, str]:
    """The files of an extension but for the headers of the epilogues: path → text.

    Args:
        plans: of the epilogues that :func:`require_operators` has nothing against.
        namespace: of the operators.
        tests: the module that the package's test imports an epilogue from, by the epilogue's name.
        fw: the framework of the headers.
        either: the names of the epilogues whose B may lie by rows or by columns.
        copies: a tensor that a kernel cannot read in place is copied.
        style: ``"package"``, ``"csrc"`` or ``"catlass"``.
    """
    from .render import render_template

    operators = (OperatorView(plan, namespace, fw, either=plan.name in either) for plan in plans)
    extension = ExtensionView(namespace, tuple(operators), copies, style)
    files: dict[str, str] = {}

    def write(path: str, template: str, **more: Any) -> None:
        files[path] = render_template(f"extension/{template}.j2", extension=extension, **more)

    kernels, kernel_headers, sources, headers = (place.format(namespace=namespace) for place in _PLACES[style])
    write(f"{kernel_headers}/tensor.hpp", "tensor.hpp")
    write(f"{headers}/checks.hpp", "checks.hpp")
    for name in ("library.cpp", "npu.cpp", *(["cpu.cpp"] if style == "package" else [])):
        write(f"{sources}{name}", name)
    for op in extension.operators:
        write(f"{kernel_headers}/{op.name}_kernel.hpp", "kernel.hpp", op=op)
        write(f"{kernels}/{op.name}_kernel.cpp", "kernel.cpp", op=op)
        write(f"{headers}/{op.name}_operator.hpp", "operator.hpp", op=op)
    for op in extension.dispatches:
        write(f"{headers}/{op.name}_operator.hpp", "dispatch.hpp", op=op)
    if style == "csrc":
        write("sources.cmake", "sources.cmake")
    if style == "package":
        for name in ("pyproject.toml", "setup.py", "CMakeLists.txt", "README.md"):
            write(name, name)
        for name in ("__init__.py", "__init__.pyi"):
            write(f"src/{namespace}/{name}", name)
        files[f"src/{namespace}/py.typed"] = ""
        write("tests/test_operators.py", "test.py", modules=tests)
    return PLAIN.apply(files)


def require_operators(plans: Sequence[Plan], namespace: str) -> None:
    """Raises EvtgenError (EVT260) with all that keeps epilogues from being operators of a namespace."""
    problems = list(_no_namespace(namespace))
    for plan in plans:
        problems += _no_operator(plan)
    for plan in plans:
        if isinstance(plan.epilogue, Served) and plan.epilogue.operator in {other.name for other in plans}:
            problems.append(NO_OPERATOR.of("dispatch", plan.epilogue.location, name=plan.epilogue.operator))
    if len({plan.arch.name for plan in plans}) > 1:
        problems.append(NO_OPERATOR.of("architectures"))
    if problems:
        raise EvtgenError(problems)


def _no_namespace(namespace: str) -> Iterator[Diagnostic]:
    taken = {"aten", "prim", "prims", "torch", "evtgen", "numpy", "csrc", "tests", "include", *sys.stdlib_module_names}
    if not is_identifier(namespace) or keyword.iskeyword(namespace) or not namespace.isascii():
        yield NO_OPERATOR.of("namespace", namespace=namespace)
    elif namespace in taken:
        yield NO_OPERATOR.of("taken", namespace=namespace)


def _no_operator(plan: Plan) -> Iterator[Diagnostic]:
    at = plan.epilogue.location
    for layout, operand in ((plan.gemm.layout_a, "A"), (plan.gemm.layout_b, "B")):
        if layout.name not in ("RowMajor", "ColumnMajor"):
            yield NO_OPERATOR.of("layout", at, name=plan.name, operand=operand, layout=layout.name)
    names = [
        getattr(plan.epilogue, "operator", plan.name),
        *(t.name for t in plan.tensors if not t.output),
        *(s.name for s in plan.scalars),
    ]
    for name in names:
        if keyword.iskeyword(name):
            yield NO_OPERATOR.of("keyword", at, name=name)
