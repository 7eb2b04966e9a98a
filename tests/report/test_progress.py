"""Long work says what it does, on a terminal, and nothing elsewhere."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from evtgen.cli.outcome import print_diagnostics
from evtgen.diagnostics.diagnostic import Diagnostic, Severity
from evtgen.report.console import progress
from evtgen.system.columns import columns
from evtgen.system.progress import Notice, Steps, together

from ..support.cpp import quick_compiler
from ..support.paths import CHECKOUT

SPECS = [CHECKOUT / "examples" / "33_cast_evt.py", CHECKOUT / "examples" / "32_matmul_add_evt.py"]


def test_steps_are_counted() -> None:
    said: list[str] = []
    steps = Steps(said.append, "compiling {count} of {of}: {name}", 2)
    steps.next("one {braces}")
    steps.next("two")
    assert said == ["compiling 1 of 2: one {braces}", "compiling 2 of 2: two"]


def test_parts_that_go_on_at_once_share_a_text() -> None:
    said: list[str] = []
    one, two = together(said.append, 2)
    two("run 1 of 2")
    one("compiling")
    two(Notice("takes a minute"))
    two("run 2 of 2")
    one("")
    assert said == ["run 1 of 2", "compiling; run 1 of 2", "takes a minute", "compiling; run 2 of 2", "run 2 of 2"]
    assert isinstance(said[2], Notice)


def on_terminal(command: list[str], environment: dict[str, str]) -> str:
    """What a command writes to a terminal of 60 columns as its stderr."""
    main, other = pty.openpty()
    process = subprocess.Popen(command, stderr=other, stdout=subprocess.DEVNULL, env={**os.environ, **environment})
    os.close(other)
    written = b""
    try:
        while part := os.read(main, 1 << 16):
            written += part
    except OSError:  # the end, on Linux
        pass
    os.close(main)
    assert process.wait() == 0, written
    return written.decode()


@pytest.mark.cxx
def test_a_first_verification_says_what_it_does(tmp_path: Path) -> None:
    compiler = quick_compiler(tmp_path / "compiler")
    environment = {"EVTGEN_CACHE": str(tmp_path / "cache"), "COLUMNS": "60", "PYTHONPATH": str(CHECKOUT)}
    command = [sys.executable, "-m", "evtgen", "verify", *map(str, SPECS), "--shape", "3x7x5", "--cxx", str(compiler)]
    said = on_terminal(command, environment).split("\r\033[K")
    assert {f"building the CPU model, once: {count} of 4 files" for count in (1, 2, 3, 4)} <= {*said}
    compiled = [text.split(": ") for text in said if text.startswith("compiling")]
    assert [step for step, _ in compiled] == ["compiling 1 of 2", "compiling 2 of 2"]
    assert {name for _, name in compiled} == {"cast_evt", "matmul_add_evt"}
    assert [text[:8] for text in said if text.startswith("run ")] == [f"run {i} of" for i in (1, 2, 3, 4)]
    assert max(map(len, said)) < 60 and said[-1] == ""
    # The same again has nothing to build, and nothing is said where nobody looks.
    assert "building" not in on_terminal(command, environment)
    done = subprocess.run(command, env={**os.environ, **environment}, capture_output=True, check=True)
    assert done.stderr == b""


def test_where_progress_is_not_shown_notices_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    progress()("run 1 of 4")
    progress()(Notice("building"))
    assert capsys.readouterr().err == "building\n"


def test_a_diagnostic_does_not_stand_behind_the_progress(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress()("run 1 of 4")
    print_diagnostics([Diagnostic("EVT309", Severity.WARNING, "cores are idle")])
    _, shown, said = capsys.readouterr().err.split("\r\033[K")
    assert shown == "run 1 of 4" and "EVT309" in said


@pytest.mark.parametrize("character", ["x", "字", "x字"])
def test_a_long_line_fills_the_terminal(
    character: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress()(100 * character)
    progress()(39 * "字")
    _, cut, whole = capsys.readouterr().err.split("\r\033[K")
    assert cut.endswith("…") and 77 <= columns(cut) <= 78 and whole == 39 * "字"
