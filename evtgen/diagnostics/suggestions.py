"""Suggestions for names that do not exist.

A near miss in spelling that is a far miss in meaning is worse than no suggestion. So a name is suggested only where a
table of :mod:`~evtgen.diagnostics.aliases` says so, or where the two words are an edit or two apart, by the rules of
:func:`nearest`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sized

from ..system.translation import tr


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that ``name`` is a misspelling of, regardless of case; None where there is none.

    An edit is a letter too many, too few or another. Words of six letters and more may differ in two edits, shorter
    ones in a letter too many or too few: ``selu`` is not ``silu``; and all in the order of their letters, those of up
    to three letters in nothing else. The first letter and all digits agree: ``celu`` is not ``elu``, ``log2`` is not
    ``log``.
    """
    word = str(name).lower()
    best: tuple[int, str] | None = None
    for candidate in known:
        distance = _distance(word, candidate.lower())
        if distance is not None and (best is None or distance < best[0]):
            best = distance, candidate
    return best[1] if best else None


def suggest(
    name: str, known: Iterable[str], aliases: Mapping[str, str] | None = None, command: str | None = None
) -> str | None:
    """A help text for an unknown name: the one in ``aliases``, or the nearest known name, or all known names; None
    if there are none.

    Args:
        aliases: from a name in lower case to a known one, or to the help itself.
        command: what lists all known names, where they are too many for a help text: only those that share a
            word are in it then.
    """
    known = sorted(known)
    meant = (aliases or {}).get(str(name).lower())
    if meant is not None and meant not in known:
        return meant
    meant = meant or nearest(name, known)
    if meant is not None:
        return tr("did you mean {meant}?", meant=meant)
    if command is not None:
        return _listed(known, command, ", ".join(_related(name, known)))
    return tr("known are {known}", known=", ".join(known)) if known else None


def _listed(known: Sized, command: str, related: str) -> str:
    """What lists all names, and some of them."""
    count = len(known)
    if not related:
        return tr("{command} lists all {count} names", command=command, count=count)
    return tr("related are {related}; {command} lists all {count} names", related=related, command=command, count=count)


_MOST = 12
"""Related names that are shown."""


def _related(name: str, known: Iterable[str]) -> list[str]:
    """The known names that share words with another: those that share most, and the shortest of them, first."""
    words = _words(name)
    shared = {candidate: len(words & _words(candidate)) for candidate in known}
    related = [candidate for candidate, count in shared.items() if count]
    return sorted(related, key=lambda candidate: (-shared[candidate], len(candidate), candidate))[:_MOST]


def _words(name: str) -> set[str]:
    """The words of a name, in lower case: between underscores, or from one capital to the next."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", str(name))}


def _distance(word: str, other: str) -> int | None:
    """The edits between two words; None if they are too far apart to be the same word."""
    if word == other:
        return 0
    if word[:1] != other[:1] or re.findall(r"\d", word) != re.findall(r"\d", other):
        return None
    if sorted(word) == sorted(other):
        return 1
    from difflib import SequenceMatcher

    longest = max(len(word), len(other))
    changes = [(b - a, d - c) for tag, a, b, c, d in SequenceMatcher(None, word, other).get_opcodes() if tag != "equal"]
    edits, most = (sum(map(max, changes)), 2) if longest > 5 else (sum(map(sum, changes)), 1)
    return edits if edits <= most and longest > 3 else None
