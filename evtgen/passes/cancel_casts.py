"""Casts that lose nothing and are undone, or that a cast after them can take over; rounding that a cast can do."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.ir import Epilogue, Step
from ..nodes import Cast, Compute
from ..targets import cast_steps
from ..targets.casting import CastStep
from .rewriting import Values, operator, rewritten


def cancel_casts(epilogue: Epilogue) -> Epilogue:
    """The epilogue with the fewest casts that round to the same values.

    A cast to a type that holds all values of its input loses nothing: what comes after it can read the input itself.
    The other way round, float32 to half and back, the cast is the user's rounding and stays. ``round(x).cast(int8)`` is
    a cast in the mode of ``round``: both round to whole numbers, and the second has nothing left to round.
    """
    return rewritten(epilogue, _rule)


def _rule(values: Values, step: Step) -> int | None:
    node = step.node
    if not isinstance(node, Cast):
        return None
    if node.to == node.from_:
        return step.inputs[0]
    merged = _without_widening(values, step, node)
    return _rounded_by_cast(values, step, node) if merged is None else merged


def _without_widening(values: Values, step: Step, last: Cast) -> int | None:
    """A cast of a value that was widened, as one of the value before that."""
    below = values.made(step.inputs[0])
    first = below.node
    if not isinstance(first, Cast) or not first.to.includes(first.from_):
        return None
    path = cast_steps(values.arch, first.from_, last.to, last.round)
    if path is None or len(path) > 1 or (path and not values.once(step.inputs[0])):
        return None
    return _cast(values, below.inputs[0], path, last)


_MODES = {"Round": "CAST_RINT", "Floor": "CAST_FLOOR", "Ceil": "CAST_CEIL", "Trunc": "CAST_TRUNC"}
"""The round mode of each operator that rounds to whole numbers."""


def _rounded_by_cast(values: Values, step: Step, last: Cast) -> int | None:
    """The casts of a rounded value to an integer type, which round themselves."""
    casts, value = [last], step.inputs[0]
    while last.to.kind == "int" and values.once(value) and isinstance(cast := values.made(value).node, Cast):
        casts.insert(0, cast)
        value = values.made(value).inputs[0]
    below = values.made(value)
    rounding = operator(below, *_MODES)
    if last.to.kind != "int" or rounding is None or not values.once(value):
        return None
    assert isinstance(below.node, Compute)
    T = below.node.T
    # Whatever their mode, together they must be the cast of a whole number.
    if tuple(CastStep(cast.from_, cast.to, cast.round) for cast in casts) != cast_steps(
        values.arch, T, last.to, last.round
    ):
        return None
    path = cast_steps(values.arch, T, last.to, _MODES[rounding.cpp])
    return None if path is None or len(path) > len(casts) else _cast(values, below.inputs[0], path, last)


def _cast(values: Values, value: int, path: Sequence[CastStep], last: Cast) -> int:
    for source, to, mode in path:
        value = values.add(Cast(to, source, mode, location=last.location), value)
    return value
