"""Programs and operators that were written for another visitor framework, on the emitted one."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import framework_files
from evtgen.model.toolchain import compile_program, find_compiler

from ..support.cpp import INCLUDES

pytestmark = pytest.mark.cxx

MAIN = Path(__file__).with_name("compatible.cpp").read_text(encoding="utf-8")
REPLACES = Framework(replaces=True)
FLAGS = ("-DCATLASS_ARCH=2201",)


def findings(headers: dict[str, str], tmp_path: Path) -> tuple[int, list[str]]:
    program = compile_program(find_compiler(), MAIN, headers, extra_flags=FLAGS, system=INCLUDES).path
    report = tmp_path / "report.json"
    settings = {**os.environ, "EVTGEN_MODEL_REPORT": str(report), "EVTGEN_MODEL_STRICT": "1"}
    done = subprocess.run([program], env=settings, check=False, capture_output=True, text=True)
    return done.returncode, [hazard["code"] for hazard in json.loads(report.read_text())["hazards"]]


def test_runs_and_is_clean(tmp_path: Path) -> None:
    assert findings(framework_files(REPLACES), tmp_path) == (0, [])


def test_without_the_last_barrier_the_second_epilogue_sets_flags_too_early(tmp_path: Path) -> None:
    headers = framework_files(REPLACES)
    path = "catlass/epilogue/block/block_epilogue_visitor.hpp"
    barrier = "sets these flags again\n        AscendC::PipeBarrier<PIPE_ALL>();\n"
    assert headers[path].count(barrier) == 1
    headers[path] = headers[path].replace(barrier, "\n")
    assert set(findings(headers, tmp_path)[1]) == {"EVT139"}


@pytest.mark.fast
@pytest.mark.parametrize("fw", [Framework(), Framework("Catlass::Epilogue::Evt", "catlass/epilogue/evt"), REPLACES])
def test_the_text_is_for_one_place(fw: Framework) -> None:
    """What only kernels of another framework take is there only in its place, and nothing asks which release it is."""
    text = "".join(framework_files(fw).values())
    assert "__has_include" not in text and "VisitorPolicies" not in text
    assert ("initialize_workspace" in text) == ("status.hpp" in text) == fw.replaces
    assert ("struct EpilogueAtlasA2Visitor" in text) == (fw == Framework())
