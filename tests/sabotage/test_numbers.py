"""The summary of numbers is in step with what is emitted, and a sample of the mutants is caught by numbers.

``make sabotage-numbers`` runs them all.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files
from evtgen.operators.arrays import Array
from evtgen.planner.plan import lower
from evtgen.reference import Enclosure
from sabotage.mutants import is_compiled
from sabotage.numbers_kept import report_of
from sabotage.numbers_page import NAME, made
from sabotage.numbers_run import KINDS, Outcome, Report, epilogues, run_one
from sabotage.numbers_text import ORDER, Mutant, Place, Site, switched
from sabotage.page import kept
from sabotage.subjects import framework

EPILOGUE = "row_broadcast_reduction_evt"
SMALL = (3, 7, 5)
MIDDLE = (87, 198, 120)


def test_the_summary_is_of_a_whole_run() -> None:
    """`make sabotage-numbers` writes it, with a digest that tells whether the text is still that."""
    rows = re.findall(r"^\| (.*?) \| .*? \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", kept(NAME), re.MULTILINE)
    counts = {name: tuple(map(int, numbers)) for name, *numbers in rows}
    total = counts.pop("**all**")
    assert total == tuple(map(sum, zip(*counts.values(), strict=True))) and total[0] >= 3000
    assert re.fullmatch(r"Made from \d+ lines of text; digest [0-9a-f]{12}\.", kept(NAME).splitlines()[-1])
    some = [epilogues()[EPILOGUE]]
    assert made(some) == made(some) != made([*some, *some])


def test_every_call_that_computes_has_a_switch() -> None:
    """The text may only name what orders, and types, and what is switched; and numbers.hpp has every call."""
    plan = lower(epilogues()[EPILOGUE])
    texts = switched(plan, {**framework(), **epilogue_files(plan, Framework())})
    assert {site.call for site in texts.sites} <= KINDS.keys() | {
        "Load", "Store", "Tile", "LeftOut", "OddRow", "Rows", "Fewer", "Begin", "Block", "Instead", "Constant",
        "Argument", "Neutral",
    }  # fmt: skip
    for path, text in texts.headers.items():
        if path != "numbers.hpp":
            code = re.sub(r"//.*", "", text)
            called = re.finditer(r"AscendC::(\w+)(?:<[\w<>:]*>)?\(", code)
            assert {call[1] for call in called if is_compiled(code, call.start(), plan.arch)} <= ORDER, path
            assert not re.search(r"Copy(GmToUb|UbToGm)\{\}", code), path


@pytest.fixture(scope="module")
def report() -> Report:
    return run_one(EPILOGUE, (MIDDLE, SMALL), most=8)


def test_a_sample_is_caught(report: Report) -> None:
    assert report.faults == []
    assert len(report.outcomes) == 8
    assert all(outcomes[MIDDLE].caught or not outcomes[MIDDLE].reached for outcomes in report.outcomes.values())


@pytest.mark.parametrize("name", ["expert_scatter", "causal_softmax"])
def test_mutants_of_others_are_caught(name: str) -> None:
    """Rows that went elsewhere are compared from there; phases, a band, and vectors that are read where they lie."""
    found = run_one(name, (SMALL,), most=2)
    assert found.problem is None and found.faults == []


def test_a_loose_bound_lets_one_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    contains = Enclosure.contains

    def within_two_hundredths(expected: Enclosure, device: Array) -> Any:
        value = expected.value.astype(np.float64)
        return contains(expected, device) | (np.abs(device.astype(np.float64) - value) <= 0.02 * np.abs(value))

    assert run_one("expert_weight", (SMALL,)).faults == []
    monkeypatch.setattr(Enclosure, "contains", within_two_hundredths)
    found = run_one("expert_weight", (SMALL,)).faults
    assert found and all("factor of" in text and text.endswith("is within the bounds") for text in found)


def test_a_report_without_faults_is_kept_until_its_text_is_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reports = [Report(EPILOGUE, problem=problem) for problem in ("does not compile", None, "not run", "another")]
    left = iter(reports)
    monkeypatch.setenv("EVTGEN_CACHE", str(tmp_path))
    monkeypatch.setattr("sabotage.numbers_kept.run_one", lambda name: next(left))
    assert [report_of(EPILOGUE) for _ in range(3)] == [reports[0], reports[1], reports[1]]
    monkeypatch.setattr(
        "sabotage.numbers_run.framework", lambda: {path: f"{text}\n" for path, text in framework().items()}
    )
    assert report_of(EPILOGUE) == reports[2]


@pytest.mark.parametrize(
    ("outcome", "fault"),
    [
        (Outcome(caught="int"), None),
        (Outcome(reached=False, identical=True), None),
        (Outcome(identical=True, reason="no element reaches the limit"), None),
        (Outcome(identical=True), "changes nothing, and no reason is known"),
        (Outcome(), "is within the bounds"),
        (Outcome(error="status 1"), "cannot be run: status 1"),
    ],
)
def test_what_escapes_is_a_fault(outcome: Outcome, fault: str | None) -> None:
    mutant = Mutant("e", Site(0, str(Path("f.hpp")), 1, "Add", "Add(dst, a, b, count)"), Place(0, 1, 1, "half"), "swap")
    found = Report("e", {mutant: {SMALL: outcome}}).faults
    assert len(found) == (fault is not None)
    assert all(text.endswith(f"at 3x7x5: {fault}") for text in found)
