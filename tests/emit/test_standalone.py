"""Files of the user's, all or none, and pages, which say their own hash: never over what is somebody else's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.output.standalone import may_write, write_file, write_new


def failing(files: dict[Path, str], *, force: bool = False) -> str:
    with pytest.raises(EvtgenError) as raised:
        write_new(files, force=force)
    return str(raised.value)


def test_all_are_written(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "below" / "two"
    assert write_new({one: "1", two: "2"}) == [one, two]
    assert write_new({one: "1", two: "2"}) == []
    assert (one.read_text(), two.read_text()) == ("1", "2") and list(two.parent.iterdir()) == [two]
    (tmp_path / "other").touch()
    assert one.stat().st_mode == (tmp_path / "other").stat().st_mode


def test_what_is_there_stays(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    two.write_text("mine")
    assert "EVT080" in failing({one: "1", two: "2"})
    assert not one.exists() and two.read_text() == "mine"
    assert write_new({one: "1", two: "2"}, force=True) == [one, two]
    assert two.read_text() == "2"


def test_nothing_is_written_through_a_link_or_over_a_directory(tmp_path: Path) -> None:
    target, link, directory = tmp_path / "target", tmp_path / "link", tmp_path / "directory"
    target.write_text("mine")
    link.symlink_to(target)
    directory.mkdir()
    for path in (link, directory, target / "below"):
        assert "EVT081" in failing({tmp_path / "new": "1", path: "2"}, force=True) or path.parent == target
    assert target.read_text() == "mine" and not (tmp_path / "new").exists()


@pytest.mark.parametrize("step", ["fsync", "replace", "lexists"])
@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_a_failure_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str, error: BaseException
) -> None:
    """Whichever step fails, the first time or the second."""
    old = [tmp_path / "old1", tmp_path / "old2"]
    for path in old:
        path.write_text("old")
    module = os.path if step == "lexists" else os
    does = getattr(module, step)
    calls: list[object] = []

    def fails(*args: Any, **options: Any) -> Any:
        calls.append(args)
        if len(calls) == 2:
            raise error
        return does(*args, **options)

    monkeypatch.setattr(module, step, fails)
    files = {tmp_path / "new1": "1", old[0]: "2", tmp_path / "new2": "3", old[1]: "4"}
    with pytest.raises(EvtgenError if isinstance(error, OSError) else KeyboardInterrupt):
        write_new(files, force=True)
    assert sorted(tmp_path.iterdir()) == old and [path.read_text() for path in old] == ["old", "old"]


def code(path: Path, *, force: bool = False) -> str:
    with pytest.raises(EvtgenError) as raised:
        write_file(path, "<p>new</p>", force=force)
    (diagnostic,) = raised.value.diagnostics
    return diagnostic.code


def test_a_page_of_evtgen_s_is_written_again(tmp_path: Path) -> None:
    path = tmp_path / "made" / "page.html"
    write_file(path, "<p>old</p>")
    write_file(path, "<p>new</p>")
    assert path.read_text().startswith("<p>new</p>\n<!-- evtgen: ")
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("text", ["edited", "appended", "foreign"])
def test_a_page_that_is_not_evtgen_s_stays(tmp_path: Path, text: str) -> None:
    path = tmp_path / "page.html"
    write_file(path, "<p>old</p>")
    old = path.read_text()
    path.write_text({"edited": old.replace("<p>", "<p> "), "appended": old + "more", "foreign": "<p>mine</p>"}[text])
    before = path.read_text()
    assert code(path) == "EVT080" and path.read_text() == before
    write_file(path, "<p>new</p>", force=True)
    may_write(path)


def test_no_page_is_written_through_a_link_or_over_a_directory(tmp_path: Path) -> None:
    target = tmp_path / "target"
    target.write_text("mine")
    (tmp_path / "link").symlink_to(target)
    (tmp_path / "directory").mkdir()
    for name in ("link", "directory", "target/page.html"):
        assert code(tmp_path / name, force=True) == "EVT081"
    assert target.read_text() == "mine"
