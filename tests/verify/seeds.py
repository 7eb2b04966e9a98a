"""The four epilogues of the examples, explicit."""

from __future__ import annotations

from dataclasses import replace

from evtgen.graph.ir import Epilogue, TopologicalVisitor, TreeVisitor
from evtgen.graph.types import float32, half
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Cast, Compute, RowBroadcast, RowReduce
from evtgen.planner.plan import Plan, lower

ADD = Epilogue(
    "add",
    TreeVisitor(AuxStore("D", half), TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half))),
)

CAST = Epilogue(
    "cast",
    TreeVisitor(
        AuxStore("D", half),
        TreeVisitor(
            Cast(half, float32, "CAST_RINT"),
            TreeVisitor(
                Compute("Plus", float32),
                TreeVisitor(Cast(float32, half), AccLoad(half)),
                TreeVisitor(Cast(float32, half), AuxLoad("X", half)),
            ),
        ),
    ),
)

TOPOLOGICAL = Epilogue(
    "topological",
    TopologicalVisitor(
        [(), (), (0, 1), (2, 2), (3,)],
        [AccLoad(half), AuxLoad("X", half), Compute("Plus", half), Compute("Plus", half), AuxStore("D", half)],
    ),
)

ROWS = Epilogue(
    "rows",
    TreeVisitor(
        RowReduce("row_out", "Plus", float32, 0.0),
        TreeVisitor(
            Cast(float32, half),
            TreeVisitor(
                AuxStore("D", half),
                TreeVisitor(Compute("Plus", half), AccLoad(half), RowBroadcast("row", half)),
            ),
        ),
    ),
)

ALL = (ADD, CAST, TOPOLOGICAL, ROWS)


def plan(epilogue: Epilogue, **options: object) -> Plan:
    """The epilogue lowered, with other options."""
    return lower(replace(epilogue, **options))  # type: ignore[arg-type]
