"""VisitStage::ALL: a caller with one buffer and no flags of its own, on the CPU model."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from evtgen.emit.render import Framework, framework_files
from evtgen.verify.toolchain import compile_program, find_compiler

from .cpp import INCLUDES

MAIN = Path(__file__).with_name("stages.cpp").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def program() -> Path:
    flags = ("-DCATLASS_ARCH=2201",)
    return compile_program(
        find_compiler(), MAIN, framework_files(Framework()), extra_flags=flags, system=INCLUDES
    ).path


def run(program: Path, mode: str, tmp_path: Path) -> tuple[int, set[str]]:
    report = tmp_path / "report.json"
    settings = {**os.environ, "EVTGEN_MODEL_REPORT": str(report), "EVTGEN_MODEL_STRICT": "1"}
    done = subprocess.run([program, mode], env=settings, check=False, capture_output=True)
    return done.returncode, {hazard["code"] for hazard in json.loads(report.read_text())["hazards"]}


def test_all_synchronises_itself(program: Path, tmp_path: Path) -> None:
    assert run(program, "all", tmp_path) == (0, set())


def test_three_stages_without_flags_do_not(program: Path, tmp_path: Path) -> None:
    _, codes = run(program, "stages", tmp_path)
    assert codes, "the model must see that nothing orders LOAD, COMPUTE and STORE"
