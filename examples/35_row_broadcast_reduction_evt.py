"""D = C + row, and row_out += the column sums of float(D): a row broadcast, and a reduction above a store."""

from evtgen import Epilogue, TreeVisitor, float32, half
from evtgen.nodes import AccLoad, AuxStore, Cast, Compute, RowBroadcast, RowReduce

row_broadcast_reduction_evt = Epilogue(
    "row_broadcast_reduction_evt",
    TreeVisitor(
        RowReduce("row_out", "Plus", float32, identity=0.0),
        TreeVisitor(
            Cast(float32, half),
            TreeVisitor(
                AuxStore("D", half),
                TreeVisitor(
                    Compute("Plus", half),
                    AccLoad(half),
                    RowBroadcast("row", half),
                ),
            ),
        ),
    ),
    arguments=(((((), "row", ()), "D"), ()), "row_out"),
)
