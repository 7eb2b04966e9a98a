"""Epilogues to profiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..check import planned, require_plan
from ..diagnostics.diagnostic import Diagnostic
from ..diagnostics.files import USAGE
from ..graph.ir import Epilogue
from ..measure import measured
from ..measure.clock import Job
from ..measure.profile import Profile, profile_plans, write_trace
from ..model.trace import prepare
from ..options import ProfileOptions
from ..planner.plan import Plan, require_launches
from ..system.progress import Progress, silent
from .fitting import faster_options
from .specs import Checked

DEFAULT_BUFFERS = (1, 2, 3)
"""Compared with the number that an epilogue is built with."""


def profile(
    checked: Checked, options: ProfileOptions, progress: Progress = silent
) -> tuple[list[Profile], list[Diagnostic]]:
    """Profile every epilogue with every number of buffers (None: 1, 2, 3 and its own), on a device of so many cube
    cores (None: as many as the architecture has); also returns the warnings, one (EVT309) for each shape at which
    other blocks are faster. Raises EvtgenError, EVT177 for matmuls that no epilogue has, EVT299 if the file has no
    measurement of the kernel, EVT305 without a device. Where there is one, only an epilogue's own number of buffers is
    profiled unless others are asked for.

    A shape of None is :data:`~evtgen.measure.profile.DEFAULT_SHAPE`, with the rows of the groups if these are given.
    """
    if options.measured is not None and (len(options.problems) > 1 or options.device):
        raise USAGE.here("device" if options.device else "measured shapes")
    plans: list[Plan] = []
    for epilogue, own in zip(checked.require().epilogues, checked.plans, strict=True):
        counts = options.buffers
        if counts is None:
            plans += [own] if options.measured is not None or options.device else compared(epilogue, own)
        else:
            if options.measured is not None and own.buffers not in counts:
                raise USAGE.here("measured buffers", own=own.buffers)
            plans += [with_buffers(epilogue, count) for count in counts]
    took = with_measured(checked.plans, options)
    require_launches(plans, options.matmuls, options.problems)
    if options.trace is not None:
        prepare(options.trace)
    if options.device:
        from . import device

        device.found()
    each = [replace(options, shape=shape, shapes=()) for shape in options.problems or (None,)]
    found = [one for options in each for one in profile_plans(plans, options, progress)]
    if options.device:
        jobs = [
            Job((plan.written,), one.shape, one.matmuls) for plan, one in zip(plans * len(each), found, strict=True)
        ]
        found = [replace(one, measured=device.measured(job)) for one, job in zip(found, jobs, strict=True)]
    else:
        found = [replace(one, measured=took.get((one.epilogue, one.buffers))) for one in found]
    if options.trace is not None:
        write_trace(found, options.trace)
    idle = [
        warning
        for epilogue, plan in zip(checked.epilogues, checked.plans, strict=True)
        for warning in faster_options(epilogue, plan, options.problems, options.matmuls, options.cores)
    ]
    return found, [*checked.diagnostics, *idle]


def with_measured(plans: Sequence[Plan], options: ProfileOptions) -> dict[tuple[str, int], measured.Measured]:
    """What a device took for each epilogue as it is built, by its name and number of buffers, where that is given.
    Raises EvtgenError (EVT299)."""
    path = options.measured
    return {} if path is None else {(plan.name, plan.buffers): measured.read(path, plan.name) for plan in plans}


def compared(epilogue: Epilogue, own: Plan) -> list[Plan]:
    """Its plan, and those with the default numbers of buffers that it can be built with."""
    others = [planned(replace(epilogue, buffers=count))[0] for count in DEFAULT_BUFFERS if count != own.buffers]
    return sorted([own, *filter(None, others)], key=lambda plan: plan.buffers)


def with_buffers(epilogue: Epilogue, count: int) -> Plan:
    """The plan with another number of buffers. Raises EvtgenError if the epilogue cannot be built with it."""
    return require_plan(replace(epilogue, buffers=count))
