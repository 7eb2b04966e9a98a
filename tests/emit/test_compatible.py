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
FLAGS = ("-DCATLASS_ARCH=2201",)


def findings(headers: dict[str, str], tmp_path: Path, main: str = MAIN) -> tuple[int, list[str]]:
    program = compile_program(find_compiler(), main, headers, extra_flags=FLAGS, system=INCLUDES).path
    report = tmp_path / "report.json"
    settings = {**os.environ, "EVTGEN_MODEL_REPORT": str(report), "EVTGEN_MODEL_STRICT": "1"}
    done = subprocess.run([program], env=settings, check=False, capture_output=True, text=True)
    return done.returncode, [hazard["code"] for hazard in json.loads(report.read_text())["hazards"]]


def test_runs_and_is_clean(tmp_path: Path) -> None:
    assert findings(framework_files(Framework()), tmp_path) == (0, [])


def test_without_the_last_barrier_the_second_epilogue_sets_flags_too_early(tmp_path: Path) -> None:
    headers = framework_files(Framework())
    path = "catlass/epilogue/block/block_epilogue_visitor.hpp"
    barrier = "sets these flags again\n        AscendC::PipeBarrier<PIPE_ALL>();\n"
    assert headers[path].count(barrier) == 1
    headers[path] = headers[path].replace(barrier, "\n")
    assert set(findings(headers, tmp_path)[1]) == {"EVT139"}


def test_the_policy_of_a_catlass_that_has_one_is_used(tmp_path: Path) -> None:
    """A declaration in Catlass's own dispatch_policy.hpp comes first, and names an epilogue of two buffers, too."""
    theirs = "namespace Catlass::Epilogue {\nstruct EpilogueAtlasA2Visitor { using ArchTag = Arch::AtlasA2; };\n}\n"
    include = '#include "catlass/gemm/kernel/matmul_visitor.hpp"\n'
    # Another header of theirs names it, too.
    other = "namespace Catlass::Epilogue::Block {\nusing Theirs = EpilogueAtlasA2Visitor::ArchTag;\n}\n"
    main = MAIN.replace(include, f'#include "catlass/arch/arch.hpp"\n{theirs}{include}{other}')
    assert findings(framework_files(Framework()), tmp_path, main) == (0, [])
