"""Operators that a spec declares: what is refused, what becomes of one, and how --numeric judges it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest

from evtgen import (
    Acc,
    Aux,
    Epilogue,
    Gemm,
    Scalar,
    TreeVisitor,
    bfloat16,
    epilogue,
    float32,
    half,
    int8,
    int32,
    operator,
)
from evtgen.check import check
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files
from evtgen.measure.accuracy import Case, measure, own_cases
from evtgen.nodes import AccLoad, AuxStore, Compute
from evtgen.planner.plan import lower
from evtgen.report.verification import failures
from evtgen.verify import Options, verify_plans

from ..support.right import right
from ..support.said import says

CALLS = ["Abs(tmp, a)", "Adds(tmp, tmp, 1)", "Div(dst, a, tmp)"]


def softsign(np: Any, a: Any) -> Any:
    return a / (1 + np.abs(a))


def identity(np: Any, *inputs: Any) -> Any:
    return inputs[0]


untyped: Any = operator

WRONG: list[tuple[Callable[[], Any], str]] = [
    (lambda: operator("soft sign", CALLS, softsign), "not an identifier"),
    (lambda: operator("plus", CALLS, softsign), "Plus is evtgen's own"),
    (lambda: operator("s", CALLS, softsign, cpp="class"), "cannot name a functor"),
    (lambda: operator("ascend_c", ["Abs(dst, a)"], identity, cpp="AscendC"), "cannot name a functor"),
    *(
        (lambda cpp=cpp: operator("s", CALLS, softsign, cpp=cpp), "cannot name a functor")
        for cpp in (
            "std",
            "operations",
            "EVT",
            "Arguments",
            "Element",
            "CAST_TILES",
            "SCRATCH_TILES",
            "HAS_BARRIER",
            "MAKES_MASK",
            "PIPE_V",
            "Ä",
            "_S",
            "a__b",
            3,
        )
    ),
    (lambda: operator("s", "Abs(dst, a)", identity), "a list of strings"),
    (lambda: operator("s", [], identity), "a list of strings"),
    (lambda: operator("s", ["dst = a"], identity), "not written like an AscendC call"),
    (lambda: operator("s", ["Abss(dst, a)"], identity), "cannot call Abss"),
    (lambda: operator("s", ["Reciprocal(dst, a)"], identity), "cannot call Reciprocal"),
    (lambda: operator("s", ["Compare(dst, a, b, CMPMODE::GT)"], identity), "cannot call Compare"),
    *(
        (lambda number=number: operator("s", [f"Muls(dst, a, {number})"], identity), "takes a number or a constant")
        for number in ("1.2.3", "1_000", "1e", "2;", "1/3", "007", "+1", ".5", "0x10", "inf")
    ),
    (lambda: operator("s", ["Muls(dst, a, 1e39)"], identity), "a number that float32 does not"),
    (lambda: operator("s", ["Abs(dst, a, count)"], identity), "3 arguments, not 2"),
    (lambda: operator("s", ["Adds(dst, a, b)"], identity), "takes a number or a constant where it has b"),
    (lambda: operator("s", ["Add(dst, a, 1)"], identity), "takes a tensor"),
    (lambda: operator("s", ["Abs(dst, x)"], identity), "names x"),
    (lambda: operator("s", ["Abs(a, a)"], identity), "writes a"),
    (lambda: operator("s", ["Abs(dst, tmp)"], identity), "reads tmp, which no call before it has written"),
    (lambda: operator("s", ["Axpy(dst, a, 2)"], identity), "reads dst, which no call"),
    (lambda: operator("s", ["Abs(tmp, a)"], identity), "no call writes dst"),
    (lambda: operator("s", ["Abs(dst, b)"], identity), "without a gap"),
    (lambda: operator("s", ["Duplicate(dst, 1)"], identity), "without a gap"),
    (lambda: operator("s", ["Abs(dst, a)"], identity, constants=("k",)), "no call uses the constant k"),
    *(
        (lambda name=name: operator("s", [f"Adds(dst, a, {name})"], identity, constants=(name,)), "cannot name a const")
        for name in ("tmp", "dst", "b", "count", "double", "default", "INFINITY", "Element", "ä", "x__y")
    ),
    (lambda: operator("s", ["Adds(dst, a, S)"], identity, constants=("S",)), "cannot name a constant"),
    (lambda: untyped("s", ["Abs(dst, a)"], identity, constants=None), "are tuples"),
    (lambda: operator("s", ["Adds(dst, a, k)"], identity, constants="k"), "are tuples"),
    (lambda: untyped("s", ["Adds(dst, a, k)"], identity, constants=("k",), defaults=("x",)), "no finite number"),
    (lambda: untyped("s", ["Adds(dst, a, k)"], identity, constants=("k",), defaults=(None,)), "no finite number"),
    *(
        (lambda golden=golden: operator("s", ["Abs(dst, a)"], identity, golden=golden), "golden is no C++ expression")
        for golden in (3, "{a}", "{1}", "{0", "{0} + }")
    ),
    *(
        (lambda turns=turns: operator("s", ["Abs(dst, a)"], identity, turns=turns), "turns ")
        for turns in (3, "x", lambda: 1, lambda k: (k,), lambda: (float("nan"),), lambda: ("x",))
    ),
    (lambda: operator("s", ["Ln(dst, a)"], lambda np, a: np.vectorize(math.log)(a)), "raises ValueError"),
    (lambda: operator("s", ["Abs(dst, a)"], lambda np, a: a.view(np.float32)), "raises ValueError"),
    (lambda: operator("s", ["Adds(dst, a, k)"], identity, constants=("k",), defaults=(1, 2)), "but 2 defaults"),
    (lambda: operator("s", ["Abs(dst, a)"], identity, ulp=-1), "ulp is -1"),
    (lambda: operator("s", ["Abs(dst, a)"], lambda np: 1), "its numpy function raises TypeError"),
    (lambda: operator("s", ["Abs(dst, a)"], lambda np, a: 1.0), "one number for each element"),
    (lambda: operator("s", ["Abs(dst, a)"], lambda np, a: a > 0), "one number for each element"),
]


@pytest.mark.parametrize(("declare", "message"), WRONG, ids=range(len(WRONG)))
def test_what_cannot_be_emitted_is_refused(declare: Callable[[], Any], message: str) -> None:
    with pytest.raises(EvtgenError) as raised:
        declare()
    (diagnostic,) = raised.value.diagnostics
    assert diagnostic.code == "EVT014" and message in diagnostic.message
    assert diagnostic.location is not None and diagnostic.location.file == __file__


own = operator("soft_sign", CALLS, softsign, ulp=2)
blend = operator(
    "blend", ["Muls(dst, b, t)", "Axpy(dst, a, t)"], lambda np, a, b, t: a * t + b * t, constants=("t",),
    defaults=(0.5,), ulp=4, wide=True,
)  # fmt: skip


@epilogue
def traced(acc: Acc[half], X: Aux[half], t: Scalar[half]) -> Any:
    return {"D": own(acc) + X, "E": blend(acc, own(X)) * 2, "F": blend(acc, X, -t), "G": blend(acc, X, t=3)}


def by_hand(T: Any = half) -> Epilogue:
    return Epilogue(f"by_hand_{T}", TreeVisitor(AuxStore("D", T), TreeVisitor(Compute(own, T), AccLoad(T))))


@pytest.mark.cxx
def test_they_are_emitted_once_and_verified() -> None:
    assert check(traced) == [] == check(by_hand())
    (text,) = epilogue_files(lower(traced), Framework()).values()
    assert text.count("struct SoftSign :") == 1 == text.count("struct Blend {")
    assert "using SoftSign = Fusion::VisitorCompute<operations::SoftSign, half>;" in text
    assert "E = blend(C, soft_sign(X), t=0.5) * 2" in text
    options = Options(shapes=((37, 150, 20), (5, 7, 3)), data="normal", strict=True, together=4)
    right(verify_plans([lower(e) for e in (traced, by_hand(), by_hand(float32))], options))


@pytest.mark.cxx
def test_its_names_may_be_those_of_what_evtgen_emits() -> None:
    """Its functor's, like the alias of another node; its constants', like the numbers that some operators declare."""
    fit = operator("acc_load", ["Adds(dst, a, LIMIT)", "Muls(dst, dst, P)"], lambda np, a, s, t: (a + s) * t,
                   constants=("LIMIT", "P"), defaults=(2.0, 0.5))  # fmt: skip

    def spec(acc: Acc[half]) -> Any:
        return {"D": fit(acc + 1.0)}

    spec.__annotations__ = {"acc": Acc[half]}
    plan = lower(epilogue(spec))
    (text,) = epilogue_files(plan, Framework()).values()
    assert "struct AccLoad {" in text and "using AccLoad2 = Fusion::VisitorCompute<operations::AccLoad, " in text
    results = verify_plans([plan], Options(shapes=((5, 7, 3),), strict=True))
    assert all(r.ok for r in results), [line for r in results for line in failures(r)]


@pytest.mark.cxx
def test_in_place_in_float_takes_its_barriers() -> None:
    """In half, a and dst are one tile of the casts: Duplicate overwrites what Sqrt reads."""
    rsqrt = operator(
        "own_rsqrt", ["Sqrt(tmp01, a)", "Duplicate(dst, 1)", "Div(dst, dst, tmp01)"], lambda np, a: 1 / np.sqrt(a),
        wide=True, ulp=2,
    )  # fmt: skip
    assert rsqrt.barriers() == (False, True, True)
    epilogues = [
        Epilogue(f"own_{T}", TreeVisitor(AuxStore("D", T), TreeVisitor(Compute(rsqrt, T), AccLoad(T))))
        for T in (half, float32)
    ]
    options = Options(shapes=((37, 150, 20),), strict=True, together=2)
    right(verify_plans([lower(e) for e in epilogues], options))


def test_fractions_are_no_integers() -> None:
    halved = operator("halved", ["Muls(dst, a, 0.5)"], lambda np, a: a * a.dtype.type(0.5))
    tree = TreeVisitor(Compute(halved, int32), AccLoad(int32))
    (diagnostic,) = check(Epilogue("e", TreeVisitor(AuxStore("D", int32), tree), gemm=Gemm(int8, int8, int32)))
    says(diagnostic, "EVT036")


@pytest.mark.cxx
def test_a_numpy_function_that_raises_later_is_the_users() -> None:
    strict = operator("strict", ["Abs(dst, a)"], lambda np, a: np.abs(a) if a.size < 10 else 1 / 0)
    with pytest.raises(EvtgenError) as raised:
        list(measure([Case(strict, half, ())], values=100))
    assert raised.value.diagnostics[0].code == "EVT014" and "ZeroDivisionError" in str(raised.value)


def test_types_follow_from_the_calls() -> None:
    (diagnostic,) = check(by_hand(bfloat16))
    says(diagnostic, "EVT036", "Abs … bfloat16")


def test_each_is_measured_as_it_is_used() -> None:
    cases = own_cases([lower(traced), lower(by_hand(float32))])
    assert cases == [
        Case(own, half, ()), Case(blend, half, (0.5,)), Case(blend, half, (-0.5,)), Case(blend, half, (3.0,)),
        Case(own, float32, ()),
    ]  # fmt: skip


@pytest.mark.cxx
def test_a_wrong_one_is_seen() -> None:
    """NaN where numpy has none, or another value than numpy's: each fails, and its twin does not."""
    declared = [
        operator("exact", CALLS, softsign),
        operator("rounded_otherwise", CALLS, lambda np, a: softsign(np, a.astype(np.float32))),
        operator("log_of", ["Abs(dst, a)", "Ln(dst, dst)"], lambda np, a: np.log(np.abs(a)), ulp=2),
        operator("log_of", ["Ln(dst, a)"], lambda np, a: np.log(np.abs(a)), ulp=2),
    ]
    results = list(measure([Case(one, half, ()) for one in declared], values=70_000))
    assert [r.ok for r in results] == [True, False, True, False]
    assert results[1].wrong > 1000 and results[3].nans > 30_000
