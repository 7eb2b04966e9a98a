"""Faults of Catlass's own framework that an EVT runs into; evtgen's has none of them."""

from __future__ import annotations

from collections.abc import Iterator

from ...diagnostics import cpp as codes
from ...diagnostics.diagnostic import Diagnostic
from ...graph.ir import Epilogue, flatten
from ...nodes import AccLoad, AuxLoad, AuxStore, RowBroadcast, node_of
from ...passes.analysis.fields import describe
from ...planner.evg import ACCUMULATOR_BYTES, BUFFERS
from ...targets import ARCHITECTURES
from .kernel import EVG, Block


def faults(block: Block, epilogue: Epilogue) -> Iterator[Diagnostic]:
    """EVT303 where the nodes' buffers are more than UB, EVT304 for each store of what a load has written."""
    if block.type.args[0].last != EVG:
        return
    steps = list(flatten(epilogue.root))
    nodes = [node_of(step) for step in steps]
    own = [node for node in nodes if not isinstance(node, AuxStore) and not (block.in_ub and isinstance(node, AccLoad))]
    each = BUFFERS * sum(node.element.size for node in own)
    size = ARCHITECTURES[block.arch].ub_size
    length, room = block.type.args[2].number, size - (ACCUMULATOR_BYTES if block.in_ub else 0)
    if length is not None and length * each > room:
        used, most = length * each + size - room, room // each // 32 * 32
        yield codes.OVERRUN.of(at=epilogue.location, count=len(own), length=length, used=used, size=size, most=most)
    for node, step in zip(nodes, steps, strict=True):
        source, passed = step, 0
        # A store hands on what it reads; a graph with a cycle is wrong, and has an end here.
        while isinstance(source.node, AuxStore) and source.inputs and passed < len(steps):
            source, passed = steps[source.inputs[0]], passed + 1
        if isinstance(node, AuxStore) and isinstance(source.node, AccLoad | AuxLoad | RowBroadcast):
            yield codes.RACES.of(at=node.location, store=describe(node), load=describe(node_of(source)))
