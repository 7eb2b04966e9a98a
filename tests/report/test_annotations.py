"""Diagnostics as SARIF and as annotations of GitHub's workflows."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from evtgen.check import check
from evtgen.diagnostics.diagnostic import Diagnostic, Severity
from evtgen.frontend.load import load
from evtgen.graph.location import Location
from evtgen.report.annotations import github, sarif
from evtgen.report.verification import findings
from evtgen.verify.result import Comparison, Result

from ..support.command import run
from ..support.said import says

SPEC = """\
from evtgen import Acc, Aux, epilogue, float32, half

@epilogue
def mixed(acc: Acc[half], X: Aux[float32]):
    return {"D": acc + X}
"""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "a spec.py"
    path.write_text(SPEC, encoding="utf-8")
    return path


def test_sarif_names_the_line(spec: Path) -> None:
    [found] = check(load([spec])[0])
    [run] = sarif([found])["runs"]
    [result] = run["results"]
    assert run["tool"]["driver"]["rules"][result["ruleIndex"]]["id"] == result["ruleId"] == "EVT021"
    assert result["level"] == "error" and "float32" in result["message"]["text"]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "a%20spec.py"
    snippet = 'return {"D": acc + X}'
    columns = {"startColumn": 5, "endColumn": 5 + len(snippet)}
    assert place["region"] == {"startLine": 5, **columns, "snippet": {"text": snippet}}
    assert "auto_cast" in run["tool"]["driver"]["rules"][0]["help"]["text"]


def test_a_file_elsewhere_has_an_absolute_uri(spec: Path) -> None:
    found = Diagnostic("EVT021", Severity.WARNING, "m", Location("/some where/x.py", 0))
    [result] = sarif([found])["runs"][0]["results"]
    assert result["locations"] == [{"physicalLocation": {"artifactLocation": {"uri": "file:///some%20where/x.py"}}}]
    assert "locations" not in sarif([Diagnostic("EVT021", Severity.ERROR, "m")])["runs"][0]["results"][0]


def test_github_reads_what_was_meant() -> None:
    """By the rules of the runner: a message is a line, a field ends with a comma, and %XX stands for a character."""
    message = "50 % of\nlines: a, b::c"
    found = Diagnostic("EVT021", Severity.ERROR, message, Location("/d,i:r/x.py", 3), "do\r\nthis")
    line = github([found])
    match = re.fullmatch(r"::(\w+) ([^\n]*?)::([^\n]*)", line)
    assert match is not None

    def read(text: str) -> str:
        return re.sub("%([0-9A-F]{2})", lambda m: chr(int(m[1], 16)), text)

    fields = {key: read(value) for key, value in (field.split("=", 1) for field in match[2].split(","))}
    assert match[1] == "error" and fields["file"] == "/d,i:r/x.py" and fields["line"] == "3"
    assert fields["title"].startswith("EVT021: ")
    assert read(match[3]) == message + "\ndo\\r\nthis"


def test_the_command_prints_them_and_nothing_else(spec: Path) -> None:
    done = run("check", spec.name, "--format", "sarif", cwd=spec.parent)
    assert done.returncode == 2 and done.stderr == ""
    assert [r["ruleId"] for r in json.loads(done.stdout)["runs"][0]["results"]] == ["EVT021"]
    done = run("check", spec.name, "--format", "github", cwd=spec.parent)
    assert done.returncode == 2 and done.stdout.startswith("::error file=a spec.py,line=5,title=EVT021%3A ")
    spec.write_text(SPEC.replace("float32]", "half]"), encoding="utf-8")
    done = run("check", spec.name, "--format", "sarif", cwd=spec.parent)
    assert done.returncode == 0 and json.loads(done.stdout)["runs"][0]["results"] == []


def test_input_that_cannot_be_read_is_a_result_too(spec: Path) -> None:
    done = run("check", "no.py", "--format", "sarif", cwd=spec.parent)
    assert [r["ruleId"] for r in json.loads(done.stdout)["runs"][0]["results"]] == ["EVT001"]


def test_what_a_verification_finds_is_there() -> None:
    wrong = Comparison("D", "half", 6, 2, 1.0, 3, 0.5, (1, 2, 3.0, 2.0))
    hazard = {
        "code": "EVT111", "severity": "error", "message": "DataCopy: something", "advice": "wait", "count": 1,
        "sites": [{"file": "include/x.hpp", "line": 7, "call": "DataCopy", "pipe": "MTE2"}],
    }  # fmt: skip
    result = Result("e", (2, 3, 4), 8, 0, 0, [wrong], hazards=[hazard])
    number, race = findings([result, result])
    says(number, "EVT156", "D … 2 … 6 … (1, 2)")
    assert race.code == "EVT111" and race.location == Location("include/x.hpp", 7) and race.help == "wait"
