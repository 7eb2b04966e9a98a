"""Epilogues in Catlass's own visitor framework: which node stands for which, where copies stand, what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from evtgen import Acc, Aux, ColVector, Gemm, RowVector, ScalarTensor, epilogue, float32, half, int8, ops
from evtgen.check import check, has_errors
from evtgen.check.evg import refusals
from evtgen.frontend.load import load
from evtgen.graph.ir import Epilogue
from evtgen.graph.shapes import WHOLE, TensorShape
from evtgen.nodes import Store
from evtgen.planner import evg
from evtgen.planner.evg import ACCUMULATOR_BYTES, BUFFERS, EvgPlan, Kind
from evtgen.planner.parts import MAX_TILE_ROWS
from evtgen.planner.plan import Plan, lower

from ..support.evg import CASES, PROGRAMS
from ..support.paths import CHECKOUT

BY_NAME = {one.name: one for one in (*PROGRAMS, *CASES)}
WHOLE_BLOCK = Gemm(a=half, b=half, l1=(256, 256, 128), l0=(256, 256, 64), handoff="ub")
"""Half a block of float32 fills what is kept of UB for the accumulator."""


def made(function: Any, **options: Any) -> EvgPlan:
    """The plan of a traced function, in which nothing is refused."""
    one = traced(function, **options)
    assert list(refusals(lower(one))) == []
    return evg.of(lower(one))


def traced(function: Any, **options: Any) -> Epilogue:
    one = epilogue(**{"arch": "Ascend950", **options})(function)
    assert isinstance(one, Epilogue) and not has_errors(check(one)), [d.message for d in check(one)]
    return one


def kinds(plan: EvgPlan) -> dict[str, Kind]:
    return {node.alias: node.kind for node in plan.nodes}


def keeps(acc: Acc[float32], X: Aux[float32], row: RowVector[float32]) -> dict[str, Any]:
    return {"C": acc, "Y": X, "R": row, "Z": X, "D": acc + X * row}


def adds(acc: Acc[float32], X: Aux[float32]) -> dict[str, Any]:
    return {"D": acc + X}


def test_every_store_of_what_a_load_wrote_gets_a_copy() -> None:
    plan = made(keeps)
    copies = {node.alias: plan.nodes[node.inputs[0]].alias for node in plan.copies}
    assert sorted(copies.values()) == ["AccLoad", "AuxLoadX", "RowBroadcastRow"]  # two stores share a copy of X
    for node in plan.nodes:
        if node.alias.startswith("AuxStore"):
            source = plan.nodes[node.inputs[0]]
            assert source.kind is Kind.COPY or source.alias.startswith(("Plus", "AuxStore")), node.alias


def test_what_v_wrote_gets_none() -> None:
    def spread(acc: Acc[half], col: ColVector[half], one: ScalarTensor[half]) -> dict[str, Any]:
        return {"K": col, "S": one, "D": acc + col}

    assert made(spread).copies == ()
    assert made(adds).copies == ()


def test_catlass_own_nodes_are_used_where_they_suffice() -> None:
    def mixed(acc: Acc[float32], X: Aux[half] = 1.0) -> dict[str, Any]:
        y = ops.relu(acc + 2.0)
        return {"D": ops.gelu(y), "E": ops.where(y > 1.0, y, X.cast(float32))}

    plan = made(mixed)
    assert {name: kind for name, kind in kinds(plan).items() if kind is not Kind.CATLASS} == {
        "AuxLoadX": Kind.DEFAULT,
        "Gelu": Kind.EXTENDED,  # scratch
        "GreaterScalar": Kind.EXTENDED,  # makes a mask
        "Where": Kind.EXTENDED,  # takes one
        "Outputs": Kind.EXTENDED,
    }
    assert {"AccLoad", "Adds", "Relu", "CastXToFloat"} <= kinds(plan).keys()


def test_half_that_is_computed_in_float_takes_scratch() -> None:
    def smooth(acc: Acc[half]) -> dict[str, Any]:
        return {"D": ops.exp(acc)}

    def plain(acc: Acc[float32]) -> dict[str, Any]:
        return {"D": ops.exp(acc)}

    assert kinds(made(smooth))["Exp"] is (Kind.EXTENDED if _is_wide("Exp") else Kind.CATLASS)
    assert kinds(made(plain))["Exp"] is Kind.CATLASS


def _is_wide(name: str) -> bool:
    from evtgen.operators.table import OPERATORS

    return OPERATORS[name].wide


def test_functors_of_catlass_are_one_call_of_ascendc() -> None:
    """So they give the numbers of the operators that they stand for. AddRelu is one call there and two here."""
    from evtgen.operators.table import OPERATORS

    for name, functor in evg.FUNCTORS.items():
        operator = OPERATORS[name]
        assert [call.name for call in operator.sequence] == [functor], name
        assert not operator.scratch and len(operator.constants) <= 1, name


def test_a_value_with_two_readers_makes_the_graph_topological() -> None:
    assert evg.of(lower(BY_NAME["add"])).is_tree
    tanh = evg.of(lower(BY_NAME["tanh_steps"]))
    assert not tanh.is_tree
    assert all(source < index for index, node in enumerate(tanh.nodes) for source in node.inputs)


@pytest.mark.parametrize("one", [*PROGRAMS, *CASES], ids=lambda one: one.name)
def test_catlass_own_epilogues_are_expressible(one: Epilogue) -> None:
    assert not has_errors(check(one)), [d.message for d in check(one)]
    plan = lower(one)
    assert list(refusals(plan)) == []
    assert evg.of(plan).in_ub == (one.name == "add_ub")


@pytest.mark.slow
def test_so_is_the_gallery() -> None:
    specs = sorted((CHECKOUT / "examples").rglob("*.py"))
    found = [replace(one, arch="Ascend950") for one in load(specs)]
    # Of its kernels, Catlass's framework has that of one matmul alone, with one accumulator, which it goes over once
    plans = [lower(one) for one in found if not has_errors(check(one))]
    plans = [plan for plan in plans if plan.kernel.name == "MatmulVisitor" and not (plan.widening or plan.gemm.scale)]
    fine = [
        plan for plan in plans if plan.accumulators == 1 and not (plan.parts or plan.is_ordered or _elsewhere(plan))
    ]
    assert len(fine) > 35
    assert [refusal.message for plan in fine for refusal in refusals(plan)] == []
    for plan in plans:
        if plan not in fine:
            assert list(refusals(plan)), plan.name


def _elsewhere(plan: Plan) -> bool:
    """Whether a tensor is not where its element is in C, an output not of C's shape, or A read, or some columns are
    apart from others."""
    stored = [node.tensor for _, node in plan.nodes() if isinstance(node, Store)]
    small = any(tensor.shape != TensorShape.MATRIX for tensor in stored if tensor)
    apart = any(node.ends > 1 or node.columns != WHOLE for _, node in plan.nodes())
    return (
        small
        or apart
        or plan.reads_a
        or any(tensor.by_columns or tensor.rows or tensor.indexes for tensor in plan.tensors)
    )


def test_tiles_fill_ub_and_no_more() -> None:
    for handoff in ("gm", "ub"):
        for function in (adds, keeps):
            plan = made(function, gemm=Gemm(a=half, b=half, handoff=handoff))
            longer = replace(plan.plan.epilogue, compute_length=plan.compute_length + 32)
            assert plan.ub_used <= plan.ub_limit and plan.compute_length % 32 == 0
            assert [d.code for d in refusals(lower_as(plan, longer))] == ["EVT175"]


def lower_as(plan: EvgPlan, one: Epilogue) -> Any:
    """The same plan with other options, whatever evtgen's own framework thinks of them."""
    return replace(plan.plan, epilogue=one)


def test_the_accumulator_in_ub_takes_its_place_and_no_buffer() -> None:
    gm, ub = (made(adds, gemm=Gemm(a=half, b=half, handoff=way)) for way in ("gm", "ub"))
    assert gm.ub_limit - ub.ub_limit == ACCUMULATOR_BYTES
    assert gm.ub_used == BUFFERS * 3 * 4 * gm.compute_length
    assert ub.ub_used == BUFFERS * 2 * 4 * ub.compute_length


def test_operators_never_read_what_a_load_may_be_writing() -> None:
    """They read a whole tile from where that of the accumulator begins."""
    whole = made(adds, gemm=WHOLE_BLOCK)
    assert kinds(whole)["AccLoad"] is Kind.EXTENDED  # it copies the last tile
    assert whole.ub_used == BUFFERS * 3 * 4 * whole.compute_length and whole.compute_length > 4096
    half_as_high = made(adds, gemm=replace(WHOLE_BLOCK, l1=(128, 256, 128), l0=(128, 256, 64)))
    assert kinds(half_as_high)["AccLoad"] is Kind.CATLASS
    assert 63 * 256 + half_as_high.compute_length <= ACCUMULATOR_BYTES // 4
    asked = made(adds, gemm=WHOLE_BLOCK, compute_length=256)  # a row: the last tile ends with the accumulator
    assert kinds(asked)["AccLoad"] is Kind.CATLASS and asked.compute_length == 256


def test_rows_of_a_tile_stay_within_one_instruction() -> None:
    def columns(acc: Acc[half], col: ColVector[half]) -> dict[str, Any]:
        return {"D": acc * col}

    tall = Gemm(a=half, b=half, l1=(512, 32, 64), l0=(256, 32, 64), handoff="gm")
    one = replace(traced(columns), gemm=tall)
    assert evg.of(lower(one)).compute_length <= MAX_TILE_ROWS * 32


REFUSED: dict[str, tuple[dict[str, Any], str]] = {
    "another architecture": ({"arch": "AtlasA2"}, "Ascend950"),
    "buffers": ({"buffers": 3}, "buffers=3"),
    "policy": ({"gemm": Gemm(a=half, b=half, policy="preload_async")}, 'policy="preload_async"'),
    "blocks": ({"gemm": Gemm(a=half, b=half, handoff="gm", workspace_stages=2)}, "workspace_stages=2"),
    "several matmuls": ({"gemm": Gemm(a=half, b=half, handoff="gm", batch=True)}, "BatchedMatmulVisitor"),
    "groups": ({"gemm": Gemm(a=half, b=half, handoff="gm", group="m")}, "GroupedMatmulSliceMVisitor"),
    "length": ({"compute_length": 12288, "buffers": 1}, "12288"),
    "weights": ({"gemm": Gemm(a=half, b=int8, handoff="gm")}, "int8"),
}
FINE: dict[str, dict[str, Any]] = {
    "architecture": {"arch": "Ascend950"},
    "buffers": {"buffers": 2},
    "policy": {"gemm": Gemm(a=half, b=half, policy="pingpong")},
    "blocks": {"gemm": Gemm(a=half, b=half, handoff="gm", workspace_stages=0)},
    "several matmuls": {"gemm": Gemm(a=half, b=half, handoff="gm", batch=False)},
    "length": {"compute_length": 4096, "gemm": Gemm(a=half, b=half, handoff="gm")},
}


@pytest.mark.parametrize("case", REFUSED)
def test_refusals(case: str) -> None:
    options, words = REFUSED[case]
    found = list(refusals(lower(traced(adds, **options))))
    assert {d.code for d in found} == {"EVT175"} and any(words in d.message for d in found)
    assert all("--framework catlass" in (d.help or "") for d in found)


@pytest.mark.parametrize("case", FINE)
def test_near_misses(case: str) -> None:
    plan = made(adds, **FINE[case])
    assert plan.compute_length == FINE[case].get("compute_length", plan.compute_length)


def test_a_reduction_that_is_used_again_is_refused() -> None:
    """One that is an output alone is not."""

    def again(acc: Acc[float32]) -> dict[str, Any]:
        return {"D": acc - ops.col_reduce(acc, "max")}

    def once(acc: Acc[float32]) -> dict[str, Any]:
        return {"D": acc, "peak": ops.col_reduce(acc, "max")}

    (found,) = refusals(lower(traced(again)))
    assert found.code == "EVT175" and "MaxOfC is a reduction that is used again" in found.message
    assert made(once).compute_length >= 32


@pytest.mark.slow
def test_too_many_nodes_are_refused() -> None:
    """None of them share UB there, nor their scratch; evtgen's own framework has room."""

    def chain(length: int) -> Any:
        def function(acc: Acc[float32], X: Aux[float32]) -> dict[str, Any]:
            value = acc
            for index in range(length):
                value = ops.gelu(value * X + float(index))
            return {"D": value}

        return function

    plan = lower(traced(chain(150), gemm=Gemm(a=half, b=half, handoff="gm")))
    (found,) = refusals(plan)
    assert found.code == "EVT175" and "no two nodes share UB" in found.message
    assert made(chain(20), gemm=Gemm(a=half, b=half, handoff="gm")).compute_length >= 32


def test_a_block_that_ub_is_not_kept_for_is_refused() -> None:
    large = replace(WHOLE_BLOCK, l1=(256, 288, 64), l0=(128, 288, 32))
    one = replace(traced(adds), gemm=large)
    assert ["more than" in d.message for d in refusals(lower(one))] == [True]
    assert list(refusals(lower(replace(one, gemm=WHOLE_BLOCK)))) == []
