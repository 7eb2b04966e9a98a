"""Writes a generated page: ``python -m docs.generate PAGE DIR``. Each page is a module whose ``write`` takes DIR."""

from __future__ import annotations

import argparse
from importlib import import_module
from pathlib import Path

from evtgen.model.workers import spread

PAGES = {
    "accuracy": "accuracy.md: the operators against numpy; takes about three minutes",
    "clock": "clock.md: the clock against published measurements, likewise; takes two minutes",
    "errors": "errors.md: all codes, in the language of the environment (EVTGEN_LANG=zh)",
    "functions": "functions.md: the functions of numpy and torch",
    "gallery": "gallery.md: the cost of each epilogue of the gallery per tile",
    "messages": "evtgen.po of each language; DIR is evtgen/system/locale",
    "operands": "operands.md: which types of operands run where, as check says it",
    "reports": "NAME/index.html: reports of the gallery for the site; takes two minutes",
    "stubs": "ops.pyi: ops and values as type checkers see them; DIR is evtgen",
    "timeline": "timeline.svg: the pipes of a vector core on the clock",
    "tutorial": "tutorial.ipynb, with the outputs of its cells, in the language of the environment",
}

SPREAD = ("accuracy", "gallery")
"""Pages whose work an executor can do."""


def main() -> None:
    """Write the page that the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m docs.generate",
        description="Write a generated page of the documentation.",
        epilog="\n".join(["pages:", *(f"  {page:9}  {what}" for page, what in PAGES.items()),
                          "", "Exit status: 0 the page is written, 1 it cannot be made, 2 wrong arguments."]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("page", choices=PAGES, metavar="PAGE", help="one of those below")
    parser.add_argument("directory", type=Path, metavar="DIR", help="the directory of the page")
    parser.add_argument("--jobs", type=int, metavar="N", help="accuracy, gallery: spread over N processes")
    parser.add_argument("--dask", metavar="ADDRESS", help="accuracy, gallery: spread over a scheduler of Dask")
    asked = parser.parse_args()
    if not asked.directory.is_dir():
        parser.error(f"{asked.directory} is no directory")
    write = import_module(f".{asked.page}", __package__).write
    if asked.page not in SPREAD:
        write(asked.directory)
        return
    with spread(None, asked.jobs, asked.dask) as executor:
        write(asked.directory, executor)


if __name__ == "__main__":
    main()
