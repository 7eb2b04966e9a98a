"""Nothing found on disk is trusted: journals, work directories and manifests that no build left there."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.framework import Framework
from evtgen.emit.places import ANY_LAYOUT, BUILD_LAYOUT, Layout, example_paths, framework_paths
from evtgen.output import transaction
from evtgen.output.files import FileSet, rehearse, remove, up_to_date, write
from evtgen.output.journal import WORK
from evtgen.output.manifest import MANIFEST

from ..support.confined import confined, tree

pytestmark = pytest.mark.slow

TOKEN = "0123456789abcdef"
FILES = {
    "catlass/epilogue/fusion/fusion.hpp": "namespace Catlass::Epilogue::Fusion {}",
    "one.hpp": "namespace Catlass::Evt::one {}",
}

Action = Callable[[Path], object]


def built(root: Path, spec: str = "spec.py", files: dict[str, str] = FILES) -> FileSet:
    path = root.parent / spec
    return FileSet(root, files, {name: path for name in files if "/" not in name}, (path,))


ACTIONS: dict[str, Action] = {
    "build": lambda root: write([built(root)]),
    "build --force": lambda root: write([built(root)], force=True),
    "build --check": lambda root: up_to_date([built(root)]),
    "install --dry-run": lambda root: rehearse([built(root)]),
    "uninstall": lambda root: remove({root: BUILD_LAYOUT}),
    "uninstall --force": lambda root: remove({root: BUILD_LAYOUT}, force=True),
}


@pytest.fixture(params=ACTIONS)
def action(request: pytest.FixtureRequest) -> Action:
    return ACTIONS[request.param]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A build, with the user's files below it and beside it."""
    root = tmp_path / "include"
    write([built(root)])
    for path in (tmp_path / "home/profile", root / "README.md", tmp_path / "home/one.hpp"):
        path.parent.mkdir(exist_ok=True)
        path.write_text("the user's")
    return root


def refused(action: Action, root: Path, code: str, word: str = "") -> None:
    """``action`` is refused with ``code``, names ``word``, and nothing at all is changed."""
    before = tree(root.parent)
    with confined([root]), pytest.raises(EvtgenError) as caught:
        action(root)
    assert [d.code for d in caught.value.diagnostics] == [code] and caught.value.status == 2
    text = f"{caught.value.diagnostics[0].message} {caught.value.diagnostics[0].help}"
    assert word in text and ("remove" in text or "move it away" in text)
    assert tree(root.parent) == before


def sha(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def plant(root: Path, *steps: dict[str, Any], old: str = "planted", token: str = TOKEN) -> Path:
    """A work directory as a repository that was cloned may hold it."""
    work = root / WORK
    work.mkdir()
    (work / f"mark-{TOKEN}").touch()
    (work / "0.old").write_text(old)
    (work / "journal").write_text(json.dumps({"token": token, "steps": steps}))
    return work


def step(path: str, **more: Any) -> dict[str, Any]:
    return {"root": ".", "index": 0, "path": path, "wrote": None, "made": 0, **more}


JOURNALS = {
    "dots": step("../home/profile"),
    "dots inside": step("catlass/../../home/profile"),
    "absolute": step("/nowhere/profile.hpp"),
    "absolute root": step("one.hpp", root="/nowhere"),
    "root outside": step("one.hpp", root="../home", wrote=sha("the user's")),
    "user's file": step("README.md", wrote=sha("the user's")),
    "work directory": step(f"{WORK}/fusion.hpp"),
    "nul": step("one\0.hpp"),
    "nul in the root": step("one.hpp", root="\0"),
    "index of another type": step("one.hpp", index="0"),
    "index true": step("one.hpp", index=True),
    "index below zero": step("one.hpp", index=-1),
    "index with a path": step("one.hpp", index="../../home/profile"),
    "hash": step("one.hpp", wrote="x"),
    "too many directories": step("one.hpp", made=1),
    "more keys": step("one.hpp", more=1),
    "through a link": step("lnk/fusion.hpp"),
}


@pytest.mark.parametrize("name", JOURNALS)
def test_a_planted_journal_is_refused_and_nothing_is_touched(root: Path, action: Action, name: str) -> None:
    (root / "lnk").symlink_to(root.parent / "home")
    plant(root, JOURNALS[name])
    refused(action, root, "EVT063", WORK)


DAMAGED = {
    "empty": "",
    "cut off": '{"token": "0123',
    "deep": "[" * 10**5,
    "list": "[]",
    "null": "null",
    "byte order mark": "\ufeff{}",
    "long number": "9" * 5000,
    "other token": json.dumps({"token": "f" * 16, "steps": []}),
    "steps of another type": json.dumps({"token": TOKEN, "steps": {}}),
    "step of another type": json.dumps({"token": TOKEN, "steps": [1]}),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_journal_is_refused(root: Path, action: Action, name: str) -> None:
    (plant(root) / "journal").write_text(DAMAGED[name])
    refused(action, root, "EVT063", "journal")


def test_a_journal_of_the_old_form_is_not_believed(root: Path, action: Action) -> None:
    work = root / WORK
    work.mkdir()
    (work / "0.old").write_text("planted")
    steps = [{"root": ".", "index": 0, "path": "../home/profile", "wrote": None}]
    (work / "journal").write_text(json.dumps({"token": "t", "steps": steps, "directories": []}))
    refused(action, root, "EVT064", WORK)


@pytest.mark.parametrize("points", ["nowhere", "elsewhere", "with another token", "back"])
def test_another_root_must_point_back(root: Path, points: str) -> None:
    other = root.parent / "other"
    (other / WORK).mkdir(parents=True)
    (other / "one.hpp").write_text("new")
    token = "f" * 16 if points == "with another token" else TOKEN
    (other / WORK / f"mark-{token}").touch()
    (other / WORK / "0.old").write_text("old")
    if points != "nowhere":
        first = "../home" if points == "elsewhere" else "../include"
        (other / WORK / "first").write_text(json.dumps({"token": token, "first": first}))
    plant(root, step("one.hpp", root="../other", wrote=sha("new")))
    if points == "back":
        write([built(root)])
        assert (other / "one.hpp").read_text() == "old"
    else:
        refused(ACTIONS["build"], root, "EVT063", "other")


@pytest.mark.parametrize("what", ["notes.txt", "0.old", "journal", "07.old", "mark-x"])
def test_a_user_s_file_in_the_work_directory_stays(root: Path, action: Action, what: str) -> None:
    (root / WORK).mkdir()
    (root / WORK / what).write_text("mine")
    refused(action, root, "EVT064", what)


@pytest.mark.parametrize(
    "kind", ["file", "link", "dangling", "fifo inside", "directory inside", "link inside", "two marks"]
)
def test_something_else_in_place_of_the_work_directory(root: Path, action: Action, kind: str) -> None:
    work = root / WORK
    if kind == "file":
        work.write_text("mine")
    elif kind in ("link", "dangling"):
        work.symlink_to(root.parent / ("home" if kind == "link" else "nowhere"))
    else:
        plant(root)
        (work / "journal").unlink()
        if kind == "fifo inside":
            os.mkfifo(work / "journal")
        elif kind == "directory inside":
            (work / "1.old").mkdir()
        elif kind == "link inside":
            (work / "journal").symlink_to(root.parent / "home/profile")
        else:
            (work / "mark-0123456789abcdee").touch()
    refused(action, root, "EVT064", WORK)


def test_the_watcher_does_not_believe_a_journal_either(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(root, JOURNALS["dots"])
    before = tree(root.parent)
    reading, writing = os.pipe()
    with confined([root]):
        watcher = transaction._watch({root: BUILD_LAYOUT}, [])
        assert watcher is not None
        os.close(watcher[1])  # as if the writer had died
        os.waitpid(watcher[0], 0)
    os.close(reading)
    os.close(writing)
    assert tree(root.parent) == before


def manifest(root: Path, path: str, text: str = "the user's") -> None:
    found = json.loads((root / MANIFEST).read_text())
    found["files"][path] = {"sha256": sha(text), "spec": "../spec.py"}
    (root / MANIFEST).write_text(json.dumps(found))


NEVER_WRITTEN = (
    "README.md", "../home/profile", "/nowhere/one.hpp", "lnk/one.hpp", f"{WORK}/fusion.hpp", "", "a//fusion.hpp",
    "catlass/catlass.hpp", "../home/one.hpp", "./one.hpp", "one.hpp\0", "one.hpp\n", MANIFEST, "catlass/README.md/",
    "notes.txt", "CMakeLists.txt", "a" * 300 + ".hpp", "a/" * 3000 + "fusion.hpp", ".EVTGEN-BUILD/fusion.hpp",
)  # fmt: skip


@pytest.mark.parametrize("path", NEVER_WRITTEN, ids=range(len(NEVER_WRITTEN)))
def test_a_manifest_lists_only_what_evtgen_can_have_written(root: Path, action: Action, path: str) -> None:
    (root / "lnk").symlink_to(root.parent / "home")
    manifest(root, path)
    refused(action, root, "EVT065", MANIFEST)


@pytest.mark.parametrize("path", ["user.hpp", "docs/README.md", "src/CMakeLists.txt", "tools/tools.cpp"])
def test_a_file_of_the_users_stays_though_a_manifest_has_its_name_and_hash(root: Path, path: str) -> None:
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).write_text("the user's")
    manifest(root, path)
    assert write([built(root)]).kept == [str(root / path)]
    manifest(root, path)
    refused(ACTIONS["uninstall"], root, "EVT080", path)
    assert (root / path).read_text() == "the user's"


def test_nothing_is_removed_through_a_linked_directory(root: Path, action: Action) -> None:
    (root.parent / "home/fusion.hpp").write_text("the user's")
    (root / "lnk").symlink_to(root.parent / "home")
    manifest(root, "lnk/fusion.hpp")
    refused(action, root, "EVT082", "lnk")


@pytest.mark.parametrize("kind", ["fifo", "directory", "link", "loop", "deep", "large"])
def test_a_manifest_that_is_no_file_to_read(root: Path, action: Action, kind: str) -> None:
    path = root / MANIFEST
    path.rename(root.parent / "kept")
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    elif kind == "deep":
        path.write_text("[" * 10**5)
    elif kind == "large":
        with path.open("wb") as file:
            file.truncate(65 << 20)
    else:
        path.symlink_to(root.parent / "kept" if kind == "link" else path)
    refused(action, root, "EVT084", MANIFEST)


def test_a_fifo_in_place_of_a_file_is_in_the_way(root: Path) -> None:
    (root / "one.hpp").unlink()
    os.mkfifo(root / "one.hpp")
    for name in ("build --force", "build --check", "install --dry-run", "uninstall --force"):
        refused(ACTIONS[name], root, "EVT081", "one.hpp")


class Lying(str):
    """Looks like a name wherever Python asks."""

    def __str__(self) -> str:
        return "one.hpp"

    def __format__(self, spec: str) -> str:
        return "one.hpp"

    def __eq__(self, other: object) -> bool:
        return other == "one.hpp"

    def __hash__(self) -> int:
        return hash("one.hpp")

    def startswith(self, *prefix: Any) -> bool:
        return True

    def split(self, *separator: Any) -> list[str]:
        return ["one.hpp"]

    def removeprefix(self, prefix: str) -> str:
        return "one.hpp"


def test_the_writer_checks_each_path_whoever_made_it(root: Path) -> None:
    files = FileSet(root, {Lying("../home/profile"): "x"})
    for call in (write, rehearse, up_to_date):
        before = tree(root.parent)
        with confined([root]), pytest.raises(EvtgenError) as caught:
            call([files])
        assert [d.code for d in caught.value.diagnostics] == ["EVT066"]
        assert "../home/profile" in caught.value.diagnostics[0].message
        assert tree(root.parent) == before


@pytest.mark.parametrize("path", [Lying("../home/profile"), "../home/profile", "/nowhere/one.hpp", "README.md"])
def test_the_transaction_checks_each_path_last(root: Path, path: str) -> None:
    before = tree(root.parent)
    with (
        confined([root]),
        pytest.raises(EvtgenError) as caught,
        transaction.transaction({root: BUILD_LAYOUT}) as apply,
    ):
        apply({root: {path: b"x"}})
    assert [d.code for d in caught.value.diagnostics] == ["EVT066"]
    assert tree(root.parent) == before


def test_a_link_that_appears_last_is_not_followed(root: Path) -> None:
    (root.parent / "home/fusion.hpp").write_text("the user's")
    (root / "lnk").symlink_to(root.parent / "home")
    before = tree(root.parent)
    for content in (b"x", None):
        with (
            confined([root]),
            pytest.raises(EvtgenError) as caught,
            transaction.transaction({root: BUILD_LAYOUT}) as apply,
        ):
            apply({root: {"lnk/fusion.hpp": content}})
        assert [d.code for d in caught.value.diagnostics] == ["EVT082"]
    assert tree(root.parent) == before


def test_what_emission_gives_is_held_by_its_layout() -> None:
    for directory in ("catlass/epilogue/fusion", "my/fusion", "x"):
        for path in framework_paths(Framework(directory=directory)).values():
            assert BUILD_LAYOUT.holds(path)
            assert Layout(("include",), ("examples",)).holds(f"include/{path}")
            assert not Layout(("include",), ("examples",)).holds(path) or directory == "include"
    for path in example_paths("my_add").values():
        assert BUILD_LAYOUT.holds(path) and ANY_LAYOUT.holds(f"examples/{path}")
        assert not Layout(("include",), ("examples",)).holds(path)


class TestOneTargetOfSeveralSpecs:
    """EVT083 over builds."""

    @pytest.fixture
    def specs(self, tmp_path: Path) -> tuple[Path, Path]:
        paths = tmp_path / "one.py", tmp_path / "two.py"
        for path in paths:
            path.write_text("")
        return paths

    @pytest.mark.parametrize("name", ["one.hpp", "One.hpp"])
    def test_another_spec_s_epilogue_is_refused_with_both_named(
        self, root: Path, specs: tuple[Path, Path], name: str
    ) -> None:
        write([built(root, "one.py")])
        for call in (write, rehearse, up_to_date):
            before = tree(root.parent)
            with pytest.raises(EvtgenError) as caught:
                call([built(root, "two.py", {**FILES, "one.hpp": "2"} if name == "one.hpp" else {"One.hpp": "2"})])
            assert [d.code for d in caught.value.diagnostics] == ["EVT083"] and caught.value.status == 2
            assert all(str(spec) in caught.value.diagnostics[0].message for spec in specs)
            assert tree(root.parent) == before

    def test_force_takes_it_over_and_the_first_spec_is_told(self, root: Path, specs: tuple[Path, Path]) -> None:
        write([built(root, "one.py")])
        write([built(root, "two.py", {**FILES, "one.hpp": "2"})], force=True)
        assert (root / "one.hpp").read_text() == "2"
        assert up_to_date([built(root, "two.py", {**FILES, "one.hpp": "2"})]) == []
        with pytest.raises(EvtgenError, match="EVT083"):
            up_to_date([built(root, "one.py")])

    def test_a_spec_that_is_gone_or_renamed_has_no_claim(self, root: Path, specs: tuple[Path, Path]) -> None:
        write([built(root, "one.py")])
        specs[0].rename(root.parent / "three.py")
        assert write([built(root, "three.py", {**FILES, "one.hpp": "3"})]).written == [str(root / "one.hpp")]

    def test_an_epilogue_moves_when_both_specs_are_built(self, root: Path, specs: tuple[Path, Path]) -> None:
        write([built(root, "one.py")])
        write([FileSet(root, FILES, {"one.hpp": specs[1]}, specs)])
        assert up_to_date([built(root, "two.py")]) == []

    def test_an_example_counts_once_with_its_header(self, root: Path, specs: tuple[Path, Path]) -> None:
        files = {"one.hpp": "1", "one/one.cpp": "p", "one/README.md": "d", "one/CMakeLists.txt": "c"}
        for index, spec in enumerate(specs):
            sets = [FileSet(root, files, dict.fromkeys(files, spec), (spec,))]
            if index == 0:
                write(sets)
                continue
            with pytest.raises(EvtgenError) as caught:
                write(sets)
            assert len(caught.value.diagnostics) == 1
