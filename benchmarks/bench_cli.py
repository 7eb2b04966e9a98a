"""Cold start of the command line, as a ratio to importing jinja2, pydantic and numpy. Aims: check 1.0, build 1.7.

CPU time of the process and its children, user and system; the cache is empty, bytecode is there."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

REPEATS = 15
EXAMPLES = Path(__file__).parents[1] / "examples"
SPEC = EXAMPLES / "32_matmul_add_evt.py"
SPECS = sorted(map(str, EXAMPLES.glob("3*.py")))


def measure(command: list[str], cache: str) -> tuple[float, int]:
    """Seconds of the CPU and peak KiB of one process, its children's included in the seconds."""
    child = os.posix_spawn(
        sys.executable,
        [sys.executable, *command],
        {**os.environ, "EVTGEN_CACHE": cache},
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(child, 0)
    if status:
        raise SystemExit(f"{' '.join(command)} failed")
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss


def run() -> Iterator[str]:
    """Interleaved, so that a busy machine slows all of them; medians."""
    with tempfile.TemporaryDirectory() as scratch:
        fresh = iter(range(1000))
        commands: dict[str, Callable[[], list[str]]] = {
            "import jinja2, pydantic, numpy": lambda: ["-c", "import jinja2, pydantic, numpy"],
            "evtgen check": lambda: ["-m", "evtgen", "check", str(SPEC)],
            "evtgen build, four specs": lambda: ["-m", "evtgen", "build", *SPECS, "-o", f"{scratch}/{next(fresh)}"],
            "evtgen build, four specs again": lambda: ["-m", "evtgen", "build", *SPECS, "-o", f"{scratch}/0"],
        }
        taken: dict[str, list[tuple[float, int]]] = {name: [] for name in commands}
        for round_ in range(REPEATS + 1):
            for name, command in commands.items():
                result = measure(command(), f"{scratch}/cache{next(fresh)}")
                if round_:  # The first round warms the disk cache.
                    taken[name].append(result)
    medians = {name: statistics.median(seconds for seconds, _ in results) for name, results in taken.items()}
    base = next(iter(medians.values()))
    for name, results in taken.items():
        peak = max(kilobytes for _, kilobytes in results) / 1024
        yield f"{name:32} {medians[name] * 1000:6.0f} ms   ratio {medians[name] / base:4.2f}   peak {peak:4.0f} MiB"
