"""``evtgen explain``: the graph and the C++ made from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ..diagnostics.diagnostic import Diagnostic
from ..options import FORCE, ExplainOptions
from ..report.plans import plan as report
from ..system.translation import tr
from .options import Json, Specs, place
from .outcome import call, print_diagnostics, print_json
from .records import takes


@takes(ExplainOptions)
def explain(
    specs: Specs,
    svg: Annotated[
        str | None,
        typer.Option(
            "--svg",
            parser=place,
            metavar="FILE|DIR",
            help=tr("Draw the graph into FILE, or each into a file of DIR, instead."),
        ),
    ] = None,
    options: Callable[[], ExplainOptions] = ExplainOptions,
    force: Annotated[bool, typer.Option("--force", help=FORCE.help)] = False,
    as_json: Json = False,
) -> None:
    """Show the graph, the C++ type, the order of the arguments and the UB budget."""
    if svg is not None:
        _draw(specs, svg, force, as_json)
        return
    from ..pipeline.explain import explain as describe
    from ..pipeline.specs import load_and_check

    plans, warnings = call(lambda: describe(load_and_check(specs)), as_json=as_json)
    if as_json:
        print_json(plans)
    else:
        print_diagnostics(warnings)
        for plan in plans:
            report(plan)


def _draw(specs: Specs, svg: str, force: bool, as_json: bool) -> None:
    """The graphs as pictures."""

    def drawn() -> tuple[list[Path], list[Diagnostic]]:
        from ..pipeline.specs import load_and_check
        from ..report.page.report import draw

        return draw(load_and_check(specs), svg, force=force)

    paths, warnings = call(drawn, as_json=as_json)
    if as_json:
        print_json({"ok": True, "pictures": paths, "diagnostics": [d.to_json() for d in warnings]})
        return
    print_diagnostics(warnings)
    for path in paths:
        print(tr("wrote {path}", path=path))
