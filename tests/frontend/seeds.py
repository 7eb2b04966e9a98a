"""The four epilogues of the seed examples, in both front ends."""

from __future__ import annotations

import evtgen as evt
from evtgen import Acc, Aux, Epilogue, RowVector, TopologicalVisitor, TreeVisitor, float32, half, ops
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Cast, Compute, RowBroadcast, RowReduce


@evt.epilogue
def matmul_add(acc: Acc[half], X: Aux[half]):
    return {"D": acc + X}


@evt.epilogue
def cast(acc: Acc[half], X: Aux[half]):
    return {"D": (acc.cast(float32) + X.cast(float32)).cast(half)}


@evt.epilogue
def topo(acc: Acc[half], X: Aux[half]):
    z = acc + X
    return {"D": z + z}


@evt.epilogue
def row_stats(acc: Acc[half], row: RowVector[half]):
    d = acc + row
    return {"D": d, "row_out": ops.row_reduce(d.cast(float32), "add", identity=0.0)}


TRACED = [matmul_add, cast, topo, row_stats]

EXPLICIT = [
    Epilogue(
        "matmul_add",
        TreeVisitor(AuxStore("D", half), TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half))),
    ),
    Epilogue(
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
    ),
    Epilogue(
        "topo",
        TopologicalVisitor(
            edges=[(), (), (0, 1), (2, 2), (3,)],
            ops=[
                AccLoad(half),
                AuxLoad("X", half),
                Compute("Plus", half),
                Compute("Plus", half),
                AuxStore("D", half),
            ],
        ),
    ),
    Epilogue(
        "row_stats",
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
    ),
]
