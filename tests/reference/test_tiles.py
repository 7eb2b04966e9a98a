"""The reference cuts C as the device does, and its chains of additions are as long as the device's."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from evtgen import Acc, epilogue, float32, half, ops
from evtgen.graph.types import ElementType
from evtgen.model.data import operands
from evtgen.model.execution import OBSERVE, run_once
from evtgen.model.programs import Compilation, require_programs
from evtgen.planner.plan import Plan, lower
from evtgen.reference.tiles import across, halvings, tiles

SHAPES = ((256, 512, 16), (87, 198, 40), (1, 1, 16), (129, 33, 16), (5, 4099, 16), (700, 300, 16))


@epilogue
def floats(acc: Acc[float32]) -> Any:
    return {"D": acc, "sums": ops.col_reduce(acc)}


@epilogue
def halves(acc: Acc[half]) -> Any:
    return {"D": acc, "sums": ops.col_reduce(ops.where(acc > 0, acc, 0.0).cast(float32))}


@epilogue
def columns(acc: Acc[float32]) -> Any:
    return {"D": ops.transpose(acc), "sums": ops.col_reduce(acc)}


def plans() -> list[Plan]:
    found = []
    for spec in (floats, halves, columns):
        for length in ("auto", 512 if spec is columns else 128, 1024):
            name = f"{spec.name}_{length}"
            found.append(lower(replace(spec, name=name, compute_length=length)))
    return found


def stored(plan: Plan, tile: Any) -> tuple[int, int]:
    """Bytes that the two stores of a tile copy."""
    rows, columns = (part.stop - part.start for part in tile)
    return rows * columns * plan.element_c.size, rows * 4


@pytest.mark.cxx
def test_tiles_are_those_of_the_device() -> None:
    """Each tile is stored once: the copies of the device have the sizes of our tiles, all of them."""
    every = plans()
    programs = require_programs(every, Compilation(batch=len(every)))
    for plan in every:
        for shape in SHAPES:
            done = run_once(programs[plan.name], plan, shape, operands(plan, shape, 0, "int"), OBSERVE)
            trace = done.trace
            assert trace is not None
            copies = Counter(event["args"]["bytes"] for event in trace.work if trace.pipe(event) == "MTE3")
            ours = list(tiles(plan, *shape[:2]))
            assert copies == Counter(size for tile in ours for size in stored(plan, tile)), (plan.name, shape)


@pytest.mark.parametrize("shape", [(m, n) for m, n, _ in SHAPES])
def test_tiles_cover_c_once(shape: tuple[int, int]) -> None:
    for plan in plans():
        seen = np.zeros(shape, int)
        for tile in tiles(plan, *shape):
            seen[tile.rows, tile.columns] += 1
        assert (seen == 1).all()


def by_halves(depths: list[int]) -> int:
    """The longest chain of what ReduceRows does: halves joined, the odd last row to the first."""
    while len(depths) > 1:
        half_, odd = len(depths) // 2, len(depths) % 2
        joined = [max(depths[i], depths[half_ + i]) + 1 for i in range(half_)]
        if odd:
            joined[0] = max(joined[0], depths[-1]) + 1
        depths = joined
    return depths[0]


@pytest.mark.parametrize("rows", [*range(1, 70), 100, 239, 240])
def test_halvings_follow_the_loop(rows: int) -> None:
    assert halvings(rows) == by_halves([0] * rows)


@pytest.mark.parametrize(
    ("columns", "element", "chain"),
    [(1, float32, 0), (64, float32, 6), (65, float32, 7), (128, half, 7), (256, float32, 8), (3, half, 2)],
)
def test_lanes_are_added_by_a_tree(columns: int, element: ElementType, chain: int) -> None:
    assert across(columns, element) == chain


def test_chains_are_short() -> None:
    assert halvings(64) == 6 and halvings(1) == 0 and halvings(3) == 2
    assert across(4099, float32) < 16
