"""What a user may have meant by a name that does not exist."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that ``name`` most looks like, regardless of case; None when nothing comes close."""
    by_lower = {k.lower(): k for k in known}
    match = difflib.get_close_matches(str(name).lower(), by_lower, n=1, cutoff=0.5)
    return by_lower[match[0]] if match else None


def suggest(name: str, known: Iterable[str]) -> str:
    """A help text for an unknown name: the nearest known one, or all of them."""
    known = sorted(known)
    best = nearest(name, known)
    listed = ", ".join(known)
    return f"did you mean {best}?" if best else f"known are {listed}"
