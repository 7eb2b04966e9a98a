"""Generated code is clean under --strict and gives the same numbers in every order that its flags allow.

A few of the cases always; all of them with EVTGEN_FULL=1, as ``make strict`` does.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from evtgen.frontend.load import load
from evtgen.graph.ir import Epilogue, TreeVisitor
from evtgen.graph.shapes import Shape
from evtgen.graph.types import half
from evtgen.nodes import AccLoad, AuxStore
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

from ..support.changed import changed
from ..support.graphs import random_epilogue
from ..support.paths import EXAMPLES
from ..support.right import right, shown

FULL = os.environ.get("EVTGEN_FULL") == "1"
SCHEDULES = 20 if FULL else 3

STORED = Epilogue("stored_accumulator", TreeVisitor(AuxStore("D", half), AccLoad(half)))
EPILOGUES = [*load(EXAMPLES), STORED]

SMALL: tuple[Shape, ...] = ((87, 198, 120), (1, 1, 16), (3, 7, 5))
LARGE: tuple[Shape, ...] = (
    (256, 512, 1024),
    (192, 160, 128),
    (1696, 1632, 256),
    (3731, 5062, 32),
    (1, 40000, 16),
    (40000, 1, 16),
)


@pytest.mark.parametrize("buffers", [1, 2, 3])
def test_no_finding_in_any_order(buffers: int) -> None:
    plans = [lower(replace(epilogue, buffers=buffers)) for epilogue in EPILOGUES]
    shapes = SMALL + LARGE if FULL else ((300, 520, 16), SMALL[-1])
    options = Options(shapes=shapes, data="int", schedules=SCHEDULES, strict=True, together=len(plans))
    results = verify_plans(plans, options)
    assert len(results) == len(plans) * len(shapes) and not any(
        result.hazards or result.differing for result in right(results)
    )
    assert all(result.schedules == SCHEDULES + 2 for result in results)


@pytest.mark.skipif(not FULL, reason="EVTGEN_FULL is not 1")
@pytest.mark.parametrize("buffers", [1, 2, 3])
def test_no_finding_when_rows_are_split(buffers: int) -> None:
    plans = [lower(replace(epilogue, buffers=buffers, compute_length=64)) for epilogue in EPILOGUES]
    options = Options(shapes=SMALL, data="int", schedules=SCHEDULES, strict=True, together=len(plans))
    results = verify_plans(plans, options)
    assert not any(result.hazards for result in right(results))


@pytest.mark.parametrize("buffers", [1, 2, 3])
def test_refilling_what_a_store_still_reads_is_flagged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, buffers: int
) -> None:
    """D = C stores what LOAD filled: a refill after V_MTE2 would overtake the store. Emitted code uses MTE3_MTE2."""
    monkeypatch.setenv("EVTGEN_MODEL_CORES", "1")  # several blocks for each vector core
    plan = lower(replace(STORED, buffers=buffers))
    block = "catlass/epilogue/block/block_epilogue_visitor.hpp"
    headers = changed(plan, tmp_path, block, "EVT::StoresLoaded()", "false", times=4)
    options = Options(shapes=((300, 520, 16),), data="int", headers=headers)
    (result,) = verify_plans([plan], options)
    races = [hazard for hazard in result.hazards if hazard["code"] == "EVT121" and hazard["severity"] == "error"]
    assert races and not result.ok
    assert any({site["pipe"] for site in race["sites"]} == {"MTE2", "MTE3"} for race in races)
    assert any("AccLoad" in race["where"] for race in races)
    (fresh,) = verify_plans([plan], replace(options, headers=None, strict=True))
    assert fresh.ok and not fresh.hazards


@pytest.mark.parametrize("seed", range(0, 40, 1 if FULL else 10))
def test_no_finding_with_a_simple_plan(tmp_path: Path, seed: int) -> None:
    """Graphs as if written by hand, without the plan that is emitted."""
    epilogue = replace(random_epilogue(seed), compute_length=512, buffers=2)
    # Narrow weights come first in tiles of the emitter's own length, which only the emitted plan fits.
    plan = lower(replace(epilogue, gemm=replace(epilogue.gemm, b=epilogue.gemm.a, scale=None, zero_point=False)))
    visitors = "catlass/epilogue/fusion/topological_visitor.hpp"
    simple = "PlannedTile<Graph, detail::SimplePlan<Graph, Plan::ELEMENTS>>"
    headers = changed(plan, tmp_path, visitors, "PlannedTile<Graph, Plan>", simple, times=1)
    shapes = ((150, 260, 40), (3, 7, 5))
    options = Options(shapes=shapes, data="int", schedules=SCHEDULES, strict=True, headers=headers)
    # Some graphs make NaN of this data, or all true: that is no hazard.
    for result in verify_plans([plan], options):
        assert result.agrees and not result.hazards, shown([result])
