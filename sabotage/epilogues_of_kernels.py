"""The epilogues of several matmuls, of phases, and with an accumulator in UB whose emitted text is broken."""

from __future__ import annotations

from dataclasses import replace

from evtgen.graph.ir import Epilogue, Gemm, TopologicalVisitor, TreeVisitor
from evtgen.graph.types import ColumnMajor, float8_e4m3fn, float32, half, int4, int8, int32
from evtgen.nodes import (
    AccLoad,
    AStatistic,
    AuxLoad,
    AuxScatter,
    AuxStore,
    ColBroadcast,
    ColReduce,
    ColReduced,
    ColStore,
    Compute,
    Reduced,
    RowBroadcast,
    RowReduce,
    RowReduced,
    RowStore,
    ScalarBroadcast,
    ScalarReduce,
    ScalarReduced,
)

from .epilogues import MEANS, chain


def through_ub() -> list[Epilogue]:
    """Epilogues whose accumulator is handed over in UB: one that COMPUTE reads, with two buffers and one; one that
    STORE reads; two beside a store of what is loaded, or else filled; and two with blocks of a single row, of which
    the second vector core has nothing."""
    c = AccLoad(float32)
    added = TreeVisitor(AuxStore("D", float32), TreeVisitor(Compute("Plus", float32), c, AuxLoad("X", float32)))
    stored = TreeVisitor(AuxStore("D", float32), c)
    kept = TreeVisitor(Compute("Plus", float32), TreeVisitor(AuxStore("E", float32), AuxLoad("X", float32)), c)
    absent = AuxLoad("X", float32, null_default=1.0)
    default = TreeVisitor(Compute("Plus", float32), TreeVisitor(AuxStore("E", float32), absent), c)
    small = Gemm(l1=(32, 32, 32), l0=(32, 32, 16), handoff="ub")
    in_ub = Gemm(handoff="ub")
    return [
        Epilogue("added_in_ub", added, gemm=in_ub),
        Epilogue("added_in_ub_by_one", added, gemm=in_ub, buffers=1),
        Epilogue("stored_in_ub", stored, gemm=in_ub, buffers=1),
        Epilogue("stored_input_in_ub", TreeVisitor(AuxStore("D", float32), kept), gemm=in_ub),
        Epilogue("stored_default_in_ub", TreeVisitor(AuxStore("D", float32), default), gemm=in_ub, buffers=1),
        Epilogue("row_in_ub", added, gemm=small),
        Epilogue("stored_row_in_ub", stored, gemm=small),
    ]


def of_every_tensor() -> list[Epilogue]:
    """Epilogues of several matmuls with every kind of tensor, for the numbers."""
    plus = Compute("Plus", float32)
    value = chain(
        AccLoad(float32),
        *((plus, kind(name, float32)) for kind, name in ((AuxLoad, "X"), (RowBroadcast, "row"), (ColBroadcast, "col"))),
        (plus, ScalarBroadcast("s", float32)),
        *((kind(kind.function, "Mean", float32),) for kind in MEANS),
        (AuxStore("D", float32),),
    )
    several = {"batched": Gemm(batch=True), "grouped": Gemm(group="m")}
    return [Epilogue(f"every_tensor_{name}", value, gemm=gemm) for name, gemm in several.items()]


def of_digits() -> list[Epilogue]:
    """Epilogues of an A that is multiplied in digits, with C as an operand: with two buffers, and with one."""
    gemm = Gemm(a=int8, b=int4, msd=True, l1=(64, 64, 64), l0=(64, 64, 64))
    added = TreeVisitor(AuxStore("D", int32), TreeVisitor(Compute("Plus", int32), AccLoad(int32), AuxLoad("X", int32)))
    return [Epilogue(f"digits{name}", added, gemm=gemm, buffers=n) for name, n in (("", 2), ("_by_one", 1))]


def of_kernels() -> list[Epilogue]:
    """Epilogues for the kernels other than that of one matmul: with tiles of several matmuls in turn, the whole of C in
    the workspace, a scalar that STORE reads; empty groups, of rows and of K; more groups than blocks; weights that are
    cast; slices of K; two accumulators."""
    added = TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half))
    total = TreeVisitor(Compute("Plus", half), added, ScalarBroadcast("s", half))
    stored = TreeVisitor(AuxStore("D", half), total)
    # Every tensor with rows
    rows = chain(
        AccLoad(half),
        (Compute("Plus", half), ColBroadcast("col", half)),
        (Compute("Plus", half), AuxLoad("X", half)),
        (ColReduce("col_out", "Plus", half),),
        (AuxStore("D", half),),
        (RowStore("first", half),),
    )
    batch = Gemm(batch=True)
    group = Gemm(group="m", l1=(32, 32, 32), l0=(32, 32, 16))
    # Vector cores with more products than fit a tile; more blocks of them than a flag counts
    split = Gemm(l1=(32, 32, 16), l0=(32, 32, 16), split_k=64)
    # Both statistics, one of them spread; several blocks of rows for a core where A lies by columns
    both = chain(
        AccLoad(float32),
        (Compute("Plus", float32), AStatistic("a_sum")),
        (Compute("Multiplies", float32), AStatistic("a_sum_of_squares")),
        (AuxStore("D", float32),),
    )
    return [
        Epilogue("split", TreeVisitor(AuxStore("D", float32), AccLoad(float32)), gemm=split),
        Epilogue("split_and_rounded", stored, gemm=split),
        Epilogue("batched", stored, gemm=batch),
        Epilogue("batched_whole", stored, gemm=replace(batch, workspace_stages=0)),
        Epilogue("batched_scalar", TreeVisitor(AuxStore("D", half), ScalarBroadcast("s", half)), gemm=batch, buffers=1),
        Epilogue("grouped", rows, gemm=group),
        Epilogue("grouped_whole", rows, gemm=replace(group, workspace_stages=0)),
        Epilogue("grouped_few", rows, gemm=group),
        Epilogue("sliced", rows, gemm=replace(group, group="k")),
        Epilogue("sliced_whole", rows, gemm=replace(group, group="k", workspace_stages=0)),
        Epilogue(
            "grouped_transposed",
            chain(
                AccLoad(half),
                (Compute("Plus", half), AuxLoad("X", half, ColumnMajor)),
                (ColStore("column", half),),
                (AuxStore("D", half, ColumnMajor),),
            ),
            gemm=group,
        ),
        Epilogue(
            "cast_weights",
            TreeVisitor(AuxStore("D", float32), AccLoad(float32)),
            gemm=Gemm(a=half, b=float8_e4m3fn, scale="block:32x32", workspace_stages=0),
        ),
        Epilogue(
            "weights_of_few",
            TreeVisitor(AuxStore("D", float32), AccLoad(float32)),
            gemm=Gemm(a=half, b=float8_e4m3fn, workspace_stages=0),
        ),
        Epilogue(
            "weights_in_a_ring",
            TreeVisitor(AuxStore("D", float32), AccLoad(float32)),
            gemm=replace(group, group=None, a=half, b=int8),
        ),
        *(
            Epilogue(
                f"weights_in_a_ring_{name}",
                TreeVisitor(AuxStore("D", float32), AccLoad(float32)),
                gemm=replace(gemm, a=half, b=int8),
            )
            for name, gemm in (("of_groups", group), ("of_a_batch", replace(group, group=None, batch=True)))
        ),
        *(
            Epilogue(
                f"weights_{name}",
                TreeVisitor(AuxStore("D", float32), AccLoad(float32)),
                gemm=replace(gemm, a=half, b=int8, workspace_stages=0),
            )
            for name, gemm in (
                ("grouped", group),
                ("batched", replace(group, group=None, batch=True)),
                ("split", split),
            )
        ),
        *(
            Epilogue(
                f"slices_{name}",
                TreeVisitor(AuxStore("D", float32), AccLoad(float32)),
                gemm=replace(group, a=int8, b=int8, l0=(32, 32, 32), **gemm),
            )
            for name, gemm in (
                ("alone", {"group": None, "scale": "block:32x32"}),
                ("grouped", {"scale": "group:32"}),
                ("few", {"group": None, "scale": "group:32"}),
            )
        ),
        Epilogue("statistics", both, gemm=Gemm(a=half)),
        Epilogue("statistics_batched", both, gemm=replace(group, group=None, batch=True, a=half)),
        Epilogue("statistics_of_columns", both, gemm=Gemm(a=half, layout_a=ColumnMajor)),
        Epilogue(
            "scaled_weights",
            TreeVisitor(AuxStore("D", float32), AccLoad(float32)),
            gemm=Gemm(a=half, b=int8, layout_b=ColumnMajor, group="m", scale="group:32", zero_point=True),
        ),
        Epilogue(
            "both",
            TreeVisitor(AuxStore("D", half), TreeVisitor(Compute("Plus", half), AccLoad(half), AccLoad(half, index=1))),
            gemm=Gemm(accumulators="halves", handoff="gm"),
        ),
    ]


def in_phases(*, in_ub: bool) -> list[Epilogue]:
    """Epilogues in phases: with parts of rows in a block and with whole ones; a row and a single value that cross, and
    a matrix that is kept; of several matmuls; and with C in UB, which the AIC stores there from the start."""
    c, small = AccLoad(float32), Gemm(a=half, b=half, l1=(32, 32, 32), l0=(32, 32, 16))

    def less(left: Reduced, right: Reduced, *joined: RowReduce) -> TopologicalVisitor:
        """What is loaded and C, less ``left`` of it, over ``right`` of that."""
        loads = [AuxLoad(name, float32) for name in "XYZ"]
        plus, minus, divides = (Compute(name, float32) for name in ("Plus", "Minus", "Divides"))
        return TopologicalVisitor(
            [(), (), (), (), (0, 1), (4, 2), (5, 3), (6,), (6, 7), (8,), (8, 9), (10,), *([(11,)] * len(joined))],
            [c, *loads, plus, plus, plus, left, minus, right, divides, AuxStore("D", float32), *joined],
        )

    added_up = AuxScatter("D", float32, rows="rows", add=True)
    maximum, total = ColReduced("Maximum", float32), ColReduced("Plus", float32)
    # Beside a reduction of rows it takes no whole rows
    by_rows = less(maximum, total, RowReduce("most", "Maximum", float32, identity=-1e30))
    rows = less(maximum, total)
    by_columns = less(RowReduced("Maximum", float32), ScalarReduced("Maximum", float32))
    return [
        Epilogue("phases", by_rows, gemm=small),
        Epilogue("phases_of_whole_rows", by_rows, gemm=replace(small, workspace_stages=1)),
        Epilogue("phases_of_columns", by_columns, gemm=small),
        Epilogue("phases_split", by_rows, gemm=replace(small, l1=(32, 32, 16), split_k=3)),
        Epilogue("phases_batched", by_columns, gemm=replace(small, batch=True)),
        Epilogue("phases_grouped", by_columns, gemm=replace(small, group="m")),
        Epilogue("phases_grouped_rows", by_rows, gemm=replace(small, group="m")),
        Epilogue("whole_rows", rows, gemm=small),
        Epilogue("whole_rows_spread", chain(c, (total,), (AuxStore("D", float32),)), gemm=small, buffers=1),
        Epilogue("whole_rows_grouped", rows, gemm=replace(small, group="m")),
        Epilogue("whole_rows_of_blocks", rows, gemm=replace(small, workspace_stages=1)),
        # Every kind of part, all of them after the last block
        Epilogue(
            "in_order",
            chain(c, *((kind(kind.__name__, "Plus", float32),) for kind in (RowReduce, ColReduce, ScalarReduce))),
            gemm=small,
            deterministic=True,
        ),
        # The second: what V makes in every tile anew is stored, and nothing else waits for STORE
        *(
            Epilogue(name, chain(*value), gemm=small, buffers=buffers, deterministic=True)
            for name, buffers, value in (
                ("rows_in_order", 2, (c, (added_up,), (AuxStore("E", float32),))),
                ("made_in_order", 1, (ScalarBroadcast("s", float32), (Compute("Adds", float32, 2.0),), (added_up,))),
            )
        ),
        *(
            Epilogue(f"{name}_in_ub", by_rows, gemm=replace(small, handoff="ub"))
            for name in ("phases", "phases_of_whole_rows")
            if in_ub
        ),
    ]
