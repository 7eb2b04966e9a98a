"""Bias, residual and activation: what follows the matmuls of a feed-forward layer."""

from evtgen import Acc, Aux, ColVector, RowVector, Scalar, bfloat16, epilogue, float32, half, ops


@epilogue
def bias_relu(acc: Acc[half], bias: RowVector[half]):
    return {"D": ops.relu(acc + bias)}


@epilogue
def residual_bias(acc: Acc[half], bias: RowVector[half], residual: Aux[half]):
    return {"D": acc + bias + residual}


@epilogue
def residual_bias_bf16(acc: Acc[float32], bias: RowVector[bfloat16], residual: Aux[bfloat16]):
    d = acc + bias.cast(float32) + residual.cast(float32)
    return {"D": d.cast(bfloat16)}


@epilogue(auto_cast=True)
def residual_gelu_auto_cast(acc: Acc[float32], bias: RowVector[bfloat16], residual: Aux[bfloat16]):
    """The casts are put in where the types need them."""
    return {"D": (ops.gelu(acc + bias, approximate="tanh") + residual).cast(bfloat16)}


@epilogue
def bias_gelu(acc: Acc[float32], bias: RowVector[half]):
    return {"D": ops.gelu(acc + bias.cast(float32)).cast(half)}


@epilogue
def bias_silu(acc: Acc[float32], bias: RowVector[half]):
    return {"D": ops.silu(acc + bias.cast(float32)).cast(half)}


@epilogue
def bias_relu6(acc: Acc[half], bias: RowVector[half]):
    return {"D": ops.relu6(acc + bias)}


@epilogue
def bias_leaky_relu(acc: Acc[half], bias: RowVector[half], slope: Scalar[half] = 0.01):
    return {"D": ops.leaky_relu(acc + bias, slope)}


@epilogue
def bias_relu_keep(acc: Acc[half], bias: RowVector[half]):
    """The value before the activation is kept for the backward pass."""
    x = acc + bias
    return {"D": ops.relu(x), "before": x}


@epilogue
def swiglu_gate(acc: Acc[float32], up: Aux[half]):
    """The gate's half of SwiGLU: silu(gate) * up, the gate being this matmul's result."""
    return {"D": (ops.silu(acc) * up.cast(float32)).cast(half)}


@epilogue
def sigmoid_gate(acc: Acc[float32], X: Aux[float32]):
    return {"D": ops.sigmoid(acc) * X}


@epilogue
def expert_weight(acc: Acc[float32], gate: ColVector[float32], partial: Aux[float32]):
    """Mixture of experts: a token's share of this expert, added to what the others gave."""
    return {"D": acc * gate + partial}
