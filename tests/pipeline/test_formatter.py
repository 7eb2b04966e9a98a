"""The formatter runs once, whatever is built."""

import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from evtgen.emit import format as formatter
from evtgen.frontend.load import load
from evtgen.model.programs import Compilation, sources
from evtgen.pipeline.build import Request, render
from evtgen.planner.plan import lower

from ..support.paths import CHECKOUT

SPECS = tuple(sorted((CHECKOUT / "examples").glob("*.py")))


@pytest.fixture
def runs(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The commands that the formatter's module starts."""
    seen: list[Any] = []
    run = subprocess.run

    def count(command: Any, **options: Any) -> Any:
        seen.append(command)
        return run(command, **options)

    monkeypatch.setattr(f"{formatter.__name__}.subprocess.run", count)
    monkeypatch.setattr(formatter, "_done", {})
    return seen


def test_of_a_build(runs: list[Any], tmp_path: Path) -> None:
    headers, examples = render(Request(SPECS, tmp_path / "include", tmp_path / "examples"))[0]
    assert len(headers.files) > 20 and len(examples.files) > 10
    assert len(runs) == 1


def test_of_programs(runs: list[Any]) -> None:
    plans = [lower(epilogue) for epilogue in load(SPECS)]
    assert {f"{plan.name}.hpp" for plan in plans} < set(sources(plans, Compilation()).headers)
    assert len(runs) == 1


def test_of_the_same_again(runs: list[Any], tmp_path: Path) -> None:
    """A build in the same process formats what is not yet, and gives the same text."""
    first, again = (render(Request(SPECS, tmp_path / "include", tmp_path / "examples"))[0] for _ in range(2))
    assert [files.files for files in first] == [files.files for files in again]
    assert len(runs) == 1
    render(Request(SPECS[:1], tmp_path / "include", style="BasedOnStyle: LLVM"))
    assert len(runs) > 1


def test_while_another_thread_forgets(runs: list[Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """What is remembered may be emptied while new text is formatted."""
    (first,) = formatter.format_files({"a.hpp": "int  a;\n"}).values()
    formatted = formatter._formatted

    def forgets(sources: Mapping[str, str], style: str) -> dict[str, str]:
        formatter._done.clear()
        return formatted(sources, style)

    monkeypatch.setattr(formatter, "_formatted", forgets)
    both = formatter.format_files({"a.hpp": "int  a;\n", "b.hpp": "int  b;\n", "c.txt": "int  c;\n"})
    assert list(both.items()) == [("a.hpp", first), ("b.hpp", "int b;\n"), ("c.txt", "int  c;\n")]
    assert len(runs) == 2
