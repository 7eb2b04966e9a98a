"""Batched matmuls: many of one shape in one launch, as in attention and in gradients by sample.

Every tensor has a part for each matmul, or one that all of them share: a stride of 0 in ``Arguments`` says which. Or
several matmuls, one after the other, take one part: ``repeatB = 4`` for a B of L / 4 matrices.
"""

from evtgen import Acc, Aux, ColumnMajor, ColVector, Gemm, RowVector, Scalar, epilogue, float32, half, int32, ops


@epilogue(gemm=Gemm(batch=True, layout_b=ColumnMajor))
def attention_scores(acc: Acc[float32], mask: Aux[half], scale: Scalar[float32] = 0.125):
    """Q times the transposed K, by head: scaled, and a mask added that all heads may share.

    torch.baddbmm(mask, q, k.transpose(1, 2), alpha=scale)
    """
    return {"scores": (acc * scale + mask.cast(float32)).cast(half)}


@epilogue(gemm=Gemm(batch=True, layout_b=ColumnMajor))
def attention_scores_max(acc: Acc[float32], scale: Scalar[float32] = 0.125):
    """Scaled scores and the largest of each row, for the softmax of each head.

    scores = scale * q @ k.transpose(1, 2); row_max = scores.amax(2, keepdim=True)
    """
    scores = acc * scale
    return {"scores": scores, "row_max": ops.col_reduce(scores, "max")}


@epilogue(gemm=Gemm(batch=True, layout_b=ColumnMajor))
def gqa_scores(acc: Acc[float32], mask: Aux[half], scale: Scalar[float32] = 0.125, cap: Scalar[float32] = 50.0):
    """Scores of grouped-query attention, as of Gemma 2: several heads of queries take one head of keys, and all heads
    of a sequence its mask.

    cap * torch.tanh(q @ k.repeat_interleave(r, 0).transpose(1, 2) * scale / cap) + mask.repeat_interleave(heads, 0)
    """
    capped = ops.tanh(acc * scale / cap) * cap
    return {"scores": (capped + mask.cast(float32)).cast(half)}


@epilogue(gemm=Gemm(batch=True))
def attention_values(acc: Acc[float32], inverse_sums: ColVector[float32]):
    """Exponentials of the scores times V, by head, each row scaled by one over its sum: the end of a softmax.

    ((p @ v) * inverse_sums).half()
    """
    return {"D": (acc * inverse_sums).cast(half)}


@epilogue(gemm=Gemm(batch=True))
def capacity_combine(acc: Acc[float32], gate: ColVector[float32], token: ColVector[int32]):
    """The combine behind experts of a fixed capacity: row i of an expert is added to the row of its token, times the
    gate. The experts share the output; a place without a token has the number -1.

    D.index_add_(0, token.flatten(), (torch.bmm(x, w) * gate).flatten(0, 1))
    """
    return {"D": ops.scatter(acc * gate, rows=token, add=True)}


@epilogue(gemm=Gemm(batch=True))
def baddbmm(acc: Acc[float32], input: Aux[half], alpha: Scalar[float32] = 1.0, beta: Scalar[float32] = 1.0):
    """torch.baddbmm(input, a, b, beta=beta, alpha=alpha)"""
    return {"D": (input.cast(float32) * beta + acc * alpha).cast(half)}


@epilogue(gemm=Gemm(batch=True))
def bmm_bias_relu(acc: Acc[half], bias: RowVector[half]):
    """Layers of an ensemble side by side, each with its bias: torch.relu(torch.bmm(x, w) + bias)."""
    return {"D": ops.relu(acc + bias)}


@epilogue(gemm=Gemm(batch=True, layout_a=ColumnMajor))
def weight_gradients(acc: Acc[float32], total: Aux[float32]):
    """The gradient of each weight added to that of earlier steps, and the sum over its rows.

    D = total + x.transpose(1, 2) @ dy; sums = D.sum(1, keepdim=True)
    """
    gradient = total + acc
    return {"D": gradient, "sums": ops.row_reduce(gradient)}
