"""A call of a kernel that is built, as a ratio to importing numpy; 64 x 64 x 64. Aim: 30 ms.

CPU time of this process and of the kernel's, user and system; everything is cached. A call is one process that runs the
kernel, and files that carry its arrays there and back.
"""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import numpy as np

import evtgen as evt
from evtgen import half

REPEATS = 31
SIZE = 64


@evt.epilogue
def scaled_add(acc: evt.Acc[half], X: evt.Aux[half], *, alpha: evt.Scalar[half] = 0.5):
    return {"D": acc * alpha + X}


def _cpu() -> float:
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in usage)


def run() -> Iterator[str]:
    """Interleaved, so that a busy machine slows all of them; medians."""
    rng = np.random.default_rng(0)
    a, b, X = (rng.integers(-3, 4, (SIZE, SIZE)).astype(np.float16) for _ in range(3))
    kernel = evt.compile(scaled_add)
    imports = [sys.executable, "-c", "import numpy"]
    works: dict[str, Callable[[], object]] = {
        "import numpy": lambda: subprocess.run(imports, check=True),
        "a call of evt.compile's": lambda: kernel(a, b, X=X),
        "evt.run": lambda: evt.run(scaled_add, a, b, X=X),
    }
    taken: dict[str, list[tuple[float, float]]] = {name: [] for name in works}
    for _ in range(REPEATS):
        for name, work in works.items():
            start = time.perf_counter(), _cpu()
            work()
            taken[name].append((_cpu() - start[1], time.perf_counter() - start[0]))
    base = statistics.median(cpu for cpu, _ in taken["import numpy"])
    for name, found in taken.items():
        cpu = statistics.median(one for one, _ in found)
        wall = min(one for _, one in found)
        yield f"{name:24} {cpu * 1000:6.1f} ms of CPU   ratio {cpu / base:5.2f}   at best {wall * 1000:6.1f} ms"
