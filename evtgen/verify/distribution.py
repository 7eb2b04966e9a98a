"""How the elements of a tensor lie around a reference: counts, as plain data."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..operators.arrays import Array

_LEAST, _MOST = -1, 12

ULPS = (0.0, *(2.0**n for n in range(_LEAST, _MOST + 1)))
"""Upper ends of the ranges of distances in ulp; one more range has what is further off."""

SHARES = (0.0, *(n / 10 for n in range(1, 11)))
"""Upper ends of the ranges of distances as shares of the bound; one more range has what is outside of it."""


@dataclass(frozen=True)
class Distribution:
    """The elements of a tensor by their distance from one reference.

    Attributes:
        ulp: how many there are in each range of :data:`ULPS`, and how many further off.
        bound: in each range of :data:`SHARES`, and outside of the bound; empty where there is no bound. What differs
            where nothing can be said is in none.
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
        """Elements that differ from a reference with bounds, all of one shape: their distances, in ulp and absolute,
        the largest absolute ones that are allowed, and whether each lies outside of its bound."""
        tenths = len(SHARES) - 1
        with np.errstate(all="ignore"):
            shares = np.clip(np.ceil(distances / allowed * tenths), 1, tenths)
        shares[outside] = tenths + 1
        known = np.isfinite(allowed) | outside
        return cls(_by_ulp(ulp), _counts(shares[known].astype(np.intp), SHARES))

    def __add__(self, other: Distribution) -> Distribution:
        """Those of two parts of a tensor together."""
        return Distribution(_sum(self.ulp, other.ulp), _sum(self.bound, other.bound))

    def to_json(self) -> dict[str, Any]:
        """As plain data: ``ulp`` and, where there is one, ``bound``; lists of the upper end of a range, None for the
        last, and its count, of all ranges that have elements."""
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
