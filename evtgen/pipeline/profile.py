"""Epilogues to profiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..analysis.gemm import require_halves
from ..check import planned, require_plan
from ..diagnostics.diagnostic import Diagnostic
from ..graph.ir import Epilogue
from ..graph.shapes import Shape
from ..kernels import DEFAULTS, Matmuls, require
from ..model.execution import OBSERVE
from ..model.processes import TIMEOUT
from ..model.programs import Compilation
from ..planner.plan import Plan
from ..profile.measure import Profile, profile_plans
from ..system.progress import Progress, silent
from .specs import Checked

DEFAULT_SHAPE: Shape = (1024, 4096, 64)
DEFAULT_BUFFERS = (1, 2, 3)
"""Compared with the number that an epilogue is built with."""


def profile(
    checked: Checked,
    shape: Shape | None = None,
    buffers: Sequence[int] | None = None,
    cxx: str | None = None,
    progress: Progress = silent,
    *,
    cores: int | None = None,
    timeout: float = TIMEOUT,
    matmuls: Matmuls = DEFAULTS,
) -> tuple[list[Profile], list[Diagnostic]]:
    """Profile every epilogue with every number of buffers (None: 1, 2, 3 and its own), on a device of ``cores`` cube
    cores (None: as many as the architecture has); also returns the warnings. Raises EvtgenError, EVT177 for ``matmuls``
    that no epilogue has.

    A ``shape`` of None is :data:`DEFAULT_SHAPE`, with the rows of the groups if these are given.
    """
    plans: list[Plan] = []
    for epilogue, own in zip(checked.require().epilogues, checked.plans, strict=True):
        plans += compared(epilogue, own) if buffers is None else [with_buffers(epilogue, count) for count in buffers]
    require({plan.name: plan.kernel for plan in plans}, matmuls, () if shape is None else (shape,))
    for plan in plans:
        require_halves(plan.name, plan.gemm, () if shape is None else shape[1:2])
    settings = replace(OBSERVE, cores=cores, timeout=timeout)
    found = profile_plans(plans, shape or DEFAULT_SHAPE, Compilation(cxx=cxx), progress, settings, matmuls=matmuls)
    return found, checked.diagnostics


def compared(epilogue: Epilogue, own: Plan) -> list[Plan]:
    """Its plan, and those with the default numbers of buffers that it can be built with."""
    others = [planned(replace(epilogue, buffers=count))[0] for count in DEFAULT_BUFFERS if count != own.buffers]
    return sorted([own, *filter(None, others)], key=lambda plan: plan.buffers)


def with_buffers(epilogue: Epilogue, count: int) -> Plan:
    """The plan with another number of buffers. Raises EvtgenError if the epilogue cannot be built with it."""
    return require_plan(replace(epilogue, buffers=count))
