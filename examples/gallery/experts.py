"""Grouped matmuls, those of a mixture of experts: the rows of A lie by expert, and each expert has a B of its own.

Row vectors and single values have a part for each expert, or one that all share. Matrices and columns have a row for
each token. An expert may have no tokens. Chunks of sequences are such groups, too.
"""

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
    int8,
    int32,
    nZ,
    ops,
    zN,
)


@epilogue(gemm=Gemm(group="m"))
def expert_bias_silu(acc: Acc[float32], bias: RowVector[half]):
    """Each expert's bias, and the activation.

    torch.nn.functional.silu(x[tokens] @ w[expert] + bias[expert])
    """
    return {"D": ops.silu(acc + bias.cast(float32)).cast(half)}


@epilogue(gemm=Gemm(group="m"))
def expert_swiglu(acc: Acc[float32], up: Aux[half]):
    """The gate's half of SwiGLU: torch.nn.functional.silu(x[tokens] @ gate[expert]) * up[tokens]."""
    return {"D": (ops.silu(acc) * up.cast(float32)).cast(half)}


@epilogue(gemm=Gemm(group="m", accumulators="halves"))
def expert_swiglu_dequant_quant(  # noqa: PLR0917
    gate: Acc[int32],
    up: Acc[int32],
    gate_scale: RowVector[float32],
    up_scale: RowVector[float32],
    token: ColVector[float32],
    step: ScalarTensor[float32],
):
    """Both halves of SwiGLU in one launch, with int8 weights and activations, quantised again with a step for each
    expert.

    gate, up = (xq[tokens].int() @ wq[expert].int()).float().chunk(2, -1)
    y = torch.nn.functional.silu(gate * gate_scale[expert] * token[tokens, None])
    (y * up * up_scale[expert] * token[tokens, None] * step[expert]).round().clamp(-128, 127).to(torch.int8)
    """
    gated = ops.silu(gate.cast(float32) * gate_scale * token) * (up.cast(float32) * up_scale * token)
    return {"Q": (gated * step).cast(int8)}


@epilogue(gemm=Gemm(group="m"))
def expert_combine(acc: Acc[float32], weight: ColVector[float32]):
    """Each token's result times the router's weight of this expert, before the results of a token are added up.

    (h[tokens] @ down[expert]) * weight[tokens, None]
    """
    return {"D": (acc * weight).cast(bfloat16)}


@epilogue(gemm=Gemm(group="m"))
def expert_combine_add(acc: Acc[float32], weight: ColVector[float32], shared: Aux[half]):
    """The same, added to what the expert gave that sees every token.

    (h[tokens] @ down[expert]) * weight[tokens, None] + shared[tokens]
    """
    return {"D": (acc * weight + shared.cast(float32)).cast(half)}


@epilogue(gemm=Gemm(group="m", group_list="counts"))
def grouped_matmul_finalize_routing(
    acc: Acc[int32],
    scale: RowVector[float32],
    pertoken_scale: ColVector[float32],
    logit: ColVector[float32],
    row_index: ColVector[int32],
):
    """The second matmul of int8 experts, and the combine of each token's top k in the same launch: npu_grouped_matmul's
    group_list_type=1, then npu_moe_finalize_routing. D holds shared_input before, or zeros.

    y = (xq.int() @ wq[expert].int()) * scale[expert] * pertoken_scale[:, None] * logit[:, None]
    D.index_add_(0, row_index, y)
    """
    y = acc.cast(float32) * scale * (pertoken_scale * logit)
    return {"D": ops.scatter(y, rows=row_index, add=True)}


@epilogue(gemm=Gemm(group="m", group_list="counts"))
def dispatch_ffn_combine(  # noqa: PLR0917
    acc: Acc[int32],
    scale: RowVector[float32],
    pertoken_scale: ColVector[float32],
    probs: ColVector[float32],
    row: ColVector[int32],
    rank: ColVector[int32],
):
    """The second matmul of int8 experts, and the combine that sends each row to the rank that its token came from: the
    last two steps of vLLM-Ascend's operator of that name. D is a table of addresses, one for each rank.

    y = (xq.int() @ wq[expert].int()) * scale[expert] * pertoken_scale[:, None] * probs[:, None]
    D[rank, row] = y.half()
    """
    y = acc.cast(float32) * scale * (pertoken_scale * probs)
    return {"D": ops.scatter(y.cast(half), rows=row, ranks=rank)}


@epilogue(gemm=Gemm(group="m"))
def expert_dequant(acc: Acc[int32], channel: RowVector[float32], token: ColVector[float32]):
    """int8 weights with scales by channel of each expert, int8 activations with scales by token.

    (xq[tokens].int() @ wq[expert].int()) * channel[expert] * token[tokens, None]
    """
    return {"D": (acc.cast(float32) * channel * token).cast(bfloat16)}


@epilogue(gemm=Gemm(group="m", layout_b=nZ))
def expert_dequant_silu_quant(acc: Acc[int32], channel: RowVector[float32], step: ScalarTensor[float32]):
    """The same with the activation, and quantised again with one step for each expert; weights in the layout nZ.

    (torch.nn.functional.silu(c * channel[expert]) * step[expert]).round().clamp(-128, 127).to(torch.int8)
    """
    x = ops.silu(acc.cast(float32) * channel) * step
    return {"Q": x.cast(int8)}


@epilogue(gemm=Gemm(group="m"))
def expert_abs_max(acc: Acc[float32]):
    """The largest magnitude of each expert's channels and of each expert, from which its quantisation takes its steps.

    c.abs().amax(0) and c.abs().amax() of the rows of each expert
    """
    size = ops.absolute(acc)
    channel_max = ops.row_reduce(size, "max", identity=0.0)
    return {"D": acc, "channel_max": channel_max, "expert_max": ops.scalar_reduce(size, "max", identity=0.0)}


@epilogue(gemm=Gemm(group="m"))
def adapters(acc: Acc[float32], base: Aux[half], scale: ScalarTensor[float32]):
    """The second matmul of many LoRA adapters, whose tokens lie by adapter, added to what the layer gives.

    base[tokens] + scale[adapter] * (t[tokens] @ lora_b[adapter])
    """
    return {"D": (base.cast(float32) + acc * scale).cast(half)}


@epilogue(gemm=Gemm(group="m", group_list="counts", weight_index=True, layout_b=ColumnMajor))
def lora_expand(acc: Acc[float32], y: Aux[half], alpha: Scalar[float32] = 1.0):
    """The same as vLLM's sgmv_expand lists it: a number of tokens and an adapter for each sequence, many of which may
    take the same. Tokens of a sequence whose number is -1 are left alone, so D may be y.

    y[tokens] + alpha * (x[tokens] @ lora_b[lora_indices[sequence]].T)
    """
    return {"D": (y.cast(float32) + acc * alpha).cast(half)}


@epilogue(gemm=Gemm(group="m", layout_b=zN, accumulators="halves", weights="pointers"))
def grouped_swiglu_quant_tensor_list(
    left: Acc[int32],
    gate: Acc[int32],
    left_scale: RowVector[float32],
    gate_scale: RowVector[float32],
    x_scale: ColVector[float32],
):
    """The first matmul of int8 experts, each with a weight in memory of its own in the layout NZ; SwiGLU, and int8
    values with the scale of each token. vLLM-Ascend's grouped_matmul_swiglu_quant_weight_nz_tensor_list has all scales
    in one tensor.

    c = (x.int() @ weight[expert].int()).float() * weight_scale[expert] * x_scale[:, None]
    y = torch.nn.functional.silu(left) * gate, with left, gate = c.chunk(2, -1)
    (y / s).round().to(torch.int8) and s, with s = abs(y).max(-1) / 127
    """
    y = ops.silu(left.cast(float32) * left_scale * x_scale) * (gate.cast(float32) * gate_scale * x_scale)
    values, scales = ops.quantize_per_token(y)
    return {"output": values, "output_scale": scales}


@epilogue(gemm=Gemm(group="m", layout_b=ColumnMajor, accumulators="halves"))
def experts_swiglu_quantize_per_token(gate: Acc[half], up: Acc[half]):
    """A layer of experts up to its second matmul: SwiGLU, and int8 values with the scale of each token.

    y = torch.nn.functional.silu(gate) * up, y / (abs(y).max(-1) / 127)
    """
    values, scales = ops.quantize_per_token(ops.silu(gate) * up)
    return {"D": values, "scales": scales}


@epilogue(gemm=Gemm(a=bfloat16, b=int8, group="m", layout_b=ColumnMajor, scale="column", zero_point=True))
def grouped_matmul_antiquant(acc: Acc[float32], up: Aux[bfloat16]):
    """The gate of experts with weights of int8, which have a scale and a zero point for each output channel.

    gate = x[tokens] @ ((w[expert] - b_zero[expert]) * b_scale[expert]), silu(gate) * up[tokens]
    """
    return {"D": (ops.silu(acc) * up.cast(float32)).cast(bfloat16)}


@epilogue(gemm=Gemm(group="m"))
def chunk_fwd_o(acc: Acc[float32], intra: Aux[float32], g: ColVector[float32], scale: Scalar[float32] = 0.125):
    """The outputs of gated linear attention: the queries of each chunk of a sequence times the state before that chunk,
    and what the chunk itself adds. The last chunk of a sequence is shorter.

    (torch.exp(g[chunk]) * (q[chunk] @ h[chunk]) + intra[chunk]) * scale
    """
    return {"o": ((acc * ops.exp(g) + intra) * scale).cast(half)}
