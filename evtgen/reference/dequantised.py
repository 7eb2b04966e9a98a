"""The scales of columns that the cube core multiplies a product of integers by, on the way out of L0C.

AscendC's guide, quantisation on the way out (``VDEQF16``): an int32 becomes a float, is multiplied by a float of the
format (1, 8, 10), whose bits are 31 to 13 of the scale's, and becomes half. No page says in which type the product is
kept, nor how it is rounded; the example's data (``data_copy_l0c2gm``, ``gen_data.py``) have the product in float32.
Bounds allow for a product that is rounded to float32 first, or not, and to the nearest half then, as the page of
Fixpipe says for float32.
"""

from __future__ import annotations

import numpy as np

from ..operators.arrays import Array

_TAKEN = np.uint32(0xFFFFE000)
"""The bits of a float32 that the cube core takes."""

_SHIFTS = np.uint64(1 << 36)
"""A bit of a scale with which Atlas A2 shifts the product."""


def bits_of(scales: Array) -> Array:
    """float32 scales as the cube core takes them: uint64, of the same shape."""
    return np.ascontiguousarray(scales, np.float32).view(np.uint32).astype(np.uint64)


def scales_of(bits: Array, *, meant: bool) -> Array:
    """What uint64 scales multiply by, in float64: as they are ``meant``, or as the cube core takes them."""
    words = bits.astype(np.uint32)
    return (words if meant else words & _TAKEN).view(np.float32).astype(np.float64)


def refused(bits: Array, *, shifts: bool) -> Array:
    """Which scales are none: infinite, NaN or subnormal (page of Fixpipe); or shift the product, where they can."""
    exponents = bits.astype(np.uint32) >> np.uint32(23) & np.uint32(0xFF)
    nonzero = (bits.astype(np.uint32) & np.uint32(0x7FFFFFFF)) > 0
    wrong: Array = (exponents == 0xFF) | ((exponents == 0) & nonzero)
    return wrong | (bits & _SHIFTS > 0) if shifts else wrong
