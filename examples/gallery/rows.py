"""Reductions that are used again in the same kernel: softmax, norms, dynamic quantisation, statistics of a batch."""

import math

from evtgen import Acc, Aux, RowVector, Scalar, bfloat16, epilogue, float32, half, ops


@epilogue
def softmax(acc: Acc[float32]):
    """torch.softmax(x, dim=-1), in three phases"""
    return {"D": ops.softmax(acc).cast(bfloat16)}


@epilogue
def softmax_lse(acc: Acc[float32], scale: Scalar[float32] = 0.125):
    """torch.softmax(scale * x, dim=-1), and the logarithm of the sum, which the backward pass needs"""
    x = acc * scale
    most = ops.col_reduce(x, "max")
    raised = ops.exp(x - most)
    total = ops.col_reduce(raised, "add")
    return {"D": (raised / total).cast(bfloat16), "lse": most + ops.log(total)}


@epilogue
def causal_softmax(acc: Acc[float32], scale: Scalar[float32] = 0.125):
    """torch.softmax(torch.where(j <= i, scale * x, -inf), dim=-1): the weights of attention to what came before"""
    seen = ops.col_index() <= ops.row_index()
    return {"D": ops.softmax(ops.where(seen, acc * scale, -math.inf)).cast(bfloat16)}


@epilogue
def log_softmax(acc: Acc[float32], bias: RowVector[float32]):
    """torch.log_softmax(x + bias, dim=-1)"""
    return {"D": ops.log_softmax(acc + bias)}


@epilogue
def add_rms_norm(acc: Acc[float32], residual: Aux[bfloat16], gamma: RowVector[bfloat16]):
    """The residual stream, and what the next layer reads of it, as in npu_add_rms_norm.

    total = x + residual, torch.nn.functional.rms_norm(total, (n,), gamma, 1e-6)
    """
    total = acc + residual.cast(float32)
    return {"D": ops.rms_norm(total, gamma).cast(bfloat16), "total": total.cast(bfloat16)}


@epilogue
def moe_gating_top_1(acc: Acc[float32]):
    """The first expert of each token, and its probability: torch.max(torch.softmax(x, -1), -1)"""
    total = ops.col_reduce(ops.exp(acc - ops.col_reduce(acc, "max")), "add")
    return {"weight": 1 / total, "expert": ops.argmax(acc)}


@epilogue
def moe_gating_top_k_softmax(acc: Acc[float32]):
    """The probabilities and the numbers of the 8 experts of each token, as npu_moe_gating_top_k_softmax gives them.

    torch.topk(torch.softmax(x, dim=-1), 8)
    """
    logits, experts = ops.topk(acc, 8)
    most = ops.col_reduce(acc, "max")
    total = ops.col_reduce(ops.exp(acc - most), "add")
    return {"y": ops.exp(logits - most) / total, "expert_idx": experts}


@epilogue
def rms_norm_matmul(acc: Acc[float32], k: Scalar[float32]):
    """torch.nn.functional.rms_norm(x, (k,), gamma, 1e-6) @ w, where the weights are gamma * w: the norm is behind the
    product, and no kernel of its own reads x before."""
    return {"D": (acc * ops.rsqrt(ops.a_sum_of_squares() / k + 1e-6)).cast(bfloat16)}


@epilogue
def layer_norm(acc: Acc[float32], bias: RowVector[float32], gamma: RowVector[float32], beta: RowVector[float32]):
    """torch.nn.functional.layer_norm(x + bias, (n,), gamma, beta)"""
    return {"D": ops.layer_norm(acc + bias, gamma, beta)}


@epilogue
def quantize_per_token(acc: Acc[half]):
    """int8 values and the scale of each row, as npu_dynamic_quant gives them."""
    values, scales = ops.quantize_per_token(acc)
    return {"D": values, "scales": scales}


@epilogue
def relu_quantize_per_tensor(acc: Acc[half], bias: RowVector[half]):
    """int8 values and one scale for all of them: y / (y.max() / 127) with y = torch.relu(x + bias)"""
    values, scale = ops.quantize_per_tensor(ops.relu(acc + bias))
    return {"D": values, "scale": scale}


@epilogue
def batch_norm_training(acc: Acc[float32], gamma: RowVector[float32], beta: RowVector[float32]):
    """torch.nn.functional.batch_norm(x, None, None, gamma, beta, training=True), with the statistics that it used."""
    mean = ops.row_reduce(acc, "mean")
    centred = acc - mean
    variance = ops.row_reduce(centred * centred, "mean")
    return {"D": centred / ops.sqrt(variance + 1e-5) * gamma + beta, "mean": mean, "variance": variance}


@epilogue
def top1_gate(acc: Acc[float32]):
    """The first expert of each token alone, with its probability: where(x == x.max(-1), softmax(x), 0)"""
    most = ops.col_reduce(acc, "max")
    total = ops.col_reduce(ops.exp(acc - most), "add")
    return {"D": ops.where(acc == most, 1 / total, 0.0)}
