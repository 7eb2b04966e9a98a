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


def declared(*calls: Any, name: Any = "s", numpy: Any = identity, **options: Any) -> Callable[[], Any]:
    """The declaration of an operator, of one that computes magnitudes by default."""
    return lambda: operator(name, [*calls] or ["Abs(dst, a)"], numpy, **options)


def with_constant(name: Any = "k", **options: Any) -> Callable[[], Any]:
    return declared(f"Adds(dst, a, {name})", constants=(name,), **options)


RESERVED = ("std", "operations", "EVT", "Arguments", "Element", "CAST_TILES", "SCRATCH_TILES", "HAS_BARRIER",
            "MAKES_MASK", "PIPE_V", "Ä", "_S", "a__b", 3, "class", "AscendC")  # fmt: skip
NO_CONSTANTS = ("tmp", "dst", "b", "count", "double", "default", "INFINITY", "Element", "ä", "x__y")
NO_NUMBERS = ("1.2.3", "1_000", "1e", "2;", "1/3", "007", "+1", ".5", "0x10", "inf")
NO_TURNS = (lambda: 1, lambda k: (k,), lambda: ("x",), 3, "x")

WRONG: list[tuple[str, Callable[[], Any]]] = [
    ("name", declared(name="soft sign")),
    ("taken", declared(name="plus")),
    *(("functor", declared(cpp=cpp)) for cpp in RESERVED),
    ("calls", lambda: operator("s", "Abs(dst, a)", identity)),
    ("calls", lambda: operator("s", [], identity)),
    ("call", declared("dst = a")),
    ("unknown", declared("Abss(dst, a)")),
    ("Reciprocal", declared("Reciprocal(dst, a)")),
    ("unknown", declared("Compare(dst, a, b, CMPMODE::GT)")),
    *(("scalar", declared(f"Muls(dst, a, {number})")) for number in (*NO_NUMBERS, "b")),
    ("float32", declared("Muls(dst, a, 1e39)")),
    ("arguments", declared("Abs(dst, a, count)")),
    ("tensor", declared("Add(dst, a, 1)")),
    ("names", declared("Abs(dst, x)")),
    ("writes", declared("Abs(a, a)")),
    ("reads", declared("Abs(dst, tmp)")),
    ("reads", declared("Axpy(dst, a, 2)")),
    ("no dst", declared("Abs(tmp, a)")),
    ("inputs", declared("Abs(dst, b)")),
    ("inputs", declared("Duplicate(dst, 1)")),
    ("unused", declared(constants=("k",))),
    *(("constant", with_constant(name)) for name in NO_CONSTANTS),
    ("constant", with_constant("S", cpp="S")),
    ("constants", declared(constants=None)),
    ("constants", declared("Adds(dst, a, k)", constants="k")),
    ("default", with_constant(defaults=("x",))),
    ("default", with_constant(defaults=(None,))),
    ("defaults", with_constant(defaults=(1, 2))),
    *(("golden", declared(golden=golden)) for golden in (3, "{a}", "{1}", "{0", "{0} + }")),
    *(("turns raises", declared(turns=turns)) for turns in NO_TURNS),
    ("turns", declared(turns=lambda: (math.nan,))),
    ("raises", declared("Ln(dst, a)", numpy=lambda np, a: np.vectorize(math.log)(a))),
    ("raises", declared(numpy=lambda np, a: a.view(np.float32))),
    ("raises", declared(numpy=lambda np: 1)),
    ("ulp", declared(ulp=-1)),
    ("elements", declared(numpy=lambda np, a: 1.0)),
    ("elements", declared(numpy=lambda np, a: a > 0)),
]


@pytest.mark.parametrize(("case", "declare"), WRONG, ids=range(len(WRONG)))
def test_what_cannot_be_emitted_is_refused(case: str, declare: Callable[[], Any]) -> None:
    with pytest.raises(EvtgenError) as raised:
        declare()
    (diagnostic,) = raised.value.diagnostics
    assert (diagnostic.code, diagnostic.case) == ("EVT014", case), diagnostic
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
    assert text.count("struct SoftSign :") == 1 == text.count("struct Blend\n")
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
    assert "struct AccLoad :" in text and "using AccLoad2 = Fusion::VisitorCompute<operations::AccLoad, " in text
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
    assert (diagnostic.code, diagnostic.case) == ("EVT036", "fractions")


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
