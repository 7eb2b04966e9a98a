"""Operands as the matrix unit multiplies them in its HF32 mode: rounded to the nearest even number of fewer bits."""

from __future__ import annotations

import numpy as np

from ..operators.arrays import Array
from ..planner.plan import Plan

_MANTISSA = 23
"""Bits of the mantissa of float32."""


def as_multiplied(plan: Plan, operand: Array) -> Array:
    """An operand, (M, K) or (K, N), as the matrix unit multiplies it: in the HF32 mode it is rounded."""
    return hf32(operand, plan.arch.hf32_bits) if plan.gemm.hf32 else operand


def hf32(values: Array, bits: int) -> Array:
    """float32 values with so many bits of the mantissa. Infinities and NaN stay."""
    dropped = np.uint32(_MANTISSA - bits)
    words = values.view(np.uint32)
    half = (np.uint32(1) << (dropped - np.uint32(1))) - np.uint32(1) + (words >> dropped & np.uint32(1))
    rounded = (words + half) & (np.uint32(0xFFFFFFFF) << dropped)
    return np.where(np.isfinite(values), rounded.view(np.float32), values)
