"""In-process check, planning and emission of chains and shared DAGs. Aim: 1024 nodes in under 10 times 128."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial

from evtgen import Epilogue
from evtgen.check import check, has_errors
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files
from evtgen.planner.plan import lower

from .graphs import chain, shared

SIZES = (8, 128, 1024)


def fastest(function: Callable[[], object], repeats: int = 3) -> float:
    """Seconds of the fastest of some runs."""
    best = float("inf")
    for _ in range(repeats):
        started = time.perf_counter()
        function()
        best = min(best, time.perf_counter() - started)
    return best


def run() -> Iterator[str]:
    """The clock includes formatting, which is a process of its own: its start is most of the small ones."""
    framework = Framework()
    for shape in (chain, shared):
        seconds = {}
        for size in SIZES:
            # Small buffers: a thousand nodes share the vector core's memory.
            written = shape(size)
            epilogue = Epilogue(written.name, written.root, compute_length=32, buffers=1, traced=True)
            found = check(epilogue)
            if has_errors(found):
                yield f"{shape.__name__} {size}: refused, {found[0].code} {found[0].message}"
                continue
            plan = lower(epilogue)
            parts = [
                fastest(partial(check, epilogue)),
                fastest(partial(lower, epilogue)),
                fastest(partial(epilogue_files, plan, framework)),
            ]
            seconds[size] = sum(parts)
            text = "  ".join(
                f"{name} {part * 1000:7.1f}" for name, part in zip(("check", "lower", "emit"), parts, strict=True)
            )
            yield f"{shape.__name__:7} {size:5} nodes  {text}  sum {seconds[size] * 1000:7.1f} ms"
        if 128 in seconds and 1024 in seconds:
            yield f"{shape.__name__:7} 1024 nodes take {seconds[1024] / seconds[128]:.1f} times 128"
