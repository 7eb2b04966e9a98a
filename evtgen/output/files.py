"""The files of a build compared with those on disk: the manifest, files that may be overwritten, files to remove."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path, PurePosixPath

from ..diagnostics import files as codes
from ..diagnostics.diagnostic import Diagnostic, EvtgenError
from ..emit.places import BUILD_LAYOUT, Layout, kept_path, says_so
from ..system.limits import FULL
from ..system.translation import tr
from .disk import NO_FILE, detour, is_directory, sha256
from .journal import WORK
from .manifest import MANIFEST, Entry, manifest_text, read_manifest
from .replaced import Changes, digest, give_back, keep
from .transaction import Copy, interrupted, transaction, undisturbed


@dataclass(frozen=True)
class FileSet:
    """The files that a build produces below one root.

    Attributes:
        root: the directory.
        files: root-relative posix path to text.
        origin: path to the spec file a file came from; the framework's files have none.
        specs: the spec files of this build; files that they no longer produce are removed. None where only some
            epilogues of files are built.
        layout: where below the root evtgen writes, in this build or in another one.
        replace: whether files that are not evtgen's give way where the layout allows it; they are kept, and given back
            when evtgen no longer produces a file in their place.
    """

    root: Path
    files: Mapping[str, str]
    origin: Mapping[str, Path] = field(default_factory=dict)
    specs: Sequence[Path] = ()
    layout: Layout = BUILD_LAYOUT
    replace: bool = False

    def __post_init__(self) -> None:
        # A subclass of str can lie about what it holds.
        for name in ("files", "origin"):
            object.__setattr__(self, name, {str.__str__(path): value for path, value in getattr(self, name).items()})


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
    REPLACED = "replaced"
    """Not ours, and gives way; it is kept."""
    LEFTOVER = "leftover"
    """Ours, and no longer produced."""
    RESTORED = "restored"
    """No longer produced, so that the file whose place it took comes back."""
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
    """The changes that :func:`write` made, in paths as a user would type them.

    A file of Catlass's that gave way to one of evtgen's is in ``replaced``, and one that came back in ``restored``.
    """

    written: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class _Comparison:
    """A file set compared with its root.

    Attributes:
        root: the root, resolved.
        manifest: what it lists.
        states: of each file that is produced, or was and is no longer; ``same`` and ``gone`` need nothing.
        obstacles: the reasons why files can be neither written nor removed, even by force.
        taken: what only force takes: the epilogues that another spec has built there, and edited files in the place of
            one that comes back.
        moved: the changes that keep files of Catlass's, and those that give them back.
    """

    root: Path
    manifest: dict[str, Entry]
    states: dict[str, State]
    obstacles: list[Diagnostic]
    taken: list[Diagnostic]
    moved: Changes = field(default_factory=dict)

    def move(self, changes: Changes | Diagnostic) -> None:
        """Note what a file of Catlass's needs to be kept or given back."""
        if isinstance(changes, Diagnostic):
            self.obstacles.append(changes)
        else:
            self.moved.update(changes)


def write(sets: Sequence[FileSet], *, force: bool = False) -> Written:
    """Bring every root up to date, all or nothing. Raises EvtgenError when a file must not be overwritten (EVT080 to
    EVT084, EVT063 to EVT066; nothing is written) or the system refuses (EVT095, everything is rolled back)."""
    blocked = [problem for files in sets if (problem := _root_blocked(files.root))]
    if blocked:
        raise EvtgenError(blocked, 2)
    try:
        with transaction(_layouts(sets)) as apply:
            result, changes = _plan_all(sets, force)
            apply(changes)
    except OSError as error:
        raise _refused(error, [files.root for files in sets]) from error
    return result


def rehearse(sets: Sequence[FileSet], *, force: bool = False) -> Written:
    """The changes that :func:`write` would make, and the reasons for which it would refuse. Reads only."""
    try:
        with undisturbed(layouts := _layouts(sets)):
            interrupted(layouts)
            return _plan_all(sets, force)[0]
    except OSError as error:
        raise _refused(error, verb=tr("read")) from error


def up_to_date(sets: Sequence[FileSet], *, force: bool = False) -> list[Difference]:
    """The files that :func:`write` would touch. Reads only. Raises EvtgenError for what not even force overwrites, and
    without it for an epilogue that another spec has built."""
    differences = []
    try:
        with undisturbed(layouts := _layouts(sets)):
            cut_off = interrupted(layouts)
            compared = [_compare(files) for files in sets]
    except OSError as error:
        raise _refused(error, verb=tr("read")) from error
    _refuse([p for found in compared for p in (*found.obstacles, *(() if force else found.taken))])
    for files, found in zip(sets, compared, strict=True):
        own = [Difference(str(files.root), State.INTERRUPTED)] if found.root in cut_off else []
        own += [
            Difference(str(files.root / path), state)
            for path, state in found.states.items()
            if state not in (State.SAME, State.GONE)
        ]
        if not own and sha256(found.root / MANIFEST) != digest(_new_manifest(files, found)):
            own = [Difference(str(files.root / MANIFEST), State.STALE)]
        differences += own
    return differences


def remove(roots: Mapping[Path, Layout], *, force: bool = False) -> Written:
    """Remove the files that the manifests of ``roots`` list, and the manifests, all or nothing. Raises as :func:`write`
    does; ``force`` removes edited files too."""
    result = Written()
    try:
        used = {
            root: layout
            for root, layout in roots.items()
            if os.path.lexists(root / MANIFEST) or os.path.lexists(root / WORK)
        }
        with transaction({_resolve(root): layout for root, layout in used.items()}) as apply:
            changes: dict[Path, Changes] = {}
            problems: list[Diagnostic] = []
            for root, layout in used.items():
                changes[_resolve(root)] = _plan_removal(root, layout, force, result, problems)
            _refuse(problems)
            apply(changes)
    except OSError as error:
        raise _refused(error, roots) from error
    return result


def _plan_removal(shown: Path, layout: Layout, force: bool, result: Written, problems: list[Diagnostic]) -> Changes:
    root = _resolve(shown)
    changes: Changes = {}
    for path, entry in read_manifest(root, shown, layout).items():
        problem = _through_link(root, path) or _no_file(root, path, shown / path)
        if problem is not None:
            problems.append(problem)
            continue
        found = sha256(root / path)
        if found is not None and not _written_so(root, path, found, entry) and not force:
            problems.append(_not_ours(str(shown / path), State.EDITED))
        elif entry.replaced:
            given = give_back(root, shown, path, entry.replaced)
            if isinstance(given, Diagnostic):
                problems.append(given)
            else:
                changes.update(given)
                result.restored.append(str(shown / path))
        elif found is not None:
            changes[path] = None
            result.removed.append(str(shown / path))
    if os.path.lexists(root / MANIFEST):
        changes[MANIFEST] = None
    return changes


def _plan_all(sets: Sequence[FileSet], force: bool) -> tuple[Written, dict[Path, Changes]]:
    """The changes, and the report of them. Raises EvtgenError with every obstacle."""
    result = Written()
    changes: dict[Path, Changes] = {}
    problems: list[Diagnostic] = []
    for files in sets:
        changes[_resolve(files.root)] = _plan(files, force, result, problems)
    _refuse(problems)
    return result, changes


def _plan(files: FileSet, force: bool, result: Written, problems: list[Diagnostic]) -> Changes:
    """The changes below one root; appends obstacles to ``problems``."""
    found = _compare(files)
    problems += found.obstacles if force else [*found.obstacles, *found.taken]
    changes = dict(found.moved)
    for path, state in found.states.items():
        shown = str(files.root / path)
        if path not in files.files:
            if state is State.LEFTOVER:
                changes[path] = None
                result.removed.append(shown)
            elif state is State.RESTORED:
                result.restored.append(shown)
            elif state is State.EDITED:
                result.kept.append(shown)
        elif state in (State.EDITED, State.FOREIGN) and not force:
            problems.append(_not_ours(shown, state))
        elif state is State.SAME:
            result.unchanged.append(shown)
        else:
            changes[path] = files.files[path].encode()
            (result.replaced if state is State.REPLACED else result.written).append(shown)
    text = _new_manifest(files, found).encode()
    if sha256(found.root / MANIFEST) != digest(text):
        changes[MANIFEST] = text
    return changes


def _compare(files: FileSet) -> _Comparison:
    root = _resolve(files.root)
    manifest = read_manifest(root, files.root, files.layout)
    found = _Comparison(root, manifest, {}, [], _taken(files, root, manifest))
    for path, text in sorted(files.files.items()):
        problem = _blocked(files, root, path)
        if problem is not None:
            found.obstacles.append(problem)
        elif files.replace and path not in manifest and files.layout.replaces(path) and os.path.lexists(root / path):
            found.states[path] = State.REPLACED
            found.move(keep(root, files.root, path))
        else:
            found.states[path] = _state(sha256(root / path), digest(text), manifest.get(path))
    for path in _no_longer_produced(files, root, manifest):
        problem = _through_link(root, path)
        if problem is not None:
            found.obstacles.append(problem)
            continue
        there, entry = sha256(root / path), manifest[path]
        if entry.replaced:
            found.states[path] = State.RESTORED
            found.move(give_back(root, files.root, path, entry.replaced))
            if there is not None and not entry.accounts_for(there):
                found.taken.append(_not_ours(str(files.root / path), State.EDITED))
        elif there is None:
            found.states[path] = State.GONE
        else:
            same = _written_so(root, path, there, entry)
            found.states[path] = State.LEFTOVER if same else State.EDITED
    return found


def _written_so(root: Path, path: str, there: str, entry: Entry) -> bool:
    """Whether a file on disk is still as evtgen wrote it, so that it may go."""
    if there != entry.sha256:
        return entry.accounts_for(there)
    return says_so(path, (root / path).read_text(encoding="utf-8", errors="replace"))


def _state(there: str | None, produced: str, entry: Entry | None) -> State:
    """The state of a file that is produced, by the hashes of what is on disk, in memory and in the manifest."""
    if there is None:
        return State.MISSING
    if there == produced:
        return State.SAME
    if entry is None:
        return State.FOREIGN
    return State.STALE if entry.accounts_for(there) else State.EDITED


def _no_longer_produced(files: FileSet, root: Path, manifest: Mapping[str, Entry]) -> list[str]:
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


def _taken(files: FileSet, root: Path, manifest: Mapping[str, Entry]) -> list[Diagnostic]:
    """EVT083: epilogues that a spec of another build wrote here. A spec that is gone has none any more."""
    specs = {_relative(spec, root) for spec in files.specs}
    others = {entry.spec for entry in manifest.values()} - {"", *specs}
    others = {other for other in others if os.path.isfile(root / other)}
    # Some file systems ignore case.
    theirs = {path.lower(): (path, entry.spec) for path, entry in manifest.items() if entry.spec in others}
    problems = []
    for path, spec in sorted(files.origin.items()):
        # The other files of an example come with its program.
        if path.lower() not in theirs or PurePosixPath(path).suffix not in (".hpp", ".cpp"):
            continue
        found, other = theirs[path.lower()]
        if other == _relative(spec, root):
            continue
        before = tr("{normpath}, which was built here before", normpath=os.path.normpath(root / other))
        name, old = PurePosixPath(path).stem, PurePosixPath(found).stem
        if name == old:
            message = tr(
                "{name} is the name of an epilogue of {spec} and of one of {before}",
                name=name,
                spec=spec,
                before=before,
            )
        else:
            message = tr(
                "{name} of {spec} and {old} of {before}, differ only in case and would be one file on some systems",
                name=name,
                spec=spec,
                old=old,
                before=before,
            )
        help_ = tr(
            "give one of them another name=, or build into another directory; if it has moved from one spec "
            "to the other, build both specs together, or use --force"
        )
        problems.append(codes.SAME_NAME(message, help=help_))
    return problems


def _blocked(files: FileSet, root: Path, path: str) -> Diagnostic | None:
    """The reason why no file can be written there; None if one can."""
    shown = files.root / path
    if not files.layout.holds(path):
        return codes.NO_SUCH_FILE(
            tr("{path!r:.200} is no file that evtgen writes below {root}", path=path, root=files.root)
        )
    wrong = detour(root, path)
    if wrong is not None and not wrong.is_symlink():
        message = tr("{wrong} is not a directory; {shown} has to go below it", wrong=wrong, shown=shown)
        return codes.IN_THE_WAY(message, help=tr("move it away, or choose another -o"))
    return _through_link(root, path) or _no_file(root, path, shown)


def _through_link(root: Path, path: str) -> Diagnostic | None:
    wrong = detour(root, path)
    if wrong is None or not wrong.is_symlink():
        return None
    message = tr("{wrong} is a link; files below it would be changed elsewhere", wrong=wrong)
    return codes.LEAVES_ROOT(message, help=tr("remove the link, or build into the directory that it leads to"))


def _no_file(root: Path, path: str, shown: Path) -> Diagnostic | None:
    if sha256(root / path) != NO_FILE:
        return None
    what = tr("a directory") if is_directory(root / path) else tr("not a regular file")
    return codes.IN_THE_WAY(
        tr("{shown} is {what}; a file has to go there", shown=shown, what=what),
        help=tr("move it away, or choose another -o"),
    )


def _root_blocked(root: Path) -> Diagnostic | None:
    """The reason why ``root`` cannot be a directory; None if it can."""
    for directory in (_resolve(root), *_resolve(root).parents):
        if os.path.lexists(directory):
            break
    if directory.is_dir():
        return None
    return codes.IN_THE_WAY(
        tr("{directory} is not a directory; {root} has to be one", directory=directory, root=root),
        help=tr("choose another -o"),
    )


def _not_ours(shown: str, state: State) -> Diagnostic:
    why = (
        tr("was edited since evtgen wrote it") if state is State.EDITED else tr("exists and was not written by evtgen")
    )
    return codes.NOT_OURS(
        f"{shown} {why}", help=tr("keep your copy elsewhere and remove it, or overwrite it with --force")
    )


def _new_manifest(files: FileSet, found: _Comparison) -> str:
    # An edited file that is no longer produced is the user's from now on.
    dropped = set(_no_longer_produced(files, found.root, found.manifest))
    entries = {path: entry for path, entry in found.manifest.items() if path not in dropped}
    for path, text in files.files.items():
        spec = files.origin.get(path)
        kept = found.moved.get(kept_path(path))
        before = digest(kept.content) if isinstance(kept, Copy) else entries[path].replaced if path in entries else ""
        entries[path] = Entry(digest(text), "" if spec is None else _relative(spec, found.root), before)
    return manifest_text(entries)


def _refuse(problems: Sequence[Diagnostic]) -> None:
    """Raises EvtgenError with what is wrong, each once, if anything is."""
    if problems:
        raise EvtgenError(list(dict.fromkeys(problems)), 2)


def _refused(error: OSError, roots: Iterable[Path] = (), verb: str = "") -> EvtgenError:
    if error.errno in FULL:
        full = tr("the disk that the files go to is full: {roots}", roots=", ".join(map(str, roots)))
        return codes.CANNOT_WRITE.error(full, help=tr("free some space there, then build again"), status=3)
    what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
    problem = codes.CANNOT_WRITE(
        tr("cannot {verb}: {what}", verb=verb or tr("write"), what=what),
        help=tr("check permissions and free space, then build again"),
    )
    return EvtgenError([problem], 3)


def _layouts(sets: Sequence[FileSet]) -> dict[Path, Layout]:
    return {_resolve(files.root): files.layout for files in sets}


def _relative(spec: Path, root: Path) -> str:
    return Path(os.path.relpath(_resolve(spec), root)).as_posix()


def _resolve(root: Path) -> Path:
    try:
        return Path(os.path.realpath(root))
    except FileNotFoundError:  # of os.getcwd alone
        message = tr("the working directory, which {root} is relative to, was removed", root=root)
        raise codes.CANNOT_WRITE.error(message, help=tr("change to another directory"), status=3) from None
