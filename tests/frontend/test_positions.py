"""Positions: their values, and comparisons that are right without a comparison of int32."""

from __future__ import annotations

import json
import math
import operator
import random
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evtgen import Acc, Aux, EvtgenError, Gemm, Scalar, epilogue, float32, half, int32, ops
from evtgen.check import check
from evtgen.frontend.json_form import to_json
from evtgen.frontend.load import load
from evtgen.frontend.positions import span
from evtgen.graph.ir import Epilogue, TreeVisitor, flatten
from evtgen.graph.shapes import Problem
from evtgen.nodes import AccLoad, AuxStore, Cast, ColIndex, Compute, RowIndex
from evtgen.operators.arrays import Array
from evtgen.operators.table import BY_NAME
from evtgen.planner.plan import lower
from evtgen.reference import Tensors, evaluate, stepwise
from evtgen.reference.walk import formulas

from ..support.said import refused

ARCHITECTURES = ("AtlasA2", "Ascend950")
COMPARISONS = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)


def of(body: Callable[[], Any], arch: str = "AtlasA2", **options: Any) -> Epilogue:
    """An epilogue with an output made by ``body``, whatever its type."""

    @epilogue(name="positions", arch=arch, **options)
    def function(acc: Acc[float32]) -> dict[str, Any]:
        return {"D": body(), "C": acc}

    assert isinstance(function, Epilogue)
    return function


def values(spec: Epilogue, m: int, n: int, problem: Problem | None = None) -> Array:
    """Its output; by the passes' graph and by the formula alike."""
    assert check(spec) == []
    acc = np.zeros((m, n), np.float32)
    plan = lower(spec)
    found = evaluate(plan, acc, {}, problem)["D"]
    assert np.array_equal(found, evaluate(spec, acc, {}, problem)["D"])
    assert np.array_equal(found, formulas(plan, {}, acc.astype(np.float64), problem)["D"])
    return found


def chosen(condition: Callable[[], Any], arch: str) -> Epilogue:
    return of(lambda: ops.where(condition(), 1.0, 0.0), arch)


@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_a_position_is_its_row_or_column(arch: str) -> None:
    spec = of(lambda: ops.row_index() * 100 - ops.col_index() + 7, arch)
    rows, columns = np.indices((9, 14), dtype=np.int32)
    found = values(spec, 9, 14)
    assert found.dtype == np.int32 and np.array_equal(found, rows * 100 - columns + 7)


@pytest.mark.parametrize("gemm", [Gemm(batch=True), Gemm(group="m")])
def test_rows_count_within_each_matmul(gemm: Gemm) -> None:
    problem = Problem((4, 4, 4) if gemm.batch else (3, 0, 9), 5, 8)
    found = values(of(ops.row_index, gemm=gemm), 12, 5, problem)
    assert found[:, 0].tolist() == [row for rows in problem.rows for row in range(rows)]
    assert (found == found[:, :1]).all()
    columns = values(of(ops.col_index, gemm=gemm), 12, 5, problem)
    assert (columns == np.arange(5)).all()


def _random(rng: random.Random, row: Any, column: Any) -> Any:
    """A sum of positions and whole numbers."""
    value = rng.choice((row, column, row - column, column - row, rng.randint(-3, 3) * row - column))
    value = rng.choice((value, -value, value + rng.randint(-40, 40), rng.randint(-40, 40) - value))
    return rng.choice((value, value, abs(value)))


@pytest.mark.slow
@pytest.mark.parametrize("arch", ARCHITECTURES)
def test_comparisons_are_those_of_numpy(arch: str) -> None:
    seen = 0
    for seed in range(120):
        compare = COMPARISONS[seed % len(COMPARISONS)]
        bound = random.Random(seed).choice((0, 4, -17, 12.0, 1 << 24, 5 - (1 << 31), None))

        def condition(row: Any, column: Any, seed: int = seed, compare: Any = compare, bound: Any = bound) -> Any:
            rng = random.Random(seed)
            one, other = _random(rng, row, column), _random(rng, row, column)
            return compare(one, other) if bound is None else compare(one, bound)

        try:
            spec = chosen(lambda condition=condition: condition(ops.row_index(), ops.col_index()), arch)
        except EvtgenError as error:
            assert error.diagnostics[0].code == "EVT195" and bound == 5 - (1 << 31) and arch == "AtlasA2"
            continue
        rows, columns = np.indices((23, 37), dtype=np.int64)
        found = values(spec, 23, 37)
        seen += bool(0 < found.mean() < 1)
        assert np.array_equal(found, np.where(condition(rows, columns), 1.0, 0.0)), seed
    assert seen > 50


@pytest.mark.parametrize("least", [(1 << 24) - 3, (1 << 24) + 1, (1 << 30) + 1])
@pytest.mark.parametrize("distance", [-1, 0, 1])
def test_what_float32_rounds_is_compared_exactly(least: int, distance: int) -> None:
    """The nodes of a comparison, over numbers that float32 does not tell apart."""
    for limit in (0, (1 << 24) - 1, 1 << 24, least):
        for compare in COMPARISONS:
            spec = chosen(lambda compare=compare, limit=limit: compare(ops.col_index(), limit), "AtlasA2")
            value: Any = np.array([[limit + distance]], np.int32)
            steps = flatten(spec.root)
            known: dict[int, Any] = {}
            for index, step in enumerate(steps):
                node: Any = step.node
                if isinstance(node, ColIndex):
                    known[index] = value
                elif isinstance(node, (Compute, Cast)):
                    known[index] = stepwise(node, [known[i] for i in step.inputs], Tensors(value, {}))
            mask = next(v for v in known.values() if v.dtype == bool)
            assert mask.item() == compare(limit + distance, limit), (limit, compare)


WRONG: list[tuple[Callable[[], Any], str, Callable[[], Any]]] = [
    (lambda: ops.row_index() < 2.5, "2.5", lambda: ops.row_index() < 2.0),
    (lambda: ops.row_index() < math.inf, "inf", lambda: ops.row_index().cast(float32) < math.inf),
    (lambda: ops.row_index() < 1 << 31, "2147483648",
     lambda: ops.row_index() < (1 << 31) - 1),
]  # fmt: skip
FAR: list[tuple[Callable[[], Any], Callable[[], Any]]] = [
    (lambda: ops.row_index() * 129 > ops.col_index(), lambda: ops.row_index() * 128 > ops.col_index()),
    (lambda: ops.row_index() > -(1 << 31), lambda: ops.row_index() > -(1 << 30)),
]


@pytest.mark.parametrize("arch", ARCHITECTURES)
@pytest.mark.parametrize(("wrong", "message", "fine"), WRONG)
def test_what_is_no_number_of_int32_is_an_error(wrong: Any, message: str, fine: Any, arch: str) -> None:
    with refused("EVT195", message):
        chosen(wrong, arch)
    assert check(chosen(fine, arch)) == []


@pytest.mark.parametrize(("far", "near"), FAR)
def test_a_difference_must_stay_within_int32(far: Any, near: Any) -> None:
    with refused("EVT195"):
        chosen(far, "AtlasA2")
    # Where int32 is compared as it is, there is no difference.
    assert check(chosen(near, "AtlasA2")) == check(chosen(far, "Ascend950")) == []


def test_other_numbers_of_int32_are_compared_as_before() -> None:
    def tensor(acc: Acc[float32], X: Aux[int32]) -> Any:
        return {"D": ops.where(ops.row_index() >= X, acc, 0.0)}

    def scalar(acc: Acc[float32], limit: Scalar[int32]) -> Any:
        return {"D": ops.where(ops.row_index() >= limit, acc, 0.0)}

    for function in (tensor, scalar):
        found = check(epilogue(function))
        assert [d.code for d in found] == ["EVT036"] and "write x.cast(float32)" in (found[0].help or "")
        assert check(epilogue(arch="Ascend950")(function)) == []


@pytest.mark.parametrize("T", [half, float32])
def test_an_infinity_that_is_written_is_one(T: Any) -> None:
    @epilogue(name="causal")
    def causal(acc: Acc[T]) -> dict[str, Any]:
        return {"D": ops.where(ops.row_index() >= ops.col_index(), acc, -math.inf)}

    assert isinstance(causal, Epilogue) and check(causal) == []
    acc = np.ones((3, 4), np.float16 if half == T else np.float32)
    assert (evaluate(lower(causal), acc, {})["D"] == np.where(np.tri(3, 4) > 0, 1, -np.inf)).all()


def test_positions_and_floats_say_what_to_write() -> None:
    found = check(of(lambda: ops.row_index() * 0.5))
    assert [d.code for d in found] == ["EVT039"] and "x.cast(float32)" in (found[0].help or "")

    @epilogue(name="slope")
    def slope(acc: Acc[float32], slope: Scalar[float32]) -> dict[str, Any]:
        return {"D": acc + slope * (ops.col_index() - ops.row_index())}

    assert isinstance(slope, Epilogue)
    found = check(slope)
    assert {d.code for d in found} == {"EVT021"} and all(".cast(float32)" in (d.help or "") for d in found)


def test_a_position_is_a_function_of_the_one_that_is_traced() -> None:
    with refused("EVT009", "ops.row_index"):
        ops.row_index()
    with refused("EVT011", "ops.col_index"):
        of(lambda: ops.col_index(3))


def test_a_position_that_no_output_needs_is_left_out() -> None:
    @epilogue(name="unused")
    def unused(acc: Acc[float32]) -> dict[str, Any]:
        ops.row_index()
        return {"D": acc}

    assert isinstance(unused, Epilogue) and check(unused) == []
    assert len(flatten(unused.root)) == 2


def test_it_is_one_node_however_often_it_is_asked_for() -> None:
    spec = of(lambda: ops.row_index() + ops.row_index() * ops.row_index())
    assert sum(isinstance(step.node, RowIndex) for step in lower(spec).steps) == 1


def test_the_explicit_form_and_json(tmp_path: Path) -> None:
    far = TreeVisitor(Compute("Minus", int32), RowIndex(), ColIndex())
    moved = TreeVisitor(Compute("Plus", int32), AccLoad(int32), far)
    explicit = Epilogue("moved", TreeVisitor(AuxStore("D", int32), moved))
    assert check(explicit) == []
    traced = chosen(lambda: ops.row_index() >= ops.col_index(), "AtlasA2")
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(to_json([explicit, traced])), encoding="utf-8")
    again = load([path])
    assert [one.root for one in again] == [explicit.root, traced.root]
    assert all(check(one) == [] for one in again)
    on_device = TreeVisitor(Compute("Greater", int32), RowIndex(), ColIndex())
    select = TreeVisitor(Compute("WhereScalar", float32, 0.0), on_device, AccLoad(float32))
    stored = TreeVisitor(AuxStore("D", float32), select)
    assert [d.code for d in check(Epilogue("compared", stored))] == ["EVT036"]
    assert check(Epilogue("compared", stored, arch="Ascend950")) == []


@pytest.mark.parametrize(
    "name", ["add", "subtract", "multiply", "negative", "absolute", "square", "maximum", "minimum"]
)
def test_the_span_of_a_result_holds_all_of_them_and_no_more(name: str) -> None:
    one = BY_NAME[name]
    for spans in product([(-5, 3), (-4, -2), (0, 6)], repeat=one.inputs):
        found = [one.numpy(np, *map(np.int64, numbers)) for numbers in product(*(range(a, b + 1) for a, b in spans))]
        assert span(one, spans, ()) == (min(found), max(found)), spans
    assert span(one, [None] * one.inputs, ()) is None
