"""The accumulator's way from the cube core to its vector cores: through blocks that are used again, or all of it."""

from __future__ import annotations

import subprocess
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, header_files
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.types import ElementType, float32, half
from evtgen.model import harness
from evtgen.model.data import operands
from evtgen.model.execution import Prepared, Run, Settings
from evtgen.model.programs import Compilation, require_programs
from evtgen.model.toolchain import Program, compile_program, find_compiler
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Compute, RowReduce
from evtgen.passes.analysis.gemm import PINGPONG, PRELOADING, workspace_bytes
from evtgen.planner.plan import Plan, lower
from evtgen.verify import Options, verify_plans

from ..support import seeds
from ..support.cpp import INCLUDES, write

pytestmark = pytest.mark.cxx

HANDOFF = "catlass/gemm/kernel/accumulator_handoff.hpp"
STAGES = (0, 1, 2, 3, 15)
AHEAD = (0, 1, 2)
"""Of plans that load the next block before this one is stored."""


def added(name: str, stages: int | None, T: ElementType = half, policy: str = PINGPONG) -> Plan:
    """D = C + X, and the sums of its columns; blocks of 32 x 32."""
    total = TreeVisitor(Compute("Plus", T), AccLoad(T), AuxLoad("X", T))
    root = TreeVisitor(AuxStore("D", T), TreeVisitor(RowReduce("row", "Plus", T), total))
    gemm = Gemm(l1=(32, 32, 32), l0=(32, 32, 16), workspace_stages=stages, policy=policy)
    return lower(Epilogue(name, root, gemm=gemm))


def stored(name: str, stages: int) -> Plan:
    """D = C, which is stored from where it was loaded."""
    gemm = Gemm(l1=(32, 32, 32), l0=(32, 32, 16), workspace_stages=stages, policy=PINGPONG)
    return lower(Epilogue(name, TreeVisitor(AuxStore("D", float32), AccLoad(float32)), gemm=gemm))


@cache
def programs() -> dict[str, tuple[Plan, Program]]:
    plans = [added(f"added_{stages}", stages) for stages in STAGES]
    plans += [stored("stored", 2), added("wide", 1, float32)]
    plans += [added(f"ahead_{stages}", stages, float32, PRELOADING) for stages in AHEAD]
    built = require_programs(plans, Compilation(batch=len(plans)))
    return {plan.name: (plan, built[plan.name]) for plan in plans}


def run(plan: Plan, program: Program, m: int, n: int, cores: int | None, *, k: int = 5, clock: bool = False) -> Run:
    """One run, whose numbers are as they must be."""
    given_ = operands(plan, (m, n, k), seed=1, data="int")
    with Prepared(plan, (m, n, k), given_) as prepared:
        done = prepared.run(program, Settings(strict=True, cores=cores, clock=clock))
    if done.error is None and not done.report["hazards"]:
        product = given_.a.astype(np.float64) @ given_.b.astype(np.float64)
        total = product + given_.inputs["X"].astype(np.float64) if "X" in given_.inputs else product
        assert done.accumulator is not None
        assert (done.accumulator.astype(np.float64) == product).all()
        assert (done.outputs["D"].astype(np.float64) == total).all()
        if "row" in done.outputs:
            assert (done.outputs["row"].astype(np.float64)[0] == total.sum(axis=0)).all()
    return done


@example("added_2", 20, 576, 8)  # two blocks more than the workspace has
@example("added_2", 200, 30, 8)  # fewer blocks than cores
@example("added_1", 33, 200, 1)  # the second vector core has no rows in every second block
@example("added_2", 1, 200, 1)  # nor in any
@example("added_0", 200, 200, 2)  # more blocks than a flag counts
@example("added_15", 200, 200, 2)
@example("stored", 100, 200, 3)
@example("wide", 100, 200, 3)
@example("ahead_0", 200, 200, 2)
@example("ahead_1", 33, 200, 1)
@example("ahead_2", 200, 200, 2)
@example("ahead_2", 20, 30, 8)
@given(
    st.sampled_from(
        [*(f"added_{stages}" for stages in STAGES), *(f"ahead_{stages}" for stages in AHEAD), "stored", "wide"]
    ),
    st.integers(1, 200),
    st.integers(1, 200),
    st.integers(1, 8),
)
@settings(max_examples=100, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_number_of_blocks_and_cores_is_clean(name: str, m: int, n: int, cores: int) -> None:
    plan, program = programs()[name]
    done = run(plan, program, m, n, cores, k=70 if name.startswith("ahead") else 5)  # three tiles of K, or one
    assert (done.error, done.report["hazards"]) == (None, [])


def test_a_core_that_loads_ahead_waits_for_less() -> None:
    """With one block in the workspace the loads of the next run while the vector cores read; with the whole
    accumulator nobody waits, and both policies take as long."""

    def cycles(plan: Plan, program: Program) -> int:
        return int(run(plan, program, 200, 200, 2, k=70, clock=True).report["stats"]["launches"][0]["makespan"])

    plain, ahead, unhindered = (cycles(*programs()[name]) for name in ("wide", "ahead_1", "ahead_0"))
    assert unhindered < ahead < 0.9 * plain


def with_changes(plan: Plan, *changes: tuple[str, str]) -> dict[str, str]:
    """The plan's headers with ``changes`` of the handoff, each of one place."""
    headers = header_files([plan], Framework())
    for old, new in changes:
        assert headers[HANDOFF].count(old) == 1
        headers[HANDOFF] = headers[HANDOFF].replace(old, new)
    return headers


def compiled(plan: Plan, main: str, *changes: tuple[str, str]) -> Program:
    """``main`` with the plan's header, and with ``changes`` of the kernel's."""
    headers, flags = with_changes(plan, *changes), ("-DCATLASS_ARCH=2201",)
    return compile_program(find_compiler(), main, headers, extra_flags=flags, system=INCLUDES)


@pytest.mark.parametrize("clamped", [True, False])
def test_cores_that_the_workspace_has_no_blocks_for_take_none(clamped: bool) -> None:
    plan = added("added", 2)
    main = harness.source([plan])
    for old, new in (
        ("platform_ascendc::PlatformAscendCManager::GetInstance()->GetCoreNumAic()", "3"),
        ("adapter(stream, cores", "adapter(stream, 7"),
    ):
        assert main.count(old) == 1
        main = main.replace(old, new)
    unclamped = ("coreNum < aicCoreNum ? coreNum : aicCoreNum", "coreNum")
    program = compiled(plan, main, *([] if clamped else [unclamped]))
    found = {hazard["code"] for hazard in run(plan, program, 200, 200, 7).report["hazards"]}
    assert not found if clamped else {"EVT101", "EVT102"} <= found


SIZES = """
#include "kernel_operator.h"
#include "add.hpp"
#include <cstdio>
using namespace Catlass;
using Kernel = Evt::add::Kernel;
template <uint32_t STAGES>
using With = Gemm::Kernel::MatmulVisitor<Kernel::BlockMmad, Kernel::BlockEpilogue, Kernel::BlockScheduler, STAGES>;

int main()
{
    uint8_t byte;
    for (uint32_t m : {1u, 1000u, 32768u}) {
        GemmCoord const shape{m, 32768, 64};
        std::printf("%zu %zu %zu %zu\\n",
            Kernel::GetWorkspaceSize({shape, &byte, &byte, {}, 24}),
            Kernel::GetWorkspaceSize({shape, &byte, &byte, {}}),
            With<2>::GetWorkspaceSize({shape, &byte, &byte, {}, 20}),
            With<0>::GetWorkspaceSize({shape, &byte, &byte, {}, 24}));
    }
    Evt::add::Arguments add;
    add.X = add.D = &byte;
    add.layoutX = add.layoutD = layout::RowMajor{1, 1};
    return Kernel::CanImplement({{1, 1, 1}, &byte, &byte, add.ToEvt(), 1})
            && !Kernel::CanImplement({{1, 1, 1}, &byte, &byte, add.ToEvt(), 0}) ? 0 : 1;
}
"""


def test_the_workspace_does_not_grow_with_the_problem() -> None:
    plan = seeds.plan(seeds.ADD)
    done = subprocess.run([compiled(plan, SIZES).path], check=True, capture_output=True, text=True)
    lines = [list(map(int, line.split())) for line in done.stdout.splitlines()]
    block = 128 * 256 * 2
    assert lines == [[72 * block, 96 * block, 40 * block, m * 32768 * 2] for m in (1, 1000, 32768)]
    assert lines[-1][0] == 4718592 and lines[-1][-1] == 2 << 30
    assert workspace_bytes(plan.gemm, 32768, 32768, plan.arch, 24) == 4718592


def test_only_an_epilogue_that_reads_the_accumulator_has_it_in_blocks() -> None:
    unread = lower(Epilogue("unread", TreeVisitor(AuxStore("D", half), AuxLoad("X", half))))
    assert (unread.gemm.workspace_stages, added("added", None).gemm.workspace_stages) == (0, 3)
    assert [added("added", stages).gemm.workspace_stages for stages in STAGES] == list(STAGES)
    texts = [epilogue_files(plan, Framework())[f"{plan.name}.hpp"] for plan in (unread, added("added", 3))]
    assert ["WORKSPACE_STAGES = 0;" in texts[0], "WORKSPACE_STAGES" in texts[1]] == [True, False]


WAIT = ("Arch::CrossCoreWaitFlag(flagAivFinishLoad);", "")
SET = ("Arch::CrossCoreSetFlag<SYNC_MODE_GROUP, PIPE_MTE2>(flagAivFinishLoad);", "")


@pytest.mark.parametrize(
    ("changes", "codes"),
    [((WAIT,), {"EVT126", "EVT127", "EVT136"}), ((SET,), {"EVT111", "EVT132"}), ((WAIT, SET), {"EVT126", "EVT127"})],
    ids=["no wait", "no set", "neither"],
)
def test_verify_sees_at_its_default_shapes_what_does_not_wait(
    tmp_path: Path, changes: tuple[tuple[str, str], ...], codes: set[str]
) -> None:
    plan = seeds.plan(seeds.ADD)
    write(tmp_path, with_changes(plan, *changes))
    results = verify_plans([plan], Options(data="int", headers=tmp_path))
    assert {hazard["code"] for result in results for hazard in result.hazards} == codes
    assert not all(result.ok for result in results)
