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

FUSION = '#include "catlass/epilogue/fusion/visitor_impl_base.hpp"\n'
BESIDE_FUSION = '#include "catlass/epilogue/evt/visitor_impl_base.hpp"\n'


def header(name: str) -> str:
    return f"namespace Catlass::Evt::{name} {{\n}}\n"


def example(name: str) -> dict[str, str]:
    """The files of an example, with what evtgen looks for before it removes one."""
    return {
        f"{name}/{name}.cpp": f'#include "{name}.hpp"\n',
        f"{name}/CMakeLists.txt": f"catlass_example_add_executable({name} cube {name}.cpp)\n",
        f"{name}/README.md": f"# {name}\n\nA matmul with an epilogue\n",
    }


SAME = {"same.hpp": header("same")}
OLD = {"catlass/epilogue/fusion/fusion.hpp": f"// Old\n{FUSION}", "one.hpp": header("one"), **SAME}
NEW = {"catlass/epilogue/fusion/fusion.hpp": FUSION, "two.hpp": header("two"), **SAME}
BESIDE = {"catlass/epilogue/evt/fusion.hpp": BESIDE_FUSION, "two.hpp": header("two"), **SAME}

OWN = (
    "include/catlass/epilogue/fusion/fusion.hpp",
    "include/catlass/epilogue/block/block_epilogue_visitor.hpp",
    "include/catlass/gemm/kernel/matmul_visitor.hpp",
)
"""A visitor framework of Catlass's own, of which an installation in its place overwrites the first file."""


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test here pulls the plug, so none has to wait for the disk."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def checkout(root: Path, names: tuple[str, ...] = CATLASS) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("Catlass's")
        (root / name).chmod(0o640)
    return root


def install(root: Path, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch, in_place: bool = False) -> None:
    """The installation of a few files in place of all that a spec gives, which would take minutes here."""
    spec = root.parent / "spec.py"
    name = "one" if "one.hpp" in headers else "two"
    program = example(name)

    def render(request: Request) -> tuple[list[FileSet], list[object]]:
        assert request.examples is not None
        own = dict.fromkeys([path for path in headers if "/" not in path], spec)
        sets = [
            FileSet(request.output, headers, own, request.specs),
            FileSet(request.examples, program, dict.fromkeys(program, spec), request.specs),
        ]
        return sets, []

    monkeypatch.setattr(pipeline, "render", render)
    pipeline.install([spec], root, examples=True, dry_run=False, diff=False, force=False, in_place=in_place)


def files(root: Path) -> dict[str, bytes]:
    return {path: content for path, (content, *_) in snapshot(root).items() if (root / path).is_file()}


@pytest.mark.parametrize("how", [interrupt, kill], ids=["SIGINT", "SIGKILL"])
@pytest.mark.parametrize(
    "command",
    ["install", "install again", "uninstall", "replace", "replace again", "give back", "uninstall what replaced"],
)
def test_cut_off_at_every_system_call(
    tmp_path: Path, how: Callable[[], None], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    outcomes = set()
    done = False
    catlass = CATLASS if command in ("install", "install again", "uninstall") else CATLASS + OWN
    uninstalls, headers = command.startswith("uninstall"), BESIDE if command == "give back" else NEW
    for step in range(1, 400):
        root = checkout(tmp_path / str(step) / "catlass", catlass)
        if command not in ("install", "replace"):
            install(root, OLD, monkeypatch, in_place=OWN[0] in catlass)
        old = snapshot(root)

        def work(root: Path = root, step: int = step) -> None:
            die_at(step, how, root)
            if uninstalls:
                pipeline.uninstall(root, force=False)
            else:
                install(root, headers, monkeypatch, in_place=command.startswith("replace"))

        done = in_child(work) == 0
        if snapshot(root) == old:
            outcomes.add("old")
        else:
            outcomes.add("new")
            ours = {} if uninstalls else {f"include/{path}": text.encode() for path, text in headers.items()}
            if ours:
                ours |= {f"examples/{path}": text.encode() for path, text in example("two").items()}
            if command.startswith("replace"):
                ours[f".evtgen-replaced/{OWN[0]}"] = b"Catlass's"
            expected = {**dict.fromkeys(catlass, b"Catlass's"), **ours}
            assert {path: text for path, text in files(root).items() if path != MANIFEST} == expected
            assert all((root / path).stat().st_mode & 0o777 == 0o640 for path in catlass)
            assert (root / MANIFEST).is_file() != uninstalls
            assert (root / ".evtgen-replaced").exists() == command.startswith("replace")
        if done:
            break
    assert done and step > 20
    assert outcomes == {"old", "new"}
