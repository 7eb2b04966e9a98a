"""Linear layers with weights as frameworks store them: N x K, so B is column-major, and nothing is transposed first."""

from evtgen import (
    Acc,
    Aux,
    ColumnMajor,
    ColVector,
    Gemm,
    RowVector,
    Scalar,
    ScalarTensor,
    bfloat16,
    epilogue,
    float32,
    half,
    int32,
    ops,
    zN,
)


@epilogue(gemm=Gemm(layout_b=ColumnMajor))
def linear_gelu(acc: Acc[float32], bias: RowVector[half]):
    """torch.nn.functional.gelu(torch.nn.functional.linear(x, weight, bias), approximate="tanh")"""
    return {"D": ops.gelu(acc + bias.cast(float32), approximate="tanh").cast(half)}


@epilogue(gemm=Gemm(layout_b=ColumnMajor))
def lora_residual(acc: Acc[float32], base: Aux[half], residual: Aux[half], scale: Scalar[float32] = 2.0):
    """LoRA's second matmul, added to what the layer itself gives and to the residual stream.

    base + scale * torch.nn.functional.linear(t, lora_b) + residual
    """
    return {"D": (acc * scale + base.cast(float32) + residual.cast(float32)).cast(half)}


@epilogue(gemm=Gemm(a=float32, b=float32, layout_b=ColumnMajor, hf32=True))
def linear_hf32(acc: Acc[float32], bias: RowVector[float32]):
    """A linear layer in float32 whose operands the matrix unit rounds to HF32, as with torch_npu's allow_hf32.

    torch.nn.functional.relu(torch.nn.functional.linear(x, weight, bias))
    """
    return {"D": ops.relu(acc + bias)}


@epilogue(gemm=Gemm(layout_b=zN))
def linear_residual_nz(acc: Acc[float32], bias: RowVector[bfloat16], residual: Aux[bfloat16]):
    """A weight in the layout zN, which the device's libraries call NZ: residual + x @ weight + bias."""
    d = acc + bias.cast(float32) + residual.cast(float32)
    return {"D": d.cast(bfloat16)}


@epilogue(gemm=Gemm(layout_a=ColumnMajor))
def weight_gradient(acc: Acc[float32], total: Aux[float32]):
    """The gradient of a weight added to that of earlier steps, A being the transposed activations.

    total + x.T @ dy
    """
    return {"D": total + acc}


@epilogue(gemm=Gemm(layout_b=ColumnMajor, policy="preload_async"))
def w8a8_static(
    acc: Acc[int32], correction: RowVector[int32], channel: RowVector[float32], step: ScalarTensor[float32]
):
    """int8 weights with scales by channel, int8 activations with one step and one zero point, which are known before.

    (xq.int() @ wq.int().T + correction) * channel * step, with correction = bias / (channel * step) - zero * wq.sum(1)
    """
    return {"D": ((acc + correction).cast(float32) * channel * step).cast(half)}


@epilogue(gemm=Gemm(layout_b=ColumnMajor))
def w8a8_dynamic(acc: Acc[int32], channel: RowVector[float32], token: ColVector[float32], bias: RowVector[bfloat16]):
    """int8 weights with scales by channel, int8 activations whose scales are taken from each token.

    (xq.int() @ wq.int().T) * channel * token[:, None] + bias
    """
    return {"D": (acc.cast(float32) * channel * token + bias.cast(float32)).cast(bfloat16)}


@epilogue(gemm=Gemm(layout_b=ColumnMajor, split_k=4))
def split_k_bias(acc: Acc[float32], bias: RowVector[half]):
    """A long K and few rows, as when one token is decoded: four slices of K are multiplied at the same time.

    torch.nn.functional.linear(x, weight, bias)
    """
    return {"D": (acc + bias.cast(float32)).cast(half)}


@epilogue(gemm=Gemm(split_k=2))
def split_k_residual(acc: Acc[float32], residual: Aux[half]):
    """The projection behind attention with a long K: residual + x @ weight."""
    return {"D": (acc + residual.cast(float32)).cast(half)}
