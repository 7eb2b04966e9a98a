"""D = C + X of 4096 x 4096 halves through the CPU model, C given, against numpy. Aims: 3 with checks, 1.5 without."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.frontend.load import load
from evtgen.model import toolchain
from evtgen.model.roots import include_roots
from evtgen.planner.plan import lower

from .bench_cli import SPEC

ROWS = COLUMNS = 4096
REPEATS = 5


def numpy_seconds() -> float:
    """One addition of arrays with the same values, in half, as the model does it."""
    values = (np.arange(ROWS * COLUMNS) % 11 - 5).astype(np.float16)
    x, d = values.copy(), np.empty_like(values)
    seconds = []
    for _ in range(2):  # the first touches the memory
        started = time.perf_counter()
        np.add(values, x, out=d)
        seconds.append(time.perf_counter() - started)
    return min(seconds)


def run() -> Iterator[str]:
    """Interleaved; medians."""
    (epilogue,) = load([SPEC])
    plan = lower(epilogue)
    program = toolchain.compile_program(
        toolchain.find_compiler(),
        Path(__file__).with_name("model.cpp").read_text(encoding="utf-8"),
        {**framework_files(Framework()), **epilogue_files(plan, Framework())},
        extra_flags=[f"-DCATLASS_ARCH={plan.arch.npu}"],
        system=include_roots(None),
    )
    taken: dict[str, list[float]] = {"numpy": [], "checks off": [], "all checks": []}
    for _ in range(REPEATS):
        taken["numpy"].append(numpy_seconds())
        for name, checks in (("checks off", "off"), ("all checks", "all")):
            taken[name].append(_model_seconds(program.path, checks))
    base = statistics.median(taken["numpy"])
    for name, seconds in taken.items():
        median = statistics.median(seconds)
        rate = ROWS * COLUMNS / median / 1e6
        yield f"{name:10} {median * 1000:7.1f} ms  {rate:6.1f} million elements/s  ratio {median / base:5.2f}"


def _model_seconds(program: Path, checks: str) -> float:
    """The faster of two launches in one process: the first touches the memory."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        settings = {**os.environ, "EVTGEN_MODEL_CHECKS": checks, "EVTGEN_MODEL_REPORT": str(report)}
        command = [str(program), str(ROWS), str(COLUMNS), "2"]
        done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False)
        if done.returncode or json.loads(report.read_text())["hazards"]:
            raise SystemExit(f"the model did not get it right:\n{done.stderr}")
    return min(float(line) for line in done.stdout.split())
