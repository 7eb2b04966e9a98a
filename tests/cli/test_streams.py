"""Standard streams that are full, closed or unread, and what other code writes to stdout."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ..support.command import environment
from ..support.command import started as run
from ..support.epilogues import FULL

GOOD = """\
import evtgen as evt
from evtgen import Acc, Aux, half


@evt.epilogue
def scaled_add(acc: Acc[half], X: Aux[half]):
    return {"D": acc * 0.5 + X}
"""

STATUS = {"full": 3, "closed": 3, "reader gone": 141}
"""The exit status by the fault of stdout."""

COMMANDS = {
    "check --json": ("check", "good.py", "--json"),
    "check": ("check", "good.py"),
    "build": ("build", "good.py", "-o", "include"),
    "explain": ("explain", "good.py"),
    "usage": ("build", "--json"),
    "--help": ("--help",),
}
"""Commands that print to stdout, each in another way; without a compiler."""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "wrong.py").write_text("x = 1\n")
    return tmp_path


def faulty(args: tuple[str, ...], cwd: Path, stdout: str, stderr: str) -> tuple[int, str]:
    """Run the command with a fault in each stream, "fine" for none; returns the exit status and what it says on a good
    stderr."""

    def close() -> None:
        for number, fault in ((1, stdout), (2, stderr)):
            if fault == "closed":
                os.close(number)

    reader, writer = os.pipe()
    os.close(reader)
    with open("/dev/full", "w") as full:
        streams = {"full": full, "closed": None, "reader gone": writer, "fine": subprocess.PIPE}
        done = subprocess.run(
            [sys.executable, "-m", "evtgen", *args],
            cwd=cwd,
            env=environment(PATH="/nowhere"),
            stdout=streams[stdout],
            stderr=streams[stderr],
            preexec_fn=close,
            text=True,
            check=False,
        )
    os.close(writer)
    return done.returncode, done.stderr or ""


@pytest.mark.parametrize(
    ("command", "fault"),
    [
        pytest.param(command, fault, marks=() if command == "check" else pytest.mark.slow)
        for i, command in enumerate(COMMANDS)
        for j, fault in enumerate(STATUS)
        if FULL or command == "check" or i % len(STATUS) == j
    ],
)
def test_stdout_that_cannot_be_written(here: Path, command: str, fault: str) -> None:
    status, said = faulty(COMMANDS[command], here, fault, "fine")
    assert status == STATUS[fault]
    assert said.count("error[EVT072]") == (status == 3)
    assert "Traceback" not in said and "Exception ignored" not in said


@pytest.mark.slow
@pytest.mark.parametrize("fault", STATUS)
def test_stderr_that_cannot_be_written(here: Path, fault: str) -> None:
    """What is said there is lost, and changes nothing."""
    assert faulty(("check", "good.py"), here, "fine", fault)[0] == 0
    assert faulty(("check", "wrong.py"), here, "fine", fault)[0] == 2
    assert faulty(("nonsense",), here, "fine", fault)[0] == 2
    # With nothing to print, stdout does not matter.
    assert faulty(("check", "wrong.py"), here, fault, fault)[0] == 2


def test_no_file_gets_the_number_of_a_closed_stream(here: Path) -> None:
    """Else a header would hold the words of the command."""
    assert faulty(("build", "good.py", "-o", "include"), here, "closed", "closed")[0] == 3
    assert run("build", "good.py", "-o", "include", "--check", cwd=here).returncode == 0


WRITES = {
    "a print": "print('noise')",
    "a descriptor": "import os; os.write(1, b'noise')",
    "a child process": "import subprocess; subprocess.run(['/bin/echo', 'noise'])",
    "a library of C": "import ctypes; ctypes.CDLL(None).puts(b'noise')",
}


@pytest.mark.parametrize("write", WRITES.values(), ids=WRITES.keys())
def test_json_is_json_and_nothing_else(here: Path, write: str) -> None:
    (here / "noisy.py").write_text(f"{write}\n{GOOD}")
    done = run("check", "noisy.py", "--json", cwd=here)
    assert json.loads(done.stdout)["ok"] is True and done.returncode == 0
    assert "noise" in done.stderr


@pytest.mark.cxx
def test_a_function_of_numpy_may_print(here: Path) -> None:
    """It runs long after its spec was loaded."""
    (here / "own.py").write_text(
        "import os\nimport evtgen as evt\nfrom evtgen import Acc, half\n"
        "def twice(np, a):\n    print('noise'); os.write(1, b'noise'); return a + a\n"
        "twice = evt.operator('twice', ['Muls(dst, a, 2)'], twice)\n"
        "@evt.epilogue\ndef doubled(acc: Acc[half]):\n    return {'D': twice(acc)}\n"
    )
    done = run("check", "own.py", "--numeric", "--json", cwd=here)
    assert [operator["ok"] for operator in json.loads(done.stdout)["operators"]] == [True]
    assert "noise" in done.stderr


@pytest.mark.slow
def test_a_working_directory_that_is_gone(here: Path) -> None:
    def left(*args: str | Path) -> subprocess.CompletedProcess[str]:
        gone = here / "gone"
        gone.mkdir()
        return subprocess.run(
            [sys.executable, "-m", "evtgen", *map(str, args)],
            cwd=gone, env=environment(), capture_output=True, text=True, check=False,
            preexec_fn=gone.rmdir,
        )  # fmt: skip

    spec = here / "good.py"
    for args in (
        ("check", spec), ("build", spec, "-o", "include"), ("explain", spec), ("verify", spec), ("profile", spec),
        ("install", spec, "--catlass", "checkout"), ("uninstall", "--catlass", "checkout"), ("cpu", "program.cpp"),
        ("ops",), ("schema",),
    ):  # fmt: skip
        done = left(*args)
        assert done.returncode == 3 and done.stderr.startswith("error[EVT074]: "), args
    assert json.loads(left("check", spec, "--json").stdout)["diagnostics"][0]["code"] == "EVT074"
    assert left("--version").returncode == 0


def test_output_in_ascii(here: Path) -> None:
    done = run("ops", cwd=here, PYTHONIOENCODING="ascii")
    assert done.returncode == 0 and done.stderr == ""


def completions(words: str, cwd: Path) -> str:
    done = run(cwd=cwd, _EVTGEN_COMPLETE="complete_bash", COMP_WORDS=words, COMP_CWORD=str(len(words.split(" ")) - 1))
    assert done.returncode == 0
    return done.stdout


def test_completion(here: Path) -> None:
    assert completions("evtgen ch", here).split() == ["check"]
    assert "--catlass" in completions("evtgen verify --ca", here)
