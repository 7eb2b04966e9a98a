"""The reports that the site links: of the first epilogue of each kind of the gallery."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from docs.generate.gallery import CHECKOUT
from docs.generate.site.entries import alone
from evtgen.pipeline.gallery import KINDS, entry

MADE = CHECKOUT / "build" / "reports"
"""Where ``make site`` puts them."""


def names() -> list[str]:
    """The epilogues that have one."""
    return [kind.split()[0] for kind in KINDS.values()]


def made() -> dict[str, str]:
    """Those that are in :data:`MADE`: the page by the name of its epilogue."""
    found = {name: MADE / name / "index.html" for name in names()}
    return {name: path.read_text(encoding="utf-8") for name, path in found.items() if path.is_file()}


def write(directory: Path) -> None:
    """Write the report of each, ``NAME/index.html``, as ``evtgen report`` does for the spec that its page shows."""
    for name in names():
        write_one(name, directory)


def write_one(name: str, directory: Path) -> None:
    """Write the report of one."""
    spec = directory / f"{name}.py"
    spec.write_text(alone(entry(name).path, name), encoding="utf-8")
    command = [sys.executable, "-m", "evtgen", "report", spec.name, "-o", name, "--force"]
    subprocess.run(command, cwd=directory, check=True)
