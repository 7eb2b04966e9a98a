"""What type checkers see: each name, no complaint about right specs, and one about each wrong name."""

from __future__ import annotations

import ast
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import evtgen
from docs.generate import stubs
from evtgen import ops

from ..support.command import environment
from ..support.paths import CHECKOUT

RIGHT = """\
import numpy as np
from evtgen import Acc, Aux, ColVector, ColumnMajor, Gemm, RowVector, Scalar, epilogue, float32, half, int32, ops

@epilogue(gemm=Gemm(a=half, layout_b=ColumnMajor, group="m", weights="pointers"))
def right(
    acc: Acc[float32], bias: RowVector[half, ColumnMajor], idx: ColVector[int32], s: Scalar[float32] = 1.0,
    X: Aux[half] = 0.0,
) -> dict[str, object]:
    acc = acc + bias.cast(float32)
    x = np.maximum(acc, 0) + X.cast(float32)
    y = acc.relu().clamp(min=0).half().to(float32).sum(axis=1, keepdims=True).sub(acc, alpha=2)
    z = ops.where((acc > 0) & (acc < s), -s * acc + acc[:, 0::2] ** 2, s)
    values, scales = ops.quantize_per_token(z.cast(acc.T))
    z = z.cast("half").cast(np.float32).cast(np.dtype("float16")).cast("float32")
    return {"x": x, "y": np.exp(y), "z": ops.scatter(z, rows=idx), "values": values, "scales": scales}

def of_arrays(x: np.ndarray[tuple[int, int], np.dtype[np.float32]]) -> int:
    return ops.relu(x).ndim + half.size
"""

WRONG = """\
from evtgen import Acc, Aux, Gemm, RowVector, Scalar, epilogue, float32, half, ops

@epilogue
def wrong(acc: Acc[float32], bias: RowVector[half], X: Aux[half] = 0.0, s: Scalar[float32] = 1.0) -> dict[str, object]:
    ops.gelo(acc)
    acc.cats(half)
    X.cats(half)
    (acc + bias.cast(float32)).cats(half)
    ops.gelu(acc, aproximate="tanh")
    ops.col_reduce(acc, "maxx")
    acc.cast("hlaf")
    ops.relu(acc, 3)
    ops.silu(X).cats(half)
    acc + "x"
    ops.softmax(acc, axs=1)
    ops.quantize_per_token(acc)[0].cats(half)
    ops.transpose(acc) + 1
    acc.cast(half, round="CAST_RIN")
    acc[1]
    s.cats(half)
    Gemm(group="rows")
    Gemm(accumulators=2)
    Gemm(handof="ub")
    return {}
"""


def test_the_stub_is_up_to_date() -> None:
    """`make docs` rewrites it."""
    assert (CHECKOUT / "evtgen" / "ops.pyi").read_text(encoding="utf-8") == stubs.page()


def _defined(name: str) -> set[str]:
    """What a stub defines."""
    tree = ast.parse((CHECKOUT / "evtgen" / name).read_text(encoding="utf-8"))
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            found |= {alias.asname for alias in node.names if alias.asname}
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef)):
            found.add(node.name)
    return {name for name in found if not name.startswith("_")}


def test_stubs_have_every_name() -> None:
    assert _defined("__init__.pyi") == {*vars(evtgen)["__all__"], "compile"}
    assert {*dir(ops)} <= _defined("ops.pyi")


def _files(at: Path) -> None:
    (at / "right.py").write_text(RIGHT, encoding="utf-8")
    (at / "wrong.py").write_text(WRONG, encoding="utf-8")


def _wrong() -> set[tuple[str, int]]:
    """The lines that are wrong."""
    return {("wrong", number) for number in range(5, len(WRONG.splitlines()))}


@pytest.mark.slow
def test_mypy_finds_each_wrong_name_and_nothing_else(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="needs mypy")
    _files(tmp_path)
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\nstrict = True\n[mypy-evtgen.*]\nignore_errors = True\n", encoding="utf-8"
    )
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(CHECKOUT / ".mypy_cache"), "right.py", "wrong.py"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(MYPYPATH=str(CHECKOUT)), capture_output=True, text=True, check=False
    )
    found = {(name, int(line)) for name, line in re.findall(r"^(\w+)\.py:(\d+): error", done.stdout, re.MULTILINE)}
    assert found == _wrong(), done.stdout


@pytest.mark.slow
def test_pyright_finds_each_wrong_name_and_nothing_else(tmp_path: Path) -> None:
    """By its strict rules for a spec in which each thing has a type; nothing in the gallery either."""
    pyright = shutil.which("pyright")
    if pyright is None:
        pytest.skip("needs pyright: npm install -g pyright")
    _files(tmp_path)
    (tmp_path / "right.py").write_text(f"# pyright: strict\n{RIGHT}", encoding="utf-8")
    shutil.copytree(CHECKOUT / "examples" / "gallery", tmp_path / "gallery")
    settings = {"extraPaths": [str(CHECKOUT)], "reportUnusedExpression": False}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(settings), encoding="utf-8")
    command = [pyright, "--outputjson", "--pythonpath", sys.executable]
    said = json.loads(subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False).stdout)
    found = {(Path(one["file"]).stem, one["range"]["start"]["line"] + 1) for one in said["generalDiagnostics"]}
    specs = [*(tmp_path / "gallery").glob("*.py")]
    assert said["summary"]["filesAnalyzed"] == len(specs) + 2 and found == _wrong(), said["generalDiagnostics"]


def _completed(after: str) -> dict[str, Any]:
    """What an editor offers behind the last line of a function of a spec, by name."""
    jedi = pytest.importorskip("jedi", reason="needs jedi: pip install 'evtgen[test]'")
    head, _, _ = RIGHT.partition("    acc = ")
    script = jedi.Script(f"{head}    {after}", project=jedi.Project(CHECKOUT, added_sys_path=[str(CHECKOUT)]))
    return {found.name: found for found in script.complete()}


@pytest.mark.parametrize(
    ("after", "some", "none"),
    [
        ("ops.ge", {"gelu", "gelu_tanh"}, {"greater", "exp"}),
        ("acc.", {"cast", "relu", "T"}, {"cats", "quantize_per_token"}),
        ("X.ca", {"cast"}, {"relu"}),
        ("(acc * 2).", {"cast", "relu"}, {"real"}),
        ("ops.softmax(acc).", {"cast", "relu"}, {"axis"}),
        ("ops.gelu(acc, appro", {"approximate="}, {"acc"}),
    ],
)
def test_editors_complete(after: str, some: set[str], none: set[str]) -> None:
    """By jedi, which completes in notebooks and in many editors."""
    found = _completed(after).keys()
    assert some <= found and not none & found


def test_editors_show_what_a_function_computes() -> None:
    shown = _completed("ops.ge")["gelu"].docstring()
    assert shown.startswith("gelu(x: X, approximate: ") and "erf" in shown
