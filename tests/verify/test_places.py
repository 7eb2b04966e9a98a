"""Rows by their numbers: a gather gives 0 where there is no such row, and a scatter leaves it out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import Acc, Aux, ColVector, Gemm, float32, half, int32, ops
from evtgen.kernels import Matmuls
from evtgen.model.data import operands
from evtgen.pipeline.run import Compiled, Reference
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

from ..support.changed import verify_changed
from ..support.epilogues import ARCHES, random_orders, sample_of
from ..support.right import right
from ..support.said import refused
from ..support.wide import in_orders

GATHER, SCATTER = (f"catlass/epilogue/fusion/visitor_aux_{node}.hpp" for node in ("gather", "scatter"))


@evt.epilogue
def combine(  # type: ignore[no-untyped-def]
    acc: Acc[float32],
    X: Aux[half],
    taken: ColVector[int32],
    put: ColVector[int32],
):
    y = acc + ops.gather(X, rows=taken).cast(float32)
    return {"D": ops.scatter(y.cast(half), rows=put), "E": y}


def test_the_data_have_numbers_of_no_row() -> None:
    """Negative ones, and one beyond those that there is room for; at every size of more than one row."""
    plan = lower(replace(combine, gemm=Gemm(group="m")))
    problem = plan.kernel.problem((87, 5, 4), Matmuls())
    assert problem.room
    for m in (problem.m, 3, 2):
        numbers = operands(plan, replace(problem, rows=(m,)), 0, "int").inputs["taken"]
        none = numbers[(numbers < 0) | (numbers >= m)]
        assert len(none) == -(-m // 8) and len(np.unique(numbers[(numbers >= 0) & (numbers < m)])) == m - len(none)
    numbers = operands(plan, problem, 0, "int").inputs["taken"]
    assert {-1, problem.m + problem.room, np.iinfo(np.int32).min} < set(numbers[:, 0].tolist())


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("buffers", [1, 2])
def test_rows_that_are_not_there(arch: str, buffers: int) -> None:
    plan = lower(replace(combine, arch=arch, buffers=buffers))
    results = right(in_orders([plan], Options(strict=True, schedules=random_orders(arch))))
    assert not any(one.hazards for one in results)


def test_from_python() -> None:
    a, b, X = np.ones((4, 3)), np.ones((3, 5)), np.arange(20.0).reshape(4, 5) + 1
    found = evt.run(combine, a, b, X=X, taken=np.array([0, -1, 4, 3]), put=np.array([-1, 2, 0, 2**31 - 1]))
    assert np.array_equal(found["E"], 3 + X * [[1], [0], [0], [1]] + (X[3] - X[3]))
    assert np.array_equal(found["D"][[2, 0]], found["E"][[1, 2]]) and not found["D"][[1, 3]].any()


@evt.epilogue
def summed(  # type: ignore[no-untyped-def]
    acc: Acc[float32],
    X: Aux[half],
    put: ColVector[int32],
):
    y = acc + ops.cast(X, float32)
    return {"D": ops.scatter(y, rows=put, add=True), "E": y}


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ["AtlasA2", "Ascend950"])
def test_rows_that_are_added_up(arch: str) -> None:
    plan = lower(replace(summed, arch=arch))
    numbers = operands(plan, (87, 5, 4), 0, "int").inputs["put"][:, 0]
    assert np.bincount(numbers[(numbers >= 0) & (numbers < 87)]).max() > 2 and (numbers < 0).any()
    # Sums of whole numbers are the same in any order.
    results = right(verify_plans([plan], Options(shapes=((300, 198, 40), (3, 7, 5)), strict=True, schedules=1, pad=3)))
    assert any("D" in one.float_atomics for one in results)


@pytest.mark.cxx
def test_rows_are_added_to_what_is_there() -> None:
    """The experts' results of each token, added to what all tokens share; a number of no row is left out."""
    rng = np.random.default_rng(1)
    a, b, X, base = (rng.integers(-4, 5, size).astype(float) for size in ((9, 3), (3, 5), (9, 5), (9, 5)))
    put = np.array([2, 0, 2, 2, -1, 8, 0, 9, 7])
    meant = base.copy()
    np.add.at(meant, put[put % 10 < 9], (a @ b + X)[put % 10 < 9])
    found = evt.run(summed, a, b, X=X, put=put, D=base)
    assert np.array_equal(found["D"], meant) and np.array_equal(found["E"], a @ b + X)
    found = evt.run(summed, a, b, X=X, put=put)
    assert np.array_equal(found["D"], meant - base)
    # Fewer tokens than rows: others are left out
    for run in (Compiled(summed), Reference(summed)):
        assert np.array_equal(run(a, b, X=X, put=put, D=base[:3])["D"], meant[:3])
        out = np.zeros((3, 5), np.float32)
        run(a, b, X=X, put=put, out={"D": out})
        assert np.array_equal(out, meant[:3] - base[:3])
    with refused("EVT187", "(9, 5)"):
        evt.run(summed, a, b, X=X, put=put, D=np.zeros((10, 5)))


ADDED = {
    "rows that replace others": "AscendC::SetAtomicAdd<Element>();",
    "all that follows is added": "AscendC::SetAtomicNone();",
    "two rows at once": "AscendC::PipeBarrier<PIPE_MTE3>();",
}


@pytest.mark.cxx
@pytest.mark.parametrize("change", sample_of(ADDED))
def test_what_goes_wrong_with_sums_is_found(tmp_path: Path, change: str) -> None:
    without = (SCATTER, ADDED[change], "")
    results = verify_changed(lower(summed), tmp_path, without, 1, shapes=((300, 198, 16),), data="normal", strict=True)
    assert results and not any(one.ok for one in results)


IN_ORDER = "catlass/epilogue/fusion/visitor_scatter_in_order.hpp"


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ["AtlasA2", "Ascend950"])
def test_rows_are_added_up_in_a_fixed_order(arch: str) -> None:
    """With the same bits on one, two and 24 cores; also rows in several pieces."""
    plan = lower(replace(summed, arch=arch, deterministic=True))
    results = right(verify_plans([plan], Options(shapes=((300, 198, 40), (3, 7, 5), (5, 16400, 16)), strict=True)))
    assert all(one.ordered and not one.float_atomics for one in results)


@pytest.mark.cxx
def test_parts_of_rows_are_added_up_in_a_fixed_order() -> None:
    @evt.epilogue(deterministic=True)
    def part(acc: Acc[float32], put: ColVector[int32]) -> Any:
        value: Any = acc
        return {"D": ops.scatter(value[:, 64:192], rows=put, add=True), "E": ops.scatter(acc, rows=put, add=True)}

    right(verify_plans([lower(part)], Options(shapes=((87, 198, 40),), strict=True)))


@pytest.mark.cxx
@pytest.mark.parametrize("gemm", [Gemm(), Gemm(group="m")], ids=["one", "groups"])
def test_that_order_is_that_of_the_rows(gemm: Gemm) -> None:
    rng = np.random.default_rng(3)
    a, b, X, base = (rng.standard_normal(size).astype(np.float16) for size in ((90, 3), (3, 5), (90, 5), (90, 5)))
    put = rng.integers(-1, 4, 90)
    kernel = evt.compile(replace(summed, gemm=gemm, deterministic=True))
    groups: Any = {} if gemm.group is None else {"groups": [20, 0, 60]}
    count = sum(groups.get("groups", [90]))
    b = b if gemm.group is None else np.stack([b, -b, b])
    found = kernel(a, b, X=X, put=put, D=base, **groups)
    rows = np.flatnonzero(put[:count] >= 0)
    meant = base.astype(np.float32)
    for row in rows:
        meant[put[row]] += found["E"][row]
    assert found["D"][:count].tobytes() == meant[:count].tobytes()
    backwards = base.astype(np.float32)
    np.add.at(backwards, put[rows[::-1]], found["E"][rows[::-1]])
    assert (backwards != meant).any()


ORDERED = {
    "no row is added": ("static constexpr bool IN_ORDER = true;", "static constexpr bool IN_ORDER = false;"),
    "all cores add all": ("% aivs == own", "% aivs != aivs"),
    "shares of the rows of C": ("target % aivs == own", "row % aivs == own"),
    "the first row is left out": ("uint32_t row = problem.firstRow;", "uint32_t row = problem.firstRow + 1;"),
    "added before it is loaded": ("AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE3>(slot);", ""),
    "loaded before it is added": ("if (pieces >= SLOTS) {", "if (pieces >= ~0u) {"),
}


@pytest.mark.cxx
@pytest.mark.parametrize("change", sample_of(ORDERED))
def test_what_goes_wrong_in_order_is_found(tmp_path: Path, change: str) -> None:
    plan = lower(replace(summed, deterministic=True))
    results = verify_changed(plan, tmp_path, (IN_ORDER, *ORDERED[change]), 1, shapes=((300, 198, 16),), data="normal")
    assert results and not any(one.ok for one in results)


CHANGES = {
    "a gather of any row": (GATHER, "if (row >= params.layout.shape(0)) {", "if (false) {"),
    "no zeros": (GATHER, "if (!isComplete) {", "if (false) {"),
    "zeros in all rows": (GATHER, "if (RowOf(firstRow + i) >= params.layout.shape(0)) {", "if (true) {"),
    "half of the zeros": (GATHER, "/ sizeof(int32_t));", "/ sizeof(int32_t) / 2);"),
    "a scatter to any row": (SCATTER, "if (row < params.layout.shape(0)) {", "if (true) {"),
    "a scatter of all but the first row": (SCATTER, "if (row < ", "if (row != 0 && row < "),
    "a scatter to the first row instead": (
        SCATTER,
        "if (row < params.layout.shape(0)) {",
        "row = row < params.layout.shape(0) ? row : 0; {",
    ),
}


@pytest.mark.parametrize("change", sample_of(CHANGES))
def test_what_goes_wrong_is_found(tmp_path: Path, change: str) -> None:
    plan = lower(combine)
    results = verify_changed(plan, tmp_path, CHANGES[change], 1, shapes=((87, 198, 16),), data="normal")
    assert results and not any(one.ok for one in results)


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ARCHES)
def test_rows_of_a_batch(arch: str) -> None:
    """Each matmul has numbers and tensors of its own, shares them, or takes one with its neighbour."""
    plans = [lower(replace(one, arch=arch, gemm=Gemm(batch=True))) for one in (combine, summed)]
    right(verify_plans(plans, Options(shapes=((87, 70, 5), (1, 3, 4)), strict=True, together=2)))


@pytest.mark.cxx
@pytest.mark.parametrize(("path", "stride"), [
    (GATHER, "params.problem_stride, problem, params.problem_repeat"),
    (GATHER, "params.rows_stride, problem, params.rows_repeat"),
    (SCATTER, "params.problem_stride, problem"),
    (SCATTER, "params.rows_stride, problem, params.rows_repeat"),
])  # fmt: skip
def test_rows_of_another_matmul_are_seen(path: str, stride: str, tmp_path: Path) -> None:
    """Those of the first, and those of a matmul that takes them with its neighbour."""
    plan = lower(replace(combine, gemm=Gemm(batch=True)))
    for number, wrong in enumerate((f"0, {stride.partition(', ')[2]}", ", ".join(stride.split(", ")[:2]))):
        if wrong != stride:
            change = (path, stride, wrong)
            (result,) = verify_changed(plan, tmp_path / str(number), change, 1, shapes=((20, 17, 5),), data="int")
            assert not result.ok, wrong


@pytest.mark.cxx
def test_a_batch_from_python() -> None:
    """Numbers count the rows of each matmul's own tensor; rows of all matmuls are added up in one that is given."""
    r = np.random.default_rng(3)
    a, b, X = r.integers(-3, 4, (2, 4, 3)), r.integers(-3, 4, (3, 5)), r.integers(-3, 4, (2, 4, 5))
    put = np.array([[3, -1, 0, 4], [1, 1, 0, 3]])
    batched = replace(summed, gemm=Gemm(batch=True))
    y = a @ b + X
    own, all_of = np.zeros_like(y), np.ones((4, 5))
    for matmul, row in zip(*np.nonzero((put >= 0) & (put < 4)), strict=True):
        own[matmul, put[matmul, row]] += y[matmul, row]
        all_of[put[matmul, row]] += y[matmul, row]
    for run in (Compiled(batched), Reference(batched)):
        assert np.array_equal(run(a, b, X=X, put=put)["D"], own)
        assert np.array_equal(run(a, b, X=X, put=put, D=np.ones((4, 5)))["D"], all_of)
