"""The sections about runs: times, results and hazards."""

from __future__ import annotations

import json
import math
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest

import evtgen as evt
from evtgen import Acc, half
from evtgen.diagnostics.faults import SOURCE
from evtgen.options import ReportOptions
from evtgen.pipeline import earlier
from evtgen.pipeline.report import Subject, subjects
from evtgen.pipeline.specs import check_given
from evtgen.report.page.html import Fragment
from evtgen.report.page.sections import compare, hazards, over_k, results, spec, timeline, times, verdict

from ..support import seeds
from ..support.runs import with_runs


@pytest.fixture(scope="module")
def bare() -> Subject:
    (found,) = subjects(check_given([seeds.ADD]), ReportOptions(run=False))
    return found


def words(fragment: Fragment | None) -> str:
    """The text of a section."""
    assert fragment is not None
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", str(fragment.html)))).replace(" ,", ",")


def test_what_was_not_run_has_no_section(bare: Subject) -> None:
    assert [one.section(bare) for one in (timeline, times, results, hazards, over_k, compare)] == [None] * 6


def test_a_timeline_has_a_run_for_each_number_of_buffers(bare: Subject) -> None:
    found = timeline.section(with_runs(bare))
    assert found is not None
    text, html = words(found), str(found.html)
    assert [plan.buffers for plan in bare.plans] == [1, 2, 3]
    assert text.index("1 buffer ") < text.index("2 buffers ") < text.index("3 buffers ")
    assert text.count("as built") == 1
    assert 'title="AuxLoadX, tile 1: DataCopyPad, 1,000 cycles from ' in html
    assert 'title="waits for Plus, tile 0 on V: ' in html and "waits for matmul on AIC 0, FIX: " in html
    assert 'title="Plus, tile 3: 2 × Add, 100 cycles from ' in html
    assert "1 cube core from 660 to 660; 2 vector cores from " in text and html.count("<rect") == 3
    assert '"sites":[["copy_gm_to_ub.hpp:30",' in html and 'data-l="0"' in html
    # Every bar lies within the scale.
    most = int(re.findall(r"--most:(\d+)", html)[0])
    bars = re.findall(r"--b:(\d+);--d:(\d+)", html)
    assert len(bars) > 60 and all(int(begin) + int(cycles) <= most for begin, cycles in bars)


def test_phases_are_marked(bare: Subject) -> None:
    run = with_runs(bare, phases=True)
    drawn = str(getattr(timeline.section(run), "html", ""))
    assert drawn.count('class="phase"') == 3 and "line {line} of the header" in drawn
    text = words(times.section(run))
    assert "By phase" in text and "1 1 10 2,000 1,990 4,096 below 1 % 50 % below 1 % No pipe works" in text


def test_advice_is_on_the_pipe_that_works_most_with_what_the_clock_says(bare: Subject) -> None:
    assert times.advice({"MTE2": 0.1, "V": 0.85, "MTE3": 0.2}, bare).startswith("It computes most of the time")
    assert times.advice({"MTE2": 0.9, "V": 0.85}, bare).startswith("It loads")
    run = with_runs(bare)
    assert run.profile is not None
    run = replace(run, plain=run.profiles[2], tried={"fast_math=True": run.profile.cycles // 2, **run.tried})
    assert times.advice({"V": 0.9}, run).endswith("With fast_math=True the kernel takes 50.0 % less.")
    assert "see the waits above. With buffers=2 the kernel takes 0.0 % more." in times.advice({"V": 0.4}, run)
    assert "With" not in times.advice({"MTE2": 0.9}, run) + times.advice({"V": 0.4}, run, tried=False)
    assert run.profile is not None and run.plain is not None
    for plain, said in ((run.profile.cycles - 1, True), (run.profile.cycles, False)):
        text = words(times.section(replace(run, plain=replace(run.plain, cycles=plain))))
        assert ("about the shortest time of the kernel" in text) == said


def test_the_time_is_a_curve_over_k_beside_a_roofline(bare: Subject) -> None:
    found = over_k.section(with_runs(bare))
    text = words(found)
    assert found is not None and str(found.html).count("<svg") == 2 and "the matmul alone" in text
    assert "16 20.4 20.0 1.02 " in text and "2,048 71.2 20.0 3.56" in text
    assert "A and B 18,432" in text and "X 65,536" in text and "D 65,536" in text
    (card,) = (one for one in verdict.points(with_runs(bare)) if one.question == "Modelled time")
    assert card.answer == "20.4 to 71.2 µs" and "1.02 to 3.56 times" in card.more and "64 × 512 × K" in card.more


def test_the_other_profile_is_beside_this_one(bare: Subject) -> None:
    run = with_runs(bare)
    assert compare.section(run) is None and run.profile is not None
    old = run.profile.to_json()
    calls = [{**call, "busy": 2 * call["busy"]} if call["node"] == "Plus" else call for call in old["calls"]]
    older = {
        **old,
        "cycles": 2 * old["cycles"],
        "compute_length": 2048,
        "calls": [*calls, {**calls[0], "node": "Gone"}],
    }
    text = words(compare.section(replace(run, before=[older])))
    assert f"{older['cycles']:,} {old['cycles']:,} 50.0 % less 2,048 → 4,096" in text
    assert "Plus on V 1,600 800 50.0 % less" in text and re.search(r"Gone on \w+ [\d,]+ 0 gone", text)
    assert "has no times at" in words(compare.section(replace(run, before=[{**older, "shape": [1, 2, 3]}])))


def test_a_file_that_holds_no_profiles_is_refused(tmp_path: Path) -> None:
    path, checked = tmp_path / "old.json", check_given([seeds.ADD])
    for text in ("{", '[{"epilogue": 1}]', "{}"):
        path.write_text(text)
        with pytest.raises(evt.EvtgenError, match="EVT302"):
            subjects(checked, ReportOptions(compare=path))


@pytest.mark.parametrize(
    "wrong",
    [
        {"calls": [{}]},
        {"calls": [{"node": "Plus", "call": "Add", "pipe": "V", "busy": "1"}]},
        {"calls": [{"node": [], "call": "Add", "pipe": "V", "busy": 1}]},
        {"busy": {"AIV": 3}},
        {"busy": {"AIV": {"V": math.nan}}},
        {"phases": 1},
        {"cycles": 0},
        {"cycles": 10**400},
        {"buffers": True},
        {"shape": [1, "x", 2]},
    ],
    ids=str,
)
def test_a_profile_has_what_the_page_reads(tmp_path: Path, bare: Subject, wrong: dict[str, Any]) -> None:
    run, path = with_runs(bare), tmp_path / "old.json"
    assert run.profile is not None
    whole = run.profile.to_json()
    path.write_text(json.dumps([whole]))
    assert earlier.read(path) == [whole]
    path.write_text(json.dumps([whole, {**whole, **wrong}]))
    with pytest.raises(evt.EvtgenError, match="EVT302"):
        earlier.read(path)


def test_the_page_shows_the_spec() -> None:
    @evt.epilogue
    def shown(acc: Acc[half]) -> dict[str, object]:
        return {"D": acc + 1}

    (subject,) = subjects(check_given([shown]), ReportOptions(run=False))
    assert "def shown ( acc : Acc [ half ])" in words(spec.section(subject))


def test_the_shares_of_a_pipe_are_in_words_and_in_its_bar(bare: Subject) -> None:
    found = times.section(with_runs(bare))
    text = words(found)
    assert "transfer 50 %, shared bandwidth 30 %, waits for V 20 %" in text
    assert "waits for MTE2 80 %, work 15 %, bank conflicts 5 %" in text
    assert found is not None and "start of copies: below 1 %" in str(found.html)
    for bar in re.findall(r'<td><span class="bar">(.*?)</span>', str(found.html)):
        assert sum(map(float, re.findall(r"width:([\d.]+)%", bar))) == pytest.approx(100, abs=0.5)
    assert "By phase" not in text


def test_the_time_of_a_node_is_the_mean_of_the_cores(bare: Subject) -> None:
    text = words(times.section(with_runs(bare)))
    # 8000 cycles of two vector cores, half of them for want of bandwidth.
    assert "AuxLoadX MTE2 1 4,000, shared bandwidth 50 % 2 4,000" in text
    assert text.index("AuxLoadX MTE2") < text.index("matmul FIX 1 600") < text.index("Plus V 1 400")


def test_what_failed_comes_first(bare: Subject) -> None:
    found = results.section(with_runs(bare, wrong=True))
    text = words(found)
    assert found is not None and found.title == "Results: 1 of 2 runs failed"
    assert text.startswith(
        " 4 × 8 × 16, normal D is wrong in 1 of 32 elements, first at row 3, column 4: 99 where the reference has 29"
    )
    assert text.index("4 × 8 × 16, whole numbers ok D 0 100 %") < text.index("4 × 8 × 16, normal FAIL D 1 100 %")
    assert getattr(results.section(with_runs(bare)), "title", "") == "Results"


def test_the_distributions_are_drawn_and_counted(bare: Subject) -> None:
    found = results.section(with_runs(bare, wrong=True))
    assert found is not None
    html = str(found.html)
    # One element is off by half of its bound; in the second run, another lies outside.
    assert html.count("up to 50 % of the bound: 1 (3.12 %)") == 2
    assert html.count("outside of the bound: 1 (3.12 %)") == 1 == html.count('class="is-outside"')
    assert "equal: 31; up to 50 % of the bound: 1" in words(found)
    # All are off the formula, most by less than half an ulp of the median, and that is no fault.
    assert "formula up to 0.5 ulp: 31; up to 8 ulp: 1" in words(found)


def test_a_function_of_the_users_has_its_own_rows(bare: Subject) -> None:
    run = with_runs(bare)
    (right,) = run.results
    compared = replace(right.outputs[0], against="reference_add", from_formula=None, formula_error=None)
    text = words(results.section(replace(run, results=(replace(right, against=[compared]),))))
    assert "ok D against reference_add 0 100 %" in text


def race(file: str, line: int) -> dict[str, Any]:
    sites = [
        {"file": file, "line": line, "call": "Add", "pipe": "V", "node": "Plus", "buffer": 0},
        {"file": "/there/evtgen/device/catlass/catlass/x.hpp", "line": 7, "call": "DataCopyPad", "pipe": "MTE2"},
    ]
    message = "Add: reads data that another pipe may not have written yet; the other call is DataCopyPad at /there/x:7"
    about = {"code": "EVT120", "severity": "error", "count": 12, "core": "AIV 0.0", "where": "Plus, buffer 0"}
    return {**about, "message": message, "advice": "SetFlag after the write", "sites": sites}


@pytest.mark.parametrize("root", ["", "/somewhere/include/"])
def test_a_hazard_has_its_line_and_both_calls(bare: Subject, root: str, monkeypatch: pytest.MonkeyPatch) -> None:
    path = "catlass/epilogue/fusion/operations/arithmetic.hpp"
    lines = bare.headers[path].splitlines()
    line = next(number for number, text in enumerate(lines, 1) if "AscendC::Add(" in text)
    run = with_runs(bare)
    warning = {**race(root + path, 1), "severity": "warning", "code": "EVT123"}
    bad = replace(run.results[0], hazards=[warning, race(root + path, line), race(root + path, line)])
    found = hazards.section(replace(run, results=(bad, bad)))
    assert found is not None and found.title == "Hazards: 2"
    text, html = words(found), str(found.html)
    assert "error EVT120 Add: reads data that another pipe may not have written yet Plus, buffer 0" in text
    assert "12 times in a run. At 4 × 8 × 16, whole numbers." in text
    (marked, first) = re.findall(
        r'<span class="line found"><i>(\d+)</i>(.*?)</span>\n?(?=<span class="line|</pre>)', html
    )
    assert int(marked[0]) == line and unescape(re.sub("<[^>]*>", "", marked[1])) == lines[line - 1]
    assert first[0] == "1"
    for number in (line - 4, line + 4):
        assert f"<i>{number}</i>" in html
    assert f"<i>{line - 5}</i>" not in html
    assert "1. Add on V for Plus, buffer 0" in text and "2. DataCopyPad on MTE2" in text
    assert "catlass/x.hpp:7, which evtgen does not emit" in text and "/there/" not in text
    assert text.index("EVT120") < text.index("EVT123") and "None." not in text
    monkeypatch.setattr(hazards, "SEVERITIES", {"error": "错误", "warning": "警告"})
    text = words(hazards.section(replace(run, results=(bad,))))
    assert "错误 EVT120" in text and "警告 EVT123" in text


def test_without_hazards_it_says_what_was_watched(bare: Subject) -> None:
    found = hazards.section(with_runs(bare))
    text = words(found)
    assert "None. 1,234 instructions of the device were watched in 1 run" in text
    kinds = re.findall(r"EVT_FAULT\((EVT\d+)", SOURCE.read_text(encoding="utf-8"))
    assert all(code in text for code in kinds) and f"What is watched: {len(kinds)} kinds of fault" in text
