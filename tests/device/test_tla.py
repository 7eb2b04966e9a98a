"""The stand-in's BlockMmadTla for Ascend950: products through GM and through the UB of both vector cores of a group."""

from pathlib import Path
from typing import Any, Literal

import ml_dtypes
import numpy as np
import pytest

from ..support.machine import report_of
from ..support.paths import DEVICE
from .conftest import Build

STANDIN = [DEVICE / path for path in ("catlass", "catlass/examples_common", "ascendc", ".")]

# name of the case: element types of A and B, and of D; the memory order of A and B; whether there is a bias
CASES: dict[str, tuple[Any, Any, Literal["C", "F"], Literal["C", "F"], bool]] = {
    "gm_half": (np.float16, np.float32, "C", "C", False),
    "gm_bias": (ml_dtypes.bfloat16, ml_dtypes.bfloat16, "F", "F", True),
    "ub_float": (np.float32, np.float32, "C", "F", False),
    "ub_bias": (np.float16, np.float16, "F", "C", True),
    "ub_columns": (np.float16, np.float32, "C", "C", False),
    "ub_one": (np.float16, ml_dtypes.bfloat16, "C", "C", False),
}
# Blocks are 48 x 80: odd numbers of rows, columns that end on no data block, blocks of one row or one column.
SHAPES = [(1, 1, 1), (47, 83, 7), (49, 161, 64), (101, 93, 70)]

UNORDERED = {
    ("gm_half", "ready"): "EVT128",
    ("gm_half", "free"): "EVT127",
    ("ub_float", "ready"): "EVT128",
    ("ub_float", "free"): "EVT127",
    ("ub_float", "second"): "EVT128",
}
"""What is found, among other things, if a flag is left out."""


@pytest.fixture(scope="module")
def program(build: Build) -> Path:
    return build("tla", 3510, STANDIN)


def run(
    program: Path, directory: Path, case: str, shape: tuple[int, int, int], order: str = "whole", **variables: str
) -> tuple[list[dict[str, Any]], bool]:
    """The findings, and whether the result is right."""
    element, result, order_a, order_b, has_bias = CASES[case]
    m, n, k = shape
    rng = np.random.default_rng(0)
    # Small integers: every product and sum is exact in the accumulator, so the one rounding at the end must match.
    a, b, bias = rng.integers(-5, 6, (m, k)), rng.integers(-5, 6, (k, n)), rng.integers(-5, 6, n) * has_bias
    (directory / "a.bin").write_bytes(a.astype(element).tobytes(order_a))
    (directory / "b.bin").write_bytes(b.astype(element).tobytes(order_b))
    (directory / "bias.bin").write_bytes(bias.astype(np.float32).tobytes())
    arguments = (case, order, *map(str, shape), str(directory))
    found = report_of(program, *arguments, report=directory / "report.json", **variables)["hazards"]
    d = np.frombuffer((directory / "d.bin").read_bytes(), dtype=result).reshape(m, n)
    return found, bool((d == (a @ b + bias).astype(np.float32).astype(result)).all())


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: "x".join(map(str, shape)))
@pytest.mark.parametrize("case", CASES)
def test_product(program: Path, tmp_path: Path, case: str, shape: tuple[int, int, int]) -> None:
    assert run(program, tmp_path, case, shape, EVTGEN_MODEL_STRICT="1") == ([], True)


@pytest.mark.parametrize("schedule", ["late", "random:1", "random:2"])
def test_other_orders(program: Path, tmp_path: Path, schedule: str) -> None:
    for case in ("gm_half", "ub_float", "ub_columns"):
        assert run(program, tmp_path, case, (101, 93, 70), EVTGEN_MODEL_SCHEDULE=schedule) == ([], True)


@pytest.mark.parametrize(("case", "order"), UNORDERED)
def test_without_a_flag(program: Path, tmp_path: Path, case: str, order: str) -> None:
    for schedule in ("recorded", "late", "random:1"):
        found, _ = run(program, tmp_path, case, (101, 93, 70), order, EVTGEN_MODEL_SCHEDULE=schedule)
        assert UNORDERED[case, order] in {hazard["code"] for hazard in found}, schedule


def test_the_row_beyond_an_odd_product_is_undefined(program: Path, tmp_path: Path) -> None:
    found, right = run(program, tmp_path, "ub_float", (47, 80, 7), "odd")
    assert ({hazard["code"] for hazard in found}, right) == ({"EVT108"}, False)
