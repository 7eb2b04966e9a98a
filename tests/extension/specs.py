"""Epilogues for an extension: one of each form that an operator's arguments and results have."""

from typing import Any

from evtgen import (
    Acc,
    Aux,
    ColumnMajor,
    ColVector,
    Dispatch,
    Gemm,
    RowVector,
    Scalar,
    bfloat16,
    epilogue,
    float32,
    half,
    int4,
    int32,
    ops,
)  # fmt: skip


@epilogue(gemm=Gemm(layout_b=ColumnMajor))
def linear(acc: Acc[float32], bias: RowVector[half] = 0.0, alpha: Scalar[float32] = 0.5, X: Aux[half] = 0.0) -> Any:
    """Arguments that may be left out, and a weight as frameworks have it."""
    return {"D": (acc * alpha + bias.cast(float32) + X.cast(float32)).cast(half)}


@epilogue
def summed(acc: Acc[half], row: RowVector[half], count: Scalar[int32], limit: Scalar[half]) -> Any:
    """Several results, and reductions; a number behind a tensor; a whole number."""
    d = ops.minimum(acc + row, limit)
    wide = d.cast(float32)
    return {
        "D": d,
        "total": ops.row_reduce(wide, "add"),
        "top": ops.col_reduce(wide, "max"),
        "Q": wide.cast(int32) + count,
    }


@epilogue(gemm=Gemm(a=bfloat16, b=bfloat16))
def softmax(acc: Acc[float32]) -> Any:
    """Phases: vector cores that wait for each other."""
    return {"D": ops.softmax(acc).cast(bfloat16)}


@epilogue(gemm=Gemm(batch=True))
def batched(acc: Acc[half], bias: RowVector[half], X: Aux[half]) -> Any:
    d = ops.relu(acc + bias) + X
    return {"D": d, "total": ops.row_reduce(d.cast(float32), "add")}


@epilogue(gemm=Gemm(group="m"))
def experts(acc: Acc[int32], scale: RowVector[float32], token: ColVector[float32]) -> Any:
    return {"D": (acc.cast(float32) * scale * token).cast(half)}


@epilogue(gemm=Gemm(a=int4, b=int4, layout_b=ColumnMajor))
def w4a4(acc: Acc[int32], scale: RowVector[float32]) -> Any:
    """Two elements of each operand in a byte."""
    return {"D": (acc.cast(float32) * scale).cast(half)}


@epilogue(gemm=Gemm(accumulators="separate"))
def gated(gate: Acc[float32], up: Acc[float32]) -> Any:
    return {"D": (ops.silu(gate) * up).cast(half)}


@epilogue
def sent(acc: Acc[float32], row: ColVector[int32], rank: ColVector[int32]) -> Any:
    """What is written to the memories of ranks, and a result."""
    return {"D": ops.scatter(acc.cast(half), rows=row, ranks=rank), "E": ops.row_reduce(acc, "add")}


@epilogue(gemm=Gemm(group="m", group_list="counts", weight_index=True))
def adapters(acc: Acc[float32], y: Aux[half]) -> Any:
    """A B by its number, as SGLang's sgmv_expand takes it."""
    return {"D": (y.cast(float32) + acc).cast(half)}


@epilogue(gemm=Gemm(group="m", group_list="counts", group_type=int32, accumulators="halves", weights="pointers"))
def listed(gate: Acc[float32], up: Acc[float32]) -> Any:
    """A list of Bs, and groups in int32."""
    return {"D": (ops.silu(gate) * up).cast(half)}


@epilogue
def served(acc: Acc[half], bias: RowVector[half]) -> Any:
    return {"D": ops.relu(acc + bias)}


few_rows = Dispatch(served, {16: {"l1": (16, 256, 256), "split_k": 1}})
"""A kernel for few rows, and one for others."""

EPILOGUES = [linear, summed, softmax, batched, experts, w4a4, gated, sent, adapters, listed, *few_rows]
