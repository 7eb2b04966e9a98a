"""Random epilogues that are valid by construction, from a seed: the same graph on every machine."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from graphlib import TopologicalSorter

from evtgen.arch import AtlasA2
from evtgen.ir import Epilogue, Gemm, TopologicalVisitor, TreeVisitor, Visitor
from evtgen.nodes import (
    NODE_KINDS,
    AccLoad,
    AuxLoad,
    AuxStore,
    Broadcast,
    Cast,
    Compute,
    Outputs,
    Reduce,
    VisitorNode,
)
from evtgen.ops import OPERATORS
from evtgen.types import ElementType, bfloat16, float32, half, int8, int16, int32

MAX_NODES = 12

BROADCASTS = [kind for kind in NODE_KINDS.values() if issubclass(kind, Broadcast)]
REDUCTIONS = [kind for kind in NODE_KINDS.values() if issubclass(kind, Reduce)]

# Accumulators that the GEMM of each type of operand can leave.
ACCUMULATORS = ((half, half), (half, half), (half, float32), (bfloat16, float32), (bfloat16, bfloat16), (int8, int32))


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


def random_graph(rng: random.Random, acc: ElementType) -> Graph:
    """A graph of up to twelve nodes whose every value is used and whose root is an output, or joins all of them."""
    graph = Graph()
    names = 0

    def name(stem: str) -> str:
        nonlocal names
        names += 1
        return f"{stem}{names}"

    def load() -> int:
        kind = rng.random()
        element = rng.choice((acc, acc, half, float32, int16, int32))
        if kind < 0.4:
            return graph.add(AccLoad(acc))
        if kind < 0.65:
            return graph.add(rng.choice(BROADCASTS)(name("vector"), element))
        default = rng.choice((None, None, None, 2)) if element in AtlasA2.calls["Duplicate"] else None
        return graph.add(AuxLoad(name("X"), element, null_default=default))

    def compute() -> int | None:
        pivot = rng.randrange(len(graph.nodes))
        element = graph.nodes[pivot].element
        takes = [op for op in OPERATORS.values() if element in op.types(AtlasA2)]
        if not takes:
            return None
        op = rng.choice(takes)
        alike = [i for i, node in enumerate(graph.nodes) if node.element == element]
        count = op.inputs + (rng.choice((0, 0, 1, 2)) if op.variadic else 0)
        scalar = None
        if op.constants:
            choices = (0.5, 3.0, -2.0) if element.kind == "float" else (2, -3)
            scalar = tuple(rng.choice(choices) for _ in op.constants)
            scalar = scalar[0] if len(scalar) == 1 else scalar
        others = [rng.choice(alike) for _ in range(count - 1)]
        return graph.add(Compute(op.cpp, element, scalar), *rng.sample([pivot, *others], count))

    def cast() -> int | None:
        source = rng.randrange(len(graph.nodes))
        pairs = [pair for pair in AtlasA2.casts if pair[0] == graph.nodes[source].element]
        if not pairs:
            return None
        pair = rng.choice(pairs)
        return graph.add(Cast(pair[1], pair[0], rng.choice(AtlasA2.casts[pair])), source)

    def write(source: int) -> int:
        element = graph.nodes[source].element
        kind = rng.choice(REDUCTIONS)
        reducible = element in AtlasA2.atomics and not kind("", "Plus", element).unsupported(AtlasA2)
        if reducible and rng.random() < 0.4:
            op, identity = rng.choice((("Plus", 0), ("Plus", 3), ("Maximum", -100), ("Minimum", 100)))
            return graph.add(kind(name("sum"), op, element, identity), source)
        return graph.add(AuxStore(name("D"), element), source)

    load()
    size = rng.randint(2, MAX_NODES - 3)
    while len(graph.nodes) < size:
        kind = rng.random()
        if kind < 0.25:
            load()
        elif kind < 0.7:
            compute()
        elif kind < 0.9:
            cast()
        else:
            write(rng.randrange(len(graph.nodes)))
    _finish(graph, rng, write)
    return graph


def _finish(graph: Graph, rng: random.Random, write) -> None:
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


def random_epilogue(seed: int) -> Epilogue:
    """The epilogue of a seed: a random graph in a random form, with random options."""
    rng = random.Random(seed)
    operand, acc = rng.choice(ACCUMULATORS)
    graph = random_graph(rng, acc)
    return Epilogue(
        f"random{seed}",
        random_form(graph, rng),
        compute_length=rng.choice(("auto", "auto", 64, 96, 512)),
        buffers=rng.choice((1, 2, 2, 2, 3)),
        gemm=Gemm(a=operand, b=operand, c=acc),
    )
