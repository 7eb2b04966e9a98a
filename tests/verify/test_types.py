"""What types mean, against a float64 reading written by hand: on the CPU model, from the emitted code."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from evtgen import (
    Acc,
    Aux,
    ColVector,
    Epilogue,
    RowVector,
    Scalar,
    TreeVisitor,
    bfloat16,
    epilogue,
    float32,
    half,
    int8,
    int16,
    int32,
    ops,
)
from evtgen.check import check
from evtgen.frontend.json_form import read, to_json
from evtgen.model.data import Operands
from evtgen.model.execution import MEASURE, run_once
from evtgen.model.programs import Compilation, build_programs
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Cast, Compute
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

from ..support.right import right

M, N, K = 33, 70, 16


@epilogue(auto_cast=True)
def axpy(acc: Acc[float32], X: Aux[half], beta: Scalar[float32]) -> Any:
    return {"D": acc + beta * X}


@epilogue(auto_cast=True)
def meeting(acc: Acc[half], X: Aux[bfloat16], k: Aux[int8], w: Aux[int16], s: Scalar[bfloat16]) -> Any:
    """half and bfloat16 meet in float32, half and int8 in half, int16 and half in float32."""
    return {"both": acc * X, "small": acc + k, "wide": acc * w, "scaled": acc * s}


@epilogue
def quantised(acc: Acc[half], X: Aux[float32]) -> Any:
    return {"D": acc, "Q": X.cast(int8), "F": X.cast(int8, round="CAST_FLOOR")}


@epilogue
def dequantised(acc: Acc[int32], channel: RowVector[float32], token: ColVector[float32]) -> Any:
    return {"D": acc.cast(float32) * channel * token}


SPECS = {spec.name: spec for spec in (axpy, meeting, quantised, dequantised)}


@pytest.fixture(scope="module")
def programs() -> dict[str, Any]:
    assert [d.message for spec in SPECS.values() for d in check(spec)] == []
    plans = [lower(spec) for spec in SPECS.values()]
    built = build_programs(plans, Compilation(batch=len(plans)))
    return {plan.name: (built[plan.name], plan) for plan in plans}


def run(programs: dict[str, Any], name: str, a: Any, b: Any, **inputs: Any) -> dict[str, Any]:
    program, plan = programs[name]
    assert not isinstance(program, str), program
    return run_once(program, plan, (a.shape[0], b.shape[1], a.shape[1]), Operands(a, b, inputs), MEASURE).outputs


def factors(rng: Any) -> tuple[Any, Any]:
    """Small whole numbers: their products are exact."""
    return rng.integers(-3, 4, (M, K)).astype(np.float16), rng.integers(-3, 4, (K, N)).astype(np.float16)


def test_a_scalar_is_not_rounded_to_what_it_meets(programs: dict[str, Any]) -> None:
    """beta = 70000 is infinite in half: times 0 that was NaN."""
    rng = np.random.default_rng(1)
    a, b = factors(rng)
    product = a.astype(np.float64) @ b.astype(np.float64)
    zero = np.zeros((M, N), np.float16)
    out = run(programs, "axpy", a, b, X=zero, beta=np.array([[70000]], np.float32))
    assert out["D"].dtype == np.float32 and (out["D"] == product).all()
    x, beta = rng.standard_normal((M, N)).astype(np.float16), np.array([[0.7]], np.float32)
    out = run(programs, "axpy", a, b, X=x, beta=beta)
    exact = product + np.float64(beta[0, 0]) * x.astype(np.float64)
    scale = np.abs(product) + np.abs(beta[0, 0] * x.astype(np.float64))
    assert (np.abs(out["D"] - exact) <= 2.0**-23 * scale).all()


def test_operands_meet_in_what_holds_both(programs: dict[str, Any]) -> None:
    rng = np.random.default_rng(2)
    a, b = factors(rng)
    product = a.astype(np.float64) @ b.astype(np.float64)
    _, plan = programs["meeting"]
    brain = dict(_dtypes(plan))["X"]
    given = {
        # No half has so large an exponent, no bfloat16 so many digits.
        "X": (rng.choice([1e10, -1e-9, 3.0], (M, N)) * rng.standard_normal((M, N))).astype(brain),
        "k": rng.integers(-128, 128, (M, N)).astype(np.int8),
        "w": rng.integers(-(2**15), 2**15, (M, N)).astype(np.int16),
        "s": np.array([[1e10]]).astype(brain),
    }
    out = run(programs, "meeting", a, b, **given)
    wide = {name: array.astype(np.float64) for name, array in given.items()}
    assert {name: out[name].dtype.name for name in out} == {
        "both": "float32", "small": "float16", "wide": "float32", "scaled": "float32"
    }  # fmt: skip
    assert (np.abs(out["both"] - product * wide["X"]) <= 2.0**-24 * np.abs(product * wide["X"])).all()
    assert (out["small"] == product + wide["k"]).all()
    assert (out["wide"] == (product * wide["w"]).astype(np.float32)).all()
    assert (out["scaled"] == (product * wide["s"]).astype(np.float32)).all()


def _dtypes(plan: Any) -> list[tuple[str, Any]]:
    from evtgen.operators.arrays import dtype

    return [(tensor.name, dtype(tensor.element)) for tensor in plan.tensors]


def test_a_cast_to_int8_rounds_once(programs: dict[str, Any]) -> None:
    some = np.array([0.5001, 126.5001, -0.5001, 2.5, 3.5, -128.5001, 1e9, -1e9, np.nan, 126.99999], np.float32)
    x = np.resize(some, (M, N))
    a, b = factors(np.random.default_rng(3))
    out = run(programs, "quantised", a, b, X=x)
    exact = np.nan_to_num(x.astype(np.float64), nan=0.0)
    assert (out["Q"] == np.clip(np.rint(exact), -128, 127)).all()
    assert (out["F"] == np.clip(np.floor(exact), -128, 127)).all()


def test_an_int32_accumulator_is_that_of_int8(programs: dict[str, Any]) -> None:
    rng = np.random.default_rng(4)
    a, b = (rng.integers(-128, 128, size).astype(np.int8) for size in ((M, K), (K, N)))
    channel, token = rng.random((1, N), np.float32), rng.random((M, 1), np.float32)
    out = run(programs, "dequantised", a, b, channel=channel, token=token)
    product = a.astype(np.int64) @ b.astype(np.int64)
    exact = product * channel.astype(np.float64) * token.astype(np.float64)
    assert (np.abs(out["D"] - exact) <= 2.0**-22 * np.abs(exact)).all()
    plan = programs["dequantised"][1]
    assert plan.operands == (int8, int8) and plan.element_c == int32 and dequantised.gemm.a is None


def test_they_verify() -> None:
    options = Options(shapes=((87, 198, 40),), strict=True, together=len(SPECS))
    right(verify_plans([lower(spec) for spec in SPECS.values()], options))


def explicit(constant: Any, T: Any = half) -> Epilogue:
    return Epilogue("tiny", TreeVisitor(AuxStore("D", T), TreeVisitor(Compute("Muls", T, constant), AccLoad(T))))


def test_a_number_that_its_type_loses_is_refused() -> None:
    """In half 1e-9 is 0: acc * 1e-9 would be acc * 0. In the traced form, in the explicit one, and in JSON."""

    def traced(acc: Acc[half]) -> Any:
        return {"D": acc * 1e-9}

    traced.__annotations__ = {"acc": Acc[half]}
    (from_json,) = read(json.dumps(to_json([explicit(1e-9)])), "spec.json")
    for spec in (epilogue(traced), explicit(1e-9), from_json):
        (d,) = check(spec)
        assert d.code == "EVT039" and "1e-09 would become 0.0 in half" in d.message
        assert d.help is not None and "x.cast(float32)" in d.help
    assert check(explicit(1e-9, float32)) == []


@pytest.mark.parametrize(
    ("number", "T", "becomes"),
    [
        (1e-9, half, "0.0"), (7e4, half, "inf"), (-7e4, half, "-inf"), (1e-5, half, "1.0013580322265625e-05"),
        (1e-46, float32, "0.0"), (1e39, float32, "inf"), (10**400, float32, "inf"), (0.5, int32, "0"),
        (2**31, int32, "2147483647"), (-(2**31) - 1, int32, "-2147483648"),
    ],
)  # fmt: skip
def test_both_values_are_named(number: Any, T: Any, becomes: str) -> None:
    (d,) = check(explicit(number, T))
    assert d.code == "EVT039" and f"the number {number!r} would become {becomes} in {T}" in d.message


@pytest.mark.parametrize(
    ("number", "T"),
    [(0.1, half), (65519, half), (2.0**-24, half), (6.1e-5, half), (0, half), (-0.0, half), (2.0**-149, float32),
     (16777217, float32), (-(2**31), int32), (3.0, int32)],
)  # fmt: skip
def test_what_is_rounded_as_anything_is_stays(number: Any, T: Any) -> None:
    assert check(explicit(number, T)) == []


def refused(body: Any, **annotations: Any) -> tuple[Any, Any]:
    """What is said without ``auto_cast``, and with it; None where nothing is."""
    body.__annotations__ = annotations
    found = [next(iter(check(epilogue(name="spec", auto_cast=on)(body))), None) for on in (False, True)]
    assert all(d is None or d.code == "EVT021" for d in found), found
    return tuple(d and d.help for d in found)  # type: ignore[return-value]


def test_the_ways_out_of_a_mismatch() -> None:
    plain, automatic = refused(lambda acc, alpha: {"D": acc * alpha}, acc=Acc[half], alpha=Scalar[float32])
    assert automatic is None
    assert all(way in plain for way in ("alpha: Scalar[half]", "x.cast(float32)", "auto_cast=True"))
    plain, automatic = refused(lambda acc, X: {"D": acc + X}, acc=Acc[half], X=Aux[bfloat16])
    assert automatic is None
    assert all(way in plain for way in ("both operands", "x.cast(float32)", "auto_cast=True"))
    for T in (half, float32):
        both = refused(lambda acc, X: {"D": acc + X}, acc=Acc[int32], X=Aux[T])
        assert both[0] == both[1] is not None and "float32 keeps 24 of its 31 bits" in both[0]
        both = refused(lambda acc, s: {"D": acc * s}, acc=Acc[int32], s=Scalar[T])
        assert both[0] is not None and both[1] is not None and "float32 keeps 24 of its 31 bits" in both[1]


def test_nothing_is_computed_in_fewer_bits() -> None:
    """An operator that int32 does not have is not computed in float32 by itself."""

    def spec(acc: Acc[int32]) -> Any:
        return {"D": ops.exp(acc), "r": ops.col_reduce(acc)}

    spec.__annotations__ = {"acc": Acc[int32]}
    assert {d.code for d in check(epilogue(auto_cast=True)(spec))} == {"EVT036"}


def test_an_explicit_cast_is_one_instruction() -> None:
    tree = TreeVisitor(AuxStore("Q", int8), TreeVisitor(Cast(int8, float32), AccLoad(float32)))
    (d,) = check(Epilogue("one", tree))
    assert d.code == "EVT034" and d.help == (
        'write Cast(half, float32, round="CAST_ODD") → Cast(int8, half), which together round once'
    )
    tree = TreeVisitor(AuxStore("D", bfloat16), TreeVisitor(Cast(bfloat16, int32), AccLoad(int32)))
    (d,) = check(Epilogue("two", tree))
    assert d.code == "EVT034" and d.help is not None and "rounds once in CAST_RINT" in d.help
    assert "one does in CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC" in d.help


def test_auto_cast_of_a_store_rounds_once() -> None:
    stored = Epilogue("stored", TreeVisitor(AuxStore("Q", int8), AuxLoad("X", float32)), auto_cast=True)
    plan = lower(stored)
    casts = [(node.to, node.round) for _, node in plan.nodes() if isinstance(node, Cast)]
    assert casts == [(half, "CAST_ODD"), (int8, "CAST_NONE")]
