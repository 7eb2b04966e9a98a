"""What an architecture has: memory sizes, event ids, which call takes which type, which cast takes which mode.

Source of every table: the AscendC reference, product rows of each call (arithmetic: 基础算术 and 复合计算;
comparisons: 比较与选择; bits: 逻辑计算; casts: 类型转换/Cast; atomics: SetAtomicAdd), and its guide (架构规格) for the
sizes. A new architecture is one more entry here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .types import ElementType, bfloat16, float32, half, int8, int16, int32, mask, uint8

_RINT_TO_TRUNC = ("CAST_RINT", "CAST_FLOOR", "CAST_CEIL", "CAST_ROUND", "CAST_TRUNC")
_NONE = ("CAST_NONE",)

Types = tuple[ElementType, ...]
Casts = Mapping[tuple[ElementType, ElementType], tuple[str, ...]]


@dataclass(frozen=True)
class Architecture:
    """One NPU architecture.

    Attributes:
        name: Catlass's tag, ``Arch::<name>``.
        npu: the value of ``CATLASS_ARCH``.
        ub_size: bytes of UB of one vector core.
        ub_reserved: bytes of it that the framework keeps in mixed kernels.
        l1_size, l0_size, l0c_size: bytes of the cube core's L1, of its L0A and L0B each, and of its L0C.
        mmad: element types of both operands of the cube, and the one in which it accumulates their products.
        event_ids: ids of a flag that user code may use, counted from 0.
        max_block_count: blocks that one DataCopyPad can copy.
        mmad_policy: Catlass's dispatch policy of the block matmul; ``{unit_flag}`` is ``false`` for int8 operands.
        calls: element types that each AscendC call takes.
        casts: round modes of each (source, destination) pair that AscendC::Cast has.
        atomics: element types that an atomic write to GM takes.
    """

    name: str
    npu: int
    ub_size: int
    ub_reserved: int
    l1_size: int
    l0_size: int
    l0c_size: int
    mmad: Mapping[ElementType, ElementType]
    event_ids: int
    max_block_count: int
    mmad_policy: str
    calls: Mapping[str, Types]
    casts: Casts
    atomics: Types

    @property
    def ub_usable(self) -> int:
        """Bytes of UB that a kernel may use."""
        return self.ub_size - self.ub_reserved


_ARITHMETIC: Types = (int16, half, int32, float32)
_FLOATS: Types = (half, float32)

_ATLAS_A2_CALLS: dict[str, Types] = {
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

_ATLAS_A2_CASTS: dict[tuple[ElementType, ElementType], tuple[str, ...]] = {
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
    calls=_ATLAS_A2_CALLS,
    casts=_ATLAS_A2_CASTS,
    atomics=(int8, int16, half, bfloat16, int32, float32),
)

Ascend950 = Architecture(
    name="Ascend950",
    npu=3510,
    ub_size=248 * 1024,
    ub_reserved=256,
    l1_size=512 * 1024,
    l0_size=64 * 1024,
    l0c_size=256 * 1024,
    mmad=_MMAD,
    event_ids=6,
    max_block_count=4095,
    mmad_policy="Gemm::MmadPingpong<Arch::Ascend950, {unit_flag}>",
    calls={
        **_ATLAS_A2_CALLS,
        **{name: (*_ARITHMETIC, bfloat16) for name in ("Add", "Sub", "Mul", "Max", "Min", "Adds", "Muls")},
    },
    casts=_ATLAS_A2_CASTS,
    atomics=AtlasA2.atomics,
)

ARCHITECTURES: dict[str, Architecture] = {arch.name: arch for arch in (AtlasA2, Ascend950)}


def cast_mode(arch: Architecture, source: ElementType, to: ElementType) -> str | None:
    """The round mode to write when any will do: NONE where the pair has it, else the first; None without the pair."""
    modes = arch.casts.get((source, to), ())
    return modes[0] if modes else None
