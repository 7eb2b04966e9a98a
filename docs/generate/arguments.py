"""The command line of the generators that write one page."""

from __future__ import annotations

import argparse
from pathlib import Path


def directory(module: str, description: str) -> Path:
    """Where ``python -m docs.generate.MODULE DIR`` writes; prints help or an error and exits if it is asked wrongly."""
    parser = argparse.ArgumentParser(
        prog=f"python -m docs.generate.{module}",
        description=description,
        epilog="Exit status: 0 the page is written, 1 it cannot be made, 2 wrong arguments.",
    )
    parser.add_argument("directory", type=Path, metavar="DIR", help="the directory of the page")
    path: Path = parser.parse_args().directory
    if not path.is_dir():
        parser.error(f"{path} is no directory")
    return path
