"""The reports that the site links: of the first epilogue of each kind of the gallery, in each language."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from docs.generate.gallery import CHECKOUT
from docs.generate.languages import named
from docs.generate.site.entries import alone
from evtgen.pipeline.gallery import KINDS, entry
from evtgen.system.translation import LANGUAGES, VARIABLE

MADE = CHECKOUT / "build" / "reports"
"""Where ``make site`` puts them."""


def names() -> list[str]:
    """The epilogues that have one."""
    return [kind.split()[0] for kind in KINDS.values()]


def place_of(name: str, language: str) -> str:
    """The file of a report, below :data:`MADE`."""
    return f"{named(name, language).removesuffix('.md')}/index.html"


def made(language: str) -> dict[str, str]:
    """Those in a language that are in :data:`MADE`: the page by the name of its epilogue."""
    found = {name: MADE / place_of(name, language) for name in names()}
    return {name: path.read_text(encoding="utf-8") for name, path in found.items() if path.is_file()}


def write(directory: Path) -> None:
    """Write the reports, as ``evtgen report`` does for the spec that the page of the epilogue shows. One program serves
    all languages."""
    for name in names():
        for language in LANGUAGES:
            write_one(name, directory, language)


def write_one(name: str, directory: Path, language: str) -> None:
    """Write the report of one."""
    spec = directory / f"{name}.py"
    spec.write_text(alone(entry(name).path, name), encoding="utf-8")
    place = Path(place_of(name, language)).parent
    command = [sys.executable, "-m", "evtgen", "report", spec.name, "-o", str(place), "--force"]
    subprocess.run(command, cwd=directory, env={**os.environ, VARIABLE: language}, check=True)
