"""What profiles say."""

from __future__ import annotations

from typing import Any

from evtgen.measure.timing import Timing
from evtgen.report.measurements import _where


def call(node: str, pipe: str, busy: int, **lost: int) -> dict[str, Any]:
    none = {"bank_conflicts": 0, "rows": 0, "start": 0}
    where = {"core": "AIV", "call": "Add", "file": "plus.hpp", "line": 7, "waits": 0}
    return {"node": node, "pipe": pipe, "busy": busy, **where, **none, **lost}


def test_work_is_summed_by_node_and_says_what_is_lost() -> None:
    calls = [
        call("Plus", "V", 200, bank_conflicts=150),
        call("X", "MTE2", 150),
        call("X", "MTE2", 150, rows=29),
        call("", "V", 350),
        {**call("C", "MTE2", 9000), "core": "AIC"},
    ]
    causes = {"AIV": {"V": {"work": 0.6, "barrier": 0.001}, "MTE2": {"transfer": 1.0}}}
    said = _where("name", Timing(1000, 500, {}, 0.0, 0, 1850, causes, calls))
    name, *lines, most = said.split("\n  ")
    assert name == "name"
    assert lines[1:] == ["V: work 60%.", "MTE3: not used."]  # what is less than half a percent is left out
    parts = ("Add (plus.hpp:7) on V 41%", "X on MTE2 35%", "Plus on V 24% (bank conflicts 75% of it)")
    assert most == f"Most work: {', '.join(parts)}."
