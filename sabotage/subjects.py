"""The epilogues whose emitted text is broken, and the text itself."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from itertools import count
from pathlib import Path
from types import MappingProxyType
from typing import Any

from evtgen import operator
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.frontend.load import load
from evtgen.graph.ir import DEFAULT_ARCH, Epilogue, Gemm, Node, TopologicalVisitor, TreeVisitor
from evtgen.graph.types import ColumnMajor, ElementType, float32, half, int8, int32, mask
from evtgen.kernels import KERNELS
from evtgen.kernels.matmul import Matmul
from evtgen.nodes import (
    AccLoad,
    Alternate,
    AStatistic,
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
    Reduced,
    Rotate,
    RowBroadcast,
    RowIndex,
    RowReduce,
    RowReduced,
    RowStore,
    ScalarBroadcast,
    ScalarReduce,
    ScalarReduced,
    ScalarStore,
)
from evtgen.operators.table import OPERATORS
from evtgen.passes.analysis.gemm import PRELOADING, block_shape
from evtgen.planner.plan import Plan, lower
from evtgen.targets import ARCHITECTURES

ATLAS_A2, ASCEND950 = "AtlasA2", "Ascend950"

CHECKOUT = Path(__file__).parents[1]

SHAPE = (257, 742, 16)
"""M, N, K of a run: more blocks for each core than the workspace has, tails in both directions, a block of one row,
several tiles per block."""

TALL = (978, 46, 16)
ROW = (1, 1312, 16)
GROUPS = (300, 50, 16)
SHAPES = {
    "tall": TALL, "stored_lanes": TALL, "masks_half": (257, 230, 16), "masks_float": (257, 230, 16),
    "split": (65, 70, 1024), "split_and_rounded": (65, 70, 1024), "row_in_ub": ROW, "stored_row_in_ub": ROW,
    "grouped": GROUPS, "grouped_whole": GROUPS, "grouped_few": (1, 50, 16), "cast_weights": (257, 742, 130),
    "scaled_weights": GROUPS,
    "phases": (131, 70, 16), "phases_of_whole_rows": (131, 30, 16), "phases_of_columns": (70, 30, 16),
    "phases_split": (70, 70, 48), "phases_batched": (35, 40, 16), "in_order": (131, 70, 16), "phases_grouped": GROUPS,
    "phases_grouped_rows": (300, 30, 16), "narrowed_transposed_few": (33, 70, 16),
    "grouped_transposed": GROUPS, "sliced": (70, 50, 40), "sliced_whole": (70, 50, 40),
    "statistics": (257, 70, 1100), "statistics_batched": (35, 40, 700), "statistics_of_columns": (700, 70, 300),
    "whole_rows": (131, 70, 16), "whole_rows_grouped": GROUPS, "whole_rows_of_blocks": (131, 30, 16),
    "phases_in_ub": (131, 70, 16), "phases_of_whole_rows_in_ub": (131, 30, 16),
    "made_for_blocks": (1, 742, 16),
    **dict.fromkeys(("added_heads", "normed_heads", "made_for_heads", "made_for_neighbours"), (257, 704, 16)),
    "qkv_split": (257, 512, 16),
}  # fmt: skip
"""Other shapes, for the subjects that need them: blocks with parts of rows, and with whole ones; vector cores with more
rows than a tile may have, and nearly as many; tiles whose elements do not fill their mask; more blocks of one row
than a flag between cores counts; groups whose first block has no number that is a multiple of how many they have;
more groups than blocks, and more cores; weights, and rows of A, of which every vector core has several tiles."""

SEVERAL = "several"
"""What is part of the kernels of several matmuls alone."""

SECOND = "second"
"""What decides only where there is a second accumulator."""

PHASES = "phases"
PHASES_IN_UB = "phases in ub"
"""What is part of the kernels of epilogues in phases alone, and of those whose accumulator is handed over in UB."""

ROWS = "rows"
"""What is part of the kernels alone that take whole rows from the workspace."""

STATISTICS = "statistics"
"""What is part of epilogues alone that read statistics of A."""

WIDENED = "widened"
"""What is part of the kernels alone that widen B."""

ORDERED = "in order"
"""What is part of deterministic epilogues alone."""

SEVERAL_CALLS = ("Rsqrt", "Prelu", "HardSwish", "Sigmoid", "Tanh", "Silu", "Gelu")
"""Operators of several calls that stand for all: with one scratch tile and with two; with one input and with two; half
in half and by way of float, in place and not; with each call after a barrier of its own, and by turns; with one
polynomial and with two at once."""

OWN = operator(
    "soft_sign", ["Abs(tmp, a)", "Adds(tmp, tmp, 1)", "Div(dst, a, tmp)"], lambda np, a: a / (1 + np.abs(a)), ulp=2
)
"""An operator as a user declares it: its text is in the header of the epilogue."""


@dataclass(frozen=True)
class Subject:
    """An epilogue, its emitted header, whether it is one of the examples, and whether it is there for its kernel."""

    plan: Plan
    header: str
    example: bool
    of_kernel: bool = False

    @property
    def name(self) -> str:
        return self.plan.name

    @property
    def shape(self) -> tuple[int, int, int]:
        """M, N, K of its runs."""
        return SHAPES.get(self.name, SHAPE)

    def has(self, path: str, struct: str | None = None) -> bool:
        """Whether the emitted file at ``path`` is part of its kernel, and if given, that struct of the file, or one of
        several (``"A|B"``), that way of the accumulator (``"gm"``, ``"ub"``), that policy of the matmul, several of
        them, phases, or that kernel (its header). One that is there for its kernel or its phases has that alone: the
        rest is tested with others."""
        if struct is not None and "|" in struct:
            return any(self.has(path, one) for one in struct.split("|"))
        own = self._of_its_kernel(path, struct)
        if own is not None:
            return own
        if struct in ("gm", "ub", "pingpong", "preload_async"):
            return struct in (self.plan.gemm.handoff, self.plan.gemm.policy)
        if struct is not None:
            return struct in self._own
        stem = Path(path).stem
        if stem != "tree_visitor" and not re.match("visitor_(?!impl|kernel)", stem):
            return True
        return "".join(part.capitalize() for part in stem.split("_")) in self.header

    def _of_its_kernel(self, path: str, struct: str | None) -> bool | None:
        """The same for its own header, and for what only some kernels have; None for what all have."""
        header, kernel = struct if struct in _KERNELS else Path(path).name, self.plan.kernel
        if not path.startswith("catlass/"):
            return path == f"{self.name}.hpp"
        ways = {
            SEVERAL: kernel.several is not None,
            SECOND: self.plan.accumulators > 1,
            PHASES: bool(self.plan.parts),
            PHASES_IN_UB: bool(self.plan.parts and self.plan.ub_workspace),
            ROWS: self.plan.rows is not None and not self.plan.gemm.workspace_stages,
            ORDERED: self.plan.is_ordered,
            STATISTICS: self.plan.reads_a,
            WIDENED: self.plan.widening is not None,
        }
        if header == "visitor_in_order.hpp":
            struct = ORDERED
        if header == "visitor_scatter_in_order.hpp":
            return "VisitorScatterInOrder" in self.header
        if header == "visitor_in_workspace.hpp":
            struct = PHASES
        if header in ("statistics_of_a.hpp", "visitor_a_statistic.hpp"):
            struct = STATISTICS
        if header == "widened.hpp":
            struct = WIDENED
        if struct in ways:
            return ways[struct]
        if header in _KERNELS:
            return header == kernel.header
        if header == "visitor_groups.hpp":
            return kernel.several == "groups"
        return False if self.of_kernel else None

    @cached_property
    def _own(self) -> frozenset[str]:
        """The words of its header and of those of its nodes; a shared struct is named in those that use it."""
        nodes = (text for path, text in framework().items() if "/visitor_" in path and self.has(path))
        return frozenset(re.findall(r"\w+", "\n".join([self.header, *nodes])))


_KERNELS = frozenset(kernel.header for kernel in KERNELS) - {Matmul.header}
"""The headers of the kernels that are not part of every program."""

MEANS = (RowReduce, ColReduce, ScalarReduce)


def _chain(start: TreeVisitor | Node, *nodes: tuple[Node, ...]) -> TreeVisitor:
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
        _chain(
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
        value = _chain(value, (Compute(cpp, T), *others), (Compute("Plus", T), AuxLoad(f"X{cpp}", T)))
    return Epilogue(name, TreeVisitor(AuxStore("D", T), value))


def _masks(name: str, T: ElementType) -> Epilogue:
    """Masks of two values and of one, inverted, joined, and selected by; loaded buffers follow them."""
    names = (f"X{i}" for i in count())

    def of(cpp: str, *inputs: TreeVisitor | Node, type: ElementType = T, scalar: Any = None) -> TreeVisitor:
        more = (AuxLoad(next(names), T) for _ in range(OPERATORS[cpp].inputs - len(inputs)))
        return TreeVisitor(Compute(cpp, type, scalar=scalar), *inputs, *more)

    made = of("Greater", AccLoad(T)), of("LessScalar", scalar=2.0), of("LogicalNot", of("NotEqualTo"), type=mask)
    chosen = of("Where", of("LogicalAnd", *made, type=mask))
    root = of("WhereScalars", of("Greater", chosen), scalar=(1, 0))
    return Epilogue(name, TreeVisitor(AuxStore("D", T), root), compute_length=7 * 232 + 40)


def _others(examples: list[Epilogue]) -> list[Epilogue]:
    """The other epilogues that are needed to reach every line of the framework that orders or sizes something."""
    by_name = {epilogue.name: epilogue for epilogue in examples}

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
        return _chain(
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
            _chain(
                AccLoad(half),
                (Compute("Plus", half), AuxLoad("X", half)),
                (Compute("Multiplies", half), ScalarBroadcast("s", half)),
                (AuxStore("D", half),),
            ),
            buffers=1,
        ),
        # The load that COMPUTE waits for is the last
        *(
            Epilogue(name, _chain(AccLoad(half), (Compute("Plus", half), load), (AuxStore("D", half),)), buffers=1)
            for name, load in (("added_input", AuxLoad("X", half)), ("added_heads", HeadBroadcast("X", half, head=64)))
        ),
        # A loaded buffer follows each node of blocks, whose input is computed, and whose result is read by V
        Epilogue(
            "normed_heads",
            _chain(
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
        narrowed("narrowed_scattered", AuxScatter("D", half, rows="rows")),
        narrowed("narrowed_to_ranks", RankScatter("D", half, rows="rows", ranks="ranks")),
        Epilogue(
            "widened_gathered",
            _chain(AuxGather("X", half, "rows"), (Cast(float32, half),), (AuxStore("D", float32),)),
            buffers=1,
        ),
        # What several stores take, the last of them from the first
        Epilogue(
            "stored_everywhere",
            _chain(
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
        # Only the column needs the slopes of a vector, only the row the exponential; all tiles have the matrix
        Epilogue(
            "stored_parts",
            _chain(
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
            Epilogue(f"made_for_{name}", _chain(ScalarBroadcast("s", half), *((node,) for node in nodes)), buffers=1)
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
                ("means_of_blocks", (BlockReduced("Mean", half, 128), AuxStore("D", half))),
                ("heads", (Rotate(half, 64), AuxStore("D", half))),
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
            _chain(
                AccLoad(float32), (Cast(half, float32),), (band,), (Cast(float32, half),), (AuxStore("D", float32),)
            ),
            gemm=Gemm(handoff="gm"),
        ),
        # The first tile fills the buffer
        stored("stored_scalar", ScalarBroadcast("s", half), compute_length=32 * 256),
        Epilogue("defaulted", TreeVisitor(AuxStore("D", half), default), buffers=1),
        Epilogue(
            "defaulted_vectors",
            _chain(
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
                _chain(
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
                _chain(AccLoad(float32), *((kind(kind.function, "Mean", float32),) for kind in MEANS)),
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
            _chain(
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


@cache
def framework() -> Mapping[str, str]:
    """The emitted framework: path → text."""
    return MappingProxyType(framework_files(Framework()))


def _through_ub() -> list[Epilogue]:
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
    value = _chain(
        AccLoad(float32),
        *((plus, kind(name, float32)) for kind, name in ((AuxLoad, "X"), (RowBroadcast, "row"), (ColBroadcast, "col"))),
        (plus, ScalarBroadcast("s", float32)),
        *((kind(kind.function, "Mean", float32),) for kind in MEANS),
        (AuxStore("D", float32),),
    )
    several = {"batched": Gemm(batch=True), "grouped": Gemm(group="m")}
    return [Epilogue(f"every_tensor_{name}", value, gemm=gemm) for name, gemm in several.items()]


def _of_kernels() -> list[Epilogue]:
    """Epilogues for the kernels other than that of one matmul: with tiles of several matmuls in turn, the whole of C in
    the workspace, a scalar that STORE reads; empty groups, of rows and of K; more groups than blocks; weights that are
    cast; slices of K; two accumulators."""
    added = TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half))
    total = TreeVisitor(Compute("Plus", half), added, ScalarBroadcast("s", half))
    stored = TreeVisitor(AuxStore("D", half), total)
    # Every tensor with rows
    rows = _chain(
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
    both = _chain(
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
            _chain(
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
            gemm=Gemm(a=half, b=int8, workspace_stages=0),
        ),
        Epilogue("statistics", both, gemm=Gemm(a=half)),
        Epilogue("statistics_batched", both, gemm=replace(group, group=None, batch=True, a=half)),
        Epilogue("statistics_of_columns", both, gemm=Gemm(a=half, layout_a=ColumnMajor)),
        Epilogue(
            "scaled_weights",
            TreeVisitor(AuxStore("D", float32), AccLoad(float32)),
            gemm=Gemm(a=half, b=int8, group="m", scale="column", zero_point=True),
        ),
        Epilogue(
            "both",
            TreeVisitor(AuxStore("D", half), TreeVisitor(Compute("Plus", half), AccLoad(half), AccLoad(half, index=1))),
            gemm=Gemm(accumulators="halves", handoff="gm"),
        ),
    ]


def _in_phases(*, in_ub: bool) -> list[Epilogue]:
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
        Epilogue("whole_rows_grouped", rows, gemm=replace(small, group="m")),
        Epilogue("whole_rows_of_blocks", rows, gemm=replace(small, workspace_stages=1)),
        # Every kind of part, all of them after the last block
        Epilogue(
            "in_order",
            _chain(c, *((kind(kind.__name__, "Plus", float32),) for kind in (RowReduce, ColReduce, ScalarReduce))),
            gemm=small,
            deterministic=True,
        ),
        Epilogue(
            "rows_in_order",
            _chain(c, (AuxStore("E", float32),), (AuxScatter("D", float32, rows="rows", add=True),)),
            gemm=small,
            buffers=1,
            deterministic=True,
        ),
        *(
            Epilogue(f"{name}_in_ub", by_rows, gemm=replace(small, handoff="ub"))
            for name in ("phases", "phases_of_whole_rows")
            if in_ub
        ),
    ]


@cache
def subjects(arch: str = ATLAS_A2) -> tuple[Subject, ...]:
    """The four examples, then the others, for an architecture."""
    given = DEFAULT_ARCH.set(arch)
    try:
        return _subjects(arch)
    finally:
        DEFAULT_ARCH.reset(given)


def _filling(epilogue: Epilogue) -> Epilogue:
    """The same with shorter tiles, if one could hold all rows of a vector core: it would not notice half a buffer."""
    plan = lower(epilogue)
    rows, columns = block_shape(plan.gemm)
    enough = rows // 4 * columns
    is_longer = epilogue.compute_length == "auto" and plan.compute_length > rows // 2 * columns
    return replace(epilogue, compute_length=enough) if is_longer else epilogue


def _subjects(arch: str) -> tuple[Subject, ...]:
    examples = load(sorted((CHECKOUT / "examples").glob("3*.py")))
    others = _others(examples)
    if ARCHITECTURES[arch].stores_to_ub:
        others += _through_ub()
    others.append(replace(others[0], name="stored_ahead", gemm=Gemm(policy=PRELOADING)))
    # Columns of parts, and every second one
    others += [e for e in load([CHECKOUT / "examples/gallery/parts.py"]) if e.name in ("qkv_split", "swiglu_interleaved")]
    found = []
    of_kernels = [*_of_kernels(), *_in_phases(in_ub=ARCHITECTURES[arch].stores_to_ub)]
    others += of_kernels
    # The others are made for tiles that fill two buffers, or are short where they say so.
    others = [replace(e, buffers=2) if e.buffers == "auto" else e for e in others]
    if arch == ASCEND950:
        # V keeps its order there, and the barrier is none
        others = [_filling(epilogue) for epilogue in others if epilogue.name != "left_out"]
        # So that only MTE3 waits for what V transposes
        stored = TreeVisitor(AuxStore("D", half), AuxLoad("X", half, ColumnMajor))
        others.append(Epilogue("stored_transposed_input", stored, buffers=1))
        # The same of the rows that a gather fills
        stored = TreeVisitor(AuxStore("D", half), AuxGather("X", half, "rows"))
        others.append(Epilogue("stored_gathered", stored, buffers=1))
    names = {epilogue.name for epilogue in of_kernels}
    for epilogue in (*examples, *others):
        plan = lower(epilogue)
        header = epilogue_files(plan, Framework())[f"{plan.name}.hpp"]
        found.append(Subject(plan, header, epilogue in examples, plan.name in names))
    return tuple(found)
