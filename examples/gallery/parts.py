"""Parts of a row: what one matmul makes for several readers, each as a tensor of its own."""

from evtgen import Acc, ColumnMajor, Gemm, RowVector, epilogue, float32, half, ops


@epilogue(gemm=Gemm(layout_b=ColumnMajor))
def qkv_split(acc: Acc[float32], bias: RowVector[half]):
    """The projections of an attention from one weight: on this rank 2 heads of 128, and 1 for keys and values.

    torch.nn.functional.linear(x, weight, bias).split((256, 128, 128), dim=-1)
    """
    qkv = (acc + bias.cast(float32)).cast(half)
    return {"q": qkv[:, 0:256], "k": qkv[:, 256:384], "v": qkv[:, 384:512]}


@epilogue(gemm=Gemm(layout_b=ColumnMajor))
def swiglu_interleaved(acc: Acc[float32]):
    """SwiGLU of one weight in which the rows of gate and up alternate.

    y = torch.nn.functional.linear(x, weight); torch.nn.functional.silu(y[:, 0::2]) * y[:, 1::2]
    """
    return {"D": (ops.silu(acc[:, 0::2]) * acc[:, 1::2]).cast(half)}
