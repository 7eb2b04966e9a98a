"""Standard streams that are full, closed or unread, and what other code writes to stdout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..support.command import environment, python
from ..support.command import started as run
from ..support.paths import CHECKOUT

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
    "check": ("check", "good.py"),
    "check --json": ("check", "good.py", "--json"),
    "wrong spec": ("check", "wrong.py", "--json"),
    "build": ("build", "good.py", "-o", "include"),
    "build --json": ("build", "good.py", "-o", "include", "--json"),
    "build --check": ("build", "good.py", "-o", "include", "--check"),
    "build --check --json": ("build", "good.py", "-o", "include", "--check", "--json"),
    "verify": ("verify", "good.py", "--json"),
    "profile": ("profile", "good.py", "--json"),
    "explain": ("explain", "good.py"),
    "explain --json": ("explain", "good.py", "--json"),
    "ops": ("ops",),
    "ops --json": ("ops", "--json"),
    "schema": ("schema",),
    "install": ("install", "good.py", "--catlass", "checkout", "--dry-run"),
    "install --json": ("install", "good.py", "--catlass", "checkout", "--dry-run", "--json"),
    "install --diff": ("install", "good.py", "--catlass", "checkout", "--diff"),
    "uninstall": ("uninstall", "--catlass", "checkout"),
    "uninstall --json": ("uninstall", "--catlass", "checkout", "--json"),
    "cpu --json": ("cpu", "none.cpp", "--json"),
    "usage": ("build", "--json"),
    "--version": ("--version",),
    "--cmake-dir": ("--cmake-dir",),
    "--help": ("--help",),
    "build --help": ("build", "--help"),
    "--show-completion": ("--show-completion", "bash"),
}
"""Commands that print to stdout; without a compiler."""

SOME = ("check --json", "--help")


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "wrong.py").write_text("x = 1\n")
    shutil.copytree(CHECKOUT / "evtgen/device/catlass/catlass", tmp_path / "checkout/include/catlass")
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


@pytest.mark.parametrize("fault", STATUS)
@pytest.mark.parametrize(
    "command", [pytest.param(name, marks=[] if name in SOME else pytest.mark.slow) for name in COMMANDS]
)
def test_stdout_that_cannot_be_written(here: Path, command: str, fault: str) -> None:
    status, said = faulty(COMMANDS[command], here, fault, "fine")
    assert status == STATUS[fault]
    assert said.count("error[EVT072]") == (status == 3)
    assert "Traceback" not in said and "Exception ignored" not in said


@pytest.mark.slow
@pytest.mark.parametrize("fault", STATUS)
@pytest.mark.parametrize("command", COMMANDS)
def test_both_streams_that_cannot_be_written(here: Path, command: str, fault: str) -> None:
    assert faulty(COMMANDS[command], here, fault, fault)[0] == STATUS[fault]


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
    "a child of the shell": "import os; os.system('echo noise')",
    "the first stdout": "import sys; sys.__stdout__.write('noise'); sys.__stdout__.flush()",
    "a stream of its own": "import sys; sys.stdout = open(1, 'w', closefd=False); print('noise')",
    "a library of C": "import ctypes; ctypes.CDLL(None).puts(b'noise')",
    "the next descriptors": "import os\nfor number in range(1, 32):\n  try: os.write(number, b'noise')\n"
    "  except OSError: pass",
    "an exit handler": "import atexit; atexit.register(print, 'noise')",
    "a thread": "import threading, time\n"
    "def noise():\n  for _ in range(400): print('noise', flush=True); time.sleep(0.001)\n"
    "threading.Thread(target=noise).start()",
    "a destructor": "import os\nclass Odd:\n  def __del__(self): print('noise')\nos.odd = Odd()",
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


CLOSES = {
    "its stdout": "import sys; sys.stdout.close()",
    "its stderr": "import sys; sys.stderr.close()",
    "the descriptor of stdout": "import os; os.close(1)",
    "the descriptor of stderr": "import os; os.close(2)",
}


@pytest.mark.parametrize("close", CLOSES.values(), ids=CLOSES.keys())
def test_a_spec_that_closes_a_stream(here: Path, close: str) -> None:
    (here / "closing.py").write_text(f"{close}\n{GOOD}")
    done = run("check", "closing.py", cwd=here)
    assert done.returncode == 0 and done.stdout == "1 epilogue fine: scaled_add\n"


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


@pytest.mark.parametrize(
    "end", ["os._exit(0)", "os.abort()", "os.execl('/bin/true', 'true')", "import posix; posix._exit(0)"]
)
def test_a_spec_cannot_end_the_command(here: Path, end: str) -> None:
    (here / "end.py").write_text(f"import os\n{end}\n{GOOD}")
    done = run("check", "end.py", cwd=here)
    assert done.returncode == 2 and done.stderr.startswith("error[EVT018]: ")


def test_a_thread_of_a_spec_does_not_keep_the_command_alive(here: Path) -> None:
    (here / "wait.py").write_text(
        f"import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n{GOOD}"
    )
    started = time.monotonic()
    done = run("check", "wait.py", cwd=here)
    assert (done.returncode, done.stdout) == (0, "1 epilogue fine: scaled_add\n")
    (here / "wrong.py").write_text("import threading, time\nthreading.Thread(target=time.sleep, args=(600,)).start()\n")
    done = run("check", "wrong.py", "--json", cwd=here)
    assert done.returncode == 2 and json.loads(done.stdout)["ok"] is False
    assert time.monotonic() - started < 300


def test_a_spec_that_takes_built_in_names_away(here: Path) -> None:
    take = (
        "import builtins\nbuiltins.print = builtins.open = builtins.KeyboardInterrupt = builtins.BaseException = None\n"
    )
    (here / "take.py").write_text(GOOD + take)
    done = run("check", "take.py", cwd=here)
    assert (done.returncode, done.stdout) == (0, "1 epilogue fine: scaled_add\n")
    (here / "take.py").write_text(f"{take}1 / 0\n")
    done = run("check", "take.py", cwd=here)
    assert done.returncode == 2 and done.stderr.startswith("error[EVT003]: ZeroDivisionError")


def test_the_last_handler_needs_no_print(here: Path) -> None:
    code = (
        "import builtins, sys, evtgen.pipeline.specs; sys.argv = ['evtgen', 'check', 'good.py']\n"
        "def take(specs): builtins.print = sys.stdout = sys.stderr = None; 1 / 0\n"
        "evtgen.pipeline.specs.load_and_check = take\n"
        "from evtgen.__main__ import main; main()"
    )
    done = python(code, cwd=here)
    assert done.returncode == 3 and done.stderr.startswith("error[EVT099]: internal error: ")
    assert done.stderr.count("\n") == 1


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
