"""Accuracies and profiles."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..system.words import counted
from .console import begun, console, say, show, table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..measure.accuracy import Accuracy
    from ..measure.profile import Profile
    from ..measure.timing import LaunchTiming, Timing


STANDS_ON = (
    "Not a measurement: the CPU model's clock, whose constants come from published calibrations or are assumed; "
    "docs/clock.md says which, and how near it is."
)
LEGEND = (
    "us: with the fixed cost of a launch. bound: cycles of its loads at an even share of the bandwidth, the last wave "
    "of blocks included. MTE2, V, MTE3: how busy they are. overlap: when two or more of them work."
)


def accuracies(found: Sequence[Accuracy], out: Console | None = None) -> None:
    """The results of ``check --numeric``: a line per operator, and the worst case of each wrong one."""
    from ..measure.accuracy import bound_text, constants_text

    out = begun(out)
    if not found:
        out.print("no operators of your own; docs/accuracy.md holds evtgen's")
        return
    grid = table("", "operator", "constants", "type", "values", "bound", "max ulp", "mean ulp", "wrong", "NaN")
    for one in found:
        numbers = [f"{one.max_ulp:,}", f"{one.mean_ulp:.4f}", f"{one.wrong:,}", f"{one.nans:,}"]
        case = [one.case.operator.name, constants_text(one.case), one.case.T.name, f"{one.values:,}"]
        grid.add_row("ok" if one.ok else "FAIL", *case, bound_text(one.case), *numbers)
    show(out, grid)
    for one in found:
        if not one.ok:
            inputs, device, numpy = one.example
            named = zip(one.case.operator.operands, inputs, strict=True)
            given = ", ".join(f"{name}={value!r}" for name, value in named)
            text = f"{one.case.operator.name} in {one.case.T}: for {given} the calls give {device!r}, numpy {numpy!r}"
            say(out, text)


TIMES = ("cycles", "us", "bound", "MTE2", "V", "MTE3", "overlap")
"""The columns of a timing."""


def profiles(found: Sequence[Profile], out: Console | None = None) -> None:
    """The results of ``profile``: a line per epilogue and number of buffers, and remarks on each."""
    out = begun(out)
    show(out, profile_table(found), ("bound", "overlap", "tile", "us", "MTE2", "MTE3", "V"))
    profile_remarks(found, out)


def profile_table(found: Sequence[Profile]) -> Table:
    """A line per epilogue and number of buffers."""
    grid = table("epilogue", "M x N x K", "buffers", "tile", *TIMES)
    for one in found:
        grid.add_row(one.epilogue, one.size(" x "), str(one.buffers), f"{one.compute_length:,}", *_times(one))
    return grid


def profile_remarks(found: Sequence[Profile], out: Console) -> None:
    """The remarks below the table: the uses of the time."""
    for one in found:
        if one.phases:
            show(out, _phases(one))
        name = f"{one.epilogue}, {counted(one.buffers, 'buffer')}"
        say(out, _where(name, one))
    say(out, f"{STANDS_ON} tile: elements of one node's buffer. {LEGEND}")


def _phases(one: Profile) -> Table:
    """The phases of an epilogue, a line each."""
    grid = table(f"phase of {one.epilogue}", "from", "to", "buffers", "tile", "MTE2", "V", "MTE3")
    for phase in one.phases:
        tiles = (str(phase.buffers), f"{phase.compute_length:,}")
        busy = (f"{phase.busy[pipe]:.0%}" for pipe in ("MTE2", "V", "MTE3"))
        grid.add_row(phase.name.removeprefix("phase"), f"{phase.begin:,}", f"{phase.end:,}", *tiles, *busy)
    return grid


def launches(found: Sequence[LaunchTiming]) -> None:
    """The timings of ``cpu --profile``, a line per launch, on stderr: stdout is the program's own."""
    grid = table("kernel", "blocks", *TIMES)
    for one in found:
        grid.add_row(one.kernel, f"{one.blocks:,}", *_times(one))
    out = console(sys.stderr)
    show(out, grid)
    for one in found:
        say(out, _where(one.kernel, one))
    say(out, f"{STANDS_ON} {LEGEND}")


def _times(one: Timing) -> list[str]:
    busy = [f"{one.busy['AIV'].get(pipe, 0):.0%}" for pipe in ("MTE2", "V", "MTE3")]
    return [f"{one.cycles:,}", f"{one.microseconds:,.1f}", f"{one.bandwidth_bound:,}", *busy, f"{one.overlap:.0%}"]


def _where(name: str, one: Timing) -> str:
    """The uses of the vector pipes' time, and the nodes with most of their work."""
    parts = []
    for pipe in ("MTE2", "V", "MTE3"):
        causes = one.causes.get("AIV", {}).get(pipe, {})
        named = [f"{cause} {share:.0%}" for cause, share in causes.items() if share >= 0.005][:5]
        parts.append(f"{pipe}: {', '.join(named) or 'not used'}")
    return f"{name}. {'. '.join(parts)}. Most work: {', '.join(_busiest(one))}."


LOST = {"bank_conflicts": "bank conflicts", "rows": "rows off their sectors", "start": "starts"}
"""The losses in the work of a call: members of ``Timing.calls``, and their names."""


def _busiest(one: Timing) -> list[str]:
    """The nodes with most of the vector pipes' work, and each loss of a tenth of it or more; calls, if the program
    names no nodes."""
    work: dict[str, Counter[str]] = defaultdict(Counter)
    for call in one.calls:
        if call["core"] == "AIV" and call["pipe"] in ("MTE2", "V", "MTE3"):
            who = call["node"] or f"{call['call']} ({Path(call['file']).name}:{call['line']})"
            work[f"{who} on {call['pipe']}"].update({member: call[member] for member in ("busy", *LOST)})
    total = sum(of["busy"] for of in work.values())
    found = []
    for who, of in sorted(work.items(), key=lambda item: -item[1]["busy"])[:4]:
        if of["busy"]:
            parts = {name: of[member] / of["busy"] for member, name in LOST.items()}
            lost = ", ".join(f"{name} {share:.0%} of it" for name, share in parts.items() if share >= 0.1)
            found.append(f"{who} {of['busy'] / total:.0%}{f' ({lost})' if lost else ''}")
    return found
