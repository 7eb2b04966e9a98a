"""Scratch directories of dead processes go, those of live ones stay."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from evtgen.system.scratch import Scratch, sweep

LONG_AGO = (0, 0)


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def test_it_is_removed_at_the_end(root: Path) -> None:
    with Scratch("cpu-") as path:
        (path / "file").write_text("")
        assert path.name.startswith("evtgen-cpu-")
    assert list(root.iterdir()) == []


def test_that_of_a_killed_process_goes_and_that_of_a_live_one_stays(root: Path) -> None:
    code = """
import sys
from evtgen.system.scratch import Scratch
(Scratch().path / "operand.bin").write_text("x")
print(flush=True)
input()
"""
    environment = {**os.environ, "TMPDIR": str(root)}
    child = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    with child:
        assert child.stdout is not None
        child.stdout.readline()
        (left,) = root.iterdir()
        os.utime(left, LONG_AGO)
        sweep(root)
        assert (left / "operand.bin").exists()
        child.kill()
        child.wait()
    with Scratch() as own:
        os.utime(own, LONG_AGO)
        sweep(root)
        assert own.exists() and not left.exists()


def test_what_has_no_lock_goes_only_when_it_is_old(root: Path) -> None:
    for name in ("evtgen-young", "evtgen-old", "other-old"):
        (root / name).mkdir()
    (root / "evtgen-file").write_text("")
    for name in ("evtgen-old", "other-old", "evtgen-file"):
        os.utime(root / name, LONG_AGO)
    sweep(root)
    assert sorted(path.name for path in root.iterdir()) == ["evtgen-file", "evtgen-young", "other-old"]


def test_a_link_is_not_followed(root: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (elsewhere / "file").write_text("")
    (root / "evtgen-link").symlink_to(elsewhere)
    (root / "evtgen-lock").mkdir()
    (root / "evtgen-lock" / ".lock").symlink_to(elsewhere / "made")
    sweep(root)
    assert [path.name for path in elsewhere.iterdir()] == ["file"]
    assert (root / "evtgen-link").is_symlink()
