"""The text of the program that runs epilogues on the CPU model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..emit.graph import phase_name
from ..emit.render import render_template
from ..kernels import Names
from ..kernels.groups import POINTERS
from ..nodes import Tensor
from ..passes.analysis.cpp_names import macros_among
from ..planner.plan import Plan

_SIDES = {"M": "m", "N": "{}", "K": "({})", "1": "1u"}
"""Rows or columns of one matmul's tensor by their letters in its shape, as C++ expressions over their count."""

_COUNTS = {"M": "Rows", "1": "Parts", "K": "Parts"}
"""Functions of the program's problem that count the rows of all matmuls' tensors."""

_NAMES = Names("Catlass::GemmCoord{m, n, k}", "problem.Count()", "groups", "a", "b", "arguments.ToEvt()")


@dataclass(frozen=True)
class TensorView:
    """A tensor as the program handles it; all but the name are C++.

    Attributes:
        name: field of the arguments struct, and name of the file.
        layout: the field of its layout.
        extents: rows, columns and leading dimension.
        bytes: how many it takes, the gaps between its rows, or columns, included.
        stride: the field of the distance between the parts of two matmuls; empty where there is none.
        ranks: the field of the number of ranks whose memories have one each; empty where there is one tensor.
        apart: that distance where there are gaps.
        repeat: the field of how many matmuls take one part; empty where each has its own.
        obtained: the call that gives its address on the device.
        output: whether the epilogue writes it.
    """

    name: str
    layout: str
    extents: str
    bytes: str
    stride: str
    ranks: str
    apart: str
    repeat: str
    obtained: str
    output: bool


@dataclass(frozen=True)
class ScalarView:
    """A number that the epilogue takes: its field, and its C++ type."""

    name: str
    type: str


@dataclass(frozen=True)
class NameView:
    """One buffer of one node: the node's alias and the buffer's number."""

    node: str
    buffer: int


@dataclass(frozen=True)
class EpilogueView:
    """An epilogue that the program can run.

    Attributes:
        name: of the epilogue.
        tensors, scalars: the fields of its arguments.
        hidden: its name and those of fields that may be macros.
        names: of its nodes, buffer by buffer, of each phase, where they are observed.
        kernel: the type that is launched.
        arguments: the fields of its arguments.
        strides: the fields of the distances between the operands of two matmuls, by the operand.
        repeats: the fields of how many matmuls take one, likewise.
        groups: the type of the numbers of a list of groups; empty where there is none.
        pointers: whether the Bs are at the addresses of a list.
        weight_index: whether a list says which B each takes.
        adds: whether the kernel leaves C, which it adds up, at the start of the workspace.
        accumulators: of which Bs they are, ``"halves"`` or ``"separate"``; None where there is one.
    """

    name: str
    tensors: tuple[TensorView, ...]
    scalars: tuple[ScalarView, ...]
    hidden: tuple[str, ...]
    names: tuple[tuple[NameView, ...], ...]
    kernel: str
    arguments: tuple[str, ...]
    strides: Mapping[str, str]
    repeats: Mapping[str, str]
    groups: str
    pointers: bool
    weight_index: bool
    adds: bool
    accumulators: str | None

    @property
    def outputs(self) -> tuple[TensorView, ...]:
        return tuple(tensor for tensor in self.tensors if tensor.output)


def source(plans: Sequence[Plan], *, observe: bool = False, catlass: bool = False) -> str:
    """The C++ text of a program that runs any of ``plans``, with evtgen's framework or ``catlass``'s own.

    With ``observe`` the kernel says which node and tile it works on, so that findings and a trace can name them; what
    it computes and when stays the same. Without, the kernel is the emitted one to the letter.
    """
    epilogues = [_epilogue(plan, observe) for plan in plans]
    return render_template("verify/harness.cpp.j2", epilogues=epilogues, observe=observe, catlass=catlass)


def _epilogue(plan: Plan, observe: bool) -> EpilogueView:
    tensors = tuple(_tensor(tensor, plan) for tensor in plan.tensors)
    scalars = tuple(ScalarView(scalar.name, scalar.T.cpp) for scalar in plan.scalars)
    names = tuple(
        tuple(
            NameView(f"{name}::{alias}" if (name := phase_name(plan, part)) else alias, buffer)
            for buffer in range(part.buffers)
            for alias in part.aliases
        )
        for part in (*filter(None, (plan.widening, plan.adding)), *plan.graphs)
    )
    kernel = "ObservedKernel<epilogue::Kernel>::Type" if observe else "epilogue::Kernel"
    return EpilogueView(
        plan.name, tensors, scalars, macros_among([plan.name, *plan.suffixes]), names, kernel,
        plan.kernel.arguments(_NAMES), plan.kernel.strides, plan.kernel.repeated,
        plan.gemm.group_type.cpp if plan.kernel.several == "groups" else "",
        plan.gemm.weights == POINTERS, plan.gemm.weight_index, plan.sliced, plan.gemm.accumulators,
    )  # fmt: skip


def _tensor(tensor: Tensor, plan: Plan) -> TensorView:
    shape, suffix = tensor.shape, plan.suffixes[tensor.name]
    counts = zip(shape.value, tensor.extents, strict=True)
    rows, columns = (_SIDES[side].format(count.lower()) for side, count in counts)
    pad = "" if tensor.paired else " + pad"
    leading = f"{columns}{pad}" if shape.columns == "N" else columns  # columns are packed
    strided, lines = plan.kernel.strided(tensor), rows
    count = f'problem.{_COUNTS[shape.rows]}("{tensor.name}") * ({leading}){f" * {rows}" if shape.rows == "K" else ""}'
    if tensor.by_columns:
        lines, leading = columns, f"{rows}{pad}"
        count = f"size_t{{{columns}}} * ({leading})"
        count = f'problem.Parts("{tensor.name}") * {count}' if strided else count
    count = f'({count} + problem.Gaps("{tensor.name}"))' if strided and pad else count
    size = f"{count} * sizeof({tensor.element.cpp}){' / 2' * (tensor.element.packed > 1)}"
    if not tensor.output:
        size = f'problem.Bytes("{tensor.name}", {size})'
        by_lines = len(set("MNK") & {*shape.value}) > 1
        leading = f'problem.Lines("{tensor.name}", {leading})' if by_lines else leading
    given = f'tensors.{"Upload" if tensor.null_default is None else "UploadIfThere"}("{tensor.name}", {size})'
    if tensor.output and tensor.initial is None:
        # The gaps between the rows of an output, and those behind them, are uploaded too, to check afterwards that they
        # are unchanged; and the rows that no number names.
        parts = f'problem.Parts("{tensor.name}")' if strided else "1"
        others = f'UploadOthers("{tensor.name}", {size}, "{tensor.rows}", {parts}, problem)'
        others = others if tensor.rows else f"Allocate({size})"
        given = f"pad > 0 || problem.HasRoom() ? {given} : tensors.{others}"
    if tensor.ranks:
        others = f', pad > 0 || problem.HasRoom() ? 0 : m, "{tensor.rows}", "{tensor.ranks}"' if tensor.rows else ""
        given = f'tensors.UploadRanks("{tensor.name}", problem.ranks, {size}{others})'
    layout = f"layout{suffix}"
    stride = f"stride{suffix}" if strided else ""
    apart = f"int64_t{{{lines}}} * ({leading}){pad}"
    ranks = f"ranks{suffix}" if tensor.ranks else ""
    repeat = f"repeat{suffix}" if plan.kernel.may_repeat(tensor) else ""
    extents = f"{rows}, {columns}, {leading}"
    return TensorView(tensor.name, layout, extents, size, stride, ranks, apart, repeat, given, tensor.output)


def nullable(plan: Plan) -> tuple[str, ...]:
    """The tensors that may be null."""
    return tuple(tensor.name for tensor in plan.tensors if tensor.null_default is not None)
