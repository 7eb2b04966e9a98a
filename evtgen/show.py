"""What the command line prints for people."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from .accuracy import Accuracy
    from .emit.files import Difference, Written
    from .profile import Profile
    from .verify import Result

WIDTH = 160
"""Columns of a table that is not printed to a terminal."""

STATES = {
    "missing": "is missing",
    "stale": "is out of date",
    "edited": "was edited since evtgen wrote it",
    "foreign": "was not written by evtgen",
    "leftover": "is no longer produced",
    "interrupted": "holds a build that was cut off",
}
"""What ``build --check`` says of each state."""


def color(stream: TextIO) -> bool:
    """Whether to write colours to ``stream``: only to a terminal, and never with NO_COLOR set."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def progress(text: str) -> None:
    """Replace the progress line on stderr; an empty text clears it."""
    sys.stderr.write(f"\r\033[K{text}")
    sys.stderr.flush()


def written(result: Written) -> None:
    """What a build did."""
    for path in result.written:
        print(f"wrote    {path}")
    for path in result.removed:
        print(f"removed  {path}")
    for path in result.kept:
        print(f"kept     {path} (no longer produced, but edited)")
    changed = len(result.written)
    print(f"{changed} {'file' if changed == 1 else 'files'} written, {len(result.unchanged)} unchanged")


def differences(found: Sequence[Difference]) -> None:
    """What ``build --check`` found."""
    for difference in found:
        print(f"{difference.path} {STATES[difference.state]}")
    print("run evtgen build to bring it up to date" if found else "up to date")


def plan(described: dict[str, Any]) -> None:
    """A plan as :func:`evtgen.explain.describe` puts it."""
    console = _console()
    console.print(f"[bold]{described['epilogue']}[/] on {described['arch']}")
    for line in described["formula"]:
        console.print(f"  {line}", markup=False, soft_wrap=True)
    table = _table("", "node", "type", "yields", "inputs", "argument", "UB bytes")
    number = {node["node"]: str(index) for index, node in enumerate(described["nodes"])}
    for index, node in enumerate(described["nodes"]):
        inputs = ", ".join(f"{number[name]} {name}" for name in node["inputs"])
        arguments = node["tensor"] or ", ".join(node["scalars"])
        table.add_row(
            str(index), node["node"], node["type"], node["element"], inputs, arguments, str(node["ub"] or "")
        )
    console.print(table)
    console.print(f"EVT        {described['evt']}", markup=False, soft_wrap=True)
    console.print(f"Arguments  {described['braces']}", markup=False, soft_wrap=True)
    ub = described["ub"]
    console.print(
        f"UB         {ub['used']} of {ub['limit']} bytes: {described['buffers']} buffers of "
        f"{described['compute_length']} elements per node\n"
    )


def operators(rows: Sequence[dict[str, Any]]) -> None:
    """The operators as :func:`evtgen.explain.operators` lists them."""
    console = _console()
    architectures = list(rows[0]["types"])
    table = _table("ops.", "C++", "inputs", *architectures, "AscendC")
    for row in rows:
        inputs = ", ".join([f"{row['inputs']}{' or more' if row['variadic'] else ''}", *row["constants"]])
        types = [" ".join(row["types"][name]) for name in architectures]
        table.add_row(row["name"], row["cpp"], inputs, *types, "\n".join(row["calls"]))
    console.print(table)


def results(found: Sequence[Result]) -> None:
    """What ``verify`` found: a table, and a paragraph for everything that is wrong."""
    from .verify import failures, table

    if sys.stderr.isatty():
        progress("")
    console = _console()
    console.print(table(found))
    for result in found:
        for paragraph in failures(result):
            console.print(paragraph, markup=False, soft_wrap=True)
    console.print(f"{sum(result.ok for result in found)} of {len(found)} ok")


def accuracies(found: Sequence[Accuracy]) -> None:
    """What ``check --numeric`` found: a line per operator, and for one that is wrong the worst case."""
    from .accuracy import bound_text, constants_text

    if sys.stderr.isatty():
        progress("")
    if not found:
        print("no operators of your own; docs/accuracy.md holds evtgen's")
        return
    table = _table("", "operator", "constants", "type", "values", "bound", "max ulp", "mean ulp", "wrong", "NaN")
    for one in found:
        numbers = [f"{one.max_ulp:,}", f"{one.mean_ulp:.4f}", f"{one.wrong:,}", f"{one.nans:,}"]
        case = [one.case.operator.name, constants_text(one.case), one.case.T.name, f"{one.values:,}"]
        table.add_row("ok" if one.ok else "FAIL", *case, bound_text(one.case), *numbers)
    console = _console()
    console.print(table)
    for one in found:
        if not one.ok:
            inputs, device, numpy = one.example
            named = zip(one.case.operator.operands, inputs, strict=True)
            given = ", ".join(f"{name}={value!r}" for name, value in named)
            console.print(
                f"{one.case.operator.name} in {one.case.T}: for {given} the calls give {device!r}, numpy {numpy!r}",
                markup=False, soft_wrap=True,
            )  # fmt: skip


def profiles(found: Sequence[Profile]) -> None:
    """What ``profile`` found: a line per epilogue and number of buffers."""
    if sys.stderr.isatty():
        progress("")
    table = _table("epilogue", "M x N x K", "buffers", "tile", "cycles", "bound", "MTE2", "V", "MTE3", "overlap")
    for one in found:
        busy = [f"{one.busy['AIV'].get(pipe, 0):.0%}" for pipe in ("MTE2", "V", "MTE3")]
        shape = " x ".join(map(str, one.shape))
        numbers = [str(one.buffers), f"{one.compute_length:,}", f"{one.cycles:,}", f"{one.bandwidth_bound:,}"]
        table.add_row(one.epilogue, shape, *numbers, *busy, f"{one.overlap:.0%}")
    console = _console()
    console.print(table)
    console.print("By the CPU model's table of costs; not a measurement. tile: elements of one node's buffer. bound:")
    console.print("cycles at full bandwidth. MTE2, V, MTE3: how busy they are. overlap: when two or more of them work.")


def _console() -> Console:
    from rich.console import Console

    if color(sys.stdout):
        return Console(highlight=False)
    width = None if sys.stdout.isatty() else WIDTH
    return Console(highlight=False, no_color=True, width=width)


def _table(*columns: str) -> Table:
    from rich.box import SIMPLE
    from rich.table import Table

    table = Table(box=SIMPLE, show_edge=False, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table
