"""ScalarStore: the first value of its input, written to a user's 1×1 tensor."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.shapes import TensorShape
from .store import Store


@dataclass(frozen=True)
class ScalarStore(Store):
    """``VisitorScalarStore<Element, Layout>``: STORE writes the first value to ``name`` from its input's buffer.

    Arguments ``{ptr_scalar_out, layout}``, the layout of shape (1, 1). Returns its input.
    """

    header = "visitor_scalar_store.hpp"
    shape = TensorShape.SINGLE
