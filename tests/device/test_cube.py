"""The stand-in's products of matrices: the same bits with every set of instructions, every compiler, every machine."""

import subprocess
from pathlib import Path

import pytest

from evtgen.model.toolchain import find_compiler, machine_library

from ..support.cpp import compilers
from ..support.paths import DEVICE

PROGRAM = Path(__file__).with_name("cube.cpp")

DIGEST = "25334c2f8787516a"
"""Of all results, as the plain loops of the program compute them."""


@pytest.mark.parametrize("level", ["-O1", "-O3"])
@pytest.mark.parametrize("cxx", compilers())
def test_products_are_those_of_plain_loops(cxx: str, level: str, tmp_path: Path) -> None:
    """The program is compiled twice, so that the digest is of the loops as written and not of an optimisation."""
    compiler = find_compiler(cxx)
    flags = ["-std=c++17", level, "-Wall", "-Wextra", "-Werror", f"-I{DEVICE}"]
    command = [compiler.path, *flags, str(PROGRAM), str(machine_library(compiler)), "-pthread", "-o", "cube"]
    built = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert built.returncode == 0, built.stderr

    run = subprocess.run([tmp_path / "cube"], capture_output=True, text=True, check=False)

    *sets, digest = run.stdout.splitlines()
    assert run.returncode == 0, run.stdout
    assert "everywhere" in sets
    assert digest == DIGEST
