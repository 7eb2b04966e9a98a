"""An epilogue in Catlass's own visitor framework, EVG (v1.6 and later): its nodes, how they are composed, and the
length of its tiles.

Each node of EVG has buffers of its own, and two of each, for two tiles in flight.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum

from ..graph.ir import Node
from ..graph.types import BLOCK_BYTES, mask
from ..nodes import (
    AccLoad,
    AStatistic,
    AuxLoad,
    AuxStore,
    Band,
    Cast,
    ColBroadcast,
    ColIndex,
    ColReduce,
    Compute,
    Outputs,
    ResidentAccLoad,
    RowBroadcast,
    RowIndex,
    RowReduce,
    ScalarBroadcast,
    ScalarReduce,
    VisitorNode,
    node_of,
)
from ..passes.analysis.gemm import block_shape, subblock_rows
from .aliases import subject, unique
from .parts import MAX_TILE_ROWS, granule, ub_parts
from .plan import Plan
from .vectors import on_whole_tiles

ARCHITECTURE = "Ascend950"
"""The only architecture that EVG's kernels are for."""

FUNCTORS = {
    "Plus": "Add",
    "Minus": "Sub",
    "Multiplies": "Mul",
    "Divides": "Div",
    "Maximum": "Max",
    "Minimum": "Min",
    "Relu": "Relu",
    "Exp": "Exp",
    "Sqrt": "Sqrt",
    "LeakyRelu": "LeakyRelu",
    "Adds": "Adds",
    "Muls": "Muls",
    "Maxs": "Maxs",
    "Mins": "Mins",
    "AddRelu": "AddRelu",
}
"""Operators by the functors of EVG (``operations.hpp``) that give the same numbers. Its other functors (``Silu``,
``Sigmoid``, ``Rsqrt`` and so on) round more often than the operators of those names, or leave the range of half."""

BUFFERS = 2
"""Tiles in flight (v1.6.3, ``block_epilogue_visitor.hpp``)."""

ACCUMULATOR_BYTES = 128 * 1024
"""Bytes of UB, from its beginning on, that the kernel with the accumulator in UB keeps for it: half of
``Arch::Ascend950::L0C_SIZE``. The nodes' buffers come behind."""

_STEP = 32
"""Elements of which ``COMPUTE_LENGTH`` and the rows of a tile are multiples: ``BYTE_PER_C0``."""

_ROW_BY_ROW = (ColBroadcast, ColReduce, ScalarReduce)
"""Nodes whose instructions have a repeat for each row of a tile."""


class Kind(Enum):
    """Whose class template a node is: Catlass's own, or one of those that evtgen brings along. ``DEFAULT`` is a load of
    Catlass's within ``VisitorOrDefault``; ``COPY`` has no node in the epilogue."""

    CATLASS = "catlass"
    EXTENDED = "extended"
    DEFAULT = "default"
    COPY = "copy"


@dataclass(frozen=True)
class EvgNode:
    """A node of the graph as EVG has it.

    Attributes:
        alias: the unique C++ name of its type.
        kind: whose template it is.
        node: the node of the epilogue; of a copy, the one that it copies from.
        inputs: indices of its producers.
    """

    alias: str
    kind: Kind
    node: VisitorNode
    inputs: tuple[int, ...]


@dataclass(frozen=True)
class EvgPlan:
    """An epilogue as EVG has it.

    Attributes:
        plan: the epilogue with all choices that do not depend on the framework.
        nodes: its nodes, inputs first; the last is the root.
        is_tree: whether every node has one reader at most.
        in_ub: whether the cube core leaves the accumulator in UB.
        compute_length: elements of a tile.
        ub_used, ub_limit: bytes of UB of all buffers, and those that there are for them.
    """

    plan: Plan
    nodes: tuple[EvgNode, ...]
    is_tree: bool
    in_ub: bool
    compute_length: int
    ub_used: int
    ub_limit: int

    @property
    def copies(self) -> tuple[EvgNode, ...]:
        """The copies that stand between a load and a store."""
        return tuple(node for node in self.nodes if node.kind is Kind.COPY)


def is_catlass(node: VisitorNode) -> bool:
    """Whether Catlass has a class template for the node, whatever operator it applies."""
    return isinstance(node, AccLoad | AuxLoad | AuxStore | Cast | Compute | RowBroadcast)


def of(plan: Plan) -> EvgPlan:
    """The plan in EVG's terms. Requires that :func:`evtgen.check.evg.refusals` finds nothing in it."""
    return _of(plan, is_in_ub(plan))


def _of(plan: Plan, in_ub: bool) -> EvgPlan:
    nodes = _nodes(plan)
    readers = [0] * len(nodes)
    for node in nodes:
        for source in node.inputs:
            readers[source] += 1
    limit = plan.arch.ub_usable - (ACCUMULATOR_BYTES if in_ub else 0)
    length = _length(plan, nodes, limit)
    if in_ub and length > _room(plan):
        copying = tuple(replace(n, kind=Kind.EXTENDED) if isinstance(n.node, AccLoad) else n for n in nodes)
        length, longer = _room(plan) // _granule(nodes) * _granule(nodes), _length(plan, copying, limit)
        if longer > length:
            nodes, length = copying, longer
    used = BUFFERS * _ub_bytes(nodes, in_ub, length)
    return EvgPlan(plan, nodes, max(readers) <= 1, in_ub, length, used, limit)


def has_counterpart(node: VisitorNode) -> bool:
    """Whether EVG, with the nodes that evtgen brings along, has such a node."""
    is_node = isinstance(node, tuple(_UB_BYTES)) and not isinstance(node, AStatistic)
    return is_node and not (node.tensor is not None and node.tensor.by_columns)


def longest(plan: Plan) -> EvgPlan:
    """The plan in EVG's terms with tiles as long as they can be: of no element where not even the shortest fit."""
    free = replace(plan, epilogue=replace(plan.epilogue, compute_length="auto"))
    return _of(free, is_in_ub(plan))


def shortest(made: EvgPlan) -> tuple[int, int]:
    """The elements of the shortest tile, and the bytes of UB that all nodes take with it."""
    step = _granule(made.nodes)
    return step, BUFFERS * _ub_bytes(made.nodes, made.in_ub, step)


def is_in_ub(plan: Plan) -> bool:
    """Whether the cube core leaves the accumulator in UB. Where that is left open, it does if evtgen's own framework
    would have it so, and whole rows of a block fit a tile behind what is kept for it."""
    way = plan.epilogue.gemm.handoff
    if way is not None:
        return way == "ub"
    rows, columns = half_block(plan)
    fits = rows * columns * plan.element_c.size <= ACCUMULATOR_BYTES
    return plan.gemm.handoff == "ub" and fits and _of(plan, True).compute_length >= columns


def half_block(plan: Plan) -> tuple[int, int]:
    """Rows of a block that a vector core has, and elements of a row there."""
    return subblock_rows(plan.gemm, plan.arch), _up(block_shape(plan.gemm)[1], _STEP)


def _nodes(plan: Plan) -> tuple[EvgNode, ...]:
    """The nodes, without casts from a type to itself, and with a copy in front of each store that would otherwise read
    what a load has written."""
    nodes: list[EvgNode] = []
    place: dict[int, int] = {}
    loaded: dict[int, bool] = {}
    copies: dict[int, int] = {}
    taken = dict.fromkeys(plan.aliases, 2)

    def add(node: EvgNode, by_load: bool) -> int:
        nodes.append(node)
        loaded[len(nodes) - 1] = by_load
        return len(nodes) - 1

    for index in plan.order:
        step, alias = plan.steps[index], plan.aliases[index]
        node = on_whole_tiles(node_of(step))
        inputs = tuple(place[i] for i in step.inputs)
        if isinstance(node, Cast) and node.to == node.from_:
            place[index] = inputs[0]
            continue
        if isinstance(node, AuxStore) and loaded[inputs[0]]:
            source = inputs[0]
            if source not in copies:
                name = unique(f"Copy{_subject(nodes[source])}", taken)
                copies[source] = add(EvgNode(name, Kind.COPY, nodes[source].node, inputs), False)
            inputs = (copies[source],)
        by_load = isinstance(node, AccLoad | AuxLoad | RowBroadcast)
        place[index] = add(EvgNode(alias, _kind(node), node, inputs), loaded[inputs[0]] if node.forwards else by_load)
    return tuple(nodes)


def _subject(node: EvgNode) -> str:
    return subject(node.node, [node.alias])


def _kind(node: VisitorNode) -> Kind:
    if isinstance(node, Compute):
        return Kind.EXTENDED if _scratch(node) or mask in (node.element, *map(node.takes, range(4))) else Kind.CATLASS
    if node.tensor is not None and node.tensor.null_default is not None:
        return Kind.DEFAULT
    return Kind.CATLASS if is_catlass(node) else Kind.EXTENDED


def _scratch(node: Compute) -> bool:
    """Whether the operator needs tiles beside its operands and its result."""
    return node.operator is not None and node.operator.scratch_tiles(node.T) > 0


def _granule(nodes: Sequence[EvgNode]) -> int:
    return max(_STEP, granule(node.node for node in nodes))


def _length(plan: Plan, nodes: Sequence[EvgNode], limit: int) -> int:
    """Elements of a tile: those that the user asks for, if they fit, else the most that fit; 0 if none do."""
    step, in_ub = _granule(nodes), limit < plan.arch.ub_usable
    # One tile of a block's half is enough.
    rows, columns = half_block(plan)
    most = rows * columns
    if rows > MAX_TILE_ROWS and any(isinstance(node.node, _ROW_BY_ROW) for node in nodes):
        most = min(most, MAX_TILE_ROWS * _STEP)
    lengths = range(step, most + 1, step)
    length = step * bisect_left(lengths, True, key=lambda n: BUFFERS * _ub_bytes(nodes, in_ub, n) > limit)
    asked = plan.epilogue.compute_length
    return asked if isinstance(asked, int) and asked <= length else length


def _room(plan: Plan) -> int:
    """The longest tile of an accumulator in UB with which no operator reads beyond what is kept for it: operators read
    a whole tile from where that of the accumulator begins, and it may begin in the last row."""
    rows, columns = half_block(plan)
    room = ACCUMULATOR_BYTES // plan.element_c.size - (rows - 1) * columns
    # A tile of a part of a row begins later in it.
    return room if room >= columns else room - columns


def _ub_bytes(nodes: Sequence[EvgNode], in_ub: bool, length: int) -> int:
    """Bytes of UB of one buffer of all nodes."""
    return sum(_up(_bytes_of(node, in_ub, length), BLOCK_BYTES) for node in nodes)


def _bytes_of(node: EvgNode, in_ub: bool, length: int) -> int:
    if node.kind is Kind.COPY:
        return length * node.node.element.size
    if in_ub and isinstance(node.node, AccLoad) and node.kind is Kind.CATLASS:
        return 0
    return _UB_BYTES[type(node.node)](node.node, length)


def _tile(node: VisitorNode, length: int) -> int:
    return length * node.element.size


def _parts(node: VisitorNode, length: int) -> int:
    return sum(ub_parts(node, length))


def _none(node: VisitorNode, length: int) -> int:
    return 0


_UB_BYTES: dict[type[Node], Callable[[VisitorNode, int], int]] = {
    AccLoad: _tile,
    ResidentAccLoad: _tile,
    AuxLoad: _tile,
    AuxStore: _none,
    Band: _tile,
    Cast: _tile,
    ColBroadcast: _parts,
    ColIndex: _parts,
    ColReduce: _parts,
    Compute: _parts,
    Outputs: _none,
    RowBroadcast: _tile,
    RowIndex: _parts,
    RowReduce: _tile,
    ScalarBroadcast: _tile,
    ScalarReduce: _parts,
}
"""The nodes that have a counterpart, and bytes of UB of each. A row's reduction has a whole tile here: that of a single
row is a copy of it, since the row may be what a load has written."""


def _up(number: int, step: int) -> int:
    return -(-number // step) * step
