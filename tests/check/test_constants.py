"""EVT039 of operators with several constants, or with defaults, and their near misses."""

from __future__ import annotations

from typing import Any

import pytest

from evtgen.check import check
from evtgen.graph.ir import Epilogue, TreeVisitor
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
