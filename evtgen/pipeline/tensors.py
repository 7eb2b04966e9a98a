"""Arrays as callers have them: numpy's, tensors of torch, and whatever numpy takes.

torch is never imported: who has a tensor has imported it.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from ..graph.types import float4_e2m1fn
from ..operators.arrays import ADDED, Array, dtype, packed
from ..system.translation import tr


def is_tensor(given: Any) -> bool:
    """Whether it is a tensor of torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(given, torch.Tensor)


def array_of(given: Any) -> Array:
    """An array in the same memory, if there is one; gradients end here, and elements of 4 bits are bytes with two each.
    Raises what numpy and torch raise."""
    if isinstance(given, np.ma.MaskedArray):
        raise TypeError(tr("a mask hides elements of it: x.filled(0.0) is an array"))
    if not is_tensor(given):
        return np.asarray(given)
    tensor = given.detach()
    name = str(tensor.dtype).removeprefix("torch.")
    if name.endswith("_x2"):  # two elements of 4 bits in a byte
        tensor, name = tensor.view(sys.modules["torch"].uint8), "uint8"
    if name not in ADDED:
        array: Array = tensor.numpy()
        return array
    import ml_dtypes

    element = np.dtype(getattr(ml_dtypes, name))
    bits: Array = tensor.view(getattr(sys.modules["torch"], f"int{8 * element.itemsize}")).numpy()
    return bits.view(element)


def tensor_of(array: Array) -> Any:
    """A tensor in the memory of an array; two elements of 4 bits lie in a byte, for which it is copied."""
    torch = sys.modules["torch"]
    if array.dtype == dtype(float4_e2m1fn):
        pairs = packed(array).reshape(*array.shape[:-1], -1)
        return torch.from_numpy(pairs).view(torch.float4_e2m1fn_x2)
    if array.dtype.name not in ADDED:
        return torch.from_numpy(array)
    return torch.from_numpy(array.view(f"int{8 * array.itemsize}")).view(getattr(torch, array.dtype.name))
