"""The plan of a tile: whose a byte is and when, which instructions wait, and the longest tile that fits."""

from __future__ import annotations

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evtgen import float32, half, int32
from evtgen.nodes import (
    AccLoad,
    AuxLoad,
    AuxStore,
    Cast,
    ColBroadcast,
    Compute,
    RowReduce,
    ScalarBroadcast,
    VisitorNode,
    node_of,
)
from evtgen.planner.parts import traits_of, ub_parts
from evtgen.planner.plan import lower
from evtgen.planner.tile import Part, TilePlan, _Graph, _Sweep, fitting_length, plan_tile, ub_map
from evtgen.planner.tile import lives as lives_of
from evtgen.targets import AtlasA2

from ..support.graphs import random_epilogue

NODES: list[VisitorNode] = [AccLoad(half), AuxLoad("X", half), Compute("Plus", half), AuxStore("D", half)]
INPUTS = [(), (), (0, 1), (2,)]
Graph = tuple[list[VisitorNode], list[tuple[int, ...]]]


def chain(*nodes: VisitorNode) -> Graph:
    """Each node reads the one before it, and operators of two inputs the first node as well."""
    inputs: list[tuple[int, ...]] = [()]
    for index, node in enumerate(nodes[1:]):
        binary = isinstance(node, Compute) and node.operator is not None and node.operator.inputs == 2
        inputs.append((index, 0) if binary else (index,))
    return list(nodes), inputs


def tiles(plan: TilePlan) -> int:
    """How many slots there are."""
    return len(plan.phases)


def test_the_map() -> None:
    plan = plan_tile(NODES, INPUTS)
    ub = ub_map(plan, NODES, 256, 2)
    assert [ub.share(node) for node in range(4)] == [1024, 1024, 1024, 0]
    assert [(p.node, p.part, p.buffer, p.first, p.bytes) for p in ub.places()] == [
        (0, Part.TILE, 0, 0, 512), (1, Part.TILE, 0, 768, 512), (2, Part.TILE, 0, 1280, 512),
        (0, Part.TILE, 1, 2048, 512), (1, Part.TILE, 1, 2816, 512), (2, Part.TILE, 1, 3328, 512),
    ]  # fmt: skip
    assert ub.used == 4096


def test_the_longest_tile() -> None:
    plan = plan_tile(NODES, INPUTS)
    length = fitting_length(plan, NODES, AtlasA2.ub_usable, 2)
    assert ub_map(plan, NODES, length, 2).used <= AtlasA2.ub_usable < ub_map(plan, NODES, length + 32, 2).used
    assert fitting_length(plan, NODES, 1000, 2) == 0


@pytest.mark.parametrize("depth", [1, 2, 12, 60])
def test_a_chain_works_in_place(depth: int) -> None:
    nodes, inputs = chain(AccLoad(half), *[Compute("Exp", half)] * depth, AuxStore("D", half))
    plan = plan_tile(nodes, inputs)
    # The loaded tile is overwritten until the last value, which STORE reads: LOAD then need not wait for MTE3.
    assert tiles(plan) == 2 and not plan.stores_loaded
    assert len(plan.barriers) == depth - 1


def test_what_another_reads_is_not_overwritten() -> None:
    # acc is read again at the end
    nodes, inputs = chain(AccLoad(half), Compute("Exp", half), Compute("Plus", half), AuxStore("D", half))
    assert inputs[2] == (1, 0)
    plan = plan_tile(nodes, inputs)
    slots = [plan.slots[node][Part.TILE] for node in range(3)]
    assert slots[0] != slots[1] and plan.phases[slots[0] or 0] != plan.phases[slots[1] or 0]


def test_an_operator_that_reads_its_input_late_is_not_in_place() -> None:
    # Silu reads its input once it has written its result
    for op, in_place in (("Silu", False), ("Relu", True)):
        nodes, inputs = chain(AccLoad(float32), Compute(op, float32), Compute("Exp", float32), AuxStore("D", float32))
        plan = plan_tile(nodes, inputs)
        assert (plan.slots[0][Part.TILE] == plan.slots[1][Part.TILE]) == in_place


def test_tiles_of_another_size_are_not_overwritten() -> None:
    nodes, inputs = chain(
        AccLoad(half), Cast(float32, half), Compute("Exp", float32), Cast(half, float32), AuxStore("D", half)
    )
    plan = plan_tile(nodes, inputs)
    assert plan.slots[0][Part.TILE] != plan.slots[1][Part.TILE] == plan.slots[2][Part.TILE]


def test_a_store_of_a_loaded_tile_frees_loaded_tiles_for_stores() -> None:
    nodes: list[VisitorNode] = [
        AccLoad(half),
        AuxStore("C", half),
        Compute("Exp", half),
        AuxStore("D", half),
        AuxLoad("X", half),
    ]
    nodes += [Compute("Plus", half), AuxStore("E", half)]
    plan = plan_tile(nodes, [(), (0,), (1,), (2,), (), (3, 4), (5,)])
    assert plan.stores_loaded
    assert plan.slots[5][Part.TILE] == plan.slots[4][Part.TILE], (
        "X is loaded and not needed any more, E is stored from there"
    )


def test_what_is_filled_once_is_never_overwritten() -> None:
    nodes: list[VisitorNode] = [
        AccLoad(half),
        ScalarBroadcast("s", half),
        Compute("Plus", half),
        Compute("Exp", half),
        AuxStore("D", half),
    ]
    plan = plan_tile(nodes, [(), (), (0, 1), (2,), (3,)])
    kept = plan.slots[1][Part.TILE]
    assert [slots[Part.TILE] for slots in plan.slots].count(kept) == 1


def test_two_branches_share_their_barriers() -> None:
    # sqrt(exp(acc)) * sqrt(exp(X)): both exps, both roots, the product, a barrier between each two
    nodes: list[VisitorNode] = [AccLoad(float32), Compute("Exp", float32), Compute("Sqrt", float32)]
    nodes += [AuxLoad("X", float32), Compute("Exp", float32), Compute("Sqrt", float32)]
    nodes += [Compute("Multiplies", float32), AuxStore("D", float32)]
    inputs: list[tuple[int, ...]] = [(), (0,), (1,), (), (3,), (4,), (2, 5), (6,)]
    plan = plan_tile(nodes, inputs)
    assert len(plan.barriers) == 2
    assert not _Sweep(_Graph(nodes, inputs), spares=False).has_choice, "either branch may go on, but both ways agree"


def live(
    nodes: list[VisitorNode], inputs: list[tuple[int, ...]], order: tuple[int, ...]
) -> dict[tuple[int, Part], tuple[int, int]]:
    """When each part holds what somebody needs, by the definition: 0 is LOAD, then the COMPUTE of each node in its
    turn, and STORE. Written apart from the planner, as what its result is held against."""
    end = len(nodes) + 1
    turn = {node: position + 1 for position, node in enumerate(order)}
    lives: dict[tuple[int, Part], tuple[int, int]] = {}

    def readers(tile: int) -> list[int]:
        direct = [reader for reader, sources in enumerate(inputs) if tile in sources]
        return direct + [
            far
            for near in direct
            if traits_of(nodes[near]).forwards and inputs[near][0] == tile
            for far in readers(near)
        ]

    for index, node in enumerate(nodes):
        traits = traits_of(node)
        begin = 0 if traits.loaded or traits.kept else turn[index]
        uses = [turn[r] for r in readers(index) if traits_of(nodes[r]).reads_in_compute]
        uses += [end for r in readers(index) if traits_of(nodes[r]).reads_in_store]
        last = end if traits.kept else max([turn[index], *uses])
        need = ub_parts(node, 4096)
        for part, size, life in zip(
            Part, need, [(begin, last), (0, turn[index]), (turn[index],) * 2, (turn[index], end)], strict=True
        ):
            if size:
                lives[index, part] = (life[0], life[1])
    return lives


@given(st.integers(0, 10**6))
def test_nothing_that_is_needed_is_overwritten(seed: int) -> None:
    plan = lower(random_epilogue(seed))
    nodes, inputs = [node_of(step) for step in plan.steps], [step.inputs for step in plan.steps]
    tile = plan.ub.plan
    assert sorted(tile.order) == list(range(len(nodes)))
    done: set[int] = set()
    for node in tile.order:
        assert done.issuperset(inputs[node])
        done.add(node)
    lives = live(nodes, inputs, tile.order)
    said = {(one.node, one.part): (one.first + 1, one.last + 1) for one in lives_of(tile, nodes, inputs)}
    assert said == lives
    places = {(place.node, place.part): place for place in plan.ub.places() if place.buffer == 0}
    assert set(places) == set(lives)
    for (a, one), (b, other) in combinations(places.items(), 2):
        apart = one.first + one.bytes <= other.first or other.first + other.bytes <= one.first
        (begin_a, end_a), (begin_b, end_b) = lives[a], lives[b]
        if not apart and max(begin_a, begin_b) <= min(end_a, end_b):
            # In place: the later one begins as the earlier one's last reader, which may overwrite it.
            late, early = (a, b) if begin_a > begin_b else (b, a)
            assert min(end_a, end_b) == max(begin_a, begin_b) and late[1] == early[1] == Part.TILE
            traits, given = traits_of(nodes[late[0]]), inputs[late[0]]
            numbers = [i for i, source in enumerate(given) if _tile(nodes, inputs, source) == early[0]]
            assert numbers and all(traits.in_place >> i & 1 for i in numbers)
            assert one.first == other.first and one.bytes == other.bytes
    assert plan.ub_used <= AtlasA2.ub_usable


def _tile(nodes: list[VisitorNode], inputs: list[tuple[int, ...]], node: int) -> int:
    while traits_of(nodes[node]).forwards:
        node = inputs[node][0]
    return node


@given(st.integers(0, 10**6))
def test_sources_of_one_instruction_lie_in_different_phases(seed: int) -> None:
    """Wherever a tile has no two partners of different phases."""
    plan = lower(random_epilogue(seed))
    nodes, inputs = [node_of(step) for step in plan.steps], [step.inputs for step in plan.steps]
    places = {place.node: place.first for place in plan.ub.places() if place.part == Part.TILE and place.buffer == 0}
    partners: dict[int, set[int]] = {}
    for index, node in enumerate(nodes):
        tiles_read = {_tile(nodes, inputs, i) for i in inputs[index]} if traits_of(node).reads_in_compute else set()
        for tile in tiles_read:
            partners.setdefault(tile, set()).update(tiles_read - {tile})
    for tile, others in partners.items():
        for other in others:
            if others == {other} and partners[other] == {tile}:
                assert (places[tile] - places[other]) % 512 == 256


@given(st.integers(0, 10**6))
def test_the_sweep_that_is_left_out_comes_to_the_same(seed: int) -> None:
    plan = lower(random_epilogue(seed))
    graph = _Graph([node_of(step) for step in plan.steps], [step.inputs for step in plan.steps])
    both = few_barriers, little_memory = _Sweep(graph, spares=False), _Sweep(graph, spares=True)
    assert few_barriers.has_choice or little_memory.plan() == few_barriers.plan()
    assert plan.ub.plan == min(both, key=_Sweep.cost).plan()


def test_some_graphs_take_one_sweep_and_some_take_two() -> None:
    plans = [lower(random_epilogue(seed)) for seed in range(40)]
    graphs = [_Graph([node_of(step) for step in plan.steps], [step.inputs for step in plan.steps]) for plan in plans]
    choices = [_Sweep(graph, spares=False).has_choice for graph in graphs]
    assert {False, True} == set(choices)
    # And of those that take two, the plan is now of the one, now of the other.
    taken = {
        _Sweep(graph, spares=False).plan() == plan.ub.plan
        for graph, plan, choice in zip(graphs, plans, choices, strict=True)
        if choice
    }
    assert taken == {False, True}


def test_a_reduction_keeps_its_result_until_it_is_stored() -> None:
    nodes: list[VisitorNode] = [AccLoad(float32), RowReduce("r", "Plus", float32), ColBroadcast("c", float32)]
    nodes += [Compute("Plus", float32), Cast(int32, float32, "CAST_RINT"), AuxStore("D", int32)]
    plan = plan_tile(nodes, [(), (0,), (), (1, 2), (3,), (4,)])
    stored = plan.slots[1][Part.STORED]
    assert [slot for slots in plan.slots for slot in slots].count(stored) == 1
