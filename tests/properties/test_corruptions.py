"""Random valid epilogues, spoiled: each corruption is refused by the rule that should refuse it."""

from __future__ import annotations

import copy
import random
from functools import cache
from itertools import islice

import pytest

from evtgen.check import RULES, check
from evtgen.diagnostics.table import TABLE
from evtgen.graph.ir import Epilogue, Gemm
from evtgen.nodes import AccLoad

from ..support.epilogues import FULL
from ..support.graphs import ACCUMULATORS, Graph, random_graph
from .corruptions import CORRUPTIONS, NEAR_MISSES, Corruption, build

pytestmark = pytest.mark.slow

SEEDS = range(200, 230)

ENOUGH = len(SEEDS) if FULL else 8
"""Graphs that a corruption spoils, after which no more are drawn."""


@cache
def _drawn(seed: int) -> tuple[Graph, Gemm, random.Random]:
    rng = random.Random(seed)
    operand, acc = rng.choice(ACCUMULATORS)
    return random_graph(rng, acc), Gemm(a=operand, b=operand, c=acc), rng


def graph_of(seed: int) -> tuple[Graph, Gemm, random.Random]:
    """A graph that may be changed, its GEMM, and the numbers that follow."""
    return copy.deepcopy(_drawn(seed))


@pytest.mark.parametrize("seed", SEEDS)
def test_unspoiled_graphs_pass(seed: int) -> None:
    graph, gemm, _ = graph_of(seed)
    unread = [] if any(isinstance(node, AccLoad) for node in graph.nodes) else ["EVT062"]
    assert [d.code for d in check(build(graph, gemm))] == unread


@pytest.mark.parametrize(("code", "corruption"), CORRUPTIONS, ids=lambda part: getattr(part, "__name__", part))
def test_each_corruption_is_refused_by_its_rule(code: str, corruption: Corruption) -> None:
    spoiled: list[Epilogue] = []
    for seed in SEEDS:
        epilogue = corruption(*graph_of(seed))
        if epilogue is None:
            continue
        spoiled.append(epilogue)
        found = check(epilogue)
        assert code in {d.code for d in found}, (seed, [f"{d.code}: {d.message}" for d in found])
        assert all(d.severity == TABLE[code].severity for d in found if d.code == code)
        if len(spoiled) == ENOUGH:
            break
    assert len(spoiled) >= 5


@pytest.mark.parametrize(("code", "near_miss"), NEAR_MISSES, ids=lambda part: getattr(part, "__name__", part))
def test_each_near_miss_is_accepted(code: str, near_miss: Corruption) -> None:
    """By the rule that it nearly breaks, and by all others."""
    found = (epilogue for seed in SEEDS if (epilogue := near_miss(*graph_of(seed))) is not None)
    missed = [*islice(found, ENOUGH)]
    assert len(missed) >= 5 and any(code == other for other, _ in CORRUPTIONS)
    assert [d.message for epilogue in missed for d in check(epilogue) if d.code != "EVT062"] == []


def test_every_rule_of_the_graph_refuses_something() -> None:
    graph_rules = set(RULES)
    assert graph_rules - {code for code, _ in CORRUPTIONS} == set()
