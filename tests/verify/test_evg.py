"""Epilogues in Catlass's own visitor framework, on the stand-in's: right through GM and UB, and flagged without what
works around its faults."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evtgen import Acc, Aux, ColVector, Gemm, RowVector, Scalar, ScalarTensor, epilogue, float32, half, ops
from evtgen.emit.framework import Framework
from evtgen.graph.ir import Epilogue
from evtgen.planner import evg
from evtgen.planner.evg import EvgPlan, Kind
from evtgen.planner.plan import Plan, lower
from evtgen.report.verification import failures
from evtgen.verify import Options, verify_plans

from ..support.evg import CASES, PROGRAMS

OPTIONS = Options(shapes=((87, 198, 40),), strict=True, batch=16, framework=Framework(catlass=True))
GM = Gemm(a=half, b=half, handoff="gm")
UB = Gemm(a=half, b=half, handoff="ub")


def everything(
    acc: Acc[float32],
    X: Aux[half],
    col: ColVector[float32],
    one: ScalarTensor[float32],
    s: Scalar[float32],
    bias: RowVector[float32] = 0.5,
) -> dict[str, Any]:
    """Every kind of node, among them those that Catlass does not have, and an operator with scratch."""
    y = ops.gelu(acc * col + one) * s + bias
    return {
        "D": y.cast(half),
        "Z": ops.where(X > 0.0, X, 0.25),
        "rows": ops.row_reduce(y, "max"),
        "cols": ops.col_reduce(y, "min"),
        "total": ops.scalar_reduce(y, "mean"),
    }


def loads(acc: Acc[half], X: Aux[half], row: RowVector[half]) -> dict[str, Any]:
    """Stores of what loads have written."""
    return {"C": acc, "Y": X, "R": row, "D": acc + X * row}


def plans() -> list[Plan]:
    made = []
    for way, gemm in (("gm", GM), ("ub", UB)):
        for function, options in ((everything, {"auto_cast": True}), (loads, {"compute_length": 1024})):
            one = epilogue(name=f"{function.__name__}_{way}", arch="Ascend950", gemm=gemm, **options)(function)
            assert isinstance(one, Epilogue)
            made.append(lower(one))
    return [*made, lower(next(one for one in PROGRAMS if one.name == "add_ub"))]


def _failures(results: list[Any]) -> str:
    return "\n".join(line for result in results for line in failures(result))


def test_both_ways_are_right() -> None:
    """At 256 x 512 blocks are whole, and a part of the rows goes into each tile; at 87 x 198 nothing divides."""
    shapes = ((256, 512, 32), (87, 198, 40), (3, 7, 5))
    results = verify_plans(plans(), replace(OPTIONS, shapes=shapes, schedules=1))
    assert len(results) == 5 * 3 * 2 and all(result.ok for result in results), _failures(results)


def test_a_store_without_its_copy_is_flagged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Through GM by the next load, through UB by the next block as well: on one core, which has several."""
    whole = evg.of

    def without(plan: Plan) -> EvgPlan:
        made = whole(plan)
        nodes = list(made.nodes)
        for index, node in enumerate(nodes):
            if node.alias.startswith("AuxStore"):
                source = nodes[node.inputs[0]]
                inputs = source.inputs if source.kind is Kind.COPY else node.inputs
                nodes[index] = replace(node, inputs=inputs)
        return replace(made, nodes=tuple(nodes))

    monkeypatch.setattr(evg, "of", without)
    several = replace(OPTIONS, shapes=((256, 512, 16),), data="int")
    results = verify_plans([plan for plan in plans() if plan.name.startswith("loads")], several)
    found = {result.epilogue: {hazard["code"] for hazard in result.hazards} for result in results}
    assert "EVT121" in found["loads_gm"] and {"EVT121", "EVT128"} <= found["loads_ub"]


@pytest.mark.skipif("CATLASS_EVG" not in os.environ, reason="CATLASS_EVG names no Catlass checkout of v1.6")
def test_a_real_catlass_agrees() -> None:
    """With the epilogues of its own programs and cases."""
    some = [*plans(), *(lower(one) for one in (*PROGRAMS, *CASES) if one.name != "add_ub")]
    results = verify_plans(some, replace(OPTIONS, catlass=Path(os.environ["CATLASS_EVG"])))
    assert all(result.ok for result in results), _failures(results)
