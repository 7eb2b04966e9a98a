"""The Catlass stand-in, compiled and run on the CPU model: a mixed kernel whose result numpy must agree with."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any, Literal

import ml_dtypes
import numpy as np
import pytest

from evtgen.model.toolchain import find_compiler, machine_library

from ..support.machine import report_of
from ..support.paths import DEVICE
from .conftest import Build

STANDIN = [DEVICE / path for path in ("catlass", "catlass/examples_common", "ascendc", ".")]
FLAGS = ["-std=c++17", "-Wall", "-Wextra", "-Werror", "-pthread", "-DCATLASS_ARCH=2201"]

# name of the case: element types of A, B, D, and the memory order of A and B
CASES: dict[str, tuple[Any, Any, Literal["C", "F"], Literal["C", "F"]]] = {
    "half": (np.float16, np.float16, "C", "C"),
    "half_float": (np.float16, np.float32, "C", "F"),
    "bfloat16": (ml_dtypes.bfloat16, ml_dtypes.bfloat16, "F", "C"),
    "float": (np.float32, np.float32, "F", "F"),
    "int8": (np.int8, np.int32, "C", "C"),
}
SHAPES = [(1, 1, 1), (3, 5, 7), (129, 257, 40), (300, 513, 520)]

# What Catlass v1.0 to v1.5 cannot do, the stand-in must not do either.
BEYOND_EVERY_RELEASE = {
    "empty tuple": "tla::tuple<> empty;",
    "for_each": "void f() { tla::for_each(tla::tuple<int>(1), [](int) {}); }",
    "two tuples": "auto f = tla::transform_apply(tla::tuple<int>(1), tla::tuple<int>(2), [](int a, int b)"
    " { return a + b; }, [](auto... i) { return (i + ...); });",
    "mixed types": "auto f = RoundUp(uint32_t{1}, uint64_t{16});",
    "vector in UB": "auto f = Catlass::layout::VectorLayout::MakeLayoutInUb<float>(Catlass::MakeCoord(8u));",
}


def compiler() -> str:
    found = shutil.which("g++") or shutil.which("clang++")
    if found is None:
        pytest.skip("no C++ compiler")
    return found


@pytest.fixture(scope="module")
def program(build: Build) -> Path:
    return build("standin", roots=STANDIN)


def check(program: Path, directory: Path, case: str, shape: tuple[int, int, int]) -> None:
    element, result_element, order_a, order_b = CASES[case]
    m, n, k = shape
    rng = np.random.default_rng(0)
    # Small integers: every product and sum is exact in the accumulator, so the one rounding at the end must match.
    a = rng.integers(-5, 6, (m, k))
    b = rng.integers(-5, 6, (k, n))
    (directory / "a.bin").write_bytes(a.astype(element).tobytes(order_a))
    (directory / "b.bin").write_bytes(b.astype(element).tobytes(order_b))

    command: list[str | Path] = [program, case, str(m), str(n), str(k), directory]
    run = subprocess.run(command, capture_output=True, text=True, check=False)

    assert (run.returncode, run.stderr) == (0, ""), run.stderr
    d = np.frombuffer((directory / "d.bin").read_bytes(), dtype=result_element).reshape(m, n)
    np.testing.assert_array_equal(d, (a @ b).astype(np.float32).astype(result_element))


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "x".join(map(str, shape)))
@pytest.mark.parametrize("case", CASES)
def test_matmul_and_copy(program: Path, tmp_path: Path, case: str, shape: tuple[int, int, int]) -> None:
    check(program, tmp_path, case, shape)


def test_wrong_arguments_print_the_usage(program: Path, tmp_path: Path) -> None:
    run = subprocess.run([program, "half", "1", "2", tmp_path], capture_output=True, text=True, check=False)
    assert run.returncode == 2


@pytest.mark.parametrize("code", BEYOND_EVERY_RELEASE.values(), ids=BEYOND_EVERY_RELEASE.keys())
def test_no_more_than_every_release_has(tmp_path: Path, code: str) -> None:
    source = tmp_path / "beyond.cpp"
    headers = '#include "tla/int_tuple.hpp"\n#include "catlass/layout/layout.hpp"\n'
    includes = [f"-I{root}" for root in STANDIN]
    command: list[str | Path] = [compiler(), *FLAGS, "-fsyntax-only", *includes, source]
    source.write_text(headers)
    assert subprocess.run(command, capture_output=True, check=False).returncode == 0
    source.write_text(headers + code)
    assert subprocess.run(command, capture_output=True, check=False).returncode != 0


def test_on_a_checkout(tmp_path: Path) -> None:
    """The same kernel on a real Catlass: only its cube side and its launch come from the model."""
    home = os.environ.get("CATLASS_HOME")
    if home is None:
        pytest.skip("CATLASS_HOME is not set")
    # As system headers, the checkout's own warnings do not stop the build.
    includes = [f"-I{DEVICE}/overlay", f"-isystem{home}/include", *(f"-I{root}" for root in STANDIN[1:])]
    source, output = Path(__file__).with_name("standin.cpp"), tmp_path / "standin"
    library = machine_library(find_compiler(compiler()))
    command: list[str | Path] = [compiler(), *FLAGS, "-O1", *includes, source, library, "-o", output]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    for case in CASES:
        check(output, tmp_path, case, (300, 513, 520))


def test_every_layout_of_every_type(build: Build) -> None:
    """A and B by rows, by columns and of fractals, with gaps; nothing after the last byte of a block is read."""
    program = build("layouts", roots=STANDIN)
    run = subprocess.run([program], capture_output=True, text=True, check=False)
    assert (run.returncode, run.stdout, run.stderr) == (0, "", "")


def test_a_layout_reads_all_of_its_blocks(build: Build, tmp_path: Path) -> None:
    """Without the last bytes, three blocks that read the end of A and two that read that of B are found in each of 64
    products."""
    report = report_of(build("layouts", roots=STANDIN), "1", report=tmp_path / "report.json")
    (hazard,) = report["hazards"]
    assert (hazard["code"], hazard["count"]) == ("EVT102", 64 * (3 + 2))
