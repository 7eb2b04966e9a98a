"""Quantised matmuls: int8 operands, int32 accumulators, scales by channel and by token."""

from evtgen import (
    Acc,
    ColVector,
    Gemm,
    RowVector,
    Scalar,
    ScalarTensor,
    bfloat16,
    epilogue,
    float32,
    half,
    int8,
    int32,
    ops,
)

INT8 = Gemm(a=int8, b=int8, c=int32)


@epilogue(gemm=INT8)
def dequant_per_channel(acc: Acc[int32], scale: RowVector[float32]):
    return {"D": (acc.cast(float32) * scale).cast(half)}


@epilogue(gemm=INT8)
def dequant_per_token(acc: Acc[int32], scale: ColVector[float32]):
    return {"D": (acc.cast(float32) * scale).cast(half)}


@epilogue(gemm=INT8)
def dequant_both(acc: Acc[int32], channel: RowVector[float32], token: ColVector[float32]):
    return {"D": (acc.cast(float32) * channel * token).cast(bfloat16)}


@epilogue(gemm=INT8)
def dequant_both_bias(acc: Acc[int32], bias: RowVector[int32], channel: RowVector[float32], token: ColVector[float32]):
    return {"D": ((acc + bias).cast(float32) * channel * token).cast(half)}


@epilogue(gemm=INT8)
def dequant_relu_requant(acc: Acc[int32], channel: RowVector[float32], step: ScalarTensor[float32]):
    """int8 in, int8 out: rounded to nearest and kept within int8."""
    x = ops.relu(acc.cast(float32) * channel) * step
    return {"Q": ops.minimum(x, 127.0).cast(half, round="CAST_ODD").cast(int8, round="CAST_RINT")}


@epilogue
def bias_silu_quant(acc: Acc[float32], bias: RowVector[half], step: Scalar[float32]):
    """Bias, activation and the step of the whole tensor, for the int8 matmul that comes next."""
    x = ops.silu(acc + bias.cast(float32)) * step
    return {"Q": ops.clamp(x, low=-128.0, high=127.0).cast(half, round="CAST_ODD").cast(int8, round="CAST_RINT")}


@epilogue
def quant_per_tensor(acc: Acc[float32], step: ScalarTensor[float32]):
    x = ops.clamp(acc * step, low=-128.0, high=127.0)
    return {"Q": x.cast(half, round="CAST_ODD").cast(int8, round="CAST_RINT")}


@epilogue
def quant_per_token(acc: Acc[float32], step: ColVector[float32]):
    x = ops.clamp(acc * step, low=-128.0, high=127.0)
    return {"Q": x.cast(half, round="CAST_ODD").cast(int8, round="CAST_RINT")}
