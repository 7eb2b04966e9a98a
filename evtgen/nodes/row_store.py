"""RowStore: the first row of its input, written to a user's 1×N tensor."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.shapes import TensorShape
from .store import Store


@dataclass(frozen=True)
class RowStore(Store):
    """``VisitorRowStore<Element, Layout>``: STORE writes the first row to ``name`` straight from its input's buffer.

    Arguments ``{ptr_row_out, layout}``, the layout of shape (1, N). Returns its input.
    """

    header = "visitor_row_store.hpp"
    shape = TensorShape.ROW
