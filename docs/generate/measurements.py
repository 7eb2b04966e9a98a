"""Published measurements of Atlas A2, and the programs of ``tests/clock`` that do the same on the model's clock."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files, framework_files
from evtgen.frontend.load import load
from evtgen.model import toolchain
from evtgen.model.roots import include_roots
from evtgen.planner.plan import lower
from evtgen.targets import AtlasA2

CHECKOUT = Path(__file__).parent.parent.parent
PROGRAMS = CHECKOUT / "tests" / "clock"
SPEC = CHECKOUT / "examples" / "32_matmul_add_evt.py"


Launch = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """One run of a program: its name, its arguments, the cube cores of the device, and its architecture."""

    program: str
    arguments: tuple[str, ...]
    cores: int = 24
    npu: int = AtlasA2.npu


@dataclass(frozen=True)
class Figure:
    """A published figure.

    Attributes:
        group: the example or table that it is from.
        what: which figure of it.
        run: the run that reproduces it.
        unit: of `measured`.
        measured: the published value.
        value: the model's, from the launch in the model's report.
        tuned: whether a constant or a rule of the clock comes from it.
        reason: why the model does not come near, where it does not.
    """

    group: str
    what: str
    run: Run
    unit: str
    measured: float
    value: Callable[[Launch], float]
    tuned: bool = False
    reason: str = ""

    @property
    def model(self) -> float:
        return self.value(launch(self.run))

    @property
    def error(self) -> float:
        return self.model / self.measured - 1


@cache
def launch(run: Run) -> Launch:
    """The numbers of the launch of a run, from the model's report. Nothing is computed: only the clock runs."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch) / "report.json"
        settings = {
            "EVTGEN_MODEL_REPORT": str(report),
            "EVTGEN_MODEL_EXECUTE": "off",
            "EVTGEN_MODEL_CORES": str(run.cores),
        }
        subprocess.run([_build(run.program, run.npu), *run.arguments], env={**os.environ, **settings}, check=True)
        (found,) = json.loads(report.read_text(encoding="utf-8"))["stats"]["launches"]
    return dict(found)


BASE, SPLIT = "catlass/epilogue/fusion/visitor_impl_base.hpp", "SPLIT_LENGTH = 4096;"


@cache
def _build(program: str, npu: int) -> Path:
    (epilogue,) = load([SPEC])
    plan = lower(epilogue)
    headers = {**framework_files(Framework()), **epilogue_files(plan, Framework())}
    # The program that was measured takes a block whole that fits, where ours would make two tiles of it.
    assert headers[BASE].count(SPLIT) == 1
    headers[BASE] = headers[BASE].replace(SPLIT, "SPLIT_LENGTH = 1u << 30;")
    return toolchain.compile_program(
        toolchain.find_compiler(),
        (PROGRAMS / f"{program}.cpp").read_text(encoding="utf-8"),
        headers if program == "matmul" else {},
        extra_flags=[f"-DCATLASS_ARCH={npu}"],
        system=include_roots(None),
    ).path


# ---- values, in microseconds


def kernel(found: Launch) -> float:
    """From the first instruction to the last."""
    return float(found["makespan"]) / float(found["mhz"])


def task(found: Launch) -> float:
    """With the fixed cost of a launch."""
    return float(found["makespan"] + found["launch"]) / float(found["mhz"])


def busy(pipe: str) -> Callable[[Launch], float]:
    """The time in which a pipe works, latencies included, averaged over the vector cores."""

    def value(found: Launch) -> float:
        cores: int = found["cores"] // 3 * 2 if found["cores"] % 3 == 0 and found["count"]["FIX"] else found["cores"]
        return float(found["busy"][pipe]) / cores / float(found["mhz"])

    return value


def times(factor: int, value: Callable[[Launch], float]) -> Callable[[Launch], float]:
    """A part of the work stands for all of it."""
    return lambda found: factor * value(found)


def ticks(found: Launch) -> float:
    """Of 50 MHz."""
    return 50 * kernel(found)


# ---- asc-devkit, bank_conflict_ub: 1000 Adds, ticks of 50 MHz

_BANKS = (
    (2390, "no conflict", True),
    (4167, "sources in one bank", True),
    (4167, "sources in one group", False),
    (2389, "source and destination in step", False),
    (3751, "source and destination in one bank", True),
    (2390, "in place", False),
    (3584, "one source a block per repeat, 32 bytes apart", False),
    (2389, "one source a block per repeat, 256 bytes apart", False),
)
BANKS = tuple(
    Figure("bank_conflict_ub", f"{number}: {what}", Run("vector", (str(number),)), "ticks", measured, ticks, tuned)
    for number, (measured, what, tuned) in enumerate(_BANKS, 1)
)

# ---- asc-devkit, data_copy: loads of 12288 x 12288 halfs by 48 vector cores

_SAME = "cores that read the same addresses at the same time get in each other's way; the clock does not know that"


def _copy(number: int, part: int = 1) -> Run:
    return Run("copies", (str(number), str(part)))


COPIES = (
    Figure("data_copy", "1: copies of 128 B, MTE2", _copy(1, 16), "us", 548.161, times(16, busy("MTE2")), tuned=True),
    Figure("data_copy", "2: copies of 64 x 128 B, MTE2", _copy(2), "us", 220.772, busy("MTE2")),
    Figure("data_copy", "2: task", _copy(2), "us", 233.54, task, tuned=True),
    Figure("data_copy", "3: copies of 64 x 2048 B, MTE2", _copy(3), "us", 202.657, busy("MTE2"), tuned=True),
    Figure("data_copy", "3: task", _copy(3), "us", 215.82, task, tuned=True),
    Figure("data_copy", "4: rows 24574 B apart, MTE2", _copy(4), "us", 259.047, busy("MTE2"), tuned=True),
    Figure("data_copy", "4: task", _copy(4), "us", 275.3, task, tuned=True),
    Figure("data_copy", "5: all of it four times, task", _copy(5), "us", 828.06, task, tuned=True),
    Figure("data_copy", "6: each quarter four times, task", _copy(6), "us", 365.74, task),
    Figure("data_copy", "7: every core all of it, same order, task", _copy(7), "us", 539.42, task, reason=_SAME),
    Figure("data_copy", "8: every core all of it, own order, task", _copy(8), "us", 328.88, task, reason=_SAME),
)

# ---- asc-devkit, add_high_performance: 8192 x 8192 halfs

_ADDS = (
    (1, "one core, 8 KB", 6909.6, 6909.14, 761.65, True),
    (2, "48 cores, 8 KB", 306.58, 297.14, 15.885, False),
    (3, "48 cores, 32 KB", 268.5, 261.5, 12.845, False),
    (4, "two buffers", 264.02, 257.56, 12.846, True),
    (5, "loads pass the L2 cache by", 187.68, 185.15, 12.846, False),
    (6, "no bank conflicts", 184.52, 178.49, 6.954, False),
)
ADDS = tuple(
    Figure("add_high_performance", f"{number}: {what}, {kind}", Run("add", (str(number),)), "us", us, value, tuned)
    for number, what, whole, aiv, vector, tuned in _ADDS
    for kind, us, value in (("task", whole, task), ("kernel", aiv, kernel), ("V", vector, busy("V")))
)

# ---- asc-devkit, matmul_gelu_high_performance: 8192^3

_GELU = "the example's table does not say how its cores divide the matrix there; ours are tiles of 2 x 4096"
MATMULS = (
    Figure("matmul_gelu", "matmul, task", Run("matmul", ("matmul",)), "us", 4227.605, task),
    Figure("matmul_gelu", "gelu, task", Run("matmul", ("gelu",)), "us", 369.827, task),
    Figure("matmul_gelu", "gelu, V", Run("matmul", ("gelu",)), "us", 236.506, busy("V"), reason=_GELU),
    Figure("matmul_gelu", "fused, task", Run("matmul", ("fused",)), "us", 4236.944, task),
    Figure("matmul_gelu", "fused, V", Run("matmul", ("fused",)), "us", 174.327, busy("V"), tuned=True),
)

# ---- the framework authors' table: m, n, k, by hand, EVT (us). Its two largest shapes are left out: they take minutes

_AUTHORS = (
    (87, 198, 120, 19.54, 20.06),
    (192, 160, 128, 16.34, 16.96),
    (1696, 1632, 1024, 84.84, 85.06),
    (3731, 5062, 312, 320.52, 318.24),
    (2157, 2191, 1612, 297.5, 293.18),
    (5568, 4416, 320, 192.18, 192.36),
    (1148, 2502, 3074, 351.42, 353.04),
    (4160, 2304, 1152, 115.12, 114.02),
    (4478, 583, 7644, 711.26, 715.28),
    (1184, 2528, 6816, 581.46, 578.12),
    (4433, 2106, 2274, 640.68, 642.62),
    (1343, 15803, 2209, 1364.5, 1356.56),
    (4736, 2368, 4288, 706.9, 711.42),
    (3392, 4640, 5600, 2093.06, 2097.8),
    (4414, 4695, 4735, 2616.88, 2591.58),
    (5632, 2144, 13024, 3386.08, 3407.54),
    (11569, 6036, 8288, 14074.86, 13935.2),
    (5472, 7680, 15488, 5633.92, 5603.88),
)


@dataclass(frozen=True)
class Shape:
    """A line of the authors' table, in microseconds."""

    m: int
    n: int
    k: int
    by_hand: float
    evt: float

    def model(self, kind: str) -> float:
        """Of ``"hand"`` or ``"evt"``."""
        return task(launch(Run("matmul", (kind, str(self.m), str(self.n), str(self.k)), cores=20)))

    @property
    def ratio(self) -> float:
        """By hand over EVT, as measured."""
        return self.by_hand / self.evt

    @property
    def model_ratio(self) -> float:
        return self.model("hand") / self.model("evt")


SHAPES = tuple(Shape(*line) for line in _AUTHORS)
FIGURES = (*BANKS, *COPIES, *ADDS, *MATMULS)
