"""MX formats by their definition: blocks of 32 elements with a scale each."""

from __future__ import annotations

from typing import Any

import ml_dtypes
import numpy as np

from evtgen.graph.types import ElementType


def in_bytes(codes: Any) -> Any:
    """Codes of 4 bits, two in a byte along the last axis, the first in its low half."""
    return codes[:, ::2] | codes[:, 1::2] << 4


def by_hand(x: Any, largest: int, T: ElementType) -> tuple[Any, Any]:
    """Values and scales of blocks of 32 columns of float64 (M, N), by the OCP's definition; ``largest`` is the exponent
    of the largest power of two of ``T``."""
    blocks = x.reshape(len(x), -1, 32)
    most = np.maximum(np.abs(blocks).max(axis=2), 2.0**-1000)
    scales = np.exp2(np.maximum(np.floor(np.log2(most)) - largest, -126.0))
    scales[~np.isfinite(most)] = np.nan
    end = float(ml_dtypes.finfo(getattr(ml_dtypes, T.numpy)).max)
    values = np.clip(blocks / scales[..., None], -end, end).reshape(x.shape)
    return values.astype(np.float32).astype(getattr(ml_dtypes, T.numpy)), scales
