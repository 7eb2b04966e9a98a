"""Reductions as operands of traced functions: the graphs they make, their types, and what they give in numpy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import evtgen
from evtgen import Acc, Aux, Epilogue, Gemm, TopologicalVisitor, bfloat16, float32, half, int8, int32, ops
from evtgen.diagnostics.diagnostic import Diagnostic, EvtgenError, source_text
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
    rounds = {op.round for op in ops_of(of(lambda a, x: {"D": ops.row_reduce(a).cast(half)}, bfloat16), "Cast")}
    assert rounds == {"CAST_NONE", "CAST_RINT"}


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


def test_a_reduction_is_no_condition() -> None:
    assert failure(lambda a, x: {"D": a if ops.col_reduce(x) else x}).code == "EVT008"
