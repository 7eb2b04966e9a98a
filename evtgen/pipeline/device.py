"""Kernels on a device, where torch_npu has one: timed as operators of PyTorch, in place of the clock."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from ..diagnostics.diagnostic import EvtgenError
from ..diagnostics.extension import NO_OPERATOR
from ..diagnostics.machine import NO_DEVICE
from ..graph.shapes import GEMM_B, Problem, TensorShape
from ..graph.types import float4_e2m1fn, float8_e8m0fnu, int4, uint64
from ..kernels.groups import COUNTS, POINTERS
from ..measure.clock import Job, Timed
from ..measure.measured import Measured
from ..model.data import Operands, operands
from ..operators.arrays import Array, dtype, packed
from ..planner.plan import Plan
from .extension import takes_either
from .operators import Operator, operators
from .tensors import tensor_of

LAUNCHES, ROUNDS = 10, 5
"""Launches one after the other, between two events; so many times, of which the median counts."""


def found() -> Any:
    """PyTorch with a device. Raises EvtgenError (EVT305)."""
    try:
        torch = import_module("torch")
        import_module("torch_npu")
    except ImportError as error:
        raise NO_DEVICE.refusal("import", error=error) from None
    if not torch.npu.is_available():
        raise NO_DEVICE.refusal("none")
    if not os.environ.get("ASCEND_HOME_PATH"):
        raise NO_DEVICE.refusal("cann")
    return torch


def machine() -> list[str]:
    """What a time depends on besides the kernel: the device, torch_npu and CANN, whose files have its version."""
    torch, cann = found(), Path(os.environ["ASCEND_HOME_PATH"]).resolve()
    about = sorted([*cann.glob("*/version.info"), *cann.glob("*-linux/ascend_toolkit_install.info")])
    versions = [one.read_text(encoding="utf-8", errors="replace") for one in about]
    return [torch.npu.get_device_name(), import_module("torch_npu").__version__, str(cann), *versions]


def timed(job: Job, *, builds: bool = False) -> list[Timed]:
    """As :func:`evtgen.measure.clock.timed`, in cycles of the model's frequency. Raises EvtgenError: EVT305 without a
    device; EVT260 where operators cannot be built, unless this machine ``builds`` others: then the fault is theirs."""
    torch = found()
    named = [replace(one, name=f"{one.name}_{i}") for i, one in enumerate(job.epilogues)]
    made: Sequence[Operator | None]
    try:
        made = list(operators(named).values())
    except EvtgenError as error:
        if not builds or error.diagnostics[0].code != NO_OPERATOR.code:
            raise
        if len(named) > 1:  # they are one package: only the one that the compiler refuses has no time
            return [
                one for epilogue in job.epilogues for one in timed(replace(job, epilogues=(epilogue,)), builds=True)
            ]
        made = [None]
    return [
        Timed(None if one is None else round(_microseconds(torch, one, job) * one.plan.arch.costs["mhz"]))
        for one in made
    ]


def measured(job: Job) -> Measured:
    """What one kernel takes, its pipes unknown. Raises EvtgenError as :func:`timed`."""
    torch = found()
    (made,) = operators(job.epilogues).values()
    return Measured(made.plan.name, LAUNCHES * ROUNDS, round(_microseconds(torch, made, job), 3), {})


def _microseconds(torch: Any, operator: Operator, job: Job) -> float:
    """Of a launch among others, whose preparation on the host is hidden behind the one before."""
    plan, function = operator.plan, operator.function
    if plan.gemm.weights == POINTERS or plan.gemm.weight_index:
        raise NO_DEVICE.refusal("weights", name=plan.name)
    problem = plan.problem(job.shape, job.matmuls)
    given = operands(plan, problem, 0, "normal", absent=False)
    there = {name: _moved(one) for name, one in arguments(plan, function, problem, given).items()}
    function(**there)
    rounds: list[float] = []
    for _ in range(ROUNDS):
        begin, end = (torch.npu.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(LAUNCHES):
            function(**there)
        end.record()
        torch.npu.synchronize()
        rounds.append(begin.elapsed_time(end) * 1000 / LAUNCHES)
    return median(rounds)


def _moved(given: Any) -> Any:
    """A tensor, or each of a list, on the device; numbers as they are."""
    if isinstance(given, list):
        return [_moved(one) for one in given]
    return given.to("npu") if hasattr(given, "to") else given


def arguments(plan: Plan, op: Any, problem: Problem, given: Operands, *, apart: bool = False) -> dict[str, Any]:
    """What the operator is called with, by name; ``apart``: as slices of larger tensors, B by columns."""
    names, kernel = [argument.name for argument in op.default._schema.arguments], plan.kernel
    several = kernel.matmuls(problem)
    count = several.batch or len(several.groups or ())
    bs = np.split(given.b, 2, axis=1) if plan.gemm.accumulators == "separate" else [given.b]
    batch = kernel.several == "batch"
    laid = {
        names[0]: _laid(given.a.reshape(*([count] if batch else []), -1, problem.k), plan.gemm.layout_a.by_rows, apart)
    }
    by_rows = plan.gemm.layout_b.by_rows != (apart and takes_either(plan))
    for name, b in zip(names[1:], bs, strict=False):
        laid[name] = _laid(b.reshape(*([count] if GEMM_B in kernel.strides else []), problem.k, -1), by_rows, apart)
    tensors = {tensor.name: tensor for tensor in plan.tensors}
    for name, array in given.inputs.items():
        if name not in tensors:
            laid[name] = array.item()
            continue
        tensor = tensors[name]
        parts = array.reshape(count, -1, array.shape[1]) if kernel.strided(tensor) else array
        parts = parts.swapaxes(-1, -2) if tensor.by_columns else parts
        if kernel.several == "groups" and kernel.strided(tensor) and tensor.shape is not TensorShape.MATRIX:
            parts = parts.reshape(count, -1)
        laid[name] = _laid(parts, True, apart and parts.shape[-1] > 1 and parts.shape[-2] > 1)
    for tensor in plan.tensors:
        if tensor.ranks:
            whole = np.zeros((problem.ranks, problem.m, problem.n), dtype(tensor.element))
            laid[tensor.name] = list(tensor_of(whole))
    if kernel.several == "groups":
        counts, sizes = plan.gemm.group_list == COUNTS, several.groups or ()
        laid[names[-1]] = tensor_of(np.asarray(sizes if counts else np.cumsum(sizes), dtype(plan.gemm.group_type)))
    return laid


def _laid(array: Array, by_rows: bool, apart: bool) -> Any:
    """A tensor whose rows, or columns, are of neighbours; ``apart``: with others between them."""
    lines = array if by_rows else array.swapaxes(-1, -2)
    if lines.dtype in (dtype(int4), dtype(float4_e2m1fn)):
        lines = packed(lines).view(np.uint8).reshape(*lines.shape[:-1], lines.shape[-1] // 2)
    lines = lines.view(np.int64) if lines.dtype == dtype(uint64) else lines
    gap = (4 if lines.dtype == dtype(float8_e8m0fnu) else 3) * apart  # scales are read two by two
    wide = np.full((*lines.shape[:-1], lines.shape[-1] + gap), 7, lines.dtype)
    tensor = tensor_of(wide)[..., apart : apart + lines.shape[-1]]
    tensor.copy_(tensor_of(np.ascontiguousarray(lines)))
    return tensor if by_rows else tensor.mT
