"""The Catlass stand-in, compiled and run on the CPU model: a mixed kernel whose result numpy must agree with."""

import shutil
import subprocess
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

DEVICE = Path(__file__).parents[2] / "evtgen" / "device"
INCLUDES = [DEVICE / "catlass", DEVICE / "catlass" / "examples_common", DEVICE / "ascendc", DEVICE]

# name of the case: element types of A, B, D, and the memory order of A and B
CASES = {
    "half": (np.float16, np.float16, "C", "C"),
    "half_float": (np.float16, np.float32, "C", "F"),
    "bfloat16": (ml_dtypes.bfloat16, ml_dtypes.bfloat16, "F", "C"),
    "float": (np.float32, np.float32, "F", "F"),
    "int8": (np.int8, np.int32, "C", "C"),
}
SHAPES = [(1, 1, 1), (3, 5, 7), (129, 257, 40), (300, 513, 520)]


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    compiler = shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        pytest.skip("no C++ compiler")
    output = tmp_path_factory.mktemp("standin") / "standin"
    sources = [Path(__file__).with_name("standin.cpp"), *sorted((DEVICE / "machine").glob("*.cpp"))]
    flags = ["-std=c++17", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-DCATLASS_ARCH=2201"]
    flags += [f"-I{directory}" for directory in INCLUDES]
    result = subprocess.run([compiler, *flags, *sources, "-o", output], capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return output


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "x".join(map(str, shape)))
@pytest.mark.parametrize("case", CASES)
def test_matmul_and_copy(program: Path, tmp_path: Path, case: str, shape: tuple[int, int, int]) -> None:
    element, result_element, order_a, order_b = CASES[case]
    m, n, k = shape
    rng = np.random.default_rng(0)
    # Small integers: every product and sum is exact in the accumulator, so the one rounding at the end must match.
    a = rng.integers(-5, 6, (m, k))
    b = rng.integers(-5, 6, (k, n))
    (tmp_path / "a.bin").write_bytes(a.astype(element).tobytes(order_a))
    (tmp_path / "b.bin").write_bytes(b.astype(element).tobytes(order_b))

    run = subprocess.run([program, case, str(m), str(n), str(k), tmp_path], capture_output=True, text=True, check=False)

    assert run.returncode == 0, run.stderr
    d = np.frombuffer((tmp_path / "d.bin").read_bytes(), dtype=result_element).reshape(m, n)
    np.testing.assert_array_equal(d, (a @ b).astype(np.float32).astype(result_element))
