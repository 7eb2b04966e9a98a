"""K in slices, whose products all vector cores add up before the epilogue reads the sum."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from evtgen.check.gemm import MAX_SPLIT_K
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor, Visitor
from evtgen.graph.shapes import Problem
from evtgen.graph.types import ElementType, float32, half, int8, int32
from evtgen.model.data import operands
from evtgen.model.execution import Prepared, Run, Settings
from evtgen.model.programs import Compilation, require_programs
from evtgen.model.toolchain import Program
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Compute, RowReduce, RowReduced
from evtgen.passes.analysis.gemm import exceeds_stages, workspace_bytes
from evtgen.planner.plan import Plan, lower

KERNEL = "catlass/gemm/kernel/splitk_matmul_visitor.hpp"

TYPES: dict[str, tuple[ElementType, ElementType]] = {
    "rounded": (half, half), "whole": (half, float32), "bytes": (int8, int32), "phases": (half, float32),
}  # fmt: skip
"""Element types of the operands and of the accumulator: rounded as it is added up, or not."""


def split(name: str, slices: int, arch: str = "AtlasA2") -> Plan:
    """D = C + X, or also the sums of its columns, or C as it was loaded, or how far it is from the columns' largest; in
    blocks of 32 x 32, slices of 32 or more."""
    operand, c = TYPES[name]
    # A store of what is loaded takes the flags of UB that the sum has used
    loaded = TreeVisitor(AuxStore("E", c), AccLoad(c)) if name == "rounded" else AccLoad(c)
    total = TreeVisitor(Compute("Plus", c), loaded, AuxLoad("X", c))
    summed: Visitor = TreeVisitor(RowReduce("row", "Plus", c), total) if name == "whole" else total
    if name == "phases":
        summed = TreeVisitor(Compute("Minus", c), total, TreeVisitor(RowReduced("Maximum", c), total))
    root = TreeVisitor(AuxStore("D", c), summed)
    gemm = Gemm(operand, operand, l1=(32, 32, 32), l0=(32, 32, 32), split_k=slices)
    return lower(Epilogue(name, root, arch, gemm=gemm))


SLICES = {"rounded": 3, "whole": 256, "bytes": 5, "phases": 2}


@cache
def programs() -> dict[str, tuple[Plan, Program]]:
    plans = [split(name, slices) for name, slices in SLICES.items()]
    built = require_programs(plans, Compilation(batch=len(plans)))
    return {plan.name: (plan, built[plan.name]) for plan in plans}


def run(name: str, shape: tuple[int, int, int], cores: int, schedule: str = "recorded") -> Run:
    """One run, whose numbers are as they must be."""
    plan, program = programs()[name]
    given_ = operands(plan, shape, seed=1, data="int")
    with Prepared(plan, shape, given_) as prepared:
        done = prepared.run(program, Settings(strict=True, cores=cores, schedule=schedule))
    if done.error is None and not done.report["hazards"]:
        T = plan.element_c.numpy
        c = (given_.a.astype(np.float64) @ given_.b.astype(np.float64)).astype(T)
        total = (c.astype(np.float64) + given_.inputs["X"].astype(np.float64)).astype(T)
        if name == "phases":
            total -= total.max(axis=0)
        assert done.accumulator is not None and (done.accumulator == c).all()
        assert (done.outputs["D"] == total).all()
        if name == "rounded":
            assert (done.outputs["E"] == c).all()
        if name == "whole":
            assert (done.outputs["row"][0] == total.sum(axis=0)).all()
    return done


@pytest.mark.cxx
@example("rounded", (1, 1, 16), 20, "late")  # one slice, one element
@example("rounded", (70, 33, 64), 20, "random:1")  # fewer tiles of K than slices
@example("whole", (65, 70, 8192), 1, "recorded")  # several tiles of the sum; more blocks than a flag counts
@example("whole", (65, 70, 1000), 20, "random:2")
@example("phases", (65, 70, 100), 20, "late")
@example("phases", (1, 1, 16), 3, "random:1")
@example("bytes", (33, 200, 161), 2, "late")  # slices of two tiles and of one, the last of one element
@given(
    st.sampled_from(sorted(SLICES)),
    st.tuples(st.integers(1, 100), st.integers(1, 100), st.integers(1, 300)),
    st.integers(1, 24),
    st.sampled_from(["recorded", "late", "random:3"]),
)
@settings(max_examples=30, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_shape_and_number_of_cores_is_clean(
    name: str, shape: tuple[int, int, int], cores: int, schedule: str
) -> None:
    done = run(name, shape, cores, schedule)
    assert (done.error, done.report["hazards"]) == (None, [])


def test_the_cube_core_stores_its_products_unrounded() -> None:
    header = epilogue_files(split("rounded", 3), Framework())["rounded.hpp"]
    assert "using ElementAccumulator = float;" in header and "GemmType<ElementAccumulator, LayoutC>>" in header
    assert "SplitkMatmulVisitor<BlockMmad, BlockEpilogue, BlockScheduler, SPLITK_FACTOR>" in header
    assert "constexpr uint32_t SPLITK_FACTOR = 3;" in header and "WORKSPACE_STAGES" not in header


def test_the_sum_never_goes_through_ub() -> None:
    assert split("whole", 2, "Ascend950").gemm.handoff == "gm"
    assert split("whole", 1, "Ascend950").gemm.handoff == "ub"


def test_the_workspace_has_the_sum_and_all_products() -> None:
    assert workspace_bytes(split("rounded", 3).gemm, 10, 7, split("rounded", 3).arch, 20) == 70 * (2 + 3 * 4)
    assert workspace_bytes(split("bytes", 5).gemm, 10, 7, split("bytes", 5).arch, 20) == 70 * (4 + 5 * 4)


def test_the_blocks_of_all_slices_count() -> None:
    gemm = split("rounded", 3).gemm
    assert exceeds_stages(gemm, Problem.of((32 * 6, 32, 65)), 1)
    assert not exceeds_stages(gemm, Problem.of((32 * 6, 32, 64)), 1)


def test_the_most_slices_are_those_of_the_kernel() -> None:
    assert f"MAX_SPLITK_FACTOR = {MAX_SPLIT_K};" in framework_files(Framework())[KERNEL]
