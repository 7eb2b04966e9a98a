"""Diagnostics from the numbers of a run: outputs that left the formula, and outputs of which too little was judged."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..diagnostics import numbers as codes
from ..diagnostics.diagnostic import Diagnostic
from ..graph.types import ELEMENT_TYPES, int32, mask
from ..nodes import ColIndex, Compute, TopK, node_of
from ..operators.table import OPERATORS
from ..planner.plan import Plan
from ..reference import Blocks, Departure, Kind, Reading, departed, departures, explained_by
from ..system.translation import tr
from .compare import small
from .result import Comparison

_EQUALITIES = tuple(OPERATORS[name] for name in ("EqualTo", "EqualToScalar", "NotEqualTo", "NotEqualToScalar"))

MANY = 32
"""A mask of so many elements can be expected to have both values."""

Finding = tuple[object, Diagnostic]
"""A diagnostic, and a key: findings with one key are reported once."""


def left_formula(plan: Plan, outputs: list[Reading], blocks: Blocks) -> Iterator[Finding]:
    """A warning for each output that has left the formula, with the first node that has left it.

    ``blocks`` read the whole graph once more; only an output that has left the formula needs that.
    """
    explained = explained_by(plan.steps, plan.gemm)
    left = [r.index for r in outputs if departed(r, explained[r.index])]
    if not left:
        return
    for departure in departures(plan.steps, blocks, left, plan.gemm):
        yield (departure.kind, departure.output, departure.step), _departure(plan, departure)


def _departure(plan: Plan, departure: Departure) -> Diagnostic:
    node, alias = node_of(plan.steps[departure.step]), plan.aliases[departure.step]
    share, name = percent(departure.share), departure.output
    first = tr("first at {alias}, in {element}", alias=alias, element=node.element)
    if departure.kind is Kind.RANGE:
        return codes.OUT_OF_RANGE.of(at=node.location, name=name, share=share, first=first)
    if departure.kind is Kind.UNDEFINED:
        return codes.NOT_A_NUMBER.of(at=node.location, name=name, share=share, alias=alias)
    return codes.INACCURATE.of(at=node.location, share=share, name=name, error=departure.error, first=first)


class Masks:
    """The masks of a run: how many of their elements there are, and how many are true."""

    def __init__(self) -> None:
        self._counts: dict[int, tuple[int, int]] = {}

    def add(self, reading: Reading) -> None:
        """Count the elements of a reading, all of a mask or some; other values are left out."""
        if reading.node.element == mask:
            values, (count, true) = reading.stepwise.value, self._counts.get(reading.index, (0, 0))
            self._counts[reading.index] = count + values.size, true + int(np.count_nonzero(values))

    def one_sided(self, plan: Plan, data: str) -> Iterator[Finding]:
        """A warning for each that is the same everywhere.

        Only whole numbers test whether two values are equal: normally distributed numbers hardly ever are.
        """
        for index, (count, true) in self._counts.items():
            node = node_of(plan.steps[index])
            if data == "normal" and isinstance(node, Compute) and node.operator in _EQUALITIES:
                continue
            if count >= MANY and true in {0, count}:
                value = "true" if true else "false"
                yield index, codes.ONE_SIDED.of(at=node.location, alias=plan.aliases[index], value=value)


def not_judged(comparison: Comparison, plan: Plan) -> Iterator[Finding]:
    """An error for a tensor of which too little was judged."""
    if comparison.enough:
        return
    c = comparison
    said: dict[str, Any] = {"judged": 100 * c.judged, "name": c.name}
    if c.undefined > c.elements * (1 - c.judged) / 2:
        yield c.name, codes.NOT_JUDGED.of("undefined", undefined=percent(c.undefined / c.elements), **said)
    elif c.dtype == int32.name and any(isinstance(node, (TopK, ColIndex)) for _, node in plan.nodes()):
        yield c.name, codes.NOT_JUDGED.of("columns", **said)
    else:
        share = small(ELEMENT_TYPES[c.dtype])
        yield c.name, codes.NOT_JUDGED.of("wide bound", bound=c.bound, typical=c.typical, share=share, **said)


def percent(share: float) -> str:
    """A share for people; a share above 0 never reads 0 %."""
    return f"{100 * share:.0f} %" if share >= 0.01 else tr("less than 1 %")
