"""What depends on where an element stands: masks of attention, and distances."""

import math

from evtgen import Acc, ColumnMajor, Gemm, Scalar, ScalarTensor, epilogue, float32, half, ops


@epilogue(gemm=Gemm(batch=True, layout_b=ColumnMajor))
def causal_scores(acc: Acc[float32], scale: Scalar[float32] = 0.125):
    """Attention scores of which none sees what comes after it.

    (q @ k.mT * scale).masked_fill(torch.ones_like(scores).triu(1).bool(), -torch.inf)
    """
    return {"scores": ops.where(ops.row_index() >= ops.col_index(), acc * scale, -math.inf).cast(half)}


@epilogue(gemm=Gemm(batch=True, layout_b=ColumnMajor))
def alibi_scores(acc: Acc[float32], slope: ScalarTensor[float32], scale: Scalar[float32] = 0.125):
    """Attention scores less a slope of each head times the distance (ALiBi).

    q @ k.mT * scale + slope * (column - row)
    """
    distance = ops.col_index() - ops.row_index()
    scores = acc * scale + slope * distance.cast(float32)
    return {"scores": ops.where(distance <= 0, scores, -math.inf)}


@epilogue(gemm=Gemm(layout_b=ColumnMajor))
def sliding_window(acc: Acc[half]):
    """Scores within a window of 4 to either side."""
    return {"scores": ops.where(abs(ops.row_index() - ops.col_index()) <= 4, acc, -math.inf)}


@epilogue
def lower_triangle(acc: Acc[float32]):
    """torch.tril(x @ y), as in linear attention, and the sums of its columns."""
    lower = ops.where(ops.row_index() >= ops.col_index(), acc, 0.0)
    return {"D": lower, "sums": ops.row_reduce(lower)}
