"""Calls that are off as far as their pages allow: by how much, the same in every run, and what that brings to light."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evtgen.graph.ir import Epilogue, TreeVisitor, Visitor
from evtgen.graph.types import ElementType, float32, half
from evtgen.model.data import operands
from evtgen.model.execution import Settings, run_once
from evtgen.model.programs import Compilation, require_programs
from evtgen.nodes import AccLoad, AuxStore, Compute
from evtgen.operators.arrays import Array
from evtgen.planner.plan import Plan
from evtgen.verify import Options, verify_plans

from ..support import seeds
from ..support.changed import verify_changed
from ..support.right import right, shown

SHAPE = (40, 300, 8)
RSQRT = (
    "catlass/epilogue/fusion/operations/math.hpp",
    """AscendC::Duplicate(dst, static_cast<Element>(1), count);
        BarrierV();
        AscendC::Div(dst, dst, tmp, count);""",
    "AscendC::Rsqrt(dst, a, count);",
)
"""The functor of rsqrt by the call of that name, instead of Div."""


def of(name: str, T: ElementType, arch: str = "AtlasA2") -> Plan:
    """An operator on magnitudes."""
    tree: Visitor = TreeVisitor(Compute(name, T), TreeVisitor(Compute("Absolute", T), AccLoad(T)))
    return seeds.plan(Epilogue(f"{name}_{T}_{arch}", TreeVisitor(AuxStore("D", T), tree), arch=arch))


def steps(exact: Array, noisy: Array) -> set[int]:
    """By how many neighbours the one lies beside the other."""
    bits = np.int16 if exact.dtype == np.float16 else np.int32
    return set(np.unique(noisy.view(bits).astype(int) - exact.view(bits).astype(int)).tolist())


@pytest.mark.parametrize("arch", ["AtlasA2", "Ascend950"])
def test_an_ulp_either_way_by_the_seed_in_every_run(arch: str) -> None:
    plans = [of(name, T, arch) for name in ("Exp", "Log", "Sqrt", "Reciprocal") for T in (half, float32)]
    programs = require_programs(plans, Compilation(batch=len(plans)))
    for plan in plans:
        given = operands(plan, SHAPE, 0, "normal")

        def outputs(settings: Settings, plan: Plan = plan, given: object = given) -> Array:
            return run_once(programs[plan.name], plan, SHAPE, given, settings).outputs["D"]  # type: ignore[arg-type]

        exact, noisy = outputs(Settings()), outputs(Settings(noise=1))
        quotient_on_a2 = plan.name.startswith("Reciprocal") and arch == "AtlasA2"  # whose page allows nothing
        assert steps(exact, noisy) == ({0} if quotient_on_a2 else {-1, 0, 1}), plan.name
        assert quotient_on_a2 or (outputs(Settings(noise=2)) != noisy).any(), plan.name
        for way in (Settings(noise=1, schedule="late"), Settings(noise=1, cores=1, schedule="random:3")):
            assert np.array_equal(outputs(way), noisy), (plan.name, way)


def test_what_is_right_with_an_exact_rsqrt_alone_is_caught(tmp_path: Path) -> None:
    plan = of("Rsqrt", float32)
    options: dict[str, Any] = {"shapes": (SHAPE,), "data": "normal", "strict": True}
    right(verify_plans([plan], Options(**options)))  # by Sqrt and Div, as the page advises: a near miss
    (without,) = verify_changed(plan, tmp_path / "exact", RSQRT, noise=False, **options)
    assert without.ok, shown([without])
    (result,) = verify_changed(plan, tmp_path / "noisy", RSQRT, **options)
    assert not result.ok and not result.hazards
    (output,) = result.outputs
    assert output.mismatches > 0


def test_whole_numbers_run_without_noise(tmp_path: Path) -> None:
    (result,) = verify_changed(of("Rsqrt", float32), tmp_path, RSQRT, shapes=(SHAPE,), data="int", strict=True)
    assert result.ok, shown([result])


def test_what_an_exponential_makes_of_a_logarithm_is_allowed_for() -> None:
    power = Compute("Power", float32).operator
    assert power is not None
    assert power.error(float32, {"Ln": 1, "Exp": 1}) == power.error(float32) + 2 * 104 + 1
