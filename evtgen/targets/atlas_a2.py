"""Atlas A2 and A3: NPU architecture 2201."""

from __future__ import annotations

from ..graph.types import int4, int32
from .architecture import MMAD, architecture

AtlasA2 = architecture(
    "atlas_a2",
    # Mmad page; Ascend950 has no products of 4 bits.
    mmad={**MMAD, (int4, int4): int32},
    mmad_policies={
        "pingpong": "Gemm::MmadAtlasA2Pingpong<{unit_flag}>",
        # Tiles ahead; tiles in L1, L0A, L0B and L0C. Cores begin with different tiles of K, as in Catlass's examples.
        "preload_async": "Gemm::MmadAtlasA2PreloadAsyncWithCallback<1, 2, 2, 2, 1, {unit_flag}, true>",
    },
    # Catlass's own for it is for int4, copies scales beyond the last column, and is not in v1.3.1: ours is this one's.
    dequant_policy="Gemm::MmadAtlasA2Pingpong<false>",
)
