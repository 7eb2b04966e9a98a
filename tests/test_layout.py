"""Where tests lie and what they may import: a folder for each room of evtgen, helpers in ``tests/support``."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from .support.paths import CHECKOUT

TESTS = CHECKOUT / "tests"
ROOMS = {path.name for path in (CHECKOUT / "evtgen").iterdir()}
BESIDE = {"clock", "docs", "extension", "peers", "properties", "sabotage", "support"}
"""Folders that mirror no room: the clock against published measurements, pages, extensions of PyTorch that are built,
what other generators compute, random graphs, the mutants, and the helpers."""


def imported(path: Path) -> set[str]:
    """Absolute names of the modules that a file below the checkout imports, and of what it takes from them."""
    package = path.relative_to(CHECKOUT).parent.parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join((*base, node.module) if node.module else base)
            found |= {module, *(f"{module}.{alias.name}" for alias in node.names)}
    return found


def test_relative_imports_are_resolved() -> None:
    assert {"tests.support.paths", "tests.support.paths.CHECKOUT", "ast"} <= imported(Path(__file__))
    assert "tests.support.seeds" in imported(TESTS / "verify" / "test_verify.py")


def test_folders_mirror_rooms() -> None:
    folders = {path.parent.relative_to(TESTS).as_posix() for path in TESTS.rglob("*.py")} - {"."}
    assert folders <= ROOMS | BESIDE


@pytest.mark.parametrize("folder", ["benchmarks", "docs", "evtgen", "sabotage"])
def test_only_tests_import_tests(folder: str) -> None:
    paths = list((CHECKOUT / folder).rglob("*.py"))
    assert paths
    for path in paths:
        assert not {name for name in imported(path) if name.split(".")[0] == "tests"}, path


def test_no_test_imports_another() -> None:
    for path in TESTS.rglob("*.py"):
        parts = [name.split(".") for name in imported(path)]
        assert not [p for p in parts if p[0] == "tests" and any(part.startswith("test_") for part in p[1:])], path
