"""Every call of ``device/ascendc`` compiles against both faces of AscendC."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from evtgen.checkouts.ascendc import recognise
from evtgen.model.roots import include_roots

from ..support.ascendc import asc_devkit, needs_ascendc
from ..support.cpp import compilers

pytestmark = pytest.mark.cxx

CALLS = Path(__file__).with_name("calls.cpp")


def check(cxx: str, roots: list[Path], tmp_path: Path) -> None:
    """Down to machine code: an intrinsic that is missing is an error only where code for its call is written."""
    command = [cxx, "-std=c++17", "-w", "-c", *(f"-isystem{root}" for root in roots), str(CALLS), "-o", "calls.o"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("cxx", compilers())
def test_ours(cxx: str, tmp_path: Path) -> None:
    check(cxx, include_roots(None), tmp_path)


@needs_ascendc
@pytest.mark.parametrize("cxx", compilers())
def test_theirs(cxx: str, tmp_path: Path) -> None:
    check(cxx, [*include_roots(None, intrinsics=True), *recognise(asc_devkit()).include], tmp_path)
