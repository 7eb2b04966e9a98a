"""Rows that go to the memories of other ranks."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import Acc, Aux, ColVector, Gemm, float32, half, int32, ops
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.kernels import Matmuls
from evtgen.model.data import operands
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

from ..support.changed import verify_changed
from ..support.epilogues import ARCHES, random_orders, sample_of
from ..support.right import right
from ..support.said import refused
from ..support.wide import in_orders

SCATTER = "catlass/epilogue/fusion/visitor_rank_scatter.hpp"


@evt.epilogue
def sent(  # type: ignore[no-untyped-def]
    acc: Acc[float32],
    X: Aux[half],
    row: ColVector[int32],
    rank: ColVector[int32],
):
    y = acc + ops.cast(X, float32)
    return {"D": ops.scatter(y.cast(half), rows=row, ranks=rank), "E": y}


@evt.epilogue
def summed(  # type: ignore[no-untyped-def]
    acc: Acc[float32],
    row: ColVector[int32],
    rank: ColVector[int32],
):
    return {"D": ops.scatter(acc, rows=row, ranks=rank, add=True)}


@evt.epilogue
def plain(acc: Acc[float32]) -> dict[str, object]:
    return {"D": acc}


def test_the_data_name_all_ranks_and_some_that_are_not_there() -> None:
    plan = lower(replace(sent, gemm=Gemm(group="m")))
    problem = plan.kernel.problem((87, 5, 4), Matmuls(ranks=4))
    numbers = operands(plan, problem, 0, "int").inputs["rank"][:, 0]
    assert {0, 1, 2, 3, -1, 4, np.iinfo(np.int32).min} == set(numbers.tolist())
    rows = operands(plan, problem, 0, "int").inputs["row"][:, 0]
    there = (rows >= 0) & (rows < problem.m)
    assert len(np.unique(rows[there])) == there.sum()


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ARCHES)
def test_every_row_is_in_its_memory(arch: str) -> None:
    kernels = {"one": Gemm(), "groups": Gemm(group="m"), "split": Gemm(split_k=2)}
    plans = [
        lower(replace(one, name=f"{one.name}_{name}", arch=arch, gemm=gemm))
        for one in (sent, summed)
        for name, gemm in kernels.items()
    ]
    options = Options(
        shapes=((87, 198, 120), (3, 7, 5)), strict=True, schedules=random_orders(arch), ranks=2, together=len(plans)
    )
    results = right(in_orders(plans, options))
    assert not any(one.hazards for one in results)
    assert all(one.to_json()["ranks"] == 2 and one.size().endswith(", 2 ranks") for one in results)


def test_ranks_are_asked_for_where_rows_go_to_some() -> None:
    with refused("EVT177", "4 … plain"):
        verify_plans([lower(plain)], Options(ranks=4))
    with refused("EVT177", "4 … none"):
        verify_plans([lower(plain), lower(replace(plain, name="other"))], Options(ranks=4))


def given(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    return tuple(rng.integers(-4, 5, size).astype(float) for size in ((6, 3), (3, 5), (6, 5)))


def test_from_python() -> None:
    a, b, X = given(np.random.default_rng(0))
    row, rank = np.array([2, 0, 2, -1, 5, 1]), np.array([1, 0, 0, 0, 2, 3])
    found = evt.run(sent, a, b, X=X, row=row, rank=rank, ranks=3)
    meant = np.zeros((3, 6, 5))
    for i in (0, 1, 2, 4):
        meant[rank[i], row[i]] = (a @ b + X)[i]
    assert np.array_equal(found["D"], meant) and np.array_equal(found["E"], a @ b + X)
    # Where arrays say how many ranks there are, the number that is beyond them is one of theirs.
    own = ops.scatter(a @ b + X, rows=row, ranks=rank)
    assert own.shape == (4, 6, 5) and np.array_equal(own[:3], meant)


@pytest.mark.cxx
def test_groups_that_end_before_the_rows_do() -> None:
    """Each memory has room for all rows of A; those that nobody names keep their values."""
    a, b, X = given(np.random.default_rng(2))
    kernel = evt.compile(replace(sent, gemm=Gemm(group="m")))
    row, rank = np.array([1, 0, 2, 0, -1, -1]), np.array([1, 0, 0, 1, 0, 0])
    out: Any = {"D": np.full((2, 6, 5), 9, np.float16), "E": np.zeros((6, 5), np.float32)}
    kernel(a, np.stack([b, 2 * b]), X=X, row=row, rank=rank, ranks=2, groups=[1, 3], out=out)
    meant = np.full((2, 6, 5), 9.0)
    for i in range(4):
        meant[rank[i], row[i]] = a[i] @ (b if i < 1 else 2 * b) + X[i]
    assert np.array_equal(out["D"], meant)


@pytest.mark.cxx
def test_rows_of_other_ranks_are_added_up() -> None:
    a, b, base = given(np.random.default_rng(1))
    row, rank, base = np.array([2, 2, 0, 2, 2, 7]), np.array([1, 1, 0, 0, 2, 0]), np.stack([base, base + 1])
    found = evt.run(summed, a, b, row=row, rank=rank, D=base, ranks=2)["D"]
    meant = base.copy()
    np.add.at(meant, (rank[:4], row[:4]), (a @ b)[:4])
    assert np.array_equal(found, meant)


@pytest.mark.parametrize("ranks", [None, 0, True, 2.5])
def test_ranks_that_are_none(ranks: Any) -> None:
    a, b, X = given(np.random.default_rng(0))
    numbers = np.zeros(6, int)
    with pytest.raises(EvtgenError) as caught:
        evt.run(sent, a, b, X=X, row=numbers, rank=numbers, ranks=ranks)
    assert "EVT186" in str(caught.value) and "ranks" in str(caught.value)


CHANGES = {
    "all to one rank": ("gmTable.GetValue(rank)", "gmTable.GetValue(0)"),
    "to ranks that are not there": (" && rank < params.rank_count", ""),
    "all but the last rank": ("rank < params.rank_count", "rank + 1 < params.rank_count"),
    "to rows that are not there": ("row < params.layout.shape(0) && ", ""),
    "the ranks of other rows": ("gmRanks.GetValue(globalTileOffset.row() + i)", "gmRanks.GetValue(i)"),
}


@pytest.mark.cxx
@pytest.mark.parametrize("change", sample_of(CHANGES))
def test_what_goes_wrong_is_found(tmp_path: Path, change: str) -> None:
    results = verify_changed(
        lower(sent), tmp_path, (SCATTER, *CHANGES[change]), 1, shapes=((300, 198, 16),), data="normal"
    )
    assert results and not any(one.ok for one in results)
