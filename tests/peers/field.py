"""Fused matmuls of the field: operators of CANN (ops-transformer), vLLM-Ascend, SGLang and Catlass, as epilogues.

Each is a matmul of an operator and all that the operator does behind it, in the operand types that the operator takes.
``meant`` is the operator's formula, written in numpy, apart from the spec; it gets the exact product in float64. Where
an operator has two matmuls, each is one kernel here. docs/field.md lists them with those that cannot be written.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

import evtgen as evt
from evtgen import (
    Acc,
    Aux,
    ColVector,
    Epilogue,
    Gemm,
    RowVector,
    Scalar,
    ScalarTensor,
    bfloat16,
    float32,
    half,
    int8,
    int32,
    ops,
)

Meant = Callable[..., Any]

FIELD: dict[str, tuple[Epilogue, Meant | None]] = {}
"""By name: the spec, and what is meant; None where a function of one matmul cannot say it: where rows of several
matmuls are listed."""

TIES = {"grouped_matmul_swiglu_quant", "rms_norm_dynamic_quant", "dequant_swiglu_quant"}
"""Quotients of whole numbers lie in the middle of two whole numbers, where a function in float64 may round to either;
so these have normal data."""

experts = Gemm(group="m", group_list="counts")
adapters = Gemm(group="m", group_list="counts", weight_index=True)
wide = Gemm(a=bfloat16, b=bfloat16)
wide_halves = Gemm(a=bfloat16, b=bfloat16, accumulators="halves")


def field(meant: Meant | None, gemm: Gemm | None = None) -> Callable[[Callable[..., Any]], Epilogue]:
    """Adds the epilogue of a function."""

    def add(function: Callable[..., Any]) -> Epilogue:
        made = evt.epilogue(gemm=gemm or Gemm())(function)
        FIELD[made.name] = made, meant
        return made

    return add


def silu(x: Any) -> Any:
    return x / (1 + np.exp(-x))


def gelu(x: Any) -> Any:
    return x * 0.5 * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2)))


def normed(x: Any, gamma: Any, epsilon: float = 1e-6) -> Any:
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + epsilon) * gamma


def to_int8(x: Any) -> Any:
    return np.clip(np.rint(x), -128, 127)


def per_token(x: Any) -> dict[str, Any]:
    step = np.abs(x).max(-1, keepdims=True) / 127
    return {"D": np.rint(x / np.where(step == 0, 1, step)), "scales": step}


# Grouped matmuls of CANN: gmm/grouped_matmul, gmm/grouped_matmul_swiglu_quant


@field(lambda acc, bias: acc + bias, experts)
def grouped_matmul_bias(acc: Acc[float32], bias: RowVector[half]):
    return {"D": (acc + bias.cast(float32)).cast(half)}


@field(lambda acc, bias, scale, offset: to_int8((acc + bias) * scale + offset), experts)
def grouped_matmul_quant(
    acc: Acc[int32], bias: RowVector[int32], scale: RowVector[float32], offset: RowVector[float32]
):
    return {"D": ((acc + bias).cast(float32) * scale + offset).cast(int8)}


@field(lambda acc, bias, scale, token: (acc + bias) * scale * token, experts)
def grouped_matmul_per_token(
    acc: Acc[int32], bias: RowVector[int32], scale: RowVector[bfloat16], token: ColVector[float32]
):
    return {"D": ((acc + bias).cast(float32) * scale.cast(float32) * token).cast(bfloat16)}


@field(lambda acc, scale, token: gelu(acc * scale * token), experts)
def grouped_matmul_activation(acc: Acc[int32], scale: RowVector[float32], token: ColVector[float32]):
    return {"D": ops.gelu(acc.cast(float32) * scale * token).cast(half)}


def _swiglu_quant(gate: Any, up: Any, gate_scale: Any, up_scale: Any, token: Any) -> Any:
    return per_token(silu(gate * gate_scale * token) * (up * up_scale * token))


@field(_swiglu_quant, Gemm(group="m", accumulators="halves"))
def grouped_matmul_swiglu_quant(
    gate: Acc[int32],
    up: Acc[int32],
    gate_scale: RowVector[float32],
    up_scale: RowVector[float32],
    token: ColVector[float32],
):
    x = ops.silu(gate.cast(float32) * gate_scale * token) * (up.cast(float32) * up_scale * token)
    values, scales = ops.quantize_per_token(x)
    return {"D": values, "scales": scales}


# ffn/ffn: both matmuls, in its three ways


@field(lambda acc, bias: gelu(acc + bias))
def ffn_up(acc: Acc[float32], bias: RowVector[half]):
    return {"D": ops.gelu(acc + bias.cast(float32)).cast(half)}


@field(lambda acc, bias: acc + bias, wide)
def ffn_down(acc: Acc[float32], bias: RowVector[float32]):
    return {"D": (acc + bias).cast(bfloat16)}


@field(lambda gate, up: silu(gate) * up, Gemm(accumulators="halves"))
def ffn_swiglu(gate: Acc[float32], up: Acc[float32]):
    return {"D": (ops.silu(gate) * up).cast(half)}


@field(lambda gate, up: gelu(gate) * up, Gemm(accumulators="halves"))
def ffn_geglu(gate: Acc[float32], up: Acc[float32]):
    return {"D": (ops.gelu(gate) * up).cast(half)}


@field(lambda gate, up: np.maximum(gate, 0) * up, Gemm(accumulators="halves"))
def ffn_reglu(gate: Acc[float32], up: Acc[float32]):
    return {"D": (ops.relu(gate) * up).cast(half)}


@field(lambda acc, bias, deq, scale, offset: to_int8(np.maximum((acc + bias) * deq, 0) * scale + offset))
def ffn_quant_up(
    acc: Acc[int32],
    bias: RowVector[int32],
    deq: RowVector[float32],
    scale: ScalarTensor[float32],
    offset: ScalarTensor[float32],
):
    return {"D": (ops.relu((acc + bias).cast(float32) * deq) * scale + offset).cast(int8)}


@field(lambda acc, bias, deq: (acc + bias) * deq)
def ffn_quant_down(acc: Acc[int32], bias: RowVector[int32], deq: RowVector[float32]):
    return {"D": ((acc + bias).cast(float32) * deq).cast(half)}


@field(lambda acc, bias, x3: acc + bias + x3)
def swin_attention_ffn(acc: Acc[float32], bias: RowVector[half], x3: Aux[half]):
    return {"D": (acc + bias.cast(float32) + x3.cast(float32)).cast(half)}


# mc2: the part of each rank, before or behind the exchange


@field(lambda acc, bias, x3: acc + bias + x3)
def matmul_all_reduce(acc: Acc[float32], bias: RowVector[half], x3: Aux[half]):
    return {"D": (acc + bias.cast(float32) + x3.cast(float32)).cast(half)}


@field(lambda acc, bias, scale, token, x3: (acc + bias) * scale * token + x3)
def quant_matmul_all_reduce(
    acc: Acc[int32],
    bias: RowVector[int32],
    scale: RowVector[bfloat16],
    token: ColVector[float32],
    x3: Aux[bfloat16],
):
    return {"D": ((acc + bias).cast(float32) * scale.cast(float32) * token + x3.cast(float32)).cast(bfloat16)}


@field(lambda acc, scale, token, comm: to_int8(acc * scale * token / comm))
def quant_matmul_all_reduce_int8(
    acc: Acc[int32], scale: RowVector[bfloat16], token: ColVector[float32], comm: RowVector[bfloat16]
):
    return {"D": (acc.cast(float32) * scale.cast(float32) * token / comm.cast(float32)).cast(int8)}


@field(lambda acc, bias, residual, gamma: {"y": acc + bias + residual, "D": normed(acc + bias + residual, gamma)})
def matmul_add_rms_norm(acc: Acc[float32], bias: RowVector[half], residual: Aux[half], gamma: RowVector[half]):
    y = acc + bias.cast(float32) + residual.cast(float32)
    return {"D": ops.rms_norm(y, gamma).cast(half), "y": y.cast(half)}


def _dequant_add_rms_norm(acc: Any, bias: Any, scale: Any, residual: Any, gamma: Any) -> Any:
    y = (acc + bias) * scale + residual
    return {"y": y, "D": normed(y, gamma)}


@field(_dequant_add_rms_norm)
def quant_matmul_add_rms_norm(
    acc: Acc[int32],
    bias: RowVector[int32],
    scale: RowVector[bfloat16],
    residual: Aux[bfloat16],
    gamma: RowVector[bfloat16],
):
    y = (acc + bias).cast(float32) * scale.cast(float32) + residual.cast(float32)
    return {"D": ops.rms_norm(y, gamma).cast(bfloat16), "y": y.cast(bfloat16)}


@field(lambda acc, bias: silu(acc + bias), Gemm(batch=True))
def batch_mat_mul_activation(acc: Acc[float32], bias: RowVector[half]):
    return {"D": ops.silu(acc + bias.cast(float32)).cast(half)}


@field(lambda acc: acc, Gemm(a=bfloat16, b=bfloat16, batch=True))
def batch_mat_mul_reduce_scatter(acc: Acc[float32]):
    return {"D": acc.cast(bfloat16)}


# moe: what stands behind a matmul of experts or of the router


@field(None, Gemm(group="m"))
def moe_finalize_routing(acc: Acc[float32], bias: RowVector[float32], scale: ColVector[float32], row: ColVector[int32]):
    return {"D": ops.scatter((acc + bias) * scale, rows=row, add=True)}


@field(None, Gemm(group="m"))
def moe_token_unpermute(acc: Acc[float32], probability: ColVector[float32], token: ColVector[int32]):
    return {"D": ops.scatter(acc * probability, rows=token, add=True)}


# vLLM-Ascend: csrc, and its kernels in Triton


@field(lambda acc, y, scale: y + acc * scale, adapters)
def sgmv_shrink(acc: Acc[float32], y: Aux[float32], scale: Scalar[float32] = 0.5):
    return {"D": y + acc * scale}


@field(lambda acc, y: y + acc, adapters)
def sgmv_expand(acc: Acc[float32], y: Aux[half]):
    return {"D": (y.cast(float32) + acc).cast(half)}


@field(lambda acc: acc, Gemm(batch=True))
def batch_matmul_transpose(acc: Acc[float32]):
    return {"D": acc.cast(half)}


@field(lambda acc, bias, residual, gamma: {"y": acc + residual, "D": normed(acc + residual, gamma) + bias}, wide)
def add_rms_norm_bias(
    acc: Acc[float32], residual: Aux[bfloat16], gamma: RowVector[bfloat16], bias: RowVector[bfloat16]
):
    y = acc + residual.cast(float32)
    return {"D": (ops.rms_norm(y, gamma) + bias.cast(float32)).cast(bfloat16), "y": y.cast(bfloat16)}


@field(lambda acc, gamma: normed(acc, 1 + gamma), wide)
def gemma_rms_norm(acc: Acc[float32], gamma: RowVector[bfloat16]):
    return {"D": ops.rms_norm(acc, 1.0 + gamma.cast(float32)).cast(bfloat16)}


@field(lambda acc, gamma: per_token(normed(acc, gamma)))
def rms_norm_dynamic_quant(acc: Acc[float32], gamma: RowVector[half]):
    values, scales = ops.quantize_per_token(ops.rms_norm(acc, gamma))
    return {"D": values, "scales": scales}


def _clamped(gate: Any, up: Any, gate_scale: Any, up_scale: Any, token: Any, limit: Any) -> Any:
    gate = np.minimum(gate * gate_scale * token, limit)
    return per_token(silu(gate) * np.clip(up * up_scale * token, -limit, limit))


@field(_clamped, Gemm(accumulators="halves"))
def dequant_swiglu_quant(
    gate: Acc[int32],
    up: Acc[int32],
    gate_scale: RowVector[float32],
    up_scale: RowVector[float32],
    token: ColVector[float32],
    limit: Scalar[float32] = 7.0,
):
    gated = ops.silu(ops.minimum(gate.cast(float32) * gate_scale * token, limit))
    linear = up.cast(float32) * up_scale * token
    values, scales = ops.quantize_per_token(gated * ops.maximum(ops.minimum(linear, limit), -limit))
    return {"D": values, "scales": scales}


@field(
    lambda gate, up: np.minimum(silu(gate), 7) * np.clip(up, -7, 7), Gemm(a=bfloat16, b=bfloat16, accumulators="halves")
)
def swiglustep(gate: Acc[float32], up: Acc[float32]):
    return {"D": (ops.minimum(ops.silu(gate), 7.0) * ops.clamp(up, -7.0, 7.0)).cast(bfloat16)}


@field(lambda acc, A_log, dt_bias: -np.exp(A_log) * np.log1p(np.exp(acc + dt_bias)))
def fused_gdn_gating(acc: Acc[float32], A_log: RowVector[float32], dt_bias: RowVector[float32]):
    return {"D": -ops.exp(A_log) * ops.softplus(acc + dt_bias)}


@field(lambda acc: acc / np.sqrt((acc * acc).sum(-1, keepdims=True) + 1e-6), wide)
def l2norm(acc: Acc[float32]):
    return {"D": (acc * ops.rsqrt(ops.col_reduce(acc * acc, "add") + 1e-6)).cast(bfloat16)}


@field(lambda acc, y, scale: acc * scale + y, wide)
def muls_add(acc: Acc[float32], y: Aux[bfloat16], scale: Scalar[float32] = 0.7):
    return {"D": (acc * scale + y.cast(float32)).cast(bfloat16)}


def _log_softmax(x: Any) -> Any:
    x = x - x.max(-1, keepdims=True)
    return x - np.log(np.exp(x).sum(-1, keepdims=True))


@field(_log_softmax)
def compute_token_logprobs(acc: Acc[float32]):
    return {"D": ops.log_softmax(acc)}


@field(lambda acc, temperature: acc / temperature)
def temperature(acc: Acc[float32], temperature: ColVector[float32]):
    return {"D": acc / temperature}


@field(lambda acc, p: np.where(acc < acc.max(-1, keepdims=True) + np.log(p), -np.inf, acc))
def min_p(acc: Acc[float32], p: ColVector[float32]):
    return {"D": ops.where(acc < ops.col_reduce(acc, "max") + ops.log(p), -math.inf, acc)}


# Catlass's own examples


@field(lambda acc, scale, token: acc * scale * token)
def quant_matmul(acc: Acc[int32], scale: RowVector[bfloat16], token: ColVector[bfloat16]):
    return {"D": (acc.cast(float32) * scale.cast(float32) * token.cast(float32)).cast(bfloat16)}


@field(lambda acc, bias: np.maximum(acc + bias, 0))
def matmul_relu(acc: Acc[float32], bias: RowVector[float32]):
    return {"D": ops.relu(acc + bias).cast(half)}


@field(None)
def swin_transformer_ln_qkv(
    acc: Acc[float32], folded: RowVector[float32], bias: RowVector[float32], k: Scalar[float32] = 40.0
):
    mean = ops.a_sum() / k
    variance = ops.a_sum_of_squares() / k - mean * mean
    qkv = ((acc - mean * folded) * ops.rsqrt(variance + 1e-5) + bias).cast(half)
    return {"q": qkv[:, 0:128], "k_": qkv[:, 128:256], "v": qkv[:, 256:384]}
