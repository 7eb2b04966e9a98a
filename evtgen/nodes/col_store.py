"""ColStore: the first column of its input, written to a user's M×1 tensor."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.shapes import TensorShape
from .store import Store


@dataclass(frozen=True)
class ColStore(Store):
    """``VisitorColStore<Element, Layout>``: STORE writes the first column to ``name`` straight from its input's buffer.

    Arguments ``{ptr_col_out, layout}``, the layout of shape (M, 1). Returns its input.
    """

    header = "visitor_col_store.hpp"
    shape = TensorShape.COLUMN
