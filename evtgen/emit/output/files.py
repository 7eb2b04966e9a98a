"""The files of a build compared with those on disk: files that may be overwritten, files to remove, the report."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from enum import Enum
from pathlib import Path

from ...diagnostics import files as codes
from ...diagnostics.diagnostic import Diagnostic, EvtgenError
from ..places import BUILD_LAYOUT, KEPT, Layout, kept_path, says_so
from .disk import NO_FILE, content, detour, digest, refused, require_own, sha256
from .manifest import MANIFEST, Entry, manifest_text, read_manifest
from .transaction import WORK, Changes, apply, clear, leftover, locked


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


_FORCED = (codes.NOT_OURS.code, codes.SAME_NAME.code)
"""The problems that force overrides."""


def write(sets: Sequence[FileSet], *, force: bool = False, dry_run: bool = False, removes: bool = False) -> Written:
    """Bring every root up to date, all or nothing; ``dry_run`` reads only, and ``removes`` removes all files that the
    manifests list.

    Raises EvtgenError when a file must not be overwritten (EVT080 to EVT084, EVT064 to EVT066; nothing is written) or
    the system refuses (EVT095, everything is rolled back).
    """
    with _planned(sets, _FORCED if force else (), writes=not dry_run, removes=removes) as plans:
        if not dry_run:
            clear(*(plan.root for plan in plans))
            apply({plan.root: plan.ordered() for plan in plans})
    result = Written(repaired=[str(plan.files.root) for plan in plans if plan.killed])
    lists = {State.SAME: result.unchanged, State.REPLACED: result.replaced, State.RESTORED: result.restored,
             State.LEFTOVER: result.removed}  # fmt: skip
    for plan in plans:
        for path, state in plan.states.items():
            other = result.written if path in plan.files.files else result.removed if removes else result.kept
            if state is not State.GONE:
                lists.get(state, other).append(plan.shown(path))
    return result


def up_to_date(sets: Sequence[FileSet], *, force: bool = False) -> list[Difference]:
    """The files that :func:`write` would touch. Reads only. Raises EvtgenError for what not even force overwrites, and
    without it for an epilogue that another spec has built."""
    with _planned(sets, _FORCED if force else _FORCED[:1]) as plans:
        return [difference for plan in plans for difference in plan.differences()]


def remove(roots: Mapping[Path, Layout], *, force: bool = False) -> Written:
    """Remove the files that the manifests of ``roots`` list, and the manifests, all or nothing. Raises as :func:`write`
    does; ``force`` removes edited files too."""
    used = [root for root in roots if any(os.path.lexists(root / name) for name in (MANIFEST, WORK))]
    return write([FileSet(root, {}, layout=roots[root]) for root in used], force=force, removes=True)


@contextmanager
def _planned(
    sets: Sequence[FileSet], forced: Sequence[str], *, writes: bool = False, removes: bool = False
) -> Iterator[list[_Plan]]:
    """The plans, while nobody else changes the roots. Raises EvtgenError with every reason against them but the codes
    ``forced``, and where the system refuses (EVT081, EVT095)."""
    try:
        roots = {Path(os.path.realpath(files.root)): files for files in sets}
        with locked(roots, make=writes):
            plans = [_Plan(files, root, removes) for root, files in roots.items()]
            if problems := [problem for plan in plans for problem in plan.problems if problem.code not in forced]:
                raise EvtgenError(list(dict.fromkeys(problems)))
            yield plans
    except OSError as error:
        raise refused(error, ", ".join(str(files.root) for files in sets)) from error


class _Plan:
    """A file set compared with its root, which is resolved: the state of each file, the changes, and the reasons to
    refuse them.

    ``removes`` tells to remove all that the manifest lists; ``killed``, that a build was killed in the root.
    """

    def __init__(self, files: FileSet, root: Path, removes: bool) -> None:
        self.files, self.root, self.removes = files, root, removes
        self.killed = leftover(root) is not None
        self.listed = read_manifest(root, files.root, files.layout)
        self.states: dict[str, State] = {}
        self.changes: dict[str, bytes | Path | None] = {}
        self.meanwhile = dict(self.listed)  # while files move: of the old ones and of the new ones
        specs = {"", *map(self._relative, files.specs)}
        self.problems = list(self._built_before(specs))
        if any(entry.spec not in specs for entry in self.listed.values()):
            specs.remove("")  # Other specs' headers include the framework.
        # An edited file that is no longer produced is the user's from now on.
        stays = {p: e for p, e in self.listed.items() if not removes and (p in files.files or e.spec not in specs)}
        for path in (*sorted(files.files), *sorted(self.listed.keys() - stays)):
            try:
                require_own(root, path)
                if path in files.files:
                    stays[path] = self._produce(path)
                else:
                    self._give_up(path, self.listed[path])
            except (EvtgenError, FileExistsError) as error:
                self.problems += (error if isinstance(error, EvtgenError) else refused(error)).diagnostics
        self.manifest = None if removes else manifest_text(stays)

    def ordered(self) -> Changes:
        """The changes in their order: Catlass's files are kept first, and files go last; nothing if all is up to
        date."""
        files = sorted(self.changes.items(), key=lambda change: (change[1] is None, not change[0].startswith(KEPT)))
        if not files and not self.killed and content(self.root / MANIFEST) == self.manifest:
            return []
        return [(MANIFEST, manifest_text(self.meanwhile)), *files, (MANIFEST, self.manifest)]

    def shown(self, path: str) -> str:
        return str(self.files.root / path)

    def differences(self) -> list[Difference]:
        found = [Difference(str(self.files.root), State.INTERRUPTED)] if self.killed else []
        touched = [(path, state) for path, state in self.states.items() if state not in (State.SAME, State.GONE)]
        found += [Difference(self.shown(path), state) for path, state in touched]
        return found or [Difference(self.shown(path), State.STALE) for path, _ in self.ordered()[-1:]]

    def _produce(self, path: str) -> Entry:
        """Plan a file that is produced; returns its entry of the manifest. Raises EvtgenError (EVT066, EVT069)."""
        files, text, spec = self.files, self.files.files[path].encode(), self.files.origin.get(path)
        if not files.layout.holds(path):
            raise codes.NO_SUCH_FILE.refusal(path=path, root=files.root)
        there, kept, entry = self._there(path), self._kept(path), self.listed.get(path)
        if entry is not None and entry.replaced == there != kept:
            entry = None  # Catlass's own is back, and no copy of it is kept.
        ours = entry is not None and entry.accounts_for(there)
        state, replaced = State.STALE, entry.replaced if entry else ""
        if there is None:
            state = State.MISSING
        elif entry is None and files.replace and files.layout.replaces(path):
            state, replaced = State.REPLACED, there
            require_own(self.root, kept_path(path))
            if kept not in (None, there):
                raise self._not_kept(path)
            self.changes[kept_path(path)] = self.root / path
        elif there == digest(text):
            state = State.SAME
        elif not ours:
            state = State.FOREIGN if entry is None else State.EDITED
            self.problems.append(codes.NOT_OURS.of(state.value, path=self.shown(path)))
        self.states[path] = state
        if state is not State.SAME:
            self.changes[path] = text
        made = Entry(digest(text), "" if spec is None else self._relative(spec), replaced)
        self.meanwhile[path] = replace(made, before=there or "") if ours else made
        return made

    def _give_up(self, path: str, entry: Entry) -> None:
        """Plan a file that is produced no longer. Raises EvtgenError (EVT069) if Catlass's own was not kept as it
        was."""
        there, kept = self._there(path), self._kept(path)
        ours, theirs = entry.accounts_for(there), bool(entry.replaced)
        # That a hash stands in a manifest proves nothing: anybody can write a manifest.
        as_written = ours and (
            there == entry.replaced or says_so(path, (self.root / path).read_text("utf-8", "replace"))
        )
        state = State.GONE if there is None else State.LEFTOVER if as_written else State.EDITED
        self.states[path] = State.RESTORED if theirs else state
        if state is State.EDITED and (self.removes or (theirs and not ours)):
            self.problems.append(codes.NOT_OURS.of("edited", path=self.shown(path)))
        if not theirs:
            if self.removes or state is not State.EDITED:
                self.changes[path] = None
            return
        # Where somebody has put the original back, nothing but the kept file has to go.
        if entry.replaced not in (there, kept):
            raise self._not_kept(path)
        if kept in (None, entry.replaced):
            self.changes[kept_path(path)] = None
        if there != entry.replaced:
            self.changes[path] = self.root / kept_path(path)

    def _not_kept(self, path: str) -> EvtgenError:
        return codes.NOT_KEPT.refusal(kept=self.shown(kept_path(path)), shown=self.shown(path), path=path)

    def _there(self, path: str) -> str | None:
        """The hash of a file. Raises FileExistsError for anything else in the place of one that is written or
        removed."""
        there = sha256(self.root / path)
        if there == NO_FILE and (self.removes or path in self.files.files):
            content(self.root / path)
        return there

    def _kept(self, path: str) -> str | None:
        """The hash of the kept file of Catlass's; None without one, NO_FILE where it cannot be."""
        return NO_FILE if detour(self.root, kept := kept_path(path)) else sha256(self.root / kept)

    def _built_before(self, specs: Set[str]) -> Iterator[Diagnostic]:
        """EVT083: epilogues that a spec of another build wrote here. A spec that is gone has none any more."""
        # Some file systems ignore case. The other files of an example come with its program.
        theirs = {
            path.lower(): (path, entry.spec) for path, entry in self.listed.items()
            if path.endswith((".hpp", ".cpp")) and entry.spec not in specs and (self.root / entry.spec).is_file()
        }  # fmt: skip
        for path, spec in sorted(self.files.origin.items()):
            found, other = theirs.get(path.lower(), ("", ""))
            if found and other != self._relative(spec):
                name, old, other = Path(path).stem, Path(found).stem, os.path.normpath(self.root / other)
                yield codes.SAME_NAME.of("built before", name=name, spec=spec, old=old, other=other)

    def _relative(self, spec: Path) -> str:
        return Path(os.path.relpath(os.path.realpath(spec), self.root)).as_posix()
