"""Quantised matmuls: int8 operands, int32 accumulators, scales by channel and by token, and narrow weights alone.

An int32 accumulator is that of int8 operands. Where only B is narrow, the weights of a layer, vector cores widen it
to the type of A before the matmul; its scale is the epilogue's, or theirs. A cast to int8 rounds once, to nearest; what
is beyond its range becomes the nearest end of the range.
"""

from evtgen import (
    Acc,
    ColumnMajor,
    ColVector,
    Gemm,
    RowVector,
    Scalar,
    ScalarTensor,
    bfloat16,
    epilogue,
    float8_e4m3fn,
    float32,
    half,
    int4,
    int8,
    int32,
    ops,
)


@epilogue
def dequant_per_channel(acc: Acc[int32], scale: RowVector[float32]):
    return {"D": (acc.cast(float32) * scale).cast(half)}


@epilogue
def dequant_per_token(acc: Acc[int32], scale: ColVector[float32]):
    return {"D": (acc.cast(float32) * scale).cast(half)}


@epilogue
def dequant_both(acc: Acc[int32], channel: RowVector[float32], token: ColVector[float32]):
    return {"D": (acc.cast(float32) * channel * token).cast(bfloat16)}


@epilogue
def dequant_both_bias(acc: Acc[int32], bias: RowVector[int32], channel: RowVector[float32], token: ColVector[float32]):
    return {"D": ((acc + bias).cast(float32) * channel * token).cast(half)}


@epilogue
def dequant_relu_requant(acc: Acc[int32], channel: RowVector[float32], step: ScalarTensor[float32]):
    """int8 in, int8 out."""
    x = ops.relu(acc.cast(float32) * channel) * step
    return {"Q": x.cast(int8)}


@epilogue
def bias_silu_quant(acc: Acc[float32], bias: RowVector[half], step: Scalar[float32]):
    """Bias, activation and the step of the whole tensor, for the int8 matmul that comes next."""
    x = ops.silu(acc + bias.cast(float32)) * step
    return {"Q": x.cast(int8)}


@epilogue
def quant_per_tensor(acc: Acc[float32], step: ScalarTensor[float32]):
    return {"Q": (acc * step).cast(int8)}


@epilogue
def quant_per_token(acc: Acc[float32], step: ColVector[float32]):
    return {"Q": (acc * step).cast(int8)}


@epilogue(gemm=Gemm(a=half, b=int8))
def w8a16_linear(acc: Acc[float32], channel: RowVector[float32], bias: RowVector[half]):
    """A linear layer with weights of int8, a scale for each output channel, and activations of half."""
    return {"D": (acc * channel + bias.cast(float32)).cast(half)}


@epilogue(gemm=Gemm(a=half, b=int8))
def w8_zero_point(acc: Acc[float32], zero: RowVector[float32], channel: RowVector[float32]):
    """x @ ((w - zero) * channel): weights of int8 whose zero is not 0; the product is with w as it is."""
    return {"D": ((acc - ops.a_sum() * zero) * channel).cast(half)}


@epilogue(gemm=Gemm(a=half, b=int8, batch=True, scale="column", zero_point=True))
def weight_quant_batchmatmul(acc: Acc[float32], bias: RowVector[half]):
    """x @ ((weight - b_zero) * b_scale) + bias for each of a batch; the offset of CANN's operator is added instead."""
    return {"D": (acc + bias.cast(float32)).cast(half)}


@epilogue(gemm=Gemm(a=bfloat16, b=float8_e4m3fn, layout_b=ColumnMajor, scale="block:128x128"))
def fp8_block_linear(acc: Acc[float32]):
    """x @ (weight * b_scale): float8 weights as DeepSeek's checkpoints have them, `weight_scale_inv.T` is b_scale."""
    return {"D": acc.cast(bfloat16)}


@epilogue(gemm=Gemm(a=int8, b=int8, scale="block:128x128"))
def quant_matmul_per_group_per_block(acc: Acc[float32], bias: RowVector[float32]):
    """A scale for each 128 elements of a row of A, and for 128 x 128 of B (Catlass, example 51)."""
    return {"D": (acc + bias).cast(half)}


@epilogue(gemm=Gemm(a=int8, b=int8, batch=True, scale="column"))
def quant_batch_matmul_v3(acc: Acc[half], bias: RowVector[half]):
    """CANN's QuantBatchMatmulV3 to half: the Fixpipe takes b_scale, uint64, as npu_trans_quant_param makes it."""
    return {"D": acc + bias}


@epilogue(gemm=Gemm(a=half, b=int4, scale="group:128", zero_point=True))
def w4a16_linear(acc: Acc[float32], bias: RowVector[half]):
    """x @ ((weight - b_zero) * b_scale) + bias: int4, a scale and a zero point for 128 rows, as in GPTQ and AWQ."""
    return {"D": (acc + bias.cast(float32)).cast(half)}


@epilogue(gemm=Gemm(a=int8, b=int4))
def w4a8_per_token_dequant(acc: Acc[int32], channel: RowVector[float32], token: ColVector[float32]):
    """Weights of int4 beside activations of int8, with a scale for each output channel and each token."""
    return {"D": (acc.cast(float32) * channel * token).cast(bfloat16)}


@epilogue(gemm=Gemm(a=int8, b=int4, group="m", group_list="counts", msd=True), arch="AtlasA2")
def w4a8_grouped_matmul_msd(acc: Acc[int32], channel: RowVector[float32], token: ColVector[float32]):
    """The same for a few tokens of each expert: A in digits of int4 (MSD, as in Catlass's examples 35 and 36)."""
    return {"D": (acc.cast(float32) * channel * token).cast(bfloat16)}


@epilogue(gemm=Gemm(a=int4, b=int4), arch="AtlasA2")
def w4a4_per_token_per_channel_dequant(acc: Acc[int32], channel: RowVector[float32], token: ColVector[float32]):
    """Both operands of int4 (Catlass's example 38), which Atlas A2 multiplies."""
    return {"D": (acc.cast(float32) * channel * token).cast(bfloat16)}
