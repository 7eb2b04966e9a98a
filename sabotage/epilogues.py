"""The epilogues of one matmul whose emitted text is broken, beside the examples."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from typing import Any

from evtgen import operator
from evtgen.graph.ir import Epilogue, Gemm, Node, TopologicalVisitor, TreeVisitor
from evtgen.graph.types import ColumnMajor, ElementType, float8_e8m0fnu, float32, half, int32, mask
from evtgen.nodes import (
    AccLoad,
    Alternate,
    AuxGather,
    AuxLoad,
    AuxScatter,
    AuxStore,
    Band,
    BlockReduced,
    BlockStore,
    Cast,
    ColBroadcast,
    ColIndex,
    ColReduce,
    ColReduced,
    ColStore,
    Compute,
    HeadBroadcast,
    Outputs,
    RankScatter,
    Rotate,
    RowBroadcast,
    RowIndex,
    RowReduce,
    RowStore,
    ScalarBroadcast,
    ScalarReduce,
    ScalarStore,
    TopK,
    TopKResult,
)
from evtgen.operators.table import OPERATORS

SEVERAL_CALLS = ("Rsqrt", "Prelu", "HardSwish", "Sigmoid", "Tanh", "Silu", "Gelu")
"""Operators of several calls that stand for all: with one scratch tile and with two; with one input and with two; half
in half and by way of float, in place and not; with each call after a barrier of its own, and by turns; with one
polynomial and with two at once."""

OWN = operator(
    "soft_sign", ["Abs(tmp, a)", "Adds(tmp, tmp, 1)", "Div(dst, a, tmp)"], lambda np, a: a / (1 + np.abs(a)), ulp=2
)
"""An operator as a user declares it: its text is in the header of the epilogue."""


MEANS = (RowReduce, ColReduce, ScalarReduce)


def chain(start: TreeVisitor | Node, *nodes: tuple[Node, ...]) -> TreeVisitor:
    """``nodes`` one after the other, each (op, its other inputs); the first input is what came before."""
    value = start
    for op, *others in nodes:
        value = TreeVisitor(op, value, *others)
    assert isinstance(value, TreeVisitor)
    return value


def _operators() -> Epilogue:
    """Every operator that has barriers of its own, one after the other, below both other reductions."""
    folded = [
        (Compute(cpp, float32), AuxLoad(f"X{cpp}", float32), RowBroadcast(f"row{cpp}", float32))
        for cpp in ("Plus", "Multiplies", "Maximum", "Minimum")
    ]
    return Epilogue(
        "operators",
        chain(
            AccLoad(float32),
            *folded,
            *((Compute(cpp, float32, scalar=2.0),) for cpp in ("Divs", "RDivs")),
            (RowReduce("most", "Maximum", float32, identity=-1e30),),
            (RowReduce("least", "Minimum", float32, identity=1e30),),
        ),
        # Seven rows in a tile: the last of an odd number is joined on its own
        compute_length=7 * 256,
    )


def _several_calls(name: str, T: ElementType) -> Epilogue:
    """Operators of several calls, one after the other."""
    value: TreeVisitor | Node = AccLoad(T)
    for cpp in SEVERAL_CALLS:
        others = (AuxLoad(f"{operand}{cpp}", T) for operand in OPERATORS[cpp].operands[1:])
        # A loaded buffer follows each of them, so a write past the end collides with the load.
        value = chain(value, (Compute(cpp, T), *others), (Compute("Plus", T), AuxLoad(f"X{cpp}", T)))
    return Epilogue(name, TreeVisitor(AuxStore("D", T), value))


def _masks(name: str, T: ElementType) -> Epilogue:
    """Masks of two values and of one, inverted, joined, and selected by; loaded buffers follow them."""
    names = (f"X{i}" for i in count())

    def of(cpp: str, *inputs: TreeVisitor | Node, type: ElementType = T, scalar: Any = None) -> TreeVisitor:
        more = (AuxLoad(next(names), T) for _ in range(OPERATORS[cpp].inputs - len(inputs)))
        return TreeVisitor(Compute(cpp, type, scalar=scalar), *inputs, *more)

    made = of("Greater", AccLoad(T)), of("LessScalar", scalar=2.0), of("LogicalNot", of("NotEqualTo"), type=mask)
    others = of("LogicalNot", of("Less"), type=mask), of("LessScalar", scalar=-2.0)
    chosen = of("Where", of("LogicalOr", of("LogicalAnd", *made, type=mask), *others, type=mask))
    root = of("WhereScalars", of("Greater", chosen), scalar=(1, 0))
    return Epilogue(name, TreeVisitor(AuxStore("D", T), root), compute_length=7 * 232 + 40)


def scales() -> list[Epilogue]:
    """Casts to scales of MX formats, and from them, which only Ascend950 has. A loaded buffer follows each."""
    made = chain(AccLoad(float32), (Cast(float8_e8m0fnu, float32, "CAST_FLOOR"),), (AuxStore("S", float8_e8m0fnu),))
    read = chain(AuxLoad("S", float8_e8m0fnu), (Cast(float32, float8_e8m0fnu),))
    read = chain(read, (Compute("Plus", float32), AuxLoad("X", float32)), (AuxStore("D", float32),))
    return [Epilogue("made_scales", made), Epilogue("read_scales", read)]


def _largest(name: str, *beside: tuple[Node, tuple[int, ...]], **options: Any) -> Epilogue:
    """The largest values of rows and their columns, and other nodes, the last of which is a store, too."""
    nodes = [
        (AccLoad(float32), ()), (TopK(float32, stop=3), (0,)), (TopKResult(int32), (1,)), (AuxStore("D", int32), (2,)),
        (TopKResult(float32), (1,)), (AuxStore("values", float32), (4,)), *beside,
    ]  # fmt: skip
    ends = (3, 5) if not beside else (3, 5, len(nodes) - 1)
    kinds, edges = zip(*nodes, (Outputs(), ends), strict=True)
    return Epilogue(name, TopologicalVisitor(edges, kinds), **options)


def others_of(examples: list[Epilogue]) -> list[Epilogue]:
    """The other epilogues that are needed to reach every line of the framework that orders or sizes something."""
    by_name = {epilogue.name: epilogue for epilogue in examples}

    twice = Compute("Muls", float32, 2.0)

    def stored(name: str, loaded: Node, **options: Any) -> Epilogue:
        """D = C + what was loaded, which STORE writes to E as well."""
        total = TreeVisitor(Compute("Plus", half), TreeVisitor(AuxStore("E", half), loaded), AccLoad(half))
        return Epilogue(name, TreeVisitor(AuxStore("D", half), total), buffers=1, **options)

    def narrowed(name: str, root: Node) -> Epilogue:
        """C in half, which ``root`` alone reads by rows."""
        return Epilogue(name, TreeVisitor(root, TreeVisitor(Cast(half, float32), AccLoad(float32))), buffers=1)

    def widened(name: str, op: Node, *inputs: TreeVisitor | Node) -> Epilogue:
        """D in float, of what is loaded in half."""
        return Epilogue(name, TreeVisitor(AuxStore("D", float32), TreeVisitor(op, *inputs)))

    def lanes(start: TreeVisitor | Node, *last: tuple[Node, ...]) -> TreeVisitor:
        """Reductions across the columns, each by another operator; ``last`` comes before the last of them."""
        return chain(
            start,
            (ColReduce("sums", "Plus", float32),),
            (ColReduce("least", "Minimum", float32, identity=1e30),),
            *last,
            (ScalarReduce("most", "Maximum", float32, identity=-1e30),),
        )

    negate, plus = Compute("Negate", float32), Compute("Plus", float32)
    default = TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half, null_default=1.0))
    reduced = TreeVisitor(RowReduce("row", "Plus", float32, identity=0.0), AccLoad(float32))
    column = TreeVisitor(plus, AccLoad(float32), ColBroadcast("col", float32))
    scalar = ScalarBroadcast("s", float32)
    band = Band(half, row=-1, column=1, lower=300, upper=400, other=2.0)
    wide_input = TreeVisitor(Cast(float32, half), AuxLoad("X", half))
    tall: Any = {"compute_length": 256 * 16, "gemm": Gemm(l1=(512, 16, 64), l0=(512, 16, 16))}
    return [
        Epilogue("stored_accumulator", TreeVisitor(AuxStore("D", half), AccLoad(half)), buffers=1),
        # What Duplicate fills has held nothing before
        widened("divided", Compute("Divs", float32, scalar=3.0), AccLoad(float32)),
        # Nothing but the scalar itself waits before STORE reads it
        Epilogue("scalar_alone", TreeVisitor(AuxStore("D", half), ScalarBroadcast("s", half)), buffers=1),
        # Without a plan the scalar would lie where X has, if it were not kept
        Epilogue(
            "scaled_sum",
            chain(
                AccLoad(half),
                (Compute("Plus", half), AuxLoad("X", half)),
                (Compute("Multiplies", half), ScalarBroadcast("s", half)),
                (AuxStore("D", half),),
            ),
            buffers=1,
        ),
        # The load that COMPUTE waits for is the last
        *(
            Epilogue(name, chain(AccLoad(half), (Compute("Plus", half), load), (AuxStore("D", half),)), buffers=1)
            for name, load in (("added_input", AuxLoad("X", half)), ("added_heads", HeadBroadcast("X", half, head=64)))
        ),
        # A loaded buffer follows each node of blocks, whose input is computed, and whose result is read by V
        Epilogue(
            "normed_heads",
            chain(
                AccLoad(half),
                (Compute("Adds", half, 2.0),),
                (BlockReduced("Maximum", half, 64),),
                (BlockStore("S", half, block=64),),
                (Compute("Plus", half), AuxLoad("X", half)),
                (Rotate(half, 64),),
                (Compute("Plus", half), HeadBroadcast("Y", half, head=64)),
                (Rotate(half, 64, interleaved=True),),
                (Compute("Plus", half), AuxLoad("Z", half)),
                (AuxStore("D", half),),
            ),
            compute_length=7 * 256,
        ),
        # Tiles of 64 rows and columns fill the buffer; with two, what one loads V may still read in the other
        *(
            Epilogue(
                name,
                TreeVisitor(
                    AuxStore("D", half),
                    TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half, ColumnMajor)),
                ),
                compute_length=64 * 64,
                buffers=buffers,
            )
            for name, buffers in (("transposed_input", 1), ("transposed_inputs", 2))
        ),
        # COMPUTE reads what V has just made, rows in half that C in float does not ask for, and nothing waits for STORE
        narrowed("narrowed_transposed", AuxStore("D", half, ColumnMajor)),
        narrowed("narrowed_transposed_few", AuxStore("D", half, ColumnMajor)),
        _largest(
            "largest",
            *((twice, (0,)), (ColReduced("max", float32), (6,)), (twice, (7,)), (ColStore("most", float32), (8,))),
        ),
        _largest("largest_of_long_rows", compute_length=256),
        # With one buffer; V makes what is sorted, and reads the values
        Epilogue(
            "largest_alone",
            TopologicalVisitor(
                ((), (0,), (1,), (2,), (3,), (2,), (5,), (6,), (4, 7)),
                (
                    *(AccLoad(float32), twice, TopK(float32, stop=3), TopKResult(int32), AuxStore("D", int32)),
                    *(TopKResult(float32), twice, AuxStore("values", float32), Outputs()),
                ),
            ),
            buffers=1,
        ),
        narrowed("narrowed_scattered", AuxScatter("D", half, rows="rows")),
        narrowed("narrowed_to_ranks", RankScatter("D", half, rows="rows", ranks="ranks")),
        Epilogue(
            "widened_gathered",
            chain(AuxGather("X", half, "rows"), (Cast(float32, half),), (AuxStore("D", float32),)),
            buffers=1,
        ),
        # What several stores take, the last of them from the first
        Epilogue(
            "stored_everywhere",
            chain(
                AccLoad(half),
                (Compute("Adds", half, 2.0),),
                (AuxScatter("S", half, rows="rows"),),
                (RankScatter("T", half, rows="rows", ranks="ranks"),),
                (AuxStore("D", half, ColumnMajor),),
                (AuxStore("E", half),),
            ),
            compute_length=64 * 64,
            buffers=2,
        ),
        stored("stored_input", AuxLoad("X", half)),
        stored("stored_row", RowBroadcast("row", half)),
        # 28 rows in a tile: 16 in place, 12 by scratch
        stored(
            "stored_column",
            ColBroadcast("col", half),
            compute_length=28 * 256,
            gemm=Gemm(l1=(112, 256, 256), l0=(112, 256, 64)),
        ),
        # 9 rows in a tile, so long that they are spread, computed, or folded one by one; a block of one row behind them
        *(
            Epilogue(
                name,
                chain(*nodes, (AuxStore("D", float32),)),
                compute_length=9 * 704,
                gemm=Gemm(l1=(32, 704, 32), l0=(32, 704, 16)),
                buffers=1,
            )
            for name, nodes in (
                ("long_column", (ColBroadcast("col", float32),)),
                ("long_rows", (RowBroadcast("row", float32), (plus, ColBroadcast("col", float32)))),
                ("long_sums", (AccLoad(float32), (ColReduce("total", "Plus", float32),))),
            )
        ),
        # Only the column needs the slopes of a vector, only the row the exponential; all tiles have the matrix
        Epilogue(
            "stored_parts",
            chain(
                AccLoad(half),
                (AuxStore("D", half),),
                (Compute("Prelu", half), RowBroadcast("row", half)),
                (ColStore("column", half),),
                (ScalarStore("value", half),),
                (Compute("Exp", half),),
                (RowStore("first", half),),
            ),
            buffers=1,
        ),
        # What V makes in every tile anew is stored, and nothing else waits for STORE
        *(
            Epilogue(f"made_for_{name}", chain(ScalarBroadcast("s", half), *((node,) for node in nodes)), buffers=1)
            for name, nodes in (
                ("column", (Compute("Adds", half, 2.0), ColStore("column", half))),
                ("row", (Compute("Adds", half, 2.0), RowStore("row", half))),
                (
                    "value",
                    (
                        Compute("Adds", half, 2.0),
                        RowStore("row", half),
                        AuxStore("D", half),
                        ScalarStore("value", half),
                    ),
                ),
                ("scattered", (Compute("Adds", half, 2.0), AuxScatter("D", half, rows="rows"))),
                (
                    "added_up",
                    (Compute("Adds", half, 2.0), AuxScatter("D", half, rows="rows", add=True), AuxStore("E", half)),
                ),
                ("to_ranks", (Compute("Adds", half, 2.0), RankScatter("D", half, rows="rows", ranks="ranks"))),
                (
                    "added_to_ranks",
                    (
                        Compute("Adds", half, 2.0),
                        RankScatter("D", half, rows="rows", add=True, ranks="ranks"),
                        AuxStore("E", half),
                    ),
                ),
                ("transposed", (AuxStore("D", half, ColumnMajor),)),
                ("blocks", (BlockReduced("Plus", half, 64), BlockStore("S", half, block=64))),
                (
                    "means_of_blocks",
                    (
                        Compute("Adds", half, 2.0),
                        AuxStore("E", half),
                        BlockReduced("Mean", half, 128),
                        Compute("Adds", half, 2.0),
                        AuxStore("D", half),
                    ),
                ),
                ("heads", (Rotate(half, 32), AuxStore("D", half))),
                ("neighbours", (Rotate(half, 64, interleaved=True), AuxStore("D", half))),
                ("every_second", (Alternate(half, 1), AuxStore("D", half))),
            )
        ),
        # The barrier of a broadcast that some tiles leave out stands between two operators
        Epilogue(
            "left_out",
            TopologicalVisitor(
                [(), (), (0,), (2,), (3,), (4,), (1,), (5, 6)],
                [
                    AccLoad(half),
                    ColBroadcast("col", half),
                    Compute("Adds", half, 2.0),
                    Compute("Muls", half, 3.0),
                    Compute("Exp", half),
                    AuxStore("D", half),
                    ScalarStore("value", half),
                    Outputs(),
                ],
            ),
            buffers=1,
        ),
        # A vector that is computed from one, stored, and spread behind the next for a store; 28 rows in a tile
        *(
            Epilogue(
                f"on_{name}",
                TopologicalVisitor(
                    [(), (), (1,), (2,), (3,), (4,), (0, 5), (6,)],
                    [
                        AccLoad(float32),
                        kind("v", half),
                        Cast(float32, half),
                        store("stored", float32),
                        Compute("Muls", float32, 2.0),
                        AuxStore("E", float32),
                        plus,
                        AuxStore("D", float32),
                    ],
                ),
                compute_length=28 * 256,
                gemm=Gemm(l1=(112, 256, 256), l0=(112, 256, 64)),
                buffers=1,
            )
            for name, kind, store in (("rows", RowBroadcast, RowStore), ("columns", ColBroadcast, ColStore))
        ),
        # Outside of the first tiles; not in place, as STORE reads its input; 28 rows in a tile
        Epilogue(
            "banded",
            TopologicalVisitor(
                [(), (), (0, 1), (2,), (2,), (4,), (3, 5)],
                [
                    AccLoad(half),
                    AuxLoad("X", half),
                    Compute("Plus", half),
                    AuxStore("E", half),
                    band,
                    AuxStore("D", half),
                    Outputs(),
                ],
            ),
            compute_length=28 * 256,
            gemm=Gemm(l1=(112, 256, 256), l0=(112, 256, 64)),
            buffers=1,
        ),
        # Rows in half that C in float does not ask for; in UB nobody would read a block of C outside of the band
        Epilogue(
            "narrowed_band",
            chain(AccLoad(float32), (Cast(half, float32),), (band,), (Cast(float32, half),), (AuxStore("D", float32),)),
            gemm=Gemm(handoff="gm"),
        ),
        # The first tile fills the buffer
        stored("stored_scalar", ScalarBroadcast("s", half), compute_length=32 * 256),
        Epilogue("defaulted", TreeVisitor(AuxStore("D", half), default), buffers=1),
        Epilogue(
            "defaulted_vectors",
            chain(
                AccLoad(half),
                (Compute("Plus", half), ScalarBroadcast("s", half, null_default=4.0)),
                (Compute("Plus", half), RowBroadcast("row", half, null_default=1.0)),
                (Compute("Plus", half), ColBroadcast("col", half, null_default=2.0)),
                (AuxStore("D", half),),
            ),
            buffers=1,
        ),
        # Nothing but the positions themselves synchronises
        *(
            Epilogue(f"stored_{kind.function}", TreeVisitor(AuxStore("D", int32), kind()), buffers=1)
            for kind in (RowIndex, ColIndex)
        ),
        # 22 rows of a tile nearly fill it, and loaded tiles follow
        *(
            Epilogue(
                f"computed_{kind.function}",
                chain(
                    kind(),
                    (Compute("Adds", int32, 2),),
                    (Compute("Plus", int32), AuxLoad("X", int32)),
                    (AuxStore("D", int32),),
                ),
                compute_length=22 * 256,
            )
            for kind in (RowIndex, ColIndex)
        ),
        # Tiles of several rows and of one
        *(
            Epilogue(
                f"means_{length}",
                chain(AccLoad(float32), *((kind(kind.function, "Mean", float32),) for kind in MEANS)),
                compute_length=length,
            )
            for length in (96, 2048)
        ),
        Epilogue("reduced_accumulator", reduced, compute_length=256, buffers=1),
        # Nothing but the reduction itself synchronises
        Epilogue("columns_of_scalar", TreeVisitor(ColReduce("col", "Plus", float32), scalar), buffers=1),
        Epilogue("sum_of_scalar", TreeVisitor(ScalarReduce("sum", "Plus", float32), scalar), buffers=1),
        # 9 rows in a tile: they are rounded up to 16
        Epilogue("reduced_lanes", lanes(TreeVisitor(negate, AccLoad(float32)), (negate,)), compute_length=9 * 256),
        Epilogue("stored_lanes", TreeVisitor(AuxStore("D", float32), lanes(AccLoad(float32))), **tall),
        Epilogue("tall", lanes(column), **tall),
        widened("widened_accumulator", Cast(float32, half), AccLoad(half)),
        widened("widened_input", plus, AccLoad(float32), wide_input),
        narrowed("narrowed_tile", AuxStore("D", half)),
        narrowed("narrowed_rows", RowReduce("row", "Plus", half)),
        narrowed("narrowed_columns", ColReduce("col", "Plus", half)),
        narrowed("narrowed_scalar", ScalarReduce("s", "Plus", half)),
        replace(by_name["matmul_add_evt"], name="three_buffers", buffers=3, compute_length=22 * 256),
        replace(by_name["row_broadcast_reduction_evt"], name="split_rows", compute_length=96),
        _operators(),
        _several_calls("several_calls_half", half),
        _several_calls("several_calls_float", float32),
        Epilogue(
            "own_operator",
            chain(
                AccLoad(half),
                (Compute(OWN, half),),
                (Compute("Plus", half), AuxLoad("X", half)),
                (AuxStore("D", half),),
            ),
        ),
        # The operator's scratch is the last of a buffer: what is too small reaches into the next
        Epilogue(
            "compared",
            TopologicalVisitor(
                [(), (2,), (0,), (1,)],
                [
                    AccLoad(half),
                    Compute("WhereScalars", half, scalar=(1, 0)),
                    Compute("LessScalar", half, scalar=2.0),
                    AuxStore("D", half),
                ],
            ),
            compute_length=8192,
        ),
        _masks("masks_half", half),
        _masks("masks_float", float32),
    ]
