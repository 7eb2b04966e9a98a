"""Verification at shapes that each epilogue can have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evtgen.graph.shapes import Shape
from evtgen.planner.plan import Plan
from evtgen.verify import Options, Result, verify_plans


def by_shapes(some: Sequence[Plan], shapes: Sequence[Shape]) -> list[tuple[tuple[Shape, ...], list[Plan]]]:
    """Plans that have the same shapes: those that are asked for, or wider ones where parts of rows need that."""
    found: dict[tuple[Shape, ...], list[Plan]] = {}
    for plan in some:
        found.setdefault(tuple(map(plan.wide, shapes)), []).append(plan)
    return [*found.items()]


def verified(some: Sequence[Plan], options: Options) -> list[Result]:
    """Each plan at the shapes that it can have."""
    groups = by_shapes(some, options.shapes)
    return [result for shapes, plans in groups for result in verify_plans(plans, replace(options, shapes=shapes))]
