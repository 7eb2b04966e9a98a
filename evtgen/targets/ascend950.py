"""Ascend950: NPU architecture 3510. Its tables are those of 2201, wider where its own pages say so."""

from __future__ import annotations

from dataclasses import replace

from ..graph.types import bfloat16
from .atlas_a2 import AtlasA2

Ascend950 = replace(
    AtlasA2,
    name="Ascend950",
    npu=3510,
    ub_size=248 * 1024,
    ub_reserved=256,
    l0c_size=256 * 1024,
    mmad_policy="Gemm::MmadPingpong<Arch::Ascend950, {unit_flag}>",
    calls={
        **AtlasA2.calls,
        **{
            name: (*AtlasA2.calls[name], bfloat16)
            for name in ("Add", "Sub", "Mul", "Max", "Min", "Adds", "Muls")
        },
    },
)
