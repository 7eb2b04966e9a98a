"""Parts of an axis of a tensor: which axis a node cuts, and where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...diagnostics import reading as codes

PARTS = ("getitem", "slice", "narrow", "chunk", "split", "split_with_sizes")
"""Functions and methods that take parts of an axis."""


def parts_of(name: str, given: Mapping[Any, Any], width: int) -> tuple[int | None, list[slice]]:
    """The axis that a node cuts, None for the last, and the parts, if it has ``width`` columns: without an end where
    they reach that. ``given`` are its arguments by numbers and names. Raises EVT206 for what is no such part."""

    def argument(number: int, *names: str, default: Any = None) -> Any:
        return next((given[key] for key in (number, *names) if given.get(key) is not None), default)

    step = 1
    if name == "getitem":
        key = given[1] if isinstance(given[1], tuple) else (given[1],)
        *before, last = key
        if not isinstance(last, slice) or any(one is not ... and one != slice(None) for one in before):
            raise codes.NODE.here("cut")
        axis, bounds = None if ... in before else len(before), [(last.start, last.stop)]
        step = 1 if last.step is None else last.step
    elif name == "slice":
        axis, bounds = argument(1, "dim", default=0), [(argument(2, "start"), argument(3, "end"))]
        step = argument(4, "step", default=1)
    elif name == "narrow":
        axis, start = argument(1, "dim"), argument(2, "start")
        bounds = [(start, start + argument(3, "length"))]
    else:
        axis = argument(2, "dim", default=0)
        sizes = argument(1, "chunks", "split_size", "split_size_or_sections", "split_sizes")
        if isinstance(sizes, int):
            each = -(-width // sizes) if name == "chunk" else sizes
            sizes = [each] * (width // each) + [width % each] * (width % each > 0)
        ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
        bounds = list(zip([0, *ends], ends, strict=False))
    if not all(isinstance(one, int) or one is None for bound in (*bounds, (step,)) for one in bound):
        raise codes.NODE.here("cut")
    ranges = [range(width)[slice(*bound)] for bound in bounds]
    return axis, [slice(one.start, None if one.stop >= width else one.stop, step) for one in ranges]
