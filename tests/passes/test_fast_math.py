"""``fast_math``: fewer instructions within the bound that is declared, and none without it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evtgen import Epilogue, float32, half, ops
from evtgen.check import check
from evtgen.graph.ir import flatten
from evtgen.graph.types import ElementType
from evtgen.nodes import Compute
from evtgen.operators.arrays import dtype, ulp_distance
from evtgen.passes.analysis.instructions import instructions
from evtgen.passes.fold_constants import fold_constants
from evtgen.passes.manager import run_passes
from evtgen.passes.multiply_add import multiply_add
from evtgen.passes.multiply_by_reciprocal import multiply_by_reciprocal
from evtgen.planner.plan import lower
from evtgen.reference import enclose, evaluate, formulas
from evtgen.verify import Options, verify_plans

from ..support.right import right
from ..support.simplify import Body, bodies, traced

FUSED: list[tuple[str, Body]] = [
    ("MulsAxpy", lambda a, x, r, s: a * 0.5 + x * 2.0),
    ("MulsAxpy", lambda a, x, r, s: a * s - x * s),
    ("PlusAxpy", lambda a, x, r, s: (a + r) + x * 3.0),
    ("PlusAxpy", lambda a, x, r, s: x * 3.0 + (a + r)),
    ("MinusAxpy", lambda a, x, r, s: (a - r) - x * 3.0),
    ("MultipliesAxpy", lambda a, x, r, s: a * r + x * 3.0),
    ("MultipliesMulAddDst", lambda a, x, r, s: a * r + x * a),
    ("PlusMulAddDst", lambda a, x, r, s: (a + r) + x * a),
    ("MinusMulAddDst", lambda a, x, r, s: (a - r) + x * a),
    ("PlusFusedMulAdd", lambda a, x, r, s: (a + r) * x + a),
    ("MinusFusedMulAdd", lambda a, x, r, s: x + r * (a - r)),
    ("MultipliesFusedMulAdd", lambda a, x, r, s: a * r * x + r),
    ("MulsFusedMulAdd", lambda a, x, r, s: a * 0.3 * x + r),
]

NOT_FUSED: list[Body] = [
    lambda a, x, r, s: a * x + r,  # a copy would come first
    lambda a, x, r, s: a + x * 3.0,
    lambda a, x, r, s: a - x * r,
    lambda a, x, r, s: (a + r) - x * r,  # no call subtracts a product of tensors
    lambda a, x, r, s: {"p": (p := x * 3.0), "D": (a + r) + p},
    lambda a, x, r, s: (t := a - r) * x + t,
    lambda a, x, r, s: ops.exp(a) + x * 3.0,
]


def names(epilogue: Epilogue) -> list[str]:
    found = [step.node for step in flatten(epilogue.root)]
    return [node.op for node in found if isinstance(node, Compute) and isinstance(node.op, str)]


@pytest.mark.parametrize("index", range(len(FUSED)))
def test_a_sum_of_products_is_two_instructions(index: int) -> None:
    name, body = FUSED[index]
    for T in (half, float32):
        written = traced(body, T, fast_math=True)
        assert check(written) == []
        done = multiply_add(written)
        assert name in names(done)
        assert instructions(flatten(written.root)) - instructions(flatten(done.root)) >= 1
        assert multiply_add(traced(body, T)) == traced(body, T)
        assert_enclosed(written, done, T)


@pytest.mark.parametrize("index", range(len(NOT_FUSED)))
def test_what_two_instructions_do_not_compute(index: int) -> None:
    written = traced(NOT_FUSED[index], fast_math=True)
    assert multiply_add(written) is written


def assert_enclosed(written: Epilogue, done: Epilogue, T: ElementType) -> None:
    """What the graph as written gives, each step rounded, is among what the rewritten one may give."""
    rng = np.random.default_rng(3)

    def draw(*shape: int) -> Any:
        return rng.standard_normal(shape).astype(dtype(T))

    acc, inputs = draw(40, 50), {"X": draw(40, 50), "row": draw(1, 50), "alpha": draw(1, 1)}
    expected, allowed = evaluate(written, acc, inputs), enclose(done, acc, inputs)
    for output, value in expected.items():
        assert allowed[output].contains(value).all(), output
        assert not allowed[output].contains((value + 1).astype(dtype(T))).any()


@pytest.mark.parametrize("T", [half, float32], ids=str)
def test_a_reciprocal_is_off_by_a_rounding(T: ElementType) -> None:
    written = traced(lambda a, x, r, s: a / 3, T, fast_math=True)
    done = multiply_by_reciprocal(written)
    assert "Muls" in names(done) and "Divs" not in names(done)
    acc = np.linspace(-100, 100, 30000).astype(dtype(T)).reshape(300, 100)
    inputs = {"X": acc, "row": acc[:1], "alpha": acc[:1, :1]}
    far = ulp_distance(evaluate(written, acc, inputs)["D"], evaluate(done, acc, inputs)["D"])
    assert 0 < far.max() <= 1
    # 1e-7 has a reciprocal that half does not hold.
    small = traced(lambda a, x, r, s: a / 60000 / 60000, half, fast_math=True)
    assert names(multiply_by_reciprocal(small)).count("Divs") == 2


def test_constants_fold() -> None:
    written = traced(lambda a, x, r, s: a * 0.3 * 0.7 + 0.1 + 0.2, float32, fast_math=True)
    assert instructions(flatten(written.root)) - instructions(flatten(fold_constants(written).root)) == 2
    large = traced(lambda a, x, r, s: a * 300.0 * 300.0, half, fast_math=True)
    assert fold_constants(large) is large


@pytest.mark.parametrize("T", [half, float32], ids=str)
@settings(max_examples=100)
@given(data=st.data())
def test_the_formula_stays(T: ElementType, data: st.DataObject) -> None:
    """Whatever is rewritten, the formula in float64 is the same but for float64's own roundings."""
    written = traced(data.draw(bodies(T)), T, fast_math=True)
    done = run_passes(written, verify=True)
    rng = np.random.default_rng(data.draw(st.integers(0, 5)))

    def draw(*shape: int) -> Any:
        return rng.standard_normal(shape).astype(dtype(T))

    inputs = {"X": draw(9, 14), "row": draw(1, 14), "alpha": draw(1, 1)}
    exact = draw(9, 14).astype(np.float64)
    before, after = formulas(written, inputs, exact), formulas(done, inputs, exact)
    with np.errstate(all="ignore"):
        for name, value in before.items():
            # A rounding or a comparison of what lies next to its limit may go the other way.
            close = np.isclose(after[name], value, rtol=1e-6, atol=1e-6 * np.nanmax(np.abs(value)), equal_nan=True)
            assert close.mean() > 0.9, name


@pytest.mark.cxx
def test_the_device_agrees() -> None:
    """On the CPU model, which rounds half's products and sums once: within the bound, and near the formula."""
    epilogues = []
    for number, (_, body) in enumerate(FUSED):
        for T in (half, float32):
            made = traced(body, T, fast_math=True)
            epilogues.append(Epilogue(f"fused{number}_{T}", made.root, fast_math=True, traced=True))
    plans = [lower(epilogue) for epilogue in epilogues]
    assert all(plan.savings for plan in plans)
    results = verify_plans(plans, Options(shapes=((37, 150, 20),), strict=True, together=16))
    right(results)
