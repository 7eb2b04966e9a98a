"""Quantised matmuls of Ascend950: operands of 8-bit floats, float32 accumulators, scales by channel, by token, of
groups of K, or one.

A cast to a float of 8 bits rounds once, to nearest. What is too large becomes infinite, or NaN in float8_e4m3fn, which
has no infinities: clamp what may be.
"""

from evtgen import (
    Acc,
    ColumnMajor,
    ColVector,
    Gemm,
    RowVector,
    Scalar,
    bfloat16,
    epilogue,
    float8_e4m3fn,
    float8_e5m2,
    float32,
    half,
    ops,
)


@epilogue(arch="Ascend950", gemm=Gemm(a=float8_e4m3fn, b=float8_e4m3fn))
def float8_both_scales(acc: Acc[float32], channel: RowVector[float32], token: ColVector[float32]):
    return {"D": (acc * channel * token).cast(half)}


@epilogue(arch="Ascend950", gemm=Gemm(a=float8_e5m2, b=float8_e4m3fn))
def float8_requant(acc: Acc[float32], step: Scalar[float32]):
    """8-bit floats in, 8-bit floats out, for the matmul that comes next."""
    return {"Q": ops.clamp(acc * step, -448.0, 448.0).cast(float8_e4m3fn)}


@epilogue(
    arch="Ascend950",
    gemm=Gemm(a=float8_e4m3fn, b=float8_e4m3fn, layout_b=ColumnMajor, scale="block:128x128", group="m"),
)
def grouped_block_fp8_matmul(acc: Acc[float32], routing: ColVector[float32]):
    return {"D": (acc * routing).cast(bfloat16)}


@epilogue(arch="Ascend950", gemm=Gemm(a=float8_e4m3fn, b=float8_e4m3fn, layout_b=ColumnMajor, scale="block:128x128"))
def w8a8_block_fp8_matmul(acc: Acc[float32]):
    """vLLM's fp8 linear of DeepSeek's checkpoints: x in groups of 128, the weight in blocks of 128 x 128."""
    return {"D": acc.cast(bfloat16)}
