"""Products of matrices by the stand-in for the cube, against numpy's in float32, one thread each. Aim: 0.5."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from evtgen.model import toolchain

ELEMENTS = ("half", "bfloat16", "float", "int8")
SHAPES = ((1024, 1024, 1024), (1024, 1024, 64))
ROUNDS = 5
REPEATS = 5

_NUMPY = """
import sys, time
import numpy as np
m, n, k, repeats = map(int, sys.argv[1:])
a, b = np.ones((m, k), np.float32), np.ones((k, n), np.float32)
for _ in range(repeats):
    start = time.process_time()
    a @ b
    print(time.process_time() - start)
"""

_ONE_THREAD = {f"{library}_NUM_THREADS": "1" for library in ("OPENBLAS", "MKL", "OMP", "VECLIB_MAXIMUM")}


def run() -> Iterator[str]:
    """Interleaved; the fastest of all rounds, in seconds of the CPU, so that a busy machine counts little."""
    program = toolchain.compile_program(
        toolchain.find_compiler(),
        Path(__file__).with_name("cube.cpp").read_text(encoding="utf-8"),
        {},
        system=[toolchain.DEVICE],
    )
    for shape in SHAPES:
        sizes = [str(side) for side in shape]
        commands = {
            "numpy": [sys.executable, "-c", _NUMPY, *sizes, str(REPEATS)],
            **{element: [str(program.path), element, *sizes, str(REPEATS)] for element in ELEMENTS},
        }
        fastest = {name: float("inf") for name in commands}
        for _ in range(ROUNDS):
            for name, command in commands.items():
                environment = {**os.environ, **_ONE_THREAD}
                done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
                fastest[name] = min(fastest[name], *map(float, done.stdout.split()))
        for name, seconds in fastest.items():
            rate = shape[0] * shape[1] * shape[2] / seconds / 1e9
            yield f"{'x'.join(sizes):15} {name:9} {rate:5.1f} GMAC/s  ratio {fastest['numpy'] / seconds:4.2f}"
