"""Verification at shapes that each epilogue can have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from evtgen.planner.plan import Plan
from evtgen.verify import Options, Result, verify_plans


def verified(some: Sequence[Plan], options: Options) -> list[Result]:
    """At the shapes, or at wider ones where parts of rows need that."""
    wide = [plan for plan in some if any(plan.wide(shape) != shape for shape in options.shapes)]
    results = verify_plans([plan for plan in some if plan not in wide], options)
    for plan in wide:
        results += verify_plans([plan], replace(options, shapes=tuple(map(plan.wide, options.shapes))))
    return results
