"""The search for the fastest kernel: the default, the kernel that is found, and the fastest of all. Aims: 1.00, 1.02.

Exhaustive is the search of a space that is small enough: eight tiles and three numbers of slices. In it the search has
a fourth of the runs, and in the whole space those of ``evtgen tune``.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor
from dataclasses import replace

from evtgen.frontend.dispatch import applied
from evtgen.frontend.load import load
from evtgen.graph.ir import Epilogue
from evtgen.graph.shapes import Shape
from evtgen.measure.clock import Job, timed
from evtgen.measure.estimate import estimated
from evtgen.measure.search import Clock, search
from evtgen.measure.space import Axes, Point, Space, axes_of
from evtgen.model.workers import each, spread
from evtgen.options import parse_shape
from evtgen.planner.plan import Plan, lower

from .bench_gallery import SPECS

NAMES: tuple[str, ...] = (
    "bias_gelu", "bias_silu", "residual_bias", "swiglu_gate", "swiglu", "alpha_beta", "qkv_rope", "qkv_split",
    "lora_residual", "linear_residual_nz", "w8a8_static", "w8a8_dynamic", "dequant_per_channel", "dequant_both",
    "quant_per_token", "softmax", "add_rms_norm", "layer_norm", "top1_gate", "w8a16_linear",
)  # fmt: skip
SHAPES: tuple[Shape, ...] = (
    (1, 4096, 4096), (16, 4096, 4096), (16, 28672, 8192), (2048, 4096, 4096), (2048, 8192, 8192), (8192, 4096, 4096),
)  # fmt: skip
"""Layers of models of 7 and 70 billion parameters: decoding 1 and 16 tokens, and prefills."""

RUNS = 48
FEW = 6
JOBS: int | None = None
DASK: str | None = None

TILES = (
    (16, 256, 256), (16, 512, 256), (32, 256, 256), (64, 256, 256), (64, 512, 128), (128, 128, 256), (256, 128, 256),
)  # fmt: skip
SMALL: Axes = {
    "tiles": [{}, *({"l1": l1, "l0": None} for l1 in TILES)],
    "split_k": [{"split_k": count} for count in (1, 2, 4)],
}


def run() -> Iterator[str]:
    """Each epilogue and shape: cycles of the default, of the small space and of the whole one, runs and seconds."""
    gallery = {one.name: one for path in SPECS for one in load([path])}
    with spread(None, JOBS, DASK) as executor:
        for name in NAMES:
            for shape in SHAPES:
                yield f"{name:20} {'x'.join(map(str, shape)):14} {_cells(gallery[name], shape, executor)}"


def _cells(epilogue: Epilogue, shape: Shape, executor: Executor | None) -> str:
    small = Space(replace(epilogue, function=None), SMALL)
    whole = Space(small.epilogue, axes_of(lower(epilogue)))
    known: dict[str, int | None] = {}

    def formula(plan: Plan) -> float:
        return estimated(plan, plan.problem(shape))

    def clock_of(space: Space) -> Clock:
        def clock(points: Sequence[Point]) -> list[int | None]:
            made = [applied(space.epilogue, space.fields(point)) for point in points]
            jobs = {repr(one): Job(one, shape) for one in made if repr(one) not in known}
            timings = each(timed, jobs.values(), executor)
            known.update((key, one.cycles) for key, one in zip(jobs, timings, strict=True))
            return [known[repr(one)] for one in made]

        return clock

    started = time.perf_counter()
    found = search(whole, clock_of(whole), formula, runs=RUNS)
    seconds = time.perf_counter() - started
    every = search(small, clock_of(small), formula, runs=small.size)
    few = search(small, clock_of(small), formula, runs=min(FEW, every.runs))
    default = found.cycles[whole.own]
    best, near, tuned = (one.cycles[one.order[0]] for one in (every, few, found))
    alone = _alone(whole, found.order[0], clock_of(whole))
    return (
        f"default {default:9,}   tuned {tuned:9,} ({default / tuned:.3f}) with {found.runs} runs in {seconds:.0f} s   "
        f"of {every.runs} kernels {best:9,} ({default / best:.3f}), with {few.runs} runs {near:9,} ({near / best:.3f})"
        f"   alone: {', '.join(f'{axis} {default / cycles:.3f}' for axis, cycles in alone.items()) or 'nothing'}"
    )


def _alone(space: Space, winner: Point, clock: Clock) -> dict[str, int]:
    """Of each dimension in which the winner differs, the cycles of the default with that change alone."""
    cycles: dict[str, int] = {}
    for number, axis in enumerate(space.axes):
        point = (*space.own[:number], winner[number], *space.own[number + 1 :])
        if winner[number] and space.plan(point) is not None and (one := clock([point])[0]) is not None:
            cycles[axis] = one
    return cycles


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.bench_tune",
        description="A part of the benchmark of the search.",
        epilog="Exit status: 0 all have run, 1 one has failed, 2 wrong arguments.",
    )
    parser.add_argument("--epilogue", action="append", metavar="NAME", help="of the gallery; repeatable")
    parser.add_argument("--shape", action="append", metavar="MxNxK", type=parse_shape, help="repeatable")
    parser.add_argument("--runs", type=int, default=RUNS, metavar="N", help="the most kernels of a search")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes")
    parser.add_argument("--dask", metavar="ADDRESS", help="a scheduler of Dask")
    return parser.parse_args()


if __name__ == "__main__":
    given = _arguments()
    NAMES, SHAPES = tuple(given.epilogue or NAMES), tuple(given.shape or SHAPES)
    RUNS, JOBS, DASK = given.runs, given.jobs, given.dask
    for line in run():
        print(line, flush=True)
