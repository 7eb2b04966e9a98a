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
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from ...diagnostics import files as codes
from ...system.translation import tr
from ..places import OWN
from .disk import parents, require_own

WORK = f"{OWN}build"
"""Name of the work directory inside a root; it exists only while a build writes, or after one was killed."""

Changes = list[tuple[str, bytes | Path | None]]
"""Files of one root in the order in which they change, by root-relative posix path, and the new content of each: bytes,
the file that it is a copy of, or None to remove the file."""


def apply(changes: Mapping[Path, Changes], work: str = WORK) -> None:
    """Change the files of locked roots, all or none. Raises OSError as the system does, and EvtgenError (EVT082) where
    a directory has become a link."""
    files = [(root, *file, root / work / str(i)) for root in changes for i, file in enumerate(changes[root])]
    roots = dict.fromkeys(root for root, *_ in files)
    made = [new for root, path, *_ in files for new in parents(root, path) if not os.path.lexists(new)]
    there = {root / path for root, path, *_ in files if os.path.lexists(root / path)}
    begun: list[tuple[Path, Path, str]] = []
    try:
        for root in roots:
            (root / work).mkdir()
        for root, path, new, place in files:
            _stage(new, root / path, place.with_suffix(".new"))
        for root, path, new, place in files:
            require_own(root, path)
            if os.path.lexists(target := root / path):
                if target not in there:
                    raise FileExistsError(errno.EEXIST, tr("it has come in the meantime"), str(target))
                shutil.copy2(target, place.with_suffix(".old"), follow_symlinks=False)
            begun.append((place, root, path))
            _put(place.with_suffix(".new"), root, path)
            there.add(target)
            if new is None:
                _remove_empty(*parents(root, path))
        begun.clear()  # From here on nothing is undone.
        clear(*roots, work=work)
    except BaseException:
        for place, root, path in reversed(begun):  # If this fails, what was staged stays.
            if not place.with_suffix(".new").exists():
                _put(place.with_suffix(".old"), root, path)
        _remove_empty(*made)
        clear(*roots, work=work)
        raise


def _stage(content: bytes | Path | None, target: Path, new: Path) -> None:
    """Write the new file, with the mode of the old one or of the copied one."""
    data, like = (content.read_bytes(), content) if isinstance(content, Path) else (content, target)
    if data is not None:
        with new.open("xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if like.is_file():
            shutil.copymode(like, new)


def _put(staged: Path, root: Path, path: str) -> None:
    """Move ``staged`` into the place of a file; if it does not exist, the file goes."""
    require_own(root, path)
    target = root / path
    if os.path.lexists(staged):
        target.parent.mkdir(parents=True, exist_ok=True)
        os.replace(staged, target)
    else:
        target.unlink(missing_ok=True)


@contextmanager
def locked(roots: Iterable[Path], *, make: bool = False) -> Iterator[None]:
    """Hold ``roots`` against other builds. Missing roots are made, and removed again if they stay empty; or, without
    ``make``, left out."""
    with ExitStack() as stack:
        for root in sorted(roots):
            if make:
                made = [directory for directory in (root, *root.parents) if not os.path.lexists(directory)]
                stack.callback(_remove_empty, *made)
                root.mkdir(parents=True, exist_ok=True)
            if root.is_dir():
                stack.callback(os.close, descriptor := os.open(root, os.O_RDONLY))
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


def leftover(root: Path, work: str = WORK) -> list[Path] | None:
    """The files in the work directory of ``root``; None without one. Raises EvtgenError (EVT064) for anything that no
    build puts there: anybody can have made it."""
    directory = root / work
    if not os.path.lexists(directory):
        return None
    own = directory.is_dir() and not directory.is_symlink()
    for path in (paths := sorted(directory.iterdir()) if own else [directory]):
        if path.is_symlink() or not path.is_file() or not re.fullmatch(r"(0|[1-9]\d{0,8})\.(new|old)", path.name):
            raise codes.WORK_TAKEN.refusal(path=path)
    return paths


def clear(*roots: Path, work: str = WORK) -> None:
    """Remove the work directories of ``roots``."""
    for root in roots:
        if (paths := leftover(root, work)) is not None:
            for path in paths:
                path.unlink()
            (root / work).rmdir()


def _remove_empty(*directories: Path) -> None:
    """Remove those that are empty, the longest path first."""
    for directory in sorted(set(directories), reverse=True):
        with suppress(OSError):
            directory.rmdir()
