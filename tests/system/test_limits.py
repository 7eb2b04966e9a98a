"""The memory that is free, by each of the limits that there are."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from evtgen.system import limits


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three gibibytes available, and no other limit."""
    (tmp_path / "meminfo").write_text("MemTotal: 9999999 kB\nMemAvailable:    3145728 kB\n")
    (tmp_path / "own").write_text("0::/a/b\n")
    (tmp_path / "groups" / "a" / "b").mkdir(parents=True)
    monkeypatch.setattr(limits, "_MEMINFO", tmp_path / "meminfo")
    monkeypatch.setattr(limits, "_OWN_GROUP", tmp_path / "own")
    monkeypatch.setattr(limits, "_CGROUPS", tmp_path / "groups")
    return tmp_path


def limit(group: Path, most: str, used: int, cached: int) -> None:
    (group / "memory.max").write_text(f"{most}\n")
    (group / "memory.current").write_text(f"{used}\n")
    (group / "memory.stat").write_text(f"anon 5\ninactive_file {cached}\n")


def test_what_the_system_has_available(machine: Path) -> None:
    assert limits.free_memory() == 3 << 30


def test_the_least_of_a_group_and_those_around_it(machine: Path) -> None:
    limit(machine / "groups" / "a" / "b", "max", 1, 1)
    limit(machine / "groups" / "a", str(1 << 30), 600 << 20, 100 << 20)
    assert limits.free_memory() == 524 << 20
    limit(machine / "groups" / "a" / "b", str(1 << 20), 2 << 20, 0)
    assert limits.free_memory() == 0


def test_a_limit_of_address_space_counts() -> None:
    code = """
import resource
resource.setrlimit(resource.RLIMIT_AS, (1 << 31, resource.RLIM_INFINITY))
from evtgen.system.limits import free_memory
print(free_memory())
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert int(done.stdout) <= 1 << 31


def test_unknown_files_are_no_limit(machine: Path) -> None:
    (machine / "meminfo").unlink()
    (machine / "own").unlink()
    free = limits.free_memory()
    assert free is None or free > 1 << 20


def test_full_disks_are_recognised_by_their_text() -> None:
    assert limits.says_full(f"/tmp/cc1.s: {os.strerror(errno.ENOSPC)}")
    assert not limits.says_full("No such file or directory")
