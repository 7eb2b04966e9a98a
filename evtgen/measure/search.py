"""The search for the fastest kernel of a space: the formula orders, the clock decides, and a journal remembers.

1. The epilogue as it is. Where the space has no more kernels than runs, then all of them.
2. The best combinations by the formula, found axis by axis; where it says the same of several, one of them.
3. From the fastest, axis by axis: the best values of each by the formula, until no axis has a faster one.
4. Points that differ in several axes, drawn at random, as long as runs are left and some still gain.

The clock and the order are deterministic, so one seed comes to one winner, and a search that was cut off comes to the
same: what its journal has is not timed again.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..planner.plan import Plan
from .space import Point, Space

Clock = Callable[[Sequence[Point]], Sequence[int | None]]
"""The cycles of the kernels of legal points; None where one does not run."""

_FIRST, _EACH, _DRAWN = 8, 4, 4
"""Kernels that are timed at once: to begin with, along an axis, and of those that are drawn."""

_KEPT = 24
"""Combinations that the next axis is combined with, the best by the formula."""

_WORSE = 1.5
"""A kernel that takes so many times as long as the best, by the formula, is not timed."""

_PATIENCE = 3
"""The search ends when so many draws, one after the other, have found nothing faster."""


@dataclass(frozen=True)
class Found:
    """What a search came to.

    Attributes:
        order: the points that were timed and run, the fastest first; of equals the one that was timed first.
        cycles: of each.
        runs: how many kernels were asked for, those of the journal included.
        all: whether these are all kernels of the space.
    """

    order: tuple[Point, ...]
    cycles: dict[Point, int]
    runs: int
    all: bool


def search(space: Space, clock: Clock, formula: Callable[[Plan], float], *, runs: int, seed: int = 0) -> Found:
    """Search a space with at most so many runs; the epilogue as it is always has one."""
    one = _Search(space, clock, formula, runs)
    one.time([space.own])
    if space.size <= 4 * runs and len(space.kernels(space.points())) <= runs:
        one.time(space.points())
        return one.found(all=True)
    if one.best is not None:
        one.begin()
        one.descend(random.Random(seed))
    return one.found(all=False)


class _Search:
    def __init__(self, space: Space, clock: Clock, formula: Callable[[Plan], float], runs: int) -> None:
        self.space, self.clock, self.formula, self.left = space, clock, formula, runs
        self.runs = 0
        self.cycles: dict[Point, int] = {}
        self.seen: set[str] = set()
        self.guesses: dict[Point, float] = {}

    @property
    def best(self) -> Point | None:
        """The fastest so far."""
        return min(self.cycles, key=self.cycles.__getitem__, default=None)

    def found(self, *, all: bool) -> Found:
        """What was found."""
        order = tuple(sorted(self.cycles, key=self.cycles.__getitem__))
        return Found(order, self.cycles, self.runs, all)

    def time(self, points: Iterable[Point], most: int | None = None) -> bool:
        """Time the best of these by the formula, of those that are new; returns whether one is the fastest now."""
        new = {key: point for key, point in self.space.kernels(points).items() if key not in self.seen}
        chosen = sorted(new.items(), key=lambda item: self.guess(item[1]))[: self.left if most is None else most]
        if most is not None and self.best is not None:
            limit = _WORSE * self.guess(self.best)
            chosen = [item for item in chosen if self.guess(item[1]) <= limit]
        chosen = chosen[: self.left]
        before = self.best
        for (key, point), cycles in zip(chosen, self.clock([point for _, point in chosen]), strict=True):
            self.seen.add(key)
            if cycles is not None:
                self.cycles[point] = cycles
        self.left -= len(chosen)
        self.runs += len(chosen)
        return self.best != before

    def guess(self, point: Point) -> float:
        """Cycles by the formula."""
        if point not in self.guesses:
            plan = self.space.plan(point)
            assert plan is not None
            self.guesses[point] = self.formula(plan)
        return self.guesses[point]

    def begin(self) -> None:
        """Time the best combinations of values of all axes by the formula, one of those for which it says the same."""
        combined = [self.space.own]
        for axis in range(len(self.space.axes)):
            wider = [other for one in combined for other in self.space.along(one, axis)]
            ranked = sorted(self.space.kernels(wider).values(), key=self.guess)
            alike = {round(self.guess(point)): point for point in reversed(ranked)}
            combined = list(reversed(alike.values()))[:_KEPT]
        self.time(combined, _FIRST)

    def descend(self, chance: random.Random) -> None:
        """Go along the axes, and draw where none leads on."""
        axes, failed = list(range(len(self.space.axes))), 0
        while self.left > 0 and failed < _PATIENCE and self.best is not None:
            chance.shuffle(axes)
            if any([self.time(self.space.along(self.best, axis), _EACH) for axis in axes]):
                failed = 0
                continue
            drawn = [self._drawn(self.best, chance) for _ in range(8 * _DRAWN)]
            failed = 0 if self.time(drawn, _DRAWN) else failed + 1

    def _drawn(self, point: Point, chance: random.Random) -> Point:
        """A point that differs from one in two or three axes."""
        changed = list(point)
        sizes = [len(values) for values in self.space.axes.values()]
        for axis in chance.sample(range(len(sizes)), min(len(sizes), chance.choice((2, 3)))):
            changed[axis] = chance.randrange(sizes[axis])
        return tuple(changed)
