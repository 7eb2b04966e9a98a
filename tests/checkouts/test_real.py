"""Against the checkout that CATLASS_HOME names: in, verified, run, and out again. It is copied, never touched."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from evtgen.model.data import DATA
from evtgen.targets import ARCHITECTURES, Architecture

from ..support.checkouts import snapshot
from ..support.command import run
from ..support.cpp import compilers
from ..support.paths import CHECKOUT, EXAMPLES

pytestmark = [
    pytest.mark.cxx,
    pytest.mark.skipif(
        "CATLASS_HOME" not in os.environ, reason="CATLASS_HOME is not set: it names a Catlass checkout to test against"
    ),
]


@pytest.fixture(scope="module")
def catlass(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("real") / "catlass"
    for part in ("include", "examples"):
        shutil.copytree(Path(os.environ["CATLASS_HOME"]) / part, root / part)
    return root


@pytest.mark.parametrize("arch", ARCHITECTURES.values(), ids=lambda arch: str(arch.name))
def test_in_run_and_out_again(catlass: Path, arch: Architecture, tmp_path: Path) -> None:
    before, of_arch = snapshot(catlass), ("--arch", arch.name)
    done = run("install", *EXAMPLES, *of_arch, "--catlass", catlass, "--examples", cwd=catlass)
    if "EVT155" in done.stderr:
        pytest.skip(f"this release has no {arch.name}")
    assert done.returncode == 0, done.stderr
    headers = ("--headers", catlass / "include")
    done = run("verify", *EXAMPLES, *of_arch, *headers, "--shape", "87x198x120", "--json", cwd=catlass)
    results = json.loads(done.stdout)
    assert done.returncode == 0 and len(results) == 4 * len(DATA), done.stdout
    assert all(result["ok"] and not result["warnings"] and not result["hazards"] for result in results)
    data = tmp_path / "data"
    assert run("data", *EXAMPLES, *of_arch, "--shape", "33x50x20", "-o", data, cwd=catlass).returncode == 0
    for name in {result["epilogue"] for result in results}:
        program = catlass / "examples" / name / f"{name}.cpp"
        options = ("--catlass", catlass, "--npu-arch", str(arch.npu))
        done = run("cpu", program, *options, "--", data / name, cwd=catlass)
        assert (done.returncode, done.stdout) == (0, "Compare success.\n"), done.stderr
        assert "warning:" not in done.stderr
    assert run("uninstall", "--catlass", catlass, cwd=catlass).returncode == 0
    assert snapshot(catlass) == before


@pytest.mark.parametrize("arch", ARCHITECTURES.values(), ids=lambda arch: str(arch.name))
def test_examples_beyond_one_matmul_and_one_tile(catlass: Path, arch: Architecture, tmp_path: Path) -> None:
    """Several matmuls in one launch, and two accumulators with several phases behind them."""
    specs = [CHECKOUT / "examples" / name for name in ("batched.py", "grouped.py", "gallery/gated.py")]
    done = run("install", *specs, "--arch", arch.name, "--catlass", catlass, "--examples", cwd=catlass)
    if "EVT155" in done.stderr:
        pytest.skip(f"this release has no {arch.name}")
    assert done.returncode == 0, done.stderr
    options = ("--catlass", catlass, "--npu-arch", str(arch.npu), "--strict")
    given = ("--shape", "33x50x20", "--batch", "5", "--groups", "10,0,23", "--shared")
    assert run("data", *specs, "--arch", arch.name, "-o", tmp_path, *given, cwd=catlass).returncode == 0
    for name in ("batched_bias_relu", "grouped_dequant", "swiglu_quantize_per_token"):
        program = catlass / "examples" / name / f"{name}.cpp"
        done = run("cpu", program, *options, "--", tmp_path / name, cwd=catlass)
        assert (done.returncode, done.stdout) == (0, "Compare success.\n"), done.stderr
    assert run("uninstall", "--catlass", catlass, cwd=catlass).returncode == 0


@pytest.mark.parametrize("cxx", compilers())
def test_fresh_headers(catlass: Path, cxx: str) -> None:
    done = run("verify", *EXAMPLES, "--catlass", catlass, "--cxx", cxx, "--shape", "87x198x120", "--json", cwd=catlass)
    results = json.loads(done.stdout)
    assert done.returncode == 0 and all(not result["warnings"] for result in results), done.stdout
