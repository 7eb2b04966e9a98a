"""Specs that do to the process what no spec should: each is a diagnostic or an epilogue, and changes nothing."""

from __future__ import annotations

import builtins
import os
import posix
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest

from evtgen.check import check
from evtgen.diagnostics.diagnostic import Diagnostic, EvtgenError, render
from evtgen.frontend.load import load

HEAD = """import os, signal, sys, warnings
import evtgen as evt
from evtgen import Acc, Aux, Epilogue, Gemm, Scalar, TopologicalVisitor, TreeVisitor, float32, half, ops
from evtgen.nodes import *

plain = TreeVisitor(AuxStore("D", half), AccLoad(half))
"""

TRACED = """
@evt.epilogue
def traced(acc: Acc[half]):
    {0}
    return {{"D": {1}}}
"""


def spec(directory: Path, text: str) -> Path:
    path = directory / "spec.py"
    path.write_text(HEAD + text)
    return path


def found(path: Path) -> list[Diagnostic]:
    """All that is wrong with a spec, as ``evtgen check`` finds it."""
    try:
        return [diagnostic for epilogue in load([path]) for diagnostic in check(epilogue)]
    except EvtgenError as error:
        assert error.status == 2
        return error.diagnostics


RAISES = {
    "a base exception": ("class Odd(BaseException): pass\nraise Odd('why')", "EVT003", "Odd: why"),
    "a generator's end": ("raise GeneratorExit", "EVT003", "GeneratorExit"),
    "an exit": ("sys.exit(0)", "EVT003", "SystemExit: 0"),
    "an exit of the site": ("exit()", "EVT003", "SystemExit"),
    "a cancellation": ("import asyncio\nraise asyncio.CancelledError", "EVT003", "CancelledError"),
    "a failing text": (
        "class Odd(Exception):\n  def __str__(self): raise ValueError\nraise Odd",
        "EVT003",
        "Odd: (its __str__ raises ValueError)",
    ),
    "a text that ends": (
        "class Odd(Exception):\n  def __str__(self): sys.exit(0)\nraise Odd",
        "EVT003",
        "Odd: (its __str__ raises SystemExit)",
    ),
    "a text of another type": (
        "class Text(str):\n  def __len__(self): raise ValueError\n"
        "class Odd(Exception):\n  def __str__(self): return Text('why')\nraise Odd",
        "EVT003",
        "Odd: why",
    ),
    "a text that commands the terminal": (
        r"raise ValueError('\x1b[2Jerror\n\r\x9b2J\u202eend')",
        "EVT003",
        r"ValueError: \x1b[2Jerror\n\r\x9b2J\u202eend",
    ),
    "no built-in names": ("import builtins\nvars(builtins).clear()\nNone.x", "EVT003", "AttributeError"),
    "a text that is none": (
        "class Odd(Exception):\n  def __str__(self): return 1\nraise Odd",
        "EVT003",
        "Odd: (its __str__ raises TypeError)",
    ),
    "a text without end": (
        "class Odd(Exception):\n  def __str__(self): return str(self)\nraise Odd",
        "EVT003",
        "Odd: (its __str__ raises RecursionError)",
    ),
    "a long text": ("raise ValueError('x' * 10**7)", "EVT003", "ValueError: x"),
    "a name that fails": (
        "class M(type):\n  @property\n  def __name__(self): raise ValueError\n"
        "class Odd(Exception, metaclass=M): pass\nraise Odd('why')",
        "EVT003",
        "Odd: why",
    ),
    "an error without diagnostics": (
        "from evtgen.diagnostics.diagnostic import EvtgenError\nraise EvtgenError([])",
        "EVT003",
        "EvtgenError",
    ),
    "an error of other things": (
        "from evtgen.diagnostics.diagnostic import EvtgenError\nraise EvtgenError('text')",
        "EVT003",
        "TypeError",
    ),
    "no memory": ("raise MemoryError", "EVT003", "MemoryError"),
    "no stack": ("def f(): f()\nf()", "EVT003", "RecursionError: maximum recursion depth exceeded"),
    "a name nobody can print": ("raise ValueError('\\udc80')", "EVT003", "ValueError: "),
    "the end": ("os._exit(0)", "EVT018", "the spec calls os._exit, which would end evtgen"),
    "the end, caught": ("try: os._exit(0)\nexcept Exception: pass", "EVT018", "the spec calls os._exit"),
    "the end by another name": ("import posix\nposix._exit(0)", "EVT018", "the spec calls posix._exit"),
    "an abort": ("os.abort()", "EVT018", "the spec calls os.abort"),
    "another program": ("os.execl('/bin/true', 'true')", "EVT018", "the spec calls os.execv"),
    "another program on the path": ("os.execlp('true', 'true')", "EVT018", "the spec calls os.execv"),
    "the end in a function": (TRACED.format("os._exit(0)", "acc"), "EVT018", "the spec calls os._exit"),
    "many signs": (TRACED.format("", "-" * 100_000 + "acc"), "EVT002", "an expression is nested too deep for Python"),
    "many sums": (TRACED.format("", "acc" + "+ 1" * 50_000), "EVT002", "an expression is nested too deep for Python"),
    "many parentheses": (TRACED.format("", "(" * 9_999 + "acc" + ")" * 9_999), "EVT002", "SyntaxError"),
    "a long chain": (TRACED.format("for _ in range(30_000): acc = -acc", "acc"), "EVT030", "the graph has more than"),
    "a factor": (TRACED.format("", "acc * 10**5000"), "EVT020", "Compute"),
    "a term": (TRACED.format("", "acc + -10**5000"), "EVT020", "Compute"),
    "a fraction": (TRACED.format("import fractions", "acc * fractions.Fraction(10**5000)"), "EVT003", "OverflowError"),
    "a number of buffers": ("e = Epilogue('e', plain, buffers=10**5000)", "EVT020", "buffers must be"),
    "a length": ("e = Epilogue('e', plain, compute_length=10**5000)", "EVT020", "compute_length must be"),
    "a tile": ("e = Epilogue('e', plain, gemm=Gemm(l1=(10**5000, 16, 16)))", "EVT020", "gemm.l1 must be"),
    "an edge": ("e = Epilogue('e', TopologicalVisitor([[], [10**5000]], plain.children + (plain.op,)))",
                "EVT023", "op 1"),
    "a default": ("e = Epilogue('e', TreeVisitor(AuxStore('D', half), AuxLoad('X', half, evt.RowMajor, 10**5000)))",
                  "EVT020", "AuxLoad"),
    "an option that fails": (
        "class Odd:\n  def __repr__(self): raise ValueError\ne = Epilogue('e', plain, buffers=Odd())",
        "EVT020",
        "buffers must be an integer or a string, but is a Odd",
    ),
    "arguments nested deep": (
        "nest = []\nfor _ in range(10**5): nest = [nest]\ne = Epilogue('e', plain, arguments=nest)",
        "EVT057",
        "arguments= does not have",
    ),
    "arguments that hold themselves": (
        "nest = []\nnest += [nest, nest]\ne = Epilogue('e', plain, arguments=nest)",
        "EVT057",
        "arguments= does not have",
    ),
    "arguments that are wide": (
        "e = Epilogue('e', plain, arguments=['D'] * 10**6)",
        "EVT057",
        "arguments= does not have",
    ),
    "arguments of other things": ("e = Epilogue('e', plain, arguments=[10**5000, {}])", "EVT057", "arguments="),
}  # fmt: skip


@pytest.mark.parametrize(("text", "code", "message"), RAISES.values(), ids=RAISES.keys())
def test_it_is_a_diagnostic(tmp_path: Path, text: str, code: str, message: str) -> None:
    wrong = found(spec(tmp_path, text))
    assert code in [d.code for d in wrong]
    first = next(d for d in wrong if d.code == code)
    assert first.message.startswith(message)
    assert first.location is not None and Path(first.location.file) == tmp_path / "spec.py"
    assert len(render([first])) < 10_000


def test_signs_about_as_deep_as_python_takes(tmp_path: Path) -> None:
    """Python 3.13 compiles what those before it refuse; then they cancel, and nothing is wrong."""
    codes = [wrong.code for wrong in found(spec(tmp_path, TRACED.format("", "-" * 3_000 + "acc")))]
    assert codes == ([] if sys.version_info >= (3, 13) else ["EVT002"])


def state() -> dict[str, Any]:
    """What a spec shares with evtgen."""
    import numpy as np

    mask = os.umask(0)
    os.umask(mask)
    return {
        "directory": os.getcwd(),
        "environment": (id(os.environ), dict(os.environ)),
        "streams": (sys.stdout, sys.stderr),
        "arguments": (id(sys.argv), list(sys.argv)),
        "path": (id(sys.path), list(sys.path)),
        "signals": [signal.getsignal(number) for number in signal.valid_signals()],
        "timers": [
            signal.getitimer(timer) for timer in (signal.ITIMER_REAL, signal.ITIMER_VIRTUAL, signal.ITIMER_PROF)
        ],
        "mask": signal.pthread_sigmask(signal.SIG_BLOCK, ()),
        "recursion": sys.getrecursionlimit(),
        "umask": mask,
        "warnings": list(warnings.filters),
        "numpy": np.geterr(),
        "ends": [getattr(module, name) for module in (os, posix) for name in ("_exit", "abort", "execv", "execve")],
        "built-in names": dict(vars(builtins)),
        "trace": sys.gettrace(),
    }


CHANGES = {
    "the working directory": "os.chdir('/')",
    "the environment": "os.environ.clear()",
    "a variable": "os.environ['EVTGEN_DEBUG'] = '1'",
    "another environment": "os.environ = {}",
    "the streams": "sys.stdout = sys.stderr = None",
    "the arguments": "sys.argv = []",
    "an argument": "sys.argv.clear()",
    "the path": "sys.path.clear()",
    "another path": "sys.path = ['/']",
    "a signal": "signal.signal(signal.SIGINT, signal.SIG_IGN); signal.signal(signal.SIGTERM, signal.SIG_IGN)",
    "children unseen": "signal.signal(signal.SIGCHLD, signal.SIG_IGN)",
    "a handler": "signal.signal(signal.SIGUSR1, lambda *_: None)",
    "a timer": "signal.setitimer(signal.ITIMER_REAL, 1000)",
    "blocked signals": "signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGCHLD})",
    "built-in names": "import builtins; builtins.print = builtins.open = builtins.isinstance_ = None",
    "the recursion limit": "sys.setrecursionlimit(10**6)",
    "the umask": "os.umask(0o777)",
    "the warnings": "warnings.simplefilter('error')",
    "numpy": "import numpy; numpy.seterr(all='raise')",
    "the ends": "import posix; os._exit = os.abort = posix._exit = print",
    "the trace": "sys.settrace(lambda *_: None)",
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES.keys())
@pytest.mark.parametrize("end", ["", "\nraise ValueError"], ids=["and is fine", "and fails"])
def test_changes_of_the_process_are_undone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, end: str
) -> None:
    monkeypatch.chdir(tmp_path)
    before = state()
    wrong = found(spec(tmp_path, f"{change}\ne = Epilogue('e', plain)\n{end}"))
    assert state() == before
    assert [d.code for d in wrong] == (["EVT003"] if end else [])


def test_lines_are_known_in_another_directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec(tmp_path, "os.chdir('/')" + TRACED.format("", "max(acc, 0)"))
    (wrong,) = found(Path("spec.py"))
    assert wrong.code == "EVT008" and "ops.maximum" in (wrong.help or "")
    assert 'return {"D": max(acc, 0)}' in render([wrong])


def test_a_child_does_not_do_the_work_again(tmp_path: Path) -> None:
    path = spec(tmp_path, "os.fork()\ne = Epilogue('e', plain)")
    # A child that came back from here would be a second run of the tests: it would fail to create the file.
    assert found(path) == []
    os.waitpid(-1, 0)
    (tmp_path / "returned").touch(exist_ok=False)


def test_a_child_may_end_as_it_likes(tmp_path: Path) -> None:
    text = "pid = os.fork()\nif pid == 0: os._exit(7)\nassert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7\n"
    assert found(spec(tmp_path, f"{text}e = Epilogue('e', plain)")) == []
    text = "import subprocess\nassert subprocess.run(['/bin/sh', '-c', 'exit 5']).returncode == 5\n"
    assert found(spec(tmp_path, f"{text}e = Epilogue('e', plain)")) == []


@pytest.mark.parametrize("name", ["spec.py", "spec.json"])
def test_a_spec_that_is_no_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.symlink_to(name)
    assert [d.code for d in found(path)] == ["EVT001"]
    path.unlink()
    path.symlink_to("/dev/zero")
    assert [d.code for d in found(path)] == ["EVT001"]
    path.unlink()
    os.mkfifo(path)
    assert [d.code for d in found(path)] == ["EVT001"]
    path.unlink()
    path.mkdir()
    assert [d.code for d in found(path)] == ["EVT001"]
    for other in (tmp_path / ("x" * 300 + ".py"), tmp_path / "nul\0.py", tmp_path / "no" / name):
        assert [d.code for d in found(other)] == ["EVT001"]


def test_no_control_character_of_a_spec_is_rendered(tmp_path: Path) -> None:
    (wrong,) = found(spec(tmp_path, "raise ValueError('why')  # \x1b[2J\n"))
    assert "\x1b" not in render([wrong]) and r"# \x1b[2J" in render([wrong])
