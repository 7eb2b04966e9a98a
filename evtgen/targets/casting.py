"""From one element type to another: the casts of an architecture that, one after the other, round once.

Every cast is a monotonic function, so a sequence of them equals a single rounding where no step before the last one
moves a value across, onto or away from a point where the last one decides. A step does not

- if it loses nothing;
- if it changes only whole numbers that are beyond the range of the last type, and leaves them there;
- if it rounds to odd with two bits to spare: the last bit then says that something was lost, which is all that the
  rounding after it has to know (von Neumann rounding, ``CAST_ODD``);
- if it rounds in the direction in which the last one does, to a type that has all of its values; half away from zero
  asks only whether half is reached, which truncation keeps.

Between integers nothing is rounded, what is out of range saturates (AscendC, precision_conversion).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from ..graph.types import ROUND_MODES, ElementType
from .architecture import Architecture

_NEAREST = ("CAST_NONE", "CAST_RINT")
"""Both names stand for rounding to nearest, ties to even."""

_TOWARDS = {
    "CAST_FLOOR": "CAST_FLOOR", "CAST_CEIL": "CAST_CEIL", "CAST_TRUNC": "CAST_TRUNC", "CAST_ROUND": "CAST_TRUNC"
}  # fmt: skip
"""For each mode of the last step, a mode for the step before it, which must be to a type that has all values of the
last type and the midpoints between them."""

_STICKY_BITS = 2
"""Extra bits of a sticky rounding: one tells more than half from less than half, one tells something from nothing."""


class CastStep(NamedTuple):
    """One ``AscendC::Cast``."""

    source: ElementType
    to: ElementType
    mode: str


def cast_steps(
    arch: Architecture, source: ElementType, to: ElementType, mode: str = "CAST_NONE"
) -> tuple[CastStep, ...] | None:
    """The shortest sequence of casts whose result is that of a single rounding from ``source`` to ``to`` in ``mode``.

    ``CAST_NONE`` is to nearest, ties to even, as ``CAST_RINT``; where nothing is rounded any mode will do. Empty for a
    type and itself; None where ``arch`` has no such sequence, and for an unknown mode.
    """
    if mode not in ROUND_MODES:
        return None
    if source == to:
        return ()
    whole = source.kind == "int"
    rounds = not (to.includes(source) or (whole and to.kind == "int"))
    # Breadth first, so the first sequence found is a shortest one. Each comes with the narrowest type that holds all of
    # its values, which may be narrower than the type at its end.
    open_ends: deque[tuple[tuple[CastStep, ...], ElementType]] = deque([((), source)])
    while open_ends:
        path, narrowest = open_ends.popleft()
        here = path[-1].to if path else source
        for (start, end), modes in arch.casts.items():
            if start != here or end == source or any(end == step.to for step in path):
                continue
            if end == to:
                last = _last_mode(modes, mode, rounds)
                if last is not None:
                    return (*path, CastStep(start, end, last))
                continue
            between = modes[0] if end.includes(narrowest) else _harmless_mode(modes, end, to, mode, whole=whole)
            if between is not None:
                step = CastStep(start, end, between)
                open_ends.append(((*path, step), narrowest if end.includes(narrowest) else end))
    return None


def _last_mode(modes: Sequence[str], mode: str, rounds: bool) -> str | None:
    """The mode of the last step; None if the pair does not have it."""
    if mode in modes:
        return mode
    if not rounds:
        return modes[0]
    return next((alike for alike in _NEAREST if alike in modes), None) if mode in _NEAREST else None


def _harmless_mode(
    modes: Sequence[str], between: ElementType, to: ElementType, mode: str, *, whole: bool
) -> str | None:
    """The mode in which a lossy step on the way to ``to`` does no harm there; None without one."""
    if whole and between.signed and between.precision > to.limit:
        return modes[0]
    spare = between.precision - to.precision
    if "CAST_ODD" in modes and spare >= _STICKY_BITS and between.limit > to.limit and between.least < to.least - 1:
        return "CAST_ODD"
    towards = _TOWARDS.get(mode)
    return towards if towards in modes and spare > 0 and between.includes(to) else None
