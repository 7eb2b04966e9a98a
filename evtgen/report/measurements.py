"""Accuracies and profiles."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ..system.translation import tr
from ..system.words import number
from .console import begun, console, say, show, table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..measure.accuracy import Accuracy
    from ..measure.measured import Measured
    from ..measure.profile import Profile
    from ..measure.timing import LaunchTiming, Timing


STANDS_ON = tr(
    "Not a measurement: the CPU model's clock, whose constants come from published calibrations or are assumed; "
    "docs/clock.md says which, and how near it is."
)
LEGEND = tr(
    "us: with the fixed cost of a launch. bound: cycles of its loads at an even share of the bandwidth, the last wave "
    "of blocks included. MTE2, V, MTE3: how busy they are. overlap: when two or more of them work."
)


def accuracies(found: Sequence[Accuracy], out: Console | None = None) -> None:
    """The results of ``check --numeric``: a line per operator, and the worst case of each wrong one."""
    from ..measure.accuracy import bound_text, constants_text

    out = begun(out)
    if not found:
        out.print(tr("no operators of your own; docs/accuracy.md holds evtgen's"))
        return
    titles = tr("operator"), tr("constants"), tr("type"), tr("values"), tr("bound"), tr("max ulp"), tr("mean ulp")
    grid = table("", *titles, tr("wrong"), "NaN")
    for one in found:
        numbers = [f"{one.max_ulp:,}", f"{one.mean_ulp:.4f}", f"{one.wrong:,}", f"{one.nans:,}"]
        case = [one.case.operator.name, constants_text(one.case), one.case.T.name, f"{one.values:,}"]
        grid.add_row(tr("ok") if one.ok else tr("FAIL"), *case, bound_text(one.case), *numbers)
    show(out, grid)
    for one in found:
        if not one.ok:
            inputs, device, numpy = one.example
            named = zip(one.case.operator.operands, inputs, strict=True)
            given = ", ".join(f"{name}={value!r}" for name, value in named)
            text = tr("{operator} in {T}: for {given} the calls give {device!r}, numpy {numpy!r}")
            said = {"operator": one.case.operator.name, "T": one.case.T, "given": given}
            say(out, text.format(**said, device=device, numpy=numpy))


TIMES = (tr("cycles"), "us", tr("bound"), "MTE2", "V", "MTE3", tr("overlap"))
"""The columns of a timing."""


def profiles(found: Sequence[Profile], out: Console | None = None) -> None:
    """The results of ``profile``: a line per epilogue and number of buffers, and remarks on each."""
    out = begun(out)
    show(out, profile_table(found), (tr("bound"), tr("overlap"), "tile", "us", "MTE2", "MTE3", "V"))
    profile_remarks(found, out)


def profile_table(found: Sequence[Profile]) -> Table:
    """A line per epilogue and number of buffers."""
    grid = table(tr("epilogue"), "M x N x K", tr("buffers"), "tile", *TIMES)
    for one in found:
        grid.add_row(one.epilogue, one.size(" x "), str(one.buffers), f"{one.compute_length:,}", *_times(one))
    return grid


def profile_remarks(found: Sequence[Profile], out: Console) -> None:
    """The remarks below the table: the uses of the time."""
    for one in found:
        if one.phases:
            show(out, _phases(one))
        buffers = number(one.buffers, tr("{count} buffer{s}"))
        say(out, _where(tr("{epilogue}, {buffers}", epilogue=one.epilogue, buffers=buffers), one))
        if one.measured is not None:
            if one.measured.times:
                show(out, _beside(one, one.measured))
            say(out, took(one, one.measured))
    say(out, " ".join((STANDS_ON, tr("tile: elements of one node's buffer."), LEGEND)))


def _beside(one: Profile, measured: Measured) -> Table:
    """A line for each pipe that was measured."""
    grid = table(tr("pipe of {epilogue}", epilogue=one.epilogue), *BESIDE)
    for cells in beside(one, measured):
        grid.add_row(*cells)
    return grid


BESIDE = (tr("measured, us"), tr("clock, us"), tr("difference"))
"""The columns of a measurement beside the clock."""


def beside(one: Profile, measured: Measured) -> list[list[str]]:
    """The cells of a line for each pipe, or whole core, that was measured."""
    return [
        [
            f"{side.core} {side.pipe}".strip(),
            f"{side.measured:,.1f}",
            f"{side.modelled:,.1f}",
            f"{side.modelled / side.measured - 1:+.0%}" if side.measured else "",
        ]
        for side in measured.beside(one)
    ]


def took(one: Profile, measured: Measured) -> str:
    """What was measured, and where the clock and it part."""
    kernel = measured.kernel or one.epilogue
    said = [tr("{kernel}: the median of its launches ({count}).", kernel=kernel, count=measured.launches)]
    if kernel != one.epilogue:
        said.append(tr("By its name it is taken for {epilogue}.", epilogue=one.epilogue))
    if measured.task is not None:
        said.append(
            tr(
                "With the launch {task} us, on the clock {us}.",
                task=f"{measured.task:,.1f}",
                us=f"{one.microseconds:,.1f}",
            )
        )
    if not measured.times:
        return " ".join(said)
    apart = [f"{side.core} {side.pipe} ({side.modelled - side.measured:+,.1f} us)" for side in measured.parts(one)]
    said.append(tr("They part in {pipes}.", pipes=", ".join(apart)) if apart else tr("They part in no pipe."))
    if measured.in_blocks(one):
        said.append(tr("The clock takes a block of the matmul as a whole: the cube core's pipes are not compared."))
    return " ".join(said)


def _phases(one: Profile) -> Table:
    """The phases of an epilogue, a line each."""
    title = tr("phase of {epilogue}", epilogue=one.epilogue)
    grid = table(title, tr("from"), tr("to"), tr("buffers"), "tile", "MTE2", "V", "MTE3")
    for phase in one.phases:
        tiles = (str(phase.buffers), f"{phase.compute_length:,}")
        busy = (f"{phase.busy[pipe]:.0%}" for pipe in ("MTE2", "V", "MTE3"))
        grid.add_row(phase.name.removeprefix("phase"), f"{phase.begin:,}", f"{phase.end:,}", *tiles, *busy)
    return grid


def launches(found: Sequence[LaunchTiming]) -> None:
    """The timings of ``cpu --profile``, a line per launch, on stderr: stdout is the program's own."""
    grid = table(tr("kernel"), tr("blocks"), *TIMES)
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
    """The uses of the vector pipes' time, a line each, and the nodes with most of their work."""
    parts = []
    for pipe in ("MTE2", "V", "MTE3"):
        causes = one.causes.get("AIV", {}).get(pipe, {})
        named = [f"{cause_text(cause)} {share:.0%}" for cause, share in causes.items() if share >= 0.005][:5]
        parts.append(tr("{pipe}: {uses}.", pipe=pipe, uses=tr(", ").join(named) or tr("not used")))
    most = tr("Most work: {calls}.", calls=tr(", ").join(_busiest(one)))
    return "\n  ".join([name, *parts, most])


CAUSES = {
    "work": tr("work"),
    "start of instructions": tr("start of instructions"),
    "bank conflicts": tr("bank conflicts"),
    "start of copies": tr("start of copies"),
    "transfer": tr("transfer"),
    "bandwidth that other copies take": tr("bandwidth that other copies take"),
    "rows off their sectors": tr("rows off their sectors"),
    "store of the block before": tr("store of the block before"),
    "barrier": tr("barrier"),
    "issue by S": tr("issue by S"),
    "wait for the other core": tr("wait for the other core"),
    "nothing left to do": tr("nothing left to do"),
    "tail: other cores still work": tr("tail: other cores still work"),
}
"""The CPU model's words for the use of a pipe's time, all but its waits for other pipes, in the user's language."""


def cause_text(cause: str) -> str:
    """The use of a pipe's time in the user's language."""
    return CAUSES.get(cause) or tr("wait {event}", event=cause.removeprefix("wait "))


LOST = {"bank_conflicts": tr("bank conflicts"), "rows": tr("rows off their sectors"), "start": tr("starts")}
"""The losses in the work of a call: members of ``Timing.calls``, and their names."""


def _busiest(one: Timing) -> list[str]:
    """The nodes with most of the vector pipes' work, and each loss of a tenth of it or more; calls, if the program
    names no nodes."""
    work: dict[str, Counter[str]] = defaultdict(Counter)
    for call in one.calls:
        if call["core"] == "AIV" and call["pipe"] in ("MTE2", "V", "MTE3"):
            who = call["node"] or f"{call['call']} ({Path(call['file']).name}:{call['line']})"
            where = tr("{call} on {pipe}", call=who, pipe=call["pipe"])
            work[where].update({member: call[member] for member in ("busy", *LOST)})
    total = sum(of["busy"] for of in work.values())
    found = []
    for who, of in sorted(work.items(), key=lambda item: -item[1]["busy"])[:4]:
        if of["busy"]:
            parts = {name: of[member] / of["busy"] for member, name in LOST.items()}
            of_it = tr("{name} {share:.0%} of it")
            lost = tr(", ").join(of_it.format(name=name, share=share) for name, share in parts.items() if share >= 0.1)
            text = tr("{call} {share:.0%} ({lost})") if lost else tr("{call} {share:.0%}")
            found.append(text.format(call=who, share=of["busy"] / total, lost=lost))
    return found
