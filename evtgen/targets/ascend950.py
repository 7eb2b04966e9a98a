"""Ascend950: NPU architecture 3510."""

from __future__ import annotations

from ..graph.types import float4_e2m1fn, float8_e4m3fn, float8_e5m2, float32
from .architecture import MMAD, architecture

_FLOATS_OF_8_BITS = (float8_e4m3fn, float8_e5m2)

Ascend950 = architecture(
    "ascend950",
    mmad_policies={
        "pingpong": "Gemm::MmadPingpong<Arch::Ascend950, {unit_flag}{hf32}>",
        # Tiles ahead; tiles of A and B in L1, L0A, L0B and L0C. All cores begin with the same tile of K: Catlass's
        # example 43 says that this is faster here.
        "preload_async": (
            "Gemm::MmadPreloadAsyncWithCallback<Arch::Ascend950, 1, 2, 2, 2, 2, 1, {unit_flag}, false{hf32}>"
        ),
    },
    dequant_policy="Gemm::MmadDequant<Arch::Ascend950, false>",
    mx_policy="Gemm::MmadMx<Arch::Ascend950, true, {tiles}>",
    # Mmad page: each of both operands is one or the other float of 8 bits. Floats of 4 bits are multiplied with the
    # scales of MX formats only (Catlass, example 54; EVT058).
    mmad={
        **MMAD,
        **{(a, b): float32 for a in _FLOATS_OF_8_BITS for b in _FLOATS_OF_8_BITS},
        (float4_e2m1fn, float4_e2m1fn): float32,
    },
    tla=True,
    # No page says that the 256 bytes which the framework keeps on Atlas A2 are free here.
    ub_spare=256,
)
