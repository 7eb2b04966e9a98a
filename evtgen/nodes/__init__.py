"""The visitor node kinds: one module each, mirrored by one template."""

from __future__ import annotations

from .acc_load import AccLoad
from .aux_load import AuxLoad
from .aux_store import AuxStore
from .base import Tensor, Tensors, VisitorNode
from .cast import Cast, cast_path
from .compute import Compute
from .outputs import Outputs
from .row_broadcast import RowBroadcast
from .row_reduce import RowReduce

NODE_KINDS: dict[str, type[VisitorNode]] = {
    kind.__name__: kind
    for kind in (AccLoad, AuxLoad, RowBroadcast, Compute, Cast, AuxStore, RowReduce, Outputs)
}
"""Every node kind by its name."""

__all__ = [
    "NODE_KINDS",
    "AccLoad",
    "AuxLoad",
    "AuxStore",
    "Cast",
    "Compute",
    "Outputs",
    "RowBroadcast",
    "RowReduce",
    "Tensor",
    "Tensors",
    "VisitorNode",
    "cast_path",
]
