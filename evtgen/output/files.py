"""The files of a build compared with those on disk: the manifest, files that may be overwritten, files to remove."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path, PurePosixPath

from ..diagnostics import files as codes
from ..diagnostics.diagnostic import Diagnostic, EvtgenError
from ..system.limits import FULL
from ..version import __version__
from .transaction import interrupted, sha256, transaction

MANIFEST = ".evtgen-manifest.json"
"""A file in each root: the hash of every file that evtgen wrote there, and the spec that it came from."""


@dataclass(frozen=True)
class FileSet:
    """The files that a build produces below one root.

    Attributes:
        root: the directory.
        files: root-relative posix path to text.
        origin: path to the spec file a file came from; the framework's files have none.
        specs: the spec files of this build; files that they no longer produce are removed.
    """

    root: Path
    files: Mapping[str, str]
    origin: Mapping[str, Path] = field(default_factory=dict)
    specs: Sequence[Path] = ()


class State(str, Enum):
    """How a file on disk stands to what a build produces."""

    SAME = "same"
    MISSING = "missing"
    STALE = "stale"
    """Ours, with other content than the build produces."""
    EDITED = "edited"
    """Ours, and changed since evtgen wrote it."""
    FOREIGN = "foreign"
    """Not ours."""
    LEFTOVER = "leftover"
    """Ours, and no longer produced."""
    GONE = "gone"
    """No longer produced, and no longer there."""
    INTERRUPTED = "interrupted"
    """A build of this root was cut off; the next one puts it back."""


@dataclass(frozen=True)
class Difference:
    """A file that a build would touch, or a root whose build was cut off."""

    path: str
    state: State


@dataclass
class Written:
    """The changes that :func:`write` made, in paths as a user would type them."""

    written: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Entry:
    """A file in the manifest. ``spec`` is relative to the root, empty for the framework."""

    sha256: str
    spec: str


def write(sets: Sequence[FileSet], *, force: bool = False) -> Written:
    """Bring every root up to date, all or nothing. Raises EvtgenError when a file must not be overwritten (EVT080 to
    EVT084, nothing is written) or the system refuses (EVT095, everything is rolled back)."""
    blocked = [problem for files in sets if (problem := _root_blocked(files.root))]
    if blocked:
        raise EvtgenError(blocked, 2)
    try:
        with transaction([_resolve(s.root) for s in sets]) as apply:
            result, changes = _plan_all(sets, force)
            apply(changes)
    except OSError as error:
        raise _refused(error, [files.root for files in sets]) from error
    return result


def rehearse(sets: Sequence[FileSet], *, force: bool = False) -> Written:
    """The changes that :func:`write` would make, and the reasons for which it would refuse. Reads only."""
    try:
        return _plan_all(sets, force)[0]
    except OSError as error:
        raise _refused(error) from error


def remove(roots: Sequence[Path], *, force: bool = False) -> Written:
    """Remove the files that the manifests of ``roots`` list, and the manifests, all or nothing. Raises as :func:`write`
    does; ``force`` removes edited files too."""
    result = Written()
    roots = [root for root in roots if os.path.lexists(root / MANIFEST)]
    try:
        with transaction([_resolve(root) for root in roots]) as apply:
            changes: dict[Path, dict[str, bytes | None]] = {}
            problems: list[Diagnostic] = []
            for root in roots:
                changes[_resolve(root)] = _plan_removal(root, force, result, problems)
            if problems:
                raise EvtgenError(problems, 2)
            apply(changes)
    except OSError as error:
        raise _refused(error, roots) from error
    return result


def _plan_removal(shown: Path, force: bool, result: Written, problems: list[Diagnostic]) -> dict[str, bytes | None]:
    root = _resolve(shown)
    changes: dict[str, bytes | None] = {}
    for path, entry in _read_manifest(root, shown).items():
        found = sha256(root / path)
        problem = _blocked(root, path, str(shown / path))
        if found is None:
            continue
        if problem is not None:
            problems.append(problem)
        elif found != entry.sha256 and not force:
            problems.append(_not_ours(str(shown / path), State.EDITED))
        else:
            changes[path] = None
            result.removed.append(str(shown / path))
    changes[MANIFEST] = None
    return changes


def _plan_all(sets: Sequence[FileSet], force: bool) -> tuple[Written, dict[Path, dict[str, bytes | None]]]:
    """The changes, and the report of them. Raises EvtgenError with every obstacle."""
    result = Written()
    changes: dict[Path, dict[str, bytes | None]] = {}
    problems: list[Diagnostic] = []
    for files in sets:
        changes[_resolve(files.root)] = _plan(files, force, result, problems)
    if problems:
        raise EvtgenError(problems, 2)
    return result, changes


def up_to_date(sets: Sequence[FileSet]) -> list[Difference]:
    """The files that :func:`write` would touch. Reads only."""
    differences = []
    try:
        for files in sets:
            root = _resolve(files.root)
            if interrupted(root):
                differences.append(Difference(str(files.root), State.INTERRUPTED))
            manifest = _read_manifest(root, files.root)
            differences += [
                Difference(str(files.root / path), state)
                for path, state in _states(files, root, manifest).items()
                if state not in (State.SAME, State.GONE)
            ]
            if not differences and sha256(root / MANIFEST) != _digest(_manifest_text(files, root, manifest)):
                differences.append(Difference(str(files.root / MANIFEST), State.STALE))
    except OSError as error:
        raise _refused(error) from error
    return differences


def _plan(files: FileSet, force: bool, result: Written, problems: list[Diagnostic]) -> dict[str, bytes | None]:
    """The changes below one root; appends obstacles to ``problems``."""
    root = _resolve(files.root)
    manifest = _read_manifest(root, files.root)
    changes: dict[str, bytes | None] = {}
    for path, state in _states(files, root, manifest).items():
        shown = str(files.root / path)
        if path not in files.files:
            if state is State.LEFTOVER:
                changes[path] = None
                result.removed.append(shown)
            elif state is State.EDITED:
                result.kept.append(shown)
            continue
        problem = _blocked(root, path, shown)
        if problem is not None:
            problems.append(problem)
        elif state in (State.EDITED, State.FOREIGN) and not force:
            problems.append(_not_ours(shown, state))
        elif state is State.SAME:
            result.unchanged.append(shown)
        else:
            changes[path] = files.files[path].encode()
            result.written.append(shown)
    text = _manifest_text(files, root, manifest).encode()
    if sha256(root / MANIFEST) != _digest(text):
        changes[MANIFEST] = text
    return changes


def _states(files: FileSet, root: Path, manifest: Mapping[str, _Entry]) -> dict[str, State]:
    """The state of each file that is produced, or was and is no longer; ``same`` and ``gone`` need nothing."""
    states = {}
    for path, text in sorted(files.files.items()):
        target = root / path
        found = None if target.is_dir() and not target.is_symlink() else sha256(target)
        if found is None:
            states[path] = State.MISSING
        elif found == _digest(text):
            states[path] = State.SAME
        elif path not in manifest:
            states[path] = State.FOREIGN
        else:
            states[path] = State.STALE if found == manifest[path].sha256 else State.EDITED
    for path in _no_longer_produced(files, root, manifest):
        found = sha256(root / path)
        if found is None:
            states[path] = State.GONE
        else:
            states[path] = State.LEFTOVER if found == manifest[path].sha256 else State.EDITED
    return states


def _no_longer_produced(files: FileSet, root: Path, manifest: Mapping[str, _Entry]) -> list[str]:
    """Files that the specs of this build wrote earlier and no longer produce.

    The framework's files count only if no other spec's headers are left to include them.
    """
    specs = {_relative(spec, root) for spec in files.specs}
    alone = all(entry.spec in specs for entry in manifest.values() if entry.spec)
    return [
        path
        for path, entry in sorted(manifest.items())
        if path not in files.files and (entry.spec in specs or (not entry.spec and alone))
    ]


def _blocked(root: Path, path: str, shown: str) -> Diagnostic | None:
    """The reason why no file can be written there; None if one can."""
    target = root / path
    if target.is_dir() and not target.is_symlink():
        return codes.IN_THE_WAY(
            f"{shown} is a directory; a file has to go there", help="move it away, or choose another -o"
        )
    for parent in target.parents:
        if parent == root:
            return None
        if os.path.lexists(parent) and not parent.is_dir():
            message = f"{parent} is not a directory; {shown} has to go below it"
            return codes.IN_THE_WAY(message, help="move it away, or choose another -o")
        if parent.is_symlink() and root not in (parent.resolve(), *parent.resolve().parents):
            message = f"{parent} is a link out of the output directory"
            return codes.LEAVES_ROOT(message, help="remove the link, or build where it leads to")
    return None


def _root_blocked(root: Path) -> Diagnostic | None:
    """The reason why ``root`` cannot be a directory; None if it can."""
    for directory in (_resolve(root), *_resolve(root).parents):
        if os.path.lexists(directory):
            break
    if directory.is_dir():
        return None
    return codes.IN_THE_WAY(f"{directory} is not a directory; {root} has to be one", help="choose another -o")


def _not_ours(shown: str, state: State) -> Diagnostic:
    why = "was edited since evtgen wrote it" if state is State.EDITED else "exists and was not written by evtgen"
    return codes.NOT_OURS(f"{shown} {why}", help="keep your copy elsewhere and remove it, or overwrite it with --force")


def _manifest_text(files: FileSet, root: Path, manifest: Mapping[str, _Entry]) -> str:
    # An edited file that is no longer produced is the user's from now on.
    dropped = set(_no_longer_produced(files, root, manifest))
    entries = {path: {"sha256": e.sha256, "spec": e.spec} for path, e in manifest.items() if path not in dropped}
    for path, text in files.files.items():
        spec = files.origin.get(path)
        entries[path] = {"sha256": _digest(text), "spec": "" if spec is None else _relative(spec, root)}
    return json.dumps({"evtgen": __version__, "files": dict(sorted(entries.items()))}, indent=2) + "\n"


def _read_manifest(root: Path, shown: Path) -> dict[str, _Entry]:
    try:
        content = json.loads((root / MANIFEST).read_text(encoding="utf-8"))
        entries = {path: _Entry(entry["sha256"], entry["spec"]) for path, entry in content["files"].items()}
        if any(PurePosixPath(path).is_absolute() or ".." in PurePosixPath(path).parts for path in entries):
            raise ValueError("a path that leaves the root")
        return entries
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (ValueError, TypeError, KeyError, AttributeError):
        message = f"{shown / MANIFEST} is not a manifest that this evtgen can read"
        raise EvtgenError([codes.MANIFEST_BROKEN(message, help="remove it, and build with --force")], 2) from None


def _refused(error: OSError, roots: Iterable[Path] = ()) -> EvtgenError:
    if error.errno in FULL:
        full = f"the disk that the files go to is full: {', '.join(map(str, roots))}"
        return codes.CANNOT_WRITE.error(full, help="free some space there, then build again", status=3)
    what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    problem = codes.CANNOT_WRITE(f"cannot write: {what}", help="check permissions and free space, then build again")
    return EvtgenError([problem], 3)


def _relative(spec: Path, root: Path) -> str:
    return Path(os.path.relpath(spec.resolve(), root)).as_posix()


def _resolve(root: Path) -> Path:
    return Path(os.path.realpath(root))


def _digest(content: str | bytes) -> str:
    return hashlib.sha256(content.encode() if isinstance(content, str) else content).hexdigest()
