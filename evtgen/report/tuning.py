"""The fastest kernels of a search."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..system.words import counted
from .console import begun, show, table, wrapped
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
    grid = table("", "epilogue", "M x N x K", "cycles", "gain", "options")
    for one in found:
        rows = [one.default, *(kernel for kernel in one.tried if kernel.options)]
        rows += [one.winner] if one.winner not in rows else []
        for kernel in rows:
            mark = "winner" if kernel == one.winner else ""
            given = ", ".join(f"{name}={value}" for name, value in kernel.options.items()) or "as it is"
            cycles = ", ".join(f"{count:,}" for count in kernel.cycles)
            grid.add_row(mark, one.epilogue, one.size, cycles, f"{one.gain_of(kernel):.3f}", given)
    return grid


def tuning_remarks(found: Sequence[Tuning], out: Console) -> None:
    """The lines to paste, and how sure they are."""
    for one in found:
        text = f"{one.epilogue} at {one.size}, {one.gain:.3f} times as fast: {one.line or 'as it is'}"
        if one.runs:
            text += f". {counted(one.runs, 'kernel')} timed{', all that there are' if one.all else ''}, seed {one.seed}"
        out.print(wrapped(f"{text}. {_sure(one)}", out.file), markup=False, soft_wrap=True)
    out.print(STANDS_ON, markup=False)


def _sure(one: Tuning) -> str:
    """What rests on assumed constants."""
    if one.assumed is None:
        return ""
    lost = [f"{c.factor} x {c.constant} ({c.gain:.3f})" for c in one.changed if not c.stays]
    stays = f"but for {', '.join(lost)}" if lost else "always"
    gains = [c.gain for c in one.changed] or [one.gain]
    return (
        f"With half and double of {counted(one.assumed, 'assumed constant')} the winner stays {stays}; "
        f"gains from {min(gains):.3f} to {max(gains):.3f}."
    )
