"""The roofline of an epilogue: no point lies above it, and a deep matmul comes near it, whatever its types."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

import pytest

import evtgen as evt
from evtgen import Acc, Gemm, float32, half, int4, int8, int32
from evtgen.measure import clock, over_k
from evtgen.measure.profile import Profile
from evtgen.model.execution import Settings, run_once
from evtgen.model.programs import Compilation, require_programs
from evtgen.options import ProfileOptions
from evtgen.planner.plan import lower


@evt.epilogue(gemm=Gemm(a=half, b=half))
def of_half(acc: Acc[half]) -> dict[str, Any]:
    return {"D": acc + 1.0}


@evt.epilogue(gemm=Gemm(a=int8, b=int8, c=int32))
def of_int8(acc: Acc[int32]) -> dict[str, Any]:
    return {"D": acc + 1}


@evt.epilogue(gemm=Gemm(a=float32, b=float32))
def of_float32(acc: Acc[float32]) -> dict[str, Any]:
    return {"D": acc + 1.0}


@pytest.mark.core
@pytest.mark.cxx
def test_no_point_lies_above_the_roof(monkeypatch: pytest.MonkeyPatch) -> None:
    plans = [lower(one) for one in (of_half, of_int8, of_float32)]
    programs = require_programs(plans, Compilation(observe=True, batch=len(plans)))
    monkeypatch.setattr(over_k, "observed", lambda some, *given: [programs[plan.name] for plan in some])
    peaks = []
    for plan in plans:
        costs, size = plan.arch.costs, (128, 256, 16)
        shallow = Profile(
            10**6, 0, {}, 0.0, costs["launch"], costs["mhz"], {}, [], plan.name, size, plan.buffers, 1, []
        )  # fmt: skip
        found = over_k.over_k([(plan, shallow)], ProfileOptions(cores=1))
        roofs = [min(found.peak, one.intensity * found.bandwidth) for one in found.points]
        assert all(one.rate <= roof for one, roof in zip(found.points, roofs, strict=True)), plan.name
        # A launch costs as much as all products of int8 take; the loads of one core take longer than those of half.
        near = {"of_half": 0.4, "of_int8": 0.3, "of_float32": 0.75}[plan.name]
        assert found.points[-1].k == 4096 and found.points[-1].rate > near * found.peak, plan.name
        peaks.append(found.peak)
    assert [peak / peaks[0] for peak in peaks] == [1, 2, 1 / 4]


def test_the_peak_in_digits_is_of_whole_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each row of A is three of digits, whose products take half as long as those of int8."""
    monkeypatch.setattr(over_k, "observed", lambda some, *given: [None for _ in some])
    monkeypatch.setattr(over_k, "cycles_of", lambda *given: 1)

    def peak(**gemm: Any) -> float:
        plan = lower(evt.Epilogue("of", of_int8.root, gemm=Gemm(a=int8, **gemm)))
        profile = Profile(1, 0, {}, 0.0, 1, 1, {}, [], plan.name, (16, 16, 16), plan.buffers, 1, [])
        return over_k.over_k([(plan, profile)], ProfileOptions(cores=1)).peak

    assert peak(b=int4, msd=True) / peak(b=int8) == pytest.approx(2 / 3)
    assert peak(b=int4) == peak(b=int8)


@pytest.mark.cxx
def test_a_time_is_kept_beside_its_program(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = lower(of_half)
    (program,) = require_programs([plan], Compilation(observe=True)).values()
    program.path.with_name("clock.jsonl").unlink(missing_ok=True)
    runs: list[int] = []

    def counted(*given: Any) -> Any:
        runs.append(1)
        return run_once(*given)

    monkeypatch.setattr(clock, "run_once", counted)

    def cycles(m: int = 128, shared: frozenset[str] = frozenset(), **settings: Any) -> int:
        problem = replace(plan.problem((m, 256, 64)), shared=shared)
        return clock.cycles_of(plan, problem, program, Settings(**settings))

    first = cycles()
    assert cycles() == first and cycles(timeout=1.0) == first and len(runs) == 1
    assert cycles(m=8192) > first and cycles(8192, cores=1) > cycles(8192) and len(runs) == 3
    # Names whose hashes meet lie in a set in the order in which they came, as all names do in other processes.
    both = ((frozenset(pair), frozenset(pair[::-1])) for pair in combinations(map(str, range(99)), 2))
    one, other = next((one, other) for one, other in both if [*one] != [*other])
    assert cycles(shared=one) == cycles(shared=other) and len(runs) == 4
    monkeypatch.setenv("EVTGEN_MODEL_SCALE", "loadLatency:4")
    assert cycles() > first and len(runs) == 5
