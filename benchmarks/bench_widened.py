"""Weights of 8 bits: matmuls whose B vector cores widen, beside the same with a B of the type that is multiplied."""

from __future__ import annotations

from collections.abc import Iterator

from evtgen import Epilogue, Gemm, TreeVisitor, float8_e4m3fn, float32, half, int8
from evtgen.kernels import Matmuls
from evtgen.nodes import AccLoad, AuxStore, Cast
from evtgen.planner.plan import Plan, lower
from evtgen.targets import ARCHITECTURES

from . import clock

SHAPES = ((16, 4096, 4096), (1, 4096, 11008), (64, 8192, 8192), (2048, 4096, 4096))
SEVERAL = ((16, 4096, 4096), 8)
"""The shape of each matmul of a batch or of groups, and how many there are."""

GEMMS = {"w8_half": Gemm(half, int8), "w_float8": Gemm(half, float8_e4m3fn), "w16_half": Gemm(half, half)}


BATCH = Gemm(half, int8, batch=True, scale="column")
GROUPS = Gemm(half, int8, group="m", scale="column")


def plan_of(name: str, gemm: Gemm, arch: str) -> Plan:
    """D = C, rounded to half."""
    root = TreeVisitor(AuxStore("D", half), TreeVisitor(Cast(half, float32, "CAST_RINT"), AccLoad(float32)))
    return lower(Epilogue(name, root, gemm=gemm, arch=arch))


def several(arch: str) -> Iterator[str]:
    """A batch and groups of rows of half x int8 with scales of columns, in kilocycles."""
    (m, n, k), count = SEVERAL
    plans = {"batch": plan_of("batch", BATCH, arch), "groups": plan_of("groups", GROUPS, arch)}
    asked = {"batch": Matmuls(batch=count), "groups": Matmuls(groups=(m,) * count)}
    programs = clock.programs(plans.values())
    for name, plan in plans.items():
        shape = (m if name == "batch" else m * count, n, k)
        cycles = clock.cycles(programs[name], plan, shape, asked=asked[name])
        yield f"{arch:9} {asked[name].text((m, n, k), ' x '):40} kcycles, {name}: {cycles / 1000:.1f}"


def run() -> Iterator[str]:
    """Each architecture and shape: kilocycles of half x int8, half x float8, and half x half; then of several."""
    for arch in ARCHITECTURES:
        plans = [plan_of(name, gemm, arch) for name, gemm in GEMMS.items()]
        programs = clock.programs(plans)
        for shape in SHAPES:
            cells = (f"{plan.name}: {clock.cycles(programs[plan.name], plan, shape) / 1000:.1f}" for plan in plans)
            yield f"{arch:9} {' x '.join(map(str, shape)):18} kcycles, " + "   ".join(cells)
        yield from several(arch)
