"""Fewer instructions: each rewrite does what it says and nothing else, bit for bit."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evtgen import Epilogue, TopologicalVisitor, float32, half, int8, int16, int32, ops
from evtgen.check import check
from evtgen.graph.ir import flatten
from evtgen.graph.types import ElementType
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Cast, Compute, Outputs, RowReduce, VisitorNode
from evtgen.passes.cancel_casts import cancel_casts
from evtgen.passes.cancel_signs import cancel_signs
from evtgen.passes.common_subexpressions import common_subexpressions
from evtgen.passes.drop_neutral import drop_neutral
from evtgen.passes.fold_constants import fold_constants
from evtgen.passes.fuse_relu import fuse_relu
from evtgen.passes.join_limits import Limit, join_limits, simplified
from evtgen.passes.manager import SIMPLIFYING, run_passes
from evtgen.passes.multiply_add import multiply_add
from evtgen.passes.multiply_by_reciprocal import multiply_by_reciprocal

from ..support.simplify import Body, bodies, same_bits, traced

EXACT = [one.run for one in SIMPLIFYING]

REWRITES: list[tuple[Any, ElementType, Body, Body]] = [
    (drop_neutral, half, lambda a, x, r, s: a * 1 * 1.0 + x / 1, lambda a, x, r, s: a + x),
    (drop_neutral, half, lambda a, x, r, s: a + -0.0, lambda a, x, r, s: a),
    (drop_neutral, half, lambda a, x, r, s: abs(a) + 0.0, lambda a, x, r, s: abs(a)),
    (drop_neutral, float32, lambda a, x, r, s: (a + 2) + 0.0, lambda a, x, r, s: a + 2),
    (drop_neutral, half, lambda a, x, r, s: (abs(a) + x) + 0.0, lambda a, x, r, s: abs(a) + x),
    (drop_neutral, int32, lambda a, x, r, s: a * 1 + 0, lambda a, x, r, s: a),
    (cancel_signs, half, lambda a, x, r, s: ops.negative(-a), lambda a, x, r, s: a),
    (cancel_signs, half, lambda a, x, r, s: a + -x, lambda a, x, r, s: a - x),
    (cancel_signs, half, lambda a, x, r, s: -a + x, lambda a, x, r, s: x - a),
    (cancel_signs, half, lambda a, x, r, s: a - -x, lambda a, x, r, s: a + x),
    (cancel_signs, half, lambda a, x, r, s: abs(-a) * abs(abs(x)), lambda a, x, r, s: abs(a) * abs(x)),
    (cancel_signs, half, lambda a, x, r, s: -(a * 3), lambda a, x, r, s: a * -3.0),
    (cancel_signs, half, lambda a, x, r, s: -(a * s), lambda a, x, r, s: a * -s),
    (cancel_signs, half, lambda a, x, r, s: -(a * 0), lambda a, x, r, s: a * -0.0),
    (cancel_signs, int32, lambda a, x, r, s: (-a) * 7, lambda a, x, r, s: a * -7),
    (cancel_signs, half, lambda a, x, r, s: ops.where(~(a > x), a, x), lambda a, x, r, s: ops.where(a > x, x, a)),
    (cancel_signs, half, lambda a, x, r, s: ops.where(~~(a > x), a, x), lambda a, x, r, s: ops.where(a > x, a, x)),
    (multiply_by_reciprocal, half, lambda a, x, r, s: a / 8, lambda a, x, r, s: a * 0.125),
    (multiply_by_reciprocal, half, lambda a, x, r, s: a / -0.5, lambda a, x, r, s: a * -2.0),
    (fold_constants, half, lambda a, x, r, s: a * 2 * -4, lambda a, x, r, s: a * -8.0),
    (fold_constants, int32, lambda a, x, r, s: a + 2000000000 + 2000000000, lambda a, x, r, s: a + -294967296),
    (fold_constants, int32, lambda a, x, r, s: a * 3 * 5, lambda a, x, r, s: a * 15),
    (join_limits, half, lambda a, x, r, s: ops.maximum(ops.maximum(a, 1), 2), lambda a, x, r, s: ops.maximum(a, 2)),
    (join_limits, half, lambda a, x, r, s: ops.maximum(ops.maximum(a, 2), 1), lambda a, x, r, s: ops.maximum(a, 2)),
    (join_limits, half, lambda a, x, r, s: ops.relu(ops.relu(a)), lambda a, x, r, s: ops.relu(a)),
    (join_limits, half, lambda a, x, r, s: ops.relu(ops.relu6(a)), lambda a, x, r, s: ops.relu6(a)),
    (join_limits, half, lambda a, x, r, s: ops.relu(ops.maximum(a, -3)), lambda a, x, r, s: ops.relu(a)),
    (join_limits, half, lambda a, x, r, s: ops.clamp(ops.relu(a), -1, 2), lambda a, x, r, s: ops.clamp(a, 0.0, 2)),
    (cancel_casts, half, lambda a, x, r, s: a.cast(float32).cast(half), lambda a, x, r, s: a),
    (cancel_casts, half, lambda a, x, r, s: a.cast(float32).cast(int32), lambda a, x, r, s: a.cast(int32)),
    (
        cancel_casts, float32,
        lambda a, x, r, s: ops.floor(a).cast(int8).cast(half),
        lambda a, x, r, s: a.cast(int8, round="CAST_FLOOR").cast(half),
    ),
    (
        cancel_casts, half,
        lambda a, x, r, s: ops.round(a).cast(int8),
        lambda a, x, r, s: a.cast(int8, round="CAST_RINT"),
    ),
    (fuse_relu, half, lambda a, x, r, s: ops.relu(a + x), lambda a, x, r, s: ops.add_relu(a, x)),
    (fuse_relu, float32, lambda a, x, r, s: ops.relu(a - x), lambda a, x, r, s: ops.subtract_relu(a, x)),
    (fuse_relu, half, lambda a, x, r, s: ops.maximum(a + x, 0), lambda a, x, r, s: ops.add_relu(a, x)),
]  # fmt: skip

NEAR_MISSES: list[tuple[Any, ElementType, Body]] = [
    (drop_neutral, half, lambda a, x, r, s: a + 0.0),
    (drop_neutral, half, lambda a, x, r, s: (a - x) + 0.0),
    (drop_neutral, half, lambda a, x, r, s: ops.relu(a) + 0.0),
    (drop_neutral, half, lambda a, x, r, s: (a + s) + 0.0),
    (drop_neutral, half, lambda a, x, r, s: a * 0 + x),
    (drop_neutral, half, lambda a, x, r, s: a * -1),
    (cancel_signs, half, lambda a, x, r, s: {"D": a + (n := -x), "E": ops.exp(n)}),
    (cancel_signs, half, lambda a, x, r, s: {"n": -x, "D": ops.exp(-a)}),
    (cancel_signs, half, lambda a, x, r, s: ops.where(a > x, a, 0) + ops.where(~(a > x), x, 0)),
    (cancel_signs, int32, lambda a, x, r, s: -(a * -2147483648)),
    (cancel_signs, half, lambda a, x, r, s: {"p": (p := a * 3), "D": -p}),
    (cancel_signs, half, lambda a, x, r, s: abs(ops.relu(a))),
    (multiply_by_reciprocal, half, lambda a, x, r, s: a / 3),
    (multiply_by_reciprocal, half, lambda a, x, r, s: a / 2.0**-16),
    (multiply_by_reciprocal, half, lambda a, x, r, s: a / s),
    (fold_constants, half, lambda a, x, r, s: a + 1 + 2),
    (fold_constants, half, lambda a, x, r, s: a * 0.5 * 0.5),
    (fold_constants, half, lambda a, x, r, s: a * 2 * 0.5),
    (fold_constants, half, lambda a, x, r, s: a * 3 * 3),
    (fold_constants, half, lambda a, x, r, s: a * 1024 * 1024),
    (fold_constants, int32, lambda a, x, r, s: {"D": (t := a + 1) + 2, "E": t + 3}),
    (join_limits, half, lambda a, x, r, s: ops.maximum(ops.maximum(a, -0.0), 0.0)),
    (join_limits, half, lambda a, x, r, s: ops.maximum(ops.minimum(a, 2), 1)),
    (join_limits, half, lambda a, x, r, s: ops.maximum(ops.maximum(a, s), 1)),
    (join_limits, half, lambda a, x, r, s: {"t": (t := ops.maximum(a, 1)), "D": ops.maximum(t, 2)}),
    (cancel_casts, float32, lambda a, x, r, s: a.cast(half).cast(float32)),
    (cancel_casts, half, lambda a, x, r, s: a.cast(int16).cast(half)),
    (cancel_casts, half, lambda a, x, r, s: ops.round(a).cast(float32)),
    (cancel_casts, half, lambda a, x, r, s: {"t": (t := ops.floor(a)), "D": t.cast(int8)}),
    (cancel_casts, half, lambda a, x, r, s: {"w": (w := a.cast(float32)), "D": w.cast(int32)}),
    (common_subexpressions, half, lambda a, x, r, s: ops.exp(a + 0.0) - ops.exp(a + -0.0)),
    (common_subexpressions, half, lambda a, x, r, s: ops.maximum(a, x) - ops.maximum(x, a)),
    (common_subexpressions, half, lambda a, x, r, s: (a - x) * (x - a)),
    (common_subexpressions, half, lambda a, x, r, s: {"D": ops.row_reduce(a), "E": ops.row_reduce(a)}),
    (common_subexpressions, half, lambda a, x, r, s: ops.leaky_relu(a, 0.1) - ops.leaky_relu(a, 0.2)),
    (common_subexpressions, half, lambda a, x, r, s: {
        "D": a.cast(int32, round="CAST_FLOOR"), "E": a.cast(int32, round="CAST_CEIL")
    }),
    (common_subexpressions, half, lambda a, x, r, s: a * s - a * -s),
    (fuse_relu, half, lambda a, x, r, s: {"before": (t := a + x), "D": ops.relu(t)}),
    (fuse_relu, half, lambda a, x, r, s: ops.maximum(a + x, -0.0)),
    (fuse_relu, half, lambda a, x, r, s: ops.relu(a * x)),
    (fuse_relu, int32, lambda a, x, r, s: ops.relu(a + x)),
    (multiply_add, half, lambda a, x, r, s: a * 2.0 + x * 3.0),
]  # fmt: skip


def nodes(epilogue: Epilogue) -> Counter[str]:
    """The nodes of a graph; whether several outputs need a node that joins them is not asked."""
    return Counter(repr(step.node) for step in flatten(epilogue.root) if not isinstance(step.node, Outputs))


@pytest.mark.parametrize("index", range(len(REWRITES)))
def test_a_rewrite(index: int) -> None:
    run, T, before, after = REWRITES[index]
    written, wanted = traced(before, T), traced(after, T)
    assert check(written) == []
    done = run(written)
    assert nodes(done) == nodes(wanted) != nodes(written)
    assert same_bits(written, done) and same_bits(wanted, done)
    assert run(done) is done


@pytest.mark.parametrize("index", range(len(NEAR_MISSES)))
def test_a_near_miss(index: int) -> None:
    run, T, body = NEAR_MISSES[index]
    written = traced(body, T)
    assert check(written) == []
    assert run(written) is written


@pytest.mark.slow
@pytest.mark.parametrize("T", [half, float32, int32, int16], ids=str)
@settings(max_examples=150)
@given(data=st.data())
def test_passes_keep_every_bit(T: ElementType, data: st.DataObject) -> None:
    written = traced(data.draw(bodies(T)), T)
    epilogue = written
    for run in EXACT:
        epilogue = run(epilogue)
    assert same_bits(written, epilogue, seed=data.draw(st.integers(0, 3)))
    assert arguments(epilogue) == arguments(written)
    run_passes(written, verify=True)


@given(st.lists(st.tuples(st.booleans(), st.integers(-9, 9).filter(bool)), min_size=1, max_size=12))
def test_a_chain_of_limits_is_as_short_as_it_can_be(chain: list[tuple[bool, int]]) -> None:
    """Each limit looks no further back than it must; what is left is what the whole chain leaves."""

    def body(a: Any, x: Any, r: Any, s: Any) -> Any:
        for above, number in chain:
            a = (ops.maximum if above else ops.minimum)(a, number)
        return a

    written = traced(body)
    done = join_limits(written)
    while (again := join_limits(done)) is not done:  # what a limit read that was dropped looks as if two needed it
        done = again
    found = [step.node for step in flatten(done.root) if isinstance(step.node, Compute)]
    left = sum({"Maxs": 1, "Mins": 1, "Clamp": 2}.get(str(node.op), 0) for node in found)
    assert left == len(simplified([Limit(above, number, number) for above, number in chain]))
    assert same_bits(written, done)


def arguments(epilogue: Epilogue) -> set[str]:
    """The names of the tensors and scalars of an epilogue: its interface, which no pass may change."""
    found = [step.node for step in flatten(epilogue.root)]
    return {
        name
        for node in found
        if isinstance(node, VisitorNode)
        for name in [*(s.name for s in node.scalars), *([node.tensor.name] if node.tensor else [])]
    }


def test_the_same_call_on_the_same_values_is_one() -> None:
    """Whole chains, in either order of a sum, with the casts between; through a store, too."""

    def before(a: Any, x: Any, r: Any, s: Any) -> Any:
        one = ops.gelu((a + x).cast(float32))
        two = ops.gelu((x + a).cast(float32))
        return {"D": one.cast(half), "E": (two * two).cast(half)}

    done = common_subexpressions(traced(before))
    found = Counter(type(step.node).__name__ for step in flatten(done.root))
    gelus = [step for step in flatten(done.root) if isinstance(step.node, Compute) and step.node.op == "Gelu"]
    assert len(gelus) == 1 and found["Cast"] == 3
    assert same_bits(traced(before), done)


def test_effects_are_not_merged() -> None:
    """Two equal reductions add to their tensor twice; the checker refuses that, a pass does not rely on it."""
    twice = [AccLoad(half), RowReduce("sum", "Maximum", half), RowReduce("sum", "Maximum", half), Outputs()]
    epilogue = Epilogue("twice", TopologicalVisitor([(), (0,), (0,), (1, 2)], twice), traced=True)
    assert common_subexpressions(epilogue) is epilogue


def test_what_is_stored_and_computed_again_is_one() -> None:
    written = traced(lambda a, x, r, s: {"D": ops.exp(a), "E": ops.exp(a) + x})
    done = common_subexpressions(written)
    assert sum(isinstance(s.node, Compute) and s.node.op == "Exp" for s in flatten(done.root)) == 1
    assert same_bits(written, done)


def test_a_store_whose_readers_are_gone_stays() -> None:
    """The float32 value is stored, and read through the store only by a cast that is undone."""
    written = traced(lambda a, x, r, s: {"wide": (w := a.cast(float32)), "D": w.cast(half) + x})
    done = cancel_casts(written)
    assert [step.node for step in flatten(done.root)].count(Cast(float32, half)) == 1
    assert same_bits(written, done) and check(done) == []
    run_passes(written, verify=True)


def test_an_explicit_graph_is_not_simplified() -> None:
    relu = [AccLoad(half), AuxLoad("X", half), Compute("Plus", half), Compute("Relu", half), AuxStore("D", half)]
    root = TopologicalVisitor([(), (), (0, 1), (2,), (3,)], relu)
    epilogue = Epilogue("written", root, fast_math=True)
    assert run_passes(epilogue) is epilogue
