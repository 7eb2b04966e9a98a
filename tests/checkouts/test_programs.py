"""Catlass's own examples, unmodified, on the CPU model.

The checkouts come from two variables, each a list of directories as in PATH, of checkouts or of directories of them:
``CATLASS_HOMES`` names releases, ``EVTGEN_AUTHORS`` the commits of the visitor framework's authors.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from ..support.checkouts import trees
from ..support.command import run
from ..support.paths import CHECKOUT

pytestmark = pytest.mark.cxx

RELEASES, AUTHORS = trees("CATLASS_HOMES"), trees("EVTGEN_AUTHORS")
SHAPE = ("256", "512", "64")
STORES = Path(__file__).with_name("evg_store.cpp")
RELEASED = {"00", "03", "04", "07", "09", "10", "11", "12", "22", "27", "28"}
"""Examples that must run in every release."""


needs_releases = pytest.mark.skipif(
    not RELEASES, reason="CATLASS_HOMES is not set: it names checkouts of releases to test against"
)


def table() -> dict[tuple[str, str], str]:
    """The cells of the table in docs/catlass.md, by release and number of the example."""
    text = (CHECKOUT / "docs" / "catlass.md").read_text(encoding="utf-8")
    rows = re.search(r"^\| example \|.*?(?=\n\n)", text, re.MULTILINE | re.DOTALL)
    assert rows is not None
    head, _, *body = ([cell.strip() for cell in line.strip("|").split("|")] for line in rows[0].splitlines())
    return {
        (release, row[0].strip("`").split("_")[0]): cell.replace("`", "")
        for row in body
        for release, cell in zip(head[1:], row[1:], strict=True)
    }


def by_shape(first: str) -> dict[tuple[str, str, str], str]:
    """The cells of a table in docs/catlass.md whose first column is called ``first`` and whose second is the shape, by
    release or commit, program and shape."""
    text = (CHECKOUT / "docs" / "catlass.md").read_text(encoding="utf-8")
    rows = re.search(rf"^\| {first} \| shape \|.*?(?=\n\n)", text, re.MULTILINE | re.DOTALL)
    assert rows is not None
    head, _, *body = ([cell.strip(" `") for cell in line.strip("|").split("|")] for line in rows[0].splitlines())
    return {
        (commit, row[0], row[1]): cell
        for row in body
        for commit, cell in zip(head[2:], row[2:], strict=True)
        if cell != "–"
    }


def result(
    tree: Path, program: Path, shape: tuple[str, ...] = SHAPE, before: tuple[str, ...] = (), npu: str = ""
) -> dict[str, Any]:
    """The output of ``evtgen cpu`` for a program, whose arguments are ``before``, the shape and a device."""
    if shutil.which("clang++") is None:
        pytest.skip("clang++ is not installed, and g++ does not take Catlass's kernels")
    grouped = "GroupedGemmOptions" in program.read_text(encoding="utf-8", errors="replace")
    arguments = (*before, *(("2", *shape) if grouped else shape))
    architecture = npu or ("3510" if "ascend950" in program.parent.name else "2201")
    command = ("cpu", program, "--catlass", tree, "--cxx", "clang++", "--npu-arch", architecture, "--json")
    return dict(json.loads(run(*command, "--", *arguments, "0", cwd=tree).stdout))


def cell(found: dict[str, Any]) -> str:
    """What the table says of a result."""
    if "launches" not in found:
        message = found["diagnostics"][0]["message"].splitlines()[0]
        name = re.fullmatch(r"the CPU model does not have (.*)", message)
        assert name is not None, found["diagnostics"][0]["message"][:3000]
        return f"not modelled: {name[1]}"
    assert found["launches"] >= 1
    failed = "" if found["status"] == 0 and "failed" not in found["stdout"] + found["stderr"] else "wrong "
    return (failed + " ".join(sorted({hazard["code"] for hazard in found["hazards"]}))).strip() or "clean"


def released(tree: Path, example: str) -> Path:
    """The program of an example: the one with a main, the first of several."""
    [directory] = tree.glob(f"examples/{example}_*")
    programs = (path for path in sorted(directory.glob("*.cpp")) if " main(" in path.read_text(errors="replace"))
    return next(programs)


def of_release(release: str) -> Path:
    tree = next((path for name, path in RELEASES.items() if name.endswith(release)), None)
    if tree is None:
        pytest.skip(f"none of CATLASS_HOMES ends in {release}")
    return tree


@needs_releases
@pytest.mark.parametrize(("release", "example"), [key for key, text in table().items() if text != "–"])
def test_a_released_example_does_what_the_table_says(release: str, example: str) -> None:
    tree = of_release(release)
    assert cell(result(tree, released(tree, example))) == table()[release, example]


@needs_releases
@pytest.mark.parametrize(("release", "program", "shape"), by_shape("EVG program"))
def test_a_program_of_catlass_visitors_does_what_the_table_says(release: str, program: str, shape: str) -> None:
    tree = of_release(release)
    [source] = tree.glob(f"examples/64_ascend950_matmul_evg/{program}.cpp")
    assert cell(result(tree, source, tuple(shape.split(" x ")))) == by_shape("EVG program")[release, program, shape]


@needs_releases
@pytest.mark.parametrize(
    ("case", "codes"),
    [("aux", {"EVT121"}), ("acc", {"EVT121"}), ("ub", {"EVT128"}), ("aux_copied+acc_copied+ub_copied", set())],
)
def test_what_catlass_visitors_load_they_must_not_store(case: str, codes: set[str]) -> None:
    tree = of_release("v1.6.3")
    found = result(tree, STORES, ("87", "198", "40"), before=(case,), npu="3510")
    assert {hazard["code"] for hazard in found["hazards"]} == codes
    assert found["stdout"].splitlines() == [f"{name} right" for name in case.split("+")]


@pytest.mark.skipif(
    not AUTHORS, reason="EVTGEN_AUTHORS is not set: it names checkouts of the visitor framework's authors"
)
@pytest.mark.parametrize(("commit", "program", "shape"), by_shape("program"))
def test_a_program_of_the_authors_does_what_the_table_says(commit: str, program: str, shape: str) -> None:
    tree = next((path for name, path in AUTHORS.items() if name.endswith(commit)), None)
    if tree is None:
        pytest.skip(f"none of EVTGEN_AUTHORS ends in {commit}")
    [source] = tree.glob(f"examples/{program}/*.cpp")
    assert cell(result(tree, source, tuple(shape.split(" x ")))) == by_shape("program")[commit, program, shape]


def test_what_must_run_runs_by_the_table() -> None:
    wrong = {
        key: text
        for key, text in table().items()
        if key[1] in RELEASED and not re.fullmatch(r"clean|(EVT\d+ ?)+", text)
    }
    assert not wrong and {example for _, example in table()} >= RELEASED


def test_checkouts_by_variable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("one", "two/a", "two/b", "two/empty"):
        (tmp_path / name / "examples").mkdir(parents=True)
    for name in ("one", "two/a", "two/b"):
        (tmp_path / name / "include" / "catlass").mkdir(parents=True)
        (tmp_path / name / "include" / "catlass" / "catlass.hpp").touch()
    monkeypatch.setenv("CATLASS_HOMES", os.pathsep.join(map(str, (tmp_path / "one", tmp_path / "two"))))
    assert list(trees("CATLASS_HOMES")) == ["one", "a", "b"]
    monkeypatch.delenv("CATLASS_HOMES")
    assert trees("CATLASS_HOMES") == {}
