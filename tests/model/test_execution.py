"""One run of a program on the files of one set of operands."""

from __future__ import annotations

from pathlib import Path

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.frontend.load import load
from evtgen.model.data import operands
from evtgen.model.execution import Settings, run_once
from evtgen.model.toolchain import Program
from evtgen.planner.plan import lower

from ..support.paths import EXAMPLES


def test_a_program_that_hangs_is_given_up(tmp_path: Path) -> None:
    hangs = tmp_path / "hangs"
    hangs.write_text("#!/bin/sh\nsleep 60\n")
    hangs.chmod(0o755)
    plan = lower(load(EXAMPLES)[0])
    shape = (3, 7, 5)
    given = operands(plan, shape, seed=0, data="int")
    with pytest.raises(EvtgenError, match=r"not done after 0\.5 seconds") as raised:
        run_once(Program(hangs, ()), plan, shape, given, Settings(timeout=0.5))
    assert [found.code for found in raised.value.diagnostics] == ["EVT075"]


def test_the_compiler_is_trusted_with_nothing(tmp_path: Path) -> None:
    says = tmp_path / "says"
    says.write_text('#!/bin/sh\necho "inserts: $EVTGEN_MODEL_AUTO_SYNC" >&2\nexit 1\n')
    says.chmod(0o755)
    plan = lower(load(EXAMPLES)[0])
    shape = (3, 7, 5)
    with pytest.raises(EvtgenError, match="inserts: off"):
        run_once(Program(says, ()), plan, shape, operands(plan, shape, seed=0, data="int"), Settings())
