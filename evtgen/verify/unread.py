"""What nothing reads although it is no fault: what a band fills over, blocks of C that it leaves out, values that only
left-out tiles read, and tiles of which no row is stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

from ..graph.ir import Step, consumers
from ..graph.shapes import Problem
from ..nodes import AccLoad, AuxScatter, Band, node_of
from ..passes.analysis.gemm import block_shape
from ..planner.plan import Plan

FILL = "band.hpp"
"""The end of the files that fill what is outside a band."""


def is_left_out(plan: Plan, problem: Problem, found: Mapping[str, Any], *, absent: bool) -> bool:
    """Whether a finding of EVT115 only says so. ``absent``: some row numbers name no row."""
    nodes = [node_of(step) for step in plan.steps]
    if absent and any(isinstance(node, AuxScatter) for node in nodes):
        return True
    over, writer = found["sites"][0], found["sites"][-1]
    if over["file"].endswith(FILL):
        return True
    hidden = [nodes[index] for index in hidden_by_bands(plan.steps)]
    if writer["pipe"] == "FIX":
        return any(isinstance(node, AccLoad) for node in hidden) and found["count"] <= blocks_outside(plan, problem)
    files = [FILL if isinstance(node, Band) else f"/{node.header}" for node in hidden if not isinstance(node, AccLoad)]
    return str(writer["file"]).endswith(tuple(files))


def hidden_by_bands(steps: Sequence[Step]) -> set[int]:
    """The steps that only bands read, directly or through others: they are not visited in a tile outside."""
    readers = consumers(steps)
    hidden: set[int] = set()
    for index in reversed(range(len(steps))):
        is_hidden = all(isinstance(steps[of].node, Band) or of in hidden for of in readers[index])
        if is_hidden and readers[index] and not node_of(steps[index]).writes:
            hidden.add(index)
    return hidden


def blocks_outside(plan: Plan, problem: Problem) -> int:
    """Blocks of C of which no element is in any of the bands."""
    rows, columns = block_shape(plan.gemm)
    bands = [step.node for step in plan.steps if isinstance(step.node, Band)]
    return sum(
        all(_is_outside(band, (top, min(top + rows, m)), (left, min(left + columns, problem.n))) for band in bands)
        for m in problem.rows
        for top, left in product(range(0, m, rows), range(0, problem.n, columns))
    )


def _is_outside(band: Band, rows: tuple[int, int], columns: tuple[int, int]) -> bool:
    """Whether the block has no element with ``lower <= row * i + column * j <= upper``. Corners are the extremes."""
    ends = [band.row * i + band.column * j for i in (rows[0], rows[1] - 1) for j in (columns[0], columns[1] - 1)]
    return max(ends) < band.lower or min(ends) > band.upper
