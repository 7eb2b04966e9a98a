"""The lines of emitted headers that no run of a verification reached."""

from __future__ import annotations

from pathlib import Path

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.graph.shapes import Shape
from evtgen.model.compiler import Compiler, find_compiler
from evtgen.model.reached import gcov_of, require_library, unreached
from evtgen.planner.plan import lower
from evtgen.report.verification import uncovered
from evtgen.verify import Options, Result, verify_plans

from ..support.cpp import USUAL
from ..support.right import right
from ..support.seeds import ADD

PLAN = lower(ADD)
HEADERS = header_files([PLAN], Framework())
HANDOFF = "catlass/gemm/kernel/accumulator_handoff.hpp"
WAIT = "CrossCoreWaitFlag(flagAivFinishLoad)"
"""A cube core waits for its vector cores only if it has more blocks than the workspace holds for it."""


def verified(*shapes: Shape, coverage: bool = True) -> list[Result]:
    return right(verify_plans([PLAN], Options(shapes=shapes, data="int", coverage=coverage, cxx=USUAL)))


def test_a_line_that_no_shape_reaches_is_named_until_one_does() -> None:
    lines = HEADERS[HANDOFF].splitlines()
    (wait,) = (number for number, line in enumerate(lines, 1) if WAIT in line)

    def named(found: list[Result]) -> bool:
        for result in found:
            ranges = result.to_json()["unreached"]
            assert set(ranges) <= set(HEADERS)
        (of,) = {tuple(result.to_json()["unreached"].get(HANDOFF, ())) for result in found}
        return any(first <= wait <= last for first, last in of)

    small = verified((3, 7, 5))
    assert named(small)
    assert any(f"{HANDOFF}: " in note and str(wait) in note for note in uncovered(small))
    assert not named(verified((384, 512, 768)))
    assert not named(verified((3, 7, 5), (384, 512, 768)))


def test_nothing_is_counted_unless_asked_for() -> None:
    (result,) = verified((3, 7, 5), coverage=False)
    assert result.to_json()["unreached"] is None
    assert not uncovered([result])


def test_a_line_counts_once_one_epilogue_reaches_it() -> None:
    one, other = {"a.hpp": {1: True, 3: False, 7: False, 9: True, 11: False}}, {"a.hpp": {3: True, 4: False}}
    assert unreached([one]) == {"a.hpp": [(3, 7), (11, 11)]}
    assert unreached([one, other]) == unreached([other, one]) == {"a.hpp": [(4, 7), (11, 11)]}


@pytest.mark.parametrize("name, tool", [("g++", "gcov"), ("clang++", "llvm-cov")])
def test_a_missing_gcov_is_named(name: str, tool: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(EvtgenError, match=f"no {tool} that belongs to") as refusal:
        gcov_of(Compiler(f"/nowhere/{name}", f"{name} 99"))
    assert refusal.value.diagnostics[0].code == "EVT262"


def test_a_missing_library_of_counters_is_named(tmp_path: Path) -> None:
    (script := tmp_path / "clang++").write_text("#!/bin/sh\necho 'clang: error: linker command failed' >&2\nexit 1\n")
    script.chmod(0o755)
    require_library(find_compiler(USUAL))
    with pytest.raises(EvtgenError, match="libclang-rt-14-dev") as refusal:
        require_library(Compiler(str(script), "Debian clang version 14.0.6"))
    assert refusal.value.diagnostics[0].code == "EVT262"
