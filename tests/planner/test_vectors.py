"""Vectors stay vectors: extents, who computes on a row or a column, who does not, and that nothing but time changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import evtgen as evt
from evtgen import Acc, Aux, ColVector, Epilogue, RowVector, ScalarTensor, float32, half, int8, int32, ops
from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.graph.ir import Step, TreeVisitor, flatten
from evtgen.graph.shapes import TensorShape
from evtgen.graph.types import mask
from evtgen.model.data import operands
from evtgen.model.execution import OBSERVE, run_once
from evtgen.model.programs import Compilation, require_programs
from evtgen.nodes import (
    AccLoad,
    AuxStore,
    Broadcast,
    Cast,
    ColBroadcast,
    ColStore,
    Compute,
    Position,
    RowBroadcast,
    RowStore,
    Vector,
    VisitorNode,
    node_of,
)
from evtgen.operators.arrays import same
from evtgen.planner import handoff
from evtgen.planner.plan import lower
from evtgen.planner.vectors import extents, with_vectors
from evtgen.targets import AtlasA2
from evtgen.verify import Options, verify_plans

from ..support.graphs import random_epilogue
from ..support.right import right

ROW, COLUMN = TensorShape.ROW, TensorShape.COLUMN
SPREAD_ROW, ONE_ROW = Vector(ROW, spreads=True), Vector(ROW, spreads=False)
SPREAD_COLUMN, ONE_COLUMN = Vector(COLUMN, spreads=True), Vector(COLUMN, spreads=False)


def of(
    body: Callable[..., Any],
    r: Any = RowVector[float32],
    c: Any = ColVector[float32],
    s: Any = ScalarTensor[float32],
    name: str = "of_vectors",
) -> Epilogue:
    @evt.epilogue(name=name, auto_cast=True)
    def function(acc: Acc[float32], r: r, c: c, s: s) -> Any:
        found = body(acc, r, c, s)
        return found if isinstance(found, dict) else {"D": found}

    return function


def vectors(epilogue: Epilogue) -> dict[str, Vector | None]:
    """How each node of the last phase holds a vector, by its name."""
    return {alias: node.vector for alias, node in lower(epilogue).phases[-1].nodes() if node.vector is not None}


def test_the_extent_of_each_value() -> None:
    plan = lower(of(lambda a, r, c, s: (r + s) * (c * s) + a + ops.row_index().cast(float32) + ops.exp(s)))
    found = dict(zip(plan.aliases, extents(plan.steps), strict=True))
    assert {name: found[name] for name in ("AccLoad", "Plus", "Multiplies", "Exp", "RowIndex")} == {
        "AccLoad": TensorShape.MATRIX,
        "Plus": ROW,
        "Multiplies": COLUMN,
        "Exp": TensorShape.SINGLE,
        "RowIndex": COLUMN,
    }
    assert found["Multiplies2"] is TensorShape.MATRIX  # a row times a column


CASES: dict[str, tuple[Epilogue, dict[str, Vector]]] = {
    "a row is cast, and read where it lies": (
        of(lambda a, r, c, s: a + r, r=RowVector[half]),
        {"RowBroadcastR": ONE_ROW, "CastRToFloat": ONE_ROW},
    ),
    "a row is cast before it is repeated": (
        of(lambda a, r, c, s: ops.prelu(a, r), r=RowVector[half]),
        {"RowBroadcastR": ONE_ROW, "CastRToFloat": SPREAD_ROW},
    ),
    "only the last of a chain is spread": (
        of(lambda a, r, c, s: ops.prelu(a, ops.sqrt(c + 1.0))),
        {"ColBroadcastC": ONE_COLUMN, "Adds": ONE_COLUMN, "Sqrt": SPREAD_COLUMN},
    ),
    "a row that is read whole has its vector in its first row": (
        of(lambda a, r, c, s: ops.prelu(a, r) * ops.prelu(a, ops.exp(r))),
        {"Exp": SPREAD_ROW},
    ),
    "a single value is a row and a column": (
        of(lambda a, r, c, s: a * (c * s) + r * s),
        {"ColBroadcastC": ONE_COLUMN, "Multiplies": ONE_COLUMN, "RowBroadcastR": ONE_ROW, "Multiplies3": ONE_ROW},
    ),
    "a mask chooses among vectors": (
        of(lambda a, r, c, s: a * ops.where(r > 0.5, r, 1.0)),
        {"RowBroadcastR": ONE_ROW, "GreaterScalar": ONE_ROW, "WhereScalar": ONE_ROW},
    ),
    "vectors are stored as they are": (
        of(
            lambda a, r, c, s: {
                "D": a,
                "row": ops.row_reduce(a, "add") * 2.0,
                "column": ops.col_reduce(a, "add") * 2.0,
            }
        ),
        {
            "RowBroadcastSumOfC": ONE_ROW,
            "Muls": ONE_ROW,
            "ColBroadcastSumOfC2": ONE_COLUMN,
            "Muls2": ONE_COLUMN,
            "ColStoreColumn": ONE_COLUMN,
        },
    ),
    "what a row reduction reads is whole": (
        of(lambda a, r, c, s: {"D": a, "sums": ops.row_reduce(c * 2.0, "add")}),
        {"ColBroadcastC": ONE_COLUMN, "Muls": SPREAD_COLUMN},
    ),
    "columns are counted in a row that is cast": (
        of(lambda a, r, c, s: ops.prelu(a, ops.col_index().cast(float32))),
        {"ColIndex": ONE_ROW, "CastColIndexToFloat": SPREAD_ROW},
    ),
    "columns are counted in all rows where these are read": (
        of(lambda a, r, c, s: {"D": a * r, "places": ops.col_index() + ops.row_index()}),
        {"RowBroadcastR": ONE_ROW},
    ),
    "a softmax divides once a row": (
        of(lambda a, r, c, s: a * (1.0 / ops.col_reduce(a, "add"))),
        {"ColBroadcastSumOfC": ONE_COLUMN, "RDivs": ONE_COLUMN},
    ),
}  # fmt: skip

NEAR_MISSES: dict[str, Epilogue] = {
    "a vector that meets a matrix": of(lambda a, r, c, s: ops.prelu(ops.prelu(a, r), c)),
    "a row and a column make a matrix": of(lambda a, r, c, s: a * ops.exp(ops.prelu(r, c))),
    "a column that is read whole too": of(lambda a, r, c, s: ops.prelu(a, c) * ops.exp(c)),
    "the number of a row lies in whole tiles": of(lambda a, r, c, s: a + ops.row_index().cast(float32)),
    "a mask of a row cannot be repeated": of(lambda a, r, c, s: ops.where(r > c, a, 0.0)),
    "a mask that chooses among whole tiles": of(lambda a, r, c, s: ops.where(c > 0.5, a, 0.0)),
    "a single value": of(lambda a, r, c, s: a * ops.exp(s)),
    "bytes cannot be spread": of(
        lambda a, r, c, s: {"D": a, "E": c.cast(int8, "CAST_NONE")}, c=ColVector[half]
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_what_works_on_vectors(case: str) -> None:
    epilogue, expected = CASES[case]
    assert vectors(epilogue) == expected


@pytest.mark.parametrize("case", NEAR_MISSES)
def test_what_does_not(case: str) -> None:
    assert vectors(NEAR_MISSES[case]) == {}


def test_explicit_graphs_gain_too() -> None:
    bias = TreeVisitor(Cast(float32, half), RowBroadcast("bias", half))
    root = TreeVisitor(AuxStore("D", float32), TreeVisitor(Compute("Plus", float32), AccLoad(float32), bias))
    explicit = Epilogue("explicit", root)
    assert vectors(explicit) == {"RowBroadcastBias": ONE_ROW, "CastBiasToFloat": ONE_ROW}
    # The arguments are those of the graph as written
    assert flatten(lower(explicit).epilogue.root) == flatten(root)


@given(st.integers(0, 2**32))
def test_the_rules_of_random_graphs(seed: int) -> None:
    """By another definition: whoever reads a vector that is not spread needs no more than that."""
    steps = with_vectors(flatten(random_epilogue(seed).root), AtlasA2)
    _hold(steps, extents(steps))


def _hold(steps: Sequence[Step], shapes: Sequence[TensorShape]) -> None:
    nodes = [node_of(step) for step in steps]
    for index, (step, node) in enumerate(zip(steps, nodes, strict=True)):
        if node.vector is None:
            continue
        assert node.vector.shape is shapes[index] or isinstance(node, ColStore)
        assert not node.vector.spreads or (node.element != mask and node.element.size > 1)
        for source in step.inputs:
            made = _maker(source, steps, nodes)
            assert shapes[made] in (node.vector.shape, TensorShape.SINGLE)
            packed = nodes[made].vector == ONE_COLUMN
            assert packed or node.vector.shape is ROW or shapes[made] is TensorShape.SINGLE
    for index, node in enumerate(nodes):
        if node.vector is not None and not node.vector.spreads and not node.forwards:
            for reader in _readers(index, steps, nodes):
                of_vector = isinstance(nodes[reader], RowStore) or nodes[reader].vector is not None
                of_vector = of_vector or shapes[index] in getattr(nodes[reader], "reads", ())
                assert of_vector or nodes[reader].forwards, (node, nodes[reader])
        elif isinstance(node, (Broadcast, Position)) and node.vector is None and shapes[index] in (ROW, COLUMN):
            assert shapes[index] is ROW or all(nodes[reader].vector is None for reader in _readers(index, steps, nodes))


def _maker(index: int, steps: Sequence[Step], nodes: Sequence[VisitorNode]) -> int:
    return _maker(steps[index].inputs[0], steps, nodes) if nodes[index].forwards else index


def _readers(index: int, steps: Sequence[Step], nodes: Sequence[VisitorNode]) -> set[int]:
    own = {reader for reader, step in enumerate(steps) if index in step.inputs}
    return own | {far for reader in own if nodes[reader].forwards for far in _readers(reader, steps, nodes)}


def everything(name: str) -> Epilogue:
    """Vectors of each kind, in several types, with masks, as outputs, and single values."""

    @evt.epilogue(name=name, auto_cast=True)
    def function(
        acc: Acc[float32], X: Aux[half], r: RowVector[half] = 2.0, c: ColVector[half] = 3.0,
        w: RowVector[float32] = 1.0, v: ColVector[int32] = 4, s: ScalarTensor[float32] = 0.5,
    ) -> Any:  # fmt: skip
        scale = ops.sqrt(ops.abs(c) + 1.0)
        chosen = ops.where(w > s, w * 3.0, ops.gelu(w))
        step = v.cast(float32) * s
        return {
            "D": (acc + r) * chosen / (scale * step) + X,
            "E": (X * (r + 1.0)).cast(half),
            "scales": scale,
            "steps": ops.exp(w).cast(half),
            "sums": ops.row_reduce(step, "add"),
        }

    return function


@pytest.mark.cxx
def test_the_same_bits_with_less_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """Against the plan that computes whole tiles; with the shapes of tails, and of one row."""
    short = lower(everything("on_vectors"))
    monkeypatch.setattr(handoff, "with_vectors", lambda steps, arch: tuple(steps))
    whole = lower(everything("on_tiles"))
    assert all(node.vector is None for _, node in whole.nodes())
    assert sum(node.vector is not None for _, node in short.nodes()) >= 15
    programs = require_programs([short, whole], Compilation(batch=2, observe=True))
    for shape in ((87, 198, 40), (1, 7, 16), (256, 512, 16)):
        data = operands(short, shape, seed=1, data="normal")
        done = {plan.name: run_once(programs[plan.name], plan, shape, data, OBSERVE) for plan in (short, whole)}
        assert done["on_vectors"].error is None and not done["on_vectors"].report["hazards"]
        for tensor, array in done["on_tiles"].outputs.items():
            if tensor != "sums":  # whose order is that of the tiles
                assert same(done["on_vectors"].outputs[tensor], array).all(), tensor
    spent = {name: _work_of_v(one.trace) for name, one in done.items()}
    assert spent["on_vectors"] < 0.9 * spent["on_tiles"]


@pytest.mark.cxx
@pytest.mark.parametrize("case", ["vectors are stored as they are", "columns are counted in a row that is cast"])
def test_vectors_are_right_and_no_more_is_written(case: str) -> None:
    """Strictly: rows of a tile that nobody reads would be EVT115."""
    plan = lower(CASES[case][0])
    right(verify_plans([plan], Options(shapes=((1024, 512, 16), (87, 198, 40), (1, 7, 16)), strict=True)))


def _work_of_v(trace: Any) -> float:
    return sum(float(e["dur"]) for e in trace.slices() if trace.pipe(e) == "V" and e["cat"] != "wait")


def _norm(norm: Callable[[Any], Any]) -> Epilogue:
    @evt.epilogue(name="normed")
    def function(acc: Acc[half]) -> Any:
        return {"D": norm(acc)}

    return function


def test_a_header_says_who_works_on_vectors() -> None:
    text = header_files([lower(_norm(ops.layer_norm))], Framework())["normed.hpp"]
    assert "using Sqrt = Fusion::VisitorOnColumn<Fusion::VisitorCompute<Fusion::Sqrt, float>, false>;" in text
    assert "VisitorOnColumn<Fusion::VisitorCompute<Fusion::Adds, float, float>, false>" in text
    assert "VisitorColBroadcast<float, layout::RowMajor, false, false>" in text
    assert "visitor_on_row.hpp" not in text


def test_nothing_changes_without_vectors() -> None:
    steps = flatten(of(lambda a, r, c, s: ops.relu(ops.prelu(ops.prelu(a, r), c)) + s).root)
    assert with_vectors(steps, AtlasA2) == tuple(steps)
    assert ColBroadcast("c", float32) in [step.node for step in steps]
