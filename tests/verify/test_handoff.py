"""Ascend950: the accumulator goes through the workspace, or through UB, and the outputs are the same."""

from __future__ import annotations

import math
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from docs.generate.gallery import epilogues
from evtgen import Acc, epilogue, ops
from evtgen.check import check, has_errors
from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor, flatten
from evtgen.graph.types import float32, half
from evtgen.model.data import operands
from evtgen.model.execution import Prepared, Settings
from evtgen.model.programs import require_programs
from evtgen.model.toolchain import compile_program, find_compiler
from evtgen.nodes import KEPT, MADE_KINDS, NODE_KINDS, AccLoad, AuxStore, KeptLoad, KeptStore, ResidentAccLoad
from evtgen.passes.analysis.gemm import PINGPONG, PRELOADING
from evtgen.planner.handoff import splits
from evtgen.planner.plan import Plan, lower
from evtgen.report.verification import failures
from evtgen.targets import Ascend950
from evtgen.verify import Options, Result, verify_plans

from ..support import seeds
from ..support.cpp import INCLUDES, write
from ..support.epilogues import FULL, every_reduction_again, everything, everything_of_columns, everything_of_rows
from ..support.right import right
from ..support.wide import verified

pytestmark = pytest.mark.cxx

HANDOFFS = ("gm", "ub")
TILES = {"l1": (32, 32, 32), "l0": (32, 32, 16)}
"""Of small blocks: 21 in 87 x 198."""

SHAPES = ((87, 198, 40), (1, 1, 16), (1, 200, 5))

ROW = (1, 41 * 32)
"""Blocks of a single row, of which the second vector core has nothing, and more of them than a flag counts."""

ACCUMULATOR = {"gm": half, "ub": float32}
"""Rounded on its way to GM; UB takes it as it is."""

ADDED = {"gm": replace(seeds.ADD, name="added"), "ub": replace(seeds.ADD_FLOAT, name="added")}


def stored(handoff: str) -> Epilogue:
    T = ACCUMULATOR[handoff]
    return Epilogue("stored", TreeVisitor(AuxStore("D", T), AccLoad(T)))


def on(epilogue: Epilogue, handoff: str, stages: int | None = None, policy: str = PINGPONG) -> Plan:
    """Its plan for Ascend950, in small blocks."""
    gemm = Gemm(**TILES, handoff=handoff, workspace_stages=stages, policy=policy)  # type: ignore[arg-type]
    placed = replace(epilogue, arch="Ascend950", gemm=gemm)
    assert not has_errors(check(placed))
    plan = lower(placed)
    assert (plan.gemm.handoff, plan.ub_workspace > 0) == (handoff, handoff == "ub")
    return plan


def plans(handoff: str) -> list[Plan]:
    """Every kind of node and every reduction; with one stage and two, a store of the accumulator itself and matmul +
    add; through GM one that loads ahead. One program."""
    return [
        on(everything(acc=ACCUMULATOR[handoff], rounding="CAST_RINT"), handoff),
        *(
            on(replace(small, name=f"{small.name}_{stages}"), handoff, stages)
            for small in (stored(handoff), ADDED[handoff])
            for stages in (1, 2)
        ),
        *(on(replace(ADDED[way], name="ahead"), way, 1, PRELOADING) for way in (handoff,) if way == "gm"),
    ]


def options(handoff: str, **more: object) -> Options:
    return replace(Options(together=len(plans(handoff)), data="int", strict=True), **more)  # type: ignore[arg-type]


def clean(results: list[Result]) -> None:
    assert all(one.ok and not one.hazards and not one.differing for one in results), [
        line for one in results for line in failures(one)
    ]


@pytest.mark.parametrize("handoff", HANDOFFS)
def test_every_node_is_right_in_any_order(handoff: str) -> None:
    """On one core too, where blocks are used again: 21 of them through one or two, and through GM three."""
    clean(verify_plans(plans(handoff), options(handoff, shapes=SHAPES)))
    schedules = 20 if FULL else 2
    results = verify_plans(plans(handoff), options(handoff, shapes=SHAPES[:1], schedules=schedules))
    clean(results)
    assert all(one.schedules == schedules + 2 for one in results)


def causal(acc: Acc[evt.float32]) -> dict[str, Any]:
    """Rows that are reduced within a band."""
    return {"D": ops.softmax(ops.where(ops.col_index() <= ops.row_index(), acc * 0.125, -math.inf))}


def others() -> list[Plan]:
    """What other tests run on Atlas A2 alone: parts, heads, blocks, ranks, sums of A, whole rows, bands, and values
    that a later phase reads; behind the other kernels, too."""
    columns, rows, phases = everything_of_columns(), everything_of_rows(), every_reduction_again()
    places = everything(acc=float32, rounding="CAST_RINT")
    some = [
        columns,
        rows,
        epilogue(arch="Ascend950")(causal),
        replace(phases, gemm=Gemm(workspace_stages=2)),
        replace(columns, name="columns_of_groups", gemm=Gemm(group="m")),
        replace(columns, name="columns_of_slices", gemm=Gemm(split_k=2)),
        replace(rows, name="rows_of_a_batch", gemm=Gemm(batch=True)),
        replace(places, name="places_of_a_batch", gemm=Gemm(batch=True)),
    ]
    placed = [replace(one, arch="Ascend950") for one in some]
    assert not any(has_errors(check(one)) for one in placed)
    return [lower(one) for one in placed]


ELSEWHERE = {
    "AccDigits": "Ascend950 multiplies no int4",
    "DecodeFloat8": "Ascend950 casts floats of 8 bits",
    "BlockBroadcast": "tests/kernels/test_widened.py",
    "WideStore": "tests/kernels/test_widened.py",
}
"""Nodes that no plan here has, with the test that runs them on Ascend950, or why it has none."""


def test_no_node_is_missing() -> None:
    """Of those that a user writes, that a pass or the planner makes, and that a phase keeps."""
    every = {*NODE_KINDS.values(), *MADE_KINDS, *KEPT.values(), KeptLoad, KeptStore, ResidentAccLoad}
    made = [*plans("gm"), *plans("ub"), *others()]
    found: set[type] = {type(node) for plan in made for graph in plan.graphs for _, node in graph.nodes()}
    found |= {type(step.node) for plan in made for step in flatten(plan.epilogue.root)}
    assert {kind.__name__ for kind in every - found} == ELSEWHERE.keys()


def test_every_other_node_is_right() -> None:
    # What is left of a single row, or column, less its mean is 0, by which the phases divide.
    some = others()
    options = Options(shapes=SHAPES[:1], strict=True, schedules=1, together=len(some))
    assert len(right(verified(some, options))) == len(some) * 2
    short = [plan for plan in some if plan.name != "every_reduction_again"]
    assert len(right(verified(short, replace(options, shapes=SHAPES[1:])))) == len(short) * len(SHAPES[1:]) * 2


@pytest.mark.parametrize("handoff", HANDOFFS)
@pytest.mark.parametrize("cores", [1, 2, 5])
def test_blocks_that_are_used_again(handoff: str, cores: int) -> None:
    """Odd numbers of rows; blocks of which the second vector core has none; blocks of all cores and not."""
    built = require_programs(plans(handoff), options(handoff).compilation)
    for plan in plans(handoff)[1:]:
        for m, n in ((1, 200), (33, 95), (87, 198), (32, 32), ROW):
            given = operands(plan, (m, n, 5), seed=1, data="int")
            with Prepared(plan, (m, n, 5), given) as prepared:
                done = prepared.run(built[plan.name], Settings(strict=True, cores=cores))
            assert (done.error, done.report["hazards"]) == (None, [])
            expected = given.a.astype(np.float64) @ given.b.astype(np.float64)
            expected += given.inputs["X"].astype(np.float64) if "X" in given.inputs else 0
            assert (done.outputs["D"].astype(np.float64) == expected).all()


def errors_of(plan: Plan, shape: tuple[int, int, int], root: Path, path: str, old: str, new: str) -> list[Any]:
    """What is wrong with a header of a plan changed."""
    files = header_files([plan], Framework())
    assert files[path].count(old) == 1
    write(root, {**files, path: files[path].replace(old, new)})
    (result,) = verify_plans([plan], Options(shapes=(shape,), data="int", headers=root))
    assert not result.ok
    return [hazard for hazard in result.hazards if hazard["severity"] == "error"]


def test_a_stored_accumulator_is_released_after_its_store(tmp_path: Path) -> None:
    """D = C stores from the block: released by V, the cube core would overwrite what MTE3 still reads."""
    path, old = "catlass/gemm/kernel/accumulator_handoff.hpp", "EVT::StoresResident() ? PIPE_MTE3 : PIPE_V"
    races = errors_of(on(stored("ub"), "ub", 1), SHAPES[0], tmp_path, path, old, "PIPE_V")
    assert any({site["pipe"] for site in race["sites"]} == {"FIX", "MTE3"} for race in races)


def test_a_vector_core_without_rows_waits_for_each_block(tmp_path: Path) -> None:
    """MTE3 has nothing to do there. Without a barrier it would release all blocks to come at once."""
    path, old = "catlass/epilogue/block/block_epilogue_visitor.hpp", "} else if constexpr (EVT::StoresResident()) {"
    found = errors_of(on(stored("ub"), "ub", 2), (*ROW, 16), tmp_path, path, old, "} else if constexpr (false) {")
    assert "EVT135" in {hazard["code"] for hazard in found}


ASKED = """
#include "kernel_operator.h"
#include "gm.hpp"
#include "ub.hpp"
#include <cstdio>
using namespace Catlass;
uint8_t byte;

template <class Kernel, class Named>
void Ask()
{
    Named named{};
    named.X = named.D = &byte;
    named.layoutX = named.layoutD = layout::RowMajor{5, 7};
    auto answer = [&](GemmCoord shape, GM_ADDR a, uint32_t cores) {
        return Kernel::CanImplement({shape, a, &byte, named.ToEvt(), cores}) ? "yes" : "no";
    };
    std::printf("%s %s %s %s %zu\\n", answer({5, 7, 1}, &byte, 1), answer({5, 7, 1}, &byte, 0),
        answer({5, 8, 1}, &byte, 1), answer({5, 7, 1}, nullptr, 1),
        Kernel::GetWorkspaceSize({{5, 7, 1}, &byte, &byte, named.ToEvt(), 20}));
}

int main()
{
    Ask<Evt::gm::Kernel, Evt::gm::Arguments>();
    Ask<Evt::ub::Kernel, Evt::ub::Arguments>();
}
"""


def test_what_the_kernel_says_before_a_launch() -> None:
    both = [on(replace(ADDED[handoff], name=handoff), handoff) for handoff in HANDOFFS]
    headers = header_files(both, Framework())
    flags = ["-DCATLASS_ARCH=3510"]
    program = compile_program(find_compiler(), ASKED, headers, extra_flags=flags, system=INCLUDES)
    done = subprocess.run([program.path], capture_output=True, text=True, check=True)
    said = "yes no no no"
    assert done.stdout.splitlines() == [f"{said} {20 * 3 * 32 * 32 * 2}", f"{said} 0"]


@pytest.mark.skipif(not FULL, reason="EVTGEN_FULL is not 1")
@pytest.mark.parametrize("handoff", HANDOFFS)
def test_the_gallery(handoff: str) -> None:
    every = [replace(e, gemm=replace(e.gemm, handoff=handoff)) for _, e in epilogues("Ascend950")]
    if handoff == "ub":
        every = [epilogue for epilogue in every if splits(lower(epilogue).gemm, Ascend950)]
    assert len(every) >= {"gm": 43, "ub": 30}[handoff] and not any(has_errors(check(epilogue)) for epilogue in every)
    shapes = ((256, 512, 64), (87, 198, 40), (1, 1, 16), (129, 33, 16), (5, 4099, 16))
    clean(verify_plans([lower(epilogue) for epilogue in every], Options(together=8, shapes=shapes, strict=True)))
