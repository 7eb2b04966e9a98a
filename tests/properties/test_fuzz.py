"""Each target of the fuzzer, for some seconds."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest

from ..support import fuzzing
from ..support.command import python
from ..support.paths import CHECKOUT
from . import fuzz_spec

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", fuzzing.TARGETS)
def test_inputs_from_a_fixed_seed(name: str) -> None:
    assert fuzzing.target(name)(2.0, 0) > 0


def test_specs_of_every_fate_are_made() -> None:
    draw = random.Random(1)
    assert {fuzz_spec.tried(fuzz_spec.made(draw)) for _ in range(150)} == {"unreadable", "refused", "built"}


def test_a_failure_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing, "KEPT", tmp_path)
    monkeypatch.setattr(fuzz_spec, "check", lambda epilogue: 1 / 0)
    with pytest.raises(AssertionError, match="ZeroDivisionError") as caught:
        fuzz_spec.run(5.0, 0)
    (kept,) = tmp_path.iterdir()
    assert str(kept) in str(caught.value)
    with pytest.raises(ZeroDivisionError):
        fuzz_spec.tried(kept.read_bytes())


@pytest.mark.slow
def test_the_runner() -> None:
    done = python("import runpy, sys; sys.argv = ['fuzz']; runpy.run_module('tests.properties', run_name='__main__')",
                  CHECKOUT, FUZZ_SECONDS="0.2", FUZZ_SEED="3")  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count(" inputs in 0.2 s from seed 3") == len(fuzzing.TARGETS)
    assert "fuzz_spec: " in done.stdout and sys.executable
