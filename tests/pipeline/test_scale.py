"""The work of a build grows with the number of epilogues, not with its square: counted in calls, never in seconds."""

from __future__ import annotations

import cProfile
import pstats
import subprocess
from pathlib import Path
from typing import Any

import pytest

from evtgen.pipeline.build import Request, build

EPILOGUE = """
@epilogue
def add{i}(acc: Acc[half], X: Aux[half]):
    return {{"D": acc + X + {i}.5}}
"""


def spec(directory: Path, count: int) -> Path:
    path = directory / f"of{count}.py"
    parts = [EPILOGUE.format(i=i) for i in range(count)]
    path.write_text("from evtgen import Acc, Aux, epilogue, half\n" + "".join(parts))
    return path


def calls(directory: Path, count: int) -> int:
    """Function calls of a build into an empty root."""
    request = Request((spec(directory, count),), directory / f"include{count}")
    profile = cProfile.Profile()
    profile.enable()
    build(request)
    profile.disable()
    total: int = pstats.Stats(profile).total_calls  # type: ignore[attr-defined]
    return total


@pytest.mark.slow
def test_calls_grow_with_the_number_of_epilogues(tmp_path: Path) -> None:
    calls(tmp_path, 1)  # what is made once
    few, more, most = (calls(tmp_path, count) for count in (25, 50, 100))
    assert (most - more) / (more - few) == pytest.approx(2, rel=0.1)


def test_one_formatter_takes_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    run = subprocess.run

    def counted(command: list[str], **options: Any) -> Any:
        started.append(len(command))
        return run(command, **options)

    monkeypatch.setattr(subprocess, "run", counted)
    build(Request((spec(tmp_path, 70),), tmp_path / "include"))
    # 70 headers and the framework's, all by one process.
    assert len(started) == 1 and sum(started) > 85
