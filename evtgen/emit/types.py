"""The C++ types of nodes: the arguments of their class templates, by the node's kind."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ..graph.shapes import WHOLE, TensorShape
from ..graph.types import mask
from ..nodes import (
    STATISTICS,
    AccDigits,
    AccLoad,
    Alternate,
    AStatistic,
    AuxGather,
    AuxLoad,
    AuxScatter,
    Band,
    BlockBroadcast,
    BlockReduced,
    BlockStore,
    Broadcast,
    Cast,
    ColIndex,
    ColReduced,
    Compute,
    DecodeFloat8,
    HeadBroadcast,
    Kept,
    Part,
    Reduce,
    ResidentAccLoad,
    Rotate,
    Store,
    TopK,
    TopKResult,
    VisitorNode,
    WideStore,
)
from ..nodes.base import of_kind

LOCAL = "operations"
"""The namespace, within that of an epilogue, of the operators that its header declares."""


_HELD = {TensorShape.MATRIX: "TILE", TensorShape.ROW: "ROW", TensorShape.COLUMN: "COLUMN"}
"""What a tile holds, in C++."""


def node_type(node: VisitorNode, fusion: str) -> str:
    """The C++ type of a node. ``fusion`` is the prefix of the framework's names."""
    arguments = of_kind(_ARGUMENTS, node)(node, fusion)
    written = f"{fusion}{node.template}" + (f"<{', '.join(arguments)}>" if arguments else "")
    for name, before, behind in wrappers(node, fusion):
        written = f"{fusion}Visitor{name.title().replace('_', '')}<{', '.join([*before, written, *behind])}>"
    return written


def wrappers(node: VisitorNode, fusion: str) -> Iterator[tuple[str, Sequence[str], Sequence[str]]]:
    """The class templates around that of a node, the innermost first: the name after ``visitor_`` of the header, and
    the arguments before and behind the node."""
    if isinstance(node, Compute) and node.reads:
        yield "by_repeats", (), [f"{fusion}Held::{_HELD[shape]}" for shape in node.reads]
    elif node.vector is not None and isinstance(node, (Cast, ColIndex, Compute)):
        yield f"on_{node.vector.noun}", (), () if node.vector.spreads else ("false",)
    if isinstance(node, AuxScatter) and node.ordered:
        yield "scatter_in_order", (), ()
    if node.columns.step > 1 and not isinstance(node, Alternate):
        yield "on_half", (), ()
    elif node.columns.sorted and not isinstance(node, Part):
        yield "on_first", [str(node.columns.stop)], ()
    elif node.columns != WHOLE and not isinstance(node, Part):
        yield "on_columns", _edges(node, fusion), ()
    if isinstance(node, Reduce) and node.ordered_by is not None:
        yield "in_order", [*map(str, node.ordered_by)], ()
    if isinstance(node, Kept):
        yield "in_workspace", (str(node.number),), ()


def _edges(node: VisitorNode, fusion: str) -> Sequence[str]:
    """The first of its columns, and the one behind the last."""
    start, stop = node.columns.start, node.columns.stop
    return str(start), f"{fusion}ALL_COLUMNS" if stop is None else str(stop)


def _compute(node: Compute, fusion: str) -> Sequence[str]:
    functor = f"{fusion}{node.op}" if node.local is None else f"{LOCAL}::{node.local.cpp}"
    element = f"{fusion}Mask" if mask == node.T else node.T.cpp
    return functor, element, *[node.element_constant.cpp] * len(node.constants)


def _cast(node: Cast, fusion: str) -> Sequence[str]:
    mode = () if node.round == "CAST_NONE" else (f"AscendC::RoundMode::{node.round}",)
    return node.to.cpp, node.from_.cpp, *mode


def _typed(node: AuxGather | Store, fusion: str) -> Sequence[str]:
    return node.T.cpp, node.layout.cpp, *(() if node.vector is None else ("true",))


def _optional(node: AuxLoad | Broadcast, fusion: str) -> Sequence[str]:
    null = "false" if node.null_default is None else "true"
    if node.vector is not None:
        return node.T.cpp, node.layout.cpp, null, "false"
    return node.T.cpp, node.layout.cpp, *(() if node.null_default is None else (null,))


_ARGUMENTS: dict[type[VisitorNode], Callable[[Any, str], Sequence[str]]] = {
    VisitorNode: lambda node, fusion: (),
    AccLoad: lambda node, fusion: (node.T.cpp, "false", "1") if node.index else (node.T.cpp,),
    AccDigits: lambda node, fusion: (node.T.cpp,),
    ResidentAccLoad: lambda node, fusion: (node.T.cpp, "true", *("1",) * node.index),
    AuxLoad: _optional,
    AuxGather: _typed,
    AuxScatter: lambda node, fusion: (*_typed(node, fusion), *(("true",) if node.add else ())),
    AStatistic: lambda node, fusion: (
        f"{fusion}AStatistic::{STATISTICS[node.name]}",
        *(() if node.vector is None else ("false",)),
    ),
    Broadcast: _optional,
    Compute: _compute,
    Alternate: lambda node, fusion: (node.T.cpp, str(node.start)),
    TopK: lambda node, fusion: (node.T.cpp, str(node.stop), *(("true",) if node.long else ())),
    TopKResult: lambda node, fusion: (node.T.cpp,),
    Part: lambda node, fusion: (f"{fusion}Mask" if mask == node.T else node.T.cpp, *_edges(node, fusion)),
    Band: lambda node, fusion: (node.T.cpp, *map(str, (node.row, node.column, node.lower, node.upper))),
    Cast: _cast,
    Store: _typed,
    WideStore: lambda node, fusion: (node.T.cpp, str(node.lines), str(node.length)),
    ColReduced: lambda node, fusion: (f"{fusion}{node.op}", node.T.cpp, *(() if node.vector is None else ("false",))),
    Reduce: lambda node, fusion: (f"{fusion}{node.op}", node.T.cpp, node.layout.cpp),
    BlockReduced: lambda node, fusion: (
        f"{fusion}{node.op}",
        node.T.cpp,
        str(node.block),
        *(() if node.spreads else ("false",)),
    ),
    BlockBroadcast: lambda node, fusion: (node.T.cpp, node.layout.cpp, *map(str, node.block)),
    DecodeFloat8: lambda node, fusion: (str(node.exponent_bits),),
    HeadBroadcast: lambda node, fusion: (node.T.cpp, node.layout.cpp, str(node.head)),
    Rotate: lambda node, fusion: (node.T.cpp, str(node.head), *(("true",) if node.interleaved else ())),
    BlockStore: lambda node, fusion: (node.T.cpp, node.layout.cpp, str(node.block)),
}
