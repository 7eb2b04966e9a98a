"""Where a function of the Python API says how far it is, if it is asked to."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..report import console
from ..system.progress import Progress, silent


@contextmanager
def shown(asked: bool | Callable[[str], None]) -> Iterator[Progress]:
    """A progress that is shown while the work lasts: below the cell of a notebook, as a line of a terminal that each
    text replaces, elsewhere as lines on stderr."""
    if callable(asked):
        yield asked
    elif not asked:
        yield silent
    elif _in_notebook():
        display: Any = sys.modules["IPython.display"].display
        cell = display(_text(""), raw=True, display_id=True)
        try:
            yield lambda text: cell.update(_text(text), raw=True)
        finally:
            cell.update(_text(""), raw=True)
    elif sys.stderr.isatty():
        try:
            yield console.progress()
        finally:
            console.clear()
    else:
        yield lambda text: print(text, file=sys.stderr)


def _in_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return getattr(shell, "kernel", None) is not None


def _text(text: str) -> dict[str, str]:
    return {"text/plain": text}
