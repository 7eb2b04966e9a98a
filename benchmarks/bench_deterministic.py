"""Deterministic reductions: what their fixed order costs, beside atomics."""

from __future__ import annotations

from collections.abc import Iterator

from evtgen import Epilogue, TreeVisitor, float32
from evtgen.nodes import AccLoad, AuxStore, ColReduce, Reduce, RowReduce, ScalarReduce
from evtgen.planner.plan import Plan, lower

from . import clock

SHAPES = ((128, 256, 1024), (1024, 1024, 1024), (4096, 4096, 1024), (4096, 4096, 4096), (40000, 64, 64))
REDUCTIONS: dict[str, type[Reduce]] = {"rows": RowReduce, "columns": ColReduce, "all": ScalarReduce}


def plan_of(name: str, deterministic: bool) -> Plan:
    """D = C and a sum, in float32."""
    root = TreeVisitor(REDUCTIONS[name]("sum", "Plus", float32), TreeVisitor(AuxStore("D", float32), AccLoad(float32)))
    return lower(Epilogue(f"{name}_{'ordered' if deterministic else 'atomic'}", root, deterministic=deterministic))


def run() -> Iterator[str]:
    """Each shape: kilocycles with a sum of the rows, of the columns and of all by atomics, and how many times that a
    fixed order takes."""
    pairs = [(plan_of(name, False), plan_of(name, True)) for name in REDUCTIONS]
    programs = clock.programs(plan for pair in pairs for plan in pair)
    for shape in SHAPES:
        cells = []
        for name, pair in zip(REDUCTIONS, pairs, strict=True):
            atomic, ordered = (clock.cycles(programs[plan.name], plan, shape) for plan in pair)
            cells.append(f"{name}: {atomic / 1000:.1f} kcycles, {ordered / atomic:.3f}")
        yield f"{' x '.join(map(str, shape)):18} " + "   ".join(cells)
