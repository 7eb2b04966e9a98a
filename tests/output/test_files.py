"""Files: what is written, what is refused, and that a build cut off anywhere leaves the target as it was."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.places import BUILD_LAYOUT
from evtgen.output import transaction
from evtgen.output.files import FileSet, up_to_date, write
from evtgen.output.journal import WORK
from evtgen.output.manifest import MANIFEST

from ..support.kills import die_at, in_child, interrupt, kill, snapshot


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here pulls the plug, so none has to wait for the disk."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def file_set(root: Path, files: dict[str, str], spec: str = "spec.py") -> FileSet:
    """Files of one spec beside ``root``, the framework's (below catlass/) apart."""
    path = root.parent / spec
    return FileSet(root, files, {name: path for name in files if not name.startswith("catlass/")}, (path,))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "include"


OLD = {
    "catlass/fusion.hpp": "a1",
    "catlass/deep/reduce.hpp": "b1",
    "same.hpp": "same",
    "gone/operations.hpp": "namespace Catlass::C1",
}
NEW = {"catlass/fusion.hpp": "a2", "catlass/deep/reduce.hpp": "b2", "same.hpp": "same", "new/deep/fusion.hpp": "d2"}


def test_writes_and_records(root: Path) -> None:
    result = write([file_set(root, OLD)])
    assert sorted(result.written) == sorted(str(root / path) for path in OLD)
    assert {path: (root / path).read_text() for path in OLD} == OLD
    manifest = json.loads((root / MANIFEST).read_text())
    assert set(manifest["files"]) == set(OLD)
    assert manifest["files"]["same.hpp"]["spec"] == "../spec.py"
    assert manifest["files"]["catlass/fusion.hpp"]["spec"] == ""
    assert up_to_date([file_set(root, OLD)]) == []


def test_same_bytes_are_not_touched(root: Path) -> None:
    write([file_set(root, OLD)])
    before = snapshot(root)
    result = write([file_set(root, OLD)])
    assert result.written == [] and len(result.unchanged) == len(OLD)
    assert snapshot(root) == before


def test_updates_and_removes(root: Path) -> None:
    write([file_set(root, OLD)])
    kept = (root / "same.hpp").stat().st_mtime_ns
    states = {Path(d.path).relative_to(root).as_posix(): d.state for d in up_to_date([file_set(root, NEW)])}
    assert states == {
        "catlass/fusion.hpp": "stale",
        "catlass/deep/reduce.hpp": "stale",
        "new/deep/fusion.hpp": "missing",
        "gone/operations.hpp": "leftover",
    }
    result = write([file_set(root, NEW)])
    assert result.removed == [str(root / "gone/operations.hpp")]
    assert not (root / "gone").exists()
    assert {path: (root / path).read_text() for path in NEW} == NEW
    assert (root / "same.hpp").stat().st_mtime_ns == kept


def test_another_spec_leaves_the_first_alone(root: Path) -> None:
    write([file_set(root, {"catlass/fusion.hpp": "a", "one.hpp": "1"}, "one.py")])
    write([file_set(root, {"catlass/reduce.hpp": "z", "two.hpp": "2"}, "two.py")])
    assert {p.name for p in root.rglob("*.hpp")} == {"fusion.hpp", "one.hpp", "reduce.hpp", "two.hpp"}


def test_edited_and_foreign_files_are_refused_together(root: Path) -> None:
    write([file_set(root, OLD)])
    (root / "catlass/fusion.hpp").write_text("mine")
    (root / "new/deep").mkdir(parents=True)
    (root / "new/deep/fusion.hpp").write_text("mine too")
    before = snapshot(root)
    with pytest.raises(EvtgenError) as caught:
        write([file_set(root, NEW)])
    assert caught.value.status == 2
    assert [d.code for d in caught.value.diagnostics] == ["EVT080", "EVT080"]
    assert snapshot(root) == before
    write([file_set(root, NEW)], force=True)
    assert {path: (root / path).read_text() for path in NEW} == NEW


def test_edited_leftover_stays(root: Path) -> None:
    write([file_set(root, OLD)])
    (root / "gone/operations.hpp").write_text("mine")
    result = write([file_set(root, NEW)])
    assert result.kept == [str(root / "gone/operations.hpp")]
    assert (root / "gone/operations.hpp").read_text() == "mine"
    assert "gone/operations.hpp" not in json.loads((root / MANIFEST).read_text())["files"]
    assert up_to_date([file_set(root, NEW)]) == []


def test_refused_fresh_build_leaves_no_directory(tmp_path: Path) -> None:
    (tmp_path / "examples/x").mkdir(parents=True)
    (tmp_path / "examples/x/x.cpp").write_text("mine")
    with pytest.raises(EvtgenError):
        write([file_set(tmp_path / "include/deep", OLD), file_set(tmp_path / "examples", {"x/x.cpp": "ours"})])
    assert {p.name for p in tmp_path.rglob("*")} == {"examples", "x", "x.cpp"}


def test_things_in_the_way(tmp_path: Path, root: Path) -> None:
    (root / "same.hpp").mkdir(parents=True)
    (root / "catlass").write_text("a file")
    outside = tmp_path / "outside"
    outside.mkdir()
    (root / "gone").symlink_to(outside)
    with pytest.raises(EvtgenError) as caught:
        write([file_set(root, OLD)], force=True)
    assert sorted(d.code for d in caught.value.diagnostics) == ["EVT081", "EVT081", "EVT081", "EVT082"]
    (tmp_path / "file").write_text("")
    with pytest.raises(EvtgenError) as caught:
        write([file_set(tmp_path / "file/include", OLD)])
    assert [d.code for d in caught.value.diagnostics] == ["EVT081"]


def test_damaged_manifest(root: Path) -> None:
    write([file_set(root, OLD)])
    for text in ("{", "[]", '{"files": {"a": 1}}'):
        (root / MANIFEST).write_text(text)
        for call in (write, up_to_date):
            with pytest.raises(EvtgenError) as caught:
                call([file_set(root, NEW)])
            assert [d.code for d in caught.value.diagnostics] == ["EVT084"]


def test_system_refusal_is_a_diagnostic(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write([file_set(root, OLD)])
    before = snapshot(root)
    calls = iter(range(100))
    replace = os.replace

    def full(source: str, target: str) -> None:
        if next(calls) == 3:
            raise OSError(28, "No space left on device", str(target))
        replace(source, target)

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(EvtgenError) as caught:
        write([file_set(root, NEW)])
    assert caught.value.status == 3
    assert [d.code for d in caught.value.diagnostics] == ["EVT095"]
    assert snapshot(root) == before


def two_roots(base: Path, include: dict[str, str], example: str) -> list[FileSet]:
    return [file_set(base / "include", include), file_set(base / "examples", {"x/x.cpp": example})]


def contents(base: Path) -> dict[str, bytes]:
    return {path: content for path, (content, *_) in snapshot(base).items()}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.parametrize("how", [interrupt, kill], ids=["SIGINT", "SIGKILL"])
@pytest.mark.parametrize("fresh", [False, True], ids=["update", "fresh"])
def test_cut_off_at_every_system_call(tmp_path: Path, how: Callable[[], None], fresh: bool) -> None:
    """Before each system call in turn. The watcher, or the process itself, puts everything back with nobody's help."""
    done = False
    outcomes = set()
    for step in range(1, 400):
        base = tmp_path / str(step)
        base.mkdir()
        if not fresh:
            write(two_roots(base, OLD, "x1"))
        old = snapshot(base)

        def work(base: Path = base, step: int = step) -> None:
            die_at(step, how, base)
            write(two_roots(base, NEW, "x2"))

        done = in_child(work) == 0
        if snapshot(base) == old:
            outcomes.add("old")
        else:
            outcomes.add("new")
            assert {p for p in contents(base) if p.startswith(("include/", "examples/")) and "." in Path(p).name} == {
                *(f"include/{path}" for path in NEW), f"include/{MANIFEST}", "examples/x/x.cpp", f"examples/{MANIFEST}",
            }  # fmt: skip
            assert all((base / "include" / path).read_text() == text for path, text in NEW.items())
        if done:
            break
    assert done and step > 40
    assert outcomes == {"old", "new"}


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_crash_of_the_whole_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same without a watcher: the next build, of any of the roots, begins with putting everything back."""
    monkeypatch.setattr(transaction, "_watch", lambda roots, made: None)
    saw_interrupted = False
    for step in range(1, 400):
        base = tmp_path / str(step)
        base.mkdir()
        write(two_roots(base, OLD, "x1"))
        old = snapshot(base)

        def work(base: Path = base, step: int = step) -> None:
            die_at(step, kill, base)
            write(two_roots(base, NEW, "x2"))

        done = in_child(work) == 0
        after = two_roots(base, NEW, "x2")
        saw_interrupted |= any(d.state == "interrupted" for d in up_to_date(after))
        with transaction.transaction({base / ("include", "examples")[step % 2]: BUILD_LAYOUT}):
            pass
        with transaction.transaction(dict.fromkeys([base / "include", base / "examples"], BUILD_LAYOUT)):
            pass
        if snapshot(base) != old:
            assert all((base / "include" / path).read_text() == text for path, text in NEW.items())
            assert (base / "examples/x/x.cpp").read_text() == "x2"
        if done:
            break
    assert done and saw_interrupted


def test_rolling_back_spares_later_edits(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever edits a file between a crash and the next build keeps the edit."""
    monkeypatch.setattr(transaction, "_watch", lambda roots, made: None)
    write([file_set(root, {"a.hpp": "a1", "b.hpp": "b1"})])

    def work() -> None:
        monkeypatch.setattr(os, "unlink", lambda path: kill())  # the commit
        write([file_set(root, {"a.hpp": "a2", "b.hpp": "b2"})])

    assert os.WIFSIGNALED(in_child(work))
    (root / "a.hpp").write_text("mine")
    with transaction.transaction({root: BUILD_LAYOUT}):
        pass
    assert (root / "a.hpp").read_text() == "mine"
    assert (root / "b.hpp").read_text() == "b1"
    assert not (root / WORK).exists()
