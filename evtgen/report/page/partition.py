"""The page about a model: its kernels and what is left of it, and below what ``evtgen report`` says of each kernel."""

from __future__ import annotations

from pathlib import Path

from markupsafe import Markup

from ...emit.output.standalone import may_write, write_file
from ...options import ReportOptions
from ...pipeline.partition import Kernel, Partition
from ...pipeline.report import subjects
from ...pipeline.specs import check_given
from ...system.translation import tr
from .. import partitions
from .document import page
from .html import Fragment, join, table, tag
from .report import PAGE


def report(found: Partition, output: Path, *, force: bool = False) -> Path:
    """Write the page into ``output``; returns its path. Raises EvtgenError (EVT080, EVT095), as ``evtgen report``."""
    path = output / PAGE
    may_write(path, force=force)
    checked = check_given(kernel.epilogue for kernel in found.kernels)
    more = {kernel.name: _section(kernel) for kernel in found.kernels}
    said = subjects(checked, ReportOptions(run=False)) if found.kernels else []
    write_file(path, page(said, title=tr("The kernels of a model"), overview=_overview(found), more=more), force=force)
    return path


def _overview(found: Partition) -> Markup:
    kernels, rest = partitions.kernels(found), partitions.rest(found)
    columns = [[str(cell) for cell in column.cells] for column in kernels.columns]
    rows = [[tag("a", name, href=f"#{name}"), *cells] for name, *cells in zip(*columns, strict=True)]
    left = zip(*([str(cell) for cell in column.cells] for column in rest.columns), strict=True)
    parts = [
        tag("p", partitions.summary(found)),
        table([str(column.header) for column in kernels.columns], rows, numbers=(3, 4, 5)),
        table([str(column.header) for column in rest.columns], left) if found.rest else None,
        tag("p", partitions.STANDS_ON),
    ]
    return join(parts)


def _section(kernel: Kernel) -> Fragment:
    """What the tensors of a kernel are in the model."""
    rows = [[name, of, tr("read")] for name, of in kernel.bindings.items()]
    rows += [[name, of, tr("written")] for name, of in kernel.outputs.items()]
    fuses = ", ".join(kernel.fuses) or tr("nothing")
    behind = tag("p", tr("Behind the matmul: {fuses}.", fuses=fuses))
    return Fragment(
        tr("In the model"),
        "model",
        join([behind, table([tr("in the epilogue"), tr("in the model"), ""], rows)]),
    )
