"""Output at any width: names and numbers stay whole on narrow terminals, and lines of files and pipes stay short."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import subprocess
import sys
from pathlib import Path

import pytest
from rich.console import Console

from evtgen.cli.app import add_commands, app
from evtgen.report.console import LINE, say, show, table, wrapped
from evtgen.report.verification import results
from evtgen.report.verification import table as results_table
from evtgen.verify import Result

from ..support.command import environment, run

GOOD = """\
import evtgen as evt
from evtgen import Acc, Aux, half


@evt.epilogue
def scaled_add_of_a_long_name(acc: Acc[half], X: Aux[half], a_tensor_with_a_long_name: Aux[half]):
    y = acc * 0.5 + X
    for _ in range(12):
        y = y * a_tensor_with_a_long_name + X
    return {"D": y}
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "good.py").write_text(GOOD)
    return tmp_path


def on_a_terminal(*args: str, cwd: Path, columns: int) -> str:
    """What a command prints on a terminal of some columns, without colours."""
    ours, theirs = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-m", "evtgen", *args],
        cwd=cwd, env=environment(COLUMNS=str(columns), TERM="xterm", NO_COLOR="1"),
        stdin=theirs, stdout=theirs, stderr=theirs,
    ) as process:  # fmt: skip
        os.close(theirs)
        said = b""
        while True:
            try:
                more = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not more:
                break
            said += more
        assert process.wait() == 0
    os.close(ours)
    return re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", said.decode())


@pytest.mark.slow
@pytest.mark.parametrize("columns", [40, 60, 80, 200])
def test_narrow_terminals_keep_names_and_numbers(here: Path, columns: int) -> None:
    said = on_a_terminal("explain", "good.py", cwd=here, columns=columns)
    (plan,) = json.loads(run("explain", "good.py", "--json", cwd=here).stdout)
    words = set(said.replace(",", " ").split())
    for node in plan["nodes"]:
        assert {node["node"], node["element"]} <= words and (not node["ub"] or str(node["ub"]) in words)
    assert "…" not in said and "..." not in said
    assert plan["evt"] in said and plan["braces"] in said


@pytest.mark.slow
@pytest.mark.parametrize("columns", [40, 60, 80])
def test_narrow_terminals_keep_operators(here: Path, columns: int) -> None:
    said = on_a_terminal("ops", "--all", cwd=here, columns=columns)
    rows = json.loads(run("ops", "--json", cwd=here).stdout)
    words = set(said.split())
    assert {row[name] for row in rows for name in ("name", "cpp") if name in row} <= words
    assert "…" not in said


def test_results_on_a_narrow_terminal() -> None:
    grid = results_table(
        [Result("scaled_add_of_a_long_name", (123456, 234567, 345678), 4096, 1, 2, data="normal", seconds=12.34)]
    )
    for columns in (20, 40, 60, 80, 120, 160):
        out = Console(file=io.StringIO(), width=columns, color_system=None)
        with out.capture() as printed:
            show(out, grid)
        assert {"scaled_add_of_a_long_name", "123456", "234567", "345678", "12.34"} <= set(printed.get().split())
        assert "…" not in printed.get()


def test_a_row_stays_one_line_without_spare_columns() -> None:
    grid = table("name", "words", "seconds")
    grid.add_row("abcdefghijkl", "two words", "12.34")

    def printed(width: int) -> str:
        out = Console(file=io.StringIO(), width=width, color_system=None)
        with out.capture() as captured:
            show(out, grid, ("seconds", "words"))
        return captured.get()

    assert "12.34" in printed(80) and "more columns" not in printed(80)
    assert [line.split() for line in printed(30).splitlines()][2:] == [
        ["abcdefghijkl", "two", "words"], ["more", "columns", "on", "a", "wider"], ["terminal:", "seconds"]
    ]  # fmt: skip
    assert "\n    terminal: seconds\n" in printed(26) and max(map(len, printed(26).splitlines())) <= 26
    assert printed(8).startswith("name:      abcdefghijkl")


def test_prose_is_broken_between_words_and_cpp_is_not() -> None:
    out = Console(file=io.StringIO(), width=30, color_system=None)
    with out.capture() as captured:
        say(out, "Kernel     one matmul, and what it is for")
    assert captured.get() == "Kernel     one matmul, and\n           what it is for\n"


def test_results_say_what_ascendc_headers_were_used_for(capsys: pytest.CaptureFixture[str]) -> None:
    ran, compiled = (
        Result("add", (3, 7, 5), 64, 1, 2, ascendc="asc-devkit 9.9.9", ascendc_runs=runs) for runs in (True, False)
    )
    said = []
    for result in (ran, compiled, Result("add", (3, 7, 5), 64, 1, 2)):
        results([result])
        said.append(" ".join(capsys.readouterr().out.split()).rpartition("0 of 1 ok")[2])
    assert said == [
        ", asc-devkit 9.9.9",
        ", compiled with the headers of asc-devkit 9.9.9, but run with the model's own",
        "",
    ]
    assert (ran.to_json()["ascendc_use"], compiled.to_json()["ascendc_use"]) == ("run", "compiled")


def test_tables_are_tables_where_they_fit() -> None:
    grid = table("name", "words")
    grid.add_row("abcdefghijkl", "some words that can be wrapped anywhere")

    def printed(width: int) -> str:
        out = Console(file=io.StringIO(), width=width, color_system=None)
        with out.capture() as captured:
            show(out, grid)
        return captured.get()

    assert len(printed(80).splitlines()) == 3
    assert printed(12).startswith("name:      abcdefghijkl\nwords:     some words")


@pytest.mark.slow
@pytest.mark.parametrize("columns", [60, 80, 120])
def test_summaries_of_commands_are_whole(here: Path, columns: int) -> None:
    said = on_a_terminal("--help", cwd=here, columns=columns)
    assert "..." not in said.partition("Commands:")[2]
    add_commands([])
    for command in app.registered_commands:
        assert command.callback is not None and command.callback.__doc__
        summary = command.callback.__doc__.partition("\n\n")[0]
        assert summary.rstrip(".") in " ".join(said.split())


@pytest.mark.parametrize(
    "args",
    [
        ("--help",), ("build", "--help"), ("verify", "--help"), ("ops",), ("explain", "good.py"), ("check", "wrong.py"),
        ("explain", "long.py"), ("check", "good.py", "--nonsense" * 30), ("check", "x" * 250),
    ],
)  # fmt: skip
def test_lines_of_files_and_pipes_are_short(here: Path, args: tuple[str, ...]) -> None:
    (here / "wrong.py").write_text(f"raise ValueError('{'word ' * 300}')")
    body = GOOD.replace("range(12)", "range(100)")
    (here / "long.py").write_text(body)
    done = run(*args, cwd=here)
    for line in (done.stdout + done.stderr).splitlines():
        assert len(line) <= LINE or max(map(len, line.split())) > LINE - 20, line


def test_wrapping() -> None:
    stream = io.StringIO()
    assert wrapped("short\n  lines\n\nstay", stream) == "short\n  lines\n\nstay"
    text = "  help: " + "word " * 100
    assert all(len(line) <= LINE for line in wrapped(text, stream).splitlines())
    assert wrapped(text, stream).split() == text.split()
    assert wrapped("x" * 500, stream) == "x" * 500
