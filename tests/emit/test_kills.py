"""A command that is cut off anywhere leaves the old files; one that is killed leaves what the next one puts right."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.output.files import FileSet, State, Written, up_to_date, write
from evtgen.emit.output.manifest import MANIFEST
from evtgen.emit.output.transaction import WORK
from evtgen.options import InstallOptions, UninstallOptions
from evtgen.pipeline import install as pipeline
from evtgen.pipeline.build import Request

from ..support.checkouts import ADD
from ..support.command import environment
from ..support.command import run as command_line
from ..support.confined import tree
from ..support.epilogues import FULL
from ..support.kills import die_at, in_child, interrupt, kill

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


def checkout(root: Path, names: Sequence[str]) -> Path:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("Catlass's")
        (root / name).chmod(0o640)
    return root


def sets(base: Path, headers: dict[str, str]) -> list[FileSet]:
    """What one spec gives, below two roots."""
    spec, program = base.parent / "spec.py", example("one" if "one.hpp" in headers else "two")
    own = dict.fromkeys([path for path in headers if "/" not in path], spec)
    return [
        FileSet(base / "include", headers, own, (spec,)),
        FileSet(base / "examples", program, dict.fromkeys(program, spec), (spec,)),
    ]


def run(command: str, root: Path, headers: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Written:
    """A command, with a few files in place of all that a spec gives, which would take minutes here."""
    if command.startswith("build"):
        return write(sets(root, headers))
    if command.startswith("uninstall"):
        return pipeline.uninstall(root, UninstallOptions()).written

    def render(request: Request) -> tuple[list[FileSet], list[object]]:
        return sets(root, headers), []

    monkeypatch.setattr(pipeline, "render", render)
    options = InstallOptions(examples=True, replace=command.startswith("replace"))
    return pipeline.install([root.parent / "spec.py"], root, options).written


def expect(root: Path, command: str, catlass: Sequence[str], headers: dict[str, str]) -> None:
    """All is as the command leaves it."""
    uninstalls = command.startswith("uninstall")
    ours = {} if uninstalls else {f"include/{path}": text.encode() for path, text in headers.items()}
    if ours:
        ours |= {f"examples/{path}": text.encode() for path, text in example("two").items()}
    if command.startswith("replace"):
        ours[f".evtgen-replaced/{OWN[0]}"] = b"Catlass's"
    found = {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
    assert {path: text for path, text in found.items() if Path(path).name != MANIFEST} == {
        **dict.fromkeys(catlass, b"Catlass's"), **ours,
    }  # fmt: skip
    assert all((root / path).stat().st_mode & 0o777 == 0o640 for path in catlass)
    assert not any(path.is_dir() and not any(path.iterdir()) for path in root.rglob("*"))
    assert any(Path(path).name == MANIFEST for path in found) != uninstalls


@pytest.mark.parametrize("how", [interrupt, kill], ids=["SIGINT", "SIGKILL"])
@pytest.mark.parametrize(
    "command",
    ["build", "build again", "install", "install again", "uninstall", "replace", "replace again", "give back",
     "uninstall what replaced"],
)  # fmt: skip
def test_cut_off_at_every_system_call(
    tmp_path: Path, how: Callable[[], None], command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By Ctrl-C at every fourth call and by SIGKILL two calls later; with EVTGEN_FULL=1 by each at every one."""
    own = OWN if "replace" in command or command == "give back" else ()
    catlass = () if command.startswith("build") else (*CATLASS, *own)
    headers, outcomes = BESIDE if command == "give back" else NEW, set()
    for step in range(1 if FULL or how is interrupt else 3, 1000, 1 if FULL else 4):
        root = checkout(tmp_path / str(step) / "catlass", catlass)
        if command not in ("build", "install", "replace"):
            before = "build" if command == "build again" else "replace" if OWN[0] in catlass else "install"
            run(before, root, OLD, monkeypatch)
        old = tree(root)

        def work(at: int, root: Path = root) -> None:
            die_at(at, how, root)
            run(command, root, headers, monkeypatch)

        done = in_child(lambda at=step: work(at)) == 0  # type: ignore[misc]
        if how is interrupt:
            outcomes.add("old" if tree(root) == old else "new")
            if tree(root) != old:
                expect(root, command, catlass, headers)
        elif not done:
            if step % 3 == 0:
                in_child(lambda at=step % 59: work(at))  # type: ignore[misc]
            outcomes.add("old" if tree(root) == old else "new")
            if catlass:
                twin = shutil.copytree(root, root.with_name("twin"))
                other = ("uninstall", {}) if step // 4 % 2 or not own else ("replace", NEW)
                run(other[0], twin, other[1], monkeypatch)
                expect(twin, other[0], catlass, other[1])
            leftovers = {str(path.parent) for path in root.rglob(WORK)}
            assert {*run(command, root, headers, monkeypatch).repaired} == leftovers
            expect(root, command, catlass, headers)
        if done:
            break
    assert done and step > 20
    assert outcomes == {"old", "new"}


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """Two roots in which a build was killed, half way through its moves."""

    def work() -> None:
        moved = iter(range(100))
        replace = os.replace

        def dies(source: Path, target: Path) -> None:
            if WORK not in str(target) and next(moved) == 3:
                kill()
            replace(source, target)

        os.replace = dies  # type: ignore[assignment]
        write(sets(tmp_path / "base", NEW))

    write(sets(tmp_path / "base", OLD))
    assert os.WIFSIGNALED(in_child(work))
    return tmp_path / "base"


@pytest.mark.parametrize("how", [interrupt, kill], ids=["SIGINT", "SIGKILL"])
@pytest.mark.parametrize("step", range(1, 10))
def test_cut_off_again_while_the_old_files_return(tmp_path: Path, step: int, how: Callable[[], None]) -> None:
    """After Ctrl-C just before the last move, when eight files have to return."""
    base = tmp_path / "base"

    def work() -> None:
        later = iter(range(-step, 100))
        replace = os.replace
        manifests = 0

        def dies(source: Path, target: Path) -> None:
            nonlocal manifests
            if manifests == 2 and next(later) == -1:
                how()
            if target == base / "examples" / MANIFEST and manifests < 2:
                manifests += 1
                if manifests == 2:
                    raise KeyboardInterrupt
            replace(source, target)

        os.replace = dies  # type: ignore[assignment]
        write(sets(base, NEW))

    write(sets(base, OLD))
    assert os.WIFSIGNALED(in_child(work)) == (how is kill and step < 9)
    for headers in (OLD, NEW):
        twin = shutil.copytree(base, tmp_path / ("old" if headers is OLD else "new"))
        write(sets(twin, headers))
        assert up_to_date(sets(twin, headers)) == []


def test_a_check_says_where_a_build_was_killed(killed: Path) -> None:
    before = tree(killed)
    found = up_to_date(sets(killed, NEW))
    assert [d.path for d in found if d.state is State.INTERRUPTED] == [
        str(killed / "include"),
        str(killed / "examples"),
    ]
    assert tree(killed) == before


def test_the_user_s_edits_after_a_kill_are_safe(killed: Path) -> None:
    for path in ("include/catlass/epilogue/fusion/fusion.hpp", "include/two.hpp"):
        (killed / path).write_text("mine")
    before = tree(killed)
    with pytest.raises(EvtgenError) as caught:
        write(sets(killed, NEW))
    assert [d.code for d in caught.value.diagnostics] == ["EVT080", "EVT080"]
    assert tree(killed) == before
    assert write(sets(killed, NEW), force=True).repaired == [str(killed / "include"), str(killed / "examples")]
    assert up_to_date(sets(killed, NEW)) == []


def test_another_spec_after_a_kill_leaves_the_first_alone(killed: Path) -> None:
    spec = killed / "other.py"
    other = FileSet(killed / "include", {"other.hpp": header("other")}, {"other.hpp": spec}, (spec,))
    assert write([other]).repaired == [str(killed / "include")]
    assert not (killed / "include" / WORK).exists() and (killed / "examples" / WORK).exists()
    write(sets(killed, OLD))
    assert up_to_date(sets(killed, OLD)) == [] and up_to_date([other]) == []
    assert not (killed / "include/two.hpp").exists() and not (killed / "examples/two").exists()


@pytest.mark.parametrize("seed", range(6))
def test_a_real_build_that_was_killed_is_put_right(tmp_path: Path, seed: int) -> None:
    """At one of the 400 system calls of a build below its roots; by the same build or by the one before."""
    (tmp_path / "spec.py").write_text(ADD)
    new = ["build", "../spec.py", "-o", "include", "--examples", "examples"]
    old = [*new, "--fusion-dir", "old/fusion"]
    again = new if seed % 2 else old
    clean, killed = tmp_path / "clean", tmp_path / "killed"
    for root, command in ((clean, again), (killed, old)):
        root.mkdir()
        command_line(*command, cwd=root)
    code = f"""
import sys
from pathlib import Path
from evtgen.__main__ import main
from tests.support.kills import die_at, kill
die_at({random.Random(seed).randrange(1, 400)}, kill, Path.cwd())
sys.argv = {["evtgen", *new]}
main()
"""
    subprocess.run([sys.executable, "-c", code], cwd=killed, env=environment(), check=False)
    leftovers = len([*killed.rglob(WORK)])
    done = command_line(*again, cwd=killed)
    assert done.returncode == 0 and done.stdout.count("repaired") == leftovers
    found, want = ({path: kept for path, (_, _, kept) in tree(root).items()} for root in (killed, clean))
    assert found == want
