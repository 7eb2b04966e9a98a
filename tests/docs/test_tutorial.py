"""The tutorial goes as it is shown."""

from __future__ import annotations

import html
import re
from typing import Any

import pytest

from ..support.paths import CHECKOUT

pytestmark = pytest.mark.cxx

nbformat = pytest.importorskip("nbformat", reason="needs nbclient and ipykernel: pip install 'evtgen[test]'")
pytest.importorskip("nbclient", reason="needs nbclient and ipykernel: pip install 'evtgen[test]'")
pytest.importorskip("ipykernel", reason="needs nbclient and ipykernel: pip install 'evtgen[test]'")

from docs.generate import tutorial  # noqa: E402 - what it needs is there

DOCS = CHECKOUT / "docs"


def words(output: Any) -> str:
    """What a reader reads of an output, whatever the versions of the libraries that draw it."""
    if "data" in output:
        (shown,) = output.data.values()
        return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", shown)).split())
    return "\n".join(output.traceback) if "traceback" in output else str(output.text)


@pytest.mark.parametrize("language", tutorial.NAMES)
def test_the_session_goes_as_shown(language: str) -> None:
    """`python -m docs.generate tutorial docs` rewrites the outputs. A cell without the tag that raises fails here."""
    before = nbformat.read(DOCS / tutorial.NAMES[language], as_version=4)
    after = tutorial.executed(DOCS, language)
    cells = [cell for cell in before.cells if cell.cell_type == "code"]
    ran = [cell for cell in after.cells if cell.cell_type == "code"]
    assert [cell.source for cell in cells] == [cell.source for cell in ran]
    for cell, again in zip(cells, ran, strict=True):
        assert [words(o) for o in cell.outputs] == [words(o) for o in again.outputs], cell.source
    assert [cell.execution_count for cell in ran] == list(range(1, len(ran) + 1))


@pytest.mark.parametrize("name", tutorial.NAMES.values())
def test_what_is_shown_is_for_a_browser(name: str) -> None:
    """No address of the network, nothing of this machine, no script; and the pictures are there."""
    text = (DOCS / name).read_text(encoding="utf-8")
    shown = [o for cell in nbformat.reads(text, as_version=4).cells for o in cell.get("outputs", ())]
    assert not any("<script" in str(o) or "/home/" in str(o) or "/tmp/ipykernel_" in str(o) for o in shown)
    assert " stack " not in text  # which depends on the compiler
    assert "data:image/svg+xml" in text and "<svg" in text and len(text) < 60_000
    assert text == tutorial.written(tutorial.plain(nbformat.reads(text, as_version=4)))
