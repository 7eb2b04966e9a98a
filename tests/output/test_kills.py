"""An installation, and a removal, that are cut off anywhere leave the checkout as it was, or are complete."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from evtgen.output.files import FileSet
from evtgen.output.manifest import MANIFEST
from evtgen.pipeline import install as pipeline
from evtgen.pipeline.build import Request

from ..support.kills import die_at, in_child, interrupt, kill, snapshot

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]

CATLASS = ("include/catlass/catlass.hpp", "include/catlass/gemm/device/device_gemm.hpp", "examples/CMakeLists.txt")

OLD = {"catlass/epilogue/fusion/fusion.hpp": "f1", "one.hpp": "1", "same.hpp": "same"}
NEW = {"catlass/epilogue/fusion/fusion.hpp": "f2", "two.hpp": "2", "same.hpp": "same"}


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here pulls the plug, so none has to wait for the disk."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def checkout(root: Path) -> Path:
    for name in CATLASS:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("Catlass's")
    return root


def install(root: Path, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    """The installation of a few files in place of all that a spec gives, which would take minutes here."""
    spec = root.parent / "spec.py"
    name = "one" if "one.hpp" in headers else "two"
    example = {f"{name}/{name}.cpp": "p", f"{name}/CMakeLists.txt": "c", f"{name}/README.md": "d"}

    def render(request: Request) -> tuple[list[FileSet], list[object]]:
        assert request.examples is not None
        own = dict.fromkeys([path for path in headers if "/" not in path], spec)
        sets = [
            FileSet(request.output, headers, own, request.specs),
            FileSet(request.examples, example, dict.fromkeys(example, spec), request.specs),
        ]
        return sets, []

    monkeypatch.setattr(pipeline, "render", render)
    pipeline.install([spec], root, examples=True, dry_run=False, diff=False, force=False)


def files(root: Path) -> dict[str, bytes]:
    return {path: content for path, (content, _) in snapshot(root).items() if (root / path).is_file()}


@pytest.mark.parametrize("how", [interrupt, kill], ids=["SIGINT", "SIGKILL"])
@pytest.mark.parametrize("command", ["install", "install again", "uninstall"])
def test_cut_off_at_every_system_call(
    tmp_path: Path, how: Callable[[], None], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = set()
    done = False
    for step in range(1, 400):
        root = checkout(tmp_path / str(step) / "catlass")
        if command != "install":
            install(root, OLD, monkeypatch)
        old = snapshot(root)

        def work(root: Path = root, step: int = step) -> None:
            die_at(step, how, root)
            if command == "uninstall":
                pipeline.uninstall(root, force=False)
            else:
                install(root, NEW, monkeypatch)

        done = in_child(work) == 0
        if snapshot(root) == old:
            outcomes.add("old")
        else:
            outcomes.add("new")
            ours = {} if command == "uninstall" else {f"include/{path}": text.encode() for path, text in NEW.items()}
            if ours:
                ours |= {f"examples/two/{name}": text for name, text in (("two.cpp", b"p"), ("CMakeLists.txt", b"c"))}
                ours |= {"examples/two/README.md": b"d"}
            expected = {**dict.fromkeys(CATLASS, b"Catlass's"), **ours}
            assert {path: text for path, text in files(root).items() if path != MANIFEST} == expected
            assert (root / MANIFEST).is_file() == (command != "uninstall")
        if done:
            break
    assert done and step > 20
    assert outcomes == {"old", "new"}
