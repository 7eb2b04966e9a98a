"""The Makefile's rules for pages, with a Python that notes what it is asked for."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[2]
PYTHON = """#!/bin/sh
echo "$EVTGEN_LANG $*" >> asked
test -z "$FAILS" || { test "$4" != build/reports || mkdir -p build/reports/first; exit 1; }
"""


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A directory with the Makefile, files of each kind that its rules look for, and an environment."""
    files = (
        "evtgen/a.py templates/a.hpp.j2 examples/gallery/a.py docs/generate/reports.py docs/generate/site/entries.py"
    )
    for name in (
        *files.split(),
        "pyproject.toml",
        "hatch_build.py",
        "build/npm/x",
        "env/installed",
        "env/installed-dev",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    shutil.copy(CHECKOUT / "Makefile", tmp_path)
    python = tmp_path / "env" / "bin" / "python"
    python.parent.mkdir()
    python.write_text(PYTHON)
    python.chmod(0o755)
    return tmp_path


def made(checkout: Path, target: str, env: Mapping[str, str] = os.environ, *, ok: bool = True) -> list[str]:
    """What the Python was asked for, behind the language that it was asked in."""
    (checkout / "asked").write_text("")
    env = {name: value for name, value in env.items() if name not in ("MAKEFLAGS", "MAKEOVERRIDES", "MAKELEVEL")}
    done = subprocess.run(["make", "VENV=env", target], cwd=checkout, env=env, capture_output=True, check=False)
    assert (done.returncode == 0) == ok, done.stderr
    return (checkout / "asked").read_text().splitlines()


REPORTS = "en -m docs.generate reports build/reports"


def test_reports_that_failed_are_made_again(checkout: Path) -> None:
    assert REPORTS in made(checkout, "site", {**os.environ, "FAILS": "1"}, ok=False)
    assert (checkout / "build" / "reports" / "first").is_dir()
    assert REPORTS in made(checkout, "site")
    assert made(checkout, "site") == ["en -m mkdocs build --strict"], "they are kept"


@pytest.mark.parametrize(
    ("name", "again"),
    [
        ("evtgen/a.py", True),
        ("templates/a.hpp.j2", True),
        ("docs/generate/site/entries.py", True),
        ("docs/generate/reports.py", True),
        ("evtgen/__pycache__/a.cpython-312.pyc", False),
        ("docs/page.md", False),
    ],
)
def test_reports_are_made_again_for_what_they_are_made_of(checkout: Path, name: str, again: bool) -> None:
    made(checkout, "site")
    (checkout / name).parent.mkdir(exist_ok=True)
    (checkout / name).touch()
    # Newer than all, whatever the resolution of times is.
    os.utime(checkout / name, (later := (checkout / "asked").stat().st_mtime + 5, later))
    assert (REPORTS in made(checkout, "site")) is again


@pytest.mark.parametrize(
    ("target", "translated"),
    [
        ("docs", ["errors", "functions", "operands", "accuracy", "gallery", "tutorial"]),
        ("clock", ["clock"]),
        ("site", []),
    ],
)
def test_pages_are_in_the_language_of_their_names(checkout: Path, target: str, translated: list[str]) -> None:
    asked = made(checkout, target, {**os.environ, "EVTGEN_LANG": "zh", "LANG": "zh_CN.UTF-8"})
    english = [line for line in asked if line.startswith("en ")]
    chinese = [line.split()[-2] for line in asked if line.startswith("zh ")]
    assert len(english) + len(chinese) == len(asked) and english
    assert chinese == translated
