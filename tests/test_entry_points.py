"""The programs beside evtgen: each has help, and refuses arguments that it does not know before it begins."""

from __future__ import annotations

import re
import runpy
import sys
from importlib import import_module
from pathlib import Path

import pytest

from docs.generate.__main__ import PAGES

from .support.paths import CHECKOUT

pytestmark = pytest.mark.filterwarnings("ignore:.*found in sys.modules")

FOLDERS = ("benchmarks", "docs", "sabotage", "tests")


def entry_points() -> list[str]:
    """The modules below these folders that ``python -m`` runs."""
    paths = (path for folder in FOLDERS for path in (CHECKOUT / folder).rglob("*.py"))
    main = [path for path in paths if re.search(r"^if __name__ == ", path.read_text(encoding="utf-8"), re.M)]
    return [".".join(path.relative_to(CHECKOUT).with_suffix("").parts).removesuffix(".__main__") for path in main]


def ended(module: str, *arguments: str, monkeypatch: pytest.MonkeyPatch) -> object:
    """The status with which a module ends. Nothing that it would do is done: it finds no program but itself."""
    monkeypatch.setattr(sys, "argv", [module, *arguments])
    monkeypatch.setenv("PATH", "")
    with pytest.raises(SystemExit) as exit_:
        runpy.run_module(module, run_name="__main__")
    return exit_.value.code


def test_every_module_that_runs_is_guarded() -> None:
    """Importing one starts nothing, and the others below find it."""
    assert {"benchmarks", "sabotage", "sabotage.numbers", "docs.generate"} <= set(entry_points())
    for path in (path for folder in FOLDERS for path in (CHECKOUT / folder).rglob("__main__.py")):
        assert ".".join(path.parent.relative_to(CHECKOUT).parts) in entry_points()


@pytest.mark.parametrize("module", entry_points())
def test_help(module: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert ended(module, "--help", monkeypatch=monkeypatch) == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: python -m {module} [-h]")
    assert re.search(r"Exit status: 0 [^,]+, 1 [^,]+, 2 wrong arguments\.", " ".join(text.split()))


@pytest.mark.parametrize("module", entry_points())
@pytest.mark.parametrize("wrong", [["--no-such-option"], ["a", "b", "no such name"]], ids=["option", "names"])
def test_wrong_arguments(
    module: str, wrong: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    assert ended(module, *wrong, monkeypatch=monkeypatch) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith(f"usage: python -m {module} [-h]") and not captured.out
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("page", PAGES)
def test_generators_write_where_they_are_told(page: str, monkeypatch: pytest.MonkeyPatch) -> None:
    assert ended("docs.generate", page, monkeypatch=monkeypatch) == 2
    assert ended("docs.generate", page, "no such directory", monkeypatch=monkeypatch) == 2
    assert callable(import_module(f"docs.generate.{page}").write)


def test_a_page_is_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sys, "argv", ["generate", "errors", str(tmp_path)])
    runpy.run_module("docs.generate", run_name="__main__")
    assert (tmp_path / "errors.md").read_bytes() == (CHECKOUT / "docs" / "errors.md").read_bytes()
