"""Matmuls of Ascend950 in MX formats: operands of floats of 8 or 4 bits, of which each 32 along K share a scale.

The matrix unit multiplies by the scales, powers of two of float8_e8m0fnu: the inputs a_scale and b_scale. What one
matmul quantises, the next one takes.
"""

from evtgen import (
    Acc,
    Aux,
    ColumnMajor,
    ColVector,
    Gemm,
    RowVector,
    bfloat16,
    epilogue,
    float4_e2m1fn,
    float8_e4m3fn,
    float8_e5m2,
    float32,
    ops,
)


@epilogue(arch="Ascend950", gemm=Gemm(a=float8_e4m3fn, b=float8_e5m2, layout_b=ColumnMajor, scale="mx"))
def mx_matmul(acc: Acc[float32], bias: RowVector[float32]):
    return {"D": ops.gelu(acc + bias, approximate="tanh").cast(bfloat16)}


@epilogue(arch="Ascend950", gemm=Gemm(a=float8_e4m3fn, b=float8_e4m3fn, layout_b=ColumnMajor, scale="mx", group="m"))
def mx_grouped_matmul(acc: Acc[float32], routing: ColVector[float32]):
    return {"D": (acc * routing).cast(bfloat16)}


@epilogue(arch="Ascend950", gemm=Gemm(a=float8_e4m3fn, b=float8_e4m3fn, layout_b=ColumnMajor, scale="mx"))
def mx_swiglu_quantize(acc: Acc[float32], up: Aux[bfloat16]):
    """SwiGLU in bfloat16, and values and scales of blocks of 32 columns: the A and a_scale of the next matmul."""
    values, scales = ops.quantize_mx((ops.silu(acc) * up.cast(float32)).cast(bfloat16))
    return {"D": values, "scales": scales}


@epilogue(arch="Ascend950", gemm=Gemm(a=float4_e2m1fn, b=float4_e2m1fn, layout_b=ColumnMajor, scale="mx"))
def fp4_mx_swiglu_quantize(acc: Acc[float32], up: Aux[bfloat16]):
    """The same in float4, two values in a byte."""
    values, scales = ops.quantize_mx((ops.silu(acc) * up.cast(float32)).cast(bfloat16), float4_e2m1fn)
    return {"D": values, "scales": scales}


@epilogue(arch="Ascend950", gemm=Gemm(a=float4_e2m1fn, b=float4_e2m1fn, layout_b=ColumnMajor, scale="mx"))
def fp4_mx_matmul(acc: Acc[float32], bias: RowVector[float32]):
    """Two elements lie in a byte, the first in its low half."""
    return {"D": (acc + bias).cast(bfloat16)}


@epilogue(arch="Ascend950", gemm=Gemm(a=float8_e4m3fn, b=float4_e2m1fn, layout_b=ColumnMajor, scale="mx"))
def a8w4_mx_matmul(acc: Acc[float32], bias: RowVector[float32]):
    """The vector cores widen B to the type of A; its scales stay as they are."""
    return {"D": (acc + bias).cast(bfloat16)}
