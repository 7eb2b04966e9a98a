"""The CMake package, and the emitted CMakeLists under each of the forms that Catlass's function has had."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from ..support.checkouts import ADD
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
set(CATLASS_EXAMPLES_COMMON_SOURCE_DIR ${CMAKE_CURRENT_SOURCE_DIR}/common)
FACTS
function(catlass_example_add_executable)
    message(STATUS "built with ${ARGV}")
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
    directory = CHECKOUT / "evtgen" / "cmake"
    done = cmake("-B", "build", f"-Devtgen_DIR={directory}", f"-DEVTGEN_EXECUTABLE={sys.executable}", cwd=tmp_path)
    assert done.returncode != 0 and "there is no spec" in done.stderr
    (tmp_path / "CMakeLists.txt").write_text(PROJECT.replace("TARGET my_headers", "my_headers"))
    done = cmake("-B", "other", f"-Devtgen_DIR={directory}", f"-DEVTGEN_EXECUTABLE={sys.executable}", cwd=tmp_path)
    assert done.returncode != 0 and "usage:" in done.stderr


@pytest.mark.parametrize(
    ("facts", "expected"),
    [
        ("", "my_add;my_add.cpp"),  # v1.0
        ("set(CMAKE_ASCEND_COMPILER x)", "my_add;dav-c220;my_add.cpp"),  # v1.1
        ("set(CMAKE_ASCEND_COMPILER x)  # and options.hpp", "my_add;mix;my_add.cpp"),  # v1.2 to v1.5
        ("set(CMAKE_ASC_COMPILER x)", "my_add;mix;my_add.cpp"),  # v1.6 and later
    ],
)
def test_the_example_builds_with_every_form_of_the_function(tmp_path: Path, facts: str, expected: str) -> None:
    (tmp_path / "spec.py").write_text(ADD)
    assert run("build", "spec.py", "-o", "include", "--examples", ".", cwd=tmp_path).returncode == 0
    if "options.hpp" in facts:
        (tmp_path / "common").mkdir(exist_ok=True)
        (tmp_path / "common" / "options.hpp").touch()
    text = EXAMPLES.replace("FACTS", facts)
    (tmp_path / "CMakeLists.txt").write_text(text)
    done = cmake("-B", "build", cwd=tmp_path)
    assert f"built with {expected}" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("number", ["2201", "3510"])
def test_an_example_for_ascend950_is_built_for_that_alone(tmp_path: Path, number: str) -> None:
    (tmp_path / "spec.py").write_text(ADD)
    assert run("build", "spec.py", "-o", ".", "--examples", ".", "--arch", "Ascend950", cwd=tmp_path).returncode == 0
    facts = f"set(CMAKE_ASC_COMPILER x)\nset(CATLASS_ARCH {number})"
    (tmp_path / "CMakeLists.txt").write_text(EXAMPLES.replace("FACTS", facts))
    done = cmake("-B", "build", cwd=tmp_path)
    assert (done.returncode == 0, "built with my_add;mix;my_add.cpp" in done.stdout) == (number == "3510",) * 2
    assert ("my_add is for Ascend950" in done.stderr) == (number == "2201")
