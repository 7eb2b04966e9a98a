"""The time of an epilogue over K, on the clock alone, beside the operations and bytes that it cannot do without."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

from ..graph.shapes import Problem
from ..model.layouts import operand_bytes
from ..model.workers import each
from ..options import ProfileOptions
from ..passes.analysis.gemm import DIGITS, in_digits
from ..planner.plan import Plan
from ..system.progress import Progress, silent
from .clock import cycles_of
from .profile import Profile, observed

DEPTHS = (64, 256, 1024, 4096)
"""K of the points, besides that of the profile."""

OPERANDS = "A and B"

MOST = 1 << 26
"""Bytes of A, B and the tensors up to which a point is worth its time."""


@dataclass(frozen=True)
class Point:
    """A launch.

    Attributes:
        k: of the problem.
        microseconds: with the fixed cost of a launch.
        plain: of the matmul alone; None where there is none.
        operations: multiplications and additions of the cube cores.
        bytes: of A, B and all tensors, each once.
    """

    k: int
    microseconds: float
    plain: float | None
    operations: int
    bytes: int

    @property
    def intensity(self) -> float:
        """Operations for each byte."""
        return self.operations / self.bytes

    @property
    def rate(self) -> float:
        """Operations in a microsecond."""
        return self.operations / self.microseconds

    @property
    def bandwidth(self) -> float:
        """GB/s: its bytes over its time."""
        return self.bytes / self.microseconds / 1000


@dataclass(frozen=True)
class OverK:
    """An epilogue at several K, by their size.

    Attributes:
        points: them.
        peak: operations of all cube cores in a microsecond, at most, on the clock.
        bandwidth: bytes of global memory in a microsecond, at most.
    """

    points: tuple[Point, ...]
    peak: float
    bandwidth: float


def over_k(profiled: Sequence[tuple[Plan, Profile]], options: ProfileOptions, progress: Progress = silent) -> OverK:
    """The points of an epilogue, the first of those that were ``profiled``, at M and N of its profile; the second is
    the matmul alone, if there is one. At K of the profiles the times are theirs. Raises EvtgenError."""
    plans, profiles = zip(*profiled, strict=True)
    programs = observed(plans, options, progress)
    plan, (m, n, own) = plans[0], profiles[0].shape
    problems = {k: plan.problem(plan.kernel.at_least((m, n, k), options.matmuls), options.matmuls) for k in DEPTHS}
    problems = {problem.k: problem for problem in problems.values() if sum(needed(plan, problem).values()) <= MOST}
    problems[own] = plan.problem((m, n, own), options.matmuls)
    jobs = [(place, k) for k in sorted(problems) for place in range(len(plans)) if k != own]

    def time(job: tuple[int, int]) -> float:
        (plan, profile), k = profiled[job[0]], job[1]
        return (cycles_of(plan, problems[k], programs[job[0]], options.settings) + profile.launch) / profile.mhz

    times = dict(zip(jobs, each(time, jobs, None), strict=True))
    times |= {(place, own): profile.microseconds for place, profile in enumerate(profiles)}
    points = (
        Point(k, times[0, k], times.get((1, k)), operations(plan, problem), sum(needed(plan, problem).values()))
        for k, problem in sorted(problems.items())
    )
    costs, cores = plan.arch.costs, options.cores or plan.arch.cube_cores
    products = DIGITS if in_digits(plan.gemm) else 1
    peak = 2 * cores * costs["macs"] * costs["mhz"] / plan.product / products
    return OverK(tuple(points), peak, costs["globalBytes"] * costs["mhz"])


def operations(plan: Plan, problem: Problem) -> int:
    """Multiplications and additions of all matmuls."""
    depths = problem.depths or (problem.k,) * problem.count
    pairs = zip(problem.rows * (len(depths) if len(problem.rows) == 1 else 1), depths, strict=False)
    return 2 * plan.accumulators * problem.n * sum(rows * depth for rows, depth in pairs)


def needed(plan: Plan, problem: Problem) -> dict[str, int]:
    """The bytes of A and B, and of each tensor of the epilogue, by its name."""
    sizes = {tensor.name: tensor.element.bytes(prod(tensor.size(problem))) for tensor in plan.tensors}
    return {OPERANDS: operand_bytes(plan, problem, pad=0), **sizes}


def moved(profile: Profile, plan: Plan) -> dict[str, int]:
    """The bytes that all cores copy from and to each tensor, by its name; under "" those of the workspace."""
    tensors = {alias: node.tensor.name for part in plan.graphs for alias, node in part.nodes() if node.tensor}
    found: dict[str, int] = {}
    pipes = {event["tid"]: event["args"]["name"] for event in profile.trace if event["name"] == "thread_name"}
    for event in profile.trace:
        if event["ph"] == "X" and event["cat"] == "work" and pipes[event["tid"]] in {"MTE2", "MTE3", "FIX"}:
            args = event["args"]
            name = tensors.get(args.get("node", "").rpartition("::")[2], "")
            found[name] = found.get(name, 0) + args.get("bytes", 0)
    return found
