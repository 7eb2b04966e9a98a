"""AuxStore: its input, written to a user's M×N tensor."""

from __future__ import annotations

from dataclasses import dataclass

from ..graph.shapes import TensorShape
from .store import Store


@dataclass(frozen=True)
class AuxStore(Store):
    """``VisitorAuxStore<Element, Layout>``: STORE writes the tile to ``name`` straight from its input's buffer.

    Arguments ``{ptr_aux, layout}``. Returns its input, so it can sit anywhere in a graph.
    """

    header = "visitor_aux_store.hpp"
    shape = TensorShape.MATRIX
