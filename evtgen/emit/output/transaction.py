"""Several files changed as one: new files move into place one by one, and the manifest as the last of them.

1. Copies of the old files, the new ones and the new manifest are staged in a work directory inside each root.
2. Each file moves at once. Catlass's files are kept before ours take their places; the manifests move last.
3. The work directories go.

If a step fails, or at Ctrl-C, the old files return. If the process is killed, the next build finds the old manifest and
the new one. Files that either of them lists are evtgen's, so that the build just goes on.
"""

from __future__ import annotations

import errno
import fcntl
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ...diagnostics import files as codes
from ...system.translation import tr
from ..places import KEPT
from .disk import content, mode_of, parents, require_own
from .manifest import MANIFEST, WORK

_LEFT = re.compile(r"(0|[1-9][0-9]{0,8}|manifest)\.(new|old|part)")

Content = bytes | Path | None
"""The new content of a file, or the file that it is a copy of; None removes the file."""

Changes = dict[str, Content]
"""The new content of files of one root, by root-relative posix path."""


@dataclass(frozen=True)
class Move:
    """A change of the file ``path`` below ``root``. Its old content is staged in ``work``.old, its new one, if it is
    ``written``, in ``work``.new; each of them is there whole or not at all."""

    root: Path
    path: str
    work: Path
    written: bool = True

    def at(self, suffix: str) -> Path:
        """The path of a staged file."""
        return self.work.with_name(f"{self.work.name}.{suffix}")

    def stage(self, new: Content) -> Move:
        """Stage the old content, and the new one, with the mode of the file that is copied or changed; returns the
        move."""
        target, part = self.root / self.path, self.at("part")
        if os.path.lexists(target):
            shutil.copy2(target, part, follow_symlinks=False)
            os.replace(part, self.at("old"))
        if new is not None:
            like = new if isinstance(new, Path) else target
            with part.open("xb") as file:
                file.write((content(new) or b"") if isinstance(new, Path) else new)
                file.flush()
                os.fsync(file.fileno())
            if like.is_file():
                shutil.copymode(like, part)
            os.replace(part, self.at("new"))
        return self

    def do(self) -> None:
        """Make the change."""
        target = self.root / self.path
        require_own(self.root, self.path)
        if not self.written:
            target.unlink(missing_ok=True)
            _remove_empty(parents(self.root, self.path))
            return
        target.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(target) and not os.path.lexists(self.at("old")):
            raise FileExistsError(errno.EEXIST, tr("it has come in the meantime"), str(target))
        os.replace(self.at("new"), target)

    def undo(self) -> None:
        """Put the old file back, if it has gone."""
        target = self.root / self.path
        require_own(self.root, self.path)
        if self.written and os.path.lexists(self.at("new")):
            return
        if os.path.lexists(self.at("old")):
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(self.at("old"), target)
        elif self.written:
            target.unlink(missing_ok=True)


@contextmanager
def all_or_none(clear: Callable[[], None]) -> Iterator[list[Move]]:
    """Make the moves that are staged into the list, all or none; at the end, ``clear`` what was staged."""
    moves: list[Move] = []
    begun: list[Move] = []
    made: list[Path] = []
    try:
        yield moves
        made += [d for move in moves for d in parents(move.root, move.path) if not os.path.lexists(d)]
        for move in moves:
            begun.append(move)
            move.do()
        begun.clear()  # From here on nothing is undone.
        clear()
    except BaseException:
        # If this fails, what was staged stays: the next build needs it.
        for move in begun:
            move.undo()
        _remove_empty(made)
        clear()
        raise


@contextmanager
def locked(roots: Iterable[Path], *, make: bool = False) -> Iterator[None]:
    """Hold ``roots`` against other builds. Those that are missing are made, and removed again if they stay empty; or,
    without ``make``, left out."""
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


def apply(changes: Mapping[Path, Changes]) -> None:
    """Change the files of locked roots, all or none. Raises OSError as the system does, and EvtgenError (EVT082) where
    a directory has become a link."""
    roots = [root for root, files in changes.items() if files]
    with all_or_none(lambda: clear(*roots)) as moves:
        for root in roots:
            (root / WORK).mkdir()
            for index, (path, new) in enumerate(changes[root].items()):
                require_own(root, path)
                name = "manifest" if path == MANIFEST else str(index)
                moves.append(Move(root, path, root / WORK / name, new is not None).stage(new))
        moves.sort(key=lambda move: (move.path == MANIFEST, not move.written, not move.path.startswith(f"{KEPT}/")))


def leftover(root: Path) -> list[Path] | None:
    """The files in the work directory of ``root``; None without one. Raises EvtgenError (EVT064) if not all there is
    evtgen's: anybody can have made it."""
    work = root / WORK
    if (mode := mode_of(work)) is None:
        return None
    paths = sorted(work.iterdir()) if stat.S_ISDIR(mode) else [work]
    for path in paths:
        mode = mode_of(path) or 0
        if not (_LEFT.fullmatch(path.name) and (stat.S_ISREG(mode) or (stat.S_ISLNK(mode) and path.suffix == ".old"))):
            message = tr("{path} is in the place of a build's own files, and no build made it", path=path)
            raise codes.WORK_TAKEN.error(message, help=tr("move it away"))
    return paths


def clear(*roots: Path) -> None:
    """Remove the work directories of ``roots``."""
    for root in roots:
        if (paths := leftover(root)) is not None:
            for path in paths:
                path.unlink()
            (root / WORK).rmdir()


def settle(root: Path, manifest: bytes) -> None:
    """Where a build was killed in ``root``, make ``manifest`` its manifest, and remove the work directory."""
    if leftover(root) is not None:
        part = root / WORK / "manifest.part"
        part.unlink(missing_ok=True)
        part.write_bytes(manifest)
        os.replace(part, root / MANIFEST)
        clear(root)


def _remove_empty(directories: Sequence[Path]) -> None:
    for directory in reversed(directories):
        with suppress(OSError):
            directory.rmdir()
