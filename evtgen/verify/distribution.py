"""The distances of a tensor's elements from a reference: counts, as plain data."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..operators.arrays import Array

_LEAST, _MOST = -1, 12

ULPS = (0.0, *(2.0**n for n in range(_LEAST, _MOST + 1)))
"""Upper ends of the ranges of distances in ulp. One more range has the elements beyond them."""

SHARES = (0.0, *(n / 10 for n in range(1, 11)))
"""Upper ends of the ranges of distances as shares of the bound. One more range has the elements outside the bound."""


@dataclass(frozen=True)
class Distribution:
    """The elements of a tensor by their distance from one reference.

    Attributes:
        ulp: the number of elements in each range of :data:`ULPS`, and beyond them.
        bound: the number of elements in each range of :data:`SHARES`, and outside the bound; empty if there is no
            bound. An element without a bound of its own is in no range.
    """

    ulp: tuple[int, ...] = (0,) * (len(ULPS) + 1)
    bound: tuple[int, ...] = ()

    @classmethod
    def equal(cls, count: int) -> Distribution:
        """``count`` elements that equal the reference, which has bounds."""
        return cls(_first(count, ULPS), _first(count, SHARES))

    @classmethod
    def of_ulp(cls, distances: Array) -> Distribution:
        """Distances in ulp from a reference without bounds, any shape."""
        return cls(_by_ulp(distances))

    @classmethod
    def of_bound(cls, ulp: Array, distances: Array, allowed: Array, outside: Array) -> Distribution:
        """Elements that differ from a reference with bounds. The arrays have one shape: distances in ulp, absolute
        distances, the largest absolute distances that are allowed, and whether each element lies outside its bound."""
        tenths = len(SHARES) - 1
        with np.errstate(all="ignore"):
            shares = np.clip(np.ceil(distances / allowed * tenths), 1, tenths)
        shares[outside] = tenths + 1
        known = np.isfinite(allowed) | outside
        return cls(_by_ulp(ulp), _counts(shares[known].astype(np.intp), SHARES))

    def __add__(self, other: Distribution) -> Distribution:
        """The sum of the counts of two parts of a tensor."""
        return Distribution(_sum(self.ulp, other.ulp), _sum(self.bound, other.bound))

    def to_json(self) -> dict[str, Any]:
        """As plain data: ``ulp`` and, if there is one, ``bound``. Each is a list of ranges that have elements: the
        upper end, None for the last, and the count."""
        found = {"ulp": _ranges(ULPS, self.ulp)}
        return {**found, "bound": _ranges(SHARES, self.bound)} if self.bound else found


def _first(count: int, ends: Sequence[float]) -> tuple[int, ...]:
    return (count, *(0 for _ in ends))


def _by_ulp(distances: Array) -> tuple[int, ...]:
    # Most elements of most tensors are as the reference has them, which takes less time to see than a range.
    further = distances[distances != 0].astype(np.float64)
    fraction, exponent = np.frexp(further)
    # A range ends with a power of two, which frexp makes a half of the next.
    ranges = np.clip(exponent - (fraction == 0.5) - _LEAST + 1, 1, len(ULPS))
    ranges[~np.isfinite(further)] = len(ULPS)
    return _sum(_first(distances.size - further.size, ULPS), _counts(ranges, ULPS))


def _counts(ranges: Array, ends: Sequence[float]) -> tuple[int, ...]:
    return tuple(np.bincount(ranges, minlength=len(ends) + 1).tolist())


def _sum(one: Sequence[int], other: Sequence[int]) -> tuple[int, ...]:
    return tuple(a + b for a, b in itertools.zip_longest(one, other, fillvalue=0))


def _ranges(ends: Sequence[float], counts: Sequence[int]) -> list[tuple[float | None, int]]:
    return [(end, count) for end, count in zip((*ends, None), counts, strict=True) if count]
