"""Verification at shapes that each epilogue can have, and in orders at one of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evtgen.graph.shapes import Shape
from evtgen.planner.plan import Plan
from evtgen.verify import Options, Result, verify_plans

from .epilogues import FULL


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


def in_orders(some: Sequence[Plan], options: Options) -> list[Result]:
    """Each plan at the first shape in the orders that ``options`` asks for, with whole numbers where these may be:
    flags and barriers are the same whatever the numbers. At other shapes, and with other numbers, in the recorded
    order; with EVTGEN_FULL=1 all in all orders."""
    if FULL or not options.schedules:
        return verify_plans(some, options)
    first, others = options.shapes[:1], options.shapes[1:]
    results = verify_plans(some, replace(options, shapes=first, data=options.data or "int"))
    recorded = replace(options, schedules=0)
    if options.data is None:
        results += verify_plans(some, replace(recorded, shapes=first, data="normal"))
    return results + (verify_plans(some, replace(recorded, shapes=others)) if others else [])
