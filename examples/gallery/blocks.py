"""Blocks of columns: scales for each 128 columns of a row, and heads that rotary embeddings turn.

Tiles of a vector core end where blocks and heads end, so what works within one needs nothing of another tile. The last
block of a row may have fewer columns. N is a multiple of the head.
"""

from evtgen import Acc, Aux, bfloat16, epilogue, float8_e4m3fn, float32, half, ops


@epilogue
def per_token_group_quant_int8(acc: Acc[float32]):
    """int8 values, and a scale for each 128 columns of a row, as the kernels of that name have them."""
    values, scales = ops.quantize_per_block(acc)
    return {"D": values, "scales": scales}


@epilogue
def swiglu_block_quant(acc: Acc[float32], up: Aux[half]):
    """SwiGLU, and the values and scales of blocks of 128 columns for the matmul that comes next."""
    values, scales = ops.quantize_per_block(ops.silu(acc) * up.cast(float32))
    return {"D": values, "scales": scales}


@epilogue(arch="Ascend950")
def per_block_cast_to_fp8(acc: Acc[float32]):
    values, scales = ops.quantize_per_block(acc, float8_e4m3fn)
    return {"D": values, "scales": scales}


@epilogue
def qkv_rope(acc: Acc[float32], cos: Aux[half], sin: Aux[half]):
    """A projection to queries or keys of 128 columns each head, turned by their positions as npu_rotary_mul does."""
    return {"D": ops.rope(acc, cos, sin, head=128).cast(bfloat16)}


@epilogue
def qkv_rope_interleaved(acc: Acc[float32], cos: Aux[half], sin: Aux[half]):
    """The same with pairs of neighbours, in heads of 64 columns."""
    return {"D": ops.rope(acc, cos, sin, head=64, interleaved=True).cast(bfloat16)}
