"""Scaled sums, masks and losses."""

from evtgen import Acc, Aux, RowVector, Scalar, ScalarTensor, epilogue, float32, half, ops


@epilogue
def alpha_beta(acc: Acc[half], X: Aux[half]):
    """alpha * C + beta * X with constants."""
    return {"D": acc * 0.5 + X * 2.0}


@epilogue
def alpha_beta_arguments(acc: Acc[float32], X: Aux[float32], alpha: Scalar[float32] = 1.0, beta: Scalar[float32] = 0.0):
    """alpha * C + beta * X with both given at each launch."""
    return {"D": acc * alpha + X * beta}


@epilogue
def alpha_beta_tensors(acc: Acc[float32], X: Aux[float32], alpha: ScalarTensor[float32], beta: ScalarTensor[float32]):
    """alpha * C + beta * X with both read from global memory."""
    return {"D": acc * alpha + X * beta}


@epilogue
def attention_mask(acc: Acc[float32], mask: Aux[half]):
    """Scores scaled by 1 / sqrt(64), and a mask that is 0 or a large negative number added."""
    return {"scores": acc * 0.125 + mask.cast(float32)}


@epilogue
def attention_keep(acc: Acc[float32], keep: Aux[half], scale: Scalar[float32] = 0.125):
    """Scores where a mask is 1, and the lowest half elsewhere."""
    return {"scores": ops.where(keep > 0, acc * scale, -65504.0)}


@epilogue
def dropout(acc: Acc[half], random: Aux[half], rate: Scalar[half], scale: Scalar[half]):
    return {"D": ops.where(random >= rate, acc * scale, 0.0)}


@epilogue
def relu_gradient(acc: Acc[half], before: Aux[half]):
    return {"D": ops.where(before > 0, acc, 0.0)}


@epilogue
def outliers_apart(acc: Acc[half], limit: Scalar[half] = 6.0):
    """Small values are passed on unchanged; large ones are written to a tensor of their own."""
    small = abs(acc) < limit
    return {"D": ops.where(small, acc, 0.0), "outliers": ops.where(small, 0.0, acc)}


@epilogue
def clip_to_window(acc: Acc[float32], low: Scalar[float32], high: Scalar[float32], X: Aux[float32]):
    """The new value where it lies within a window, the old one elsewhere."""
    return {"D": ops.where((acc > low) & (acc < high), acc, X)}


@epilogue
def loss_scale(acc: Acc[float32], factor: Scalar[float32]):
    """The gradient times the loss scale, kept within what half holds."""
    scaled = ops.clamp(acc * factor, low=-65504.0, high=65504.0)
    return {"D": scaled.cast(half)}


@epilogue
def clip_gradient(acc: Acc[float32], limit: Scalar[float32] = 1.0):
    return {"D": ops.clamp(acc, -limit, limit)}


@epilogue
def gradient_step(acc: Acc[float32], weight: Aux[float32]):
    return {"updated": weight - acc * 0.001}


@epilogue
def batch_norm(acc: Acc[float32], mean: RowVector[float32], inverse: RowVector[float32], shift: RowVector[float32]):
    return {"D": ((acc - mean) * inverse + shift).cast(half)}


@epilogue
def squared_error(acc: Acc[float32], target: Aux[float32]):
    """The sum of squared errors, and the errors themselves for the backward pass."""
    error = acc - target
    return {"error": error, "loss": ops.scalar_reduce(error * error)}
