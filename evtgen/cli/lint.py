"""``evtgen lint``: diagnostics of EVTs that are written by hand."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ..options import LintOptions
from ..system.translation import tr
from .options import Format, Json
from .outcome import OK, WRONG_INPUT, Form, call, print_diagnostics, print_json
from .records import takes


@takes(LintOptions)
def lint(
    files: Annotated[
        list[Path], typer.Argument(metavar="FILE...", help=tr("Files of C++, or one EVT in a file: FILE.hpp:NAME."))
    ],
    options: Callable[[], LintOptions],
    form: Format = Form.text,
    as_json: Json = False,
) -> None:
    """Check EVTs that are written in C++, at their own lines, by the rules of specs and against their arguments."""
    from ..pipeline.specs import each_checked

    checked = call(each_checked, files, as_json=as_json, form=form)
    names = [epilogue.name for epilogue in checked.epilogues]
    if as_json:
        print_json({"ok": checked.ok, "epilogues": names, "diagnostics": [d.to_json() for d in checked.diagnostics]})
    elif options().plan and checked.ok:
        from ..pipeline.paste import plan_text

        texts = (call(plan_text, epilogue, as_json=as_json, form=form) for epilogue in checked.epilogues)
        print("\n".join(texts), end="")
    else:
        print_diagnostics(checked.diagnostics, form)
        if checked.ok and form is not Form.sarif:
            joined = ", ".join(names)
            if len(names) == 1:
                print(tr("1 EVT fine: {name}", name=joined))
            else:
                print(tr("{count} EVTs fine: {names}", count=len(names), names=joined))
    raise typer.Exit(OK if checked.ok else WRONG_INPUT)
