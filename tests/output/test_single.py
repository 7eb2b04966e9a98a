"""Files that stand alone: whole or not at all, and never over what is somebody else's."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.output.single import may_write, write_file


def code(path: Path, *, force: bool = False) -> str:
    with pytest.raises(EvtgenError) as raised:
        write_file(path, "<p>new</p>", force=force)
    (diagnostic,) = raised.value.diagnostics
    return f"{diagnostic.code} {diagnostic.message}"


def test_what_evtgen_wrote_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "made" / "page.html"
    write_file(path, "<p>old</p>")
    write_file(path, "<p>new</p>")
    assert path.read_text().startswith("<p>new</p>\n<!-- evtgen: ")
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(("change", "why"), [(" ", "was edited"), ("", "was not written by evtgen")])
def test_what_is_not_evtgens_stays(tmp_path: Path, change: str, why: str) -> None:
    path = tmp_path / "page.html"
    write_file(path, "<p>old</p>")
    text = path.read_text().replace("<p>", f"<p>{change}") if change else "<p>mine</p>"
    path.write_text(text)
    assert code(path).startswith("EVT080") and why in code(path)
    assert path.read_text() == text
    write_file(path, "<p>new</p>", force=True)
    may_write(path)


def test_something_appended_is_an_edit(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    write_file(path, "<p>old</p>")
    path.write_text(path.read_text() + "more")
    assert "was edited" in code(path)


def test_nothing_is_written_through_a_link_or_over_a_directory(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    (tmp_path / "link").symlink_to(target)
    (tmp_path / "directory").mkdir()
    for name in ("link", "directory"):
        assert code(tmp_path / name, force=True).startswith("EVT081")
    assert target.read_text() == "mine"


def test_a_failure_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "page.html"
    write_file(path, "<p>old</p>")
    before = path.read_text()

    def fails(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fails)
    assert code(path).startswith("EVT095")
    assert path.read_text() == before and list(tmp_path.iterdir()) == [path]


def test_the_mode_is_that_of_other_files(tmp_path: Path) -> None:
    write_file(tmp_path / "page.html", "<p>")
    (tmp_path / "other").write_text("")
    assert (tmp_path / "page.html").stat().st_mode == (tmp_path / "other").stat().st_mode
