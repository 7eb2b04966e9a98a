"""The search for the fastest kernel: the default, the kernel that is found, and the fastest of all. Aims: 1.00, 1.02.

Exhaustive is the search of a space that is small enough: eight tiles and three numbers of slices. In it the search has
a fourth of the runs, and in the whole space those of ``evtgen tune``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace

from evtgen.frontend.load import load
from evtgen.graph.ir import Epilogue
from evtgen.graph.shapes import Shape
from evtgen.measure.clock import Job, timed
from evtgen.measure.estimate import estimated
from evtgen.measure.search import Clock, search
from evtgen.measure.space import Axes, Point, Space, applied, axes_of
from evtgen.model.workers import each
from evtgen.planner.plan import Plan, lower

from .bench_gallery import SPECS

NAMES: tuple[str, ...] = ("bias_gelu", "softmax", "dequant_per_channel")
SHAPES: tuple[Shape, ...] = ((16, 4096, 4096), (2048, 4096, 4096))
RUNS = 48
FEW = 6

TILES = (
    (16, 256, 256), (16, 512, 256), (32, 256, 256), (64, 256, 256), (64, 512, 128), (128, 128, 256), (256, 128, 256),
)  # fmt: skip
SMALL: Axes = {
    "tiles": [{}, *({"l1": l1, "l0": None} for l1 in TILES)],
    "split_k": [{"split_k": count} for count in (1, 2, 4)],
}


def run() -> Iterator[str]:
    """Each epilogue and shape: cycles of the default, of the small space and of the whole one, and the runs."""
    gallery = {one.name: one for path in SPECS for one in load([path])}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for name in NAMES:
            for shape in SHAPES:
                yield f"{name:22} {'x'.join(map(str, shape)):14} {_cells(gallery[name], shape, pool)}"


def _cells(epilogue: Epilogue, shape: Shape, pool: Executor) -> str:
    small = Space(replace(epilogue, function=None), SMALL)
    whole = Space(small.epilogue, axes_of(lower(epilogue)))
    known: dict[str, int | None] = {}

    def formula(plan: Plan) -> float:
        return estimated(plan, plan.problem(shape))

    def clock_of(space: Space) -> Clock:
        def clock(points: Sequence[Point]) -> list[int | None]:
            made = [applied(space.epilogue, space.fields(point)) for point in points]
            jobs = {repr(one): Job(one, shape) for one in made if repr(one) not in known}
            known.update((key, one.cycles) for key, one in zip(jobs, each(timed, jobs.values(), pool), strict=True))
            return [known[repr(one)] for one in made]

        return clock

    every = search(small, clock_of(small), formula, runs=small.size)
    few = search(small, clock_of(small), formula, runs=min(FEW, every.runs))
    found = search(whole, clock_of(whole), formula, runs=RUNS)
    default = found.cycles[whole.own]
    best, near, tuned = (one.cycles[one.order[0]] for one in (every, few, found))
    return (
        f"default {default:9,}   of {every.runs} kernels {best:9,} ({default / best:.3f}), with {few.runs} runs "
        f"{near:9,} ({near / best:.3f})   with {found.runs} of the whole space {tuned:9,} ({default / tuned:.3f})"
    )
