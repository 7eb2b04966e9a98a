"""The benchmark's program is written in the words that evtgen's framework and its authors' share: here on ours alone.

``python -m benchmarks epilogues`` runs it on theirs, too, and compares.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from benchmarks import bench_epilogues
from evtgen.emit.framework import Framework
from evtgen.emit.render import framework_files
from evtgen.graph.ir import Epilogue, TreeVisitor
from evtgen.graph.types import half
from evtgen.nodes import AccLoad, AuxStore
from evtgen.options import CpuOptions
from evtgen.pipeline.program import Program, run
from evtgen.planner.plan import lower

from ..support.epilogues import FULL

Values = NDArray[np.float64]
SHAPE = (87, 198, 40)


def whole(rows: int, columns: int, modulus: int) -> Values:
    """The program's operands."""
    index = np.arange(rows * columns, dtype=np.int64)
    return (index * 7 % modulus - modulus // 2).reshape(rows, columns).astype(np.float64)


def digest(values: Values) -> float:
    """The program's sum of an output."""
    flat = values.ravel()
    return float(flat @ (np.arange(flat.size) % 1009 + 1))


def chain(c: Values, x: Values, operators: int) -> Values:
    for index in range(operators):
        c = np.maximum(c, x) if index % 2 else c + x
    return c


def dag(c: Values, x: Values) -> Values:
    pair = c, x
    for _ in range(5):
        pair = pair[0] + pair[1], np.maximum(*pair)
    return np.maximum(pair[0] + pair[1], x)


def expected() -> dict[str, tuple[float, float]]:
    """The sums of D and of the row vector by epilogue. All values are whole and small, so no rounding counts."""
    m, n, k = SHAPE
    c, x, row = whole(m, k, 3) @ whole(k, n, 5), whole(m, n, 11), whole(1, n, 9)
    outputs = {
        "copy": c, "add": c + x, "cast": c + x, "topo": 2 * (c + x), "row reduction": c + row,
        "chain of 3": chain(c, x, 3), "chain of 6": chain(c, x, 6), "chain of 12": chain(c, x, 12),
        "DAG of 12": dag(c, x),
    }  # fmt: skip
    assert max(np.abs(values).max() for values in outputs.values()) < 2048
    sums = {name: 0.0 for name in outputs} | {"row reduction": digest(outputs["row reduction"].sum(axis=0))}
    return {name: (digest(values), sums[name]) for name, values in outputs.items()}


@pytest.mark.cxx
@pytest.mark.skipif(not FULL, reason="EVTGEN_FULL is not 1: the benchmark runs it, too")
def test_our_framework_computes_the_benchmark_s_epilogues(tmp_path: Path) -> None:
    for name, text in framework_files(Framework()).items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    arguments = ("1", *map(str, SHAPE))
    define = ("EVT_MOST=1",)  # of which a framework that says what fits takes no notice
    options = CpuOptions(include=(tmp_path,), define=define)
    done = run(Program(bench_epilogues.PROGRAM, arguments, capture=True, options=options))
    assert (done.status, done.launches, done.hazards, done.warnings) == (0, 9, [], ()), done.stdout + done.stderr
    lines = re.findall(r"(.+): (\S+) (\S+), tiles of (\d+)\n", done.stdout)
    assert [name for name, *_ in lines] == list(bench_epilogues.EPILOGUES)
    assert {name: (float(d), float(row)) for name, d, row, _ in lines} == expected()
    # What names no number of buffers has as many as the planner takes: the tiles are as long.
    plan = lower(Epilogue("copy", TreeVisitor(AuxStore("D", half), AccLoad(half))))
    assert plan.buffers == 3 and [int(length) for name, *_, length in lines if name == "copy"] == [plan.compute_length]


def test_without_a_checkout_nothing_is_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(bench_epilogues.VARIABLE, raising=False)
    (said,) = bench_epilogues.run()
    assert "EVTGEN_AUTHORS is not set" in said


def test_a_row_counts_the_fastest_of_theirs() -> None:
    row = bench_epilogues.Row("chain of 12", (87, 198, 64), {4096: 100, bench_epilogues.LONGEST: 120}, 80, (0.7, 0.9))
    assert row.fastest == 4096 and row.ratio == 0.8
    assert str(row).endswith("ratio 0.667, 0.800  missed  scaled 0.700 to 0.900")
    assert "missed" not in str(bench_epilogues.Row("add", row.shape, row.theirs, 100))
