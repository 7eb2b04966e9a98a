"""Parts of a row: what one matmul makes for several readers, each as a tensor of its own."""

from evtgen import Acc, Aux, ColumnMajor, Gemm, RowVector, epilogue, float32, half, ops


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


@epilogue
def split_qkv_rmsnorm_rope(
    acc: Acc[float32],
    q_gamma: RowVector[float32],
    k_gamma: RowVector[float32],
    cos: Aux[half],
    sin: Aux[half],
):
    """The same where queries and keys have a norm of each head, and are turned by their positions, as vLLM-Ascend's
    kernel of that name has it. The weights of a norm are those of a head, one after the other for each head."""

    def normed(x, gamma):
        return x * ops.rsqrt(ops.col_reduce(x * x, "mean", block=128) + 1e-6) * gamma

    q, k, v = acc[:, 0:256], acc[:, 256:384], acc[:, 384:512]
    return {
        "q": ops.rope(normed(q, q_gamma), cos, sin, head=128).cast(half),
        "k": ops.rope(normed(k, k_gamma), cos, sin, head=128).cast(half),
        "v": v.cast(half),
    }


@epilogue
def mla_prologue(
    acc: Acc[float32],
    kv_gamma: RowVector[float32],
    q_gamma: RowVector[float32],
    cos: Aux[half],
    sin: Aux[half],
):
    """Multi-head latent attention's first projection: 512 columns of keys and values with a norm, 64 that are turned by
    their positions, and the queries' with a norm, quantised for the matmul that comes next."""
    values, scales = ops.quantize_per_token(ops.rms_norm(acc[:, 576:], q_gamma))
    return {
        "kv": ops.rms_norm(acc[:, 0:512], kv_gamma).cast(half),
        "k_rope": ops.rope(acc[:, 512:576], cos, sin, head=64).cast(half),
        "q": values,
        "scales": scales,
    }
