"""Files: what is written, and what is refused."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.output import transaction
from evtgen.emit.output.files import FileSet, up_to_date, write
from evtgen.emit.output.manifest import MANIFEST
from evtgen.emit.output.transaction import WORK

from ..support.confined import tree


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
    before = tree(root)
    result = write([file_set(root, OLD)])
    assert result.written == [] and len(result.unchanged) == len(OLD)
    assert tree(root) == before


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
    before = tree(root)
    with pytest.raises(EvtgenError) as caught:
        write([file_set(root, NEW)])
    assert caught.value.status == 2
    assert [d.code for d in caught.value.diagnostics] == ["EVT080", "EVT080"]
    assert tree(root) == before
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
    assert sorted(d.code for d in caught.value.diagnostics) == ["EVT081", "EVT081", "EVT082"]
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
    before = tree(root)
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
    assert tree(root) == before


def test_a_failure_after_the_first_manifest_leaves_both_roots(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sets = [file_set(tmp_path / name, {"x/x.cpp": "1"}) for name in ("include", "examples")]
    write(sets)
    before = tree(tmp_path)
    replace = os.replace

    def fails(source: Path, target: Path) -> None:
        if target == tmp_path / "include" / MANIFEST:
            raise OSError(28, "No space left on device", str(target))
        replace(source, target)

    monkeypatch.setattr(os, "replace", fails)
    with pytest.raises(EvtgenError) as caught:
        write([file_set(tmp_path / name, {"x/x.cpp": "2"}) for name in ("include", "examples")])
    assert [d.code for d in caught.value.diagnostics] == ["EVT095"]
    assert tree(tmp_path) == before


def test_a_file_that_comes_in_the_meantime_stays(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write([file_set(root, OLD)])
    put = transaction._put

    def late(staged: Path, at: Path, path: str) -> None:
        (root / "new/deep").mkdir(parents=True, exist_ok=True)
        (root / "new/deep/fusion.hpp").write_text("theirs")
        put(staged, at, path)

    monkeypatch.setattr(transaction, "_put", late)
    with pytest.raises(EvtgenError) as caught:
        write([file_set(root, NEW)])
    assert [d.code for d in caught.value.diagnostics] == ["EVT081"]
    assert (root / "new/deep/fusion.hpp").read_text() == "theirs"
    assert {path: (root / path).read_text() for path in OLD} == OLD and not (root / WORK).exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_two_builds_at_once_wait_for_each_other(root: Path) -> None:
    """Each of them finds what the other one has finished, and one of several specs leaves the others' headers."""
    children = []
    for name in ("one", "two", "three", "four"):
        if (child := os.fork()) == 0:
            code = 1
            try:
                for round_ in range(10):
                    files = {"catlass/fusion.hpp": "a", f"{name}.hpp": f"{name} {round_}"}
                    assert not write([file_set(root, files, f"{name}.py")]).repaired
                code = 0
            finally:
                os._exit(code)
        children.append(child)
    assert [os.waitpid(child, 0)[1] for child in children] == [0] * 4
    listed = json.loads((root / MANIFEST).read_text())["files"]
    assert listed.keys() == {"catlass/fusion.hpp", "one.hpp", "two.hpp", "three.hpp", "four.hpp"}
    assert not (root / WORK).exists()
