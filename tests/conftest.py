"""Marks, golden files, and a guard for both.

Marks: ``cxx`` for a test that compiles C++ (given here to whole folders, in the files to the others), ``slow`` for one
that takes more than some seconds of a core without that, and ``fast`` for every test that has neither. ``core`` is for
those of the others that ``make test`` runs, too.
"""

from __future__ import annotations

import gc
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

# Tests compare messages as they are written, whoever runs them.
os.environ["EVTGEN_LANG"] = "en"

# Workers take all cores already: threads of BLAS would mostly wait for each other, at full load.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

# A process inherits a signal that is ignored, as under nohup or in the background, but not one that is handled.
for number in (signal.SIGINT, signal.SIGHUP):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, lambda *_: None)

# A test says nothing about seconds: the machine may be busy.
settings.register_profile("evtgen", deadline=None)
settings.load_profile("evtgen")

# What is collected stays to the end: the collector of garbage would look through it over and over.
gc.disable()

COMPILING = {"device", "measure", "model", "sabotage", "verify"}
"""Folders of tests that compile C++, all of them."""

COLLECTED = pytest.StashKey[list[pytest.Item]]()
"""All tests, those that ``-m`` leaves out, too."""

COMPILERS = ("g++", "clang++", "c++")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--update-golden", action="store_true", help="rewrite tests/goldens from what is emitted now")


# First, so that -m sees the marks.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    config.stash[COLLECTED] = list(items)
    here = Path(__file__).parent
    for item in items:
        if item.path.is_relative_to(here) and item.path.relative_to(here).parts[0] in COMPILING:
            item.add_marker("cxx")
        if not {"cxx", "slow"} & {mark.name for mark in item.iter_markers()}:
            item.add_marker("fast")


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop() -> None:
    gc.freeze()
    gc.enable()


@pytest.fixture(scope="session")
def refusing_compilers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory of compilers that refuse to run."""
    directory = tmp_path_factory.mktemp("refusing")
    for name in COMPILERS:
        path = directory / name
        path.write_text('#!/bin/sh\necho "a test that compiles has the mark cxx" >&2\nexit 1\n')
        path.chmod(0o755)
    return directory


@pytest.fixture(autouse=True)
def no_compiler_without_the_mark(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, refusing_compilers: Path
) -> None:
    """The mark ``cxx`` is true: a test without it finds only compilers that refuse."""
    if request.node.get_closest_marker("cxx") is None:
        monkeypatch.setenv("PATH", f"{refusing_compilers}{os.pathsep}{os.environ['PATH']}")
