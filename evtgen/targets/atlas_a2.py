"""Atlas A2 and A3: NPU architecture 2201.

Source of the tables: the AscendC reference, product rows of each call (arithmetic: 基础算术 and 复合计算; comparisons:
比较与选择; bits: 逻辑计算; casts: 类型转换/Cast; atomics: SetAtomicAdd), and its guide (架构规格) for the sizes.
"""

from __future__ import annotations

from ..graph.types import ElementType, bfloat16, float32, half, int8, int16, int32, mask, uint8
from .architecture import Architecture, Types

_RINT_TO_TRUNC = ("CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC")
_NONE = ("CAST_NONE",)

_ARITHMETIC: Types = (int16, half, int32, float32)
_FLOATS: Types = (half, float32)

_CALLS: dict[str, Types] = {
    **dict.fromkeys(("Add", "Sub", "Mul", "Max", "Min", "Adds", "Muls", "Maxs", "Mins"), _ARITHMETIC),
    **dict.fromkeys(("Div", "Abs", "Exp", "Ln", "Sqrt", "Rsqrt", "Reciprocal", "LeakyRelu"), _FLOATS),
    **dict.fromkeys(("Axpy", "FusedMulAdd", "MulAddDst"), _FLOATS),
    **dict.fromkeys(("Compare", "Select"), _FLOATS),
    # They take 16-bit integers, as which the bits of a mask are passed.
    **dict.fromkeys(("And", "Or", "Not"), (mask,)),
    "AddRelu": (int16, half, float32),
    "Relu": (half, int32, float32),
    "Duplicate": (int16, half, bfloat16, int32, float32),
    **dict.fromkeys(("Copy", "Brcb"), (int16, half, bfloat16, int32, float32)),
    **dict.fromkeys(("WholeReduceSum", "WholeReduceMax", "WholeReduceMin"), _FLOATS),
}

_CASTS: dict[tuple[ElementType, ElementType], tuple[str, ...]] = {
    (half, float32): _NONE,
    (bfloat16, float32): _NONE,
    (int8, half): _NONE,
    (uint8, half): _NONE,
    (int16, float32): _NONE,
    (int32, int16): _NONE,
    (float32, half): ("CAST_NONE", *_RINT_TO_TRUNC, "CAST_ODD"),
    (float32, bfloat16): _RINT_TO_TRUNC,
    (float32, int16): _RINT_TO_TRUNC,
    (float32, int32): _RINT_TO_TRUNC,
    (half, int16): _RINT_TO_TRUNC,
    (half, int32): _RINT_TO_TRUNC,
    (bfloat16, int32): _RINT_TO_TRUNC,
    (int32, float32): ("CAST_NONE", *_RINT_TO_TRUNC),
    (int16, half): ("CAST_NONE", *_RINT_TO_TRUNC),
    (half, int8): ("CAST_NONE", *_RINT_TO_TRUNC),
    (half, uint8): ("CAST_NONE", *_RINT_TO_TRUNC),
}

_MMAD = {half: float32, bfloat16: float32, float32: float32, int8: int32}

AtlasA2 = Architecture(
    name="AtlasA2",
    npu=2201,
    ub_size=192 * 1024,
    ub_reserved=256 + 8 * 1024,
    l1_size=512 * 1024,
    l0_size=64 * 1024,
    l0c_size=128 * 1024,
    mmad=_MMAD,
    event_ids=6,
    max_block_count=4095,
    mmad_policy="Gemm::MmadAtlasA2Pingpong<{unit_flag}>",
    calls=_CALLS,
    casts=_CASTS,
    atomics=(int8, int16, half, bfloat16, int32, float32),
)
