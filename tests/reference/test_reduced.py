"""Reductions as values: what a device that adds in any order may say is allowed, what it may not say is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evtgen import Acc, Aux, Gemm, epilogue, float32, half, int8, int32, ops
from evtgen.graph.ir import Epilogue, TopologicalVisitor, flatten, visit_order
from evtgen.graph.shapes import Problem
from evtgen.nodes import (
    AccLoad,
    AuxStore,
    ColReduced,
    Compute,
    Reduced,
    RowReduced,
    ScalarReduced,
    VisitorNode,
    node_of,
)  # fmt: skip
from evtgen.operators.arrays import Array, dtype, neighbour
from evtgen.reference import (
    Kind,
    Tensors,
    compute,
    departures,
    enclose,
    formulas,
    read,
    scale_behind,
    steps_of,
    stepwise,
)
from evtgen.reference.sums import reduced
from evtgen.reference.tiles import Tile
from evtgen.verify.compare import compare

REDUCTIONS = {"rows": ops.row_reduce, "columns": ops.col_reduce, "all": ops.scalar_reduce}
Over = Callable[..., Any]


def softmax_of(x: Any, over: Over) -> Any:
    e = ops.exp(x - over(x, "max"))
    return e / over(e)


def normalised(x: Any, over: Over) -> Any:
    d = x - over(x, "mean")
    return d * ops.rsqrt(over(d * d, "mean") + 1e-5)


def log_softmax_of(x: Any, over: Over) -> Any:
    s = x - over(x, "max")
    return s - ops.log(over(ops.exp(s)))


def root_mean_square(x: Any, over: Over) -> Any:
    return x * ops.rsqrt(over(x * x, "mean") + 1e-6)


def quantised(x: Any, over: Over) -> Any:
    scale = ops.maximum(over(abs(x), "max"), 1e-6) * (1 / 127)
    return (x / scale).cast(half, round="CAST_ODD").cast(int8, round="CAST_RINT")


def chosen(x: Any, over: Over) -> Any:
    return ops.where(x == over(x, "max"), x, 0.0)


def below(x: Any, over: Over) -> Any:
    return ops.where(over(x, "min") < x, x / over(x, "min"), 7.0)


FORMS = {f.__name__: f for f in (
    softmax_of, log_softmax_of, normalised, root_mean_square, quantised, chosen, below,
)}  # fmt: skip
INPUTS: dict[str, Callable[[Any], Any]] = {
    "acc": lambda x: x, "gelu": ops.gelu, "narrow": lambda x: ops.exp(x.cast(half) * 0.25).cast(float32),
}  # fmt: skip


def graph_of(form: str, over: str, given: str) -> Epilogue:
    """One of the forms, of a float32 accumulator."""

    @epilogue
    def reduces(acc: Acc[float32]) -> Any:
        result = FORMS[form](INPUTS[given](acc), REDUCTIONS[over])
        return {"D": result.cast(half) if given == "narrow" and form != "quantised" else result}

    return reduces


def in_any_order(node: Reduced, values: Array, rng: np.random.Generator) -> Array:
    """A sum or a mean of what is reduced together, (K, groups), in the values' own type: parts of any size, each added
    up in any order, and these joined in any order."""
    values = rng.permutation(values)
    scale = values.dtype.type(np.float32(1) / np.float32(len(values)))
    total = np.zeros(values.shape[1], values.dtype)
    for part in np.array_split(values, rng.integers(1, len(values) + 1)):
        sum_of = part[0]
        for row in part[1:]:
            sum_of = sum_of + row
        total = total + (sum_of * scale if node.op == "Mean" else sum_of)
    return total


def reduced_by(node: Reduced, values: Array, rng: np.random.Generator) -> Array:
    """A reduction on a device of its own order, (M, N)."""
    together = {(0,): values, (1,): values.T, (0, 1): values.reshape(-1, 1)}[node.reduce_kind.axis]
    if node.op in ("Maximum", "Minimum"):
        result = (np.max if node.op == "Maximum" else np.min)(together, axis=0)
    else:
        result = in_any_order(node, together, rng)
    one: Array = np.broadcast_to(result[:, None] if node.reduce_kind.axis == (1,) else result[None, :], values.shape)
    return one


def shaken(value: Array, operands: list[Array], ulp: int, rng: np.random.Generator) -> Array:
    """A result that is off by up to so many neighbours, by as many wherever the operands are the same."""
    _, which = np.unique(np.stack([o.reshape(-1).view(np.uint8).reshape(o.size, -1) for o in map(np.array, operands)])
                         .transpose(1, 0, 2).reshape(value.size, -1), axis=0, return_inverse=True)  # fmt: skip
    steps = rng.integers(-ulp, ulp + 1, which.max() + 1)[which.reshape(-1)].reshape(value.shape)
    for step in range(-ulp, ulp + 1):
        value = np.where(steps == step, neighbour(value, step), value)
    return value


def device(
    graph: Epilogue, acc: Array, inputs: dict[str, Array], rng: np.random.Generator, off: float = 1
) -> dict[str, Array]:
    """The outputs of a device that is as far off as operators allow, and reduces in an order of its own; what is
    reduced is taken times ``off``."""
    steps = flatten(graph.root)
    tensors = Tensors(acc, inputs)
    values: dict[int, Array] = {}
    with np.errstate(all="ignore"):
        for i in visit_order([s.inputs for s in steps]):
            node, operands = node_of(steps[i]), [values[j] for j in steps[i].inputs]
            if isinstance(node, Reduced):
                values[i] = reduced_by(node, operands[0], rng) * np.float32(off)
                continue
            values[i] = stepwise(node, operands, tensors)
            if isinstance(node, Compute) and (ulp := compute.ulp(node, tensors)):
                values[i] = shaken(values[i], operands, ulp, rng)
    return tensors.outputs


@st.composite
def accumulators(draw: st.DrawFn) -> Array:
    """Small and large, whole with repeated values or normal, with equal rows and rows of zeros."""
    m, n = draw(st.sampled_from([(1, 1), (1, 9), (7, 1), (4, 5), (9, 33), (40, 3)]))
    rng = np.random.default_rng(draw(st.integers(0, 999)))
    acc = rng.integers(-3, 4, (m, n)) if draw(st.booleans()) else rng.standard_normal((m, n))
    acc = acc * draw(st.sampled_from([1.0, 20.0, 0.01]))
    kind = draw(st.sampled_from(["any", "equal", "zero"]))
    if kind != "any":
        acc[0] = acc[0, 0] if kind == "equal" else 0
    result: Array = acc.astype(np.float32)
    return result


@pytest.mark.slow
@settings(max_examples=150)
@given(
    accumulators(),
    st.sampled_from(sorted(FORMS)),
    st.sampled_from(sorted(REDUCTIONS)),
    st.sampled_from(sorted(INPUTS)),
    st.integers(0, 999),
)
def test_whatever_the_order_is_allowed(acc: Array, form: str, over: str, given: str, seed: int) -> None:
    graph = graph_of(form, over, given)
    enclosure = enclose(graph, acc, {})["D"]
    for i in range(4):
        got = device(graph, acc, {}, np.random.default_rng([seed, i]))["D"]
        assert enclosure.contains(got).all(), (form, over, given)


REFUSED = {"quantised": 0.1, "chosen": 1 / 300}
"""The least share of elements that show a reduction that is off; 0.9 of the others."""


@pytest.mark.parametrize("over", REDUCTIONS)
@pytest.mark.parametrize("form", FORMS)
def test_what_is_off_is_refused(form: str, over: str) -> None:
    """Each reduction off by one part in a hundred: a sum without a term, a mean with another count."""
    acc = np.random.default_rng(3).standard_normal((9, 33)).astype(np.float32)
    graph = graph_of(form, over, "gelu")
    got = device(graph, acc, {}, np.random.default_rng(3), off=1.01)["D"]
    assert (~enclose(graph, acc, {})["D"].contains(got)).mean() >= REFUSED.get(form, 0.9)


def shares(graph: Epilogue, product_: Array) -> dict[str, float]:
    """How much of each output is judged."""
    found = {}
    for reading in read(graph, product_.astype(np.float32), {}, product_):
        if reading.node.writes and reading.node.tensor is not None:
            expected, formula = reading.stepwise, reading.formula
            typical = scale_behind(
                steps_of(graph), reading.index, [lambda: read(graph, product_.astype(np.float32), {})]
            )
            compared = compare(
                reading.node.tensor.name, reading.node.element, expected.value, expected, formula=formula,
                typical=typical,
            )  # fmt: skip
            found[compared.name] = compared.judged
    return found


SHAPES = ((1, 1), (1, 9), (7, 1), (3, 5), (87, 198), (5, 4099))


@pytest.mark.slow
@pytest.mark.parametrize("data", ["int", "normal"])
@pytest.mark.parametrize("given", INPUTS)
def test_enough_is_judged(data: str, given: str) -> None:
    """Of everything, whatever is computed before: whole numbers repeat their maximum, a row of one element has the
    variance 0."""
    rng = np.random.default_rng(7)
    for size in SHAPES:
        whole = rng.integers(1, 9, size) * rng.choice((-1, 1), size)
        acc = whole.astype(np.float64) if data == "int" else rng.standard_normal(size) + 0.25
        for form in FORMS:
            for over in REDUCTIONS:
                (judged_share,) = shares(graph_of(form, over, given), acc).values()
                assert judged_share >= 0.99, (form, over, size, judged_share)


def test_the_formula_is_that_of_the_whole() -> None:
    exact = np.random.default_rng(1).standard_normal((5, 8)) * 300
    e = np.exp(exact - exact.max(1, keepdims=True))
    want = {"softmax_of": e / e.sum(1, keepdims=True),
            "chosen": np.where(exact == exact.max(1, keepdims=True), exact, 0)}  # fmt: skip
    for form, expected in want.items():
        found = formulas(graph_of(form, "columns", "acc"), {}, exact)["D"]
        np.testing.assert_allclose(found, expected, rtol=1e-12)
    deep = formulas(graph_of("normalised", "all", "acc"), {}, exact)["D"]
    np.testing.assert_allclose(deep, (exact - exact.mean()) / np.sqrt(exact.var() + 1e-5), rtol=1e-12)


@pytest.mark.parametrize("kind", [RowReduced, ColReduced, ScalarReduced])
@pytest.mark.parametrize("op", ["Plus", "Mean", "Maximum"])
def test_of_several_matmuls_each_has_its_own(kind: type[Reduced], op: str) -> None:
    problem, rng = Problem((4, 0, 1, 6), 5, 1), np.random.default_rng(2)
    graph = Epilogue("e", TopologicalVisitor([(), (0,), (1,)], [AccLoad(float32), kind(op, float32),
                                                               AuxStore("D", float32)]))  # fmt: skip
    acc = rng.standard_normal((problem.m, 5)).astype(np.float32)
    whole, formula = enclose(graph, acc, {}, problem)["D"], formulas(graph, {}, acc.astype(np.float64), problem)["D"]
    for rows in problem.segments():
        if rows.start == rows.stop:
            continue
        one = enclose(graph, acc[rows], {})["D"]
        for got, want in zip((whole.value, *whole.ends), (one.value, *one.ends), strict=True):
            assert np.array_equal(got[rows], want)
        assert np.array_equal(formula[rows], formulas(graph, {}, acc[rows].astype(np.float64))["D"])


def test_bounds_follow_the_tiles() -> None:
    """Of a million ones and a bit: in tiles a sum is off by a few roundings, in an order that is not known by a million
    of them."""
    values = np.full((4096, 256), 1.1, np.float32)
    operand, tensors = enclosure_of(values), Tensors(values, {})
    node = ScalarReduced("Plus", float32)
    tiling = [(0, Tile(slice(top, top + 64), slice(0, 256))) for top in range(0, 4096, 64)]
    tiled, unknown = reduced(node, operand, tensors, tiling), reduced(node, operand, tensors)
    by_tiles = np.float32(0)
    for _, tile in tiling:
        by_tiles += values[tile.rows, tile.columns].sum(dtype=np.float32)
    assert tiled.contains(np.broadcast_to(by_tiles, values.shape)).all()
    assert tiled.bound() < 1e-5 * values.size and unknown.bound() > 0.05 * values.size
    in_order = np.add.accumulate(values.reshape(-1))[-1]
    assert not tiled.contains(np.broadcast_to(in_order, values.shape)).any()
    assert unknown.contains(np.broadcast_to(in_order, values.shape)).all()


def enclosure_of(values: Array) -> Any:
    return enclose(
        Epilogue("e", TopologicalVisitor([(), (0,)], [AccLoad(float32), AuxStore("D", float32)])), values, {}
    )["D"]


def test_one_term_and_whole_terms_are_exact() -> None:
    """A row of one element is its own mean; a third of it three times is not, a half twice is."""
    for columns, exact in ((1, True), (3, False), (2, True), (8, True)):
        acc = np.arange(1, 4 * columns + 1, dtype=np.float32).reshape(4, columns)
        for op in ("Mean", "Plus", "Maximum"):
            found = reduced(ColReduced(op, float32), enclosure_of(acc), Tensors(acc, {}))
            assert found.exact == (exact or op != "Mean"), (columns, op)
    tiny = np.full((1, 2), 2.0**-149, np.float32)
    assert not reduced(ColReduced("Mean", float32), enclosure_of(tiny), Tensors(tiny, {})).exact
    odd = np.array([[3, 2, 3, 3]], np.float32) * tiny[0, 0]
    rounded_apart = np.full((1, 4), 4 * tiny[0, 0], np.float32)  # 3/4 is rounded up thrice, and 1/2 to 0, or up
    assert reduced(ColReduced("Mean", float32), enclosure_of(odd), Tensors(odd, {})).contains(rounded_apart).all()


@pytest.mark.parametrize(("value", "exact"), [(3001, True), (60001, False)])
def test_parts_of_a_whole_mean_are_no_whole_numbers(value: float, exact: bool) -> None:
    """A tile's part of it has as many digits behind the point as the count takes; a sum of these may have too many."""
    acc = np.full((1, 1024), value, np.float32)
    tiling = [(0, Tile(slice(0, 1), slice(left, left + 128))) for left in range(0, 1024, 128)]
    found = reduced(ColReduced("Mean", float32), enclosure_of(acc), Tensors(acc, {}), tiling)
    assert found.exact == exact and found.contains(acc).all()


@epilogue
def distance(acc: Acc[float32], X: Aux[float32]) -> Any:
    x = ops.exp(acc) * X
    return {"D": x - ops.col_reduce(x, "max"), "top": ops.where(x == ops.col_reduce(x, "max"), 1.0, acc)}


def test_only_what_is_certainly_the_largest_has_no_distance() -> None:
    """The largest by far, or again and again what was made from the same; not one that is near, or equal by chance."""
    near = np.nextafter(np.float32(2), np.float32(3))
    acc = np.array([[0, 2, 1, 2], [0, 2, 1, near], [0, 2, 1, 3], [0, 2, 1, 2]], np.float32)
    x = np.ones((4, 4), np.float32)
    x[3, 3], acc[3, 3] = 0.5, 2 + np.log(np.float32(2))
    found = enclose(distance, acc, {"X": x})
    low, high = (end.astype(np.float64) for end in found["D"].ends)
    certain = (low == 0) & (high == 0)
    assert certain.tolist() == [[False, True, False, True], [False] * 4, [False, False, False, True], [False] * 4]
    assert (high <= 0).all() and (high[:, 0] < 0).all() and (low[1, [1, 3]] < 0).all()
    chosen_for_sure = (found["top"].ends[0] == 1) & (found["top"].ends[1] == 1)
    assert (chosen_for_sure[:, [0, 1, 3]] == certain[:, [0, 1, 3]]).all()


@epilogue
def twice(acc: Acc[half]) -> Any:
    x = ops.exp(acc)
    top = ops.col_reduce(x, "max")
    return {"narrow": x - top, "wide": x.cast(float32) - top.cast(float32), "other": x - ops.col_reduce(x * 0.5, "max")}


def test_casts_that_keep_a_value_keep_what_is_known_of_it() -> None:
    acc = np.array([[0, 1, 2]], np.float16)
    found = enclose(twice, acc, {})
    for name in ("narrow", "wide"):
        assert found[name].ends[1][0, 2] == 0 == found[name].ends[0][0, 2]
    assert found["other"].ends[0][0, 2] > 3


@epilogue
def rounded(acc: Acc[float32]) -> Any:
    x = ops.exp(acc)
    return {"D": x - ops.col_reduce(x, "max").cast(half).cast(float32)}


def test_a_cast_that_rounds_does_not() -> None:
    found = enclose(rounded, np.array([[0, 1, 2]], np.float32), {})["D"]
    assert (found.ends[0] > 0.001)[0, 2] or (found.ends[1] < -0.001)[0, 2]


@epilogue
def by_both(acc: Acc[float32]) -> Any:
    x = ops.exp(acc)
    x = x / ops.row_reduce(x)
    return {"D": x - ops.col_reduce(x, "max")}


def test_sums_of_equal_terms_need_not_be_equal() -> None:
    """Each column is added up in an order of its own."""
    acc = np.random.default_rng(3).standard_normal((50, 1)).astype(np.float32)
    low, high = enclose(by_both, np.repeat(acc, 3, axis=1), {})["D"].ends
    assert (low < 0).all() and (high == 0).all()


@epilogue
def careless(acc: Acc[float32]) -> Any:
    e = ops.exp(acc)
    return {"D": e / ops.col_reduce(e)}


@epilogue
def careless_sum(acc: Acc[float32]) -> Any:
    return {"D": acc * ops.col_reduce(acc * acc)}


@epilogue(gemm=Gemm(int8, int8, int32))
def wrapping_sum(acc: Acc[int32]) -> Any:
    return {"D": acc + ops.row_reduce(acc * 65536)}


@epilogue
def thrice_the_mean(acc: Acc[float32]) -> Any:
    return {"D": ops.col_reduce(acc, "mean") * 3.0 + acc * 0.0}


def departed_at(graph: Epilogue, values: Array) -> tuple[Kind, VisitorNode]:
    T = graph.gemm.c or float32
    with np.errstate(all="ignore"):
        found = list(read(graph, values.astype(dtype(T)), {}, values))
    steps = steps_of(graph)
    (departure,) = departures(steps, [lambda: found], [found[-1].index], Gemm())
    return departure.kind, node_of(steps[departure.step])


def test_departures_name_the_reduction() -> None:
    """Where it is the reduction that overflows or wraps around, not what is reduced or what reads it."""
    kind, node = departed_at(careless, np.full((2, 40), 90.0))
    assert kind is Kind.RANGE and isinstance(node, Compute) and node.op == "Exp"
    kind, node = departed_at(careless, np.full((2, 40), 88.0))
    assert kind is Kind.ACCURACY and isinstance(node, ColReduced)
    kind, node = departed_at(careless_sum, np.full((2, 40), 1e19))
    assert kind is Kind.RANGE and isinstance(node, ColReduced)
    kind, node = departed_at(wrapping_sum, np.full((40, 3), 1000.0))
    assert kind is Kind.RANGE and isinstance(node, RowReduced)


def test_a_mean_that_cancels_is_named_where_it_shows() -> None:
    """Beside what it is taken from it is as accurate as any; alone it is not, and it is not the product's fault."""
    values = np.random.default_rng(3).standard_normal((4, 4000))
    values -= values.mean(1, keepdims=True)
    graph = graph_of("normalised", "columns", "acc")
    found = list(read(graph, values.astype(np.float32), {}, values))
    assert departures(steps_of(graph), [lambda: found], [r.index for r in found if r.node.writes], Gemm()) == []
    kind, node = departed_at(thrice_the_mean, values)
    assert kind is Kind.ACCURACY and isinstance(node, ColReduced)


def test_an_output_of_zeros_has_the_scale_of_what_cancelled() -> None:
    acc = np.full((3, 1), 5.0, np.float32)
    graph = graph_of("log_softmax_of", "columns", "acc")
    readings = list(read(graph, acc, {}, acc.astype(np.float64)))
    assert not readings[-1].stepwise.value.any() and not readings[-1].stepwise.exact
    assert scale_behind(steps_of(graph), readings[-1].index, [lambda: readings]) == 5
    assert scale_behind(steps_of(graph), readings[0].index, [lambda: readings[:1]]) == 5
    nothing = graph_of("root_mean_square", "columns", "acc")
    assert scale_behind(steps_of(nothing), 0, [lambda: read(nothing, 0 * acc, {})]) == 0


def test_what_may_be_nan_has_no_largest() -> None:
    graph = Epilogue("e", TopologicalVisitor([(), (0,), (1,), (2,), (3,)], [
        AccLoad(float32), Compute("Log", float32), Compute("Log", float32), ColReduced("Maximum", float32),
        AuxStore("D", float32),
    ]))  # fmt: skip
    enclosure = enclose(graph, np.array([[1.0, 5.0], [4.0, 5.0]], np.float32), {})["D"]
    assert enclosure.free.tolist() == [[True, True], [False, False]]
