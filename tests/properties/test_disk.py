"""Whatever manifests, leftovers and checkouts hold, nothing outside the roots is opened for writing or removed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..support.confined import confined, tree
from ..support.hostile import run
from ..support.paths import CHECKOUT
from . import fuzz_manifest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")]


def test_hostile_manifests() -> None:
    tried, codes = run(fuzz_manifest.spoil, fuzz_manifest.UNTOUCHED, 0, seed=1, least=120)
    assert tried == 120 and codes.keys() >= {"EVT064", "EVT065", "EVT084", "accepted"}


def test_targets_run_for_the_time_they_are_given() -> None:
    assert fuzz_manifest.run(0.05, 2) > 0


@pytest.mark.parametrize("fault", ["open", "rename", "link", "remove", "through a link", "in a child"])
def test_a_change_outside_is_noticed(tmp_path: Path, fault: str) -> None:
    root, outside = tmp_path / "root", tmp_path / "outside"
    root.mkdir()
    outside.mkdir()
    (outside / "file").write_text("")
    (root / "link").symlink_to(outside)
    (root / "file").write_text("")

    def change() -> None:
        if fault == "open":
            (outside / "file").write_text("x")
        elif fault == "rename":
            os.rename(root / "file", outside / "file")
        elif fault == "link":
            os.link(root / "file", outside / "other")
        elif fault == "remove":
            os.unlink(outside / "file")
        else:
            os.unlink(root / "link" / "file")

    def attempt() -> None:
        with confined([root]):
            (root / "inside").write_text("x")
            (root / "inside").unlink()
            if fault != "in a child":
                change()
                return
            child = os.fork()
            if child == 0:
                try:
                    change()
                finally:
                    os._exit(0)
            os.waitpid(child, 0)

    with pytest.raises(AssertionError, match="outside"):
        attempt()


def test_a_tree_sees_content_links_and_modes(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("a")
    seen = [tree(tmp_path)]
    (tmp_path / "file").chmod(0o600)
    seen.append(tree(tmp_path))
    (tmp_path / "file").write_text("b")
    seen.append(tree(tmp_path))
    (tmp_path / "link").symlink_to("file")
    seen.append(tree(tmp_path))
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("nowhere")
    seen.append(tree(tmp_path))
    assert len({str(found) for found in seen}) == len(seen)


@pytest.mark.slow
@pytest.mark.parametrize(("off", "seed"), [("layout", 3), ("detour", 9)])
def test_a_fault_is_seen_by_the_target(off: str, seed: int) -> None:
    """With a check of paths off, the target comes upon a change outside within a few inputs, with some seeds soon."""
    code = f"""
import sys
from evtgen.emit.places import Layout
from evtgen.emit.output import disk, files, manifest, transaction
from tests.properties import fuzz_manifest
if {off!r} == "layout":
    Layout.holds = lambda self, path: path.isprintable() and len(path) < 4096
else:
    files.detour = manifest.detour = disk.detour = lambda root, path: None
try:
    fuzz_manifest.run(600, {seed})  # it ends at the first
except AssertionError as error:
    sys.exit(7 if "Error:" not in str(error) else 1)
"""
    assert subprocess.run([sys.executable, "-c", code], cwd=CHECKOUT, check=False).returncode == 7
