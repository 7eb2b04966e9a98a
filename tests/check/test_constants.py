"""EVT039 of operators with several constants, or with defaults, and their near misses."""

from __future__ import annotations

from typing import Any

import pytest

from evtgen.check import check
from evtgen.diagnostics.diagnostic import render
from evtgen.graph.ir import Epilogue, Gemm, TopologicalVisitor, TreeVisitor
from evtgen.graph.types import half
from evtgen.nodes import AccLoad, AuxStore, Compute


def scaled(op: str, scalar: Any) -> Epilogue:
    return Epilogue("e", TreeVisitor(AuxStore("D", half), TreeVisitor(Compute(op, half, scalar), AccLoad(half))))


@pytest.mark.parametrize(
    ("op", "wrong", "message", "right"),
    [
        ("Clamp", (0.0,), "needs the scalars (low, high)", (0.0, 1.0)),
        ("Clamp", (0.0, 1e6), "1000000.0 would become inf in half", (0.0, 6e4)),
        ("Elu", (1.0, 2.0), "needs a scalar", None),
        ("Swish", 1e300, "1e+300 would become inf in float32", 1e6),
    ],
)
def test_constants(op: str, wrong: Any, message: str, right: Any) -> None:
    found = check(scaled(op, wrong))
    assert [d.code for d in found] == ["EVT039"] and message in found[0].message
    assert check(scaled(op, right)) == []


PLAIN = TreeVisitor(AuxStore("D", half), AccLoad(half))
LONG = 10**5000
NEST: list[Any] = []
NEST += [NEST, NEST]


class Odd:
    def __repr__(self) -> str:
        raise ValueError


@pytest.mark.parametrize(
    ("made", "code"),
    [
        (scaled("Muls", LONG), "EVT020"),
        (Epilogue("e", PLAIN, buffers=LONG), "EVT020"),
        (Epilogue("e", PLAIN, gemm=Gemm(l1=(LONG, 16, 16))), "EVT020"),
        (Epilogue("e", TopologicalVisitor([[], [LONG]], (AccLoad(half), AuxStore("D", half)))), "EVT023"),
        (Epilogue("e", PLAIN, buffers=Odd()), "EVT020"),  # type: ignore[arg-type]
        (Epilogue("e", PLAIN, arguments=NEST), "EVT057"),
        (Epilogue("e", PLAIN, arguments=[LONG, {}]), "EVT057"),
    ],
)
def test_values_that_nobody_can_print(made: Epilogue, code: str) -> None:
    """Nothing but a diagnostic comes of a number of thousands of digits, of a list in itself or of a failing repr."""
    found = check(made)
    assert code in [d.code for d in found] and len(render(found)) < 10_000
