"""A checkout that has a visitor framework already: evtgen's goes beside it, or in its place and back.

``EVTGEN_AUTHORS`` names checkouts as in :mod:`tests.checkouts.test_programs`.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from ..support.checkouts import ADD, checkout, snapshot, trees
from ..support.command import run
from ..support.cpp import INSTANTIATE, check_syntax, compilers
from ..support.paths import EXAMPLES

AUTHORS = trees("EVTGEN_AUTHORS")
SHAPES = (("87", "198", "40"), ("256", "1024", "64"))
"""One block with tails, and on two cores more blocks for each than the workspace has."""

FUSION = "include/catlass/epilogue/fusion"
BLOCK = "include/catlass/epilogue/block/block_epilogue_visitor.hpp"
KERNEL = "include/catlass/gemm/kernel/matmul_visitor.hpp"
THEIRS = (f"{FUSION}/fusion.hpp", f"{FUSION}/visitor_cast.hpp", BLOCK, KERNEL)
"""What of a framework of Catlass's own ours overwrites."""
OTHER = "include/catlass/epilogue/block/block_epilogue_other_visitor.hpp"
"""A file of theirs that ours has nothing in the place of."""
KEPT = ".evtgen-replaced"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A checkout with a made-up framework."""
    (tmp_path / "spec.py").write_text(ADD)
    (tmp_path / "other.py").write_text(ADD.replace("my_add", "other_add"))
    root = checkout(tmp_path / "catlass", "v1.5.0")
    for number, name in enumerate((*THEIRS, OTHER)):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_bytes(f"// theirs, {name}\r\n".encode() + b"\xff\x00")
        (root / name).chmod((0o644, 0o640, 0o755, 0o600, 0o644)[number])
    return root


def command(root: Path, *more: str, spec: str = "spec.py") -> subprocess.CompletedProcess[str]:
    """``evtgen install``, or with ``uninstall`` as the first of ``more`` that."""
    first = ["uninstall", *more[1:]] if more[:1] == ("uninstall",) else ["install", spec, *more]
    return run(*first, "--catlass", root, cwd=root.parent)


def done(root: Path, *more: str, spec: str = "spec.py") -> dict[str, Any]:
    """What such a command, which succeeds, says with ``--json``; paths relative to the checkout."""
    found = command(root, *more, "--json", spec=spec)
    assert found.returncode == 0, found.stderr + found.stdout
    result: dict[str, Any] = json.loads(found.stdout)
    lists = {name: [Path(path).relative_to(root).as_posix() for path in result[name]] for name in LISTS}
    return {**result, **lists}


LISTS = ("written", "replaced", "restored", "unchanged", "removed", "kept")


def refused(root: Path, code: str, *more: str) -> str:
    """What such a command, which is refused and changes nothing, says, in one line."""
    before = snapshot(root)
    found = command(root, *more)
    assert found.returncode == 2 and code in found.stderr, found.stderr + found.stdout
    assert snapshot(root) == before
    return " ".join(found.stderr.split())


class TestInTheirPlace:
    pytestmark = pytest.mark.slow

    def test_beside_is_said_with_the_choice(self, root: Path) -> None:
        before = snapshot(root)
        said = command(root).stdout
        assert "of its own in catlass/epilogue/fusion; evtgen's goes beside it, into catlass/epilogue/evt" in said
        assert "; --replace puts it in its place\n" in said
        assert before.items() <= snapshot(root).items()
        assert not (root / KEPT).exists()

    def test_in_and_out_again(self, root: Path) -> None:
        before = snapshot(root)
        result = done(root, "--replace")
        assert result["namespace"] == "Catlass::Epilogue::Fusion" and result["directory"] == "catlass/epilogue/fusion"
        assert sorted(result["replaced"]) == sorted(THEIRS) and result["restored"] == []
        assert not set(result["written"]) & set(THEIRS) and f"{FUSION}/reduce.hpp" in result["written"]
        for name in THEIRS:
            assert "theirs" not in (root / name).read_text()
            assert snapshot(root / KEPT)[name] == before[name]
        assert snapshot(root)[OTHER] == before[OTHER]
        assert f"kept in {KEPT}" in " ".join(result["notes"])
        again = done(root, "--replace")
        assert again["written"] == again["replaced"] == again["restored"] == again["removed"] == []
        (root / BLOCK).chmod(0o600)
        gone = done(root, "uninstall")
        assert sorted(gone["restored"]) == sorted(THEIRS) and not set(gone["removed"]) & set(THEIRS)
        assert snapshot(root) == before

    def test_back_beside(self, root: Path) -> None:
        before = snapshot(root)
        done(root)
        beside = snapshot(root)
        result = done(root, "--replace")
        assert "include/catlass/epilogue/evt/fusion.hpp" in result["removed"] and len(result["replaced"]) == 4
        result = done(root)
        assert sorted(result["restored"]) == sorted(THEIRS) and f"{FUSION}/reduce.hpp" in result["removed"]
        assert snapshot(root) == beside
        done(root, "uninstall")
        assert snapshot(root) == before

    def test_dry_run_and_diff_tell_it_and_write_nothing(self, root: Path) -> None:
        for name in THEIRS:
            (root / name).write_text(f"theirs, {name}\n")
        before = snapshot(root)
        rehearsed, patch = done(root, "--replace", "--dry-run"), command(root, "--replace", "--diff").stdout
        assert snapshot(root) == before
        result = done(root, "--replace")
        assert all(rehearsed[name] == result[name] for name in LISTS)
        assert all(f"--- a/{name}\n+++ b/{name}\n" in patch and f"-theirs, {name}\n" in patch for name in THEIRS)
        rehearsed, patch = done(root, "--dry-run"), command(root, "--diff").stdout
        assert sorted(rehearsed["restored"]) == sorted(THEIRS)
        assert all(f"--- a/{name}\n+++ b/{name}\n" in patch and f"+theirs, {name}\n" in patch for name in THEIRS)
        assert f"--- a/{FUSION}/reduce.hpp\n+++ /dev/null\n" in patch and KEPT not in patch

    def test_epilogues_of_another_spec_keep_their_framework(self, root: Path) -> None:
        before = snapshot(root)
        done(root, "--replace", spec="other.py")
        result = done(root)
        assert result["restored"] == [] and "catlass/epilogue/evt" in result["directory"]
        assert "install all specs at once" in " ".join(result["notes"])
        assert "theirs" not in (root / THEIRS[0]).read_text()
        both = run("install", "spec.py", "other.py", "--catlass", root, "--json", cwd=root.parent)
        assert len(json.loads(both.stdout)["restored"]) == 4
        done(root, "uninstall")
        assert snapshot(root) == before

    def test_nothing_to_replace(self, tmp_path: Path) -> None:
        (tmp_path / "spec.py").write_text(ADD)
        plain, replaced = (checkout(tmp_path / name, "v1.5.0") for name in ("plain", "replaced"))
        results = done(plain), done(replaced, "--replace")
        assert results[0]["written"] == results[1]["written"] and results[1]["replaced"] == []
        assert (plain / ".evtgen-manifest.json").read_text() == (replaced / ".evtgen-manifest.json").read_text()
        assert not (replaced / KEPT).exists()


class TestRefused:
    pytestmark = pytest.mark.slow

    @pytest.mark.parametrize(
        ("change", "why"),
        [
            (lambda root: (root / KERNEL).unlink(), "it has no catlass/gemm/kernel/matmul_visitor.hpp"),
            (lambda root: (root / BLOCK).unlink(), "it has no catlass/epilogue/block/block_epilogue_visitor.hpp"),
            (lambda root: (root / FUSION / "visitor_own.hpp").touch(), "evtgen's has no visitor_own.hpp"),
        ],
        ids=["no kernel", "no block epilogue", "another node"],
    )
    def test_a_framework_that_ours_does_not_stand_in_for(self, root: Path, change: Any, why: str) -> None:
        change(root)
        for more in ([], ["--force"], ["--dry-run"], ["--diff"]):
            assert why in refused(root, "EVT070", "--replace", *more)
        assert "--replace" not in command(root).stdout

    def test_an_edited_file_is_lost_by_force_only(self, root: Path) -> None:
        before = snapshot(root)
        done(root, "--replace")
        (root / THEIRS[0]).write_text("mine\n")
        for more in (["uninstall"], ["--replace"], [], ["--dry-run"], ["--diff"]):
            assert "edited" in refused(root, "EVT080", *more)
        assert THEIRS[0] in done(root, "--force")["restored"]
        done(root, "--replace")
        (root / THEIRS[0]).write_text("mine\n")
        assert THEIRS[0] in done(root, "uninstall", "--force")["restored"]
        assert snapshot(root) == before

    def test_only_a_framework_gives_way(self, root: Path) -> None:
        (root / "include/my_add.hpp").write_text("mine\n")
        assert "my_add.hpp exists and was not written by evtgen" in refused(root, "EVT080", "--replace")

    @pytest.mark.parametrize("how", ["changed", "gone", "a link", "a directory", "below a link"])
    def test_what_was_not_kept_is_not_given_back(self, root: Path, how: str) -> None:
        before = snapshot(root)
        done(root, "--replace")
        kept = root / KEPT / THEIRS[0]
        if how == "below a link":
            (root / KEPT).rename(root.parent / "away")
            (root / KEPT).symlink_to(root.parent / "away")
        else:
            kept.rename(root.parent / "away")
        if how == "changed":
            kept.write_text("theirs, they say\n")
        elif how == "a link":
            kept.symlink_to(root.parent / "away")
        elif how == "a directory":
            kept.mkdir()
        for more in (["uninstall"], ["uninstall", "--force"], [], ["--force"]):
            assert f"git checkout -- {THEIRS[0]}" in refused(root, "EVT069", *more)
        if how == "gone":
            # The way out that the message names.
            shutil.copy2(root.parent / "away", root / THEIRS[0])
            done(root, "uninstall")
            assert snapshot(root) == before

    def test_a_kept_file_that_no_manifest_lists_is_not_overwritten(self, root: Path) -> None:
        done(root, "--replace")
        (root / ".evtgen-manifest.json").unlink()
        for more in ([], ["--force"]):
            assert KEPT in refused(root, "EVT069", "--replace", *more)

    def test_a_link_in_the_place_of_a_file_is_not_replaced(self, root: Path) -> None:
        (root / THEIRS[0]).unlink()
        (root / THEIRS[0]).symlink_to(root / OTHER)
        refused(root, "EVT081", "--replace")
        refused(root, "EVT081", "--replace", "--force")

    def test_kept_files_do_not_go_through_a_link(self, root: Path) -> None:
        (root.parent / "outside").mkdir()
        (root / KEPT).symlink_to(root.parent / "outside")
        refused(root, "EVT082", "--replace")
        assert not any((root.parent / "outside").iterdir())

    @pytest.mark.parametrize(
        ("path", "replaced", "code"),
        [
            ("include/my_add.hpp", "0" * 64, "EVT065"),
            ("include/catlass/epilogue/evt/fusion.hpp", "0" * 64, "EVT065"),
            (f"{KEPT}/{THEIRS[0]}", "", "EVT065"),
            (f"{FUSION}/fusion.hpp", "theirs", "EVT084"),
            (f"{FUSION}/fusion.hpp", None, "EVT084"),
            (f"{FUSION}/fusion.hpp", "0" * 64, "EVT069"),
        ],
    )
    def test_a_manifest_is_not_believed(self, root: Path, path: str, replaced: str | None, code: str) -> None:
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        text = '// somebody\'s, and it says what evtgen writes\n#include "x/visitor_impl_base.hpp"\n'
        (root / path).write_text(text)
        entry = {"sha256": hashlib.sha256(text.encode()).hexdigest(), "spec": "", "replaced": replaced}
        (root / ".evtgen-manifest.json").write_text(json.dumps({"evtgen": "0", "files": {path: entry}}))
        for more in (["uninstall"], ["uninstall", "--force"], []):
            refused(root, code, *more)


@pytest.mark.cxx
@pytest.mark.parametrize("cxx", compilers())
def test_beside_declares_nothing_in_catlass_s_namespaces(tmp_path: Path, cxx: str) -> None:
    """A program can include ours beside a framework of the same names in Catlass's own place: here that is ours too."""
    (tmp_path / "spec.py").write_text(ADD)
    (tmp_path / "other.py").write_text(ADD.replace("my_add", "other_add"))
    beside = ("--namespace", "Catlass::Epilogue::Evt", "--fusion-dir", "catlass/epilogue/evt")
    assert run("build", "spec.py", "-o", "include", cwd=tmp_path).returncode == 0
    assert run("build", "other.py", "-o", "include", *beside, cwd=tmp_path).returncode == 0
    program = '#include "my_add.hpp"\n#include "other_add.hpp"\n' + INSTANTIATE
    for name in ("my_add", "other_add"):
        kernel = f"Catlass::Evt::{name}::Kernel"
        program += f"template void Instantiate<{kernel}>({kernel}::Params const&);\n"
    checked = check_syntax(cxx, tmp_path / "include", program)
    assert checked.returncode == 0, checked.stderr[:3000]


@pytest.fixture(
    scope="module", params=AUTHORS or [pytest.param("", marks=pytest.mark.skip("EVTGEN_AUTHORS is not set"))]
)
def replaced(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of a checkout of the authors' with ours in the place of theirs."""
    root: Path = tmp_path_factory.mktemp("replaced") / request.param
    shutil.copytree(AUTHORS[request.param], root)
    found = run("install", *EXAMPLES, "--catlass", root, "--replace", cwd=root)
    assert found.returncode == 0 and "replaced" in found.stdout, found.stderr
    return root


@pytest.mark.cxx
@pytest.mark.parametrize(
    "example",
    ["32_matmul_add_evt", "33_cast_evt", "34_matmul_add_topo"]
    + [f"35_{kind}_broadcast_reduction_evt" for kind in ("row", "col", "scalar")],
)
def test_the_authors_examples_run_on_our_headers(replaced: Path, example: str) -> None:
    if shutil.which("clang++") is None:
        pytest.skip("clang++ is not installed, and g++ does not take Catlass's kernels")
    program = replaced / "examples" / example / f"{re.sub('^[0-9]+_', '', example)}.cpp"
    if not program.is_file():
        pytest.skip(f"this checkout has no {example}")
    for shape in SHAPES:
        options = ("--catlass", replaced, "--cxx", "clang++", "--cores", "2", "--json")
        found = json.loads(run("cpu", program, *options, "--", *shape, "0", cwd=replaced).stdout)
        assert found.get("launches") == 1, found
        assert found["status"] == 0 and "Compare success." in found["stdout"] and found["hazards"] == [], found
