"""What type checkers see: each name, no complaint about right specs, and one about each wrong name."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import evtgen
from docs.generate import stubs
from evtgen import ops

from ..support.command import environment
from ..support.paths import CHECKOUT

RIGHT = """\
import numpy as np
from evtgen import Acc, Aux, ColVector, ColumnMajor, Gemm, RowVector, Scalar, epilogue, float32, half, int32, ops

@epilogue(gemm=Gemm(a=half, layout_b=ColumnMajor))
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
from evtgen import Acc, Aux, RowVector, Scalar, epilogue, float32, half, ops

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


@pytest.mark.slow
def test_mypy_finds_each_wrong_name_and_nothing_else(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="needs mypy")
    (tmp_path / "right.py").write_text(RIGHT, encoding="utf-8")
    (tmp_path / "wrong.py").write_text(WRONG, encoding="utf-8")
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\nstrict = True\n[mypy-evtgen.*]\nignore_errors = True\n", encoding="utf-8"
    )
    command = [sys.executable, "-m", "mypy", "--cache-dir", str(CHECKOUT / ".mypy_cache"), "right.py", "wrong.py"]
    done = subprocess.run(
        command, cwd=tmp_path, env=environment(MYPYPATH=str(CHECKOUT)), capture_output=True, text=True, check=False
    )
    found = {(name, int(line)) for name, line in re.findall(r"^(\w+)\.py:(\d+): error", done.stdout, re.MULTILINE)}
    lines = WRONG.splitlines()
    assert found == {("wrong", number) for number in range(5, len(lines))}, done.stdout
