"""The fastest kernels of a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..system.translation import tr
from ..system.words import number
from .console import begun, say, show, table
from .measurements import STANDS_ON

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..pipeline.tune import Tuning


def tunings(found: Sequence[Tuning], out: Console | None = None) -> None:
    """A table of the kernels, and for each winner the line to paste and what it rests on."""
    out = begun(out)
    show(out, tuning_table(found))
    tuning_remarks(found, out)


def tuning_table(found: Sequence[Tuning]) -> Table:
    """The epilogue as it is, and the fastest kernels."""
    grid = table("", tr("epilogue"), "M x N x K", tr("cycles"), tr("gain"), tr("options"))
    for one in found:
        rows = [one.default, *(kernel for kernel in one.tried if kernel.options)]
        rows += [one.winner] if one.winner not in rows else []
        for kernel in rows:
            mark = tr("winner") if kernel == one.winner else ""
            # Without a space, a tuple is not broken where the table is narrow.
            texts = (f"{name}={value}".replace(", ", ",") for name, value in kernel.options.items())
            given = ", ".join(texts) or tr("as it is")
            cycles = ", ".join(f"{count:,}" for count in kernel.cycles)
            grid.add_row(mark, one.epilogue, one.size, cycles, f"{one.gain_of(kernel):.3f}", given)
    return grid


def tuning_remarks(found: Sequence[Tuning], out: Console) -> None:
    """The lines to paste, and how sure they are."""
    for one in found:
        text = tr("{epilogue} at {size}, {gain:.3f} times as fast: {line}.")
        said = text.format(epilogue=one.epilogue, size=one.size, gain=one.gain, line=one.line or tr("as it is"))
        out.print(said, markup=False, soft_wrap=True)  # the line to paste stays whole
        if about := " ".join(filter(None, (_timed(one) if one.runs else "", _sure(one)))):
            say(out, about)
    device = tr("The cycles are times measured on a device, at the frequency of the clock.")
    say(out, device if found and found[0].device else STANDS_ON)


def _timed(one: Tuning) -> str:
    """How many kernels were looked at."""
    text = tr("{kernels} timed, all that there are, seed {seed}.") if one.all else tr("{kernels} timed, seed {seed}.")
    return text.format(kernels=number(one.runs, tr("{count} kernel{s}")), seed=one.seed)


def _sure(one: Tuning) -> str:
    """What rests on assumed constants."""
    if one.assumed is None:
        return ""
    lost = [f"{c.factor} x {c.constant} ({c.gain:.3f})" for c in one.changed if not c.stays]
    stays = tr("stays but for {lost}", lost=", ".join(lost)) if lost else tr("always stays")
    gains = [c.gain for c in one.changed] or [one.gain]
    text = tr("With half and double of {constants} the winner {stays}; gains from {low:.3f} to {high:.3f}.")
    constants = number(one.assumed, tr("{count} assumed constant{s}"))
    return text.format(constants=constants, stays=stays, low=min(gains), high=max(gains))
