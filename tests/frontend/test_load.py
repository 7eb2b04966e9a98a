"""Spec files: what is found in them, and what is said about those that fail."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from evtgen import Epilogue
from evtgen.diagnostics.diagnostic import Diagnostic, EvtgenError, render, source_text
from evtgen.frontend.load import load

from ..support.said import named, says

HEAD = """import evtgen as evt
from evtgen import Acc, Aux, Epilogue, TreeVisitor, float32, half, ops
from evtgen.nodes import AccLoad, AuxStore

"""


def spec(directory: Path, text: str, name: str = "spec.py") -> Path:
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return path


def load_text(directory: Path, text: str) -> list[Epilogue]:
    return load([spec(directory, HEAD + text)])


def failures(*paths: Path) -> list[Diagnostic]:
    with pytest.raises(EvtgenError) as caught:
        load(paths)
    assert caught.value.status == 2
    return caught.value.diagnostics


def only(*paths: Path) -> tuple[str, int, str]:
    """Code, line and text of the one thing that is wrong."""
    (d,) = failures(*paths)
    assert d.location is not None
    return d.code, d.location.line, source_text(d.location)


STORE = 'Epilogue("{0}", TreeVisitor(AuxStore("D", half), AccLoad(half)))\n'


def test_order_of_definition_and_once_each(tmp_path: Path) -> None:
    text = "z = " + STORE.format("z") + "a = " + STORE.format("a") + "again = z\n"
    text += "@evt.epilogue\ndef traced(acc: Acc[half]):\n    return {'D': acc}\n"
    assert [e.name for e in load_text(tmp_path, text)] == ["z", "a", "traced"]


def test_two_functions_of_one_name(tmp_path: Path) -> None:
    text = HEAD + 2 * "@evt.epilogue\ndef one(acc: Acc[half]):\n    return {'D': acc}\n"
    (found,) = failures(spec(tmp_path, text))
    says(found, "EVT083", "one is defined again here … line 6")
    assert found.location is not None and found.location.line == 9


def test_future_annotations_and_local_names(tmp_path: Path) -> None:
    text = "from __future__ import annotations\n" + HEAD
    text += "def make(T):\n    @evt.epilogue\n    def made(acc: Acc[T], X: Aux[T]):\n        return {'D': acc + X}\n"
    text += "    return made\none = make(half)\n"
    assert [e.name for e in load([spec(tmp_path, text)])] == ["made"]


def test_several_files_in_order(tmp_path: Path) -> None:
    one = spec(tmp_path, HEAD + "x = " + STORE.format("one"), "one.py")
    two = spec(tmp_path, HEAD + "x = " + STORE.format("two"), "two.py")
    assert [e.name for e in load([two, one])] == ["two", "one"]


def test_helpers_beside_the_spec_do_not_leak(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        spec(tmp_path / name, f"NAME = {name!r}\n", "helper_of_spec.py")
        spec(
            tmp_path / name,
            "from helper_of_spec import NAME\n" + HEAD + "x = " + STORE.format("s").replace('"s"', "NAME"),
        )
    path = list(sys.path)
    assert [e.name for n in ("one", "two") for e in load([tmp_path / n / "spec.py"])] == ["one", "two"]
    assert sys.path == path and "helper_of_spec" not in sys.modules
    assert not [m for m in sys.modules if m.startswith("evtgen_spec_")]


def test_prints_go_to_stderr(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    load_text(tmp_path, "print('hello')\nx = " + STORE.format("x"))
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err == "hello\n"


def test_missing_file_and_other_kinds(tmp_path: Path) -> None:
    assert only(tmp_path / "none.py")[0] == "EVT001"
    assert only(spec(tmp_path, "", "spec.txt"))[0] == "EVT001"
    assert only(tmp_path)[0] == "EVT001"
    (tmp_path / "latin.py").write_bytes(b"# \xe4\n")
    assert only(tmp_path / "latin.py")[0] == "EVT001"


def test_the_file_that_was_meant(tmp_path: Path) -> None:
    def help_for(name: str) -> str | None:
        (d,) = failures(tmp_path / name)
        assert d.code == "EVT001"
        return d.help

    assert help_for(".") == "there is no .py or .json file in it, and none of C++"
    spec(tmp_path, "", "bias.py")
    spec(tmp_path, "", "notes.txt")
    spec(tmp_path, "", ".hidden.json")
    assert help_for("") == f"the spec files in it may be {tmp_path / 'bias.py'}"
    assert help_for("bias.txt") == help_for("bais.py") == f"did you mean {tmp_path / 'bias.py'}?"
    assert help_for("bias") == f"did you mean {tmp_path / 'bias.py'}?"
    assert help_for("quantized.py") is None and help_for("no/bias.py") is None
    assert help_for("notes.txt") is None
    spec(tmp_path, "", "bias.hpp")
    assert help_for("") == f"the spec files in it may be {tmp_path / 'bias.py'}, {tmp_path / 'bias.hpp'}"
    assert help_for("bias") == f"did you mean {tmp_path / 'bias.py'}?"
    (tmp_path / "bias.hpp").unlink()
    for number in range(20):
        spec(tmp_path, "", f"z{number:02}.json")
    assert (help_for("") or "").endswith("z06.json, …")
    assert failures(tmp_path)[0].case == "directory"


def test_syntax_error(tmp_path: Path) -> None:
    assert only(spec(tmp_path, "x = 1\ny = = 2\n")) == ("EVT002", 2, "y = = 2")
    assert only(spec(tmp_path, "x = '\0'"))[0] == "EVT002"


def test_exceptions_at_the_users_line(tmp_path: Path) -> None:
    assert only(spec(tmp_path, "x = 1\ny = undefined\n")) == ("EVT003", 2, "y = undefined")
    assert only(spec(tmp_path, "import no_such_module_here\n"))[:2] == ("EVT003", 1)
    assert only(spec(tmp_path, "import json\njson.loads('{')\n"))[:2] == ("EVT003", 2)
    assert only(spec(tmp_path, HEAD + "AuxStore(1, 2, 3, 4, 5)\n"))[:2] == ("EVT003", 5)
    assert only(spec(tmp_path, "raise SystemExit(3)\n"))[:2] == ("EVT003", 1)
    assert only(spec(tmp_path, "def f(): f()\nf()\n"))[:2] == ("EVT003", 1)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("import sys; sys.exit(0)", "EVT003", "SystemExit: 0"),
        ("exit()", "EVT003", "SystemExit"),
        ("class Odd(BaseException): pass\nraise Odd('why')", "EVT003", "Odd: why"),
        (
            "class Odd(Exception):\n  def __str__(self): return 1\nraise Odd",
            "EVT003",
            "Odd: (its __str__ raises TypeError",
        ),
        ("raise ValueError('x' * 10**7)", "EVT003", "ValueError: x"),
        (r"raise ValueError('\x1b[2Jend\n')", "EVT003", r"ValueError: \x1b[2Jend\n"),
        ("raise MemoryError", "EVT003", "MemoryError"),
        ("from evtgen import Acu", "EVT003", "ImportError"),
        ("x = " + "-" * 100_000 + "1", "EVT002", ""),
    ],
)
def test_a_spec_that_ends_early(tmp_path: Path, text: str, code: str, message: str) -> None:
    (d,) = failures(spec(tmp_path, text))
    assert d.code == code and d.message.startswith(message)
    assert d.location is not None and Path(d.location.file) == tmp_path / "spec.py"
    assert len(render([d])) < 10_000 and "\x1b" not in render([d])


@pytest.mark.parametrize(
    ("name", "help"),
    [
        ("int4b_t", "int4?"), ("uint4", "subtract 8"),
        ("fp8_e8m0_t", "float8_e8m0fnu?"), ("mxfp4", "float4_e2m1fn?"), ("mxfp8", "quantize_mx"), ("uint16", "int32"),
        ("fp16", "half?"), ("flot32", "float32?"), ("undefined", None),
    ],
)  # fmt: skip
def test_a_type_that_evtgen_does_not_have(tmp_path: Path, name: str, help: str | None) -> None:
    """In the body of a spec, where it imports it, and as an annotation, which Python evaluates at once or late. Any
    other name may be the user's."""
    annotated = f"{HEAD}@evt.epilogue\ndef f(acc: {name}): ...\n"
    late = f"from __future__ import annotations\n{annotated}"
    for text in (f"{HEAD}x = {name}\n", f"{HEAD}from evtgen import {name}\n", annotated, late):
        (d,) = failures(spec(tmp_path, text))
        evaluated_late = text == late or (text == annotated and sys.version_info >= (3, 14))
        assert d.code == ("EVT007" if evaluated_late else "EVT003")
        if help is None:
            assert f"import {name}" in text or d.help is None
        else:
            assert named(d.help or "", help)


@pytest.mark.parametrize(
    ("name", "help"),
    [("chanel", "did you mean channel?"), ("SCAEL", "did you mean SCALE?"), ("fac", "did you mean fact?"),
     ("flot32", "did you mean float32?"), ("chan", None), ("chanel2", None)],
)  # fmt: skip
def test_a_name_of_the_spec_that_is_misspelled(tmp_path: Path, name: str, help: str | None) -> None:
    """A parameter's, one of the module's, one of the function around it, or evtgen's."""
    text = "SCALE = 2.0\n\ndef made(fact):\n    @evt.epilogue\n    def f(acc: Acc[half], channel: Aux[half]):\n"
    text += f"        return {{'D': acc * channel * SCALE * fact * {name}}}\n    return f\n\nmade(2.0)\n"
    (d,) = failures(spec(tmp_path, HEAD + text))
    says(d, "EVT003", f"NameError: name '{name}' is not defined")
    assert d.help == help and d.location is not None and d.location.line == 10


@pytest.mark.parametrize("name", ["spec.py", "spec.json"])
def test_a_spec_that_is_no_file(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.symlink_to(name)
    assert only(path)[0] == "EVT001"
    path.unlink()
    os.mkfifo(path)
    assert only(path)[0] == "EVT001"
    for other in (tmp_path / ("x" * 300 + ".py"), tmp_path / "nul\0.py", tmp_path / "no" / name):
        assert only(other)[0] == "EVT001"


def test_a_spec_that_changed_shows_its_new_lines(tmp_path: Path) -> None:
    path = spec(tmp_path, HEAD + "ops.maxmum\n")
    assert only(path)[2] == "ops.maxmum"
    spec(tmp_path, HEAD + "ops.minimun\n")
    assert only(path)[2] == "ops.minimun"


def test_exception_in_a_helper_module(tmp_path: Path) -> None:
    helper = spec(tmp_path, "def f():\n    return 1 / 0\n", "helper_that_fails.py")
    (d,) = failures(spec(tmp_path, "from helper_that_fails import f\nf()\n"))
    assert d.location is not None and (d.location.file, d.location.line) == (str(helper), 2)
    assert d.message == "ZeroDivisionError: division by zero"


def test_no_epilogue(tmp_path: Path) -> None:
    assert only(spec(tmp_path, "x = 1\n"))[0] == "EVT004"


def test_every_function_has_its_say(tmp_path: Path) -> None:
    body = "@evt.epilogue\ndef f{0}(acc: Acc[half]):\n    return {1}\n"
    returns = ["{'D': 1 / 0}", "{'D': acc if acc else 1}", "{'D': ops.ex(acc)}", "acc"]
    text = HEAD + "".join(body.format(i, r) for i, r in enumerate(returns))
    found = failures(spec(tmp_path, text), tmp_path / "none.py")
    assert [d.code for d in found] == ["EVT003", "EVT008", "EVT010", "EVT012", "EVT001"]
    assert [d.location.line for d in found if d.location] == [7, 10, 13, 16, 0]


def test_unknown_operator_helps(tmp_path: Path) -> None:
    (d,) = failures(spec(tmp_path, HEAD + "ops.maxmum\n"))
    says(d, "EVT010", help="maximum")


def test_rendering(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (d,) = failures(spec(tmp_path, "x = 1\ny =   undefined\n"))
    assert (
        render([d]) == "error[EVT003]: NameError: name 'undefined' is not defined\n  --> spec.py:2    y =   undefined"
    )
    assert "\033[" in render([d], color=True)
    assert d.to_json() == {
        "code": "EVT003",
        "severity": "error",
        "message": "NameError: name 'undefined' is not defined",
        "file": str(tmp_path / "spec.py"),
        "line": 2,
        "text": "y =   undefined",
        "help": None,
    }
