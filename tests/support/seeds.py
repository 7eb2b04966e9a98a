"""The four epilogues of the examples, explicit and traced: the same graphs under the same names."""

from __future__ import annotations

from dataclasses import replace

import evtgen as evt
from evtgen import Acc, Aux, Epilogue, RowVector, TopologicalVisitor, TreeVisitor, float32, half, ops
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Cast, Compute, RowBroadcast, RowReduce
from evtgen.planner.plan import Plan, lower

ADD = Epilogue(
    "add",
    TreeVisitor(AuxStore("D", half), TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half))),
)

ADD_FLOAT = Epilogue(
    "add",
    TreeVisitor(AuxStore("D", float32), TreeVisitor(Compute("Plus", float32), AccLoad(float32), AuxLoad("X", float32))),
)
"""The same in the type that the cube core sums in."""

CAST = Epilogue(
    "cast",
    TreeVisitor(
        AuxStore("D", half),
        TreeVisitor(
            Cast(half, float32),
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

EXPLICIT = (ADD, CAST, TOPOLOGICAL, ROWS)


@evt.epilogue
def add(acc: Acc[half], X: Aux[half]):
    return {"D": acc + X}


@evt.epilogue
def cast(acc: Acc[half], X: Aux[half]):
    return {"D": (acc.cast(float32) + X.cast(float32)).cast(half)}


@evt.epilogue
def topological(acc: Acc[half], X: Aux[half]):
    z = acc + X
    return {"D": z + z}


@evt.epilogue
def rows(acc: Acc[half], row: RowVector[half]):
    d = acc + row
    return {"D": d, "row_out": ops.row_reduce(d.cast(float32), "add", identity=0.0)}


TRACED = (add, cast, topological, rows)


def plan(epilogue: Epilogue, **options: object) -> Plan:
    """The epilogue lowered, with other options."""
    return lower(replace(epilogue, **options))  # type: ignore[arg-type]
