"""Several files changed as one: after a failure, a signal or a crash the target is as it was, or all new.

The life of a transaction:

1. A watcher process is forked. If the writer dies, SIGKILL included, the watcher puts everything back at once.
2. Each root is locked, and a transaction that a crash of the machine left unfinished there is rolled back.
3. New contents are staged and old files are hard-linked in a work directory inside each root; then the changes are
   written to a journal; only then do files move, each by one rename.
4. Removing the journal is the commit. With the journal there, everything is rolled back; without it, only the work
   directory is left to remove.

Rolling back touches a file only if it still holds the bytes that the transaction wrote, so it is safe at any later
time.
"""

from __future__ import annotations

import hashlib
import json
import os
import secrets
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

WORK = ".evtgen-build"
"""Name of the work directory inside a root; it exists only while a transaction runs, or after a crash."""

Changes = Mapping[Path, Mapping[str, "bytes | None"]]
"""For each root the files to change: root-relative posix path to new content, None to remove the file."""


@contextmanager
def transaction(roots: Sequence[Path]) -> Iterator[Callable[[Changes], None]]:
    """Lock ``roots`` (absolute directories, created if missing) and yield a function that applies changes at once.

    At exit, directories that were created and stayed empty are removed. Raises OSError as the system does.
    """
    roots = sorted(set(roots))
    made = [directory for root in roots for directory in _missing(root)]
    watcher = _watch(roots, made)
    locks: list[int] = []
    try:
        for root in roots:
            locks.append(_lock(root))
            _settle(root)
        yield _apply
    finally:
        for root in roots[: len(locks)]:
            _settle(root)
        _remove_empty(made)
        _dismiss(watcher)
        for lock in locks:
            os.close(lock)


def interrupted(root: Path) -> bool:
    """Whether a build of ``root`` was interrupted and the next one has to roll it back."""
    return (root / WORK).is_dir()


def sha256(path: Path) -> str | None:
    """Hash of a regular file, or of a link's target path; None when there is neither."""
    if path.is_symlink():
        return hashlib.sha256(os.readlink(path).encode()).hexdigest()
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _apply(changes: Changes) -> None:
    roots = sorted(root for root in changes if changes[root])
    if roots:
        _move(roots[0], _stage(roots, changes))
        os.unlink(roots[0] / WORK / "journal")


def _stage(roots: Sequence[Path], changes: Changes) -> dict[str, Any]:
    """Fill the work directories; returns the journal, which is now in the first of ``roots``."""
    first = roots[0]
    token = secrets.token_hex(8)
    steps: list[dict[str, Any]] = []
    directories: list[str] = []
    for root in roots:
        work = root / WORK
        work.mkdir()
        # One journal makes one commit; the other roots only point to it.
        if root != first:
            _write(work / "first", json.dumps([os.path.relpath(first, root), token]).encode())
        for index, (path, content) in enumerate(sorted(changes[root].items())):
            target = root / path
            if content is not None:
                _write(work / f"{index}.new", content, like=target)
                directories += [os.path.relpath(d, first) for d in _missing(target.parent)]
            if os.path.lexists(target):
                _link(target, work / f"{index}.old")
            wrote = None if content is None else hashlib.sha256(content).hexdigest()
            steps.append({"root": os.path.relpath(root, first), "index": index, "path": path, "wrote": wrote})
        _sync(work)
    journal = {"token": token, "steps": steps, "directories": sorted(set(directories))}
    _write(first / WORK / "journal.new", json.dumps(journal).encode())
    os.replace(first / WORK / "journal.new", first / WORK / "journal")
    _sync(first / WORK)
    return journal


def _move(first: Path, journal: dict[str, Any]) -> None:
    """Make the changes in the journal."""
    for directory in journal["directories"]:
        (first / directory).mkdir(parents=True, exist_ok=True)
    emptied: set[Path] = set()
    touched: set[Path] = set()
    for step in journal["steps"]:
        root = _root(first, step)
        target = root / step["path"]
        touched.add(target.parent)
        if step["wrote"] is not None:
            os.replace(root / WORK / f"{step['index']}.new", target)
        elif os.path.lexists(target):
            os.unlink(target)
            emptied.update(directory for directory in target.parents if root in directory.parents)
    _remove_empty(sorted(emptied))
    for directory in filter(Path.is_dir, touched):
        _sync(directory)


def _root(first: Path, step: dict[str, Any]) -> Path:
    return Path(os.path.normpath(first / step["root"]))


def _settle(root: Path) -> None:
    """Settle ``root``: roll back an uncommitted transaction, remove the work directory. Can be repeated."""
    work = root / WORK
    if not work.is_dir():
        return
    with suppress(FileNotFoundError, ValueError):
        first, token = json.loads((work / "first").read_bytes())
        _roll_back(Path(os.path.normpath(root / first)), token)
    _roll_back(root)
    shutil.rmtree(work)


def _roll_back(first: Path, token: str | None = None) -> None:
    """Undo the transaction whose journal is in ``first``; with ``token`` only if it is that one."""
    try:
        journal = json.loads((first / WORK / "journal").read_bytes())
    except FileNotFoundError:
        return
    if token not in (None, journal["token"]):
        return
    for step in journal["steps"]:
        root = _root(first, step)
        target, old = root / step["path"], root / WORK / f"{step['index']}.old"
        if sha256(target) != step["wrote"]:
            continue
        if os.path.lexists(old):
            target.parent.mkdir(parents=True, exist_ok=True)
            os.replace(old, target)
        elif step["wrote"] is not None and not (root / WORK / f"{step['index']}.new").exists():
            os.unlink(target)
    _remove_empty([first / directory for directory in journal["directories"]])
    os.unlink(first / WORK / "journal")


def _watch(roots: Sequence[Path], made: Sequence[Path]) -> tuple[int, int] | None:
    """Fork a process that settles ``roots`` if this one dies; None where there is no fork."""
    if not hasattr(os, "fork"):
        return None
    reading, writing = os.pipe()
    child = os.fork()
    if child:
        os.close(reading)
        return child, writing
    try:
        os.close(writing)
        os.setsid()  # A Ctrl-C or a kill of the writer's process group must not reach the watcher.
        if not os.read(reading, 1):
            for root in filter(Path.is_dir, roots):
                lock = _lock(root)
                _settle(root)
                os.close(lock)
            _remove_empty(made)
    finally:
        os._exit(0)


def _dismiss(watcher: tuple[int, int] | None) -> None:
    if watcher is not None:
        child, writing = watcher
        os.write(writing, b".")
        os.close(writing)
        os.waitpid(child, 0)


def _lock(root: Path) -> int:
    """Hold ``root`` against other builds until the returned descriptor is closed."""
    while True:
        root.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(root, os.O_RDONLY)
        with suppress(ImportError):
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX)
        # The directory may have been removed, and made again, while we waited.
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.stat(root)):
                return descriptor
        os.close(descriptor)


def _missing(directory: Path) -> list[Path]:
    """The directories to create for ``directory`` to exist, outermost first."""
    missing = []
    while not os.path.lexists(directory):
        missing.append(directory)
        directory = directory.parent
    return missing[::-1]


def _remove_empty(directories: Sequence[Path]) -> None:
    for directory in reversed(directories):
        with suppress(OSError):
            directory.rmdir()


def _write(path: Path, content: bytes, like: Path | None = None) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())
    if like is not None and like.is_file():
        shutil.copymode(like, path)


def _link(source: Path, to: Path) -> None:
    """Link to a file, so that restoring it restores its time stamp too; copy it where there are no links."""
    try:
        os.link(source, to, follow_symlinks=False)
    except OSError:
        shutil.copy2(source, to, follow_symlinks=False)


def _sync(directory: Path) -> None:
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
