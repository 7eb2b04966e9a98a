"""Weights of int8: vector cores cast B to the type of A, then the matmul begins."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor
from evtgen.graph.types import ColumnMajor, ElementType, Layout, RowMajor, bfloat16, float32, half, int8
from evtgen.model.data import operands
from evtgen.model.execution import Prepared, Settings
from evtgen.model.programs import Compilation, require_programs
from evtgen.model.toolchain import Program
from evtgen.nodes import AccLoad, AuxStore, Compute, RowReduced
from evtgen.operators.arrays import dtype
from evtgen.planner.plan import Plan, lower
from evtgen.report.verification import failures
from evtgen.verify import Options, verify_plans

from ..support.cpp import write

pytestmark = pytest.mark.cxx

KERNEL = "catlass/gemm/kernel/w8a16_matmul_visitor.hpp"
ARCHES = ("AtlasA2", "Ascend950")


@cache
def plans(arch: str) -> tuple[Plan, ...]:
    """D = C in blocks of 32 x 32, for every type that B is cast to, and both ways that it may lie; on AtlasA2 also how
    far C is from its columns' largest, in two phases."""

    def stored(T: ElementType, layout: Layout) -> Plan:
        gemm = Gemm(T, int8, l1=(32, 32, 32), l0=(32, 32, 16), layout_b=layout)
        root = TreeVisitor(AuxStore("D", float32), AccLoad(float32))
        return lower(Epilogue(f"stored_{T}_{layout}", root, gemm=gemm, arch=arch))

    acc = AccLoad(float32)
    off = TreeVisitor(Compute("Minus", float32), acc, TreeVisitor(RowReduced("Maximum", float32), acc))
    gemm = Gemm(half, int8, l1=(32, 32, 32), l0=(32, 32, 16))
    phases = lower(Epilogue("phases", TreeVisitor(AuxStore("D", float32), off), gemm=gemm, arch=arch))
    each = stored(half, RowMajor), stored(bfloat16, RowMajor), stored(half, ColumnMajor)
    return (*each, phases) if arch == "AtlasA2" else each


@cache
def programs(arch: str) -> dict[str, Program]:
    return require_programs(plans(arch), Compilation(batch=4))


@pytest.mark.parametrize("arch", ARCHES)
def test_it_is_right_in_any_order(arch: str) -> None:
    """More rows of B than vector cores, and fewer; rows longer than a tile, and shorter than a block of 32 bytes."""
    shapes = ((87, 198, 120), (1, 1, 1), (3, 4099, 17))
    results = verify_plans(plans(arch), Options(together=4, shapes=shapes, data="int", strict=True, schedules=5))
    assert len(results) == 3 * len(plans(arch))
    assert all(one.ok and not one.hazards for one in results), [line for one in results for line in failures(one)]


@pytest.mark.parametrize("arch", ARCHES)
@pytest.mark.parametrize("cores", [1, 5])
def test_every_weight_is_cast_exactly(arch: str, cores: int) -> None:
    """Each value of int8, times one."""
    shape = (256, 1, 256)
    for plan in plans(arch)[:3]:
        given = operands(plan, shape, seed=1, data="int")
        weights = np.arange(-128, 128, dtype=np.int8).reshape(256, 1)
        given = replace(given, a=np.eye(256, dtype=dtype(plan.operands[0])), b=weights)
        with Prepared(plan, shape, given) as prepared:
            done = prepared.run(programs(arch)[plan.name], Settings(strict=True, cores=cores))
        assert (done.error, done.report["hazards"]) == (None, [])
        assert (done.outputs["D"] == weights).all()


def test_no_matmul_begins_before_all_vector_cores_are_done(tmp_path: Path) -> None:
    """A cube core that only waits for the vector cores of its own group reads what others have not cast."""
    plan, barrier = plans("AtlasA2")[0], "Arch::CrossCoreBarrier<SYNC_MODE_ALL, PIPE_MTE3>();"
    files = header_files([plan], Framework())
    assert files[KERNEL].count(barrier) == 1
    write(tmp_path, {**files, KERNEL: files[KERNEL].replace(barrier, "")})
    (result,) = verify_plans([plan], Options(shapes=((87, 198, 120),), data="int", headers=tmp_path))
    races = [hazard for hazard in result.hazards if hazard["severity"] == "error"]
    assert not result.ok and any({site["pipe"] for site in race["sites"]} == {"FIX", "MTE3"} for race in races)
