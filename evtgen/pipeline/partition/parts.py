"""A part of a graph, cut out as a graph of its own: what a kernel computes, in PyTorch."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from ...frontend.fx.binding import free_names
from ...frontend.fx.leaves import Half
from ...frontend.fx.matmuls import Chosen, turned_of
from ...frontend.fx.model import ModelFunction
from ...frontend.fx.nodes import FxNode
from ...frontend.fx.region import Region
from ...frontend.fx.scales import OfLines
from ...graph.ir import Epilogue
from .graphs import FIXED, extent, is_tensor, named


@dataclass(frozen=True)
class Part:
    """A part of a graph.

    Attributes:
        graph_module: the part. What it reads of the rest, parameters too, are its arguments.
        arguments: the nodes of the rest that it reads, by the names of the arguments.
        leads: the leading extents of what is first computed of each argument.
        originals: the nodes of the graph by the names of their copies.
        taken: the nodes of the graph that it stands for.
        outputs: those of them that it gives.
    """

    graph_module: Any
    arguments: dict[str, FxNode]
    leads: dict[str, Sequence[Any]]
    originals: dict[str, FxNode]
    taken: frozenset[FxNode]
    outputs: tuple[FxNode, ...]

    def output(self, name: str) -> FxNode:
        """The node that the epilogue calls so."""
        return self.outputs[0] if len(self.outputs) == 1 else self.originals[name]

    def halves(self, epilogue: Epilogue) -> dict[str, tuple[str, int]]:
        """The inputs that are half of an argument's columns: its name, and which half."""
        found = epilogue.function.leaves.found if isinstance(epilogue.function, ModelFunction) else {}
        things = ((one.thing if isinstance(one, OfLines) else one, leaf) for one, leaf in found.items())
        return {leaf.name: (half.thing.name, half.index) for half, leaf in things if isinstance(half, Half)}


def cut_out(graph_module: Any, chosen: Chosen, inside: Region) -> Part:
    """The part that has the nodes of an epilogue, its matmuls, and what turns their operands."""
    taken = frozenset({*chosen.all_nodes, *inside.nodes})
    wanted = {*taken, *_turning(chosen), *(node for product in chosen.products for node in product.between)}
    graph = type(graph_module.graph)()
    copies: dict[FxNode, FxNode] = {}
    arguments: dict[str, FxNode] = {}
    leads: dict[str, Sequence[Any]] = {}
    operands = {thing for product in chosen.products for thing in product.read}
    ordered = [node for node in graph_module.graph.nodes if node in wanted]
    for given in dict.fromkeys(given for node in ordered for given in node.all_input_nodes):
        if given not in wanted:
            argument = copies[given] = graph.placeholder(free_names([_called(given)], {*arguments, "D"})[0])
            argument.meta = dict(given.meta)
            leads[argument.name] = _lead(next(node for node in ordered if given in node.all_input_nodes), chosen)
            if is_tensor(given) and (given not in operands or is_batched(chosen)):
                argument.meta[FIXED] = _spread(given.meta[FIXED], leads[argument.name], chosen)
            arguments[argument.name] = given
    for node in ordered:
        copies[node] = graph.node_copy(node, copies.__getitem__)
    graph.output(tuple(copies[node] for node in inside.outputs))
    made = import_module("torch").fx.GraphModule(graph_module, graph)
    originals = {copy.name: node for node, copy in copies.items()}
    return Part(made, arguments, leads, originals, taken, inside.outputs)


def _turning(chosen: Chosen) -> Iterator[FxNode]:
    """The transpositions between the operands and the matmuls."""
    operands = [thing for product in chosen.products for thing in (product.a, product.b)]
    for given in dict.fromkeys(given for node in chosen.all_nodes for given in node.all_input_nodes):
        turned, (inner, _) = given, turned_of(given)
        while given not in operands and inner in operands and turned is not inner:
            yield turned
            turned = turned.all_input_nodes[0]


def is_batched(chosen: Chosen) -> bool:
    """Whether there is a matmul for each matrix of a batch."""
    b = chosen.products[0].b
    return chosen.products[0].groups is None and is_tensor(b) and len(b.meta[FIXED].shape) > 2


def _lead(node: FxNode, chosen: Chosen) -> Sequence[Any]:
    """The leading extents of a node; of the matmul where it has none of its own."""
    value = (node if is_tensor(node) else chosen.products[0].node).meta[FIXED]
    return tuple(value.shape[:-1])


def _spread(value: Any, lead: Sequence[Any], chosen: Chosen) -> Any:
    """A tensor as the kernel has it: one with some of the rows alone is repeated for the others, and a column of bools
    for the columns, since no instruction repeats bytes along a row. Leading axes of a batch become one."""
    batched = is_batched(chosen)
    if all(isinstance(extent, int) and extent == 1 for extent in value.shape[: -2 if batched else -1]):
        return value
    columns = value.shape[-1]
    if str(value.dtype) == "torch.bool":
        columns = chosen.products[0].node.meta[FIXED].shape[-1] // (1 + (chosen.form == "halves"))
    to = [*lead[:-1], value.shape[-2] if batched else lead[-1], columns]
    if not _repeats(value.shape, to):
        return value
    spread = value.expand(*to)
    return spread.flatten(0, -3) if batched else spread


def _repeats(shape: Sequence[Any], to: Sequence[Any]) -> bool:
    """Whether a tensor of one shape can be repeated to another."""
    pairs = zip(reversed(shape), reversed(to), strict=False)
    return len(shape) <= len(to) and all(extent(own) in (1, extent(of)) for own, of in pairs)


def _called(node: FxNode) -> str:
    """The name of an argument: of a parameter, its path."""
    name = re.sub(r"\W", "_", named(node)).strip("_")
    return name if re.match("[A-Za-z]", name) else f"p_{name}"
