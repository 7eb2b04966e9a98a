"""What the playground shows of a spec. It runs in the browser: of packages it has the ones that the bundle has."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path

from evtgen.diagnostics.diagnostic import render
from evtgen.emit.finish import LATER
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files
from evtgen.pipeline.explain import describe
from evtgen.pipeline.specs import load_and_check
from evtgen.report.console import fine, printed
from evtgen.report.page.graph import drawing_of, laid_out, standalone
from evtgen.report.plans import plan as explained


def shown(text: str, file: str = "spec.py") -> str:
    """A spec's diagnostics, or that it is fine, and of each epilogue without errors the graph, the header before it is
    formatted and what ``evtgen explain`` prints, as JSON."""
    path = Path(file)
    path.write_text(text, encoding="utf-8")
    checked = load_and_check([path])
    said = [render(checked.diagnostics)] if checked.diagnostics else []
    said += [fine([epilogue.name for epilogue in checked.epilogues])] if checked.ok else []
    epilogues = [
        {
            "name": plan.name,
            "graph": standalone(laid_out(drawing_of(plan))),
            "header": "".join(epilogue_files(plan, Framework(), LATER).values()),
            "explained": printed(partial(explained, describe(plan))),
        }
        for plan in (checked.plans if checked.ok else [])
    ]
    return json.dumps({"said": "\n".join(said), "epilogues": epilogues})
