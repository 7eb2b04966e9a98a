"""Numbers that launches came to, kept in files: cycles, and the attempts at their data."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ..graph.shapes import Problem
from .cache import key

_PACKAGE = Path(__file__).parents[1]


@dataclass
class Journal:
    """A number for each launch, by its key. A line of JSON each, written as it comes.

    Attributes:
        path: of the file; None: nothing is kept beyond this object.
        known: key → number.
        what: the number's name in the file.
    """

    path: Path | None = None
    known: dict[str, int | None] = field(default_factory=dict)
    what: str = "cycles"

    def __post_init__(self) -> None:
        if self.path is None:
            return
        with suppress(OSError):
            for line in self.path.read_text(encoding="utf-8", errors="replace").splitlines():
                # The last line of a process that was killed may be cut off.
                with suppress(ValueError, TypeError, KeyError):
                    entry = json.loads(line)
                    if entry[self.what] is None or isinstance(entry[self.what], int):
                        self.known[str(entry["launch"])] = entry[self.what]

    def add(self, key: str, number: int | None) -> None:
        """Note one launch. A journal that cannot be written is no fault."""
        self.known[key] = number
        if self.path is not None:
            with suppress(OSError):
                self.path.parent.mkdir(parents=True, exist_ok=True)
                with self.path.open("a", encoding="utf-8") as file:
                    # The newline in front ends a line that was cut off.
                    file.write("\n" + json.dumps({"launch": key, self.what: number}) + "\n")


def size_of(problem: Problem) -> list[Any]:
    """All of a problem, for the key of a launch: a set lists its names in another order in every process."""
    return [sorted(one) if isinstance(one, frozenset) else one for one in vars(problem).values()]


@cache
def python_code() -> str:
    """A hash of what numbers that Python computes depend on besides their arguments: evtgen's modules and tables, and
    the arithmetic of numpy and ml_dtypes."""
    import ml_dtypes

    files = (path for suffix in ("py", "def") for path in sorted(_PACKAGE.rglob(f"*.{suffix}")))
    return key([np.__version__, ml_dtypes.__version__], files, _PACKAGE)
