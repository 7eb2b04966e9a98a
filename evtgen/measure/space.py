"""The kernels that an epilogue may have: of each thing that evtgen chooses the values that are worth a try.

A point takes one value of each axis. Its kernel is legal if :func:`evtgen.check.planned` finds no error, and points
whose plans have the same choices are one kernel.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from itertools import product
from math import prod
from typing import Any

from ..check import planned
from ..frontend.dispatch import TUNED, Fields, applied
from ..graph.ir import Epilogue, Gemm
from ..graph.shapes import Problem
from ..graph.types import int4, int8
from ..model.workers import go_on
from ..nodes import node_of
from ..passes.analysis.gemm import PINGPONG, PRELOADING, types_of
from ..passes.analysis.tiles import MmadTypes, tiles_of
from ..planner.parts import granule
from ..planner.plan import Plan

Axes = Mapping[str, Sequence[Fields]]
"""The values of each axis; the first says nothing, so that the epilogue's own stays, or evtgen chooses."""

Point = tuple[int, ...]
"""The number of a value of each axis; all 0 is the epilogue as it is."""

_ROWS = (16, 32, 64, 96, 128, 192, 256)
_COLUMNS = (64, 128, 192, 256, 384, 512)
_SWIZZLES = [(offset, way) for way in (0, 1) for offset in (1, 2, 3, 4, 6, 8)]
_SLICES = (2, 3, 4, 6, 8, 12, 16)
_STAGES = (0, 1, 2, 3, 4, 6)
_BUFFERS = (1, 2, 3, 4)
_PARTS = (2, 4, 8)
"""Tiles of an epilogue may also be so many times shorter than the longest that fit."""


def axes_of(plan: Plan) -> dict[str, list[Fields]]:
    """The axes of an epilogue, from its own plan."""
    gemm, arch = plan.gemm, plan.arch
    step = granule([node_of(one) for one in plan.steps])
    lengths = sorted({plan.compute_length // part // step * step for part in _PARTS} - {0}, reverse=True)
    return {
        "tiles": [{}, *_tiles(types_of(gemm, arch))],
        **({"msd": [{}, {"msd": not gemm.msd}]} if (gemm.a, gemm.b) == (int8, int4) else {}),
        "split_k": [{}, *({"split_k": count} for count in (1, *_SLICES))],
        "workspace": [{}, *_handoffs(plan)],
        "swizzle": [{}, *({"swizzle": swizzle} for swizzle in _SWIZZLES)],
        "buffers": [{}, *({"buffers": count} for count in _BUFFERS)],
        "compute_length": [{}, *({"compute_length": length} for length in lengths)],
    }  # fmt: skip


def axes_of_blocks(plan: Plan, problem: Problem) -> dict[str, list[Fields]]:
    """The axes that change how many blocks there are, up to the size of C, and slices of these; with the other policy.
    Sides and slices are powers of two: so the formula was compared with the clock (docs/tune.md)."""
    sides = (
        [side for side in known if side < size] + [side for side in known if side >= size][:1]
        for known, size in (
            ([side for side in of if side.bit_count() == 1], size)
            for of, size in ((_ROWS, max(problem.rows)), (_COLUMNS, problem.n))
        )
    )
    of, (rows, columns) = types_of(plan.gemm, plan.arch), sides
    # Blocks that do not fit would come with other sides.
    fit = (l1 for m, n in product(rows, columns) if (l1 := tiles_of(m, n, of)[0])[:2] == (m, n))
    tiles: list[Fields] = [{}, *({"l1": l1, "l0": None} for l1 in fit)]
    return {
        "policy": [{}, {"policy": PINGPONG if plan.gemm.policy == PRELOADING else PRELOADING}],
        "tiles": tiles,
        "split_k": [{}, {"split_k": 2}, {"split_k": 4}],
    }


def _handoffs(plan: Plan) -> Iterator[Fields]:
    """How the accumulator is handed over, or products of slices with scales."""
    ways = ("gm", "ub") if plan.arch.stores_to_ub else ()
    if plan.adding is not None:
        yield from ({"handoff": way} for way in ways)
        return
    through = {"handoff": "gm"} if ways else {}
    yield from (
        {"workspace_stages": stages, "policy": policy, **through}
        for stages in _STAGES
        for policy in (PINGPONG, PRELOADING)
    )
    yield from ({"workspace_stages": stages, "policy": None, "handoff": "ub"} for stages in (1, 2) if ways)


def _tiles(of: MmadTypes) -> Iterator[Fields]:
    """Tiles in L1 and L0 that fit: with as much of K as there is room for, 1 KB of a row at most, and half as much."""
    for m, n in product(_ROWS, _COLUMNS):
        if m % of.sides[0] or n % of.sides[1]:
            continue
        step = of.sides[2]
        most = min(of.l1_depth(m, n), 1024 // of.a.size) // step * step
        inner = min(of.l0_depth(m, n), 256 // of.a.size) // step * step
        for deep, within in {(most, inner), (most // 2, inner), (most, inner // 2)}:
            k1, k0 = deep // step * step, within // step * step
            k1 = k1 // k0 * k0 if 0 < k0 <= k1 else k1
            l1, l0 = (m, n, k1), (m, n, min(k0, k1))
            if l0[2] > 0 and of.fits(l1, l0):
                yield {"l1": l1, "l0": l0}


class Space:
    """The kernels of one epilogue.

    Attributes:
        epilogue: as it is.
        axes: the values of each axis.
        own: the point of the epilogue as it is.
    """

    def __init__(self, epilogue: Epilogue, axes: Axes) -> None:
        self.epilogue, self.axes = epilogue, axes
        self.own: Point = (0,) * len(axes)
        self._plans: dict[Point, Plan | None] = {}

    @property
    def size(self) -> int:
        """How many points there are, legal or not."""
        return prod(map(len, self.axes.values()))

    def points(self) -> Iterator[Point]:
        """All of them, the epilogue as it is first."""
        return product(*(range(len(values)) for values in self.axes.values()))

    def along(self, point: Point, axis: int) -> Iterator[Point]:
        """The points that differ from one in one axis, and it."""
        count = len(list(self.axes.values())[axis])
        return ((*point[:axis], value, *point[axis + 1 :]) for value in range(count))

    def fields(self, point: Point) -> dict[str, Any]:
        """What a point says."""
        found: dict[str, Any] = {}
        for values, number in zip(self.axes.values(), point, strict=True):
            found |= values[number]
        return found

    def plan(self, point: Point) -> Plan | None:
        """The plan of a point; None where it is not legal."""
        if point not in self._plans:
            go_on()
            self._plans[point] = planned(applied(self.epilogue, self.fields(point)))[0]
        return self._plans[point]

    def kernels(self, points: Iterable[Point]) -> dict[str, Point]:
        """Of points the first of each kernel, by its key."""
        found: dict[str, Point] = {}
        for point in points:
            plan = self.plan(point)
            if plan is not None:
                found.setdefault(kernel_key(plan), point)
        return found


def identity(epilogue: Epilogue) -> str:
    """What an epilogue computes and for which architecture, as text: all of it but what may be tuned."""
    plain = {field.name: field.default for field in fields(Gemm) if field.name in TUNED}
    text = replace(applied(epilogue, plain), buffers="auto", compute_length="auto").fields_text()
    return re.sub(r" at 0x[0-9a-f]+", "", text)  # functions of operators that a spec declares


def kernel_key(plan: Plan) -> str:
    """All that is chosen in a plan, as JSON: plans of one epilogue with the same are the same kernel."""
    gemm = plan.gemm
    chosen: dict[str, Any] = {name: getattr(gemm, name) for name in TUNED}
    chosen |= {"handoff": "ub"} if plan.products_in_ub else {}
    tiles = [(part.buffers, part.compute_length) for part in plan.graphs]
    return json.dumps({**chosen, "tiles": tiles}, sort_keys=True)
