"""Split-K: matmul + bias with few blocks and a long K, by the number of slices."""

from __future__ import annotations

from collections.abc import Iterator

from evtgen import Epilogue, Gemm, TreeVisitor, half
from evtgen.nodes import AccLoad, AuxStore, Compute, RowBroadcast
from evtgen.planner.plan import Plan, lower

from . import clock

SHAPES = ((128, 256, 8192), (256, 512, 4096), (1024, 1024, 4096), (2048, 2048, 2048))
SLICES = (1, 2, 4, 8, 16, 24)


def plan_of(slices: int) -> Plan:
    """D = C + bias in half."""
    total = TreeVisitor(Compute("Plus", half), AccLoad(half), RowBroadcast("bias", half))
    return lower(Epilogue(f"split_{slices}", TreeVisitor(AuxStore("D", half), total), gemm=Gemm(split_k=slices)))


def run() -> Iterator[str]:
    """Each shape: kilocycles without slices, and their ratio to that with each number of them."""
    plans = [plan_of(slices) for slices in SLICES]
    programs = clock.programs(plans)
    for shape in SHAPES:
        plain, *split = (clock.cycles(programs[plan.name], plan, shape) for plan in plans)
        cells = (f"{slices}: {cycles / plain:.3f}" for slices, cycles in zip(SLICES[1:], split, strict=True))
        yield f"{' x '.join(map(str, shape)):18} {plain / 1000:8.1f} kcycles, in slices " + "   ".join(cells)
