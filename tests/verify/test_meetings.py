"""All vector cores meet between phases, whatever blocks they have: none of them waits for ever.

``python -m benchmarks meetings`` runs 500 launches.
"""

from __future__ import annotations

import pytest

from benchmarks.bench_meetings import AXES, EPILOGUES, Launch, launches, wrong
from evtgen.graph.shapes import Problem
from evtgen.model.execution import Settings
from evtgen.model.programs import Compilation, require_programs
from evtgen.model.toolchain import Program
from evtgen.nodes import ColReduced
from evtgen.planner.plan import lower

NAMES = ("rows", "grouped")


@pytest.fixture(scope="module")
def programs() -> dict[str, Program]:
    return require_programs([lower(EPILOGUES[name]) for name in NAMES], Compilation(batch=len(NAMES)))


def test_random_launches_end_with_the_right_numbers(programs: dict[str, Program]) -> None:
    drawn = list(launches(12, seed=2, names=NAMES))
    assert any(launch.blocks == 0 for launch in drawn)
    assert any(0 < launch.blocks < (launch.settings.cores or 0) for launch in drawn)
    for launch in drawn:
        assert wrong(programs[launch.epilogue], lower(EPILOGUES[launch.epilogue]), launch) is None, str(launch)


def test_wrong_numbers_are_seen(programs: dict[str, Program], monkeypatch: pytest.MonkeyPatch) -> None:
    launch = Launch("rows", Problem((20,), 20, 16), Settings(cores=2))
    monkeypatch.setitem(AXES, ColReduced, 0)
    assert wrong(programs["rows"], lower(EPILOGUES["rows"]), launch) == "the numbers"
