"""The visitor node kinds: one module each, mirrored by one template."""

from __future__ import annotations

from ..graph.shapes import TensorShape
from .acc_load import AccLoad, ResidentAccLoad
from .aux_gather import AuxGather
from .aux_load import AuxLoad
from .aux_scatter import AuxScatter
from .aux_store import AuxStore
from .base import Tensor, Tensors, VisitorNode, node_of
from .broadcast import Broadcast
from .cast import Cast, cast_path
from .col_broadcast import ColBroadcast
from .col_index import ColIndex
from .col_reduce import ColReduce
from .col_store import ColStore
from .compute import Compute, Constant
from .kept import KEPT, Kept, KeptLoad, KeptStore
from .outputs import Outputs
from .position import Position
from .reduce import Reduce
from .reduced import REDUCED, ColReduced, Reduced, RowReduced, ScalarReduced
from .row_broadcast import RowBroadcast
from .row_index import RowIndex
from .row_reduce import RowReduce
from .row_store import RowStore
from .scalar_broadcast import ScalarBroadcast
from .scalar_reduce import ScalarReduce
from .scalar_store import ScalarStore
from .store import Store

NODE_KINDS: dict[str, type[VisitorNode]] = {
    kind.__name__: kind
    for kind in (
        AccLoad, AuxLoad, AuxGather, RowBroadcast, ColBroadcast, ScalarBroadcast, RowIndex, ColIndex,
        Compute, Cast, RowReduced, ColReduced, ScalarReduced,
        AuxStore, AuxScatter, RowStore, ColStore, ScalarStore, RowReduce, ColReduce, ScalarReduce, Outputs,
    )
}  # fmt: skip
"""Every node kind by its name."""

STORES: dict[TensorShape, type[Store]] = {kind.shape: kind for kind in (AuxStore, RowStore, ColStore, ScalarStore)}
"""The store to a tensor of each shape."""

__all__ = [
    "KEPT",
    "NODE_KINDS",
    "REDUCED",
    "STORES",
    "AccLoad",
    "AuxGather",
    "AuxLoad",
    "AuxScatter",
    "AuxStore",
    "Broadcast",
    "Cast",
    "ColBroadcast",
    "ColIndex",
    "ColReduce",
    "ColReduced",
    "ColStore",
    "Compute",
    "Constant",
    "Kept",
    "KeptLoad",
    "KeptStore",
    "Outputs",
    "Position",
    "Reduce",
    "Reduced",
    "ResidentAccLoad",
    "RowBroadcast",
    "RowIndex",
    "RowReduce",
    "RowReduced",
    "RowStore",
    "ScalarBroadcast",
    "ScalarReduce",
    "ScalarReduced",
    "ScalarStore",
    "Store",
    "Tensor",
    "Tensors",
    "VisitorNode",
    "cast_path",
    "node_of",
]
