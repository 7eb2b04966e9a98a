"""Several files changed as one: after a failure, a signal or a crash the target is as it was, or all new.

The life of a transaction:

1. A watcher process is forked. If the writer dies, SIGKILL included, the watcher puts everything back at once.
2. Each root is locked, and a transaction that a crash of the machine left unfinished there is rolled back.
3. New contents are staged and old files are hard-linked in a work directory inside each root; then the changes are
   written to a journal; only then do files move, each by one rename.
4. Removing the journal is the commit. With the journal there, everything is rolled back; without it, only the work
   directory is left to remove.

Rolling back touches a file only if it still holds the bytes that the transaction wrote, so it is safe at any later
time. What it finds on disk is read by :mod:`.journal`, as input that anybody can have written: unless all of it is what
a transaction leaves, nothing is touched. Each path, whoever made it, is checked once more just before it is used.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import shutil
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from ..diagnostics import files as codes
from ..emit.places import Layout
from ..system.translation import tr
from .disk import detour, is_directory, parents, sha256
from .journal import (
    FIRST,
    JOURNAL,
    WORK,
    Change,
    Step,
    absolute,
    journal_text,
    names_in_order,
    pointer_text,
    unfinished,
    work_of,
)
from .manifest import MANIFEST


@dataclass(frozen=True)
class Copy:
    """The new content of a file, and the other file of its root that it is a copy of and takes its mode from."""

    content: bytes
    source: str


Content = bytes | Copy | None
"""The new content of a file; None removes the file."""

Changes = Mapping[Path, Mapping[str, Content]]
"""For each root the files to change, by root-relative posix path."""


@contextmanager
def transaction(roots: Mapping[Path, Layout]) -> Iterator[Callable[[Changes], None]]:
    """Lock ``roots`` (absolute, resolved; created if missing) and yield a function that applies changes at once.

    At exit, directories that were created and stayed empty are removed. Raises OSError as the system does; EvtgenError
    if what lies in a work directory is no transaction's (EVT063, EVT064), or a change is none that evtgen makes in
    these roots (EVT066, EVT082).
    """
    roots = dict(sorted(roots.items()))
    made = [directory for root in roots for directory in _missing(root)]
    watcher = _watch(roots, made)
    locks: list[int] = []
    settled = False
    try:
        for root in roots:
            locks.append(_lock(root))
        _settle(roots)
        try:
            yield lambda changes: _apply(changes, roots)
        finally:
            _settle(roots)
            settled = True
    finally:
        _remove_empty(made)
        for lock in locks:
            os.close(lock)
        _dismiss(watcher, settled)


@contextmanager
def undisturbed(roots: Iterable[Path]) -> Iterator[None]:
    """Wait until nobody changes those ``roots`` that exist, and keep it so. Writes nothing."""
    with ExitStack() as stack:
        for root in sorted(filter(Path.is_dir, set(roots))):
            descriptor = os.open(root, os.O_RDONLY)
            stack.callback(os.close, descriptor)
            _flock(descriptor, "LOCK_SH")
        yield


def interrupted(roots: Mapping[Path, Layout]) -> list[Path]:
    """Those of ``roots`` whose build was cut off; the next one puts them back. Raises EvtgenError (EVT063, EVT064) as
    that would."""
    unfinished(roots)
    return [root for root in roots if work_of(root) is not None]


def _apply(changes: Changes, layouts: Mapping[Path, Layout]) -> None:
    # A subclass of str can lie about what it holds.
    exact = {root: {str.__str__(path): content for path, content in files.items()} for root, files in changes.items()}
    for root, files in exact.items():
        for path in files:
            if path != MANIFEST and not layouts[root].changes(path):
                raise codes.NO_SUCH_FILE.error(
                    tr("{path!r:.200} is no file that evtgen writes below {root}", path=path, root=root)
                )
            _check(root, path)
    roots = sorted(root for root in exact if exact[root])
    if roots:
        _move(_stage(roots, exact))
        os.unlink(roots[0] / WORK / JOURNAL)


def _stage(roots: Sequence[Path], changes: Changes) -> list[Change]:
    """Fill the work directories; returns the changes in the journal, which is now in the first of ``roots``."""
    first = roots[0]
    token = secrets.token_hex(8)
    steps: list[Step] = []
    for root in roots:
        work = root / WORK
        work.mkdir()
        os.close(os.open(work / f"mark-{token}", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644))
        _sync(work)
        # One journal makes one commit; the other roots only point to it.
        if root != first:
            _write_at_once(work / FIRST, pointer_text(_from(first, root), token))
        for index, (path, new) in enumerate(sorted(changes[root].items(), key=lambda change: change[0])):
            content, like = (new.content, new.source) if isinstance(new, Copy) else (new, path)
            wrote = None if content is None else hashlib.sha256(content).hexdigest()
            made = 0 if content is None else sum(not os.path.lexists(parent) for parent in parents(root, path))
            step = Step(root=_from(root, first), index=index, path=path, wrote=wrote, made=made)
            change = absolute(first, step)
            if content is not None:
                _write(change.new, content, like=root / like)
            if os.path.lexists(change.target):
                _link(change.target, change.old)
            steps.append(step)
        _sync(work)
    _write_at_once(first / WORK / JOURNAL, journal_text(token, steps))
    _sync(first / WORK)
    return [absolute(first, step) for step in steps]


def _move(changes: Sequence[Change]) -> None:
    """Make the changes in the journal."""
    emptied: set[Path] = set()
    touched: set[Path] = set()
    for change in changes:
        target = change.target
        touched.add(target.parent)
        if change.wrote is not None:
            _make_parents(change)
            os.replace(change.new, target)
        elif os.path.lexists(target):
            _check(change.root, change.path)
            os.unlink(target)
            emptied.update(parents(change.root, change.path))
    _remove_empty(sorted(emptied))
    for directory in filter(is_directory, touched):
        _sync(directory)


def _settle(roots: Mapping[Path, Layout]) -> None:
    """Roll back uncommitted transactions of ``roots`` and remove the work directories. Can be repeated."""
    for first, changes in unfinished(roots).items():
        _roll_back(first, changes)
    for root in roots:
        work = work_of(root)
        if work is not None:
            for name in names_in_order(work):
                os.unlink(root / WORK / name)
            (root / WORK).rmdir()


def _roll_back(first: Path, changes: Sequence[Change]) -> None:
    for change in changes:
        if sha256(change.target) != change.wrote:
            continue
        if os.path.lexists(change.old):
            _make_parents(change)
            os.replace(change.old, change.target)
        elif change.wrote is not None and not os.path.lexists(change.new):
            _check(change.root, change.path)
            os.unlink(change.target)
    _remove_empty(sorted({directory for change in changes for directory in change.made}))
    os.unlink(first / WORK / JOURNAL)


def _make_parents(change: Change) -> None:
    """Make the directories around a change's file, each only where there is nothing."""
    _check(change.root, change.path)
    for directory in parents(change.root, change.path):
        with suppress(FileExistsError):
            os.mkdir(directory)


def _check(root: Path, path: str) -> None:
    """The last look at a path before it is changed. Raises EvtgenError (EVT082)."""
    wrong = detour(root, path)
    if wrong is not None:
        raise codes.LEAVES_ROOT.error(
            tr("{wrong} is not a directory of its own; {root} would lie elsewhere", wrong=wrong, root=root / path)
        )


def _watch(roots: Mapping[Path, Layout], made: Sequence[Path]) -> tuple[int, int] | None:
    """Fork a process that settles ``roots`` if this one dies; None where there is no fork."""
    if not hasattr(os, "fork"):
        return None
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        # Python warns of locks that other threads may hold, as those of a notebook; the child takes none of theirs.
        warnings.simplefilter("ignore", DeprecationWarning)
        child = os.fork()
    if child:
        os.close(reading)
        return child, writing
    try:
        os.close(writing)
        os.setsid()  # A Ctrl-C or a kill of the writer's process group must not reach the watcher.
        if not os.read(reading, 1):
            there = {root: layout for root, layout in roots.items() if root.is_dir()}
            locks = [_lock(root) for root in there]
            _settle(there)
            for lock in locks:
                os.close(lock)
            _remove_empty(made)
    finally:
        os._exit(0)


def _dismiss(watcher: tuple[int, int] | None, settled: bool) -> None:
    """End the watcher; what is not settled is left to it."""
    if watcher is not None:
        child, writing = watcher
        if settled:
            os.write(writing, b".")
        os.close(writing)
        os.waitpid(child, 0)


def _lock(root: Path) -> int:
    """Hold ``root`` against other builds until the returned descriptor is closed."""
    while True:
        root.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(root, os.O_RDONLY)
        _flock(descriptor, "LOCK_EX")
        # The directory may have been removed, and made again, while we waited.
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(descriptor), os.stat(root)):
                return descriptor
        os.close(descriptor)


def _flock(descriptor: int, how: str) -> None:
    with suppress(ImportError):
        import fcntl

        fcntl.flock(descriptor, getattr(fcntl, how))


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


def _from(root: Path, start: Path) -> str:
    return os.path.relpath(root, start)


def _write_at_once(path: Path, content: bytes) -> None:
    """Write a file that is there whole or not at all."""
    new = path.with_name(f"{path.name}.new")
    _write(new, content)
    os.replace(new, path)


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
