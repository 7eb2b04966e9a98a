"""Traced functions: the graphs they make, and what they say when they cannot."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import evtgen
from evtgen import (
    Acc,
    Aux,
    ColVector,
    Epilogue,
    Gemm,
    RowVector,
    Scalar,
    ScalarTensor,
    TopologicalVisitor,
    bfloat16,
    float32,
    half,
    int8,
    int32,
    mask,
    ops,
)
from evtgen.check import check
from evtgen.diagnostics.diagnostic import Diagnostic, EvtgenError, source_text
from evtgen.frontend.composed import COMPOSED
from evtgen.frontend.errors import collecting
from evtgen.frontend.functions import function
from evtgen.frontend.functions import names as known
from evtgen.frontend.json_form import to_json
from evtgen.graph.ir import Visitor, flatten
from evtgen.nodes import (
    STATISTICS,
    AccLoad,
    AuxLoad,
    AuxStore,
    Cast,
    ColBroadcast,
    Compute,
    Outputs,
    RowBroadcast,
    RowReduce,
    ScalarBroadcast,
)
from evtgen.operators.declaration import Operator
from evtgen.operators.table import BY_NAME
from evtgen.passes.choose_form import choose_form
from evtgen.passes.insert_casts import insert_casts

from ..support.said import refused, says
from ..support.seeds import EXPLICIT, TRACED

epilogue: Any = evtgen.epilogue


@pytest.mark.parametrize(("traced", "explicit"), list(zip(TRACED, EXPLICIT, strict=True)), ids=lambda e: e.name)
def test_both_front_ends_build_one_graph(traced: Epilogue, explicit: Epilogue) -> None:
    assert check(traced) == [] == check(explicit)
    assert choose_form(traced).root == explicit.root
    assert (traced.name, traced.arch, traced.gemm, traced.buffers) == (
        explicit.name,
        explicit.arch,
        explicit.gemm,
        explicit.buffers,
    )


def traced_ops(e: Epilogue) -> list[str]:
    """Each node as ``kind(inputs)``, in order."""
    assert isinstance(e.root, TopologicalVisitor) and e.traced
    return [
        f"{getattr(op, 'op', None) or type(op).__name__}{list(edges)}"
        for op, edges in zip(e.root.ops, e.root.edges, strict=True)
    ]


def of(body: Callable[..., Any], T: Any = half, **options: Any) -> Epilogue:
    """The epilogue of a function of the accumulator and X."""

    def spec(acc: Acc[T], X: Aux[T]) -> Any:
        return body(acc, X)

    result = epilogue(**options)(spec)
    assert isinstance(result, Epilogue)
    return result


@pytest.mark.parametrize(
    ("body", "ops_"),
    [
        (lambda a, x: {"D": a + x + 1}, ["Plus[0, 1]", "Adds[2]", "AuxStore[3]"]),
        (lambda a, x: {"D": x - a}, ["Minus[1, 0]", "AuxStore[2]"]),
        (lambda a, x: {"D": -(a * x)}, ["Multiplies[0, 1]", "Negate[2]", "AuxStore[3]"]),
        (lambda a, x: {"D": ops.maximum(a / x, 0)}, ["Divides[0, 1]", "Maxs[2]", "AuxStore[3]"]),
        (lambda a, x: {"D": ops.maximum(0.5, a, x)}, ["Maximum[0, 1]", "Maxs[2]", "AuxStore[3]"]),
        (lambda a, x: {"D": ops.add(a, x, a)}, ["Plus[0, 1, 0]", "AuxStore[2]"]),
        (lambda a, x: {"D": abs(+a) + x}, ["Absolute[0]", "Plus[2, 1]", "AuxStore[3]"]),
        (lambda a, x: {"D": a, "E": x}, ["AuxStore[0]", "AuxStore[2]", "Outputs[1, 3]"]),
        (lambda a, x: {"D": a, "E": a + x}, ["AuxStore[0]", "Plus[1, 2]", "AuxStore[3]"]),
        (lambda a, x: {"D": ops.transpose(a), "E": a + x}, ["AuxStore[0]", "Plus[1, 2]", "AuxStore[3]"]),
        (lambda a, x: {"D": a + x, "E": ops.exp(a)},
         ["Plus[0, 1]", "AuxStore[2]", "Exp[0]", "AuxStore[4]", "Outputs[3, 5]"]),
    ],
)  # fmt: skip
def test_graphs(body: Callable[..., Any], ops_: list[str]) -> None:
    e = of(body)
    assert check(e) == []
    shown = [o for o in traced_ops(e) if not o.startswith(("AccLoad", "AuxLoad"))]
    assert shown == ops_


def ops_of(e: Epilogue) -> tuple[Visitor, ...]:
    assert isinstance(e.root, TopologicalVisitor)
    return e.root.ops


def compute(e: Epilogue) -> list[tuple[str | Operator, Any]]:
    return [(op.op, op.scalar) for op in ops_of(e) if isinstance(op, Compute)]


def test_numbers() -> None:
    cases: list[tuple[Callable[..., Any], list[tuple[str, Any]]]] = [
        (lambda a: a + 2, [("Adds", 2)]),
        (lambda a: 2 + a, [("Adds", 2)]),
        (lambda a: a - np.uint8(5), [("Adds", -5)]),
        (lambda a: a - np.int8(-128), [("Adds", 128)]),
        (lambda a: a - 2.5, [("Adds", -2.5)]),
        (lambda a: 1 - a, [("Muls", -1), ("Adds", 1)]),
        (lambda a: a * 3, [("Muls", 3)]),
        (lambda a: 3 * a, [("Muls", 3)]),
        (lambda a: a / 4, [("Divs", 4)]),
        (lambda a: 4 / a, [("RDivs", 4)]),
        (lambda a: np.float32(2) * a, [("Muls", 2.0)]),
        (lambda a: a + np.int64(2), [("Adds", 2)]),
        (lambda a: ops.add_scalar(a, 2), [("Adds", 2)]),
        (lambda a: ops.multiply_scalar(a, scalar=2), [("Muls", 2)]),
        (lambda a: ops.clamp(a, 0, high=6.0), [("Clamp", (0, 6.0))]),
        (lambda a: ops.elu(a + 0), [("Adds", 0), ("Elu", 1.0)]),
        (lambda a: ops.leaky_relu(a, slope=0.5), [("LeakyRelu", 0.5)]),
        (lambda a: ops.subtract(1, a), [("Muls", -1), ("Adds", 1)]),
    ]
    for body, expected in cases:
        assert compute(of(lambda a, x, body=body: {"D": body(a) + x}))[:-1] == expected


def test_every_operator_has_a_function() -> None:
    for name, operator in BY_NAME.items():

        def body(a: Any, x: Any, name: str = name, operator: Operator = operator) -> Any:
            operands = [a > x if operator.takes(i, half) == mask else (a, x)[i % 2] for i in range(operator.inputs)]
            # a whole exponent, or a half, makes products
            result = getattr(ops, name)(*operands, *[2.75, 3][: len(operator.constants)])
            return {"D": ops.where(result, a, x) if operator.yields(half) == mask else result, "E": x}

        assert operator.cpp in [name for name, _ in compute(of(body))]
        assert function(name).__name__ == name
    reductions = {"row_reduce", "col_reduce", "scalar_reduce"}
    places = {"row_index", "col_index", "transpose", "gather", "scatter", "cast", *STATISTICS}
    assert {*known()} == {*BY_NAME, *reductions, *COMPOSED, *places}
    instances = {"add_scalar", "where_scalars", "add_relu", "sub_relu", "multiply_scalar_fma", "divide_into_scalar"}
    assert {*known()} - {*dir(ops)} >= instances and {"axpy", "add", "gelu_tanh", "fma"} <= {*dir(ops)} <= {*known()}
    assert not {*BY_NAME} & {*vars(ops)}, "an operator hides a name of the module"
    with pytest.raises(AttributeError):
        ops.__path__  # noqa: B018


def test_a_value_returned_twice() -> None:
    e = of(lambda a, x: {"D": a + x, "E": a})
    twice = of(lambda a, x: dict.fromkeys(("D", "E"), a + x))
    assert check(e) == [] == check(twice)
    assert traced_ops(twice)[-2:] == ["AuxStore[2]", "AuxStore[3]"]


def test_reduction_before_its_store() -> None:
    e = of(lambda a, x: {"r": ops.row_reduce(a + x), "s": ops.row_reduce(a + x, "max"), "D": x})
    assert check(e) == []
    assert traced_ops(e)[-1].startswith("Outputs")


def test_default_identities() -> None:
    def identities(T: Any, gemm: Gemm) -> list[Any]:
        e = of(lambda a, x: {n: ops.row_reduce(a + x, n) for n in ("add", "max", "min")}, T, gemm=gemm)
        assert check(e) == []
        assert isinstance(e.root, TopologicalVisitor)
        return [op.identity for op in e.root.ops if isinstance(op, RowReduce)]

    assert identities(half, Gemm()) == [0.0, -float("inf"), float("inf")]
    assert identities(int32, Gemm(int8, int8)) == [0, -(2**31), 2**31 - 1]


def test_a_default_is_null_default() -> None:
    @epilogue
    def spec(acc: Acc[half], X: Aux[half] = 0.5) -> Any:
        return {"D": acc + X}

    assert spec.root.ops[1] == AuxLoad("X", half, null_default=0.5)


def test_vectors_may_be_absent() -> None:
    @epilogue
    def spec(acc: Acc[half], r: RowVector[half] = 0.0, c: ColVector[half] = 1, s: ScalarTensor[half] = 2.5) -> Any:
        return {"D": (acc + r) * c * s}

    assert check(spec) == []
    assert spec.root.ops[1:4] == (
        RowBroadcast("r", half, null_default=0.0),
        ColBroadcast("c", half, null_default=1),
        ScalarBroadcast("s", half, null_default=2.5),
    )


def test_options() -> None:
    gemm = Gemm(c=float32)
    e = of(lambda a, x: {"D": a + x}, float32, name="other", buffers=3, compute_length=64, gemm=gemm, arch="Ascend950")
    assert (e.name, e.buffers, e.compute_length, e.gemm, e.arch) == ("other", 3, 64, gemm, "Ascend950")
    assert not check(e)
    with pytest.raises(TypeError, match="no option 'bufers'"):
        of(lambda a, x: {"D": a + x}, bufers=3)


def test_an_accumulator_that_is_not_read_is_named() -> None:
    (d,) = check(of(lambda a, x: {"D": x}, float32))
    says(d, "EVT026", line="def spec(acc: Acc[T], X: Aux[T]) -> Any:")


def test_no_accumulator_at_all_is_a_warning() -> None:
    def spec(X: Aux[half]) -> Any:
        return {"D": ops.relu(X)}

    (d,) = check(epilogue(spec))
    says(d, "EVT062", "spec", "acc: Acc[half]")
    assert d.severity == "warning"


def test_helpers_loops_and_conditionals() -> None:
    def clamp(value: Any, low: float, high: float) -> Any:
        return ops.minimum(ops.maximum(value, low), high)

    def body(a: Any, x: Any) -> Any:
        for step in range(3):
            a = a + x if step % 2 == 0 else clamp(a, -1, 1)
        return {"D": a}

    assert [name for name, _ in compute(of(body))] == ["Plus", "Maxs", "Mins", "Plus"]


def test_dead_values_go_and_dead_parameters_are_named() -> None:
    def body(a: Any, x: Any) -> Any:
        ops.exp(a)
        return {"D": a}

    (d,) = check(of(body))
    says(d, "EVT026", "X")
    assert d.location is not None and "X: Aux" in source_text(d.location)


def test_lines() -> None:
    @epilogue
    def spec(acc: Acc[half], row: RowVector[float32]) -> Any:
        d = acc + row
        return {
            "D": d,
            "E": acc,
        }

    (d,) = check(spec)
    says(d, "EVT021", help="half … x.cast(float32) … auto_cast=True … float32", line="d = acc + row")
    stores = {op.name: source_text(op.location) for op in spec.root.ops if isinstance(op, AuxStore) and op.location}
    assert stores == {"D": '"D": d,', "E": '"E": acc,'}
    assert source_text(spec.location).startswith("def spec")


def test_cast_modes() -> None:
    def casts(T: Any, *steps: Any, **options: Any) -> list[Any]:
        def body(a: Any, x: Any) -> Any:
            for step in steps:
                a = a.cast(step, **options)
            return {"D": a, "E": x}

        root = of(body, T).root
        assert isinstance(root, TopologicalVisitor)
        return [op for op in root.ops if isinstance(op, Cast)]

    assert casts(half, float32) == [Cast(float32, half)]
    assert casts(half, float32, half) == [Cast(float32, half), Cast(half, float32)]
    assert casts(float32, bfloat16) == [Cast(bfloat16, float32, "CAST_RINT")]
    assert casts(float32, half, round="CAST_CEIL") == [Cast(half, float32, "CAST_CEIL")]
    assert casts(half, half) == []


def mixed(body: Callable[..., Any], *types: Any) -> Epilogue:
    a, b = types

    def spec(acc: Acc[a], X: Aux[b]) -> Any:
        return body(acc, X)

    gemm = Gemm(int8, int8) if a == int32 else None
    result = epilogue(auto_cast=True, gemm=gemm)(spec)
    assert isinstance(result, Epilogue) and check(result) == []
    assert check(insert_casts(result)) == []
    return insert_casts(result)


def test_auto_cast_promotes() -> None:
    e = mixed(lambda a, x: {"D": a + x}, half, float32)
    assert traced_ops(e) == ["AccLoad[]", "Cast[0]", "AuxLoad[]", "Plus[1, 2]", "AuxStore[3]"]
    assert AuxStore("D", float32) in ops_of(e)
    e = mixed(lambda a, x: {"D": a * x}, bfloat16, bfloat16)
    assert AuxStore("D", bfloat16) in ops_of(e)
    assert ("Multiplies", None) in compute(e) and Cast(bfloat16, float32, "CAST_RINT") in ops_of(e)
    e = mixed(lambda a, x: {"D": (a.cast(float32) * x).cast(half), "r": ops.row_reduce(a + a)}, int32, float32)
    assert AuxStore("D", half) in ops_of(e) and RowReduce("r", "Plus", int32, 0) in ops_of(e)
    e = mixed(lambda a, x: {"D": a.cast(half) * x}, int32, half)
    assert Cast(half, float32) in ops_of(e)


def test_auto_cast_keeps_what_others_read() -> None:
    e = mixed(lambda a, x: {"D": a * x, "E": ops.exp(a * x)}, bfloat16, bfloat16)
    assert isinstance(e.root, TopologicalVisitor)
    for op, edges in zip(e.root.ops, e.root.edges, strict=True):
        if isinstance(op, Compute):
            assert not any(isinstance(e.root.ops[i], AuxStore) for i in edges)
    assert isinstance(e.root.ops[-1], Outputs)


def failure(body: Callable[..., Any]) -> list[Diagnostic]:
    with pytest.raises(EvtgenError) as caught:
        of(body)
    assert caught.value.status == 2
    return caught.value.diagnostics


foreign: list[Any] = []


def leaking(a: Any, x: Any) -> dict[str, Any]:
    foreign.extend((a, ops.row_reduce(a)))
    return {"D": a + x, "r": foreign[1]}


of(leaking)

SCALAR_FAILURES: list[tuple[str, Callable[..., Any], str]] = [
    ("EVT009", lambda a, s: {"D": a * abs(s)}, ""),
    ("EVT009", lambda a, s: {"D": a * (s + 1)}, ""),
    ("EVT009", lambda a, s: {"D": a * (2 / s)}, ""),
    ("EVT009", lambda a, s: {"D": a * np.float32(2) ** s}, ""),
    ("EVT009", lambda a, s: {"D": a * (s - s)}, ""),
    ("EVT008", lambda a, s: {"D": a * s if s else a}, "s"),
    ("EVT008", lambda a, s: {"D": a * s if s == 1 else a}, "s"),
    ("EVT008", lambda a, s: {"D": a * s if s == -s else a}, "s"),
    ("EVT008", lambda a, s: {"D": a * s if s > 0 else a}, "s"),
    ("EVT011", lambda a, s: {"D": ops.where(s, a, s)}, ""),
    ("EVT011", lambda a, s: {"D": ops.where(a > 0 & a > s, a, s)}, "logical_and … 0"),
    ("EVT011", lambda a, s: {"D": ops.where((a > 0) ^ (a > s), a, s)}, ""),
    ("EVT026", lambda a, s: {"D": a}, "s"),
    ("EVT009", lambda a, s: {"D": a + np.exp(s)}, ""),
    ("EVT011", lambda a, s: {"D": ops.row_reduce(a * s, identity=s)}, "ops.row_reduce"),
    ("EVT012", lambda a, s: {"D": a * s, "E": s}, "s"),
]  # fmt: skip


@pytest.mark.parametrize(("code", "body", "message"), SCALAR_FAILURES, ids=range(len(SCALAR_FAILURES)))
def test_scalars_are_not_known_yet(code: str, body: Callable[..., Any], message: str) -> None:
    body.__annotations__ = {"a": Acc[half], "s": Scalar[float32]}
    failures: list[Diagnostic] = []
    token = collecting.set(failures)
    try:
        epilogue(name="spec")(body)
    finally:
        collecting.reset(token)
    (d,) = failures
    says(d, code, message)


def test_scalars_meet_values_on_either_side() -> None:
    def spec(a: Acc[half], x: Aux[half], s: Scalar[half] = 1.5) -> Any:
        return {"D": s * a + (s - x) / s, "E": ops.where(s < a, x, s), "F": ops.clamp(x - s, -s, s)}

    spec.__annotations__ = {"a": Acc[half], "x": Aux[half], "s": Scalar[half]}
    e = epilogue(spec)
    s = Scalar("s", half, 1.5)
    assert check(e) == []
    assert compute(e) == [
        ("Muls", s), ("Muls", -1), ("Adds", s), ("Divs", s), ("Plus", None), ("GreaterScalar", s), ("WhereScalar", s),
        ("Adds", -s), ("Clamp", (-s, s)),
    ]  # fmt: skip


FAILURES: list[tuple[str, Callable[..., Any], str]] = [
    ("EVT008", lambda a, x: {"D": a if a else x}, ""),
    ("EVT008", lambda a, x: {"D": a if a > 0 else x}, ""),
    ("EVT008", lambda a, x: {"D": ops.where(0 < a < 1, a, x)}, ""),
    ("EVT011", lambda a, x: {"D": ops.where(a, a, x)}, "where … half"),
    ("EVT011", lambda a, x: {"D": (a > 0) + x}, "add"),
    ("EVT011", lambda a, x: {"D": ops.where((a > 0) & x, a, x)}, "logical_and"),
    ("EVT008", lambda a, x: {"D": a and x}, ""),
    ("EVT009", lambda a, x: {"D": a + foreign[0]}, ""),
    ("EVT009", lambda a, x: {"D": foreign[0] * x}, ""),
    ("EVT009", lambda a, x: {"D": a + "x"}, 'given "x"'),
    ("EVT009", lambda a, x: {"D": a + x.T}, "half"),
    ("EVT009", lambda a, x: {"D": a.T * 2}, "half"),
    ("EVT009", lambda a, x: {"D": 2 - a.T}, "half"),
    ("EVT009", lambda a, x: {"D": a.T @ x}, "half"),
    ("EVT012", lambda a, x: {"D": a.T}, "D … spec"),
    ("EVT009", lambda a, x: {"D": None - a}, "None"),
    ("EVT009", lambda a, x: {"D": a * True}, "True"),
    ("EVT009", lambda a, x: {"D": np.zeros(3) * a}, "array("),
    ("EVT009", lambda a, x: {"D": ops.exp(2)}, ""),
    ("EVT009", lambda a, x: {"D": ops.maximum(a, "x")}, 'given "x"'),
    ("EVT009", lambda a, x: {"D": a, "r": ops.row_reduce(3)}, ""),
    ("EVT010", lambda a, x: {"D": ops.epx(a)}, "ops.epx"),
    ("EVT010", lambda a, x: {"D": ops.Plus(a, x)}, "ops.Plus"),
    ("EVT010", lambda a, x: {"D": a, "r": ops.row_reduce(a, "sum")}, "row … 'sum'"),
    ("EVT011", lambda a, x: {"D": ops.exp(a, x)}, "ops.exp(a) … 2"),
    ("EVT011", lambda a, x: {"D": ops.add(a)}, "ops.add(a, b, ...) … 1"),
    ("EVT011", lambda a, x: {"D": ops.add_scalar(a)}, "constant"),
    ("EVT011", lambda a, x: {"D": ops.exp(a, scalar=1)}, ""),
    ("EVT011", lambda a, x: {"D": ops.clamp(a, 0)}, "high"),
    ("EVT011", lambda a, x: {"D": ops.clamp(a, 0, 1, 2)}, ""),
    ("EVT011", lambda a, x: {"D": ops.elu(a, alpa=2)}, "'alpa'"),
    ("EVT011", lambda a, x: {"D": a.cast("hlaf")}, ""),
    ("EVT011", lambda a, x: {"D": a.cast(float32, 3)}, ""),
    ("EVT011", lambda a, x: {"D": a, "r": ops.row_reduce(a, identity="0")}, "identity"),
    ("EVT012", lambda a, x: None, "None"),
    ("EVT012", lambda a, x: a + x, "<value of half>"),
    ("EVT012", lambda a, x: (a, a + x), "2 outputs without names"),
    ("EVT012", lambda a, x: [a, a + x], "2 outputs without names"),
    ("EVT012", lambda a, x: (a,), "an output without a name"),
    ("EVT012", lambda a, x: (), "no output"),
    ("EVT012", lambda a, x: {}, ""),
    ("EVT012", lambda a, x: {1: a}, ""),
    ("EVT012", lambda a, x: {"D": 3}, "D … spec … 3"),
    ("EVT012", lambda a, x: {"D": foreign[0]}, ""),
    ("EVT012", lambda a, x: {"r": foreign[1]}, ""),
    ("EVT013", lambda a, x: (ops.row_reduce(a), {"D": a})[1], ""),
    ("EVT013", lambda a, x: (ops.transpose(a), {"D": a})[1], "a transposed … spec"),
    ("EVT009", lambda a, x: {"D": a + ops.transpose(x)}, "a transposed"),
    ("EVT009", lambda a, x: {"D": ops.transpose(2.0)}, "ops.transpose"),
    ("EVT011", lambda a, x: {"D": ops.scatter(a, rows=x)}, "ops.scatter"),
    ("EVT011", lambda a, x: {"D": ops.gather(a, rows=x)}, "ops.gather … Aux"),
    ("EVT017", lambda a, x: {"D": a[:, ::3]}, ""),
    ("EVT017", lambda a, x: {"D": sum(a)}, ""),
    ("EVT017", lambda a, x: {"D": max(a)}, ""),
    ("EVT017", lambda a, x: {"D": x * len(a)}, ""),
    ("EVT017", lambda a, x: {"D": x if 3 in a else a}, ""),
    ("EVT017", lambda a, x: {"D": math.exp(a)}, ""),
    ("EVT017", lambda a, x: {"D": x * int(a)}, ""),
    ("EVT017", lambda a, x: {"D": np.array(a)}, ""),
    ("EVT017", lambda a, x: {"D": x + np.asarray(a, dtype=np.float32)}, ""),
    ("EVT017", lambda a, x: {"D": x + np.array([a, 1.0])[0]}, ""),
    ("EVT011", lambda a, x: {"D": round(a, 2)}, ""),
    ("EVT017", lambda a, x: {"D": x * a.shape[0]}, "shape"),
    ("EVT010", lambda a, x: {"D": a @ x}, "@"),
    ("EVT010", lambda a, x: {"D": a // 2}, "//"),
    ("EVT010", lambda a, x: {"D": 5 % a}, "%"),
    ("EVT011", lambda a, x: {"D": a**math.inf}, "inf"),
    ("EVT011", lambda a, x: {"D": a**0}, "0"),
    ("EVT011", lambda a, x: {"D": a**65}, "65"),
    ("EVT011", lambda a, x: {"D": a**x}, "Python"),
    ("EVT011", lambda a, x: {"D": 2**a}, ""),
]


@pytest.mark.parametrize(
    ("code", "body", "message"), FAILURES, ids=[f"{c}-{i}" for i, (c, _, _) in enumerate(FAILURES)]
)
def test_failures(code: str, body: Callable[..., Any], message: str) -> None:
    (d,) = failure(body)
    says(d, code, message)
    assert d.location is not None and d.location.file == __file__


HELPS: list[tuple[str, Callable[..., Any], str, str]] = [
    ("EVT017", lambda a, x: {"D": math.exp(a)}, "", "math … ops.exp"),
    ("EVT017", lambda a, x: {"D": math.fabs(a)}, "", "math … ops.absolute"),
    ("EVT017", lambda a, x: {"D": math.log2(a)}, "", "ops.log(x)"),
    ("EVT017", lambda a, x: {"D": math.sin(a)}, "", "evt.operator"),
    ("EVT017", lambda a, x: {"D": math.fsum([a, x])}, "", "x.cast"),
    # Another call than that of math asks for a number, or nobody knows which.
    ("EVT017", lambda a, x: {"D": math.sqrt(2) * float(a)}, "", "x.cast"),
    ("EVT017", lambda a, x: {"D": math.exp(2) * math.tanh(a)}, "", "x.cast"),
    ("EVT017", lambda a, x: a.__setitem__(0, x), "", "ops.where"),
    ("EVT012", lambda a, x: {"D": ops.quantize_per_token(a)}, "D … int8", "q, scales ="),
    ("EVT011", lambda a, x: {"D": ops.where(a, x, 0)}, "where takes a mask", ""),
    # What ops has, values need not have.
    ("EVT010", lambda a, x: {"D": a.topk(8)}, "a value has no .topk", "write ops.topk("),
    ("EVT010", lambda a, x: {"D": a.tpok(8)}, "a value has no .tpok", "did you mean topk?"),
    ("EVT010", lambda a, x: {"D": ops.logsumexp(a)}, "ops.logsumexp", "ops.log(ops.col_reduce(ops.exp(x - m)))"),
]


@pytest.mark.parametrize(("code", "body", "message", "help"), HELPS)
def test_what_to_write_instead(code: str, body: Callable[..., Any], message: str, help: str) -> None:
    says(failure(body)[0], code, message, help)


@pytest.mark.parametrize(
    ("given", "help"),
    [(np.float64, "float32"), (float, "float32"), ("fp16", "half"), (bool, "compare"), ("mask", ""), (3, "known are")],
)
def test_types_of_others(given: Any, help: str) -> None:
    with pytest.raises(EvtgenError) as caught:
        Aux[given]
    says(caught.value.diagnostics[0], "EVT007", "Aux", help)


@pytest.mark.parametrize(
    ("single", "short", "narrow"),
    [(np.float32, np.float16, np.int8), (np.dtype("float32"), "float16", "int8"), ("float32", "half", np.dtype("i1"))],
)
def test_types_of_numpy_and_names(single: Any, short: Any, narrow: Any) -> None:
    of_numpy(single, short, narrow)


def test_types_of_torch() -> None:
    torch = pytest.importorskip("torch", reason="needs torch")
    of_numpy(torch.float32, torch.float16, torch.int8)


def of_numpy(single: Any, short: Any, narrow: Any) -> None:
    """Such types are element types wherever a spec takes one."""

    def of_types(single: Any, short: Any, narrow: Any) -> Epilogue:
        def spec(acc: Acc[single], X: Aux[short], s: Scalar[single]) -> Any:
            q, scales = ops.quantize_per_block(ops.cast(X, single) * s + acc, narrow)
            return {"D": (acc + X.cast(single)).cast(short), "q": q, "s": scales, "E": X.to(single).to(short)}

        made: Epilogue = epilogue(spec, gemm=Gemm(a=short, b=short, c=single))
        return made

    assert of_types(single, short, narrow).fields_text() == of_types(float32, half, int8).fields_text()


def test_a_cast_to_what_is_no_type_is_no_cast_to_a_device() -> None:
    says(failure(lambda a, x: {"D": a.to("fp16")})[0], "EVT011", "to … fp16", "")
    assert of(lambda a, x: {"D": a.to("npu:0")}) == of(lambda a, x: {"D": a})


def test_a_cause_comes_without_its_consequences() -> None:
    """int8 and bfloat16 have no arithmetic here (EVT036), but once the operands are cast nothing computes in them."""

    def codes_of(function: Any) -> list[str]:
        return [d.code for d in check(epilogue(function))]

    def first(acc: Acc[float32], X: Aux[bfloat16]) -> Any:
        return {"D": X + acc}

    def chain(acc: Acc[float32], X: Aux[bfloat16], Y: Aux[half]) -> Any:
        return {"D": ops.relu(X * Y + acc)}

    def scalar(acc: Acc[float32], X: Aux[int8], s: Scalar[float32]) -> Any:
        return {"D": X * s + acc}

    def inexact(acc: Acc[int32], X: ColVector[float32]) -> Any:
        return {"D": (acc * X + 1.5).cast(bfloat16)}

    def alike(acc: Acc[float32], X: Aux[bfloat16]) -> Any:
        return {"D": acc, "E": X + X}

    def behind_a_cast(acc: Acc[float32], X: Aux[bfloat16]) -> Any:
        return {"D": (X + acc).cast(int8) + X.cast(int8)}

    assert [codes_of(f) for f in (first, chain, scalar, inexact)] == [["EVT021"]] * 4
    assert codes_of(alike) == ["EVT036"]
    assert codes_of(behind_a_cast)[:1] == ["EVT021"] and "EVT036" in codes_of(behind_a_cast)


def test_a_scale_that_is_none_says_nothing_of_c() -> None:
    """A misspelt scale (EVT190) is no reason to say what C must be (EVT058), as no scale at all is."""

    def stored(acc: Acc[half]) -> Any:
        return {"D": acc}

    def codes(scale: str | None) -> list[str]:
        return [d.code for d in check(replace(epilogue(stored), gemm=evtgen.Gemm(a=int8, b=int8, scale=scale)))]

    assert [codes(scale) for scale in ("columns", None, "column")] == [["EVT190"], ["EVT058"], []]


def test_an_output_needs_a_name_of_its_own() -> None:
    def spec(acc: Acc[half], X: Aux[half]) -> Any:
        return {"X": acc + X}

    says(check(epilogue(spec))[0], "EVT045", "X", "X_out")


def parameters_wrong(function: Any, *expected: tuple[str, str, str]) -> None:
    """What is wrong with the parameters: of each the code, and the names in the message and in the help."""
    with pytest.raises(EvtgenError) as caught:
        epilogue(function)
    for d, (code, names, help) in zip(caught.value.diagnostics, expected, strict=True):
        says(d, code, names, help)
        assert d.location is not None and d.location.file == __file__


def test_parameters_without_an_annotation() -> None:
    def spec(acc, X, r: RowVector[float32], alpha: Scalar, y: float32, z: Aux, eps=1e-6) -> Any:
        return {}

    spec.__annotations__ = {"r": RowVector[float32], "alpha": Scalar, "y": float32, "z": Aux}
    parameters_wrong(
        spec,
        ("EVT007", "acc … spec", "acc: Acc[float32]"),
        ("EVT007", "X … spec", "X: Acc[float32]"),
        ("EVT007", "alpha … spec", "alpha: Scalar[float32]"),
        ("EVT007", "float32 … y … spec", "y: Aux[float32]"),
        ("EVT007", "z … spec", "z: Aux[float32]"),
        ("EVT007", "eps … spec", "eps: Scalar[float32]"),
    )


def test_parameters_with_an_annotation_of_others() -> None:
    def spec(acc: Acc[half], x: np.ndarray, causal: bool = True, eps: float = 1e-6, of=None) -> Any:
        return {}

    del spec.__annotations__["return"]
    parameters_wrong(
        spec,
        ("EVT007", "ndarray is no annotation … x … spec", "x: Aux[half]"),
        ("EVT007", "bool … causal … spec", "causal: Scalar[half] … outside"),
        ("EVT007", "float … eps … spec", "eps: Scalar[half] … outside"),
        ("EVT007", "of … spec … no annotation such as", "of: Aux[half]"),
    )

    def scaled(acc: Acc[half], s: Scalar) -> Any:
        return {}

    parameters_wrong(scaled, ("EVT007", "s … scaled", "s: Scalar[half]"))


def test_parameters_with_stars() -> None:
    def args(acc: Acc[half], *xs: Aux[half]) -> Any:
        return {}

    def kwargs(acc: Acc[half], **kw: Aux[half]) -> Any:
        return {}

    parameters_wrong(args, ("EVT007", "args … *xs", ""))
    parameters_wrong(kwargs, ("EVT007", "kwargs … **kw", ""))


def test_defaults_that_are_none() -> None:
    def spec(acc: Acc[half] = 0.0, X: Aux[half] = None, s: Scalar[float32] = None) -> Any:
        return {}

    parameters_wrong(
        spec,
        ("EVT007", "Acc … acc … spec", "acc: Acc[half]"),
        ("EVT007", "None … X … spec", "X: Aux[half] = 0.0"),
        ("EVT007", "None … s … spec", "= 1.0"),
    )


def test_two_accumulators() -> None:
    def swiglu(gate: Acc[half], up: Acc[half]) -> Any:
        return {"D": ops.silu(gate) * up}

    def third(gate: Acc[half], up: Acc[half], more: Acc[half]) -> Any:
        return {"D": ops.silu(gate) * up * more}

    both = 'gemm=Gemm(accumulators="halves") … "separate" … up: Aux[half]'
    parameters_wrong(swiglu, ("EVT015", "up … swiglu", both))
    for accumulators in ("halves", "separate"):
        gemm = Gemm(accumulators=accumulators)
        loads = [step.node for step in flatten(epilogue(gemm=gemm)(swiglu).root) if isinstance(step.node, AccLoad)]
        assert loads == [AccLoad(half), AccLoad(half, 1)]
        with refused("EVT015", "more … third"):
            epilogue(gemm=gemm)(third)


def test_what_is_decorated_is_a_plain_function() -> None:
    async def awaited(acc: Acc[half]) -> Any:
        return {"D": acc}

    def yielding(acc: Acc[half]) -> Any:
        yield {"D": acc}

    class Spec:
        def __call__(self, acc: Acc[half]) -> Any:
            return {"D": acc}

    def plain(acc: Acc[half]) -> Any:
        return {"D": acc}

    for wrong, name in (
        (awaited, "awaited"), (yielding, "yielding"), (Spec, "Spec"), (Spec(), "Spec"),
        (functools.partial(plain), "partial"), (epilogue(plain), "plain"), (3, "int"),
    ):  # fmt: skip
        parameters_wrong(wrong, ("EVT016", name, ""))


def test_a_wrapped_function_is_traced_through_its_wrapper() -> None:
    def doubled(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return {name: value * 2 for name, value in function(*args, **kwargs).items()}

        return wrapper

    @epilogue
    @doubled
    def spec(acc: Acc[half], X: Aux[half]) -> Any:
        return {"D": acc + X}

    assert compute(spec) == [("Plus", None), ("Muls", 2)] and spec.name == "spec"


def test_the_function_stays_with_its_epilogue() -> None:
    def spec(acc: Acc[half], X: Aux[half]) -> Any:
        return {"D": acc + X}

    e = epilogue(spec)
    assert e.function is spec
    without = replace(e, function=None)
    assert without == e and hash(without) == hash(e) and "function" not in repr(e)
    assert "function" not in to_json([e])["epilogues"][0]
    assert replace(e, name="other").function is spec


def test_annotations_that_are_wrong_in_themselves() -> None:
    for annotation, item in ((Acc, "hlaf"), (Acc, (half, evtgen.RowMajor)), (Aux, (half, 3)), (RowVector, 3)):
        with pytest.raises(EvtgenError) as caught:
            annotation[item]
        assert caught.value.diagnostics[0].code == "EVT007"


def test_a_users_exception_passes_through() -> None:
    with pytest.raises(ZeroDivisionError):
        of(lambda a, x: {"D": a + 1 / 0})


def test_long_chains_are_fast() -> None:
    def body(a: Any, x: Any) -> Any:
        for _ in range(2000):
            a = a + x
        return {"D": a}

    e = of(body)
    assert choose_form(e).root is not None and {d.code for d in check(e)} == {"EVT250"}
