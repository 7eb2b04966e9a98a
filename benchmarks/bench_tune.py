"""The search for the fastest kernel: the default, the kernel that is found, and the fastest of all. Aims: 1.00, 1.02.

Exhaustive is the search of a space that is small enough, ``SMALL``: tiles, slices, workspaces and buffers. In it the
search has ``--few`` percent of its kernels as runs, and in the whole space ``--runs``, as many as ``evtgen tune``; 0
leaves either out.
Timings are kept as those of ``evtgen tune`` are, so what was interrupted goes on.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from concurrent.futures import Executor

from evtgen.frontend.load import load
from evtgen.graph.ir import Epilogue
from evtgen.graph.shapes import Shape
from evtgen.measure.search import search
from evtgen.measure.space import Axes, Point
from evtgen.model.workers import spread
from evtgen.options import TuneOptions, parse_shape
from evtgen.passes.analysis.gemm import PINGPONG, PRELOADING
from evtgen.pipeline.tune import Tuner
from evtgen.planner.plan import lower

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
FEW = 5
JOBS: int | None = None
DASK: str | None = None

SMALL: Axes = {
    "tiles": [
        {},
        *(
            {"l1": (rows, columns, 256 if columns < 512 or rows < 64 else 128), "l0": None}
            for rows in (16, 32, 64, 128, 256)
            for columns in (64, 128, 256, 512)
        ),
    ],
    "split_k": [{"split_k": count} for count in (1, 2, 4)],
    "workspace": [
        {},
        *({"workspace_stages": stages, "policy": policy} for stages in (1, 2, 4) for policy in (PINGPONG, PRELOADING)),
    ],
    "buffers": [{}, {"buffers": 2}, {"buffers": 3}],
}
"""For ``bias_gelu`` 270 kernels: some tiles do not fit, and behind several slices C has no stages."""


def run() -> Iterator[str]:
    """Each epilogue and shape: cycles of the default, of the small space and of the whole one, runs and CPU seconds."""
    gallery = {one.name: one for path in SPECS for one in load([path])}
    with spread(None, JOBS, DASK) as executor:
        for name in NAMES:
            for shape in SHAPES:
                yield f"{name:20} {'x'.join(map(str, shape)):14} {_cells(gallery[name], shape, executor)}"


def _cells(epilogue: Epilogue, shape: Shape, executor: Executor | None) -> str:
    options = TuneOptions(jobs=JOBS)
    planned, said = (epilogue, lower(epilogue)), list[str]()
    if RUNS:
        one = Tuner(planned, shape, options, executor=executor)
        started, before = _cpu(), len(one.journal.known)
        found = search(one.space, one.clock, one.formula, runs=RUNS)
        new, seconds = len(one.journal.known) - before, _cpu() - started
        default, tuned = found.cycles[one.space.own], found.cycles[found.order[0]]
        gains = [f"{axis} {default / cycles:.3f}" for axis, cycles in _alone(one, found.order[0]).items()]
        said.append(f"default {default:9,}   tuned {tuned:9,} ({default / tuned:.3f}) with {found.runs} runs")
        said.append(f"{new} of them in {seconds:.0f} s of CPU   alone: {', '.join(gains) or 'nothing'}")
    if FEW:
        small = Tuner(planned, shape, options, executor=executor, axes=SMALL)
        every = search(small.space, small.clock, small.formula, runs=small.space.size)
        few = search(small.space, small.clock, small.formula, runs=max(1, every.runs * FEW // 100))
        default = every.cycles[small.space.own]
        best, near = (some.cycles[some.order[0]] for some in (every, few))
        said.append(f"of {every.runs} kernels {best:9,}, default {default:9,} ({default / best:.3f})")
        said.append(f"with {few.runs} runs {near:9,} ({near / best:.3f})")
    return ", ".join(said)


def _cpu() -> float:
    """CPU seconds of this process and of its compilers and launches: other work on the machine adds little to them."""
    return sum(os.times()[:4])


def _alone(tuner: Tuner, winner: Point) -> dict[str, int]:
    """Of each dimension in which the winner differs, the cycles of the default with that change alone."""
    space, cycles = tuner.space, dict[str, int]()
    for number, axis in enumerate(space.axes):
        point = (*space.own[:number], winner[number], *space.own[number + 1 :])
        if winner[number] and space.plan(point) is not None and (one := tuner.clock([point])[0]) is not None:
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
    parser.add_argument("--runs", type=int, default=RUNS, metavar="N", help="the most kernels of a search; 0: none")
    parser.add_argument("--few", type=int, default=FEW, metavar="PERCENT", help="the runs in the small space")
    parser.add_argument("--jobs", type=int, metavar="N", help="processes")
    parser.add_argument("--dask", metavar="ADDRESS", help="a scheduler of Dask")
    return parser.parse_args()


if __name__ == "__main__":
    given = _arguments()
    NAMES, SHAPES = tuple(given.epilogue or NAMES), tuple(given.shape or SHAPES)
    RUNS, FEW, JOBS, DASK = given.runs, given.few, given.jobs, given.dask
    for line in run():
        print(line, flush=True)
