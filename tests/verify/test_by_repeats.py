"""Operators that read a row or a column where it lies: right at any shape, and nothing is copied for them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evtgen import Acc, ColVector, Epilogue, RowVector, TreeVisitor, epilogue, float32, half, ops
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files
from evtgen.graph.shapes import TensorShape
from evtgen.graph.types import int32
from evtgen.model.data import operands
from evtgen.model.execution import OBSERVE, run_once
from evtgen.model.programs import Compilation, require_programs
from evtgen.nodes import AccLoad, ColStore, Compute, RowBroadcast
from evtgen.planner.plan import Plan, lower
from evtgen.verify import Options, verify_plans

from ..support.changed import verify_changed
from ..support.epilogues import sample_of
from ..support.right import right

ROW, COLUMN, TILE = TensorShape.ROW, TensorShape.COLUMN, TensorShape.MATRIX

SHAPES = ((1, 1, 16), (1, 65, 16), (65, 1, 16), (130, 65, 16), (70, 300, 16), (9, 4099, 16))


@epilogue
def sides(acc: Acc[float32], row: RowVector[float32], column: ColVector[float32]) -> Any:
    """Both kinds of vectors on both sides of what is not symmetric."""
    return {"D": (row - acc) / (ops.absolute(column) + 1.0) + (column - (acc - row))}


@epilogue
def halves(acc: Acc[half], row: RowVector[half] = 2.0, column: ColVector[half] = 1.0) -> Any:
    """16-bit elements, and pointers that may be null."""
    return {"D": ops.maximum(acc * row, column)}


@epilogue
def whole(acc: Acc[int32], row: RowVector[int32], column: ColVector[int32]) -> Any:
    return {"D": ops.minimum(acc + row, column)}


@epilogue
def outer(acc: Acc[float32], row: RowVector[float32], column: ColVector[float32]) -> Any:
    """No input of the product is a tile."""
    return {"D": acc + column * row}


@epilogue
def copied(acc: Acc[float32], row: RowVector[float32], column: ColVector[float32]) -> Any:
    """Somebody reads whole tiles of the vectors."""
    return {"D": ops.where(acc > row, column, acc) * row + column}


first = Epilogue(
    "first",
    TreeVisitor(
        ColStore("column", float32),
        TreeVisitor(Compute("Plus", float32), AccLoad(float32), RowBroadcast("row", float32)),
    ),
)
"""Only the first column is read of a tile."""

EVERY = (sides, halves, whole, outer, copied)


def reads(plan: Plan) -> list[tuple[TensorShape, ...]]:
    """What the operators of a plan read where it lies."""
    return [step.node.reads for step in plan.steps if isinstance(step.node, Compute) and step.node.reads]


def test_what_is_read_where_it_lies() -> None:
    assert sorted(map(str, reads(lower(outer)))) == sorted(map(str, [(COLUMN, ROW)]))
    assert (ROW, TILE) in reads(lower(sides)) and (TILE, ROW) in reads(lower(sides))
    assert (COLUMN, TILE) in reads(lower(sides)) and (TILE, COLUMN) in reads(lower(sides))
    assert reads(lower(copied)) == reads(lower(first)) == []


@pytest.mark.cxx
def test_any_shape() -> None:
    right(verify_plans([lower(one) for one in EVERY], Options(shapes=SHAPES, strict=True, together=5)))


@pytest.mark.cxx
def test_nothing_is_computed_unread() -> None:
    """Within a block: nobody reads the blocks of C to the right of a column."""
    right(verify_plans([lower(first)], Options(shapes=((130, 200, 16),), strict=True)))


@pytest.mark.cxx
def test_nothing_is_copied() -> None:
    """A tile of 64 x 256: a call for each repeat of a row, and one that spreads the column over data blocks."""

    @epilogue(buffers=1, compute_length=64 * 256)
    def affine(acc: Acc[float32], row: RowVector[float32], column: ColVector[float32]) -> Any:
        return {"D": acc * column + row}

    plan, shape = lower(affine), (128, 256, 16)
    (program,) = require_programs([plan], Compilation(batch=1)).values()
    done = run_once(program, plan, shape, operands(plan, shape, 0, "int"), OBSERVE)
    assert done.trace is not None
    calls = Counter(event["name"] for event in done.trace.work if done.trace.pipe(event) == "V")
    # Two vector cores
    assert calls == {"Brcb": 2, "Mul": 8, "Add": 8}


BROKEN = {
    "the second row": ("HELD == Held::COLUMN ? 1 : 0", "HELD == Held::COLUMN ? 1 : 1"),
    "the value of the first row": ("HELD == Held::COLUMN ? 1 : 0", "0"),
    "more than a value": ("HELD == Held::COLUMN ? 0 : 1", "1"),
    "the first columns": ("return input[column];", "return input;"),
}


@pytest.mark.cxx
@pytest.mark.parametrize("what", sample_of(BROKEN))
def test_a_wrong_stride_is_seen(tmp_path: Path, what: str) -> None:
    change = "catlass/epilogue/fusion/visitor_by_repeats.hpp", *BROKEN[what]
    results = verify_changed(lower(outer), tmp_path, change, shapes=((9, 150, 16),))
    assert not all(result.ok for result in results)


def test_a_header_names_what_it_reads() -> None:
    text = " ".join("".join(epilogue_files(lower(sides), Framework()).values()).split())
    assert (
        "VisitorByRepeats<Fusion::VisitorCompute<Fusion::Minus, float>, Fusion::Held::ROW, Fusion::Held::TILE>" in text
    )
