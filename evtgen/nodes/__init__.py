"""The visitor node kinds: declarations by family, each mirrored by one template."""

from __future__ import annotations

from ..graph.shapes import TensorShape
from .base import Tensor, Vector, VisitorNode, node_of
from .blocks import BLOCKS, BlockReduced, BlockStore, HeadBroadcast, Rotate
from .compute import Band, Cast, Compute, Constant, DecodeFloat8, cast_path
from .kept import KEPT, Kept, KeptLoad, KeptStore
from .loads import (
    STATISTICS,
    AccDigits,
    AccLoad,
    AStatistic,
    AuxGather,
    AuxLoad,
    BlockBroadcast,
    Broadcast,
    ColBroadcast,
    ColIndex,
    Position,
    ResidentAccLoad,
    RowBroadcast,
    RowIndex,
    ScalarBroadcast,
)
from .parts import Alternate, Part
from .reductions import (
    REDUCED,
    ColReduce,
    ColReduced,
    Reduce,
    Reduced,
    Reducing,
    RowReduce,
    RowReduced,
    ScalarReduce,
    ScalarReduced,
)
from .stores import AuxScatter, AuxStore, ColStore, Outputs, RankScatter, RowStore, ScalarStore, Store, WideStore
from .top_k import MOST_OF_A_ROW, TopK, TopKResult

NODE_KINDS: dict[str, type[VisitorNode]] = {
    kind.__name__: kind
    for kind in (
        AccLoad, AuxLoad, AuxGather, RowBroadcast, ColBroadcast, ScalarBroadcast, HeadBroadcast, RowIndex, ColIndex,
        AStatistic, Part, Alternate, TopK, TopKResult, Compute, Cast, RowReduced, ColReduced, ScalarReduced,
        BlockReduced, Rotate, AuxStore, AuxScatter, RankScatter, BlockStore, RowStore, ColStore, ScalarStore,
        RowReduce, ColReduce, ScalarReduce, Outputs,
    )
}  # fmt: skip
"""Every node kind that a user writes, by its name."""

MADE_KINDS: tuple[type[VisitorNode], ...] = (AccDigits, Band, BlockBroadcast, DecodeFloat8, WideStore)
"""Those that a pass or the planner makes."""

STORES: dict[TensorShape, type[Store]] = {kind.shape: kind for kind in (AuxStore, RowStore, ColStore, ScalarStore)}
"""The store to a tensor of each shape."""

__all__ = [
    "BLOCKS",
    "KEPT",
    "MADE_KINDS",
    "MOST_OF_A_ROW",
    "NODE_KINDS",
    "REDUCED",
    "STATISTICS",
    "STORES",
    "AStatistic",
    "AccDigits",
    "AccLoad",
    "Alternate",
    "AuxGather",
    "AuxLoad",
    "AuxScatter",
    "AuxStore",
    "Band",
    "BlockBroadcast",
    "BlockReduced",
    "BlockStore",
    "Broadcast",
    "Cast",
    "ColBroadcast",
    "ColIndex",
    "ColReduce",
    "ColReduced",
    "ColStore",
    "Compute",
    "Constant",
    "DecodeFloat8",
    "HeadBroadcast",
    "Kept",
    "KeptLoad",
    "KeptStore",
    "Outputs",
    "Part",
    "Position",
    "RankScatter",
    "Reduce",
    "Reduced",
    "Reducing",
    "ResidentAccLoad",
    "Rotate",
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
    "TopK",
    "TopKResult",
    "Vector",
    "VisitorNode",
    "WideStore",
    "cast_path",
    "node_of",
]
