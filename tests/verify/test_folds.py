"""Reductions across columns fold the repeats of a row first: right for any number of columns, by few calls."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from evtgen import Acc, Gemm, epilogue, float32, half, ops
from evtgen.graph.ir import Epilogue, TreeVisitor
from evtgen.model.data import operands
from evtgen.model.execution import OBSERVE, run_once
from evtgen.model.programs import Compilation, require_programs
from evtgen.nodes import AccLoad, ColReduce, ScalarReduce
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

from ..support.changed import verify_changed
from ..support.epilogues import sample_of
from ..support.right import right

WIDE = Gemm(l1=(32, 512, 64), l0=(32, 512, 16))
"""Blocks of so many columns that a row has several pairs of repeats, their number even or odd."""

COLUMNS = (1, 64, 65, 127, 128, 129, 192, 193, 255, 257, 384, 511, 4099)
"""Near all numbers of repeats and of pairs of them."""

OPERATIONS = "add", "max", "min"


def reducing(kind: Any, op: str, T: Any, **options: Any) -> Epilogue:
    name = f"{kind.function}_{op}_{T}"
    neutral = kind("out", op, T).neutral
    return Epilogue(name, TreeVisitor(kind("out", op, T, identity=neutral), AccLoad(T)), gemm=WIDE, **options)


@pytest.mark.cxx
def test_any_number_of_columns() -> None:
    """All lanes of all columns and no other: a row, a few, and more than a tile has."""
    kinds = (ColReduce, half), (ColReduce, float32), (ScalarReduce, float32)
    plans = [lower(reducing(kind, op, T)) for kind, T in kinds for op in OPERATIONS]
    shapes = tuple((rows, columns, 16) for columns in COLUMNS for rows in (1, 35))
    right(verify_plans(plans, Options(shapes=shapes, data="int", together=12)))


@pytest.mark.cxx
def test_a_row_costs_one_repeat_of_the_lanes() -> None:
    """32 rows of 256 columns: an instruction for all pairs, one that joins two of them, and one that reduces lanes."""
    plan = lower(Epilogue("sums", TreeVisitor(ColReduce("out", "add", float32), AccLoad(float32)), buffers=1))
    (program,) = require_programs([plan], Compilation(batch=1)).values()
    done = run_once(program, plan, (64, 256, 16), operands(plan, (64, 256, 16), 0, "int"), OBSERVE)
    assert done.trace is not None
    calls = Counter(event["name"] for event in done.trace.work if done.trace.pipe(event) == "V")
    # Two vector cores, a tile each
    assert calls == {"Add": 4, "WholeReduceSum": 2}


BROKEN = {
    "the lanes that are left over": (
        "\n        for (uint32_t column = pairs * ELE_NUM_PER_PAIR; column < columns;",
        "\n        for (uint32_t column = pairs * ELE_NUM_PER_PAIR; column + 64 < columns;",
    ),
    "a repeat in place of its neighbour": ("source[column + ELE_NUM_PER_REPEAT]", "source[column]"),
    "the last pair": ("pair + step < pairs", "pair + step + 1 < pairs"),
    "the rows of the folds": ("rows, width, width, stride)", "rows, width, width, width)"),
}


@pytest.mark.cxx
@pytest.mark.parametrize("what", sample_of(BROKEN))
def test_a_wrong_fold_is_seen(tmp_path: Path, what: str) -> None:
    plan = lower(reducing(ColReduce, "add", float32))
    change = "catlass/epilogue/fusion/reduce.hpp", *BROKEN[what]
    assert not all(result.ok for result in verify_changed(plan, tmp_path, change, shapes=((3, 449, 16),), data="int"))


@pytest.mark.cxx
def test_a_wrong_fold_of_a_long_row_is_seen(tmp_path: Path) -> None:
    """Tiles of whole rows are so wide that each of their rows is folded with calls of its own."""

    @epilogue
    def without_sum(acc: Acc[float32]) -> Any:
        return {"D": acc - ops.col_reduce(acc, "add")}

    line = "\n            for (uint32_t column = pairs * ELE_NUM_PER_PAIR; column {}< columns;"
    change = "catlass/epilogue/fusion/reduce.hpp", line.format(""), line.format("+ 64 ")
    plan = lower(without_sum)
    assert plan.rows is not None
    assert not all(result.ok for result in verify_changed(plan, tmp_path, change, shapes=((9, 1985, 16),), data="int"))
