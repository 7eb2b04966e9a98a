"""A problem that is read block by block has the values, bounds, formulas and departures of the whole, bit for bit."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pytest

from docs.generate.gallery import plans
from evtgen import Acc, Aux, epilogue, half, ops
from evtgen.graph.shapes import Problem
from evtgen.model.data import DATA, Operands, operands
from evtgen.operators.arrays import Array, dtype
from evtgen.options import VerifyOptions
from evtgen.planner.plan import Plan, lower
from evtgen.reference import Block, Joined, Reading, blocks, departures, product, scale_behind
from evtgen.verify import verify_plans
from evtgen.verify.case import launches

PLANS = {plan.name: plan for _, plan in plans()}

ROWS_MEET = {
    "abs_max", "batch_norm_training", "bias_gradient", "bias_gradient_in_order", "capacity_combine", "channel_sums",
    "expert_abs_max",
    "grouped_matmul_finalize_routing", "lower_triangle", "relu_quantize_per_tensor", "squared_error",
    "moe_wgrad_norm", "weight_gradients",
}  # fmt: skip


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks as small as they get."""
    monkeypatch.setattr("evtgen.reference.blockwise.ELEMENTS", 1)


def given(plan: Plan, problem: Problem, data: str) -> tuple[Operands, Array, Array]:
    """Operands, the product, and the accumulator."""
    drawn = operands(plan, problem, 0, data)
    exact = product(drawn.a, drawn.b, problem)
    with np.errstate(all="ignore"):
        return drawn, exact, exact.astype(dtype(plan.element_c))


def whole(plan: Plan, problem: Problem) -> Block:
    return Block(plan, problem, slice(0, problem.m), None, problem)


def same(one: Array | None, other: Array | None) -> bool:
    if one is None or other is None:
        return one is other
    return one.shape == other.shape and one.astype(np.float64).tobytes() == other.astype(np.float64).tobytes()


@pytest.mark.parametrize("name", PLANS)
def test_blocks_are_the_whole(name: str) -> None:
    plan = PLANS[name]
    for number, (_, problem, _) in enumerate(launches(plan, plan.kernel.problem(plan.wide((300, 48, 8))), 0)):
        drawn, exact, acc = given(plan, problem, DATA[number % 2])
        parts = list(blocks(plan, problem))
        joins = name in ROWS_MEET or any(t.output and t.name in problem.shared for t in plan.tensors)
        assert (len(parts) == 1) == joins
        joined: dict[int, Joined] = {}
        for part in parts:
            assert np.allclose(part.product(drawn.a, drawn.b), exact[part.rows], rtol=1e-12, atol=1e-12)
            for reading in part.read(acc, drawn.read_by(plan), exact[part.rows]):
                joined.setdefault(reading.index, Joined()).add(part, reading)
        for expected in whole(plan, problem).read(acc, drawn.read_by(plan), exact):
            found = joined[expected.index].reading
            assert same(found.formula, expected.formula) and same(found.stepwise.value, expected.stepwise.value)
            assert all(map(same, found.stepwise.ends, expected.stepwise.ends))


@pytest.mark.cxx
def test_verify_says_the_same_of_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is compared, what is judged, the bounds, and the warnings; of a mask, what is true in one block only."""
    options = VerifyOptions(shapes=((300, 48, 8),))
    chosen = [PLANS[name] for name in ("layer_norm_sums", "causal_softmax", "expert_scatter")]
    in_parts = verify_plans(chosen, options)
    monkeypatch.setattr("evtgen.reference.blockwise.ELEMENTS", 1 << 19)
    for part, all_rows in zip(in_parts, verify_plans(chosen, options), strict=True):
        assert part.ok and not part.error
        assert replace(part, seconds=0.0) == replace(all_rows, seconds=0.0)


@epilogue
def squares(acc: Acc[half], X: Aux[half]) -> Any:
    """What overflows where X is large, and is inaccurate beside a sum that cancels."""
    wide = acc * acc * 30000.0
    return {"D": wide + X, "E": acc + X - X, "most": ops.col_reduce(wide, "max")}


def test_departures_are_found_block_by_block() -> None:
    plan = lower(squares)
    problem = plan.kernel.problem(plan.wide((300, 48, 8)))
    drawn, exact, acc = given(plan, problem, "normal")
    drawn.inputs["X"][:, ::2] *= 2048

    def read(block: Block) -> list[Reading]:
        return list(block.read(acc, drawn.read_by(plan), exact[block.rows]))

    of_whole, of_parts = ([partial(read, b) for b in some] for some in ([whole(plan, problem)], blocks(plan, problem)))
    outputs = [reading.index for reading in of_whole[0]() if reading.node.writes]
    found, expected = (departures(plan.steps, parts, outputs, plan.gemm) for parts in (of_parts, of_whole))
    assert len(of_parts) == 3 and len(expected) > 1 and found == expected
    for index in outputs:
        assert scale_behind(plan.steps, index, of_parts) == scale_behind(plan.steps, index, of_whole) > 0
