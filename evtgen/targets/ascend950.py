"""Ascend950: NPU architecture 3510."""

from __future__ import annotations

from .architecture import architecture

Ascend950 = architecture(
    "ascend950",
    mmad_policy="Gemm::MmadPingpong<Arch::Ascend950, {unit_flag}>",
    tla=True,
    # No page says that the 256 bytes which the framework keeps on Atlas A2 are free here.
    ub_spare=256,
)
