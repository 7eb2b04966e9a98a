"""What a diagnostic says, apart from its wording: the code, the line, and the names and values of the user's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from evtgen.diagnostics.diagnostic import Diagnostic, EvtgenError, source_text


def named(text: str | None, names: str) -> bool:
    """Whether ``names``, with " … " between one and the next, stand in a text in this order."""
    at = 0
    for name in filter(None, names.split(" … ")):
        at = (text or "").find(name, at)
        if at < 0:
            return False
        at += len(name)
    return True


def says(d: Diagnostic, code: str, names: str = "", help: str = "", line: str | None = None) -> None:
    """Check a diagnostic's code, the names in its message and in its help, and the line of source that it shows."""
    assert d.code == code and named(d.message, names) and named(d.help, help), d
    assert line is None or (d.location is not None and source_text(d.location) == line), d


@contextmanager
def refused(code: str, names: str = "", help: str = "") -> Iterator[None]:
    """The block is refused with a first diagnostic as for :func:`says`."""
    with pytest.raises(EvtgenError) as caught:
        yield
    says(caught.value.diagnostics[0], code, names, help)
