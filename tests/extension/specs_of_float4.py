"""Two matmuls: what the first makes, in groups of rows, in float4, the second multiplies."""

from typing import Any

from evtgen import Acc, ColumnMajor, Gemm, bfloat16, epilogue, float4_e2m1fn, float32, ops


@epilogue(arch="Ascend950", gemm=Gemm(a=bfloat16, b=bfloat16, group="m"))
def up(acc: Acc[float32]) -> Any:
    values, scales = ops.quantize_mx(acc.cast(bfloat16), float4_e2m1fn)
    return {"D": values, "S": scales}


@epilogue(arch="Ascend950", gemm=Gemm(a=float4_e2m1fn, b=float4_e2m1fn, layout_b=ColumnMajor, scale="mx"))
def down(acc: Acc[float32]) -> Any:
    return {"D": acc}
