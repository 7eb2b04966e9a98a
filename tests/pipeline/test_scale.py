"""The work grows with the number of epilogues and of nodes, not with its square: counted in calls, never in seconds."""

from __future__ import annotations

import cProfile
import pstats
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from evtgen import float32, ops
from evtgen.check import check
from evtgen.pipeline.build import Request, build
from evtgen.planner.plan import lower

from ..support.simplify import traced

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


def counted(work: Callable[[], object]) -> int:
    """The function calls that something makes."""
    with cProfile.Profile() as profile:
        work()
    total: int = pstats.Stats(profile).total_calls  # type: ignore[attr-defined]
    return total


def calls(directory: Path, count: int) -> int:
    """Function calls of a build into an empty root."""
    request = Request((spec(directory, count),), directory / f"include{count}")
    return counted(lambda: build(request))


@pytest.mark.slow
def test_calls_grow_with_the_number_of_epilogues(tmp_path: Path) -> None:
    calls(tmp_path, 1)  # what is made once
    few, more, most = (calls(tmp_path, count) for count in (25, 50, 100))
    assert (most - more) / (more - few) == pytest.approx(2, rel=0.1)


def chain(acc: Any, X: Any, count: int) -> Any:
    """One after the other."""
    value = acc
    for i in range(count):
        value = ops.exp(value) + X if i % 2 else value * (1.5 + i / 1000)
    return value


def wide(acc: Any, X: Any, count: int) -> Any:
    """A sum in pairs of what can come in any order."""
    values = [ops.exp((acc if i else X) * (1.5 + i / 1000)) for i in range(count // 3)]
    while len(values) > 1:
        values = [left + right for left, right in zip(values[::2], [*values[1::2], acc], strict=False)]
    return values[0]


def running(acc: Any, X: Any, count: int) -> Any:
    """A running sum of what can come in any order."""
    value = X
    for i in range(count // 3):
        value += ops.exp(acc * (1.5 + i / 1000))
    return value


def limited(acc: Any, X: Any, count: int) -> Any:
    """Limits, each a little closer."""
    for i in range(count):
        acc = ops.minimum(acc, 1e5 - i) if i % 2 else ops.maximum(acc, i - 1e5)
    return acc


@pytest.mark.slow
@pytest.mark.parametrize("body", [chain, wide, running, limited], ids=lambda body: body.__name__)
def test_calls_grow_with_the_number_of_nodes(body: Callable[..., Any]) -> None:
    def work(count: int) -> None:
        epilogue = traced(lambda acc, X, row, alpha: body(acc, X, count), float32)
        assert check(epilogue) == []
        lower(epilogue)

    work(6)  # what is made once
    few, more, most = (counted(lambda count=count: work(count)) for count in (80, 160, 320))  # type: ignore[misc]
    assert (most - more) / (more - few) == pytest.approx(2, rel=0.15)


def test_one_formatter_takes_many_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    started: list[int] = []
    run = subprocess.run

    def counted(command: list[str], **options: Any) -> Any:
        started.append(len(command))
        return run(command, **options)

    monkeypatch.setattr(subprocess, "run", counted)
    # Another test may have formatted the framework's files in this process.
    monkeypatch.setattr("evtgen.emit.format._done", {})
    build(Request((spec(tmp_path, 70),), tmp_path / "include"))
    # 70 headers and the framework's, all by one process.
    assert len(started) == 1 and sum(started) > 85
