"""The formula of a rewritten graph is that of the graph as written; what a pass saves is what the model counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import evtgen as evt
from evtgen import Acc, Aux, Epilogue, float32, half, ops
from evtgen.graph.ir import flatten
from evtgen.measure.counts import vector_counts
from evtgen.model.programs import Compilation
from evtgen.passes.analysis.instructions import instructions
from evtgen.planner.plan import Saving, lower
from evtgen.verify import Options, verify_plans

pytestmark = pytest.mark.cxx

SHAPE = (87, 198, 120)


def traced(body: Any, *, fast_math: bool = False) -> Epilogue:
    @evt.epilogue(name="rewritten", fast_math=fast_math)
    def function(acc: Acc[float32], X: Aux[float32]) -> Any:
        return {"D": body(acc, X)}

    return function


def test_a_pass_that_changes_what_is_meant_shows() -> None:
    """As if a pass had dropped a factor: the emitted graph agrees with itself, and not with what was written."""
    right, wrong = (traced(lambda a, x, f=factor: ops.exp(a) * x * f) for factor in (1.01, 1.0))
    plan = lower(wrong)
    honest = verify_plans([plan], Options(shapes=(SHAPE,), data="normal"))
    assert honest[0].ok and honest[0].diagnostics == []
    pretended = replace(plan, written=right, savings=(Saving("wrong", 1),))
    (result,) = verify_plans([pretended], Options(shapes=(SHAPE,), data="normal"))
    assert [d.code for d in result.diagnostics] == ["EVT151"]


def test_what_is_saved_is_what_is_counted() -> None:
    def body(a: Any, x: Any) -> Any:
        one, two = ops.gelu((a * x).cast(half)), ops.gelu((x * a).cast(half)).cast(float32)
        return ops.relu(ops.add(a, x, one.cast(float32)) + two) + (a * 2.0 - x * 3.0) / 7

    written = traced(body, fast_math=True)
    plan = lower(written)
    assert {saving.name for saving in plan.savings} >= {"common_subexpressions", "multiply_by_reciprocal", "fuse_relu"}
    as_written = lower(replace(written, name="as_written", traced=False))
    assert as_written.savings == ()
    before, after = vector_counts([as_written, plan], (128, 256, 16), Compilation(batch=2))
    assert before.instructions == instructions(flatten(written.root))
    assert before.instructions - after.instructions == sum(saving.instructions for saving in plan.savings)
