"""The cache: results of the compiler, by a hash of everything that went into them.

An entry is a directory. It is built under another name by whoever holds its lock, sealed with the digests of its files
and renamed, so processes may race and be killed. What is read is checked against the seal first: a damaged entry is
removed and built again.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from ..diagnostics.diagnostic import EvtgenError
from ..diagnostics.machine import CANNOT_RUN, DISK_FULL, NO_CACHE
from ..system.limits import FULL
from ..system.locks import held

_SEAL = "seal.txt"
_UNUSED_DAYS = 30
_HIDDEN_DAYS = 1
"""Age at which a lock, and what a killed process left half built, goes: no build takes that long."""


def cache_directory() -> Path:
    """``$EVTGEN_CACHE``, else evtgen's part of the platform's place for caches. Raises EvtgenError (EVT092) if there is
    no such place."""
    own = os.environ.get("EVTGEN_CACHE")
    if own:
        try:
            return Path(own).absolute()
        except OSError as error:
            raise NO_CACHE.refusal("relative", short=_short(Path(own)), error=error) from error
    xdg = os.environ.get("XDG_CACHE_HOME", "")
    # As the XDG specification has it, a relative path is ignored.
    if os.path.isabs(xdg):
        return Path(xdg) / "evtgen"
    try:
        home = Path.home().absolute()
    except RuntimeError as error:
        raise NO_CACHE.refusal("no home") from error
    if sys.platform == "darwin":
        return home / "Library" / "Caches" / "evtgen"
    return home / ".cache" / "evtgen"


def key(texts: Iterable[str], files: Iterable[Path] = (), below: Path | None = None) -> str:
    """A hash of texts, and of files with their paths. ``below``: paths count from this directory."""
    digest = hashlib.sha256()
    for text in texts:
        digest.update(text.encode(errors="surrogateescape") + b"\0")
    for path in files:
        name = path if below is None else path.relative_to(below)
        digest.update(name.as_posix().encode(errors="surrogateescape") + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:32]


def entry(
    kind: str,
    name: str,
    files: Sequence[str],
    build: Callable[[Path], None],
    waiting: Callable[[], None] = lambda: None,
    *,
    most: int | None = None,
) -> Path:
    """The entry ``name``, built into an empty directory by ``build`` unless it is there and sound.

    Args:
        files: what is read of it, or run; ``build`` writes them.
        waiting: called if another process is building it.
        most: entries of the kind that stay, the last used; for large ones. None for all.

    Raises EvtgenError with status 3: EVT092 if the cache cannot be written, EVT097 if what was built cannot be read or
    run, EVT098 if the disk is full; and whatever ``build`` raises.
    """
    parent = cache_directory() / kind
    final = parent / name
    try:
        if not _sound(final, files):
            parent.mkdir(parents=True, exist_ok=True)
            with held(parent / f".{name}.lock", waiting):
                # Another process may have built it while we waited.
                if not _sound(final, files):
                    _build(final, files, build)
                    if most is not None:
                        _keep_newest(parent, most)
    except OSError as error:
        raise cannot_write(parent, error) from error
    if not _sound(final, files):
        raise _cannot_run(final)
    with suppress(OSError):  # a cache that is only read
        os.utime(final)
    return final


def keep(text: str) -> Path | None:
    """Keep the output of a compiler as a file for some time; None if that cannot be done."""
    with suppress(OSError, EvtgenError):
        parent = cache_directory() / "output"
        parent.mkdir(parents=True, exist_ok=True)
        _prune(parent)
        path = parent / f"{key([text])}.txt"
        _replace(path, text)
        return path
    return None


def remembers(kind: str, name: str) -> bool:
    """Whether :func:`remember` was called with these."""
    with suppress(OSError, EvtgenError):
        path = cache_directory() / kind / name
        if path.is_file():
            os.utime(path)
            return True
    return False


def remember(kind: str, name: str) -> None:
    """Note a fact that a name says in full; that it could not be noted is no fault."""
    with suppress(OSError, EvtgenError):
        parent = cache_directory() / kind
        parent.mkdir(parents=True, exist_ok=True)
        _prune(parent)
        _replace(parent / name, "")


def cannot_write(where: Path, error: OSError) -> EvtgenError:
    """EVT098 or EVT092, by the system's error."""
    if error.errno in FULL:
        return DISK_FULL.refusal("cache", where=where)
    at = Path(error.filename) if isinstance(error.filename, str) else where
    return NO_CACHE.refusal("unwritable", short=_short(at), strerror=error.strerror or error)


def _cannot_run(final: Path) -> EvtgenError:
    return CANNOT_RUN.refusal("built", final=final)


def _short(path: Path) -> str:
    text = str(path)
    return text if len(text) <= 160 else f"{text[:80]}…{text[-40:]} ({len(text)} characters)"


def _build(final: Path, files: Sequence[str], build: Callable[[Path], None]) -> None:
    """Build an entry. The caller holds its lock, so what lies about is of a process that is dead."""
    work = final.with_name(f".{final.name}.new")
    for left in (work, final):
        _remove(left)
    work.mkdir()
    try:
        build(work)
        try:
            seal = _digests(work, files)
        except OSError as error:
            raise _cannot_run(final) from error
        (work / _SEAL).write_bytes(seal)
        work.rename(final)
    finally:
        with suppress(OSError):
            _remove(work)
    _prune(final.parent)


def _sound(directory: Path, files: Sequence[str]) -> bool:
    """Whether the files of an entry are as they were when it was built."""
    try:
        if not stat.S_ISDIR(directory.lstat().st_mode):
            return False
        return _content(directory / _SEAL) == _digests(directory, files)
    except OSError:
        return False


def _digests(directory: Path, files: Sequence[str]) -> bytes:
    """A line per file. Raises OSError unless all are there, regular, and can be run where they are programs."""
    lines = []
    for name in files:
        path = directory / name
        program = bool(path.lstat().st_mode & stat.S_IXUSR)
        if program and not os.access(path, os.X_OK):
            raise PermissionError(f"{path} cannot be run")
        lines.append(f"{hashlib.sha256(_content(path)).hexdigest()} {'run' if program else 'read'} {name}\n")
    return "".join(lines).encode()


def _content(path: Path) -> bytes:
    """Of a regular file; whatever else is there could block, or never end."""
    if not stat.S_ISREG(path.lstat().st_mode):
        raise OSError(f"{path} is not a file")
    return path.read_bytes()


def _replace(path: Path, text: str) -> None:
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    temporary.write_text(text, encoding="utf-8", errors="replace")
    temporary.replace(path)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def _prune(parent: Path) -> None:
    """Remove what has not been used for a while, and what killed processes left half built."""
    now = time.time()
    for path in parent.iterdir():
        with suppress(OSError):
            days = _HIDDEN_DAYS if path.name.startswith(".") else _UNUSED_DAYS
            if path.lstat().st_mtime < now - days * 24 * 3600:
                _remove(path)


def _keep_newest(parent: Path, most: int) -> None:
    """Remove all entries but the ``most`` last used. Whoever still uses one that goes must be able to do without."""
    used = {}
    for path in parent.iterdir():
        with suppress(OSError):
            if not path.name.startswith("."):
                used[path] = path.lstat().st_mtime
    for path in sorted(used, key=used.__getitem__)[:-most]:
        with suppress(OSError):
            _remove(path)
