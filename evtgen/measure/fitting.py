"""The blocks for one shape by the formula of the search, where those for any shape leave cores idle, and else the
buffers: nothing is compiled, and no clock runs."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from ..frontend.dispatch import Fields
from ..graph.ir import Epilogue
from ..graph.shapes import Problem
from ..planner.plan import Plan
from .estimate import estimated, units
from .space import Point, Space, axes_of, axes_of_blocks

BUSY = 0.9
"""Where cores work for less of the time of all waves of blocks, other blocks are looked for, and else buffers."""

FASTER = {"blocks": 1.02, "buffers": 1.33}
"""How many times as fast a launch with others must be, by the formula and with its fixed cost. Where K is small, the
formula has promised up to 1.29 times as much of one buffer as the clock then gave (docs/tune.md)."""


def fitted(epilogue: Epilogue, plan: Plan, problem: Problem, cores: int | None = None) -> tuple[Fields, float]:
    """Options for a problem, and what they leave of the kernel's cycles by the formula; none, and all of these, where
    no others are :data:`FASTER`."""
    if busy(plan, problem, cores) < BUSY:
        of, axes = "blocks", axes_of_blocks(plan, problem)
    elif epilogue.buffers == "auto" and units(plan, problem):
        of, axes = "buffers", {"buffers": axes_of(plan)["buffers"]}
    else:
        return {}, 1.0
    space = Space(replace(epilogue, function=None), axes)

    @cache
    def cycles(point: Point) -> float:
        made = space.plan(point)
        assert made is not None
        return estimated(made, problem, cores)

    best = min(space.kernels(space.points()).values(), key=cycles)
    launch = plan.arch.costs["launch"]
    if cycles(space.own) + launch < FASTER[of] * (cycles(best) + launch):
        return {}, 1.0
    return space.fields(best), cycles(best) / cycles(space.own)


def busy(plan: Plan, problem: Problem, cores: int | None = None) -> float:
    """The share of the waves of blocks that cube cores work."""
    cores, blocks = cores or plan.arch.cube_cores, units(plan, problem)
    return blocks / (-(-blocks // cores) * cores) if blocks else 1.0
