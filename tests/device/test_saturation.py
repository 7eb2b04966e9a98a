"""Modes for results that their type does not have, one kernel in each, on both architectures."""

import os
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evtgen.operators.arrays import Array

from .conftest import Build

CALLS = [
    "Add", "Sub", "Mul", "Div", "Max", "Min", "Prelu", "Relu", "Abs", "Exp", "Ln", "Sqrt", "Rsqrt", "Reciprocal",
    "Adds", "Muls", "Maxs", "Mins", "Subs", "RSubs", "Divs", "RDivs",
]  # fmt: skip
"""Calls of ``exact.cpp`` whose results alone saturate: none adds to a product."""


def bound(halves: Array) -> Array:
    most = float(np.finfo(np.float16).max)
    return np.nan_to_num(halves, nan=0.0, posinf=most, neginf=-most)


@pytest.mark.cxx
@pytest.mark.parametrize("schedule", ["recorded", "late"])
@pytest.mark.parametrize("start", ["stay", "bound"])
@pytest.mark.parametrize("npu", [2201, 3510])
def test_results_beyond_their_type(build: Build, npu: int, start: str, schedule: str) -> None:
    done = subprocess.run(
        [build("saturation", npu), start],
        env={
            **os.environ,
            "EVTGEN_MODEL_SATURATION": "on" if start == "bound" else "off",
            "EVTGEN_MODEL_SCHEDULE": schedule,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.returncode) == ("", 0), done.stdout + done.stderr


@pytest.mark.cxx
@pytest.mark.parametrize("npu", [2201, 3510])
def test_halves_are_bound_and_floats_are_not(build: Build, tmp_path: Path, npu: int) -> None:
    """Of all halves, with infinities and NaN: each call's result in the one mode is the other's, bound."""
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    floats = np.random.default_rng(5).integers(0, 2**32, 1 << 12, np.uint32).view(np.float32)
    program = build("exact", npu)

    def computed(call: str, name: str, values: Array, mode: str, noise: dict[str, str]) -> Any:
        (tmp_path / "a").write_bytes(values.tobytes())
        (tmp_path / "b").write_bytes(np.random.default_rng(7).permutation(values).tobytes())
        command = [str(part) for part in (program, call, name, tmp_path / "a", tmp_path / "b", tmp_path / "out")]
        variables = {**os.environ, "EVTGEN_MODEL_SATURATION": mode, **noise}
        subprocess.run(command, env=variables, check=True, capture_output=True, timeout=60)
        return np.frombuffer((tmp_path / "out").read_bytes(), values.dtype)

    for call in CALLS:
        for noise in ({}, {"EVTGEN_MODEL_NOISE": "3"}) if call in {"Exp", "Div", "RDivs", "Rsqrt"} else ({},):
            off, on = (computed(call, "half", halves, mode, noise) for mode in ("off", "on"))
            assert np.array_equal(on, bound(off)), call
    off, on = (computed("Mul", "float", floats, mode, {}) for mode in ("off", "on"))
    assert np.isinf(off).any() and np.array_equal(on, off, equal_nan=True)
