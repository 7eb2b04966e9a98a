"""Epilogues that hold as much as one can."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Any, TypeVar

from evtgen import Acc, Aux, ColVector, epilogue, ops
from evtgen.frontend.load import load
from evtgen.graph.ir import Epilogue, TopologicalVisitor, TreeVisitor, Visitor
from evtgen.graph.types import ElementType, bfloat16, float32, half, int32
from evtgen.measure.accuracy import Case, applied
from evtgen.nodes import (
    AccLoad,
    Alternate,
    AStatistic,
    AuxGather,
    AuxLoad,
    AuxScatter,
    AuxStore,
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
    Part,
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
from evtgen.planner.plan import Plan, lower
from evtgen.targets import AtlasA2

from .paths import CHECKOUT


def everything(buffers: int = 3, acc: ElementType = half, rounding: str = "CAST_NONE") -> Epilogue:
    """Every node kind of a whole tile, nested both ways, with 16- and 32-bit types, and an operator that takes scratch.

    ``rounding`` is that of whole numbers, which Ascend950 does not cast without one.
    """
    ops: list[Visitor] = [
        AccLoad(float32) if acc == float32 else TreeVisitor(Cast(float32, acc), AccLoad(acc)),
        TopologicalVisitor([(), (0,)], [AuxLoad("X", bfloat16), Cast(float32, bfloat16)]),
        AuxLoad("Y", float32, null_default=1.5),
        RowBroadcast("row", float32),
        ColBroadcast("col", float32),
        ScalarBroadcast("scalar", float32),
        TreeVisitor(Cast(float32, int32, rounding), TreeVisitor(Compute("Minus", int32), ColIndex(), RowIndex())),
        AuxGather("Z", float32, rows="z_rows"),
        Compute("Plus", float32),
        Compute("Prelu", float32),
        RowReduce("row_out", "Plus", float32),
        ColReduce("col_out", "Maximum", float32),
        ScalarReduce("scalar_out", "Minimum", float32),
        Cast(bfloat16, float32, "CAST_RINT"),
        Cast(bfloat16, bfloat16),
        AuxStore("D", bfloat16),
        ColStore("col_first", bfloat16),
        RowStore("row_first", bfloat16),
        ScalarStore("scalar_first", bfloat16),
        AuxScatter("E", bfloat16, rows="e_rows"),
        Outputs(),
    ]
    edges = [*[()] * 8, (0, 1, 2, 3, 4, 6, 7), (8, 5), *[(9,)] * 4, *[(i,) for i in range(13, 19)], (10, 11, 12, 19)]
    return Epilogue("everything", TopologicalVisitor(edges, ops), buffers=buffers)


def everything_of_columns() -> Epilogue:
    """Every node kind of a tile that is about some columns, or about what lies beside C: heads, blocks and parts, every
    second column, sums of the rows of A, and the memories of ranks."""
    ops: list[Visitor] = [
        AccLoad(float32),
        AStatistic("a_sum"),
        HeadBroadcast("cos", float32, head=32),
        Compute("Multiplies", float32),
        Compute("Plus", float32),
        Rotate(float32, 32),
        BlockReduced("Maximum", float32, 32),
        BlockStore("S", float32, block=32),
        RankScatter("T", float32, rows="t_rows", ranks="t_ranks"),
        Part(float32, 0, 32),
        AuxStore("P", float32),
        Alternate(float32, 1),
        AuxStore("Q", float32),
        Outputs(),
    ]
    edges = [(), (), (), (0, 2), (3, 1), (4,), (5,), (6,), (5,), (5,), (9,), (5,), (11,), (7, 8, 10, 12)]
    return Epilogue("everything_of_columns", TopologicalVisitor(edges, ops))


def everything_of_rows() -> Epilogue:
    """Every node kind that needs whole rows."""
    ops: list[Visitor] = [
        AccLoad(float32),
        TopK(float32, stop=5),
        TopKResult(float32),
        TopKResult(int32),
        ColReduced("Maximum", float32),
        Compute("Minus", float32),
        AuxStore("D", float32),
        AuxStore("columns", int32),
        ColReduce("total", "Plus", float32),
        Outputs(),
    ]
    return Epilogue(
        "everything_of_rows", TopologicalVisitor([(), (0,), (1,), (1,), (0,), (2, 4), (5,), (3,), (6,), (7, 8)], ops)
    )


def every_operator() -> Epilogue:
    """One chain through every operator that half has."""
    value: Visitor = AccLoad(half)
    for op in OPERATORS.values():
        if half in op.types(AtlasA2):
            more = [AuxLoad(f"X{op.cpp}{i}", half) for i in range(1, op.inputs)]
            value = applied(Case(op, half, tuple(2.0 for _ in op.constants)), [value, *more])
    return Epilogue("every_operator", TreeVisitor(AuxStore("D", half), value))


def every_reduction_again() -> Epilogue:
    """Reductions of every kind that are used again, one of them by another reduction, and a matrix that is kept; one
    of the names is the user's, too."""

    def spec(acc: Any, X: Any, maxOfPlus: Any) -> Any:
        value = acc.cast(float32) + X.cast(float32)
        centred = (value - ops.row_reduce(value, "mean")) * maxOfPlus
        peak = ops.col_reduce(ops.abs(centred), "max")
        total = ops.scalar_reduce(centred / peak, "add")
        return {"D": (centred / peak + total).cast(half), "E": value, "lowest": ops.row_reduce(centred, "min")}

    spec.__annotations__ = {"acc": Acc[half], "X": Aux[half], "maxOfPlus": ColVector[float32]}  # type: ignore[misc, valid-type]
    return epilogue(name="every_reduction_again")(spec)


FULL = os.environ.get("EVTGEN_FULL") == "1"

SAMPLES = {
    2201: {
        "bias_gradient_in_order",
        "bmm_bias_relu",
        "dispatch_ffn_combine",
        "expert_scatter",
        "expert_swiglu",
        "gathered_residual",
        "linear_hf32",
        "moe_wgrad",
        "moving_average",
        "rms_norm_matmul",
        "per_token_group_quant_int8",
        "qkv_rope",
        "softmax",
        "split_k_bias",
        "weight_quant_batchmatmul",
    },
    3510: {"float8_both_scales", "float8_requant"},
}
"""By architecture, epilogues that include each header of the framework but for nodes."""


ARCHES = ("AtlasA2", "Ascend950") if FULL else ("AtlasA2",)
"""Of tests of nodes whose C++ is the same on both: tests/verify/test_handoff.py has every kind of node that Ascend950
has, or names the test that does."""


T = TypeVar("T")


def sample_of(cases: Iterable[T], step: int = 2) -> list[T]:
    """Every ``step``-th case, with EVTGEN_FULL=1 all: of changes of the emitted code that must be flagged, each of
    which is compiled. ``make sabotage`` changes that code in every way."""
    return [*cases][:: 1 if FULL else step]


def random_orders(arch: str) -> int:
    """The ``schedules`` of a kernel that both architectures run: with EVTGEN_FULL=1 five, else one, and on Ascend950
    only the recorded order where the same headers set the same flags; those that feed L1 are run in another one."""
    return 5 if FULL else int(arch == "AtlasA2")


def written(npu: int) -> list[Plan]:
    """Those of the gallery and of the examples; a sample of them unless EVTGEN_FULL is 1."""
    specs = sorted((CHECKOUT / "examples").rglob("*.py"))
    every = {plan.name: plan for plan in map(lower, load(specs)) if plan.arch.npu == npu}
    assert every.keys() >= SAMPLES[npu]
    return [plan for name, plan in every.items() if FULL or name in SAMPLES[npu]]
