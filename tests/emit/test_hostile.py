"""Nothing found on disk is trusted: manifests and work directories that no build left there."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.framework import Framework
from evtgen.emit.output.files import FileSet, remove, up_to_date, write
from evtgen.emit.output.manifest import MANIFEST
from evtgen.emit.output.transaction import WORK, apply
from evtgen.emit.places import BUILD_LAYOUT, Layout, example_paths, framework_paths

from ..support.confined import confined, tree

pytestmark = pytest.mark.slow

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
    "install --dry-run": lambda root: write([built(root)], dry_run=True),
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


@pytest.mark.parametrize("what", ["notes.txt", "journal", "07.old", "manifest.new", "1.new.bak"])
def test_a_user_s_file_in_the_work_directory_stays(root: Path, action: Action, what: str) -> None:
    (root / WORK).mkdir()
    (root / WORK / what).write_text("mine")
    refused(action, root, "EVT064", what)


@pytest.mark.parametrize("kind", ["file", "link", "dangling", "fifo inside", "directory inside", "0.new", "1.old"])
def test_something_else_in_place_of_the_work_directory(root: Path, action: Action, kind: str) -> None:
    work = root / WORK
    if kind == "file":
        work.write_text("mine")
    elif kind in ("link", "dangling"):
        work.symlink_to(root.parent / ("home" if kind == "link" else "nowhere"))
    else:
        work.mkdir()
        if kind == "fifo inside":
            os.mkfifo(work / "0.new")
        elif kind == "directory inside":
            (work / "1.old").mkdir()
        else:
            (work / kind).symlink_to(root.parent / "home/profile")
    refused(action, root, "EVT064", WORK)


def test_a_leftover_is_never_written_through(root: Path) -> None:
    """Its files may be hard links to the user's."""
    (root / WORK).mkdir()
    for name in ("0.new", "1.new"):
        os.link(root.parent / "home/profile", root / WORK / name)
    with confined([root]):
        assert write([built(root, files={**FILES, "two.hpp": "2"})]).repaired == [str(root)]
    assert (root.parent / "home/profile").read_text() == "the user's" and not (root / WORK).exists()


def manifest(root: Path, path: str, text: str = "the user's", field: str = "sha256") -> None:
    found = json.loads((root / MANIFEST).read_text())
    found["files"][path] = {"sha256": sha("another"), "spec": "../spec.py", field: sha(text)}
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


@pytest.mark.parametrize("field", ["sha256", "before"])
@pytest.mark.parametrize("path", ["user.hpp", "docs/README.md", "src/CMakeLists.txt", "tools/tools.cpp"])
def test_a_file_of_the_users_stays_though_a_manifest_has_its_name_and_hash(root: Path, path: str, field: str) -> None:
    (root / path).parent.mkdir(exist_ok=True)
    (root / path).write_text("the user's")
    manifest(root, path, field=field)
    assert write([built(root)]).kept == [str(root / path)]
    manifest(root, path, field=field)
    refused(ACTIONS["uninstall"], root, "EVT080", path)
    assert (root / path).read_text() == "the user's"


def test_nothing_is_removed_through_a_linked_directory(root: Path, action: Action) -> None:
    (root.parent / "home/fusion.hpp").write_text("the user's")
    (root / "lnk").symlink_to(root.parent / "home")
    manifest(root, "lnk/fusion.hpp")
    refused(action, root, "EVT082", "lnk")


@pytest.mark.parametrize("kind", ["fifo", "directory", "link", "loop", "deep"])
def test_a_manifest_that_is_no_file_to_read(root: Path, action: Action, kind: str) -> None:
    path = root / MANIFEST
    path.rename(root.parent / "kept")
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    elif kind == "deep":
        path.write_text("[" * 10**5)
    else:
        path.symlink_to(root.parent / "kept" if kind == "link" else path)
    refused(action, root, "EVT084", MANIFEST)


def test_a_fifo_in_place_of_a_file_is_in_the_way(root: Path) -> None:
    (root / "one.hpp").unlink()
    os.mkfifo(root / "one.hpp")
    for name in ("build --force", "build --check", "install --dry-run", "uninstall --force"):
        refused(ACTIONS[name], root, "EVT081", "one.hpp")


def test_the_writer_checks_each_path_whoever_made_it(root: Path) -> None:
    files = FileSet(root, {"../home/profile": "x"})
    for call in (write, partial(write, dry_run=True), up_to_date):
        before = tree(root.parent)
        with confined([root]), pytest.raises(EvtgenError) as caught:
            call([files])
        assert [d.code for d in caught.value.diagnostics] == ["EVT066"]
        assert "../home/profile" in caught.value.diagnostics[0].message
        assert tree(root.parent) == before


def test_a_link_that_appears_last_is_not_followed(root: Path) -> None:
    (root.parent / "home/fusion.hpp").write_text("the user's")
    (root / "lnk").symlink_to(root.parent / "home")
    before = tree(root.parent)
    for content in (b"x", None):
        with confined([root]), pytest.raises(EvtgenError) as caught:
            apply({root: [("one.hpp", b"x"), ("lnk/fusion.hpp", content)]})
        assert [d.code for d in caught.value.diagnostics] == ["EVT082"]
    assert tree(root.parent) == before


def test_a_link_named_like_its_target_s_hash_is_not_read(root: Path) -> None:
    (root / "two.hpp").symlink_to("/dev/zero")
    manifest(root, "two.hpp", "/dev/zero")
    assert write([built(root)]).kept == [str(root / "two.hpp")]


def test_what_emission_gives_is_held_by_its_layout() -> None:
    for directory in ("catlass/epilogue/fusion", "my/fusion", "x"):
        for path in framework_paths(Framework(directory=directory)).values():
            assert BUILD_LAYOUT.holds(path)
            assert Layout(("include",), ("examples",)).holds(f"include/{path}")
            assert not Layout(("include",), ("examples",)).holds(path) or directory == "include"
    for path in example_paths("my_add").values():
        assert BUILD_LAYOUT.holds(path) and Layout(("include",), ("examples",)).holds(f"examples/{path}")
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
        for call in (write, partial(write, dry_run=True), up_to_date):
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
