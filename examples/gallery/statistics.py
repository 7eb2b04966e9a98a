"""Statistics for the normalisation or the softmax that comes next, taken while the tile is in UB."""

from evtgen import Acc, Aux, RowVector, epilogue, float32, half, ops


@epilogue
def softmax_max(acc: Acc[float32]):
    """Scaled scores and the largest of each row."""
    scores = acc * 0.125
    return {"scores": scores, "row_max": ops.col_reduce(scores, "max")}


@epilogue
def rms_norm_squares(acc: Acc[float32], residual: Aux[half]):
    """The new residual stream and the sum of squares of each row, for the RMS norm."""
    x = acc + residual.cast(float32)
    return {"D": x.cast(half), "squares": ops.col_reduce(x * x)}


@epilogue
def layer_norm_sums(acc: Acc[float32], bias: RowVector[float32]):
    x = acc + bias
    return {"D": x, "sums": ops.col_reduce(x), "squares": ops.col_reduce(x * x)}


@epilogue
def channel_sums(acc: Acc[float32]):
    """Sum and sum of squares of each column, for batch norm."""
    return {"D": acc, "sums": ops.row_reduce(acc), "squares": ops.row_reduce(acc * acc)}


@epilogue
def abs_max(acc: Acc[float32]):
    """The largest magnitude, of each token and of all, from which quantisation takes its steps."""
    size = ops.absolute(acc)
    token_max = ops.col_reduce(size, "max", identity=0.0)
    return {"D": acc, "token_max": token_max, "all_max": ops.scalar_reduce(size, "max", identity=0.0)}


@epilogue
def bias_gradient(acc: Acc[half]):
    """The gradient of a bias is the sum over the rows, in float32."""
    return {"D": acc, "bias": ops.row_reduce(acc.cast(float32))}


@epilogue(deterministic=True)
def bias_gradient_in_order(acc: Acc[half]):
    """The same with the same bits in every run: the sums are joined in a fixed order, not as cores come."""
    return {"D": acc, "bias": ops.row_reduce(acc.cast(float32))}
