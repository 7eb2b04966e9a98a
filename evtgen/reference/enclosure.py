"""A value, and the interval in which the device's must lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..operators.arrays import Array, same


@dataclass(frozen=True)
class Enclosure:
    """A value and where the device's must lie.

    Attributes:
        value: the reference, of the tensor's dtype.
        low, high: least and greatest value that the device may have, of that dtype or, if it has no infinities, of
            float32; infinite where nothing can be said, and then NaN is allowed too. None: the device has ``value`` bit
            for bit (zeros are equal, so are NaNs).
    """

    value: Array
    low: Array | None = None
    high: Array | None = None

    @property
    def exact(self) -> bool:
        return self.low is None

    @property
    def ends(self) -> tuple[Array, Array]:
        """Least and greatest value, also of one that is exact."""
        return (self.value, self.value) if self.low is None or self.high is None else (self.low, self.high)

    @property
    def free(self) -> Any:
        """Elementwise, whether nothing can be said."""
        if self.low is None or self.high is None:
            return np.zeros(self.value.shape, bool)
        return np.isneginf(self.low.astype(np.float64)) & np.isposinf(self.high.astype(np.float64))

    def map(self, part: Callable[[Array], Array]) -> Enclosure:
        """The enclosure of a part of the values."""
        if self.low is None or self.high is None:
            return Enclosure(part(self.value))
        return Enclosure(part(self.value), part(self.low), part(self.high))

    def contains(self, device: Array) -> Any:
        """Elementwise, whether the device's value is allowed."""
        equal = same(device, self.value)
        if self.low is None or self.high is None or equal.all():
            return equal
        wide = device.astype(np.float64)
        return equal | self.free | ((wide >= self.low.astype(np.float64)) & (wide <= self.high.astype(np.float64)))

    def error(self) -> Array:
        """Elementwise, the largest absolute error that is allowed; infinite where nothing can be said."""
        if self.low is None or self.high is None:
            return np.zeros(self.value.shape)
        value = self.value.astype(np.float64)
        with np.errstate(invalid="ignore"):
            widths = [np.where(end == value, 0.0, np.abs(end - value))
                      for end in (self.low.astype(np.float64), self.high.astype(np.float64))]  # fmt: skip
        widest: Array = np.nan_to_num(np.maximum(*widths), nan=0.0, posinf=np.inf)
        return widest

    def bound(self) -> float:
        """Largest absolute error that is allowed anywhere; infinite if somewhere nothing can be said."""
        return 0.0 if self.exact or not self.value.size else float(self.error().max())
