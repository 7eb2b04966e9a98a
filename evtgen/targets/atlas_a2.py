"""Atlas A2 and A3: NPU architecture 2201."""

from __future__ import annotations

from .architecture import architecture

AtlasA2 = architecture("atlas_a2", mmad_policy="Gemm::MmadAtlasA2Pingpong<{unit_flag}>")
