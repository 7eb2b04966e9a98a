"""Gated linear units: two products of one A, of which one passes through an activation and multiplies the other."""

from evtgen import Acc, ColumnMajor, Gemm, RowVector, bfloat16, epilogue, float32, half, ops


@epilogue(gemm=Gemm(layout_b=ColumnMajor, accumulators="halves"))
def swiglu(gate: Acc[float32], up: Acc[float32]):
    """SwiGLU with the weights of both in one, as frameworks store them: 2N x K.

    gate, up = torch.nn.functional.linear(x, gate_up).chunk(2, -1)
    torch.nn.functional.silu(gate) * up
    """
    return {"D": (ops.silu(gate) * up).cast(half)}


@epilogue(gemm=Gemm(accumulators="separate"))
def swiglu_separate(gate: Acc[float32], up: Acc[float32]):
    """The same with two weights: torch.nn.functional.silu(x @ w_gate) * (x @ w_up)."""
    return {"D": (ops.silu(gate) * up).cast(half)}


@epilogue(gemm=Gemm(layout_b=ColumnMajor, accumulators="halves"))
def geglu(value: Acc[float32], gate: Acc[float32], value_bias: RowVector[float32], gate_bias: RowVector[float32]):
    """GEGLU with a bias, whose gate is the second half.

    value, gate = torch.nn.functional.linear(x, weight, bias).chunk(2, -1)
    value * torch.nn.functional.gelu(gate, approximate="tanh")
    """
    return {"D": ((value + value_bias) * ops.gelu(gate + gate_bias, approximate="tanh")).cast(bfloat16)}


@epilogue(gemm=Gemm(layout_b=ColumnMajor, accumulators="halves"))
def swiglu_quantize_per_token(gate: Acc[half], up: Acc[half]):
    """SwiGLU, and what the next layer multiplies: int8 values and the scale of each row, as npu_swiglu_quant does.

    y = torch.nn.functional.silu(gate) * up, y / (abs(y).max(-1) / 127)
    """
    values, scales = ops.quantize_per_token(ops.silu(gate) * up)
    return {"D": values, "scales": scales}
