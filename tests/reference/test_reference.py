"""The reference against hand-written numpy, and its enclosures against devices that use the freedom they are given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from evtgen.graph.ir import Epilogue, TopologicalVisitor, TreeVisitor, flatten, visit_order
from evtgen.graph.types import ElementType, bfloat16, float8_e4m3fn, float8_e5m2, float32, half, int16, int32
from evtgen.measure.accuracy import Case, applied
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Cast, Compute, RowBroadcast, RowReduce, node_of
from evtgen.operators.arrays import dtype, neighbour
from evtgen.operators.table import OPERATORS
from evtgen.reference import Enclosure, Tensors, accumulator, compute, enclose, evaluate, product, stepwise
from evtgen.targets import AtlasA2

Array = NDArray[Any]

RNG = np.random.default_rng(11)


def normal(*shape: int, to: ElementType = half) -> Array:
    return RNG.standard_normal(shape).astype(dtype(to))


def test_matmul_add() -> None:
    epilogue = Epilogue(
        "e", TreeVisitor(AuxStore("D", half), TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half)))
    )
    acc, x = normal(5, 7), normal(5, 7)
    assert np.array_equal(evaluate(epilogue, acc, {"X": x})["D"], acc + x)
    assert enclose(epilogue, acc, {"X": x})["D"].exact


def test_shared_node_and_row_broadcast() -> None:
    ops = [
        AccLoad(half), RowBroadcast("row", half), Compute("Plus", half), Cast(float32, half),
        RowReduce("sum", "Plus", float32), Cast(half, float32), AuxStore("D", half),
    ]  # fmt: skip
    epilogue = Epilogue("e", TopologicalVisitor([(), (), (0, 1), (2,), (3,), (4,), (5,)], ops))
    acc, row = normal(9, 4), normal(1, 4)
    outputs = evaluate(epilogue, acc, {"row": row})
    assert np.array_equal(outputs["D"], acc + row)
    assert np.array_equal(outputs["sum"], (acc + row).astype(np.float64).sum(0, keepdims=True).astype(np.float32))


def test_half_rounds_after_every_operator() -> None:
    tree = TreeVisitor(
        Compute("Minus", half),
        TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half)),
        AuxLoad("X", half),
    )
    epilogue = Epilogue("e", TreeVisitor(AuxStore("D", half), tree))
    acc, x = np.array([[1.0]], np.float16), np.array([[4096.0]], np.float16)
    assert evaluate(epilogue, acc, {"X": x})["D"].item() == 0.0


def test_null_default_and_many_inputs() -> None:
    tree = TreeVisitor(Compute("Plus", int32), AccLoad(int32), AuxLoad("X", int32, null_default=3), AuxLoad("Y", int32))
    epilogue = Epilogue("e", TreeVisitor(AuxStore("D", int32), tree))
    acc = np.array([[1, 2]], np.int32)
    assert evaluate(epilogue, acc, {"Y": acc})["D"].tolist() == [[5, 7]]


def sloppy(epilogue: Epilogue, acc: Array, inputs: dict[str, Array], rng: np.random.Generator) -> dict[str, Array]:
    """A device that is as far off as each operator allows, rounds a product that is added or does not, and adds rows in
    an order of its own."""
    steps = flatten(epilogue.root)
    tensors = Tensors(acc, inputs)
    values: dict[int, Array] = {}
    for i in visit_order([s.inputs for s in steps]):
        node, operands = node_of(steps[i]), [values[j] for j in steps[i].inputs]
        value = stepwise(node, operands, tensors)
        if isinstance(node, Compute):
            assert node.operator is not None
            T = node.operator.computed_in(node.T)
            if node.operator.ulp and T != node.T:
                # Between two casts it is as far off as it may be in the type that it computes in.
                value = stepwise(replace(node, T=T), [operand.astype(dtype(T)) for operand in operands], tensors)
            fused = compute.fused(node, operands, tensors)
            if fused is not None:
                value = np.where(rng.random(value.shape) < 0.5, fused, value)
            for _ in range(node.operator.error(T)):
                to = np.where(rng.random(value.shape) < 0.5, -np.inf, np.inf).astype(value.dtype)
                value = np.where(rng.random(value.shape) < 0.8, np.nextafter(value, to), value)
            value = value.astype(dtype(node.element))
        if isinstance(node, RowReduce) and node.op == "Plus":
            total = np.full((1, acc.shape[1]), node.identity, value.dtype)
            for r in rng.permutation(acc.shape[0]):
                total = total + operands[0][r : r + 1]
            tensors.outputs[node.name] = total
        values[i] = value
    return tensors.outputs


@pytest.mark.parametrize("name", sorted(OPERATORS))
@pytest.mark.parametrize("element", [half, float32], ids=str)
def test_enclosures_hold_and_are_tight(name: str, element: ElementType) -> None:
    """Each operator on inexact inputs: nothing that the device may say is refused, and not just anything is allowed."""
    operator = OPERATORS[name]
    case = Case(operator, element, tuple(0.75 + i for i in range(len(operator.constants))))
    inexact = TreeVisitor(Compute("Exp", element), AuxLoad("X", element))
    signed = TreeVisitor(Compute("Adds", element, -1.25), inexact)
    inputs = [signed if i == 0 else AuxLoad(f"Y{i}", element) for i in range(operator.inputs)]
    total = TreeVisitor(Compute("Plus", element), applied(case, inputs), AuxLoad("X", element))
    root = TreeVisitor(AuxStore("D", element), total)
    both = TreeVisitor(RowReduce("sum", "Plus", element), root)
    epilogue = Epilogue("e", both)
    rng = np.random.default_rng(5)
    acc = normal(24, 31, to=element)
    tensors = {"X": acc, **{f"Y{i}": normal(24, 31, to=element) for i in (1, 2, 3)}}
    enclosures = enclose(epilogue, acc, tensors)
    for _ in range(10):
        with np.errstate(all="ignore"):
            outputs = sloppy(epilogue, acc, tensors, rng)
        for output, value in outputs.items():
            assert enclosures[output].contains(value).all(), output
    enclosed = enclosures["D"]
    assert enclosed.low is not None and enclosed.high is not None
    low, high = enclosed.low.astype(np.float64), enclosed.high.astype(np.float64)
    with np.errstate(invalid="ignore"):
        narrow = high - low < 1
    assert narrow.any()
    value = enclosed.value.astype(np.float64)
    assert not enclosed.contains((value + 2).astype(dtype(element)))[narrow].any()


@pytest.mark.parametrize("name", ["Silu", "Sigmoid", "Gelu", "Tanh"])
def test_half_that_is_computed_in_float32_is_exact_but_between_two(name: str) -> None:
    """Of all halves: only where float32's error reaches the middle of two results may the device have either."""
    x = np.arange(0x7C00, dtype=np.uint16)
    halves = np.concatenate([x, x | 0x8000]).view(np.float16).reshape(1, -1)
    node = Compute(name, half)
    root = TreeVisitor(node, AuxLoad("X", half))
    enclosed = enclose(Epilogue("e", TreeVisitor(AuxStore("D", half), root)), halves, {"X": halves})["D"]
    low, high = (end.astype(np.float64) for end in enclosed.ends)
    two = low != high
    assert 0 < two.mean() < 0.02 and (neighbour(enclosed.ends[0], 1) == enclosed.ends[1])[two].all()
    assert node.operator is not None
    with np.errstate(over="ignore"):
        value = np.asarray(node.operator.numpy(np, halves.astype(np.float64)))
    reach = (node.operator.error(float32, AtlasA2.off) + 1) * np.spacing(np.abs(value).astype(np.float32))
    assert (np.abs(value - (low + high) / 2) <= reach)[two].all()
    assert not enclosed.contains(neighbour(enclosed.value, 1))[~two].any()


def test_a_comparison_of_what_may_be_equal_says_nothing() -> None:
    """exp(X) against its own value, and against one far away: only there it is known whether they are equal."""
    x = normal(1, 64, to=float32)
    near = np.exp(x.astype(np.float64)).astype(np.float32)
    for name, result in (("EqualTo", 0.0), ("GreaterEqual", 0.0), ("NotEqualTo", 1.0), ("Less", 1.0)):
        inexact = TreeVisitor(Compute("Exp", float32), AuxLoad("X", float32))
        root = applied(Case(OPERATORS[name], float32, ()), [inexact, AuxLoad("Y", float32)])
        epilogue = Epilogue("e", TreeVisitor(AuxStore("D", float32), root))
        both = enclose(epilogue, x, {"X": x, "Y": near})["D"]
        assert both.contains(np.zeros_like(x)).all() and both.contains(np.ones_like(x)).all()
        known = enclose(epilogue, x, {"X": x, "Y": near + 1})["D"]
        assert known.contains(np.full_like(x, result)).all() and not known.contains(np.full_like(x, 1 - result)).any()


def test_what_may_be_nan_is_compared_and_clamped_to_anything() -> None:
    """log of a value that may be negative: NaN on the device, whatever the reference has."""
    inexact = TreeVisitor(Compute("Log", float32), TreeVisitor(Compute("Log", float32), AuxLoad("X", float32)))
    one = np.ones((1, 1), np.float32)
    for name, constants, answers in (("Clamp", (-1.0, 1.0), (np.nan, 7)), ("GreaterScalar", (0.0,), (0, 1))):
        child = applied(Case(OPERATORS[name], float32, constants), [inexact])
        enclosure = enclose(Epilogue("e", TreeVisitor(AuxStore("D", float32), child)), one, {"X": one})["D"]
        for answer in answers:
            assert enclosure.contains(np.full((1, 1), answer, np.float32)).all()


def test_division_by_an_enclosure_around_zero_says_nothing() -> None:
    tree = TreeVisitor(
        Compute("Divides", half), AuxLoad("X", half), TreeVisitor(Compute("Log", half), AuxLoad("Y", half))
    )
    epilogue = Epilogue("e", TreeVisitor(AuxStore("D", half), tree))
    one = np.ones((1, 1), np.float16)
    enclosure = enclose(epilogue, one, {"X": one, "Y": one})["D"]
    assert enclosure.bound() == np.inf
    assert enclosure.contains(np.full((1, 1), np.nan, np.float16)).all()


def test_whole_sums_are_exact_and_others_are_bounded() -> None:
    epilogue = Epilogue("e", TreeVisitor(RowReduce("sum", "Plus", float32, 2.0), AccLoad(float32)))
    whole = RNG.integers(-5, 6, (1000, 3)).astype(np.float32)
    assert enclose(epilogue, whole, {})["sum"].exact
    broken = normal(1000, 3, to=float32)
    enclosure = enclose(epilogue, broken, {})["sum"]
    assert 0 < enclosure.bound() <= 1001 * 2.0**-24 * 1000
    assert not enclosure.contains(enclosure.value + 1).any()
    too_many = np.full((3000, 1), 2.0, np.float16)
    long = enclose(Epilogue("e", TreeVisitor(RowReduce("sum", "Plus", half), AccLoad(half))), too_many, {})["sum"]
    assert long.contains(np.array([[4096]], np.float16)).all() and not long.exact


def test_integer_wrap_widens() -> None:
    """An integer that may wrap because its inexact input may be larger is not bounded by its corners."""
    to_int = TreeVisitor(Cast(int16, float32, "CAST_RINT"), TreeVisitor(Compute("Exp", float32), AccLoad(float32)))
    epilogue = Epilogue(
        "e", TreeVisitor(AuxStore("D", int16), TreeVisitor(Compute("Plus", int16), to_int, AuxLoad("X", int16)))
    )
    acc = np.full((1, 1), np.log(np.float32(1000.5)), np.float32)
    x = np.full((1, 1), 32767 - 1000, np.int16)
    enclosure = enclose(epilogue, acc, {"X": x})["D"]
    assert enclosure.contains(np.array([[-32768]], np.int16)).all()


@pytest.mark.parametrize("element", [half, bfloat16, float32], ids=str)
def test_accumulator(element: ElementType) -> None:
    a, b = RNG.integers(-5, 6, (40, 30)).astype(np.float16), RNG.integers(-5, 6, (30, 20)).astype(np.float16)
    for block, enclosure, _ in accumulator(a, b, element, rows=16):
        assert enclosure.exact
        assert np.array_equal(
            enclosure.value, (a[block].astype(np.float32) @ b.astype(np.float32)).astype(dtype(element))
        )
    a, b = normal(40, 300), normal(300, 20)
    for block, enclosure, _ in accumulator(a, b, element):
        for order in (slice(None), slice(None, None, -1)):
            total = np.zeros((40, 20), np.float32)
            for k in range(300)[order]:
                total = total + a[block][:, k : k + 1].astype(np.float32) * b[k : k + 1].astype(np.float32)
            assert enclosure.contains(total.astype(dtype(element))).all()
        assert enclosure.bound() < 1


def test_an_accumulator_of_products_that_cancel() -> None:
    """Each of the small ones between 1 and -1 is lost to rounding, and no partial sum is larger than one."""
    small = np.full(300, 2.0**-12)
    a, b = np.array([[1, *small, -1]], np.float16), np.array([[1, *small, 1]], np.float16).T
    ((_, enclosure, _),) = accumulator(a, b, float32)
    total = np.float32(0)
    for left, right in zip(a[0].astype(np.float32), b[:, 0].astype(np.float32), strict=True):
        total += left * right
    assert enclosure.value[0, 0] == 300 * 2.0**-24 and total == 0
    assert enclosure.contains(np.array([[total]])).all()
    assert not enclosure.contains(np.array([[-3 * 2.0**-24]], np.float32)).any()


def test_an_accumulator_of_products_that_round() -> None:
    """Of operands of 24 bits, whatever they cancel to: two products are off by nearly half an ulp each, one way."""
    x, y = np.float32(1 + 2.0**-12), np.float32(1 + 7 * 2.0**-14)
    a, b = np.array([[x, -y]]), np.array([[x], [y]])
    exact, total = product(a, b), x * x - y * y
    assert abs(total - exact[0, 0]) > 1.5 * 2.0**-24
    ((_, enclosure, _),) = accumulator(a, b, float32)
    assert enclosure.contains(np.array([[total]])).all()
    assert enclosure.bound() < 3.1 * 2.0**-24


def test_an_accumulator_of_floats_of_eight_bits() -> None:
    """Each product is exact, so only the additions round."""
    left, right = dtype(float8_e4m3fn), dtype(float8_e5m2)
    a, b = (RNG.standard_normal(size, np.float32).astype(T) for size, T in (((40, 300), left), ((300, 20), right)))
    ((_, enclosure, _),) = accumulator(a, b, float32)
    for order in (slice(None), slice(None, None, -1)):
        total = np.zeros((40, 20), np.float32)
        for k in range(300)[order]:
            total = total + a[:, k : k + 1].astype(np.float32) * b[k : k + 1].astype(np.float32)
        assert enclosure.contains(total).all()
    assert 0 < enclosure.bound() < 0.1
    whole = [RNG.integers(-5, 6, size).astype(T) for size, T in (((40, 30), left), ((30, 20), right))]
    ((_, enclosure, _),) = accumulator(whole[0], whole[1], float32)
    assert enclosure.exact


def test_what_may_be_too_large_for_a_type_without_infinities_may_be_nan() -> None:
    """exp is within an error: next to 464 it is 448 or NaN as float8_e4m3fn, next to 100 it is 96 or 104, no more."""
    cast = TreeVisitor(
        Cast(float8_e4m3fn, float32, "CAST_RINT"), TreeVisitor(Compute("Exp", float32), AccLoad(float32))
    )
    epilogue = Epilogue("e", TreeVisitor(AuxStore("D", float8_e4m3fn), cast), arch="Ascend950")
    acc = np.log(np.array([[464.0, 100.0, 20.0, 1e4]], np.float32))
    enclosure = enclose(epilogue, acc, {})["D"]

    def allowed(*values: float) -> list[bool]:
        return list(enclosure.contains(np.array([values], np.float32).astype(dtype(float8_e4m3fn)))[0])

    assert allowed(448, 96, 20, np.nan) == allowed(np.nan, 104, 20, np.nan) == [True] * 4
    assert allowed(448, 112, 22, 448)[1:3] == allowed(448, np.nan, np.nan, 448)[1:3] == [False, False]
    assert enclosure.error()[0, 2] == 0 and enclosure.error()[0, 1] == 8


def test_integer_accumulator_is_exact() -> None:
    a, b = RNG.integers(-128, 128, (4, 900)).astype(np.int8), RNG.integers(-128, 128, (900, 5)).astype(np.int8)
    ((_, enclosure, _),) = accumulator(a, b, int32)
    assert enclosure.exact and np.array_equal(enclosure.value, a.astype(np.int32) @ b.astype(np.int32))


def test_overflow_is_no_warning(recwarn: pytest.WarningsRecorder) -> None:
    epilogue = Epilogue(
        "e", TreeVisitor(RowReduce("sum", "Plus", half), TreeVisitor(Compute("Exp", half), AccLoad(half)))
    )
    enclosure = enclose(epilogue, np.full((40, 2), 11.0, np.float16), {})["sum"]
    assert np.isinf(enclosure.value).all()
    assert not recwarn.list


def test_contains_treats_zeros_and_nans_as_equal() -> None:
    enclosure = Enclosure(np.array([0.0, np.nan, 1.0], np.float16))
    assert enclosure.contains(np.array([-0.0, np.nan, 1.5], np.float16)).tolist() == [True, True, False]


@pytest.mark.parametrize("name", ["Silu", "Gelu", "Tanh", "Expm1"])
def test_what_is_computed_in_float_is_rounded_once(name: str) -> None:
    """In half a result is what the operator may make in float, rounded; one that is truncated is refused."""
    operator = OPERATORS[name]
    x = np.arange(0x2C00, 0x4400, dtype=np.uint16).view(np.float16)[:, None]
    root = TreeVisitor(AuxStore("D", half), TreeVisitor(Compute(name, half), AccLoad(half)))
    enclosure = enclose(Epilogue("e", root), x, {})["D"]
    exact = operator.numpy(np, x.astype(np.float64)).astype(np.float32)
    for steps in (-operator.ulp, 0, operator.ulp):
        assert enclosure.contains(neighbour(exact, steps).astype(np.float16)).all()
    rounded = exact.astype(np.float16)
    up = rounded > exact
    assert 0.2 < up.mean() < 0.8
    assert enclosure.contains(neighbour(rounded, -1))[up].mean() < 0.05
