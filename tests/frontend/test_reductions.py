"""Reductions as operands of traced functions: the graphs they make, their types, and what they give in numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import evtgen
from evtgen import Acc, Aux, Epilogue, Gemm, RowVector, TopologicalVisitor, bfloat16, float32, half, int8, int32, ops
from evtgen.check import check
from evtgen.diagnostics.diagnostic import Diagnostic, EvtgenError, source_text
from evtgen.graph.ir import flatten
from evtgen.operators.arrays import dtype
from evtgen.reference import evaluate

epilogue: Any = evtgen.epilogue


def of(body: Callable[..., Any], T: Any = float32, **options: Any) -> Epilogue:
    """The epilogue of a function of the accumulator and X."""

    def spec(acc: Acc[T], X: Aux[T]) -> Any:
        return body(acc, X)

    result = epilogue(**options)(spec)
    assert isinstance(result, Epilogue)
    return result


def graph(e: Epilogue) -> list[str]:
    """Each node but loads as ``kind(inputs)``, in order."""
    assert isinstance(e.root, TopologicalVisitor)
    names = [
        f"{type(op).__name__ if 'Reduce' in type(op).__name__ else getattr(op, 'op', None) or type(op).__name__}"
        for op in e.root.ops
    ]
    return [f"{n}{list(i)}" for n, i in zip(names, e.root.edges, strict=True) if "Load" not in n]


BODIES: list[tuple[Callable[..., Any], list[str]]] = [
    (lambda a, x: x - ops.col_reduce(a, "max"), ["ColReduced[0]", "Minus[1, 2]"]),
    (lambda a, x: ops.col_reduce(a, "max") - x, ["ColReduced[0]", "Minus[2, 1]"]),
    (lambda a, x: x + 2 / ops.row_reduce(a), ["RowReduced[0]", "RDivs[2]", "Plus[1, 3]"]),
    (lambda a, x: x * -ops.scalar_reduce(a), ["ScalarReduced[0]", "Negate[2]", "Multiplies[1, 3]"]),
    (lambda a, x: ops.maximum(ops.row_reduce(a), x), ["RowReduced[0]", "Maximum[2, 1]"]),
    (lambda a, x: ops.where(x > ops.col_reduce(a, "mean"), a, x),
     ["ColReduced[0]", "Less[2, 1]", "Where[3, 0, 1]"]),
    (lambda a, x: np.exp(ops.col_reduce(a)) * x, ["ColReduced[0]", "Exp[2]", "Multiplies[3, 1]"]),
    (lambda a, x: np.maximum(x, ops.col_reduce(a)), ["ColReduced[0]", "Maximum[1, 2]"]),
    (lambda a, x: ops.col_reduce(a).sqrt() + x, ["ColReduced[0]", "Sqrt[2]", "Plus[3, 1]"]),
    (lambda a, x: ops.col_reduce(a).cast(int32).cast(float32) + x,
     ["ColReduced[0]", "Cast[2]", "Cast[3]", "Plus[4, 1]"]),
    (lambda a, x: ops.row_reduce(ops.col_reduce(a)) + x, ["ColReduced[0]", "RowReduced[2]", "Plus[3, 1]"]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), BODIES, ids=map(str, range(len(BODIES))))
def test_a_reduction_is_an_operand(body: Callable[..., Any], expected: list[str]) -> None:
    e = of(lambda a, x: {"D": body(a, x)})
    assert check(e) == []
    assert graph(e) == [*expected, f"AuxStore[{len(expected) + 1}]"]


def test_it_is_one_node_however_often_it_is_read() -> None:
    def body(a: Any, x: Any) -> Any:
        high = ops.col_reduce(a, "max")
        return {"D": (a - high) * high + x}

    assert graph(of(body)) == ["ColReduced[0]", "Minus[0, 2]", "Multiplies[3, 2]", "Plus[4, 1]", "AuxStore[5]"]


def test_what_crosses_is_float32_or_int32() -> None:
    def types(T: Any, **options: Any) -> list[str]:
        return graph(of(lambda a, x: {"D": ops.row_reduce(a, "max") + x}, T, **options))

    wide = ["Cast[0]", "RowReduced[2]", "Cast[3]", "Plus[4, 1]", "AuxStore[5]"]
    assert types(half) == wide
    assert types(float32) == ["RowReduced[0]", "Plus[2, 1]", "AuxStore[3]"]
    assert types(int32, gemm=Gemm(int8, int8)) == ["RowReduced[0]", "Plus[2, 1]", "AuxStore[3]"]
    # What was computed in a wider type is reduced in that, and stays in it.
    e = of(lambda a, x: {"D": (a * x) / ops.col_reduce(a * x)}, bfloat16, auto_cast=True)
    assert "Cast" not in graph(e)[-3]
    casts = ops_of(of(lambda a, x: {"D": ops.row_reduce(a).cast(half)}, bfloat16), "Cast")
    assert [(op.from_, op.to) for op in casts] == [(bfloat16, float32), (float32, half)], "rounded once"


def ops_of(e: Epilogue, kind: str) -> list[Any]:
    assert isinstance(e.root, TopologicalVisitor)
    return [op for op in e.root.ops if type(op).__name__ == kind]


def test_values() -> None:
    """A softmax as it is written in numpy, and sums of halves that half does not hold."""

    def body(a: Any, x: Any) -> Any:
        e = ops.exp(a - ops.col_reduce(a, "max"))
        return {"D": e / ops.col_reduce(e), "mean": x - ops.scalar_reduce(x, "mean"), "r": x / ops.row_reduce(x)}

    rng = np.random.default_rng(7)
    a, x = (rng.normal(size=(5, 9), scale=s).astype(np.float32) for s in (30, 1))
    given = evaluate(of(body), a, {"X": x})
    e = np.exp(np.float64(a) - a.max(1, keepdims=True))
    expected = {
        "D": e / e.sum(1, keepdims=True),
        "mean": x - x.mean(dtype=np.float64),
        "r": x / x.sum(0, dtype=np.float64),
    }
    for name, values in expected.items():
        np.testing.assert_allclose(given[name], values, rtol=2e-6, atol=1e-7)
    many = np.full((600, 2), 300, np.float16)
    (mean,) = evaluate(of(lambda a, x: {"D": ops.row_reduce(a, "mean") + 0 * x}, half), many, {"X": many}).values()
    assert (mean == 300).all(), "the sum of 600 times 300 is infinite in half"


def test_one_that_is_only_returned_joins_what_the_caller_filled() -> None:
    e = of(lambda a, x: {"D": a + x, "r": ops.row_reduce(a + x, "max", identity=1.0)})
    (node,) = ops_of(e, "RowReduce")
    assert node.identity == 1.0 and not ops_of(e, "RowReduced")


def failure(body: Callable[..., Any]) -> Diagnostic:
    with pytest.raises(EvtgenError) as caught:
        of(body)
    (diagnostic,) = caught.value.diagnostics
    return diagnostic


def test_an_operand_has_no_identity() -> None:
    def body(a: Any, x: Any) -> Any:
        total = ops.col_reduce(a, identity=0.0)
        return {"D": x / total}

    found = failure(body)
    assert found.code == "EVT200" and found.location is not None
    assert source_text(found.location) == 'return {"D": x / total}'
    assert "ColReduce[0]" in graph(of(lambda a, x: {"D": x, "r": ops.col_reduce(a, identity=0.0)}))


def formulas(a: Any, w: Any, b: Any) -> dict[str, Any]:
    """Each function in float64, by no code of evtgen's."""
    rows = {"axis": 1, "keepdims": True}
    raised, power = np.exp(a - a.max(**rows)), np.mean(a * a, **rows)
    centred = a - a.mean(**rows)
    return {
        "softmax": raised / raised.sum(**rows),
        "columns": np.exp(a - a.max(0)) / np.exp(a - a.max(0)).sum(0),
        "log_softmax": a - a.max(**rows) - np.log(raised.sum(**rows)),
        "rms": a / np.sqrt(power + 1e-6) * w,
        "layer": centred / np.sqrt(np.mean(centred**2, **rows) + 1e-3) * w + b,
        "plain": centred / np.sqrt(np.mean(centred**2, **rows) + 1e-5),
    }


def composed(a: Any, w: Any, b: Any) -> dict[str, Any]:
    return {
        "softmax": ops.softmax(a), "columns": ops.softmax(a, axis=0), "log_softmax": ops.log_softmax(a),
        "rms": ops.rms_norm(a, w), "layer": ops.layer_norm(a, w, b, eps=1e-3), "plain": ops.layer_norm(a),
    }  # fmt: skip


@pytest.mark.parametrize(("T", "rtol"), [(half, 2e-3), (bfloat16, 1e-2), (float32, 2e-6)], ids=str)
def test_functions_made_of_reductions(T: Any, rtol: float) -> None:
    def spec(acc: Acc[T], w: RowVector[T], b: RowVector[T]) -> Any:
        return composed(acc, w, b)

    e = epilogue(spec)
    assert check(e) == []
    rng = np.random.default_rng(3)
    a, w, b = ((rng.normal(size=(rows, 21)) * s).astype(dtype(T)) for rows, s in ((4, 20), (1, 1), (1, 1)))
    a[0] = 0
    a[1] *= 100  # squares that half does not hold
    given = evaluate(e, a, {"w": w, "b": b})
    for name, values in formulas(*(x.astype(np.float64) for x in (a, w, b))).items():
        assert given[name].dtype == a.dtype
        np.testing.assert_allclose(given[name].astype(np.float64), values, rtol=rtol, atol=1e-6, err_msg=name)


def test_nothing_overflows_or_cancels() -> None:
    def run(body: Callable[..., Any], a: Any, T: Any) -> Any:
        (only,) = evaluate(of(lambda acc, x: {"D": body(acc) + 0 * x}, T), a, {"X": np.zeros_like(a)}).values()
        return only.astype(np.float64)

    far = np.array([[60000, 59000, -60000]], np.float16)
    assert run(ops.softmax, far, half).tolist() == [[1, 0, 0]]
    np.testing.assert_allclose(run(ops.rms_norm, far, half), [[1.006, 0.99, -1.006]], rtol=2e-3)
    near = np.float32(1e4) + np.arange(8, dtype=np.float32).reshape(1, 8) / 16
    exact = (near - near.mean(dtype=np.float64)) / near.std(dtype=np.float64)
    np.testing.assert_allclose(run(lambda x: ops.layer_norm(x, eps=1e-12), near, float32), exact, rtol=1e-5)


def test_quantisation() -> None:
    def body(a: Any, x: Any) -> Any:
        (values, scales), (all_values, scale) = ops.quantize_per_token(a + x), ops.quantize_per_tensor(a + x)
        return {"q": values, "s": scales, "Q": all_values, "S": scale}

    a = np.random.default_rng(5).normal(size=(5, 40), scale=3).astype(np.float16)
    a[2] = 0
    given = evaluate(of(body, half), a, {"X": np.zeros_like(a)})
    shapes = {name: (values.shape, str(values.dtype)) for name, values in given.items()}
    assert shapes == {
        "q": ((5, 40), "int8"), "s": ((5, 1), "float32"), "Q": ((5, 40), "int8"), "S": ((1, 1), "float32")
    }  # fmt: skip
    largest = abs(a).max(1, keepdims=True).astype(np.float64)
    np.testing.assert_allclose(given["s"], np.maximum(largest / 127, 2.0**-120), rtol=1e-6)
    np.testing.assert_allclose(given["S"], largest.max() / 127, rtol=1e-6)
    assert abs(given["q"]).max(1).tolist() == [127, 127, 0, 127, 127] and abs(given["Q"]).max() == 127
    for values, scale in ((given["q"], given["s"]), (given["Q"], given["S"])):
        assert (abs(values * scale - a) <= scale * 0.5001).all()


def test_squares_and_magnitudes() -> None:
    """As operands they are computed in float32, as outputs in the value's own type."""

    def body(a: Any, x: Any) -> Any:
        squares, most = ops.col_reduce(a, "sum_of_squares"), ops.row_reduce(a, "amax")
        return {"D": (x / squares.cast(float32)).cast(half) + most, "m": ops.scalar_reduce(a, "amax")}

    e = of(lambda a, x: body(a, x.cast(float32)), half)
    assert check(e) == []
    assert [op.op for kind in ("ColReduced", "RowReduced", "ScalarReduce") for op in ops_of(e, kind)] == [
        "Plus", "Maximum", "Maximum"
    ]  # fmt: skip
    a = np.array([[300, -2], [1, 3]], np.float16)  # 300^2 is infinite in half
    given = evaluate(e, a, {"X": a, "m": a})
    exact = a.astype(np.float64)
    np.testing.assert_allclose(
        given["D"], exact / (exact**2).sum(1, keepdims=True) + abs(exact).max(0, keepdims=True), rtol=1e-3
    )
    assert given["m"] == 300


SHAPES: list[tuple[Callable[..., Any], str]] = [
    (lambda a, x: ops.col_reduce(a) * 2.0, "ColStore"),
    (lambda a, x: ops.row_reduce(a, "mean").cast(half), "RowStore"),
    (lambda a, x: ops.sqrt(ops.scalar_reduce(a)), "ScalarStore"),
    (lambda a, x: ops.col_reduce(a) / ops.scalar_reduce(a), "ColStore"),
    (lambda a, x: ops.row_reduce(a) / ops.scalar_reduce(a), "RowStore"),
    (lambda a, x: ops.row_reduce(a) * ops.col_reduce(a), "AuxStore"),
    (lambda a, x: ops.col_reduce(a) * x, "AuxStore"),
    (lambda a, x: ops.where(ops.col_reduce(a) > 0, 1.0, 0.0), "ColStore"),
]


@pytest.mark.parametrize(("body", "kind"), SHAPES, ids=map(str, range(len(SHAPES))))
def test_an_output_has_the_shape_of_its_reductions(body: Callable[..., Any], kind: str) -> None:
    e = of(lambda a, x: {"D": body(a, x), "E": a + x})
    assert check(e) == [] and [type(op).__name__ for op in ops_of(e, kind) if op.name == "D"] == [kind]


def test_a_reduction_that_is_an_operand_and_an_output_is_stored() -> None:
    def body(a: Any, x: Any) -> Any:
        most = ops.col_reduce(a, "max")
        return {"D": x - most, "most": most}

    e = of(body)
    assert [op.name for op in ops_of(e, "ColStore")] == ["most"] and not ops_of(e, "ColReduce")
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    assert evaluate(e, a, {"X": a})["most"].tolist() == [[2], [5]]


def test_a_reduction_is_no_condition() -> None:
    assert failure(lambda a, x: {"D": a if ops.col_reduce(x) else x}).code == "EVT008"


@pytest.mark.parametrize("function", [ops.softmax, ops.rms_norm, ops.layer_norm])
def test_what_is_rounded_to_16_bits_is_divided_once_a_row(function: Callable[[Any], Any]) -> None:
    def operators(T: Any) -> set[Any]:
        steps = flatten(of(lambda a, x: {"D": function(a) + x}, T).root)
        return {getattr(step.node, "op", None) for step in steps}

    for T in (half, bfloat16):
        assert "RDivs" in operators(T) and "Divides" not in operators(T)
    assert "Divides" in operators(float32) and "RDivs" not in operators(float32)


def test_what_does_not_compute_with_a_type_need_not_write_it() -> None:
    """EVT036 is the cause; that neither a mask nor uint8 could be written (EVT060, EVT040) would follow from it."""
    masked = of(lambda acc, X: {"D": acc, "R": ops.row_reduce(acc > X, "add")})
    assert [d.code for d in check(masked)] == ["EVT036"]
    assert [d.code for d in check(of(lambda acc, X: {"D": acc > X}))] == ["EVT060"]
    narrow = of(lambda acc, X: {"D": acc, "R": ops.row_reduce(X.cast(int8), "add")}, T=half)
    assert [d.code for d in check(narrow)] == ["EVT036"]
