"""The include roots of a program on the CPU model: the device's headers, and those of Catlass or of the stand-in."""

from __future__ import annotations

from pathlib import Path

from ..catlass.checkout import recognise
from .toolchain import DEVICE


def include_roots(catlass_dir: Path | None) -> list[Path]:
    """The directories of the device's headers: AscendC's, the machine's, and those of Catlass or of the stand-in."""
    if catlass_dir is None:
        return [DEVICE / "catlass", DEVICE / "ascendc", DEVICE]
    # The cube side and the launch cannot be compiled for a host; the overlay replaces them by the model's.
    return [DEVICE / "overlay", recognise(catlass_dir).include, DEVICE / "ascendc", DEVICE]


def preamble(catlass_dir: Path | None) -> list[str]:
    """Headers that come before everything else.

    A real Catlass leaves AscendC's to the device compiler, and its macros (Catlass v1.0, v1.1) are attributes that no
    host compiler knows; the stand-in's have the same include guard.
    """
    if catlass_dir is None:
        return []
    macros = DEVICE / "catlass" / "catlass" / "detail" / "macros.hpp"
    return ["-include", "kernel_operator.h", "-include", str(macros)]
