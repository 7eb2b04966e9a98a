"""A model's kernels, and what is left of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..system.translation import tr
from .console import begun, say, show, table

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..pipeline.partition import Partition

STANDS_ON = tr(
    "The times are modelled: of each launch the longer of its arithmetic and its traffic at the rates of the CPU "
    "model's clock, and the fixed cost of a launch."
)


def partition(found: Partition, out: Console | None = None) -> None:
    """A line for each kernel, and one for each node that is left to PyTorch."""
    out = begun(out)
    show(out, kernels(found))
    if found.rest:
        show(out, rest(found))
    say(out, summary(found))
    say(out, STANDS_ON)


def kernels(found: Partition) -> Table:
    """A line for each kernel."""
    grid = table(tr("kernel"), "M x N x K", tr("fuses"), tr("launches"), tr("bytes"), tr("us"))
    for kernel in found.kernels:
        grid.add_row(
            kernel.name,
            (tr("{count} of ", count=kernel.batch) if kernel.batch else "") + " x ".join(map(str, kernel.shape)),
            ", ".join(kernel.fuses),
            f"{kernel.launches_before} → 1",
            f"{kernel.bytes_before:,} → {kernel.bytes_after:,}",
            f"{kernel.us_before:.1f} → {kernel.us_after:.1f}",
        )
    return grid


def rest(found: Partition) -> Table:
    """A line for each node that is left to PyTorch."""
    grid = table(tr("left to PyTorch"), tr("because"))
    for left in found.rest:
        grid.add_row(left.node if left.calls == left.node else f"{left.node} ({left.calls})", left.reason)
    return grid


def summary(found: Partition) -> str:
    """The whole model in a line."""
    before, after = (sum(getattr(one, key) for one in found.kernels) for key in ("bytes_before", "bytes_after"))
    text = tr("{launches} launches → {left}, of these {kernels} kernels; what they move: {before:,} → {after:,} bytes")
    launches = {"launches": found.launches_before, "left": found.launches_after}
    return text.format(**launches, kernels=len(found.kernels), before=before, after=after)
