"""Epilogues in Catlass's own visitor framework, on the stand-in's: right through GM and UB, and flagged without what
works around its faults."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evtgen import Acc, Aux, ColVector, Gemm, RowVector, Scalar, ScalarTensor, epilogue, float32, half, ops
from evtgen.graph.ir import Epilogue
from evtgen.nodes import AccLoad
from evtgen.planner import evg
from evtgen.planner.evg import EvgPlan, Kind
from evtgen.planner.plan import Plan, lower
from evtgen.verify import Options, verify_plans

from ..support.evg import CASES, PROGRAMS
from ..support.right import right

OPTIONS = Options(shapes=((87, 198, 40),), strict=True, together=16, framework="catlass")
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
        "Z": ops.where((X > 0.0) & (ops.row_index() >= 2 * ops.col_index()), X, 0.25),
        "rows": ops.row_reduce(y, "max"),
        "cols": ops.col_reduce(y, "min"),
        "total": ops.scalar_reduce(y, "mean"),
    }


def loads(acc: Acc[float32], X: Aux[float32], row: RowVector[float32]) -> dict[str, Any]:
    """Stores of what loads have written."""
    return {"C": acc, "Y": X, "R": row, "D": acc + X * row}


def adds(acc: Acc[float32], X: Aux[float32]) -> dict[str, Any]:
    return {"D": acc + X}


WHOLE_BLOCK = Gemm(a=half, b=half, l1=(256, 256, 128), l0=(256, 256, 64), handoff="ub")
"""Half a block of float32 fills what is kept of UB for the accumulator: 128 rows, here in twelve tiles of eleven rows
and less. An operator on the last, which is in the second buffer, reads on into the first."""


def plans() -> list[Plan]:
    made = []
    for way, gemm in (("gm", GM), ("ub", UB)):
        for function, options in ((everything, {"auto_cast": True}), (loads, {"compute_length": 1024})):
            one = epilogue(name=f"{function.__name__}_{way}", arch="Ascend950", gemm=gemm, **options)(function)
            assert isinstance(one, Epilogue)
            made.append(lower(one))
    full = epilogue(name="full_ub", arch="Ascend950", gemm=WHOLE_BLOCK, compute_length=2816)(adds)
    assert isinstance(full, Epilogue)
    return [*made, lower(full), lower(next(one for one in PROGRAMS if one.name == "add_ub"))]


def test_both_ways_are_right() -> None:
    """At 1024 x 256 blocks are whole, and a part of their rows goes into each tile; at 87 x 198 nothing divides."""
    results = right(verify_plans(plans(), replace(OPTIONS, shapes=((1024, 256, 16), (87, 198, 40)))))
    assert len(results) == 6 * 2 * 2


def test_what_is_left_out_is_flagged(monkeypatch: pytest.MonkeyPatch) -> None:
    """The copy in front of a store: through GM the next load is found, through UB the next block as well. The copy of a
    block's last tile: the next block's load. Each on one core, which has several blocks."""
    whole = evg.of

    def without(plan: Plan) -> EvgPlan:
        made = whole(plan)
        nodes = list(made.nodes)
        for index, node in enumerate(nodes):
            if node.alias.startswith("AuxStore"):
                source = nodes[node.inputs[0]]
                inputs = source.inputs if source.kind is Kind.COPY else node.inputs
                nodes[index] = replace(node, inputs=inputs)
            if isinstance(node.node, AccLoad) and node.kind is Kind.EXTENDED:
                nodes[index] = replace(node, kind=Kind.CATLASS)
        return replace(made, nodes=tuple(nodes))

    monkeypatch.setattr(evg, "of", without)
    several = replace(OPTIONS, shapes=((1024, 256, 16),), data="int")
    results = verify_plans([plan for plan in plans() if plan.name.startswith(("loads", "full"))], several)
    found = {result.epilogue: {hazard["code"] for hazard in result.hazards} for result in results}
    assert "EVT121" in found["loads_gm"] and {"EVT121", "EVT128"} <= found["loads_ub"]
    assert "EVT121" in found["full_ub"]


@pytest.mark.skipif("CATLASS_EVG" not in os.environ, reason="CATLASS_EVG names no Catlass checkout of v1.6")
def test_a_real_catlass_agrees() -> None:
    """With the epilogues of its own programs and cases."""
    some = [*plans(), *(lower(one) for one in (*PROGRAMS, *CASES) if one.name != "add_ub")]
    right(verify_plans(some, replace(OPTIONS, catlass=Path(os.environ["CATLASS_EVG"]))))
