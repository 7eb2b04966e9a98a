"""The CMake package, and the emitted CMakeLists for each of the forms that Catlass's function has had."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..support.checkouts import ADD, checkout
from ..support.command import run
from ..support.paths import CHECKOUT

pytestmark = [
    pytest.mark.cxx,
    pytest.mark.skipif(shutil.which("cmake") is None, reason="cmake is not installed"),
]

PROJECT = """\
cmake_minimum_required(VERSION 3.16)
project(uses_evtgen LANGUAGES CXX)
find_package(evtgen CONFIG REQUIRED)
evtgen_add_epilogue(TARGET my_headers SPEC spec.py)
add_custom_target(all_headers ALL)
add_dependencies(all_headers my_headers)
"""

EXAMPLES = """\
cmake_minimum_required(VERSION 3.16)
project(stands_for_catlass LANGUAGES NONE)
FACTS
function(catlass_example_add_executable)
    message(STATUS "built with ${ARGV}")
endfunction()
function(target_compile_definitions)
    message(STATUS "defines ${ARGV}")
endfunction()
add_subdirectory(my_add)
"""


def cmake(*args: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["cmake", *map(str, args)], cwd=cwd, capture_output=True, text=True, check=False)


def test_headers_are_renewed_when_the_spec_changes(tmp_path: Path) -> None:
    command = tmp_path / "evtgen"
    command.write_text(f'#!/bin/sh\nPYTHONPATH={CHECKOUT} exec {sys.executable} -m evtgen "$@"\n')
    command.chmod(0o755)
    (tmp_path / "spec.py").write_text(ADD)
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    directory = run("--cmake-dir", cwd=tmp_path).stdout.strip()
    done = cmake("-B", "build", f"-Devtgen_DIR={directory}", f"-DEVTGEN_EXECUTABLE={command}", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    done = cmake("--build", "build", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    header = tmp_path / "build/evtgen/my_headers/my_add.hpp"
    first = header.stat().st_mtime_ns
    assert "Generating" not in cmake("--build", "build", cwd=tmp_path).stdout
    time.sleep(1.1)  # make compares whole seconds on some file systems
    (tmp_path / "spec.py").write_text(ADD.replace("acc + X", "acc - X"))
    assert "Generating" in cmake("--build", "build", cwd=tmp_path).stdout
    assert header.stat().st_mtime_ns > first


def test_mistakes_stop_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(PROJECT)
    directory = CHECKOUT / "evtgen" / "device" / "cmake"
    done = cmake("-B", "build", f"-Devtgen_DIR={directory}", f"-DEVTGEN_EXECUTABLE={sys.executable}", cwd=tmp_path)
    assert done.returncode != 0 and "there is no spec" in done.stderr
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.replace("TARGET my_headers", "my_headers"))
    done = cmake("-B", "other", f"-Devtgen_DIR={directory}", f"-DEVTGEN_EXECUTABLE={sys.executable}", cwd=tmp_path)
    assert done.returncode != 0 and "usage:" in done.stderr


@pytest.mark.parametrize(
    ("release", "expected", "language"),
    [
        ("v1.0.1", "my_add;my_add.cpp", ""),
        ("v1.1.0", "my_add;dav-c220;my_add.cpp", "ASCEND"),
        ("v1.5.0", "my_add;mix;my_add.cpp", "ASCEND"),
        ("v1.6.0", "my_add;mix;my_add.cpp", "ASC"),
        ("", "my_add;mix;my_add.cpp", "ASC"),
    ],
)
def test_the_example_builds_with_the_function_of_its_release(
    tmp_path: Path, release: str, expected: str, language: str
) -> None:
    (tmp_path / "spec.py").write_text(ADD)
    given = ("--catlass", checkout(tmp_path / "catlass", release)) if release else ()
    built = run("build", "spec.py", "-o", "include", "--examples", ".", *given, cwd=tmp_path)
    assert built.returncode == 0, built.stderr
    beside = (tmp_path / "include" / "catlass" / "epilogue" / "evt").is_dir()
    assert beside == (release == "v1.6.0")
    (tmp_path / "CMakeLists.txt").write_text(EXAMPLES.replace("FACTS", ""))
    done = cmake("-B", "build", cwd=tmp_path)
    assert f"built with {expected}" in done.stdout, done.stdout + done.stderr
    written = (tmp_path / "my_add" / "CMakeLists.txt").read_text()
    assert re.findall(r"LANGUAGE (.*)\)", written) == [language] * bool(language)


@pytest.mark.parametrize("number", ["2201", "3510"])
def test_an_example_for_ascend950_is_built_for_that_alone(tmp_path: Path, number: str) -> None:
    (tmp_path / "spec.py").write_text(ADD)
    assert run("build", "spec.py", "-o", ".", "--examples", ".", "--arch", "Ascend950", cwd=tmp_path).returncode == 0
    facts = f"set(CMAKE_ASC_COMPILER x)\nset(CATLASS_ARCH {number})"
    (tmp_path / "CMakeLists.txt").write_text(EXAMPLES.replace("FACTS", facts))
    done = cmake("-B", "build", cwd=tmp_path)
    assert (done.returncode == 0, "built with my_add;mix;my_add.cpp" in done.stdout) == (number == "3510",) * 2
    assert ("my_add is for Ascend950" in done.stderr) == (number == "2201")
    assert "defines" not in done.stdout


def test_an_example_whose_vector_cores_write_to_l1_defines_the_option(tmp_path: Path) -> None:
    spec = ADD.replace("@evt.epilogue", "@evt.epilogue(gemm=evt.Gemm(half, evt.int8), arch='Ascend950')")
    (tmp_path / "spec.py").write_text(spec)
    assert run("build", "spec.py", "-o", ".", "--examples", ".", cwd=tmp_path).returncode == 0
    facts = "set(CMAKE_ASC_COMPILER x)\nset(CATLASS_ARCH 3510)"
    (tmp_path / "CMakeLists.txt").write_text(EXAMPLES.replace("FACTS", facts))
    done = cmake("-B", "build", cwd=tmp_path)
    assert "defines my_add;PRIVATE;ENABLE_CV_COMM_VIA_SSBUF=true\n" in done.stdout, done.stdout + done.stderr
    assert "ENABLE_CV_COMM_VIA_SSBUF=true" in (tmp_path / "my_add" / "README.md").read_text()
