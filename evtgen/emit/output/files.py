"""The files of a build compared with those on disk: files that may be overwritten, files to remove, the report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path

from ...diagnostics import files as codes
from ...diagnostics.diagnostic import Diagnostic, EvtgenError
from ...system.translation import tr
from ..places import BUILD_LAYOUT, Layout, kept_path, says_so
from .disk import NO_FILE, content, detour, digest, not_ours, refused, require_own, sha256
from .manifest import MANIFEST, WORK, Entry, manifest_text, read_manifest
from .transaction import Changes, apply, leftover, locked, settle


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
    """How a file on disk stands to what a build produces; or that a build of a root was killed."""

    SAME = "same"
    MISSING = "missing"
    STALE = "stale"  # ours, with other content than the build produces
    EDITED = "edited"  # ours, and changed since evtgen wrote it
    FOREIGN = "foreign"  # not ours
    REPLACED = "replaced"  # not ours, and gives way; it is kept
    LEFTOVER = "leftover"  # ours, and no longer produced
    RESTORED = "restored"  # no longer produced, so that the file whose place it took comes back
    GONE = "gone"  # no longer produced, and no longer there
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Difference:
    """A file that a build would touch, or a root whose build was killed."""

    path: str
    state: State


@dataclass
class Written:
    """The changes that :func:`write` made, in paths as a user would type them.

    A file of Catlass's that gave way to one of evtgen's is in ``replaced``, and one that came back in ``restored``.
    ``repaired`` has the roots in which an earlier build was killed.
    """

    written: list[str] = field(default_factory=list)
    replaced: list[str] = field(default_factory=list)
    restored: list[str] = field(default_factory=list)
    unchanged: list[str] = field(default_factory=list)
    removed: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)


@dataclass
class _Plan:
    """A file set compared with its root, which is resolved, and with ``listed``, the manifest there. ``removes`` says
    whether all of that goes, ``killed`` whether a build was killed there; ``problems`` are why changes are refused."""

    files: FileSet
    root: Path
    removes: bool
    killed: bool
    listed: Mapping[str, Entry]
    states: dict[str, State] = field(default_factory=dict)
    changes: Changes = field(default_factory=dict)
    problems: list[Diagnostic] = field(default_factory=list)

    def shown(self, path: str) -> Path:
        return self.files.root / path


_FORCED = (codes.NOT_OURS.code, codes.SAME_NAME.code)
"""The problems that force overrides."""


def write(sets: Sequence[FileSet], *, force: bool = False) -> Written:
    """Bring every root up to date, all or nothing. Raises EvtgenError when a file must not be overwritten (EVT080 to
    EVT084, EVT064 to EVT066; nothing is written) or the system refuses (EVT095, everything is rolled back)."""
    return _carry_out(sets, force, removes=False)


def rehearse(sets: Sequence[FileSet], *, force: bool = False) -> Written:
    """The changes that :func:`write` would make, and the reasons for which it would refuse. Reads only."""
    with _planned(sets) as plans:
        return _report(plans, _FORCED if force else ())


def up_to_date(sets: Sequence[FileSet], *, force: bool = False) -> list[Difference]:
    """The files that :func:`write` would touch. Reads only. Raises EvtgenError for what not even force overwrites, and
    without it for an epilogue that another spec has built."""
    differences = []
    with _planned(sets) as plans:
        _report(plans, _FORCED if force else _FORCED[:1])
    for plan in plans:
        own = [Difference(str(plan.files.root), State.INTERRUPTED)] if plan.killed else []
        touched = [(path, state) for path, state in plan.states.items() if state not in (State.SAME, State.GONE)]
        own += [Difference(str(plan.shown(path)), state) for path, state in touched]
        if not own and MANIFEST in plan.changes:
            own = [Difference(str(plan.shown(MANIFEST)), State.STALE)]
        differences += own
    return differences


def remove(roots: Mapping[Path, Layout], *, force: bool = False) -> Written:
    """Remove the files that the manifests of ``roots`` list, and the manifests, all or nothing. Raises as :func:`write`
    does; ``force`` removes edited files too."""
    used = [root for root in roots if any(os.path.lexists(root / name) for name in (MANIFEST, WORK))]
    return _carry_out([FileSet(root, {}, layout=roots[root]) for root in used], force, removes=True)


def _carry_out(sets: Sequence[FileSet], force: bool, *, removes: bool) -> Written:
    with _planned(sets, writes=True, removes=removes) as plans:
        result = _report(plans, _FORCED if force else ())
        for plan in plans:
            settle(plan.root, manifest_text(plan.listed))
        apply({plan.root: plan.changes for plan in plans})
    return result


@contextmanager
def _planned(sets: Sequence[FileSet], *, writes: bool = False, removes: bool = False) -> Iterator[list[_Plan]]:
    """The plans, while nobody else changes the roots. Raises EvtgenError where the system refuses (EVT081, EVT095)."""
    try:
        roots = {Path(os.path.realpath(files.root)): files for files in sets}
        with locked(roots, make=writes):
            yield [_plan(files, root, removes) for root, files in roots.items()]
    except OSError as error:
        raise refused(error, ", ".join(str(files.root) for files in sets)) from error


_REPORTED = {
    State.SAME: "unchanged", State.REPLACED: "replaced", State.RESTORED: "restored", State.LEFTOVER: "removed",
}  # fmt: skip


def _report(plans: Iterable[_Plan], forced: Sequence[str]) -> Written:
    """The changes that plans make. Raises EvtgenError with every reason not to make them, but for the codes
    ``forced``."""
    problems = [problem for plan in plans for problem in plan.problems if problem.code not in forced]
    if problems:
        raise EvtgenError(list(dict.fromkeys(problems)), 2)
    result = Written(repaired=[str(plan.files.root) for plan in plans if plan.killed])
    for plan in plans:
        for path, state in plan.states.items():
            if state is not State.GONE:
                other = "written" if path in plan.files.files else "removed" if plan.removes else "kept"
                getattr(result, _REPORTED.get(state, other)).append(str(plan.shown(path)))
    return result


def _plan(files: FileSet, root: Path, removes: bool) -> _Plan:
    killed = leftover(root) is not None
    plan = _Plan(files, root, removes, killed, read_manifest(root, files.root, files.layout))
    plan.problems += _of_other_specs(plan)
    gone = sorted(plan.listed) if removes else _no_longer_produced(plan)
    # An edited file that is no longer produced is the user's from now on.
    entries = {path: entry for path, entry in plan.listed.items() if path not in gone}
    for path in (*sorted(files.files), *gone):
        try:
            if path in files.files:
                entries[path] = _produce(plan, path)
            else:
                _give_up(plan, path)
        except FileExistsError as error:
            plan.problems += refused(error).diagnostics
        except EvtgenError as error:
            plan.problems += error.diagnostics
    text = manifest_text(entries)
    if removes or killed or sha256(root / MANIFEST) != digest(text):
        plan.changes[MANIFEST] = None if removes else text
    return plan


def _produce(plan: _Plan, path: str) -> Entry:
    """Plan a file that is produced; returns what the manifest says of it. Raises EvtgenError (EVT066, EVT069, EVT081,
    EVT082) where it cannot be written."""
    files, root, text = plan.files, plan.root, plan.files.files[path].encode()
    if not files.layout.holds(path):
        message = tr("{path!r:.200} is no file that evtgen writes below {root}", path=path, root=files.root)
        raise codes.NO_SUCH_FILE.error(message)
    there, entry = _there(plan, path), plan.listed.get(path)
    if entry is not None and entry.replaced and there == entry.replaced and _kept(root, path) != there:
        entry = None  # Catlass's own is back, and no copy of it is kept.
    state, before = State.STALE, "" if entry is None else entry.replaced
    if entry is None and files.replace and files.layout.replaces(path) and there is not None:
        state, before = State.REPLACED, there
        _keep(plan, path, there)
    elif there is None:
        state = State.MISSING
    elif there == digest(text):
        state = State.SAME
    elif entry is None or not entry.accounts_for(there):
        state = State.FOREIGN if entry is None else State.EDITED
        plan.problems.append(not_ours(plan.shown(path), edited=state is State.EDITED))
    plan.states[path] = state
    if state is not State.SAME:
        plan.changes[path] = text
    spec = files.origin.get(path)
    return Entry(digest(text), "" if spec is None else _relative(spec, root), before)


def _give_up(plan: _Plan, path: str) -> None:
    """Plan a file that is produced no longer. Raises EvtgenError (EVT069, EVT081, EVT082) if it cannot go."""
    there, entry = _there(plan, path), plan.listed[path]
    state = State.GONE if there is None else State.LEFTOVER
    if there is not None and not _as_written(plan.root / path, path, there, entry):
        state = State.EDITED
        if plan.removes or (entry.replaced and not entry.accounts_for(there)):
            plan.problems.append(not_ours(plan.shown(path), edited=True))
    plan.states[path] = State.RESTORED if entry.replaced else state
    if entry.replaced:
        _give_back(plan, path, entry.replaced)
    elif plan.removes or state is not State.EDITED:
        plan.changes[path] = None


def _as_written(file: Path, path: str, there: str, entry: Entry) -> bool:
    """Whether a file on disk is still as evtgen wrote it, so that it may go."""
    if there != entry.sha256:
        return entry.accounts_for(there)
    return not file.is_symlink() and says_so(path, (content(file) or b"").decode(errors="replace"))


def _no_longer_produced(plan: _Plan) -> list[str]:
    """Files that the specs of this build wrote earlier and no longer produce.

    The framework's files count only if no other spec's headers are left to include them.
    """
    specs = {"", *(_relative(spec, plan.root) for spec in plan.files.specs)}
    if not all(entry.spec in specs for entry in plan.listed.values()):
        specs.remove("")
    return [path for path, entry in sorted(plan.listed.items()) if path not in plan.files.files and entry.spec in specs]


def _keep(plan: _Plan, path: str, there: str) -> None:
    """Keep a file of Catlass's before it is overwritten, which has the hash ``there``. Raises EvtgenError (EVT069,
    EVT082) if there is no room."""
    kept = kept_path(path)
    require_own(plan.root, kept)
    if (plan.root / path).is_symlink() or _kept(plan.root, path) not in (None, there):
        raise _not_kept(plan, path)
    plan.changes[kept] = plan.root / path


def _give_back(plan: _Plan, path: str, original: str) -> None:
    """Put Catlass's file back, which had the hash ``original``. Raises EvtgenError (EVT069) if it was not kept as it
    was. Nothing but the kept file has to go if somebody has put the original back already."""
    kept, found = kept_path(path), _kept(plan.root, path)
    if found in (None, original):
        plan.changes[kept] = None
    if sha256(plan.root / path) != original:
        if found != original:
            raise _not_kept(plan, path)
        plan.changes[path] = plan.root / kept


def _not_kept(plan: _Plan, path: str) -> EvtgenError:
    shown, kept = plan.shown(path), plan.shown(kept_path(path))
    message = tr("{kept} does not hold the file of Catlass's that was in the place of {shown}", kept=kept, shown=shown)
    help_ = tr("put that file back, for example with git checkout -- {path}, and remove {kept}", path=path, kept=kept)
    return codes.NOT_KEPT.error(message, help=help_)


def _there(plan: _Plan, path: str) -> str | None:
    """The hash of a file that is written or removed. Raises EvtgenError (EVT081, EVT082) where that cannot be."""
    require_own(plan.root, path)
    there = sha256(plan.root / path)
    if there == NO_FILE and (plan.removes or path in plan.files.files):
        content(plan.root / path)  # which raises FileExistsError
    return there


def _kept(root: Path, path: str) -> str | None:
    """The hash of the kept file of Catlass's; None without one, NO_FILE where it cannot be."""
    return NO_FILE if detour(root, kept := kept_path(path)) else sha256(root / kept)


def _of_other_specs(plan: _Plan) -> Iterator[Diagnostic]:
    """EVT083: epilogues that a spec of another build wrote here. A spec that is gone has none any more."""
    specs = {_relative(spec, plan.root) for spec in plan.files.specs}
    # Some file systems ignore case. The other files of an example come with its program.
    theirs = {
        path.lower(): (path, entry.spec) for path, entry in plan.listed.items()
        if path.endswith((".hpp", ".cpp")) and entry.spec not in ("", *specs) and (plan.root / entry.spec).is_file()
    }  # fmt: skip
    for path, spec in sorted(plan.files.origin.items()):
        found, other = theirs.get(path.lower(), ("", ""))
        if found and other != _relative(spec, plan.root):
            message = tr(
                "{name} of {spec} and {old} of {other}, which was built here before, would be the same files",
                name=Path(path).stem, spec=spec, old=Path(found).stem, other=os.path.normpath(plan.root / other),
            )  # fmt: skip
            help_ = tr(
                "give one of them another name=, or build into another directory; if it has moved from one spec "
                "to the other, build both specs together, or use --force"
            )
            yield codes.SAME_NAME(message, help=help_)


def _relative(spec: Path, root: Path) -> str:
    return Path(os.path.relpath(os.path.realpath(spec), root)).as_posix()
