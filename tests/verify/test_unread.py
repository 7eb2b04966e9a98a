"""EVT115 is left out only where a band leaves out what nothing reads then."""

from __future__ import annotations

from typing import Any

from evtgen import Acc, ScalarTensor, epilogue, float32, ops
from evtgen.graph.shapes import Problem
from evtgen.planner.plan import Plan, lower
from evtgen.verify.unread import blocks_outside, hidden_by_bands, is_left_out

PROBLEM = Problem((300, 300), 520, 16)


def plan(*, also_stored: bool = False) -> Plan:
    @epilogue
    def causal(acc: Acc[float32], slope: ScalarTensor[float32]) -> Any:
        seen = ops.row_index() >= ops.col_index()
        return {"D": ops.where(seen, acc * slope, 0.0), **({"C": acc} if also_stored else {})}

    return lower(causal)


def found(pipe: str, file: str, count: int = 1, *, over: str = "") -> dict[str, Any]:
    """Of a call that writes over what another one in ``file`` wrote."""
    sites = [{"pipe": "V", "file": f"include/catlass/{over}"}, {"pipe": pipe, "file": f"include/catlass/{file}"}]
    return {"code": "EVT115", "count": count, "sites": sites}


def left_out(of: Plan, finding: dict[str, Any], problem: Problem = PROBLEM) -> bool:
    return is_left_out(of, problem, finding, absent=False)


def test_a_block_outside_is_left_out_and_no_other() -> None:
    """Of blocks of 128 x 256, those at (0, 256), (0, 512), (128, 256), (128, 512) and (256, 512) of each matmul."""
    block = "gemm/kernel/accumulator_handoff.hpp"
    assert blocks_outside(plan(), PROBLEM) == 10
    assert left_out(plan(), found("FIX", block, 10))
    assert not left_out(plan(), found("FIX", block, 11))
    assert not left_out(plan(), found("FIX", block), Problem((128,), 128, 16))
    assert not left_out(plan(also_stored=True), found("FIX", block))


def test_what_the_band_alone_reads_is_left_out() -> None:
    nodes = plan().steps
    assert {type(nodes[index].node).__name__ for index in hidden_by_bands(nodes)} == {
        "AccLoad", "Compute", "ScalarBroadcast",
    }  # fmt: skip
    assert left_out(plan(), found("V", "epilogue/fusion/visitor_scalar_broadcast.hpp"))
    assert not left_out(plan(), found("V", "epilogue/fusion/operations/arithmetic.hpp"))
    assert left_out(plan(), found("V", "epilogue/fusion/operations/arithmetic.hpp", over="epilogue/fusion/band.hpp"))
    assert not left_out(plan(), found("MTE2", "epilogue/tile/copy_gm_to_ub.hpp"))
