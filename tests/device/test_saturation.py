"""Modes for results that their type does not have, one kernel in each, on both architectures."""

import os
import subprocess

import pytest

from .conftest import Build


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
