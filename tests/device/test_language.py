"""Names that device code uses without a namespace or an include: min, max, assert, the small floats."""

from __future__ import annotations

import subprocess

import pytest

from .conftest import HERE, Build


def test_an_assertion_that_holds_says_nothing(build: Build) -> None:
    done = subprocess.run([build("language")], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(
    ("which", "message"),
    [("plain", ""), ("message", "argc is not seven, 100 %"), ("arguments", "2 and 1.500000 and text")],
)
def test_an_assertion_that_fails_ends_the_program(build: Build, which: str, message: str) -> None:
    done = subprocess.run([build("language"), which], capture_output=True, text=True, check=False)
    text = (HERE / "language.cpp").read_text().splitlines()
    line = 1 + next(at for at, code in enumerate(text) if f'"{which}"' in code) + 1
    assert done.returncode == -6
    assert done.stderr.startswith("[ASSERT] ")
    assert done.stderr.endswith(f"language.cpp:{line}: Assertion `argc == 7' {message}\n")


def test_ndebug_switches_assertions_off(build: Build) -> None:
    source = '#define NDEBUG\n#include "kernel_operator.h"\nvoid f() { assert(undeclared, "m"); }\n'
    assert build.errors(source) == ""


@pytest.mark.parametrize("call", ["AscendC::Std::min(1, 2u)", "min(half(1), 2)", "assert()"])
def test_what_the_device_refuses_is_refused(build: Build, call: str) -> None:
    build.refuses(f'#include "kernel_operator.h"\nvoid f() {{ (void){call}; }}\n')
