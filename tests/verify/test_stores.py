"""Stores of a column, a row and a single value: what they write, what is left out for them, and what breaks them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evtgen.check import check
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor, Visitor
from evtgen.graph.shapes import Problem
from evtgen.graph.types import ElementType, half, int8
from evtgen.nodes import (
    AccLoad,
    AuxLoad,
    AuxStore,
    Cast,
    ColBroadcast,
    ColStore,
    Compute,
    Outputs,
    RowStore,
    ScalarStore,
)
from evtgen.operators.arrays import dtype
from evtgen.planner.plan import lower
from evtgen.reference import evaluate
from evtgen.verify import Options, verify_plans

from ..support.right import right


def stores(value: Visitor, T: ElementType = half) -> TreeVisitor:
    """A value, stored in each of the shapes."""
    kept = TreeVisitor(ColStore("column", T), TreeVisitor(AuxStore("D", T), value))
    return TreeVisitor(ScalarStore("value", T), TreeVisitor(RowStore("row", T), kept))


def total(T: ElementType = half) -> TreeVisitor:
    return TreeVisitor(Compute("Plus", T), AccLoad(T), AuxLoad("X", T))


def narrow(**options: Any) -> Epilogue:
    """Values of one byte, which no instruction of V reduces or copies."""
    return Epilogue("narrow", stores(TreeVisitor(Cast(int8, half, "CAST_RINT"), total()), int8), **options)


def partly() -> Epilogue:
    """Nodes, one of them with a barrier of its own, that only the column needs, or only the row, beside a whole
    matrix."""
    column = TreeVisitor(Compute("Plus", half), AuxLoad("Y", half), ColBroadcast("v", half))
    row = TreeVisitor(Compute("Exp", half), AuxLoad("Z", half))
    whole = TreeVisitor(AuxStore("D", half), total())
    kept = [
        TreeVisitor(ColStore("c", half), TreeVisitor(Compute("Sigmoid", half), column)),
        TreeVisitor(RowStore("r", half), row),
    ]
    return Epilogue("partly", TreeVisitor(Outputs(), whole, *kept))


@pytest.mark.cxx
def test_stores_are_right() -> None:
    """Several blocks in each direction; groups without rows, and one whose rows begin within a tile of all."""
    epilogues = [narrow(gemm=Gemm(group="m")), partly()]
    assert [d for e in epilogues for d in check(e)] == []
    results = verify_plans([lower(e) for e in epilogues], Options(shapes=((87, 300, 40),), strict=True, together=2))
    right(results)


def test_the_reference_takes_the_first() -> None:
    acc, x = (np.arange(20, dtype=dtype(half)).reshape(5, 4) * s for s in (1, 3))
    problem = Problem((2, 0, 3), 4, 1)
    given = evaluate(lower(narrow(gemm=Gemm(group="m"))), acc, {"X": x}, problem)
    whole = given["D"]
    assert np.array_equal(given["column"], whole[:, :1])
    assert np.array_equal(given["row"][[0, 2]], whole[[0, 2]]) and np.array_equal(
        given["value"][[0, 2]], whole[[0, 2], :1]
    )
