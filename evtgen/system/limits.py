"""Time, free memory and full disks."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Iterator
from pathlib import Path

TIMEOUT = 1800.0
"""Seconds after which a program is ended unless the user says otherwise. The model itself ends deadlocks at once."""

FULL = (errno.ENOSPC, errno.EDQUOT)
"""The errors of a full disk, and of a quota that is used up."""

_MEMINFO = Path("/proc/meminfo")
_CGROUPS = Path("/sys/fs/cgroup")
_OWN_GROUP = Path("/proc/self/cgroup")


def says_full(text: str) -> bool:
    """Whether a program's output, in the C locale, says that a disk is full."""
    return any(os.strerror(number) in text for number in FULL)


def free_memory() -> int | None:
    """Bytes that this process and its children can still take without swapping; None where that is unknown.

    The least of what the system has available, what the process's cgroups leave it, and its limit of address space.
    """
    known = [limit for limit in (_available(), *_left_in_groups(), _address_space()) if limit is not None]
    return max(0, min(known)) if known else None


def _available() -> int | None:
    try:
        found = re.search(r"^MemAvailable:\s*(\d+) kB", _MEMINFO.read_text(), re.MULTILINE)
    except OSError:
        found = None
    if found is not None:
        return int(found[1]) * 1024
    try:
        # All there is, on systems that do not say how much of it is free.
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def _left_in_groups() -> Iterator[int]:
    """Of each cgroup (version 2) with a limit that the process is in: the limit less what is used and not cache."""
    try:
        own = re.search(r"^0::/(.*)$", _OWN_GROUP.read_text(), re.MULTILINE)
    except OSError:
        return
    group = _CGROUPS / (own[1] if own else "")
    for directory in (group, *group.parents):
        if not directory.is_relative_to(_CGROUPS):
            return
        try:
            limit = (directory / "memory.max").read_text().strip()
            if limit != "max":
                used = int((directory / "memory.current").read_text())
                cached = re.search(r"^inactive_file (\d+)$", (directory / "memory.stat").read_text(), re.MULTILINE)
                yield int(limit) - used + (int(cached[1]) if cached else 0)
        except (OSError, ValueError):
            continue


def _address_space() -> int | None:
    try:
        import resource
    except ImportError:
        return None
    soft, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if soft == resource.RLIM_INFINITY else soft
