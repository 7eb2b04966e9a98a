"""The journal of a transaction, and the work directory that holds it: read as input that anybody can have written.

The work directory of a root holds

- ``mark-TOKEN``, an empty file, the first to be made and the last to be removed: without it nothing there is evtgen's;
- ``N.new`` and ``N.old``, the new content and a link to the old one of the root's ``N``-th change;
- in the first of the roots ``journal``, in the others ``first``, which points to that root.

Nothing here writes.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import TypeVar

from ..diagnostics import files as codes
from ..diagnostics.diagnostic import EvtgenError
from ..emit.places import ANY_LAYOUT, OWN, Layout
from ..system.translation import tr
from .disk import NotAFile, content, detour, is_directory, parents
from .manifest import MANIFEST

WORK = f"{OWN}build"
"""Name of the work directory inside a root; it exists only while a transaction runs, or after a crash."""

JOURNAL, FIRST = "journal", "first"

_MARK = re.compile(r"mark-([0-9a-f]{16})")
_STAGED = re.compile(r"(0|[1-9][0-9]{0,8})\.(new|old)|(journal|first)(\.new)?")

_HASH = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Step:
    """One change as the journal has it.

    Attributes:
        root: the root, relative to the first one.
        index: its number among the changes of its root.
        path: the file, relative to the root.
        wrote: the hash of the new content; None if the file is removed.
        made: how many of the directories around the file the transaction makes.
    """

    root: str
    index: int
    path: str
    wrote: str | None
    made: int


@dataclass(frozen=True)
class Change:
    """A step in absolute terms.

    Attributes:
        root: the root.
        path: the file, relative to the root.
        new, old: the staged files.
        wrote: as in :class:`Step`.
        made: the directories that the transaction makes for it, outermost first.
    """

    root: Path
    path: str
    new: Path
    old: Path
    wrote: str | None
    made: tuple[Path, ...]

    @property
    def target(self) -> Path:
        return self.root / self.path


@dataclass(frozen=True)
class Work:
    """A work directory that evtgen made.

    Attributes:
        root: the root that it is in.
        token: of its transaction; None if it is empty, as a moment after it was made and before it is removed.
        names: its entries.
    """

    root: Path
    token: str | None
    names: frozenset[str]


def work_of(root: Path) -> Work | None:
    """The work directory of ``root``, if there is one. Raises EvtgenError (EVT064) if not all there is evtgen's."""
    work = root / WORK
    if not os.path.lexists(work):
        return None
    if not is_directory(work):
        raise codes.WORK_TAKEN.error(tr("{work} is not a directory of evtgen's", work=work), help=tr("move it away"))
    kinds = {entry.name: entry.stat(follow_symlinks=False).st_mode for entry in os.scandir(work)}
    marks = [match[1] for name in kinds if (match := _MARK.fullmatch(name))]
    for name, mode in sorted(kinds.items()):
        plain = stat.S_ISREG(mode) or (stat.S_ISLNK(mode) and name.endswith(".old"))
        named = _MARK.fullmatch(name) or _STAGED.fullmatch(name)
        if not (plain and named and len(marks) == 1):
            raise codes.WORK_TAKEN.error(
                tr("{work} holds {name!r:.120}, which evtgen did not put there", work=work, name=name),
                help=tr("move it away"),
            )
    return Work(root, marks[0] if marks else None, frozenset(kinds))


def unfinished(roots: Mapping[Path, Layout]) -> dict[Path, list[Change]]:
    """The changes of each transaction of ``roots`` that was cut off, by the root that holds its journal.

    Raises EvtgenError, for any of them and before anything was touched: EVT064 as :func:`work_of` does, EVT063 for a
    journal that no transaction of evtgen's can have left.
    """
    found: dict[Path, list[Change]] = {}
    for root in roots:
        work = work_of(root)
        if work is None or work.token is None:
            continue
        first = _first(work)
        head = work if first == root else work_of(first)
        # Without its journal a transaction is over.
        if head is None or head.token != work.token or JOURNAL not in head.names:
            continue
        if first not in found:
            found[first] = _changes(head, roots)
        if root not in {first, *(change.root for change in found[first])}:
            raise _unusable(work, tr("it belongs to no change of its journal"))
    return found


def absolute(first: Path, step: Step) -> Change:
    """The step of a journal in the root ``first``."""
    root = Path(os.path.normpath(first / step.root))
    work, around = root / WORK, parents(root, step.path)
    made = tuple(around[len(around) - step.made :])
    return Change(root, step.path, work / f"{step.index}.new", work / f"{step.index}.old", step.wrote, made)


def journal_text(token: str, steps: Sequence[Step]) -> bytes:
    """The text of a journal."""
    return json.dumps({"token": token, "steps": [asdict(step) for step in steps]}).encode()


def pointer_text(first: str, token: str) -> bytes:
    """The text of the file ``first``."""
    return json.dumps({"token": token, "first": first}).encode()


class _Strange(Exception):
    """A file says something that evtgen never writes there; the message says what."""


def _changes(head: Work, layouts: Mapping[Path, Layout]) -> list[Change]:
    """The journal in ``head``, checked. Raises EvtgenError (EVT063)."""
    changes: list[Change] = []
    roots = {head.root}
    try:
        for raw in _read(head, JOURNAL, "steps", list):
            step = _step(raw)
            root = Path(os.path.normpath(head.root / step.root))
            if root not in roots:
                _check_member(head, root)
                roots.add(root)
            if step.path != MANIFEST and not layouts.get(root, ANY_LAYOUT).changes(step.path):
                raise _Strange(f"it names {step.path!r:.200}, which evtgen does not write there")
            if step.made > step.path.count("/"):
                raise _Strange(f"it makes more directories for {step.path} than there are")
            link = detour(root, step.path)
            if link is not None:
                raise _Strange(f"{link} is not a directory of its own")
            changes.append(absolute(head.root, step))
        if len({change.new for change in changes}) < len(changes) or len({c.target for c in changes}) < len(changes):
            raise _Strange("it changes a file twice")
    except _Strange as error:
        raise _unusable(head, str(error)) from None
    return changes


def _step(raw: object) -> Step:
    damaged = _Strange("a step in it is damaged")
    if not isinstance(raw, dict) or raw.keys() != {field.name for field in fields(Step)}:
        raise damaged
    step = Step(**raw)
    wrote = step.wrote is None or (isinstance(step.wrote, str) and _HASH.fullmatch(step.wrote))
    counts = all(type(number) is int and 0 <= number < 10**9 for number in (step.index, step.made))
    if not (wrote and counts and isinstance(step.root, str) and isinstance(step.path, str) and "\0" not in step.root):
        raise damaged
    return step


def _check_member(head: Work, root: Path) -> None:
    """Raises _Strange unless ``root`` says itself that it belongs to the transaction of ``head``."""
    try:
        work = work_of(root)
        agrees = work is not None and work.token == head.token and _first(work) == head.root
    except (EvtgenError, OSError):
        agrees = False
    if not agrees:
        raise _Strange(f"it names the directory {str(root)!r:.200}, which does not point back")


def _first(work: Work) -> Path:
    """The root that holds the journal of the transaction of ``work``. Raises EvtgenError (EVT063)."""
    if FIRST not in work.names:
        return work.root
    try:
        text = _read(work, FIRST, "first", str)
        first = Path(os.path.normpath(work.root / text))
        # Roots are resolved before they are used, so the way from one to the other has no links.
        if JOURNAL in work.names or "\0" in text or first == work.root or Path(os.path.realpath(first)) != first:
            raise _Strange(f"{FIRST!r} in it leads nowhere")
    except _Strange as error:
        raise _unusable(work, str(error)) from None
    return first


T = TypeVar("T")


def _read(work: Work, name: str, key: str, kind: type[T]) -> T:
    """The value of ``key`` in a JSON file of a work directory that has the directory's token. Raises _Strange."""
    try:
        text = json.loads(content(work.root / WORK / name) or b"")
    except NotAFile as error:
        raise _Strange(f"{name!r} in it is {error}") from None
    except (ValueError, RecursionError):
        raise _Strange(f"{name!r} in it is damaged") from None
    if not isinstance(text, dict) or text.keys() != {"token", key} or not isinstance(text[key], kind):
        raise _Strange(f"{name!r} in it is damaged")
    if text["token"] != work.token:
        raise _Strange(f"{name!r} in it has another token")
    value: T = text[key]
    return value


def names_in_order(work: Work) -> Iterator[str]:
    """The entries of a work directory in the order of their removal: the mark last."""
    yield from sorted(work.names, key=lambda name: (_MARK.fullmatch(name) is not None, name))


def _unusable(work: Work, why: str) -> EvtgenError:
    return codes.JOURNAL_BROKEN.error(
        tr("{root} does not hold what an interrupted build leaves: {why}", root=work.root / WORK, why=why),
        help=tr("nothing was changed; check whether you trust these files, then remove that directory"),
    )
