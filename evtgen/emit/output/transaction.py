"""Several files changed as one: new files move into place one by one, and the manifest as the last of them.

1. The new files are staged in a work directory inside each root.
2. A manifest moves into place that accounts for the old files and the new ones.
3. Each file moves at once. Catlass's files are kept before ours take their places; the manifest of the new files is
   last.
4. The work directories go.

If a step fails, or at Ctrl-C, the old files return in the reverse order. If the process is killed, the manifest still
accounts for every file of evtgen's, so that the next build just goes on.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ...diagnostics import files as codes
from ...system.translation import tr
from .disk import mode_of, parents, require_own
from .manifest import MANIFEST, WORK

_LEFT = re.compile(r"(0|[1-9][0-9]{0,8})\.(new|old)")

Changes = list[tuple[str, bytes | Path | None]]
"""Files of one root in the order in which they change, by root-relative posix path, and the new content of each: bytes,
the file that it is a copy of, or None to remove the file."""


@dataclass(frozen=True)
class Move:
    """A change of the file ``path`` below ``root``: ``new`` is the staged file, or None to remove it, and ``old`` the
    place for a copy of the old one. A ``fresh`` file was not there when it was planned."""

    root: Path
    path: str
    old: Path
    new: Path | None
    fresh: bool

    def keep(self) -> None:
        """Copy the old file. Raises FileExistsError for a file that has come in the meantime."""
        target = self.root / self.path
        require_own(self.root, self.path)
        if os.path.lexists(target):
            if self.fresh:
                raise FileExistsError(errno.EEXIST, tr("it has come in the meantime"), str(target))
            shutil.copy2(target, self.old, follow_symlinks=False)

    def do(self) -> None:
        """Make the change."""
        target = self.root / self.path
        if self.new is not None:
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.new, target)
        else:
            target.unlink(missing_ok=True)
            _remove_empty(parents(self.root, self.path))

    def undo(self) -> None:
        """Put the old file back, if it has gone."""
        target = self.root / self.path
        require_own(self.root, self.path)
        if self.new is not None and os.path.lexists(self.new):
            return
        if os.path.lexists(self.old):
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.old, target)
        elif self.new is not None:
            target.unlink(missing_ok=True)


def apply(changes: Mapping[Path, Changes], work: str = WORK) -> None:
    """Change the files of locked roots, all or none. Raises OSError as the system does, and EvtgenError (EVT082) where
    a directory has become a link."""
    roots = [root for root, files in changes.items() if files]
    moves: list[Move] = []
    begun: list[Move] = []
    made: list[Path] = []
    try:
        for root in roots:
            (root / work).mkdir()
            moves += [_stage(root, root / work / str(i), *change) for i, change in enumerate(changes[root])]
        made += [d for move in moves for d in parents(move.root, move.path) if not os.path.lexists(d)]
        for move in moves:
            move.keep()
            begun.append(move)
            move.do()
        begun.clear()  # From here on nothing is undone.
        clear(*roots, work=work)
    except BaseException:
        # If this fails, what was staged stays.
        for move in reversed(begun):
            move.undo()
        _remove_empty(made)
        clear(*roots, work=work)
        raise


def _stage(root: Path, name: Path, path: str, content: bytes | Path | None) -> Move:
    """Write the new file, with the mode of the old one or of the copied one."""
    target, new = root / path, name.with_suffix(".new")
    if content is not None:
        with new.open("xb") as file:
            file.write(content if isinstance(content, bytes) else content.read_bytes())
            file.flush()
            os.fsync(file.fileno())
        if (like := target if isinstance(content, bytes) else content).is_file():
            shutil.copymode(like, new)
    fresh = path != MANIFEST and not os.path.lexists(target)
    return Move(root, path, name.with_suffix(".old"), None if content is None else new, fresh)


@contextmanager
def locked(roots: Iterable[Path], *, make: bool = False) -> Iterator[None]:
    """Hold ``roots`` against other builds. Missing roots are made, and removed again if they stay empty; or, without
    ``make``, left out."""
    made: list[Path] = []
    locks: list[int] = []
    try:
        for root in sorted(roots):
            made += [d for d in (*reversed(root.parents), root) if make and not os.path.lexists(d)]
            while make or root.is_dir():
                if make:
                    root.mkdir(parents=True, exist_ok=True)
                locks.append(os.open(root, os.O_RDONLY))
                fcntl.flock(locks[-1], fcntl.LOCK_EX)
                # The directory may have been removed, and made again, while we waited.
                with suppress(FileNotFoundError):
                    if os.path.samestat(os.fstat(locks[-1]), os.stat(root)):
                        break
        yield
    finally:
        _remove_empty(made)
        for descriptor in locks:
            os.close(descriptor)


def leftover(root: Path, work: str = WORK) -> list[Path] | None:
    """The files in the work directory of ``root``; None without one. Raises EvtgenError (EVT064) for anything that no
    build puts there: anybody can have made it."""
    if (mode := mode_of(root / work)) is None:
        return None
    paths = sorted((root / work).iterdir()) if stat.S_ISDIR(mode) else [root / work]
    for path in paths:
        mode = mode_of(path) or 0
        if not (_LEFT.fullmatch(path.name) and (stat.S_ISREG(mode) or (stat.S_ISLNK(mode) and path.suffix == ".old"))):
            raise codes.WORK_TAKEN.refusal(path=path)
    return paths


def clear(*roots: Path, work: str = WORK) -> None:
    """Remove the work directories of ``roots``."""
    for root in roots:
        if (paths := leftover(root, work)) is not None:
            for path in paths:
                path.unlink()
            (root / work).rmdir()


def _remove_empty(directories: Sequence[Path]) -> None:
    for directory in reversed(directories):
        with suppress(OSError):
            directory.rmdir()
