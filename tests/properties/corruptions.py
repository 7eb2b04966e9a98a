"""Ways to spoil a valid epilogue, each with the code of the rule that must refuse it.

A corruption takes the flat graph (nodes in topological order, the root last) and gives an epilogue, or None where
there is nothing for it to spoil. A near miss is like one, but gives an epilogue that is right.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from evtgen import operator
from evtgen.check.gemm import POLICIES
from evtgen.graph.ir import Epilogue, Gemm, TopologicalVisitor, TreeVisitor, Visitor
from evtgen.graph.types import (
    ColumnMajor,
    ElementType,
    Layout,
    RowMajor,
    bfloat16,
    float4_e2m1fn,
    float8_e4m3fn,
    float8_e8m0fnu,
    float32,
    half,
    int4,
    int8,
    int32,
    int64,
    mask,
    nZ,
    uint8,
    zN,
)  # fmt: skip
from evtgen.nodes import (
    STATISTICS,
    AccLoad,
    Alternate,
    AStatistic,
    AuxGather,
    AuxLoad,
    AuxStore,
    BlockReduced,
    Broadcast,
    Cast,
    ColReduced,
    ColStore,
    Compute,
    Outputs,
    Part,
    RankScatter,
    Reduce,
    TopK,
    TopKResult,
    VisitorNode,
)
from evtgen.passes.analysis.size import MAX_EMITTED
from evtgen.targets import AtlasA2

from ..support.graphs import Graph

Corruption = Callable[[Graph, Gemm, random.Random], "Epilogue | None"]

CORRUPTIONS: list[tuple[str, Corruption]] = []


def corruption(code: str) -> Callable[[Corruption], Corruption]:
    def register(function: Corruption) -> Corruption:
        CORRUPTIONS.append((code, function))
        return function

    return register


NEAR_MISSES: list[tuple[str, Corruption]] = []


def near_miss(code: str) -> Callable[[Corruption], Corruption]:
    def register(function: Corruption) -> Corruption:
        NEAR_MISSES.append((code, function))
        return function

    return register


def build(graph: Graph, gemm: Gemm, **options: object) -> Epilogue:
    return Epilogue("spoiled", TopologicalVisitor(graph.inputs, graph.nodes), gemm=gemm, **options)  # type: ignore[arg-type]


def pick(graph: Graph, rng: random.Random, *kinds: type[VisitorNode]) -> int | None:
    found = [i for i, node in enumerate(graph.nodes) if isinstance(node, kinds)]
    return rng.choice(found) if found else None


def changed(graph: Graph, index: int, **fields: object) -> Graph:
    nodes = list(graph.nodes)
    nodes[index] = replace(nodes[index], **fields)  # type: ignore[arg-type]
    return Graph(nodes, list(graph.inputs))


def rewired(graph: Graph, index: int, inputs: tuple[int, ...]) -> Graph:
    wires = list(graph.inputs)
    wires[index] = inputs
    return Graph(list(graph.nodes), wires)


def with_root(graph: Graph, *nodes: tuple[VisitorNode, tuple[int, ...]]) -> Graph:
    """The graph with more nodes, joined to its root by Outputs; inputs count from the new nodes' first index."""
    inner = Graph(list(graph.nodes), list(graph.inputs))
    ends = list(inner.inputs.pop()) if isinstance(inner.nodes[-1], Outputs) else [len(inner.nodes) - 1]
    if isinstance(inner.nodes[-1], Outputs):
        inner.nodes.pop()
    first = len(inner.nodes)
    for node, inputs in nodes:
        inner.add(node, *(first + i for i in inputs))
    inner.add(Outputs(), *ends, len(inner.nodes) - 1)
    return inner


@corruption("EVT020")
def element_as_text(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = pick(graph, rng, AuxStore)
    return None if index is None else build(changed(graph, index, T="half"), gemm)


@corruption("EVT021")
def other_element(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = pick(graph, rng, AuxStore, Reduce)
    if index is None:
        return None
    other = half if graph.nodes[index].element == float32 else float32
    return build(changed(graph, index, T=other), gemm)


@corruption("EVT022")
def cycle(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    users = graph.users()
    inner = [i for i, u in enumerate(users) if u and graph.inputs[i]]
    if not inner:
        return None
    index = rng.choice(inner)
    later = [i for i in range(len(graph.nodes)) if index in graph.cone(i) and i != len(graph.nodes) - 1]
    wires = list(graph.inputs[index])
    wires[rng.randrange(len(wires))] = rng.choice(later)
    return build(rewired(graph, index, tuple(wires)), gemm)


@corruption("EVT023")
def edge_outside(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = rng.choice([i for i, inputs in enumerate(graph.inputs) if inputs])
    wires = list(graph.inputs[index])
    wires[rng.randrange(len(wires))] = rng.choice((-1, len(graph.nodes), 99))
    return build(rewired(graph, index, tuple(wires)), gemm)


@corruption("EVT024")
def edges_missing(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return Epilogue("spoiled", TopologicalVisitor(graph.inputs[:-1], graph.nodes), gemm=gemm)


@corruption("EVT025")
def root_first(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    count = len(graph.nodes)
    order = [count - 1, *range(count - 1)]
    position = {old: new for new, old in enumerate(order)}
    wires = [tuple(position[i] for i in graph.inputs[old]) for old in order]
    return build(Graph([graph.nodes[i] for i in order], wires), gemm)


@corruption("EVT026")
def dead_node(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    nodes, wires = list(graph.nodes), list(graph.inputs)
    shifted = [tuple(i + 1 for i in inputs) for inputs in wires]
    return build(Graph([AuxLoad("unused", half), *nodes], [(), *shifted]), gemm)


@corruption("EVT027")
def one_input_too_many(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = pick(graph, rng, Cast, AuxStore, Reduce)
    if index is None:
        return None
    return build(rewired(graph, index, graph.inputs[index] * 2), gemm)


@corruption("EVT027")
def one_input_too_few(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    found = [i for i, n in enumerate(graph.nodes) if isinstance(n, Compute) and n.operator and n.operator.inputs == 2]
    if not found:
        return None
    index = rng.choice(found)
    return build(rewired(graph, index, graph.inputs[index][:1]), gemm)


@corruption("EVT028")
def store_of_nothing(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = pick(graph, rng, AuxStore, Reduce)
    return None if index is None else build(rewired(graph, index, ()), gemm)


@corruption("EVT029")
def nothing_stored(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    tree = TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half))
    return Epilogue("spoiled", tree, gemm=Gemm())


@corruption("EVT030")
def nested_too_deep(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    tower = AccLoad(half)
    for _ in range(rng.randint(300, 400)):
        tower = TreeVisitor(Compute("Relu", half), tower)  # type: ignore[assignment]
    return Epilogue("spoiled", TreeVisitor(AuxStore("D", half), tower))


@corruption("EVT031")
def nested_with_inputs(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    inner = TreeVisitor(Compute("Relu", half), AuxLoad("inner", half))
    return Epilogue(
        "spoiled",
        TopologicalVisitor([(), (0,), (1,)], [AuxLoad("outer", half), inner, AuxStore("D", half)]),
        gemm=Gemm(),
    )


@corruption("EVT032")
def tree_of_one(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    nodes: list[Visitor] = list(graph.nodes)
    index = rng.choice([i for i, inputs in enumerate(graph.inputs) if not inputs])
    nodes[index] = TreeVisitor(graph.nodes[index])
    return Epilogue("spoiled", TopologicalVisitor(graph.inputs, nodes), gemm=gemm)


@corruption("EVT033")
def outputs_in_the_middle(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    assert gemm.c is not None
    return build(with_root(graph, (AccLoad(gemm.c), ()), (AuxStore("E1", gemm.c), (0,)), (Outputs(), (1,))), gemm)


@corruption("EVT034")
def no_such_cast(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    extra = ((AuxLoad("E1", uint8), ()), (Cast(int32, uint8), (0,)), (AuxStore("E2", int32), (1,)))
    return build(with_root(graph, *extra), gemm)


@corruption("EVT035")
def no_such_mode(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = pick(graph, rng, Cast)
    if index is None:
        return None
    node = graph.nodes[index]
    assert isinstance(node, Cast)
    have = AtlasA2.casts[(node.from_, node.to)]
    return build(changed(graph, index, round="CAST_ODD" if "CAST_ODD" not in have else "CAST_UP"), gemm)


@corruption("EVT036")
def bfloat16_arithmetic(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    extra = ((AuxLoad("E1", bfloat16), ()), (Compute("Relu", bfloat16), (0,)), (AuxStore("E2", bfloat16), (1,)))
    return build(with_root(graph, *extra), gemm)


@corruption("EVT037")
def unknown_operator(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = pick(graph, rng, Compute)
    return None if index is None else build(changed(graph, index, op="Plu"), gemm)


@corruption("EVT038")
def unknown_architecture(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, gemm, arch="AtlasA9")


@corruption("EVT172")
def no_such_handoff(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, replace(gemm, handoff=rng.choice(("ub", "l0c", ""))))


@corruption("EVT185")
def no_such_policy(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, replace(gemm, policy=rng.choice(("preload", "pingping", ""))))


@near_miss("EVT185")
def any_policy(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, replace(gemm, policy=rng.choice(POLICIES), handoff="gm"))


@corruption("EVT180")
def no_such_operand_layout(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    layout: Any = {rng.choice(("layout_a", "layout_b")): Layout(rng.choice(("NZ", "zZ", "")))}
    return build(graph, replace(gemm, **layout))


@corruption("EVT180")
def fractals_of_groups(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    layout: Any = rng.choice(
        ({"layout_a": zN, "group": "m"}, {"layout_a": nZ, "group": "k"}, {"layout_b": zN, "group": "k"})
    )
    return build(graph, replace(gemm, **layout))


@near_miss("EVT180")
def operands_of_fractals(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    several: Any = rng.choice(({}, {"batch": True}))
    return build(graph, replace(gemm, layout_a=rng.choice((zN, nZ)), layout_b=rng.choice((zN, nZ)), **several))


@near_miss("EVT180")
def groups_of_columns(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, replace(gemm, layout_a=ColumnMajor, layout_b=rng.choice((zN, nZ)), group="m"))


@corruption("EVT039")
def scalar_where_none_belongs(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = pick(graph, rng, Compute)
    if index is None:
        return None
    node = graph.nodes[index]
    assert isinstance(node, Compute) and node.operator is not None
    return build(changed(graph, index, scalar=(1,) * (len(node.operator.constants) + 1)), gemm)


@corruption("EVT040")
def no_atomic(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = pick(graph, rng, Reduce)
    return None if index is None else build(changed(graph, index, op="Minus"), gemm)


@corruption("EVT041")
def identity_too_large(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = pick(graph, rng, Reduce)
    return None if index is None else build(changed(graph, index, identity=float("nan")), gemm)


@corruption("EVT042")
def default_too_large(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = pick(graph, rng, AuxLoad)
    return None if index is None else build(changed(graph, index, null_default=1e300), gemm)


@corruption("EVT043")
def other_accumulator(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = pick(graph, rng, AccLoad)
    return None if index is None else build(graph, replace(gemm, c=int32 if gemm.c != int32 else float32))


@corruption("EVT044")
def two_accumulators(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    if pick(graph, rng, AccLoad) is None:
        return None
    other = int32 if gemm.c != int32 else float32
    return build(with_root(graph, (AccLoad(other), ()), (AuxStore("E1", other), (0,))), gemm)


@corruption("EVT045")
def one_name_twice(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    named = [(i, node.tensor.name) for i, node in enumerate(graph.nodes) if node.tensor is not None]
    if len(named) < 2:
        return None
    (first, _), (_, name) = rng.sample(named, 2)
    return build(changed(graph, first, name=name), gemm)


def _named(name: str) -> Corruption:
    def rename(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
        index = pick(graph, rng, AuxLoad, AuxStore, Broadcast, Reduce)
        return None if index is None else build(changed(graph, index, name=name), gemm)

    return rename


for _code, _name in (
    ("EVT046", "2nd"),
    ("EVT046", "a b"),
    ("EVT047", "class"),
    ("EVT048", "_Big"),
    ("EVT049", "uint8_t"),
    ("EVT049", "ToEvt"),
):
    CORRUPTIONS.append((_code, _named(_name)))


@corruption("EVT050")
def unknown_layout(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = pick(graph, rng, AuxLoad, AuxStore)
    return None if index is None else build(changed(graph, index, layout=Layout("Diagonal")), gemm)


@corruption("EVT051")
def column_vector(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = pick(graph, rng, Broadcast, Reduce)
    return None if index is None else build(changed(graph, index, layout=ColumnMajor), gemm)


@corruption("EVT052")
def fractal(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = pick(graph, rng, AuxLoad, AuxStore)
    return None if index is None else build(changed(graph, index, layout=zN), gemm)


@corruption("EVT060")
def mask_in_memory(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    # Of a reduction, its function refuses them already: EVT036
    index = pick(graph, rng, AuxStore, Broadcast)
    return None if index is None else build(changed(graph, index, T=mask), gemm)


@corruption("EVT061")
def two_operators_of_one_name(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = pick(graph, rng, AuxStore, Reduce)
    if index is None or graph.nodes[index].takes(0) != float32:
        return None
    one, other = (operator("twice", [call], lambda np, a: a) for call in ("Adds(dst, a, 1)", "Muls(dst, a, 2)"))
    spoiled = Graph(list(graph.nodes), list(graph.inputs))
    source = spoiled.inputs[index][0]
    first = spoiled.add(Compute(one, float32), source)
    second = spoiled.add(Compute(other, float32), first)
    spoiled.inputs[index] = (second,)
    return build(spoiled, gemm)


SOME = 0.3
"""The part of the graphs that becomes as large as one can: to check that takes long, and all are alike."""


def _chain(graph: Graph, nodes: int) -> Graph:
    """The graph with so many more nodes, and Outputs where it has none."""
    steps = ((Compute("Exp", half), (i,)) for i in range(nodes - 2))
    return with_root(graph, (AuxLoad("E1", half), ()), *steps, (AuxStore("E2", half), (nodes - 2,)))


@corruption("EVT250")
def more_nodes_than_compile(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(_chain(graph, MAX_EMITTED), gemm) if rng.random() < SOME else None


@near_miss("EVT250")
def as_many_nodes_as_compile(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(_chain(graph, MAX_EMITTED - len(_chain(graph, 2).nodes) + 2), gemm) if rng.random() < SOME else None


@corruption("EVT053")
def odd_length(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, gemm, compute_length=rng.choice((0, -32, 33, 100)))


@corruption("EVT054")
def too_long(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, gemm, compute_length=1 << 20)


@corruption("EVT055")
def too_many_buffers(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, gemm, buffers=rng.choice((0, 7, -1)))


@corruption("EVT056")
def odd_tiles(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, replace(gemm, l1=(128, 250, 256)))


@corruption("EVT170")
def too_many_stages(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, replace(gemm, workspace_stages=rng.choice((16, -1))))


@near_miss("EVT170")
def as_many_stages_as_flags(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, replace(gemm, workspace_stages=rng.choice((0, 15)), batch=rng.choice((False, True))))


@corruption("EVT179")
def batched_groups(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    group: Any = rng.choice(("m", "k", "n"))
    return build(graph, replace(gemm, batch=True, group=group))


@corruption("EVT270")
def lists_of_no_groups(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    fields: Any = ({"group_list": "counts"}, {"group_type": int32}, {"weights": "pointers"}, {"weight_index": True})
    return build(graph, replace(gemm, **rng.choice(fields)))


@near_miss("EVT270")
def lists_of_counts(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    how: Any = {"group": rng.choice(("m", "k")), "group_type": rng.choice((int32, int64))}
    how |= rng.choice(({}, {"group": "m", "weights": "pointers"}, {"group": "m", "weight_index": True}))
    return build(graph, replace(gemm, group_list="counts", **how))


@corruption("EVT179")
def several_with_split_k(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    several: Any = rng.choice(({"batch": True}, {"group": "m"}, {"group": "k"}))
    return build(graph, replace(gemm, split_k=rng.randint(2, 256), **several))


@near_miss("EVT179")
def one_of_them(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    one: Any = rng.choice(({"batch": True}, {"group": "m"}, {"group": "k"}, {"split_k": rng.randint(2, 256)}))
    return build(graph, replace(gemm, **one))


@corruption("EVT193")
def second_without_a_gemm(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    place = pick(graph, rng, AccLoad)
    if place is None:
        return None
    nodes = list(graph.nodes)
    nodes[place] = replace(nodes[place], index=rng.choice((1, 2, -1)))  # type: ignore[call-arg]
    return build(Graph(nodes, list(graph.inputs)), gemm)


@near_miss("EVT193")
def both_accumulators(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    index = pick(graph, rng, AccLoad)
    if index is None:
        return None
    T = graph.nodes[index].element
    assert T is not None
    both = with_root(graph, (AccLoad(T, 1), ()), (AuxStore("E1", T), (0,)))
    return build(both, replace(gemm, accumulators=rng.choice(("halves", "separate")), handoff="gm"))


@corruption("EVT193")
def one_of_two_accumulators(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    if pick(graph, rng, AccLoad) is None:
        return None
    accumulators: Any = rng.choice(("halves", "separate", "both"))
    return build(graph, replace(gemm, accumulators=accumulators))


def _added_up(graph: Graph, name: str) -> Graph:
    return with_root(graph, (AStatistic(name), ()), (AuxStore("S1", float32), (0,)))


@corruption("EVT281")
def no_statistic_of_a(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    wrong = rng.choice((("a_max", RowMajor), ("a_sum", zN), ("a_sum_of_squares", nZ)))
    return build(_added_up(graph, wrong[0]), replace(gemm, layout_a=wrong[1], group=None))


@near_miss("EVT281")
def a_statistic_of_a(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    layout = rng.choice((RowMajor, ColumnMajor))
    return build(_added_up(graph, rng.choice(list(STATISTICS))), replace(gemm, layout_a=layout))


def _gathered(graph: Graph) -> Graph:
    return with_root(graph, (AuxGather("G", float32, "g_rows"), ()), (AuxStore("G1", float32), (0,)))


@corruption("EVT197")
def rows_of_groups_of_k_by_number(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(_gathered(graph), replace(gemm, split_k=1, batch=False, group="k"))


@corruption("EVT197")
def ranks_of_a_batch_by_number(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    ranked = with_root(graph, (AuxLoad("R", float32), ()), (RankScatter("R1", float32, rows="r", ranks="o"), (0,)))
    return build(ranked, replace(gemm, split_k=1, group=None, batch=True))


@near_miss("EVT197")
def rows_of_groups_by_number(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(_gathered(graph), gemm)


def _reduced(graph: Graph, T: ElementType) -> Graph:
    return with_root(graph, (AuxLoad("R", T), ()), (ColReduced("Plus", T), (0,)), (AuxStore("R1", T), (1,)))


@corruption("EVT201")
def narrow_value_that_is_reduced(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(_reduced(graph, half), gemm)


@near_miss("EVT201")
def wide_value_that_is_reduced(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(_reduced(graph, float32), gemm)


@corruption("EVT192")
def split_with_blocks(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, replace(gemm, split_k=rng.randint(2, 256), workspace_stages=rng.randint(1, 15)))


@corruption("EVT192")
def more_slices_than_room(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, replace(gemm, split_k=rng.choice((257, 2**40))))


@near_miss("EVT192")
def as_many_slices_as_room(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, replace(gemm, split_k=256, workspace_stages=rng.choice((0, None)), handoff="gm"))


@corruption("EVT057")
def arguments_backwards(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    nest = tuple(node.tensor.name if node.tensor is not None else () for node in graph.nodes)
    return None if nest == nest[::-1] else build(graph, gemm, arguments=nest[::-1])


@corruption("EVT058")
def mixed_operands(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, replace(gemm, b=float32))


@corruption("EVT190")
def weights_that_are_not_widened(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    scaled: Any = rng.choice(({"scale": "column"}, {"zero_point": True}))
    other: Any = rng.choice(
        ({"b": int8, "layout_b": zN}, {"b": int8, "scale": rng.choice(("row", "group:48"))}, {"b": half, **scaled})
    )
    return build(graph, replace(gemm, a=half, **other))


@near_miss("EVT190")
def weights_that_are(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    if gemm.c == int32:
        return None
    layouts: Any = {"layout_a": ColumnMajor, "layout_b": ColumnMajor, "scale": rng.choice((None, "column", "group:64"))}
    return build(graph, replace(gemm, a=rng.choice((half, bfloat16)), b=int8, **layouts))


def mx(graph: Graph, gemm: Gemm, rng: random.Random, **fields: Any) -> Epilogue:
    """Operands with scales, but for some fields."""
    usual: Any = {"a": float8_e4m3fn, "b": float8_e4m3fn, "layout_a": RowMajor, "layout_b": ColumnMajor, "scale": "mx"}
    usual |= {"l1": None, "l0": None, "policy": None, "zero_point": False}
    return build(graph, replace(gemm, **{**usual, **fields}), arch="Ascend950")


@corruption("EVT287")
def elements_of_4_bits(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(with_root(graph, *_cast_to(int4)), gemm)


@near_miss("EVT287")
def elements_of_8_bits(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(with_root(graph, *_cast_to(int8)), gemm)


def _cast_to(narrow: ElementType) -> tuple[tuple[VisitorNode, tuple[int, ...]], ...]:
    return (AuxLoad("E1", half), ()), (Cast(narrow, half), (0,)), (AuxStore("E2", narrow), (1,))


@corruption("EVT290")
def operands_without_scales(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    wrong: list[Any] = [{"a": half, "b": half}, {"layout_a": zN}, {"layout_b": RowMajor}, {"policy": "preload_async"}]
    if gemm.c == float32:
        wrong += [{"scale": "group:64", "policy": "preload_async"}, {"scale": "block:128x64", "split_k": 2}]
    return None if gemm.c == int32 else mx(graph, gemm, rng, **rng.choice(wrong))


@near_miss("EVT290")
def operands_with_scales(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    of_slices: Any = {"scale": rng.choice(("group:64", "block:128x64")), "workspace_stages": None, "handoff": None}
    float4: Any = {"b": float4_e2m1fn}
    both: Any = rng.choice(({}, {"a": float4_e2m1fn, **float4}, float4, of_slices if gemm.c == float32 else {}))
    return None if gemm.c == int32 else mx(graph, gemm, rng, **both)


@corruption("EVT285")
def hf32_of_others(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    other = int8 if gemm.c == int32 else rng.choice((half, bfloat16))
    return build(graph, replace(gemm, a=other, b=other, scale=None, zero_point=False, hf32=True))


@near_miss("EVT285")
def hf32_of_floats(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    if gemm.c == int32:
        return None
    return build(graph, replace(gemm, a=float32, b=float32, scale=None, zero_point=False, l1=None, l0=None, hf32=True))


@corruption("EVT310")
def digits_of_others(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, replace(gemm, msd=True))


@near_miss("EVT310")
def digits_of_int8(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    stored = Graph([AccLoad(int32), AuxStore("D", int32)], [(), (0,)])
    way: Any = rng.choice(({}, {"batch": True}, {"group": "m", "weights": "pointers"}))
    layout = rng.choice((RowMajor, ColumnMajor, zN))
    return build(stored, Gemm(int8, int4, layout_b=layout, msd=True, **way), arch="AtlasA2")


@corruption("EVT059")
def tiles_too_large(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, replace(gemm, l1=(128, 256, 4096)))


@corruption("EVT173")
def operands_of_another_architecture(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return build(graph, replace(gemm, a=float8_e4m3fn, b=float8_e4m3fn))


@corruption("EVT173")
def scales_of_another_architecture(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    scale = Cast(float8_e8m0fnu, float32, "CAST_FLOOR"), AuxStore("scale", float8_e8m0fnu)
    return build(with_root(graph, (AuxLoad("X", float32), ()), (scale[0], (0,)), (scale[1], (1,))), gemm)


@corruption("EVT062")
def no_accumulator(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    nodes = [
        AuxLoad(f"instead{i}", node.T) if isinstance(node, AccLoad) else node for i, node in enumerate(graph.nodes)
    ]
    return None if nodes == graph.nodes else build(Graph(nodes, graph.inputs), gemm)


@corruption("EVT275")
def parts_that_do_not_meet(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    start, stop = rng.choice(((0, 70), (70, 139), (70, None)))  # the second has as many columns, but others
    parts = ((AuxLoad("E1", float32), ()), (Part(float32, 0, 69), (0,)), (Part(float32, start, stop), (0,)))
    more = ((Compute("Plus", float32), (1, 2)), (AuxStore("E2", float32), (3,)))
    return build(with_root(graph, *parts, *more), gemm)


@corruption("EVT275")
def parts_without_columns(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    wrong: Any = rng.choice((Part(float32, 70, 70), Part(float32, -1, 70), Alternate(float32, 2)))
    return build(with_root(graph, (AuxLoad("E1", float32), ()), (wrong, (0,)), (AuxStore("E2", float32), (1,))), gemm)


def _with_largest(graph: Graph, gemm: Gemm, k: Any, reads: int, T: ElementType) -> Epilogue | None:
    """An output of the k largest values of a row, or of ``reads`` as if it were."""
    more = ((TopK(T, stop=k), (0,)), (TopKResult(T), (reads,)), (AuxStore("E2", T), (2,)))
    return build(with_root(graph, (AuxLoad("E1", T), ()), *more), gemm)


@corruption("EVT275")
def more_than_are_sorted(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return _with_largest(graph, gemm, rng.choice((0, 33, None)), 1, float32)


@corruption("EVT288")
def results_of_something_else(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return _with_largest(graph, gemm, 8, 0, float32)


def _beside_largest(k: int, *beside: VisitorNode) -> Epilogue:
    """The k largest values of a row, and a chain of nodes behind the same values."""
    chain = [(node, (0 if i == 0 else i + 3,)) for i, node in enumerate(beside)]
    more = ((TopK(float32, stop=k), (0,)), (TopKResult(float32), (1,)), (AuxStore("E2", float32), (2,)))
    nodes, inputs = zip((AccLoad(float32), ()), *more, *chain, (Outputs(), (3, len(beside) + 3)), strict=True)
    return build(Graph(list(nodes), list(inputs)), Gemm())


@corruption("EVT289")
def largest_beside_a_part(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return _beside_largest(rng.randint(1, 32), Part(float32, 0, rng.randint(1, 70)), AuxStore("E3", float32))


@near_miss("EVT289")
def largest_beside_a_reduction(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return _beside_largest(rng.randint(1, 32), ColReduced("Maximum", float32), ColStore("E3", float32))


@near_miss("EVT275")
def parts_that_meet(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    one, two = rng.choice(((Part(float32, 0, 70),) * 2, (Alternate(float32, 0), Alternate(float32, 1))))
    parts = ((AuxLoad("E1", float32), ()), (one, (0,)), (two, (0,)))
    return build(with_root(graph, *parts, (Compute("Plus", float32), (1, 2)), (AuxStore("E2", float32), (3,))), gemm)


def _with_blocks(graph: Graph, gemm: Gemm, block: int, *part: VisitorNode) -> Epilogue:
    taken = [(node, (0,)) for node in part]
    last = len(taken)
    more = ((BlockReduced("Maximum", float32, block), (last,)), (AuxStore("E2", float32), (last + 1,)))
    return build(with_root(graph, (AuxLoad("E1", float32), ()), *taken, *more), gemm)


@corruption("EVT277")
def blocks_that_tiles_cut(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    block, n = rng.choice(((48, 192), (16, 64), (256, 256), (64, 96), (128, 192)))
    return _with_blocks(graph, replace(gemm, l1=(64, n, 64)), block)


@near_miss("EVT277")
def blocks_that_tiles_hold(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    block, n = rng.choice(((32, 96), (64, 192), (128, 128)))
    return _with_blocks(graph, replace(gemm, l1=(64, n, 64)), block)


@corruption("EVT279")
def blocks_that_parts_cut(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return _with_blocks(graph, gemm, rng.choice((64, 128)), Part(float32, *rng.choice(((96, 300), (32, None)))))


@near_miss("EVT279")
def blocks_that_parts_hold(graph: Graph, gemm: Gemm, rng: random.Random) -> Epilogue | None:
    return _with_blocks(graph, gemm, rng.choice((64, 128)), Part(float32, *rng.choice(((0, 96), (128, None)))))
