"""Weights of 8 bits: matmuls whose B vector cores widen, beside the same with a B of the type that is multiplied."""

from __future__ import annotations

from collections.abc import Iterator

from evtgen import Epilogue, Gemm, TreeVisitor, float8_e4m3fn, float32, half, int8
from evtgen.nodes import AccLoad, AuxStore, Cast
from evtgen.planner.plan import Plan, lower
from evtgen.targets import ARCHITECTURES

from . import clock

SHAPES = ((16, 4096, 4096), (1, 4096, 11008), (64, 8192, 8192), (2048, 4096, 4096))
GEMMS = {"w8_half": Gemm(half, int8), "w_float8": Gemm(half, float8_e4m3fn), "w16_half": Gemm(half, half)}


def plan_of(name: str, gemm: Gemm, arch: str) -> Plan:
    """D = C, rounded to half."""
    root = TreeVisitor(AuxStore("D", half), TreeVisitor(Cast(half, float32, "CAST_RINT"), AccLoad(float32)))
    return lower(Epilogue(name, root, gemm=gemm, arch=arch))


def run() -> Iterator[str]:
    """Each architecture and shape: kilocycles of half x int8, half x float8, and half x half."""
    for arch in ARCHITECTURES:
        plans = [plan_of(name, gemm, arch) for name, gemm in GEMMS.items()]
        programs = clock.programs(plans)
        for shape in SHAPES:
            cells = (f"{plan.name}: {clock.cycles(programs[plan.name], plan, shape) / 1000:.1f}" for plan in plans)
            yield f"{arch:9} {' x '.join(map(str, shape)):18} kcycles, " + "   ".join(cells)
