"""The report page: its size, and the time that it takes. Aim: under 1 MB for an epilogue.

CPU time of the process and its children, user and system: with an empty cache, and once more."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

from .bench_cli import EXAMPLES, measure

OPTIONS = ((), ("--no-run",))
TREE = EXAMPLES / "32_matmul_add_evt.py"
PHASES = """
from evtgen import Acc, epilogue, float32, half, ops


@epilogue
def softmax(acc: Acc[float32]):
    return {"D": ops.softmax(acc).cast(half)}
"""


def run() -> Iterator[str]:
    """One epilogue with a phase, one with three, each with three numbers of buffers."""
    with tempfile.TemporaryDirectory() as scratch:
        phases = Path(scratch) / "phases.py"
        phases.write_text(PHASES)
        for name, spec in (("matmul and add", TREE), ("softmax, three phases", phases)):
            for options in OPTIONS:
                page = Path(scratch) / f"{spec.stem}{len(options)}"
                command = ["-m", "evtgen", "report", str(spec), "-o", str(page), *options]
                (first, _), (again, peak) = (measure(command, f"{scratch}/cache{page.name}") for _ in range(2))
                size = (page / "index.html").stat().st_size / 1000
                yield (
                    f"{name:22} {' '.join(options) or 'all':9} {size:5.0f} kB   first {first:5.1f} s   "
                    f"again {again:4.1f} s   peak {peak / 1024:4.0f} MiB"
                )
