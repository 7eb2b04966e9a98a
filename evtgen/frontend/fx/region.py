"""Which nodes of a graph an epilogue has: those behind its matmul, up to the next."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from .matmuls import Chosen, product_of
from .nodes import FxNode


@dataclass(frozen=True)
class Region:
    """The nodes of an epilogue.

    Attributes:
        nodes: in their order, without the matmuls.
        outputs: those of them, or matmuls, that something else reads.
    """

    nodes: tuple[FxNode, ...]
    outputs: tuple[FxNode, ...]


def region(graph_module: Any, chosen: Chosen, stop: Collection[FxNode] = ()) -> Region:
    """What is made of the accumulators alone and of what there is without them. What is behind another matmul that
    reads them is not, nor is what is to ``stop`` it and what is behind that."""
    matmuls = set(chosen.all_nodes)
    inside: dict[FxNode, None] = dict.fromkeys(chosen.all_nodes)
    behind: set[FxNode] = set()
    needed = _needed(graph_module.graph)
    for node in graph_module.graph.nodes:
        if node in matmuls or node.op == "output" or node not in needed:
            continue
        inputs = set(node.all_input_nodes)
        if inputs & behind or node in stop or (inputs & inside.keys() and product_of(graph_module, node)):
            behind.add(node)
        elif inputs & inside.keys():
            inside[node] = None
    outputs = [node for node in inside if any(user in needed and user not in inside for user in node.users)]
    return Region(tuple(node for node in inside if node not in matmuls), tuple(outputs))


def _needed(graph: Any) -> set[FxNode]:
    """The nodes that what the graph returns is made of: others, such as checks of shapes, are left out."""
    found: set[FxNode] = set()
    for node in reversed(graph.nodes):
        if node.op == "output" or node in found:
            found |= {node, *node.all_input_nodes}
    return found
