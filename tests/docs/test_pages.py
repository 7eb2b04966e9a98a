"""The documentation says what is true: the generated page is up to date, and what it shows works."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.generate import functions, operands
from docs.generate.errors import error_page
from evtgen.frontend.json_form import read
from evtgen.frontend.load import load
from evtgen.pipeline.specs import load_and_check

from ..support.command import environment
from ..support.paths import CHECKOUT

PAGES = [*sorted(CHECKOUT.glob("*.md")), *sorted((CHECKOUT / "docs").rglob("*.md"))]

RUN = ("testing.md", "testing.zh.md")
"""Pages whose Python is no spec; it is run elsewhere."""


def test_error_codes_are_up_to_date() -> None:
    """`make docs` rewrites the page."""
    assert (CHECKOUT / "docs" / "errors.md").read_text(encoding="utf-8") == error_page()


def test_functions_of_other_libraries_are_up_to_date() -> None:
    """`make docs` rewrites the page."""
    assert (CHECKOUT / "docs" / "functions.md").read_text(encoding="utf-8") == functions.page()


def test_types_of_operands_are_up_to_date() -> None:
    """`make docs` rewrites the page."""
    assert (CHECKOUT / "docs" / "operands.md").read_text(encoding="utf-8") == operands.page()


@pytest.mark.parametrize("page", ["accuracy", "errors", "functions", "operands"])
def test_pages_in_chinese_are_up_to_date(page: str, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "docs.generate", page, str(tmp_path)]
    subprocess.run(command, cwd=CHECKOUT, env=environment(EVTGEN_LANG="zh"), check=True)
    made = (tmp_path / f"{page}.zh.md").read_text(encoding="utf-8")
    assert (CHECKOUT / "docs" / f"{page}.zh.md").read_text(encoding="utf-8") == made
    source = (CHECKOUT / "docs" / f"{page}.md").read_text(encoding="utf-8")
    shown = r"^### (EVT\d{3})|^\| (`[^|]*`) \|"
    assert re.findall(shown, made, re.MULTILINE) == re.findall(shown, source, re.MULTILINE)


def test_every_code_is_documented() -> None:
    documented = set(re.findall(r"^### (EVT\d{3}):", error_page(), re.MULTILINE))
    sources = [*(CHECKOUT / "evtgen").rglob("*.py"), *(CHECKOUT / "evtgen" / "device").rglob("*.[ch]pp")]
    used = {code for path in sources for code in re.findall(r"\bEVT\d{3}\b", path.read_text(encoding="utf-8"))}
    assert used <= documented


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        file = page.parent / path if path else page
        assert file.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in {re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings}, target


@pytest.mark.parametrize("page", [p for p in PAGES if p.name not in RUN], ids=lambda page: page.name)
def test_specs_shown_are_fine(page: Path, tmp_path: Path) -> None:
    for index, text in enumerate(re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.M | re.S)):
        if "import" in text:
            spec = tmp_path / f"spec{index}.py"
            spec.write_text(text, encoding="utf-8")
            assert load_and_check([spec]).diagnostics == []


def test_the_json_shown_is_the_python_shown(tmp_path: Path) -> None:
    page = (CHECKOUT / "docs" / "types.md").read_text(encoding="utf-8")
    (document,) = re.findall(r"^```json\n(.*?)^```", page, re.M | re.S)
    spec = tmp_path / "spec.py"
    spec.write_text(re.findall(r"^```python\n(.*?)^```", page, re.M | re.S)[-1], encoding="utf-8")
    (from_json,), (from_python,) = read(document, "spec.json"), load([spec])
    assert (from_json.name, from_json.root) == (from_python.name, from_python.root)


def test_the_page_lists_every_fault_of_hardware() -> None:
    page = (CHECKOUT / "docs" / "samples.md").read_text()
    cases = re.findall(r'^CASE(?:_ON)?\((\w+), "([\w ]+)"', (CHECKOUT / "tests/device/hardware.cpp").read_text(), re.M)
    assert len(cases) > 20
    for case, code in cases:
        line = next((line for line in page.splitlines() if f"`{case}`" in line), None)
        assert line is not None, case
        assert code.startswith("no ") or f"| {code} |" in line, case
