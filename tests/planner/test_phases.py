"""The phases of an epilogue: one after the other they compute what the whole graph means."""

from __future__ import annotations

import random
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from benchmarks import clock
from evtgen.graph.ir import Epilogue, Gemm, Step, TopologicalVisitor, flatten, visit_order
from evtgen.graph.types import float32, half
from evtgen.nodes import (
    AccLoad,
    AuxLoad,
    AuxScatter,
    AuxStore,
    Broadcast,
    Cast,
    ColReduced,
    Compute,
    Kept,
    KeptLoad,
    KeptStore,
    Reduced,
    RowReduced,
    node_of,
)
from evtgen.nodes.kept import KeptColBroadcast, KeptColReduce
from evtgen.operators.arrays import Array, dtype
from evtgen.planner.phases import _Graph, levels_of
from evtgen.planner.plan import lower
from evtgen.reference import Tensors, stepwise
from evtgen.targets import Ascend950, AtlasA2

from ..support.graphs import flat_form, random_graph

M, N = 5, 7


def run(graph: Epilogue, tensors: Tensors) -> None:
    """Evaluates a graph; its outputs and what it keeps are then in ``tensors.outputs``."""
    steps = flatten(graph.root)
    values: dict[int, Any] = {}
    with np.errstate(all="ignore"):
        for index in visit_order([step.inputs for step in steps]):
            values[index] = stepwise(node_of(steps[index]), [values[i] for i in steps[index].inputs], tensors)


def data(graph: Epilogue, seed: int) -> tuple[Array, dict[str, Array]]:
    """An accumulator and inputs for a graph: small whole numbers, so that no order of additions matters."""
    numbers = np.random.default_rng(seed)
    acc, inputs = np.zeros((M, N)), {}
    for step in flatten(graph.root):
        node = step.node
        if isinstance(node, AccLoad):
            acc = numbers.integers(-4, 5, (M, N)).astype(dtype(node.T))
        elif isinstance(node, AuxLoad | Broadcast):
            inputs[node.name] = numbers.integers(-4, 5, node.tensor.shape.size(M, N)).astype(dtype(node.T))
        for scalar in node_of(step).scalars:
            inputs[scalar.name] = np.asarray(2, dtype(scalar.T))
    return acc, inputs


def outputs(graph: Epilogue, acc: Array, inputs: dict[str, Array]) -> dict[str, Array]:
    """The outputs of a whole graph."""
    tensors = Tensors(acc, dict(inputs))
    run(graph, tensors)
    return tensors.outputs


def by_phases(graph: Epilogue, acc: Array, inputs: dict[str, Array]) -> dict[str, Array]:
    """The outputs of its phases, each of which reads what those before have kept."""
    cut = lower(graph)
    crossing: set[str] = set()
    there = dict(inputs)
    found: dict[str, Array] = {}
    for part in cut.phases:
        tensors = Tensors(acc, there)
        run(part.epilogue, tensors)
        assert not found.keys() & tensors.outputs.keys(), "a phase writes what another has written"
        crossing |= {node.called for _, node in part.nodes() if isinstance(node, Kept)}
        found |= tensors.outputs
        there |= {name: array for name, array in tensors.outputs.items() if name in crossing}
    return {name: array for name, array in found.items() if name not in crossing}


@pytest.mark.parametrize("seed", range(60))
def test_phase_after_phase_is_the_whole(seed: int) -> None:
    rng = random.Random(seed)
    root = flat_form(random_graph(rng, float32, phases=0.4))
    given = Epilogue("phased", root, gemm=Gemm(workspace_stages=rng.choice((None, None, 2))))
    acc, inputs = data(given, seed)
    whole, parts = outputs(given, acc, inputs), by_phases(given, acc, inputs)
    assert whole.keys() == parts.keys()
    for name, value in whole.items():
        np.testing.assert_array_equal(value, parts[name], err_msg=name)


def test_the_random_graphs_have_phases() -> None:
    roots = [flat_form(random_graph(random.Random(seed), float32, phases=0.4)) for seed in range(60)]
    plans = [lower(Epilogue("phased", root)) for root in roots]
    assert sum(len(plan.phases) > 1 for plan in plans) > 30
    assert sum(len(plan.phases) > 2 for plan in plans) > 8


@pytest.mark.parametrize("seed", range(30))
def test_a_step_more_that_is_kept_costs_what_is_foretold(seed: int) -> None:
    """Told for all candidates at once, from which steps each phase needs for the sake of which one alone."""
    rng = random.Random(seed)
    steps = tuple(flatten(flat_form(random_graph(rng, float32, phases=rng.choice((0.4, 0.7))))))
    graph = _Graph(steps, tuple(map(str, range(len(steps)))), rng.random() < 0.5, rng.choice((AtlasA2, Ascend950)))
    for kept in (frozenset[int](), graph.cheapest()):
        now, ways = graph._ways(kept)
        for more, cost in [(kept, now), *((kept | {index}, cost) for index, cost in ways.items())]:
            needed = [graph.needed(phase, more) for phase in range(graph.last + 1)]
            assert cost == graph._costs(more, needed), sorted(more)


def test_a_long_chain_is_cut_at_once() -> None:
    """What is kept of it is found in the time of a few walks, not of one for each step that might be."""
    steps = [Step(AccLoad(float32), ())]
    for number in range(1, 1200):
        node = {100: ColReduced("Maximum", float32), 101: Compute("Minus", float32)}.get(number % 110)
        earlier = (number - 2, number - 1) if number % 110 == 101 else (number - 1,)
        steps.append(Step(node or Compute("Exp", float32), earlier))
    steps.append(Step(AuxStore("D", float32), (len(steps) - 1,)))
    graph = _Graph(tuple(steps), tuple(map(str, range(len(steps)))), True, AtlasA2)
    started = time.process_time()
    # Of each phase what the next would have to compute with a hundred calls
    assert graph.last == 10 and graph.cheapest() == frozenset(range(99, 1200, 110)[:10])
    assert time.process_time() - started < 5


def softmax(gemm: Gemm | None = None, X: bool = False) -> Epilogue:
    """exp(x - max) / sum, of the accumulator, or of its sum with ``X``."""
    loads = [AccLoad(half), AuxLoad("X", half), Compute("Plus", half)] if X else [AccLoad(half)]
    edges: list[tuple[int, ...]] = [(), (), (0, 1)] if X else [()]
    x = len(loads) - 1
    ops = [
        *loads,
        Cast(float32, half),
        ColReduced("Maximum", float32),
        Compute("Minus", float32),
        Compute("Exp", float32),
        ColReduced("Plus", float32),
        Compute("Divides", float32),
        Cast(half, float32, "CAST_RINT"),
        AuxStore("D", half),
    ]
    edges += [(x,), (x + 1,), (x + 1, x + 2), (x + 3,), (x + 4,), (x + 4, x + 5), (x + 6,), (x + 7,)]
    return Epilogue("softmax", TopologicalVisitor(edges, ops), gemm=gemm or Gemm())


def kinds(epilogue: Epilogue) -> list[list[str]]:
    """The kinds of the nodes of each phase that read or write a matrix or the workspace."""
    own = (AccLoad, AuxLoad, AuxStore, Kept)
    return [
        [type(node_of(s)).__name__ for s in part.steps if isinstance(s.node, own)] for part in lower(epilogue).phases
    ]


def test_softmax_reads_the_accumulator_again() -> None:
    plan = lower(softmax())
    assert kinds(softmax()) == [
        ["AccLoad", "KeptColReduce"],
        ["AccLoad", "KeptColBroadcast", "KeptColReduce"],
        ["AccLoad", "KeptColBroadcast", "KeptColBroadcast", "AuxStore"],
    ]
    assert [part.gemm.workspace_stages for part in plan.phases] == [0, 0, 0]
    assert plan.split is not None and plan.split.taken == plan.split.taken_again
    assert plan.split.taken.bytes == 4 * half.size


def test_a_sum_of_two_matrices_is_kept() -> None:
    """Two phases that load both would move 4 x 2 bytes again; keeping their sum in half moves 3 x 2."""
    plan = lower(softmax(X=True))
    assert kinds(softmax(X=True)) == [
        ["AccLoad", "AuxLoad", "KeptStore", "KeptColReduce"],
        ["KeptLoad", "KeptColBroadcast", "KeptColReduce"],
        ["KeptLoad", "KeptColBroadcast", "KeptColBroadcast", "AuxStore"],
    ]
    assert plan.split is not None and plan.split.taken_again is not None
    assert (plan.split.taken.bytes, plan.split.taken_again.bytes) == (12, 14)


def scaled(calls: int) -> Epilogue:
    """x / max(x), of the accumulator after so many exponentials."""
    x = calls
    edges = [(), *((i,) for i in range(calls)), (x,), (x, x + 1), (x + 2,)]
    own = (ColReduced("Maximum", float32), Compute("Divides", float32), AuxStore("D", float32))
    ops = [AccLoad(float32), *(Compute("Exp", float32),) * calls, *own]
    return Epilogue("scaled", TopologicalVisitor(edges, ops), gemm=Gemm())


def test_what_v_takes_long_for_is_kept() -> None:
    """To keep a matrix moves four bytes more: one call takes less than they do, ten take more."""
    one, ten = (lower(scaled(calls)).split for calls in (1, 10))
    assert one is not None and ten is not None and ten.taken_again is not None
    assert one.taken == one.taken_again
    assert ten.taken.bytes == ten.taken_again.bytes + 4
    assert ten.taken.vector < ten.taken_again.vector and ten.taken.cycles < ten.taken_again.cycles


def test_a_scattered_output_moves_as_much_as_one_that_is_stored() -> None:
    stored = softmax()
    root = stored.root
    assert isinstance(root, TopologicalVisitor)
    ops = (*root.ops[:-1], AuxScatter("D", half, rows="rows"))
    scattered = replace(stored, root=replace(root, ops=ops))
    taken = [(split.taken, split.taken_again) for e in (stored, scattered) if (split := lower(e).split)]
    assert taken[0] == taken[1] and taken[0][0].bytes == 4 * half.size


def variance() -> Epilogue:
    """x times the mean of x * x, which nothing else reads."""
    ops = [AccLoad(float32), Compute("Square", float32), ColReduced("Mean", float32), Compute("Multiplies", float32)]
    return Epilogue(
        "variance", TopologicalVisitor([(), (0,), (1,), (0, 2), (3,)], [*ops, AuxStore("D", float32)]), gemm=Gemm()
    )


@pytest.mark.parametrize("graph", [softmax(), softmax(X=True), variance()], ids=lambda graph: graph.name)
def test_a_phase_has_no_more_than_it_needs(graph: Epilogue) -> None:
    """What was reduced in an earlier phase is not computed again for nobody."""
    for part in lower(graph).phases:
        read = {i for step in part.steps for i in step.inputs}
        assert [s.node for i, s in enumerate(part.steps[:-1]) if i not in read and not node_of(s).writes] == []


def test_with_blocks_in_the_workspace_no_later_phase_reads_the_accumulator() -> None:
    first, *later = lower(softmax(Gemm(workspace_stages=2))).phases
    assert any(isinstance(node, KeptStore) for _, node in first.nodes())
    assert first.gemm.workspace_stages == 2
    for part in later:
        assert not any(isinstance(node, AccLoad) for _, node in part.nodes())
        assert any(isinstance(node, KeptLoad) for _, node in part.nodes())


def test_writers_and_readers_have_the_same_number() -> None:
    numbers: dict[int, list[type]] = {}
    for part in lower(softmax()).phases:
        for _, node in part.nodes():
            if isinstance(node, Kept):
                numbers.setdefault(node.number, []).append(type(node))
    assert numbers == {
        0: [KeptColReduce, KeptColBroadcast, KeptColBroadcast],
        1: [KeptColReduce, KeptColBroadcast],
    }


def test_levels() -> None:
    """A near miss: a reduction that is only returned makes no phase."""
    graph = TopologicalVisitor(
        [(), (0,), (0,), (1, 2), (3,)],
        [
            AccLoad(float32),
            ColReduced("Maximum", float32),
            RowReduced("Plus", float32),
            Compute("Plus", float32),
            AuxStore("D", float32),
        ],
    )
    assert levels_of(flatten(graph)) == (0, 1, 1, 1, 1)
    plain = TopologicalVisitor([(), (0,)], [AccLoad(float32), AuxStore("D", float32)])
    plan = lower(Epilogue("plain", plain))
    assert plan.split is None and plan.phases == (plan,)


def test_an_output_is_stored_in_the_first_phase_that_has_it() -> None:
    """And no later phase stores it again, though what it hands on is needed there."""
    graph = TopologicalVisitor(
        [(), (0,), (1,), (1, 2), (3,)],
        [
            AccLoad(float32),
            AuxStore("C1", float32),
            ColReduced("Plus", float32),
            Compute("Divides", float32),
            AuxStore("D", float32),
        ],
    )
    stored = [[node.name for _, node in part.nodes() if type(node) is AuxStore] for part in lower(
        Epilogue("twice", graph, gemm=Gemm(a=half, b=half))
    ).phases]  # fmt: skip
    assert stored == [["C1"], ["D"]]
    assert not any(
        isinstance(node, Reduced) for part in lower(Epilogue("twice", graph)).phases for _, node in part.nodes()
    )


@pytest.mark.cxx
@pytest.mark.parametrize("calls", [1, 10])
def test_the_clock_agrees(calls: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is chosen takes no longer on the clock than the other way: one call again, the result of ten kept.

    The formula is of cores that work all the time, so each has several blocks. Rows are too long for one visit.
    """
    graph = scaled(calls)
    split = lower(graph).split
    assert split is not None and len(split.crossing) == (1 if calls == 1 else 2)
    other = frozenset({calls} if calls == 1 else ())
    plans = [lower(graph)]
    monkeypatch.setattr(_Graph, "cheapest", lambda self: other)
    plans.append(lower(replace(graph, name="other")))
    programs = clock.programs(plans)
    chosen, rejected = (clock.cycles(programs[plan.name], plan, (2048, 16384, 64)) for plan in plans)
    assert chosen < rejected, (chosen, rejected)
