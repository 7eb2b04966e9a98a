"""The command line from outside: exit statuses, JSON, and that no traceback ever reaches a user."""

from __future__ import annotations

import json
import os
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evtgen.cli.options import parse_groups
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.kernels import KERNELS
from evtgen.options import parse_shape

from ..support.command import python, run, started
from ..support.said import named, says

GOOD = """\
import evtgen as evt
from evtgen import Acc, Aux, half


@evt.epilogue
def scaled_add(acc: Acc[half], X: Aux[half]):
    print("printed by the spec")
    return {"D": acc * 0.5 + X}
"""

MIXED = """\
import evtgen as evt
from evtgen import Acc, Aux, float32, half


@evt.epilogue
def mixed(acc: Acc[half], scale: Aux[float32]):
    return {"D": acc + scale}


@evt.epilogue
def unread(acc: Acc[half], X: Aux[half]):
    return {"int": acc}
"""


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "good.py").write_text(GOOD)
    (tmp_path / "mixed.py").write_text(MIXED)
    return tmp_path


def test_version_and_help(here: Path) -> None:
    assert run("--version", cwd=here).stdout.startswith("evtgen ")
    for command in ("build", "check", "verify", "explain", "ops", "schema"):
        done = run(command, "--help", cwd=here)
        assert done.returncode == 0 and "--json" in done.stdout
    assert run(cwd=here).returncode == 2


def test_check(here: Path) -> None:
    done = run("check", "good.py", cwd=here)
    assert done.returncode == 0
    assert named(done.stdout.splitlines()[-1], "1 … scaled_add")
    assert done.stderr == "printed by the spec\n"


def test_check_imports_nothing_heavy(here: Path) -> None:
    code = (
        "import sys; sys.argv = ['evtgen', 'check', 'good.py']\n"
        "from evtgen.__main__ import main\n"
        "try: main()\n"
        "finally: print(sorted({'numpy', 'jinja2', 'rich', 'ml_dtypes', 'clang_format'} & set(sys.modules)))"
    )
    done = python(code, cwd=here)
    assert done.stdout.splitlines()[-1] == "[]"


OWN = """\
import evtgen as evt
from evtgen import Acc, half

half_of = evt.operator("half_of", ["Muls(dst, a, 0.5)"], lambda np, a: a * a.dtype.type(0.5))
twice = evt.operator("twice", ["Muls(dst, a, 2)"], lambda np, a: a + a + a)


@evt.epilogue
def halved(acc: Acc[half]):
    return {"D": half_of(acc)}


@evt.epilogue
def doubled(acc: Acc[half]):
    return {"D": twice(acc)}
"""


@pytest.mark.cxx
def test_check_numeric(here: Path) -> None:
    (here / "own.py").write_text(OWN)
    assert run("check", "own.py", cwd=here).returncode == 0
    done = run("check", "own.py", "--numeric", cwd=here)
    assert done.returncode == 1 and done.stderr == ""
    lines = [line.split()[:4] for line in done.stdout.splitlines()]
    assert ["ok", "half_of", "half", "63,491"] in lines and ["FAIL", "twice", "half", "63,491"] in lines
    assert lines[-1][:3] == ["twice", "in", "half:"]
    found = json.loads(run("check", "own.py", "--numeric", "--json", cwd=here).stdout)
    assert not found["ok"] and [(o["operator"], o["ok"]) for o in found["operators"]] == [
        ("half_of", True), ("twice", False)
    ]  # fmt: skip
    none = run("check", "good.py", "--numeric", cwd=here)
    assert none.returncode == 0 and "no operators of your own" in none.stdout
    assert run("check", "mixed.py", "--numeric", cwd=here).returncode == 2


def test_explain_names_scalars(here: Path) -> None:
    (here / "scalar.py").write_text(GOOD.replace("half\n", "Scalar, half\n", 1)
                                    .replace("X: Aux[half])", "X: Aux[half], alpha: Scalar[half] = 2.0)")
                                    .replace("0.5", "alpha"))  # fmt: skip
    (plan,) = json.loads(run("explain", "scalar.py", "--json", cwd=here).stdout)
    assert plan["scalars"] == [{"name": "alpha", "dtype": "half", "default": 2.0}]
    assert plan["arguments"] == [[[[], "alpha"], "X", []], "D"]


def test_errors_look_like_this(here: Path) -> None:
    done = run("check", "mixed.py", "nowhere.py", cwd=here)
    assert done.returncode == 2
    assert done.stdout == ""
    assert (
        done.stderr
        == (
            'error[EVT021]: Compute("Plus", half) takes half inputs, but input 1 is float32\n'
            '  --> mixed.py:7    return {"D": acc + scale}\n'
            "  help: cast the half operand to float32, as in x.cast(float32), or build with auto_cast=True, "
            "which computes in float32\n"
        )
        + done.stderr[done.stderr.index("error[EVT026]") :]
    )
    assert [line[:13] for line in done.stderr.splitlines() if line.startswith("error")] == [
        "error[EVT021]",
        "error[EVT026]",
        "error[EVT047]",
        "error[EVT001]",
    ]


def test_check_json(here: Path) -> None:
    good = run("check", "good.py", "--json", cwd=here)
    assert json.loads(good.stdout) == {"ok": True, "epilogues": ["scaled_add"], "diagnostics": []}
    assert "printed by the spec" in good.stderr
    bad = run("check", "mixed.py", "--json", cwd=here)
    assert bad.returncode == 2 and bad.stderr == ""
    first = json.loads(bad.stdout)["diagnostics"][0]
    assert set(first) == {"code", "severity", "message", "file", "line", "text", "help"}
    assert (first["code"], Path(first["file"]).name, first["line"]) == ("EVT021", "mixed.py", 7)


@pytest.mark.slow
@pytest.mark.parametrize("command", ["build", "verify", "explain"])
def test_wrong_specs_stop_every_command(here: Path, command: str) -> None:
    output = ("-o", "include") if command == "build" else ()
    done = run(command, "mixed.py", *output, cwd=here)
    assert done.returncode == 2 and "error[EVT021]" in done.stderr
    done = run(command, "mixed.py", *output, "--json", cwd=here)
    found: Any = json.loads(done.stdout)
    if command == "verify":
        (found,) = found
    assert done.returncode == 2 and found["ok"] is False and found["diagnostics"][0]["code"] == "EVT021"
    assert not (here / "include").exists()


@pytest.mark.slow
def test_build_and_check(here: Path) -> None:
    build = ("build", "good.py", "-o", "include", "--examples", "examples")
    done = run(*build, "--check", "--json", cwd=here)
    assert done.returncode == 1
    assert {d["state"] for d in json.loads(done.stdout)["differences"]} == {"missing"}
    done = run(*build, cwd=here)
    assert done.returncode == 0 and "wrote    include/scaled_add.hpp\n" in done.stdout
    # A directory of the framework with many headers is one line, and includes those below it.
    headers = len([*(here / "include/catlass/epilogue/fusion").rglob("*.hpp")])
    assert f"wrote    include/catlass/epilogue/fusion: {headers} files\n" in done.stdout
    assert "wrote    include/catlass/epilogue/block/block_epilogue_visitor.hpp\n" in done.stdout
    assert (here / "include/catlass/epilogue/fusion/fusion.hpp").is_file()
    assert (here / "examples/scaled_add/scaled_add.cpp").is_file()
    assert run(*build, "--check", cwd=here).returncode == 0
    again = json.loads(run(*build, "--json", cwd=here).stdout)
    assert again["ok"] and again["written"] == [] and len(again["unchanged"]) > 15

    (here / "include/scaled_add.hpp").write_text("mine")
    done = run(*build, "--check", cwd=here)
    assert done.returncode == 1 and "was edited since" in done.stdout
    done = run(*build, cwd=here)
    assert done.returncode == 2 and "error[EVT080]: include/scaled_add.hpp was edited" in done.stderr
    assert run(*build, "--force", cwd=here).returncode == 0


def test_a_missing_option_is_no_line_of_a_library(here: Path) -> None:
    """Nor of the script that calls evtgen."""
    done = run("extension", "good.py", "-o", "made", cwd=here)
    assert done.returncode == 2 and "error[EVT079]" in done.stderr and "-->" not in done.stderr


@pytest.mark.slow
def test_one_name_twice(here: Path) -> None:
    (here / "again.py").write_text(GOOD)
    done = run("build", "good.py", "again.py", "-o", "include", cwd=here)
    assert done.returncode == 2 and "error[EVT083]" in done.stderr
    assert run("check", "good.py", "good.py", cwd=here).returncode == 0


@pytest.mark.slow
def test_another_place_for_the_framework(here: Path) -> None:
    place = ("--namespace", "Catlass::Epilogue::Mine", "--fusion-dir", "catlass/epilogue/mine")
    assert run("build", "good.py", "-o", "include", *place, cwd=here).returncode == 0
    made = sorted(p.name for p in (here / "include").rglob("*") if p.is_dir())
    assert made == ["catlass", "epilogue", "mine", "operations"]
    assert "Catlass::Epilogue::Mine" in (here / "include/scaled_add.hpp").read_text()
    for wrong in (
        *(("--namespace", "a b"), ("--fusion-dir", "../up"), ("--fusion-dir", "/abs")),
        *(("--fusion-dir", "scaled_add.hpp"), ("--fusion-dir", "scaled_add.hpp/mine")),
    ):
        done = run("build", "good.py", "-o", "other", *wrong, cwd=here)
        assert done.returncode == 2 and "error[EVT085]" in done.stderr


def test_help_imports_no_libraries_that_compute(here: Path) -> None:
    for arguments in (("--help",), ("verify", "--help")):
        done = started(*arguments, cwd=here, PYTHONPROFILEIMPORTTIME="1")
        loaded = set(re.findall(r"\| +(\w+)$", done.stderr, re.MULTILINE))
        assert done.returncode == 0 and "typer" in loaded and loaded.isdisjoint({"numpy", "jinja2", "ml_dtypes"})


def test_a_time_that_is_no_number(here: Path) -> None:
    done = run("verify", "good.py", "--timeout", "nan", cwd=here)
    assert done.returncode == 2 and "error[EVT079]" in done.stderr and "-->" not in done.stderr


def test_explain(here: Path) -> None:
    done = run("explain", "good.py", cwd=here)
    assert done.returncode == 0
    assert "Arguments  {{{{}, {{0.5f}}}, {X}, {}}, {D}}" in done.stdout
    (plan,) = json.loads(run("explain", "good.py", "--json", cwd=here).stdout)
    assert plan["arguments"] == [[[[], []], "X", []], "D"]
    # Nodes share what they use at different times
    assert sum(node["ub"] for node in plan["nodes"]) > plan["ub"]["used"] <= plan["ub"]["limit"]
    assert plan["workspace"] == {"handoff": "gm", "stages": 3, "bytes_per_core": 196608}
    assert "Workspace  196608 bytes per cube core, for any M and N: 3 blocks of the accumulator" in done.stdout
    assert plan["rewritten"] == [] and "Rewritten" not in done.stdout


def test_explain_says_what_was_rewritten(here: Path) -> None:
    (here / "twice.py").write_text(
        "import evtgen as evt\nfrom evtgen import Acc, Aux, half, ops\n\n\n@evt.epilogue\n"
        "def twice(acc: Acc[half], X: Aux[half]):\n    return {'D': ops.exp(acc) + ops.exp(acc * 1) * X}\n"
    )
    done = run("explain", "twice.py", cwd=here)
    text = "drop_neutral saves 1, common_subexpressions saves 1 vector instructions of each tile"
    assert f"Rewritten  {text}" in done.stdout
    (plan,) = json.loads(run("explain", "twice.py", "--json", cwd=here).stdout)
    assert plan["rewritten"] == [
        {"pass": "drop_neutral", "instructions": 1}, {"pass": "common_subexpressions", "instructions": 1}
    ]  # fmt: skip


def test_ops_and_schema(here: Path) -> None:
    rows = json.loads(run("ops", "--json", cwd=here).stdout)
    plus = next(row for row in rows if row.get("cpp") == "Plus")
    assert plus["calls"] == ["Add(dst, a, b, count)"] and "bfloat16" not in plus["types"]["AtlasA2"]
    page = run("ops", cwd=here).stdout
    assert len(page.splitlines()) < 40 and "gelu" in page and "add_scalar" not in page and "MatmulVisitor" in page
    one = run("ops", "gelu", cwd=here).stdout
    assert all(f"\n{title} " in one for title in ("Computes", "AtlasA2", "Accuracy", "Cost", "Example"))
    assert "\nAscendC    Abs(tmp, a, count)\n           Mins(" in one
    assert json.loads(run("ops", "softmax", "--json", cwd=here).stdout)["form"] == "softmax(x, axis=-1)"
    wrong = run("ops", "maxmum", cwd=here)
    assert (
        wrong.returncode == 2 and "EVT010" in wrong.stderr and "maximum" in wrong.stderr and "-->" not in wrong.stderr
    )
    table = run("ops", "--all", cwd=here).stdout
    assert all(row["name"] in table.split() and row.get("cpp", "") in table for row in rows)
    types = {line.split(":")[0]: line for line in table.splitlines() if line.startswith("x.cast(T)")}
    assert "float8_e4m3fn" in types["x.cast(T) on Ascend950"] and "float8" not in types["x.cast(T) on AtlasA2"]
    assert all(kernel.name in table.split() for kernel in KERNELS)
    assert json.loads(run("schema", cwd=here).stdout)["type"] == "object"


@pytest.mark.cxx
def test_verify(here: Path) -> None:
    done = run("verify", "good.py", "--shape", "3x7x5", "--shape", "33x40x16", "--strict", "--json", cwd=here)
    results = json.loads(done.stdout)
    assert done.returncode == 0
    assert [result["shape"] for result in results] == [[3, 7, 5], [3, 7, 5], [33, 40, 16], [33, 40, 16]]
    assert [result["data"] for result in results] == ["int", "normal"] * 2
    for result in results:
        assert result["ok"] and result["hazards"] == [] and result["epilogue"] == "scaled_add"
        assert result["ub"]["used"] <= result["ub"]["limit"]
        (output,) = result["outputs"]
        assert (output["name"], output["dtype"], output["mismatches"]) == ("D", "half", 0)
        assert output["judged"] == 1 and output["formula_error"]["ulp"] < 32 and result["diagnostics"] == []
    assert "4 of 4 ok" in run("verify", "good.py", "--shape", "3x7x5", "--shape", "33x40x16", cwd=here).stdout


@pytest.mark.cxx
def test_verify_with_rows_apart(here: Path) -> None:
    done = run("verify", "good.py", "--shape", "3x7x5", "--data", "int", "--pad", "3", "--strict", "--json", cwd=here)
    (result,) = json.loads(done.stdout)
    assert done.returncode == 0 and result["ok"] and result["pad"] == 3
    # A header that takes rows for packed reads and writes in the gaps.
    run("build", "good.py", "-o", "include", cwd=here)
    for node in ("load", "store"):
        header = here / f"include/catlass/epilogue/fusion/visitor_aux_{node}.hpp"
        text = header.read_text()
        assert "params.layout.GetTileLayout(tileShape)" in text
        header.write_text(
            text.replace(
                "params.layout.GetTileLayout(tileShape)", "layout::RowMajor(tileShape.row(), tileShape.column())"
            )
        )
    args = ("verify", "good.py", "--headers", "include", "--shape", "3x7x5", "--data", "int", "--json")
    assert json.loads(run(*args, cwd=here).stdout)[0]["ok"]
    done = run(*args, "--pad", "3", cwd=here)
    (result,) = json.loads(done.stdout)
    assert done.returncode == 1 and not result["ok"]
    assert "the gaps between the rows of D were overwritten" in result["error"]


@pytest.mark.cxx
def test_verify_dumps(here: Path) -> None:
    """All that went in and came out, a file per run; a place that cannot be written is said before the work."""
    args = ("verify", "good.py", "--shape", "3x7x5", "--json", "--dump")
    assert all(result["ok"] for result in json.loads(run(*args, "dumps", cwd=here).stdout))
    assert {path.name for path in (here / "dumps").iterdir()} == {
        "scaled_add.3x7x5.int.npz", "scaled_add.3x7x5.normal.npz",
    }  # fmt: skip
    with np.load(here / "dumps" / "scaled_add.3x7x5.normal.npz") as dump:
        assert {"A", "B", "C", "X", "out.D", "stepwise.D", "formula.D"} == set(dump)
        assert dump["A"].shape == (3, 5) and dump["B"].shape == (5, 7) and dump["C"].dtype == np.float16
        assert np.array_equal(dump["out.D"], dump["stepwise.D"]) and dump["formula.D"].dtype == np.float64
        close = dump["A"].astype(np.float64) @ dump["B"].astype(np.float64)
        assert np.allclose(dump["C"], close, atol=1e-2)
    (here / "file").write_text("")
    done = run(*args, "file", cwd=here, PATH="/nowhere")
    assert done.returncode == 2 and json.loads(done.stdout)[0]["diagnostics"][0]["code"] == "EVT096"


@pytest.mark.cxx
def test_verify_fails_with_1(here: Path) -> None:
    run("build", "good.py", "-o", "include", cwd=here)
    header = here / "include/scaled_add.hpp"
    header.write_text(header.read_text().replace("0.5f", "0.25f"))
    done = run("verify", "good.py", "--headers", "include", "--shape", "3x7x5", cwd=here)
    assert done.returncode == 1 and "0 of 2 ok" in done.stdout and "D " in done.stdout


WRONG_SHAPES = {
    "3x4": "2",
    "0x1x1": "M … 0",
    "0x5x5": "M … 0",
    "5x05x5": "N … 05",
    "axbxc": "M … 'a'",
    "": "",
    "5": "1",
    "1x2x3x4": "4",
    "-1x2x3": "M … '-1'",
    "1x2.5x3": "N … '2.5'",
    "1e3x1x1": "M … '1e3'",
    "5xx5": "N",
    "5x5x": "K",
    "1000000000x1x1": "M … 10 … 999999999",
    f"1x1x{'9' * 5000}": "K … 5000",
    "٣x1x1": "M … '٣'",
}
"""What the message names behind the shape and how one is written."""


@pytest.mark.parametrize("shape", WRONG_SHAPES)
def test_wrong_shapes(shape: str) -> None:
    with pytest.raises(EvtgenError) as caught:
        parse_shape(shape)
    (wrong,) = caught.value.diagnostics
    says(wrong, "EVT086", f"M x N x K … {WRONG_SHAPES[shape]}", help="256x512x1024")
    assert len(wrong.message) < 200


def test_a_wrong_shape_stops_a_command(here: Path) -> None:
    for command in ("verify", "profile"):
        done = run(command, "good.py", "--shape=0x5x5", cwd=here)
        assert done.returncode == 2 and done.stderr.startswith("error[EVT086]: '0x5x5'")


@pytest.mark.parametrize(
    ("command", "option", "beside"),
    [
        (("report", "good.py", "-o", "made", "--no-run"), "--measured", "--no-run"),
        (("report", "good.py", "-o", "made", "--no-run"), "--compare", "--no-run"),
        (("report", "good.py", "-o", "made", "--no-run"), "--cores", "--no-run"),
        (("report", "good.py", "-o", "made", "--no-run"), "--cxx", "--no-run"),
        (("report", "good.py", "-o", "made", "--no-run"), "--timeout", "--no-run"),
        (("profile", "prog.cpp"), "--measured", "prog.cpp"),
        (("profile", "prog.cpp"), "--device", "prog.cpp"),
        (("profile", "prog.cpp"), "--buffers", "prog.cpp"),
        (("profile", "prog.cpp"), "--shape", "prog.cpp"),
    ],
)
def test_an_option_without_effect_is_refused(here: Path, command: tuple[str, ...], option: str, beside: str) -> None:
    values = {"--device": [], "--buffers": ["2"], "--shape": ["8x8x8"], "--cores": ["2"], "--timeout": ["9"]}.get(
        option, ["there"]
    )
    done = run(*command, option, *values, cwd=here)
    assert done.returncode == 2 and done.stderr.startswith(f"error[EVT079]: {option} has no effect with {beside}\n")


WRONG_GROUPS = {
    "5,,17": "",
    "5;0;17": "'5;0;17' … '5;0;17'",
    "5,-1": "'-1'",
    "05": "'05' … '05'",
    "1000000000": "'1000000000' … '1000000000'",
    ",".join(["1"] * 10000): "10000 … 9999",
}
"""What the message names."""


@pytest.mark.parametrize("groups", WRONG_GROUPS)
def test_wrong_groups(groups: str) -> None:
    with pytest.raises(EvtgenError) as caught:
        parse_groups(groups)
    (wrong,) = caught.value.diagnostics
    says(wrong, "EVT178", WRONG_GROUPS[groups], help="5,0,17")
    assert len(wrong.message) < 200


def test_groups() -> None:
    assert parse_groups("5,0,17") == (5, 0, 17) and parse_groups("0, 999999999") == (0, 999999999)
    assert parse_groups("") == () and parse_groups("0,0") == (0, 0)


@pytest.mark.parametrize(("option", "names"), [("--batch=3", "3 … scaled_add"), ("--groups=5,0", "5,0 … scaled_add")])
def test_matmuls_for_an_epilogue_that_has_one(here: Path, option: str, names: str) -> None:
    done = run("verify", "good.py", option, cwd=here)
    assert done.returncode == 2 and named(done.stderr, f"\nerror[EVT177]: … {names}")


@pytest.mark.slow
@pytest.mark.parametrize("place", ["no/trace.json", ".", "fifo", "/proc/trace.json", "loop", "x" * 300])
def test_a_trace_that_cannot_be_written_is_said_before_the_work(here: Path, place: str) -> None:
    os.mkfifo(here / "fifo")
    (here / "loop").symlink_to("loop")
    done = run("profile", "good.py", "--trace", place, cwd=here, PATH="/nowhere")
    assert done.returncode == 2 and done.stderr.split()[:2] == ["error[EVT073]:", "--trace"]


@pytest.mark.slow
def test_a_trace_is_left_alone_until_there_is_a_new_one(here: Path) -> None:
    (here / "old.json").write_text("old")
    for name in ("old.json", "new.json"):
        assert run("profile", "good.py", "--trace", name, cwd=here, PATH="/nowhere").returncode == 3
    assert (here / "old.json").read_text() == "old" and not (here / "new.json").exists()


@pytest.mark.slow
def test_no_compiler(here: Path) -> None:
    done = run("verify", "good.py", cwd=here, PATH="/nowhere")
    assert done.returncode == 3 and "error[EVT090]" in done.stderr
    done = run("verify", "good.py", "--json", cwd=here, PATH="/nowhere")
    (result,) = json.loads(done.stdout)
    assert done.returncode == 3 and result["diagnostics"][0]["code"] == "EVT090"


def test_internal_errors_are_diagnostics(here: Path) -> None:
    code = (
        "import sys, evtgen.pipeline.specs; sys.argv = ['evtgen', 'check', 'good.py']\n"
        "evtgen.pipeline.specs.load_and_check = lambda specs: 1 / 0\n"
        "from evtgen.__main__ import main; main()"
    )

    done = python(code, cwd=here)
    assert done.returncode == 3 and "Traceback" not in done.stderr
    assert done.stderr.startswith("error[EVT099]: internal error: ZeroDivisionError: division by zero")
    assert "Traceback" in python(code, cwd=here, EVTGEN_DEBUG="1").stderr


@pytest.mark.slow
def test_garbage(here: Path) -> None:
    """Files that are no specs, in every way that comes to mind."""
    shuffled = random.Random(0)
    garbage: dict[str, tuple[str, bytes]] = {
        "empty.py": ("EVT004", b""),
        "binary.py": ("EVT001", bytes(range(256))),
        "nul.py": ("EVT002", b"x = 1\0"),
        "recursion.py": ("EVT003", b"def f(): return f()\nf()"),
        "deep.py": ("EVT002", b"x = " + b"(" * 500 + b")" * 500),
        "empty.json": ("EVT005", b""),
        "array.json": ("EVT006", b"[]"),
        "deep.json": ("EVT005", b"[" * 100000),
        "utf16.json": ("EVT001", '{"evtgen": 1}'.encode("utf-16")),
        "nan.json": ("EVT006", b'{"evtgen": NaN, "epilogues": [{"name": 1}]}'),
        "noext": ("EVT001", b""),
    }
    for index in range(5):
        garbage[f"random{index}.json"] = ("EVT001", bytes(shuffled.randrange(256) for _ in range(100)))
    for name, (_, content) in garbage.items():
        (here / name).write_bytes(content)
    (here / "directory.py").mkdir()
    codes = {name: code for name, (code, _) in garbage.items()} | {"directory.py": "EVT001"}
    for name, code in codes.items():
        done = run("check", name, cwd=here)
        assert done.returncode == 2 and f"error[{code}]" in done.stderr, (name, done)
    (here / "exit.py").write_text("raise SystemExit(0)")
    (here / "interrupt.py").write_text("raise KeyboardInterrupt")
    # All of them in one go, and none hides another.
    everything = [*codes, "exit.py"]
    found = json.loads(run("check", *everything, "--json", cwd=here).stdout)
    assert len(found["diagnostics"]) >= len(everything)
    assert run("check", "exit.py", cwd=here).returncode == 2
    assert run("check", "interrupt.py", cwd=here).returncode in (2, 130)
    (here / "base.py").write_text("class Odd(BaseException): pass\nraise Odd")
    assert run("check", "base.py", cwd=here).returncode in (2, 3)


@pytest.mark.slow
def test_wrong_usage(here: Path) -> None:
    for args in (
        ("build", "good.py"),
        ("verify", "good.py", "--data", "x"),
        ("nonsense",),
        ("check",),
        ("check", "--no"),
    ):
        assert run(*args, cwd=here).returncode == 2


@pytest.mark.slow
def test_unwritable_target(here: Path) -> None:
    if os.geteuid() == 0:
        target = Path("/proc/evtgen")  # Nobody may write there, root included.
    else:
        (here / "locked").mkdir(mode=0o500)
        target = here / "locked" / "include"
    done = run("build", "good.py", "-o", target, cwd=here)
    assert done.returncode == 3 and "error[EVT095]" in done.stderr


def test_half_a_surrogate_pair(here: Path) -> None:
    (here / "half.json").write_text('{"evtgen": 1, "epilogues": [{"name": "\\ud800", "root": {"node": "\\ud800"}}]}')
    done = run("check", "half.json", "--json", cwd=here)
    assert done.returncode == 2 and json.loads(done.stdout)["ok"] is False
    assert run("check", "half.json", cwd=here).returncode == 2


@pytest.mark.slow
def test_byte_order_mark(here: Path) -> None:
    root = {
        "tree": {"op": {"node": "AuxStore", "name": "D", "T": "half"}, "children": [{"node": "AccLoad", "T": "half"}]}
    }
    document = json.dumps({"evtgen": 1, "epilogues": [{"name": "plain", "root": root}]})
    (here / "bom.json").write_bytes(document.encode("utf-8-sig"))
    assert run("check", "bom.json", cwd=here).stdout == "1 epilogue fine: plain\n"


@pytest.mark.slow
def test_long_lines_are_clipped(here: Path) -> None:
    (here / "long.py").write_text("x = 1; " * 500 + "raise ValueError")
    done = run("check", "long.py", "--json", cwd=here)
    (diagnostic,) = json.loads(done.stdout)["diagnostics"]
    assert len(diagnostic["text"]) == 160 and diagnostic["text"].startswith("x = 1; x")
    assert max(map(len, run("check", "long.py", cwd=here).stderr.splitlines())) < 200


def test_interrupted_while_starting(here: Path) -> None:
    code = (
        "import sys; sys.argv = ['evtgen', 'check', 'good.py']\n"
        "class Interrupt:\n"
        "    def find_spec(self, name, *rest):\n"
        "        if name == 'typer': raise KeyboardInterrupt\n"
        "sys.meta_path.insert(0, Interrupt())\n"
        "from evtgen.__main__ import main; main()"
    )
    done = python(code, cwd=here)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "interrupted\n")


@pytest.mark.slow
@pytest.mark.parametrize(
    "args",
    [
        ("check",),
        ("build", "good.py"),
        ("build", "good.py", "-o", ""),
        ("verify", "good.py", "--data", "x"),
        ("verify", "good.py", "--seed", "-1"),
        ("verify", "good.py", "--pad", "-1"),
        ("check", "good.py", "--no"),
        ("nonsense",),
    ],
)
def test_wrong_usage_in_json(here: Path, args: tuple[str, ...]) -> None:
    done = run(*args, "--json", cwd=here)
    found = json.loads(done.stdout)
    assert done.returncode == 2 and done.stderr == "" and found["ok"] is False
    assert [d["code"] for d in found["diagnostics"]] == ["EVT079"]
    done = run(*args, cwd=here)
    assert done.returncode == 2 and done.stdout == "" and "\nerror[EVT079]: " in done.stderr
    assert done.stderr.startswith("Usage: evtgen ")


def test_json_and_another_format_exclude_each_other(here: Path) -> None:
    for command, *more in (("check", "--format", "github", "--json"), ("verify", "--json", "--format=sarif")):
        done = run(command, "good.py", *more, cwd=here)
        [fault] = json.loads(done.stdout)["diagnostics"]
        assert (done.returncode, fault["code"]) == (2, "EVT079") and named(fault["message"], "json")
    assert run("check", "good.py", "--format", "github", cwd=here).returncode == 0


def test_the_help_of_wrong_usage_leads_on(here: Path) -> None:
    said = run("check", "good.py", "--lang", "zh", cwd=here).stderr
    assert "[OPTIONS] SPEC..." in said.replace("{", "").replace("}", "")
    assert "evtgen --lang … check\n" in said
    said = run("check", "good.py", "--language", "zh", cwd=here).stderr
    assert "help: evtgen check --help " in said
    assert "help: evtgen explain --help" in run("explain", "good.py", "--svg", cwd=here).stderr


def test_json_of_the_program_is_not_ours(here: Path) -> None:
    done = run("cpu", "--no", "--", "--json", cwd=here)
    assert done.returncode == 2 and done.stdout == ""


@pytest.mark.slow
@pytest.mark.parametrize(
    "place",
    [
        "--namespace=Catlass::int",
        "--namespace=Catlass::a::NULL",
        "--namespace=Catlass::a__b",
        "--namespace=Catlass::_A",
        "--fusion-dir=a\nb",
        '--fusion-dir=a"b',
        "--fusion-dir=a b",
        "--fusion-dir=../a",
        "--fusion-dir=",
    ],
)
def test_no_place_for_the_framework(here: Path, place: str) -> None:
    done = run("build", "good.py", "-o", "include", place, cwd=here)
    assert done.returncode == 2 and "error[EVT085]" in done.stderr
    assert not (here / "include").exists()


@pytest.mark.slow
def test_no_empty_output(here: Path) -> None:
    before = sorted(here.iterdir())
    for args in (("-o", ""), ("-o", "include", "--examples", "")):
        done = run("build", "good.py", *args, cwd=here)
        assert done.returncode == 2 and "error[EVT079]" in done.stderr
    assert sorted(here.iterdir()) == before


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_no_spec(here: Path) -> None:
    for name in ("fifo.json", "fifo.py", "fifo"):
        os.mkfifo(here / name)
        done = run("check", name, cwd=here)
        assert done.returncode == 2 and f"error[EVT001]: {name} " in done.stderr


@pytest.mark.slow
def test_names_that_differ_in_capitals(here: Path) -> None:
    (here / "capitals.py").write_text(GOOD.replace("scaled_add", "Scaled_Add"))
    done = run("build", "good.py", "capitals.py", "-o", "include", cwd=here)
    assert done.returncode == 2
    assert "error[EVT083]: Scaled_Add.hpp and scaled_add.hpp differ only in case" in done.stderr
    assert not (here / "include").exists()
