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
    for node in graph_module.graph.nodes:
        if node in matmuls or node.op == "output":
            continue
        inputs = set(node.all_input_nodes)
        if inputs & behind or node in stop or (inputs & inside.keys() and product_of(graph_module, node)):
            behind.add(node)
        elif inputs & inside.keys():
            inside[node] = None
    outputs = [node for node in inside if any(user not in inside for user in node.users)]
    # What nobody reads (a check of a shape) is left out.
    nodes = [node for node in inside if node not in matmuls and node.users]
    return Region(tuple(nodes), tuple(outputs))
