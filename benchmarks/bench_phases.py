"""Phases: a matmul with softmax or a norm in its epilogue, beside the matmul and a second kernel. Aim: 1.0.

Both have the fixed cost of a launch for each kernel. The second kernel is assumed to be as good as ours would be: it is
the same epilogue, which loads the C that the first one stored as it does any matrix, with a matmul of K = 16 beside it
that nothing reads; the time of that is in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evtgen import Acc, Aux, Gemm, RowVector, epilogue, float32, half, ops
from evtgen.graph.shapes import Shape
from evtgen.planner.plan import lower

from . import clock

SHAPES: tuple[Shape, ...] = ((1024, 256, 512), (1024, 1024, 512), (4096, 1024, 1024), (4096, 4096, 1024))
SHORT_K = 16
"""Of the matmul beside the second kernel."""


def _softmax(value: Any) -> Any:
    weights = ops.exp(value - ops.col_reduce(value, "max"))
    return (weights / ops.col_reduce(weights, "add")).cast(half)


def _norm(value: Any, weight: Any) -> Any:
    scale = ops.sqrt(ops.col_reduce(value * value, "mean") + 1e-5)
    return (value / scale * weight).cast(half)


@epilogue
def stored(acc: Acc[half]) -> Any:
    return {"D": acc}


@epilogue
def softmax(acc: Acc[half]) -> Any:
    return {"D": _softmax(acc.cast(float32))}


@epilogue(gemm=Gemm(c=half))
def softmax_alone(C: Aux[half]) -> Any:
    return {"D": _softmax(C.cast(float32))}


@epilogue
def norm(acc: Acc[half], X: Aux[half], weight: RowVector[float32]) -> Any:
    return {"D": _norm(acc.cast(float32) + X.cast(float32), weight)}


@epilogue(gemm=Gemm(c=half))
def norm_alone(C: Aux[half], X: Aux[half], weight: RowVector[float32]) -> Any:
    return {"D": _norm(C.cast(float32) + X.cast(float32), weight)}


PAIRS = ((softmax, softmax_alone), (norm, norm_alone))


def run() -> Iterator[str]:
    """Each epilogue at each shape: microseconds of the one kernel, and of the two."""
    plans = {one.name: lower(one) for one in (stored, *(one for pair in PAIRS for one in pair))}
    programs = clock.programs(plans.values())

    def microseconds(name: str, shape: Shape) -> float:
        launch = clock.launch(programs[name], plans[name], shape)
        return float(launch["makespan"] + launch["launch"]) / float(launch["mhz"])

    for fused, alone in PAIRS:
        for m, n, k in SHAPES:
            one = microseconds(fused.name, (m, n, k))
            two = microseconds(stored.name, (m, n, k)), microseconds(alone.name, (m, n, SHORT_K))
            size = f"{m} x {n} x {k}"
            both = f"{two[0]:6.1f} + {two[1]:6.1f} us"
            yield f"{fused.name:8} {size:18} one kernel {one:7.1f} us   two {both}   ratio {one / sum(two):.3f}"
