"""The timing of one launch by the CPU model's table of costs: length, busy pipes, overlap."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..model.trace import Trace

VECTOR_PIPES = ("MTE2", "V", "MTE3")
"""The pipes of a vector core whose overlap counts; S only issues."""

SOURCE = "cost model, not a measurement"


@dataclass(frozen=True)
class Timing:
    """One launch.

    Attributes:
        cycles: makespan of the kernel in modelled cycles.
        bandwidth_bound: cycles that its copies take at the full bandwidths of global memory and the L2 cache, all cores
            together.
        busy: core ("AIC" or "AIV") → pipe → share of the makespan that it works, averaged over those cores.
        overlap: share of a vector core's working time in which at least two of MTE2, V and MTE3 work.
        launch: fixed cycles of the launch itself, which are not part of ``cycles``.
        mhz: cycles per microsecond.
        causes: core → pipe → use of its time → share of the makespan, averaged over the cores with that pipe.
        calls: cycles of each call, summed over cores: the model's lines, the dearest first.
    """

    cycles: int
    bandwidth_bound: int
    busy: dict[str, dict[str, float]]
    overlap: float
    launch: int
    mhz: int
    causes: dict[str, dict[str, dict[str, float]]]
    calls: list[dict[str, Any]]

    @property
    def microseconds(self) -> float:
        """The time of the kernel and its launch."""
        return (self.cycles + self.launch) / self.mhz

    def to_json(self) -> dict[str, Any]:
        """The members of ``--json``, shares rounded to 1/1000."""
        return {
            "cycles": self.cycles,
            "bandwidth_bound": self.bandwidth_bound,
            "busy": {core: {p: round(s, 3) for p, s in pipes.items()} for core, pipes in self.busy.items()},
            "overlap": round(self.overlap, 3),
            "launch": self.launch,
            "microseconds": round(self.microseconds, 2),
            "causes": {
                core: {pipe: {cause: round(share, 3) for cause, share in causes.items()} for pipe, causes in of.items()}
                for core, of in self.causes.items()
            },
            "calls": self.calls,
            "source": SOURCE,
        }


@dataclass(frozen=True)
class LaunchTiming(Timing):
    """One launch of a program, with the number of its blocks."""

    kernel: str
    blocks: int

    def to_json(self) -> dict[str, Any]:
        """The object that ``evtgen cpu --profile --json`` prints for a launch."""
        return {"kernel": self.kernel, "blocks": self.blocks, **super().to_json()}


def timing(launch: dict[str, Any], trace: Trace) -> Timing:
    """The timing of a launch, from its numbers in the model's report and from its trace."""
    cycles = launch["makespan"]
    return Timing(
        cycles, launch["bandwidth_bound"], _busy(trace, cycles), _overlap(trace), launch["launch"], launch["mhz"],
        _causes(launch), sorted(launch["calls"], key=lambda call: -(call["busy"] + call["waits"])),
    )  # fmt: skip


def launch_timings(report: dict[str, Any], trace: Trace) -> list[LaunchTiming]:
    """The timings of all launches of a program that came to their end."""
    launches = report.get("stats", {}).get("launches", ())
    return [
        LaunchTiming(**vars(timing(launch, part)), kernel=launch["kernel"], blocks=launch["block_dim"])
        for launch, part in zip(launches, trace.launches(), strict=False)
    ]


def _causes(launch: dict[str, Any]) -> dict[str, dict[str, dict[str, float]]]:
    """Shares of the time of each kind of pipe, the largest first."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for line in launch["causes"]:
        found.setdefault(line["core"], {}).setdefault(line["pipe"], {})[line["cause"]] = line["cycles"]
    for pipes in found.values():
        for pipe, causes in pipes.items():
            total = sum(causes.values())
            pipes[pipe] = {cause: cycles / total for cause, cycles in sorted(causes.items(), key=lambda item: -item[1])}
    return found


def _busy(trace: Trace, cycles: int) -> dict[str, dict[str, float]]:
    of_track: Counter[tuple[int, int]] = Counter()
    for event in trace.work:
        of_track[event["pid"], event["tid"]] += event["dur"]
    spent: dict[str, dict[str, float]] = {"AIC": {}, "AIV": {}}
    for (core, track), worked in of_track.items():
        of_kind, name = spent[trace.cores[core][:3]], trace.pipes[track]
        of_kind[name] = of_kind.get(name, 0) + worked
    for kind, of_kind in spent.items():
        count = sum(name.startswith(kind) for name in trace.cores.values())
        for pipe in of_kind:
            of_kind[pipe] /= count * cycles
    return spent


def _overlap(trace: Trace) -> float:
    """The time in which two or more vector pipes of a core work, as a share of the time in which any works."""
    vectors = {core for core, name in trace.cores.items() if name.startswith("AIV")}
    pipes = {pipe for pipe, name in trace.pipes.items() if name in VECTOR_PIPES}
    spans: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for event in trace.work:
        if event["pid"] in vectors and event["tid"] in pipes:
            spans[event["pid"]].append((event["ts"], event["dur"]))
    several = any_ = 0
    for of_core in spans.values():
        begin, length = np.array(of_core).T
        times = np.concatenate([begin, begin + length])
        order = np.argsort(times)
        active = np.cumsum(np.repeat((1, -1), len(begin))[order])[:-1]
        between = np.diff(times[order])
        any_ += int(between[active > 0].sum())
        several += int(between[active > 1].sum())
    return several / any_ if any_ else 0.0
