"""Into a Catlass checkout and out again, and the mistakes that are easy to make on the way."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from evtgen.checkouts.catlass import recognise, require_arch, require_operands
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.frontend.load import load
from evtgen.graph.ir import Gemm
from evtgen.graph.types import ColumnMajor, RowMajor, float32, half, int8, nZ, zN
from evtgen.model.programs import Compilation, require_programs
from evtgen.planner.plan import lower

from ..support.checkouts import ADD, MARKERS, checkout, git_status, snapshot
from ..support.command import environment, run
from ..support.paths import EXAMPLES

pytestmark = pytest.mark.slow


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "spec.py").write_text(ADD)
    return tmp_path


@pytest.mark.parametrize("release", MARKERS)
def test_in_and_out_again(here: Path, release: str) -> None:
    root = checkout(here / "catlass", release)
    before = snapshot(root)
    done = run("install", *EXAMPLES, "--catlass", root, "--examples", "--json", cwd=here)
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["catlass"]["release"] == release
    assert all(line.startswith("?? ") for line in git_status(root))
    assert before.items() <= snapshot(root).items()
    for name in ("include/matmul_add_evt.hpp", "examples/cast_evt/CMakeLists.txt", f"include/{result['directory']}"):
        assert (root / name).exists()
    again = json.loads(run("install", *EXAMPLES, "--catlass", root, "--examples", "--json", cwd=here).stdout)
    assert again["written"] == [] and len(again["unchanged"]) == len(result["written"])
    done = run("uninstall", "--catlass", root, cwd=here)
    assert done.returncode == 0 and f"{len(result['written'])} files removed" in done.stdout
    assert "removed  include/matmul_add_evt.hpp\n" in done.stdout and done.stdout.count(str(root)) == 1
    assert re.search(rf"removed  include/{result['directory']}: \d+ files\n", done.stdout)
    assert snapshot(root) == before and git_status(root) == []
    assert "nothing" in run("uninstall", "--catlass", root, cwd=here).stdout


def test_a_submodule_does_not_keep_what_is_added(here: Path) -> None:
    root = checkout(here / "repository/third_party/catlass", "v1.5.0")
    (root / ".git").rename(here / "module")
    for place, warned in (("../../.git/modules/third_party/catlass", True), ("../.git/worktrees/catlass", False)):
        (root / ".git").write_text(f"gitdir: {place}\n", encoding="utf-8")
        done = run("install", "spec.py", "--catlass", root, "--dry-run", cwd=here)
        assert done.returncode == 0 and ("warning[EVT261]" in done.stderr) is warned, done.stderr


def test_a_fusion_directory_of_catlass_is_left_alone(here: Path) -> None:
    root = checkout(here / "catlass", "v1.6.0")
    done = run("install", "spec.py", "--catlass", root, cwd=here)
    assert (
        "it has a visitor framework of its own in catlass/epilogue/fusion; evtgen's goes beside it, into "
        "catlass/epilogue/evt, namespace Catlass::Epilogue::Evt\n"
    ) in done.stdout
    assert (root / "include/catlass/epilogue/fusion/fusion.hpp").read_text() == "// not ours\n"
    assert "namespace Catlass::Epilogue::Evt" in (root / "include/catlass/epilogue/evt/fusion.hpp").read_text() or (
        root / "include/catlass/epilogue/evt/tree_visitor.hpp"
    ).read_text().count("Evt")
    assert "catlass/epilogue/evt/" in (root / "include/my_add.hpp").read_text()


def test_our_own_fusion_directory_is_not_taken_for_catlass_s(here: Path) -> None:
    root = checkout(here / "catlass", "v1.5.0")
    for _ in range(2):
        done = run("install", "spec.py", "--catlass", root, "--json", cwd=here)
        assert json.loads(done.stdout)["namespace"] == "Catlass::Epilogue::Fusion"


def test_dry_run_and_diff_write_nothing(here: Path) -> None:
    root = checkout(here / "catlass", "v1.5.0")
    before = snapshot(root)
    done = run("install", "spec.py", "--catlass", root, "--dry-run", cwd=here)
    assert done.returncode == 0 and "nothing is written" in done.stdout
    # The checkout is named once, and its files below it.
    assert "wrote    include/my_add.hpp\n" in done.stdout and done.stdout.count(str(root)) == 1
    patch = run("install", "spec.py", "--catlass", root, "--diff", cwd=here).stdout
    assert "+++ b/include/my_add.hpp" in patch
    assert snapshot(root) == before
    if git_status(root) is not None and (root / ".git").is_dir():
        subprocess.run(["git", "apply", "--check", "-"], cwd=root, input=patch, text=True, check=True)


def test_examples_of_the_first_release_get_a_warning(here: Path) -> None:
    root = checkout(here / "catlass", "v1.0.0")
    done = run("install", "spec.py", "--catlass", root, "--examples", cwd=here)
    assert done.returncode == 0 and "warning[EVT088]" in done.stderr
    assert "EVT088" not in run("install", "spec.py", "--catlass", root, cwd=here).stderr


@pytest.mark.cxx
def test_wrong_directory(here: Path) -> None:
    root = checkout(here / "catlass", "v1.5.0")
    for wrong in (here, root / "include" / "catlass" / "layout"):
        for command in (["install", "spec.py"], ["uninstall"], ["verify", "spec.py"]):
            done = run(*command, "--catlass", wrong, cwd=here)
            assert done.returncode == 2 and "EVT093" in done.stderr
            assert f"did you mean --catlass {root}?" in done.stderr
    done = run("install", "spec.py", "--catlass", here / "nowhere", cwd=here)
    assert done.returncode == 2 and "does not exist" in done.stderr


NEW = ADD.replace("@evt.epilogue", '@evt.epilogue(arch="Ascend950")').replace("my_add", "new_add")


@pytest.mark.cxx
def test_an_epilogue_for_ascend950_is_refused_by_a_release_that_lacks_it(here: Path) -> None:
    root = checkout(here / "catlass", "v1.5.0")
    before = snapshot(root)
    (here / "new.py").write_text(NEW)
    done = run("install", "spec.py", "new.py", "--examples", "--catlass", root, cwd=here)
    assert done.returncode == 2 and f"error[EVT155]: Catlass v1.5.0 in {root} cannot build" in done.stderr
    assert "v1.6.0 or later" in done.stderr
    assert snapshot(root) == before
    with pytest.raises(EvtgenError) as caught:
        require_programs([lower(epilogue) for epilogue in load([here / "new.py"])], Compilation(catlass=root))
    assert [d.code for d in caught.value.diagnostics] == ["EVT155"]


@pytest.mark.parametrize("release", MARKERS)
def test_the_architectures_of_a_release(here: Path, release: str) -> None:
    found = recognise(checkout(here / release, release))
    require_arch(found, ["AtlasA2"])
    lacks = nullcontext() if release == "v1.6.0" else pytest.raises(EvtgenError, match=f"{release} .* for Ascend950")
    with lacks:
        require_arch(found, ["AtlasA2", "Ascend950"])


def test_an_example_for_ascend950_says_how_it_is_built(here: Path) -> None:
    root = checkout(here / "catlass", "v1.6.0")
    (here / "new.py").write_text(NEW)
    assert run("install", "spec.py", "new.py", "--catlass", root, "--examples", cwd=here).returncode == 0
    texts = [(root / "examples" / name / "README.md").read_text() for name in ("my_add", "new_add")]
    assert ["EXAMPLE_ASCEND950" in text for text in texts] == [False, True]
    assert "bash scripts/build.sh -DCATLASS_ARCH=3510 new_add" in texts[1]
    assert "evtgen cpu new_add.cpp --catlass DIR --npu-arch 3510 --" in texts[1]
    assert ["--npu-arch" in text or "CATLASS_ARCH" in text for text in texts] == [False, True]


def test_stale_files_are_renewed_and_leftovers_removed(here: Path) -> None:
    root = checkout(here / "catlass", "v1.5.0")
    run("install", "spec.py", "--catlass", root, "--examples", cwd=here)
    (here / "spec.py").write_text(ADD.replace("my_add", "your_add").replace("acc + X", "acc * 2.0 + X"))
    done = run("install", "spec.py", "--catlass", root, cwd=here)
    assert done.returncode == 0
    assert (root / "include/your_add.hpp").is_file() and not (root / "include/my_add.hpp").exists()
    assert not (root / "examples/my_add").exists()


def test_edited_and_foreign_files_are_refused(here: Path) -> None:
    root = checkout(here / "catlass", "v1.5.0")
    header = root / "include/my_add.hpp"
    header.write_text("// somebody else's\n")
    done = run("install", "spec.py", "--catlass", root, cwd=here)
    assert done.returncode == 2 and "EVT080" in done.stderr and "not written by evtgen" in done.stderr
    assert not (root / "include/catlass/epilogue/fusion").exists()
    header.unlink()
    run("install", "spec.py", "--catlass", root, cwd=here)
    header.write_text(header.read_text() + "// mine\n")
    for command in (["install", "spec.py"], ["uninstall"]):
        done = run(*command, "--catlass", root, cwd=here)
        assert done.returncode == 2 and "EVT080" in done.stderr and "edited" in done.stderr and "--force" in done.stderr
    assert header.read_text().endswith("// mine\n")
    assert run("uninstall", "--catlass", root, "--force", cwd=here).returncode == 0
    assert not header.exists()


def test_what_evtgen_build_wrote_there_is_named(here: Path) -> None:
    root = checkout(here / "catlass", "v1.5.0")
    before = snapshot(root)
    run("build", "spec.py", "-o", root / "include", cwd=here)
    done = run("install", "spec.py", "--catlass", root, cwd=here)
    assert done.returncode == 2 and "EVT087" in done.stderr
    assert run("uninstall", "--catlass", root, cwd=here).returncode == 0
    assert snapshot(root) == before


def test_links_out_of_the_checkout_are_refused(here: Path) -> None:
    root = checkout(here / "catlass", "v1.5.0")
    (here / "elsewhere").mkdir()
    (root / "include/catlass/epilogue/fusion").symlink_to(here / "elsewhere")
    done = run("install", "spec.py", "--catlass", root, cwd=here)
    assert done.returncode == 2 and "EVT082" in done.stderr
    assert not any((here / "elsewhere").iterdir())


def test_a_manifest_cannot_name_files_outside(here: Path) -> None:
    root = checkout(here / "catlass", "v1.5.0")
    (here / "precious").write_text("")
    manifest = {"evtgen": "0", "files": {"../precious": {"sha256": "", "spec": ""}}}
    (root / ".evtgen-manifest.json").write_text(json.dumps(manifest))
    done = run("uninstall", "--catlass", root, "--force", cwd=here)
    assert done.returncode == 2 and "EVT065" in done.stderr
    assert (here / "precious").exists()


def listed(root: Path, path: str) -> None:
    """Make the manifest of ``root`` list a file that is there, with its right hash."""
    manifest = root / ".evtgen-manifest.json"
    found: dict[str, Any] = json.loads(manifest.read_text()) if manifest.exists() else {"evtgen": "0", "files": {}}
    found["files"][path] = {"sha256": hashlib.sha256((root / path).read_bytes()).hexdigest(), "spec": "../spec.py"}
    manifest.write_text(json.dumps(found))


@pytest.mark.parametrize("own", ["README.md", "include/catlass/catlass.hpp", "examples/CMakeLists.txt"])
def test_a_manifest_cannot_claim_catlass_s_own_files(here: Path, own: str) -> None:
    root = checkout(here / "catlass", "v1.5.0")
    (root / "README.md").write_text("Catlass's\n")
    listed(root, own)
    before = snapshot(root)
    for command in (["install", "spec.py"], ["install", "spec.py", "--dry-run"], ["uninstall", "--force"]):
        done = run(*command, "--catlass", root, cwd=here)
        assert done.returncode == 2 and "EVT065" in done.stderr and own in done.stderr
    assert snapshot(root) == before


def test_a_manifest_of_a_build_cannot_claim_a_readme(here: Path) -> None:
    run("build", "spec.py", "-o", "include", cwd=here)
    (here / "include/README.md").write_text("mine\n")
    listed(here / "include", "README.md")
    for more in ([], ["--check"], ["--force"]):
        done = run("build", "spec.py", "-o", "include", *more, cwd=here)
        assert done.returncode == 2 and "EVT065" in done.stderr
    assert (here / "include/README.md").read_text() == "mine\n"


@pytest.mark.parametrize(
    "command", [["install", "spec.py"], ["install", "spec.py", "--force"], ["uninstall", "--force"]]
)
def test_nothing_is_deleted_through_a_linked_directory(here: Path, command: list[str]) -> None:
    root = checkout(here / "catlass", "v1.5.0")
    (here / "outside").mkdir()
    (here / "outside/fusion.hpp").write_text("mine\n")
    (root / "include/lnk").symlink_to(here / "outside")
    listed(root, "include/lnk/fusion.hpp")
    done = run(*command, "--catlass", root, cwd=here)
    assert done.returncode == 2 and "EVT082" in done.stderr and "include/lnk" in done.stderr
    assert (here / "outside/fusion.hpp").read_text() == "mine\n"


def test_examples_that_are_a_link_are_not_removed_elsewhere(here: Path) -> None:
    root = checkout(here / "catlass", "v1.5.0")
    (root / "examples/CMakeLists.txt").unlink()
    (root / "examples").rmdir()
    (root / "examples").symlink_to(here / "outside")
    run("build", "spec.py", "-o", root / "include", "--examples", here / "outside", cwd=here)
    before = snapshot(here / "outside")
    assert any(path.endswith("my_add.cpp") for path in before)
    done = run("uninstall", "--catlass", root, cwd=here)
    assert done.returncode == 2 and "EVT082" in done.stderr
    assert snapshot(here / "outside") == before


@pytest.mark.parametrize("command", ["build", "install", "uninstall"])
def test_a_manifest_that_came_with_a_checkout_is_not_believed(here: Path, command: str) -> None:
    root = checkout(here / "catlass", "v1.5.0")
    (here / "profile").write_text("mine\n")
    entry = {"sha256": hashlib.sha256(b"mine\n").hexdigest(), "spec": "../spec.py"}
    leftover = {"evtgen": "0", "files": {"../profile": entry}}
    (root / ".evtgen-manifest.json").write_text(json.dumps(leftover))
    before = snapshot(here)
    arguments = {"build": ["spec.py", "-o"], "install": ["spec.py", "--catlass"], "uninstall": ["--catlass"]}[command]
    for more in ([], ["--force"]):
        done = run(command, *arguments, root, *more, cwd=here)
        assert done.returncode == 2 and "EVT065" in done.stderr
    assert snapshot(here) == before


@pytest.mark.parametrize("place", [".evtgen-build", "a/.evtgen-build/b", ".EVTGEN-Build", ".evtgen-manifest.json"])
def test_the_framework_cannot_go_to_evtgen_s_own_places(here: Path, place: str) -> None:
    done = run("build", "spec.py", "-o", "include", "--fusion-dir", place, cwd=here)
    assert done.returncode == 2 and "EVT085" in done.stderr and ".evtgen-" in done.stderr
    assert not (here / "include").exists()


def test_a_name_that_is_not_quite_a_string_writes_nothing_outside(here: Path) -> None:
    lying = (
        "class Name(str):\n    def __format__(self, spec=''):\n        return '../above'\n    __str__ = __format__\n"
    )
    (here / "spec.py").write_text(f"{ADD}\n\n{lying}\n\nobject.__setattr__(my_add, 'name', Name('my_add'))\n")
    done = run("build", "spec.py", "-o", "include", cwd=here)
    assert done.returncode == 2 and "EVT066" in done.stderr
    assert sorted(path.name for path in here.iterdir()) == ["spec.py"]


def test_two_specs_in_one_root_do_not_overwrite_each_other(here: Path) -> None:
    (here / "other.py").write_text(ADD.replace("acc + X", "acc * X"))
    run("build", "spec.py", "-o", "include", "--examples", "examples", cwd=here)
    before = snapshot(here)
    for more in ([], ["--check"], ["--examples", "examples"]):
        done = run("build", "other.py", "-o", "include", *more, cwd=here)
        assert done.returncode == 2 and done.stderr.count("EVT083") == 1
        assert "spec.py" in done.stderr and "other.py" in done.stderr
    assert snapshot(here) == before
    assert run("build", "other.py", "-o", "include", "--examples", "examples", "--force", cwd=here).returncode == 0


def test_a_removed_working_directory_and_a_loop_of_links_have_a_code(here: Path) -> None:
    (here / "loop").symlink_to("loop")
    for command, code in (
        (["build", "spec.py", "-o", "loop"], "EVT081"),
        (["uninstall", "--catlass", "loop"], "EVT093"),
        (["uninstall", "--catlass", "a" * 5000], "EVT093"),
    ):
        done = run(*command, cwd=here)
        assert done.returncode in (2, 3) and code in done.stderr, done.stderr
    gone = here / "gone"
    for arguments in (["build", here / "spec.py", "-o", "include"], ["uninstall", "--catlass", "catlass"]):
        gone.mkdir()
        script = f"cd {gone} && rmdir {gone} && exec {sys.executable} -m evtgen {' '.join(map(str, arguments))}"
        done = subprocess.run(
            ["sh", "-c", script], cwd=here, env=environment(), capture_output=True, text=True, check=False
        )
        assert done.returncode == 3 and "EVT074" in done.stderr, done.stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is read-only to root")
def test_a_read_only_tree(here: Path) -> None:
    root = checkout(here / "catlass", "v1.5.0")
    root.chmod(0o555)
    done = run("install", "spec.py", "--catlass", root, cwd=here)
    root.chmod(0o755)
    assert done.returncode == 3 and "EVT095" in done.stderr


def test_no_compiler(here: Path) -> None:
    (here / "empty").mkdir()
    done = run("verify", "spec.py", cwd=here, PATH=str(here / "empty"))
    assert done.returncode == 3 and "EVT090" in done.stderr and "apt-get install g++" in done.stderr


def test_a_compiler_that_is_too_old(here: Path) -> None:
    old = here / "old-g++"
    old.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo "g++ (GCC) 4.8.5" && exit 0\n'
        "echo \"g++: error: unrecognized command line option '-std=c++17'\" >&2\nexit 1\n"
    )
    old.chmod(0o755)
    done = run("verify", "spec.py", "--cxx", old, cwd=here, EVTGEN_CACHE=str(here / "cache"))
    assert done.returncode == 3 and "EVT091" in done.stderr
    assert "4.8.5" in done.stderr and "g++ 11 or clang++ 14" in done.stderr


_TO_L0 = "struct CopyL1ToL0{}<ArchTag, Gemm::GemmType<{}, layout::{}, AscendC::TPosition::A1>> {{"
HEADERS = {
    "helper.hpp": "struct L1ATypeSelector<Gemm::GemmType<Element, layout::RowMajor>> {",
    "tile/copy_l1_to_l0a.hpp": _TO_L0.format("A", "int8_t", "nZ"),
    "tile/copy_l1_to_l0b.hpp": _TO_L0.format("B", "Element", "zN"),
}
LATER_HEADERS = {
    "helper.hpp": "struct L1ATypeSelector<Gemm::GemmType<Element, layout::zN>> {",
    "tile/copy_l1_to_l0a.hpp": '#include "catlass/gemm/tile/atlasa2/copy_l1_to_l0a.hpp"',
    "tile/atlasa2/copy_l1_to_l0a.hpp": _TO_L0.format("A", "float", "nZ").replace("<", "<\n    "),
    "tile/copy_l1_to_l0b.hpp": _TO_L0.format("B", "float", "zN"),
}


@pytest.mark.parametrize(
    ("gemm", "lacks"),
    [
        (Gemm(half, half, layout_a=ColumnMajor, layout_b=zN), None),
        (Gemm(half, half, layout_a=zN), "A of half as zN"),
        (Gemm(int8, int8, layout_a=nZ, layout_b=nZ), "A of int8 as nZ"),
        (Gemm(int8, int8, layout_a=ColumnMajor, layout_b=RowMajor), None),
        (Gemm(float32, float32), "B of float32 as RowMajor"),
        (Gemm(float32, float32, layout_b=nZ), None),
        (Gemm(float32, float32, layout_a=ColumnMajor, layout_b=ColumnMajor), "A of float32 as ColumnMajor"),
    ],
)
def test_the_operands_of_a_release(here: Path, gemm: Gemm, lacks: str | None) -> None:
    roots = [checkout(here / name, "v1.0.0") for name in ("unknown", "first", "later")]
    for root, headers in zip(roots[1:], (HEADERS, LATER_HEADERS), strict=True):
        for name, text in headers.items():
            path = root / "include" / "catlass" / "gemm" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
    require_operands(recognise(roots[0]), [gemm])
    require_operands(recognise(roots[2]), [gemm])
    with nullcontext() if lacks is None else pytest.raises(EvtgenError, match=f"cannot read {lacks}"):
        require_operands(recognise(roots[1]), [gemm])
