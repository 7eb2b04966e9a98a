"""``evtgen ops``: the functions of ``ops``, one of them, or a table of the operators; and the kernels in front."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from ..report.plans import every_operator, function, operators
from ..system.translation import tr
from .options import Json
from .outcome import call, print_json


def ops(
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help=tr("Show this function alone."))] = None,
    every: Annotated[bool, typer.Option("--all", help=tr("A table with the AscendC calls of each operator."))] = False,
    as_json: Json = False,
) -> None:
    """List the functions of ops by family; or show one, with its types, accuracy, cost and an example."""
    from ..pipeline import explain

    if name is not None:
        row = call(lambda: explain.one_function(name.removeprefix("ops.")), as_json=as_json)
        if as_json:
            print_json(row)
        else:
            function(row)
        return

    def listed() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        return explain.operators(), explain.functions()

    rows, others = call(listed, as_json=as_json)
    if as_json:
        print_json([*rows, *others])
    elif every:
        every_operator(rows, others, explain.element_types(), explain.kernels())
    else:
        operators(explain.families(), explain.element_types(), explain.kernel_names())
