"""What a device took for a kernel, read from the CSV of a profiler, beside what the clock says.

The columns are those of CANN's documentation: "op_summary" of ``msprof`` has a row for each launch, whose times are
means of the cores, and so has kernel_details.csv of torch_npu's profiler; "PipeUtilization" of ``msprof op`` has a row
for each core of one launch, and the kernel's name is in OpBasicInfo.csv beside it. A core without a pipe has NA there.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from ..diagnostics.tuning import NOT_MEASURED
from .timing import Timing

PIPES: dict[tuple[str, str], tuple[str, ...]] = {
    ("AIC", ""): ("aicore_time", "aic_time"),
    ("AIC", "MTE2"): ("aic_mte2_time",),
    ("AIC", "M"): ("aic_mac_time", "aic_cube_time"),
    ("AIV", ""): ("aiv_time",),
    ("AIV", "MTE2"): ("aiv_mte2_time",),
    ("AIV", "V"): ("aiv_vec_time",),
    ("AIV", "MTE3"): ("aiv_mte3_time",),
}
"""The columns of each pipe of each kind of core, the first that is there; without a pipe, of the whole core. The clock
knows no MTE1, and its FIX has whole blocks of the matmul, or starts stores that go on behind it."""

_NAME, _TASK, _CORE = ("op_name", "name"), ("task_duration", "duration"), "block_id"
_NONE = ("", "na", "n/a")
_ADDED = re.compile(r"(_mix_ai[cv])*$"), re.compile(r"(_\d+|_mix_ai[cv])*$")
"""What a profiler adds to the name of a kernel that has both kinds of cores; a number may also be the kernel's own."""

PARTS = 0.1
"""A pipe whose times differ by more than this share of the measured time of its core is named."""

Row = Mapping[str, str]


@dataclass(frozen=True)
class Beside:
    """Microseconds of one pipe of a kind of core, or without a pipe of the whole core, as the mean of the cores."""

    core: str
    pipe: str
    measured: float
    modelled: float


@dataclass(frozen=True)
class Measured:
    """One launch on a device.

    Attributes:
        kernel: its name there; empty where the file does not say it.
        launches: how many the file has; this one took the median of them.
        task: microseconds with the cost of the launch; None where the file does not say it.
        times: microseconds, as the mean of the cores, by kind of core and pipe as in :data:`PIPES`.
    """

    kernel: str
    launches: int
    task: float | None
    times: Mapping[tuple[str, str], float]

    def beside(self, modelled: Timing) -> list[Beside]:
        """Each time that was measured and that the clock has, too, and what it says."""
        whole = modelled.cycles / modelled.mhz
        busy = {(core, pipe): share for core, pipes in modelled.busy.items() for pipe, share in pipes.items()}
        return [
            Beside(core, pipe, time, whole * busy.get((core, pipe), 1.0))
            for (core, pipe), time in self.times.items()
            if not pipe or (core, pipe) in busy
        ]

    def in_blocks(self, modelled: Timing) -> bool:
        """Whether pipes of the cube core were measured that the clock does not tell apart: it has whole blocks."""
        return any(core == "AIC" and pipe and pipe not in modelled.busy.get(core, {}) for core, pipe in self.times)

    def parts(self, modelled: Timing) -> list[Beside]:
        """The pipes in which the two part, the furthest apart first."""
        apart = [
            one
            for one in self.beside(modelled)
            if one.pipe and abs(one.measured - one.modelled) > PARTS * self.times.get((one.core, ""), 0.0)
        ]
        return sorted(apart, key=lambda one: -abs(one.measured - one.modelled))

    def to_json(self, modelled: Timing) -> dict[str, Any]:
        """Both as plain data, microseconds rounded to 1/1000."""

        def plain(one: Beside) -> dict[str, Any]:
            return {**vars(one), "measured": round(one.measured, 3), "modelled": round(one.modelled, 3)}

        return {
            "kernel": self.kernel,
            "launches": self.launches,
            "task": self.task,
            "pipes": [plain(one) for one in self.beside(modelled)],
            "parts": [f"{one.core} {one.pipe}" for one in self.parts(modelled)],
        }


def read(path: Path, name: str) -> Measured:
    """The launch of the kernel of this name. Raises EvtgenError (EVT299) for a file that is none, lacks columns, or is
    of other kernels."""
    rows = _rows(path)
    present = dict.fromkeys(column for row in rows for column in row)
    if not any(column in present for columns in PIPES.values() for column in columns):
        raise NOT_MEASURED.refusal("columns", path=path, columns="aic_mac_time(us), aiv_vec_time(us)")
    if _CORE in present:
        basic = sorted(path.parent.glob("OpBasicInfo*.csv"))
        about = _named(basic[0], _rows(basic[0]), name)[0] if basic else {}
        task = _number(basic[0], about, _TASK) if basic else None
        return Measured(_text(about, _NAME), 1, task, _times(path, rows))
    ours = _named(path, rows, name)
    timed = [(task, number) for number, row in enumerate(ours) if (task := _number(path, row, _TASK)) is not None]
    if not timed:
        raise NOT_MEASURED.refusal("columns", path=path, columns="Task Duration(us)")
    task, number = sorted(timed)[len(timed) // 2]
    return Measured(_text(ours[number], _NAME), len(ours), task, _times(path, [ours[number]]))


def _rows(path: Path) -> list[Row]:
    """The rows of a CSV, by the names of its columns without units: ``"task_duration"``."""
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file, restkey="", restval=""))
    except (OSError, ValueError, csv.Error) as error:
        raise NOT_MEASURED.refusal("unread", path=path, error=error) from None
    if not rows:
        raise NOT_MEASURED.refusal("unread", path=path, error="it has no rows")
    return [{_column(key): str(value).strip() for key, value in row.items() if key} for row in rows]


def _column(head: str) -> str:
    return re.sub(r"\(.*\)", "", head).strip().lower().replace(" ", "_")


def _named(path: Path, rows: Sequence[Row], name: str) -> list[Row]:
    """The rows of a kernel: an operator's entry is called NAMESPACE_NAME, and a profiler may add to it."""
    names = list(dict.fromkeys(filter(None, (_text(row, _NAME) for row in rows))))
    if not names:
        raise NOT_MEASURED.refusal("columns", path=path, columns="Op Name")
    ends = ([one for one in names if f"_{added.sub('', one.lower())}".endswith(f"_{name.lower()}")] for added in _ADDED)
    ours = next(filter(None, ends), None) or [one for one in names if name.lower() in one.lower()]
    if len(ours) != 1:
        known = ", ".join((ours or names)[:5])
        raise NOT_MEASURED.refusal("several" if ours else "kernel", path=path, name=name, known=known)
    return [row for row in rows if _text(row, _NAME) == ours[0]]


def _times(path: Path, rows: Sequence[Row]) -> dict[tuple[str, str], float]:
    def all_times() -> Iterator[tuple[tuple[str, str], float]]:
        for key, columns in PIPES.items():
            if found := [time for row in rows if (time := _number(path, row, columns)) is not None]:
                yield key, fmean(found)

    return dict(all_times())


def _text(row: Row, columns: Sequence[str]) -> str:
    return next((row[column] for column in columns if column in row), "")


def _number(path: Path, row: Row, columns: Sequence[str]) -> float | None:
    """A time; None where there is none."""
    text = _text(row, columns)
    if text.lower() in _NONE:
        return None
    try:
        time = float(text)
    except ValueError:
        time = math.nan
    if not 0 <= time < math.inf:
        raise NOT_MEASURED.refusal("number", path=path, column=columns[0], text=text)
    return time
