"""The kernel for matmuls of one shape: several of them may take one matrix."""

from __future__ import annotations

from pathlib import Path

import pytest

from evtgen import Acc, Aux, ColumnMajor, ColVector, Gemm, RowVector, ScalarTensor, float32, half
from evtgen import epilogue as traced
from evtgen.planner.plan import lower

from ..support.changed import verify_changed
from ..support.epilogues import sample_of

KERNEL = "catlass/gemm/kernel/batched_matmul_visitor.hpp"
NODES = "catlass/epilogue/fusion"


@traced(gemm=Gemm(batch=True, accumulators="separate"))
def loads(
    acc: Acc[float32],
    other: Acc[float32],
    X: Aux[half],
    Y: Aux[half, ColumnMajor],
    row: RowVector[float32],
    col: ColVector[float32],
    one: ScalarTensor[float32],
):
    return {"D": acc + other * X.cast(float32) + Y.cast(float32) + row + col + one}


@pytest.mark.cxx
@pytest.mark.parametrize(
    ("path", "old"),
    sample_of(
        [
            (KERNEL, "index / repeatA * strideA"),
            (KERNEL, "index / repeatB * strideB;"),
            (KERNEL, "index / repeatB * strideB2"),
            (f"{NODES}/problem.hpp", "(problem.index / repeat)"),
        ]
    ),
)
def test_a_matrix_that_is_not_taken_again_is_seen(path: str, old: str, tmp_path: Path) -> None:
    new = old.replace(" / repeatA", "").replace(" / repeatB", "").replace(" / repeat", "")
    (result,) = verify_changed(lower(loads), tmp_path, (path, old, new), 1, shapes=((20, 17, 5),), data="int")
    assert not result.ok and "repeat" not in str(result.error)


@pytest.mark.cxx
@pytest.mark.parametrize("node", sample_of(["row_broadcast", "col_broadcast", "scalar_broadcast"]))
def test_a_vector_that_is_not_taken_again_is_seen(node: str, tmp_path: Path) -> None:
    change = (f"{NODES}/visitor_{node}.hpp", ", params.problem_repeat)", ")")
    (result,) = verify_changed(lower(loads), tmp_path, change, 1, shapes=((20, 17, 5),), data="int")
    assert not result.ok


@pytest.mark.cxx
@pytest.mark.parametrize("places", [1, 2])
def test_a_tensor_that_is_not_taken_again_is_seen(places: int, tmp_path: Path) -> None:
    """The load of rows, and that of columns, too."""
    plan, part = (
        lower(loads),
        ("problem, params.problem_repeat", "problem"),
    )
    change = (f"{NODES}/visitor_aux_load.hpp", *part)
    (result,) = verify_changed(plan, tmp_path, change, None if places == 1 else 2, shapes=((20, 17, 5),), data="int")
    assert not result.ok
