"""Random epilogues that are valid by construction, from a seed: the same graph on every machine."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from graphlib import TopologicalSorter
from typing import Any

from evtgen.check.gemm import POLICIES
from evtgen.graph.ir import Epilogue, Gemm, Scalar, TopologicalVisitor, TreeVisitor, Visitor
from evtgen.graph.types import (
    LAYOUTS,
    ColumnMajor,
    ElementType,
    RowMajor,
    bfloat16,
    float32,
    half,
    int8,
    int16,
    int32,
    mask,
)  # fmt: skip
from evtgen.nodes import (
    NODE_KINDS,
    AccLoad,
    AStatistic,
    AuxLoad,
    AuxStore,
    Broadcast,
    Cast,
    Compute,
    Outputs,
    Reduce,
    Reduced,
    VisitorNode,
)
from evtgen.operators.declaration import Operator
from evtgen.operators.table import OPERATORS
from evtgen.planner.parts import granule
from evtgen.targets import AtlasA2
from evtgen.targets.architecture import WEIGHTS

MAX_NODES = 12

BROADCASTS = [kind for kind in NODE_KINDS.values() if issubclass(kind, Broadcast) and kind is not AStatistic]
REDUCED = [kind for kind in NODE_KINDS.values() if issubclass(kind, Reduced)]
REDUCTIONS = [kind for kind in NODE_KINDS.values() if issubclass(kind, Reduce)]

# Accumulators that the GEMM of each type of operand can leave.
ACCUMULATORS = ((half, half), (half, half), (half, float32), (bfloat16, float32), (bfloat16, bfloat16), (int8, int32))


@cache
def taking(element: ElementType) -> list[Operator]:
    """The operators that take values of a type."""
    return [op for op in OPERATORS.values() if element in op.types(AtlasA2)]


@dataclass
class Graph:
    """Nodes in topological order, the root last; ``inputs[i]`` are the producers of node i."""

    nodes: list[VisitorNode] = field(default_factory=list)
    inputs: list[tuple[int, ...]] = field(default_factory=list)

    def add(self, node: VisitorNode, *inputs: int) -> int:
        self.nodes.append(node)
        self.inputs.append(inputs)
        return len(self.nodes) - 1

    def users(self) -> list[set[int]]:
        users: list[set[int]] = [set() for _ in self.nodes]
        for index, inputs in enumerate(self.inputs):
            for source in inputs:
                users[source].add(index)
        return users

    def cone(self, root: int) -> set[int]:
        """A node and everything it needs."""
        seen: set[int] = set()
        stack = [root]
        while stack:
            index = stack.pop()
            if index not in seen:
                seen.add(index)
                stack += self.inputs[index]
        return seen


class _Builder:
    """Adds random nodes to a graph, each of them valid where it stands."""

    def __init__(self, rng: random.Random, acc: ElementType) -> None:
        self.rng = rng
        self.acc = acc
        self.graph = Graph()
        self.names = 0

    def name(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def load(self) -> int:
        rng, acc = self.rng, self.acc
        kind = rng.random()
        element = rng.choice((acc, acc, half, float32, int16, int32))
        if kind < 0.4:
            return self.graph.add(AccLoad(acc))
        default = rng.choice((None, None, None, 2)) if element in AtlasA2.calls["Duplicate"] else None
        if kind < 0.65:
            return self.graph.add(rng.choice(BROADCASTS)(self.name("vector"), element, null_default=default))
        return self.graph.add(AuxLoad(self.name("X"), element, null_default=default))

    def compute(self) -> int | None:
        rng = self.rng
        pivot = rng.randrange(len(self.graph.nodes))
        element = self.graph.nodes[pivot].element
        takes = taking(element)
        if not takes:
            return None
        op = rng.choice(takes)
        count = op.inputs + (rng.choice((0, 0, 1, 2)) if op.variadic else 0)
        constants = [self.constant(element) for _ in op.constants]
        inputs = [self.operand(op.takes(i, element)) for i in range(count)]
        same = [i for i in range(count) if op.takes(i, element) == element]
        if same:
            inputs[rng.choice(same)] = pivot
        return self.graph.add(Compute.of(op, element, constants), *inputs)

    def constant(self, element: ElementType) -> float | int | Scalar:
        if self.rng.random() < 0.3:
            return Scalar(self.name("alpha"), element, self.rng.choice((None, 3)))
        return self.rng.choice((0.5, 3.0, -2.0) if element.kind == "float" else (2, -3))

    def operand(self, element: ElementType) -> int:
        """A value of a type; a mask is made where there is none."""
        nodes = self.graph.nodes
        alike = [i for i, node in enumerate(nodes) if node.element == element]
        if alike or element != mask:
            return self.rng.choice(alike)
        source = self.rng.choice([i for i, node in enumerate(nodes) if node.element in (half, float32)])
        return self.graph.add(Compute("GreaterScalar", nodes[source].element, 0.5), source)

    def cast(self) -> int | None:
        source = self.rng.randrange(len(self.graph.nodes))
        here = self.graph.nodes[source].element
        pairs = [pair for pair in AtlasA2.casts if pair[0] == here and pair[1].packed == 1]
        if not pairs:
            return None
        pair = self.rng.choice(pairs)
        return self.graph.add(Cast(pair[1], pair[0], self.rng.choice(AtlasA2.casts[pair])), source)

    def reduced(self) -> int | None:
        """A reduction as a value."""
        nodes = self.graph.nodes
        alike = [i for i, node in enumerate(nodes) if node.element in (float32, int32) and not node.writes]
        if not alike:
            return None
        source = self.rng.choice(alike)
        kinds = [kind for kind in REDUCED if not kind("Plus", nodes[source].element).unsupported(AtlasA2)]
        ops = ("Plus", "Maximum", "Minimum", *(("Mean",) if nodes[source].element == float32 else ()))
        return self.graph.add(self.rng.choice(kinds)(self.rng.choice(ops), nodes[source].element), source)

    def write(self, source: int) -> int:
        """A store or a reduction; of a mask, what it chooses between 1 and 0."""
        rng, graph = self.rng, self.graph
        if graph.nodes[source].element == mask:
            compared = source
            while graph.nodes[compared].element == mask:
                compared = graph.inputs[compared][0]
            source = graph.add(Compute("WhereScalars", graph.nodes[compared].element, (1.0, 0.0)), source)
        element = graph.nodes[source].element
        kind = rng.choice(REDUCTIONS)
        reducible = element in AtlasA2.atomics and not kind("", "Plus", element).unsupported(AtlasA2)
        if reducible and rng.random() < 0.5:
            op, identity = rng.choice((("Plus", 0), ("Plus", 3), ("Maximum", -100), ("Minimum", 100)))
            return graph.add(kind(self.name("sum"), op, element, identity), source)
        return graph.add(AuxStore(self.name("D"), element), source)


def random_graph(rng: random.Random, acc: ElementType, phases: float = 0.0) -> Graph:
    """A graph of about twelve nodes whose every value is used and whose root is an output, or joins all of them.
    ``phases`` is the share of nodes that are reductions as values."""
    builder = _Builder(rng, acc)
    graph = builder.graph
    builder.load()
    size = rng.randint(2, MAX_NODES - 3)
    while len(graph.nodes) < size:
        # Without phases, the same graphs as ever.
        if phases and rng.random() < phases:
            builder.reduced()
            continue
        kind = rng.random()
        if kind < 0.25:
            builder.load()
        elif kind < 0.7:
            builder.compute()
        elif kind < 0.9:
            builder.cast()
        else:
            builder.write(rng.randrange(len(graph.nodes)))
    _finish(graph, rng, builder.write)
    return graph


def _finish(graph: Graph, rng: random.Random, write: Callable[[int], int]) -> None:
    """Join what nobody uses, so that the last node is the root."""
    while True:
        users = graph.users()
        loose = [i for i, u in enumerate(users) if not u]
        alike: dict[ElementType, list[int]] = {}
        for index in loose:
            if graph.nodes[index].element in OPERATORS["Plus"].types(AtlasA2):
                alike.setdefault(graph.nodes[index].element, []).append(index)
        group = next((g for g in alike.values() if len(g) >= 2), None)
        if group is None or rng.random() < 0.4:
            break
        graph.add(Compute(rng.choice(("Plus", "Maximum")), graph.nodes[group[0]].element), *group)
    ends = [i if graph.nodes[i].writes else write(i) for i in loose]
    if len(ends) > 1:
        graph.add(Outputs(), *ends)
    elif ends[0] != len(graph.nodes) - 1:
        # The one end is a store that was there before nodes that it does not need; there are none, or they were loose.
        raise AssertionError("the root is not last")


def is_tree(graph: Graph) -> bool:
    """Whether every value has one use."""
    uses = [source for inputs in graph.inputs for source in inputs]
    return len(uses) == len(set(uses))


def random_form(graph: Graph, rng: random.Random) -> Visitor:
    """The graph as nested visitors: trees where they can be, topological visitors with their ops in any order."""
    return _form(graph, len(graph.nodes) - 1, graph.users(), rng)


def flat_form(graph: Graph) -> TopologicalVisitor:
    """The graph as one topological visitor, in its own order."""
    return TopologicalVisitor(graph.inputs, graph.nodes)


def _closed(graph: Graph, users: Sequence[set[int]], root: int) -> bool:
    """Whether nothing outside a node's cone uses what is in it, but for the node itself."""
    cone = graph.cone(root)
    return all(users[i] <= cone for i in cone - {root})


def _form(graph: Graph, root: int, users: Sequence[set[int]], rng: random.Random) -> Visitor:
    inputs = graph.inputs[root]
    if not inputs:
        return graph.nodes[root]
    cones = [graph.cone(i) for i in inputs]
    apart = sum(map(len, cones)) == len(set().union(*cones))
    if apart and rng.random() < 0.7:
        return TreeVisitor(graph.nodes[root], *(_form(graph, i, users, rng) for i in inputs))
    # Some closed cones become visitors of their own.
    inside = graph.cone(root) - {root}
    nested: dict[int, set[int]] = {}
    for index in rng.sample(sorted(inside), len(inside)):
        cone = graph.cone(index)
        taken = set().union(*nested.values()) if nested else set()
        if len(cone) > 1 and not cone & taken and _closed(graph, users, index) and rng.random() < 0.5:
            nested[index] = cone
    hidden = set().union(*(cone - {index} for index, cone in nested.items())) if nested else set()
    ops = [i for i in inside if i not in hidden]
    rng.shuffle(ops)
    if rng.random() < 0.6:
        wanted = set(ops)
        ops = [i for i in TopologicalSorter({i: graph.inputs[i] for i in ops}).static_order() if i in wanted]
    ops.append(root)
    position = {index: number for number, index in enumerate(ops)}
    edges = [() if i in nested else tuple(position[s] for s in graph.inputs[i]) for i in ops]
    return TopologicalVisitor(edges, [_form(graph, i, users, rng) if i in nested else graph.nodes[i] for i in ops])


def random_gemm(rng: random.Random, operand: ElementType, acc: ElementType, graph: Graph) -> Gemm:
    """What is before a graph: any kernel, on operands that lie in any way, whose products it leaves as ``acc``."""
    if acc == float32 and rng.random() < 0.2:
        operand = float32
    kind: dict[str, Any] = rng.choice(({}, {}, {"batch": True}, {"group": "m"}, {"split_k": rng.randint(2, 5)}))
    if "group" in kind and len(graph.nodes) % 2:
        kind = {"group": "k"}
    of_k = kind.get("group") == "k"
    # Of 4 bits, shapes are even: tests/kernels/test_int4.py.
    stored = [b for a, b in WEIGHTS if a == operand and not of_k and b.packed == 1]
    weights = rng.choice(stored) if stored and rng.random() < 0.4 else None
    if weights:
        kind |= {"scale": rng.choice((None, "column", "group:32", "block:32x64")), "zero_point": rng.random() < 0.5}
    # A group could begin within a fractal of A, one of K within one of B, and weights are widened by rows or columns.
    strided, any_layout = (RowMajor, ColumnMajor), tuple(LAYOUTS.values())
    stages = rng.choice((None, None, 0, 1, 2, 15))
    read = any(isinstance(node, AccLoad) for node in graph.nodes)
    return Gemm(
        a=operand,
        b=weights or operand,
        c=acc,
        l1=rng.choice((None, (32, 64, 32) if "split_k" in kind else None, (32, 64, 32))),
        hf32=operand == float32 and rng.random() < 0.5,
        layout_a=rng.choice(strided if "group" in kind else any_layout),
        layout_b=rng.choice(strided if weights or of_k else any_layout),
        policy=rng.choice((None, *POLICIES)),
        # Of what nothing reads, or is added up first, the workspace has all.
        workspace_stages=stages if read and "split_k" not in kind else None,
        **kind,
    )


def random_epilogue(seed: int) -> Epilogue:
    """The epilogue of a seed: a random graph in a random form, with random options, behind a random GEMM."""
    rng = random.Random(seed)
    operand, acc = rng.choice(ACCUMULATORS)
    graph = random_graph(rng, acc)
    lengths: list[int | str] = ["auto", "auto"]
    lengths += [length for length in (64, 96, 512) if length % granule(graph.nodes) == 0]
    return Epilogue(
        f"random{seed}",
        random_form(graph, rng),
        compute_length=rng.choice(lengths),
        buffers=rng.choice((1, 2, "auto", "auto", 3)),
        # Of a generator of its own: another operator in the graphs leaves the matmuls as varied as they are.
        gemm=random_gemm(random.Random(seed + 1000), operand, acc, graph),
    )
