"""The architectures: one module each, and its line in :data:`ARCHITECTURES`."""

from __future__ import annotations

from .architecture import Architecture
from .ascend950 import Ascend950
from .atlas_a2 import AtlasA2
from .casting import CastStep, cast_steps

ARCHITECTURES: dict[str, Architecture] = {arch.name: arch for arch in (AtlasA2, Ascend950)}
"""Every architecture by Catlass's tag for it."""

__all__ = ["ARCHITECTURES", "Architecture", "Ascend950", "AtlasA2", "CastStep", "cast_steps"]
