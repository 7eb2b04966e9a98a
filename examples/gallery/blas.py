"""Scaled sums, masks and losses."""

from evtgen import Acc, Aux, RowVector, ScalarTensor, epilogue, float32, half, ops


@epilogue
def alpha_beta(acc: Acc[half], X: Aux[half]):
    """alpha * C + beta * X with constants."""
    return {"D": acc * 0.5 + X * 2.0}


@epilogue
def alpha_beta_tensors(acc: Acc[float32], X: Aux[float32], alpha: ScalarTensor[float32], beta: ScalarTensor[float32]):
    """alpha * C + beta * X with both read from global memory."""
    return {"D": acc * alpha + X * beta}


@epilogue
def attention_mask(acc: Acc[float32], mask: Aux[half]):
    """Scores scaled by 1 / sqrt(64), and a mask that is 0 or a large negative number added."""
    return {"scores": acc * 0.125 + mask.cast(float32)}


@epilogue
def loss_scale(acc: Acc[float32], factor: ScalarTensor[float32]):
    """The gradient times the loss scale, kept within what half holds."""
    scaled = ops.clamp(acc * factor, low=-65504.0, high=65504.0)
    return {"D": scaled.cast(half)}


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
