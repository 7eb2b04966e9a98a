"""Watching what is changed on disk: a tree before and after, and every call that writes, of child processes too."""

from __future__ import annotations

import hashlib
import os
import stat
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

Tree = dict[str, tuple[int, int, str]]


def tree(root: Path) -> Tree:
    """Every path below ``root`` with its mode and, except for directories, its time stamp and content. Follows no
    link and opens regular files only."""
    found: Tree = {}
    for directory, names, files in os.walk(root):
        for name in (*names, *files):
            path = os.path.join(directory, name)
            status = os.lstat(path)
            content, time = "", status.st_mtime_ns
            if stat.S_ISLNK(status.st_mode):
                content = os.readlink(path)
            elif stat.S_ISREG(status.st_mode):
                content = hashlib.sha256(Path(path).read_bytes()).hexdigest()
            elif stat.S_ISDIR(status.st_mode):
                time = 0
            found[os.path.relpath(path, root)] = (status.st_mode, time, content)
    return found


_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PATHS = {
    "os.rename": 2, "os.link": 2, "os.symlink": 2, "os.remove": 1, "os.rmdir": 1, "os.mkdir": 1, "os.chmod": 1,
    "os.chown": 1, "os.truncate": 1, "os.utime": 1, "os.setxattr": 1, "os.removexattr": 1, "shutil.rmtree": 1,
}  # fmt: skip
"""Events of the audit hook that change the paths in their first so many arguments. For a symbolic link it is the second
alone."""


class _Watch:
    """The state of the hook, which cannot be removed: where writing is allowed now, and where faults are noted."""

    def __init__(self) -> None:
        self.roots: tuple[str, ...] | None = None
        self.notes = -1
        sys.addaudithook(self.hook)

    def hook(self, event: str, args: tuple[object, ...]) -> None:
        if self.roots is None:
            return
        if event == "open":
            path, _, flags = args
            changed = [path] if isinstance(flags, int) and flags & _WRITING else []
        else:
            changed = list(args[: _PATHS.get(event, 0)])
            if event == "os.symlink":
                changed = changed[1:]
        for path in changed:
            if isinstance(path, (str, bytes, os.PathLike)) and not self.inside(os.fsdecode(path)):
                # A list would not be seen from a child process.
                os.write(self.notes, f"{event} {os.fsdecode(path)}\n".encode(errors="replace"))
                raise PermissionError(f"a test confines changes to {self.roots}; this is one of {os.fsdecode(path)!r}")

    def inside(self, path: str) -> bool:
        directory, name = os.path.split(os.path.abspath(path))
        place = os.path.join(os.path.realpath(directory), name)
        return any(place == root or place.startswith(f"{root}/") for root in self.roots or ())


_WATCH: list[_Watch] = []


@contextmanager
def confined(roots: Sequence[Path]) -> Iterator[None]:
    """Within it only ``roots`` and what is below them may be opened for writing, renamed, linked, made or removed, by
    this process and those that it forks. Anything else is refused before it happens, and raises AssertionError at the
    end."""
    if not _WATCH:
        _WATCH.append(_Watch())
    watch = _WATCH[0]
    with tempfile.TemporaryFile() as notes:
        watch.notes, watch.roots = notes.fileno(), tuple(os.path.realpath(root) for root in roots)
        try:
            yield
        finally:
            watch.roots = None
            notes.seek(0)
            said = notes.read().decode(errors="replace")
            # Whatever a refusal led to, it is not the finding.
            assert not said, said
