"""``evtgen extension``: operators of PyTorch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from ..options import ExtensionOptions
from ..report import files as report
from ..system.translation import tr
from .options import Json, Specs, directory
from .outcome import call, print_diagnostics, print_json
from .records import takes


@takes(ExtensionOptions)
def extension(
    specs: Specs,
    output: Annotated[
        Path, typer.Option("-o", "--output", parser=directory, metavar="DIR", help=tr("The directory of the package."))
    ],
    options: Callable[[], ExtensionOptions],
    as_json: Json = False,
) -> None:
    """Write a Python package with an operator of PyTorch for each epilogue."""
    from ..pipeline.extension import extension as write
    from ..pipeline.specs import load_and_check

    written, warnings = call(lambda: write(load_and_check(specs), output, options()), as_json=as_json)
    if as_json:
        print_json({"ok": True, **vars(written), "diagnostics": [d.to_json() for d in warnings]})
    else:
        print_diagnostics(warnings)
        report.written(written)
