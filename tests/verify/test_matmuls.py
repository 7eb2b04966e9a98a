"""Launches of several matmuls: their tensors are their own or shared, wherever blocks and groups end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

from evtgen import (
    Acc,
    Aux,
    ColumnMajor,
    ColVector,
    Gemm,
    RowVector,
    ScalarTensor,
    float32,
    half,
    int32,
    int64,
    nZ,
    ops,
)
from evtgen import epilogue as traced
from evtgen.graph.ir import Epilogue
from evtgen.graph.shapes import Problem
from evtgen.kernels import Matmuls
from evtgen.model.data import operands
from evtgen.pipeline.run import Reference
from evtgen.planner.plan import Plan, lower
from evtgen.reference import enclose
from evtgen.reference import product as multiplied
from evtgen.targets import ARCHITECTURES
from evtgen.verify import Options, Result, verify_plans
from evtgen.verify.case import launches

from ..support.epilogues import FULL
from ..support.right import right

SHAPES = ((131, 70, 40), (3, 7, 5))


def everything(acc: Any, X: Any, row: Any, col: Any, one: Any) -> dict[str, Any]:
    y = acc * col + one
    return {
        "D": (y + row + X.cast(float32)).cast(half),
        "rows": ops.row_reduce(y),
        "row_mean": ops.row_reduce(y, "mean"),
        "columns": ops.col_reduce(y, "max"),
        "column_mean": ops.col_reduce(y, "mean"),
        "all": ops.scalar_reduce(y, "min"),
    }


@traced(gemm=Gemm(batch=True))
def batched(
    acc: Acc[float32], X: Aux[half], row: RowVector[float32], col: ColVector[float32], one: ScalarTensor[float32] = 2.0
):
    return everything(acc, X, row, col, one)


@traced(gemm=Gemm(group="m", workspace_stages=0))
def grouped(
    acc: Acc[float32], X: Aux[half], row: RowVector[float32], col: ColVector[float32], one: ScalarTensor[float32] = 2.0
):
    return everything(acc, X, row, col, one)


@traced(gemm=Gemm(group="m", group_list="counts", group_type=int32))
def dequantised(acc: Acc[int32], scale: RowVector[float32], token: ColVector[float32] = 1.0):
    return {"D": acc.cast(float32) * scale * token - ops.row_index().cast(float32)}


@traced(gemm=Gemm(group="k", layout_a=ColumnMajor, group_list="counts"))
def sliced(
    acc: Acc[float32], X: Aux[half], row: RowVector[float32], col: ColVector[float32], one: ScalarTensor[float32] = 2.0
):
    return everything(acc, X, row, col, one)


@traced(gemm=Gemm(group="k", accumulators="halves"))
def twice(left: Acc[float32], right: Acc[float32]):
    return {"D": left - right}


PLANS = [lower(one) for one in (batched, grouped, dequantised, sliced)]


def verified(plans: Sequence[Plan] = PLANS, **options: Any) -> list[Result]:
    found = right(verify_plans(plans, Options(strict=True, together=len(plans), **options)))
    return found


@pytest.mark.cxx
def test_by_default_tensors_are_their_own_and_shared(tmp_path: Path) -> None:
    results = verified(shapes=SHAPES, pad=3, dump=tmp_path)
    sizes = {result.epilogue: result.size() for result in results if result.shape[0] == 131}
    assert sizes["batched"] == "3 x 131x70x40" and sizes["sliced"] == "131x70x0,4,9,0,22,0"
    assert sizes["grouped"] == sizes["dequantised"] == "0,15,33,0,83,0x70x40"
    for result in results:
        (plan,) = [plan for plan in PLANS if plan.name == result.epilogue]
        sharings = {frozenset(compared.shared) for compared in result.outputs}
        assert sharings == set(plan.kernel.sharings(plan.tensors))
        assert {compared.null for compared in result.outputs} == {(), tuple(
            tensor.name for tensor in plan.tensors if tensor.null_default is not None
        )}  # fmt: skip
    for run, rows in (("shared1", (2 * 131, 1)), ("shared2", (131, 2))):
        with np.load(tmp_path / f"batched.3x131x70x40.int.{run}.npz") as dump:
            assert (len(dump["X"]), len(dump["row"])) == rows  # what is not shared repeats
            assert dump["out.D"].shape == (3 * 131, 70) and len(dump["out.rows"]) == (1 if run == "shared1" else 3)
    (first, *_) = results
    assert first.to_json()["batch"] == 3 and first.to_json()["groups"] is None


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_by_default_every_stride_is_packed_once_and_another_once(plan: Plan) -> None:
    problem = plan.problem((131, 70, 40))
    strided = {tensor.name for tensor in plan.tensors if plan.kernel.strided(tensor)} | plan.kernel.strides.keys()
    runs = list(launches(plan, problem, 0))
    assert {name for name, _, _ in runs} >= {"", "shared1"}
    for apart in (False, True):
        assert set().union(*(strided - launch.shared for _, launch, pad in runs if bool(pad) is apart)) == strided
    assert {pad for _, _, pad in launches(plan, problem, 5)} == {5}
    repeated = {name for _, launch, _ in runs for name, _ in launch.repeats}
    assert repeated == {*plan.kernel.repeated, *(t.name for t in plan.tensors if plan.kernel.may_repeat(t))}


@pytest.mark.cxx
def test_blocks_of_a_core_are_of_different_matmuls() -> None:
    """So many that cores go on from one to another, in every order; most groups are smaller than a block."""
    groups = (0, 0, 129, 1, 0, 128, *(2 for _ in range(30)), 0)
    verified(PLANS[:3], shapes=((sum(groups), 40, 5),), batch=26, groups=groups, data="int", schedules=1)


@pytest.mark.cxx
def test_blocks_of_a_core_are_of_different_parts_of_k() -> None:
    """Empty ones among them, first, last and one after the other; with A by rows, and B by columns."""
    groups = (0, 0, 5, 1, 0, 40, *(1, 2) * 8, 0)
    by_columns = replace(sliced, name="by_columns", gemm=Gemm(group="k", layout_b=ColumnMajor))
    shapes = ((131, 40, sum(groups)), (3, 7, sum(groups) + 2))
    plans = [lower(by_columns), lower(twice)]
    right(verify_plans(plans, Options(shapes=shapes, groups=groups, data="int", schedules=1, together=2)))


LISTS = [
    (arch, group, groups)
    for arch, group, groups in product(ARCHITECTURES, ("m", "k"), ((), (0, 0), (9, 0, 40)))
    if FULL or arch == "AtlasA2" or (group, groups) == ("k", (9, 0, 40))
]


@pytest.mark.cxx
@pytest.mark.parametrize(("arch", "group", "groups"), LISTS)
def test_groups_are_listed_in_every_way(arch: str, group: Literal["m", "k"], groups: tuple[int, ...]) -> None:
    """There may be none, all may be empty, and they may end before M or K; what is in no group stays as it is."""
    lists: Any = [{"group_list": how, "group_type": T} for how in ("offsets", "counts") for T in (int32, int64)]
    shape = (60, 40, 5) if group == "m" else (35, 40, 60)
    plans = [
        lower(replace(grouped, name=f"listed{i}", arch=arch, gemm=Gemm(group=group, **one)))
        for i, one in enumerate(lists)
    ]
    right(verify_plans(plans, Options(shapes=(shape,), groups=groups, data="int", strict=True, together=4)))


@traced(gemm=Gemm(group="m", accumulators="halves"))
def gated(gate: Acc[float32], up: Acc[float32]):
    return {"D": gate * up, "sums": ops.row_reduce(gate, "add")}


@traced(gemm=Gemm(group="m"))
def rows_and_sums(acc: Acc[float32]):
    return {"D": acc / (ops.col_reduce(acc, "max") + 1.0), "sums": ops.row_reduce(acc, "add")}


LISTED: list[dict[str, Any]] = [
    {"weights": "pointers"},
    {"weight_index": True},
    {"weights": "pointers", "weight_index": True, "group_type": int32, "group_list": "counts"},
]


@pytest.mark.cxx
@pytest.mark.parametrize(
    ("one", "arch"),
    [*((one, "AtlasA2") for one in LISTED), (LISTED[-1], "Ascend950")],
    ids=["pointers", "index", "both", "both on Ascend950"],
)
def test_bs_are_listed_in_every_way(one: dict[str, Any], arch: str) -> None:
    """With one accumulator and with two, with phases, in every layout; verify lays gaps within each B, too."""
    kinds: list[tuple[Epilogue, dict[str, Any]]] = [
        (rows_and_sums, {"layout_b": ColumnMajor}),
        (gated, {"accumulators": "halves", "layout_b": nZ}),
        (gated, {"accumulators": "separate"}),
        (rows_and_sums, {"workspace_stages": 0, "policy": "preload_async"}),
    ]
    plans = [
        lower(replace(spec, name=f"listed{i}", arch=arch, gemm=Gemm(group="m", **one, **more)))
        for i, (spec, more) in enumerate(kinds)
    ]
    for groups, m in (((), 20), ((9, 0, 40), 60), (None, 140)):
        shape = Options(shapes=((m, 48, 5),), groups=groups, data="int", strict=True, together=4)
        right(verify_plans(plans, shape))


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.name)
def test_numbers_tell_matmuls_apart(plan: Plan) -> None:
    """What is right for one launch is wrong for another with the same tensors."""
    right = plan.kernel.problem((24, 70, 40), Matmuls(3, (5, 0, 19)))
    given = operands(plan, right, 0, "int")
    acc = multiplied(given.a, given.b, right).astype(np.int32 if plan.element_c is int32 else np.float32)
    outputs = enclose(plan, acc, given.inputs, right)
    for wrong in others(plan, right):
        exact = multiplied(given.a, given.b, wrong).astype(acc.dtype)
        assert (exact != acc).any()
        found = enclose(plan, exact, given.inputs, wrong)
        assert all(not found[name].contains(outputs[name].value).all() for name in ("D", "rows") if name in outputs)


def others(plan: Plan, right: Problem) -> Sequence[Problem]:
    if plan is PLANS[0]:
        return [Problem((36, 18, 18), right.n, right.k)]
    if plan.gemm.group == "k":
        return [replace(right, depths=depths) for depths in ((5, 19, 0), (6, 0, 18))]
    return [Problem((5, 19, 0), right.n, right.k), Problem((6, 0, 18), right.n, right.k)]


def test_operands_hold_the_parts_of_all_matmuls_or_one() -> None:
    plan = PLANS[0]
    for number, shared in enumerate(plan.kernel.sharings(plan.tensors)):
        given = operands(plan, Problem((24,) * 3, 70, 40, shared), 0, "normal")
        parts = {name: array.shape for name, array in given.inputs.items()}
        vectors, matrices = (1 if number == 1 else 3), (1 if number == 2 else 3)
        assert given.a.shape == (24 * matrices, 40) and given.b.shape == (40 * vectors, 70)
        assert parts == {
            "X": (24 * matrices, 70), "row": (vectors, 70), "col": (24 * vectors, 1), "one": (vectors, 1),
        }  # fmt: skip
        assert len(np.unique(given.inputs["one"])) == vectors


def test_groups_of_k_may_all_be_empty() -> None:
    """A without columns, and B without rows: products of nothing."""
    found = Reference(twice)(np.ones((4, 0)), np.ones((0, 6)), groups=[0, 0])
    assert found["D"].shape == (2, 4, 3) and not found["D"].any()
