"""AscendC's own samples on the model, against their goldens: ``docs/samples.md`` says what becomes of each."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from ..support.paths import CHECKOUT
from ..support.samples import API, Sample, execute, samples

PAGE = (CHECKOUT / "docs" / "samples.md").read_text(encoding="utf-8")


def rows(heading: str) -> dict[Sample, list[str]]:
    """The rows below a heading: each sample, and the cells after its scenarios."""
    found = {}
    for line in PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0].splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if re.match(r"\d\d_", cells[0]):
            for scenario in cells[1].split(", "):
                found[Sample(cells[0], int(scenario) if scenario else None)] = cells[2:]
    return found


def elsewhere() -> set[Sample]:
    """The scenarios that are for other architectures."""
    found = set()
    for line in PAGE.partition("\n## For other architectures\n")[2].splitlines():
        if match := re.fullmatch(r"- ([\w/]+)(?:: ([\d, ]+))?", line):
            found |= {Sample(match[1], int(number) if number else None) for number in (match[2] or "").split(", ")}
    return found


RUN, LEFT_OUT = rows("Those that run"), rows("Those that do not")
OWN_HEADERS = RUN | rows("With AscendC's own headers")


@pytest.fixture
def checkout() -> Path:
    if "ASCENDC_HOME" not in os.environ:
        pytest.skip("ASCENDC_HOME is not set: it names an asc-devkit checkout whose samples to run")
    return Path(os.environ["ASCENDC_HOME"]).resolve()


def test_the_page_counts_its_rows() -> None:
    same = sum(cells[0] == "same bits" for cells in RUN.values())
    tolerated = sum(cells[0] == "within tolerance" for cells in RUN.values())
    assert same + tolerated == len(RUN)
    vector = [cells for cells in LEFT_OUT.values() if cells[0] != "cube core"]
    words = " ".join(PAGE.split())
    assert f"{len(RUN)} run against the model's headers and pass: {same} with" in words
    assert f"{tolerated} within the tolerance" in words and f"{len(vector)} that need no cube core do not run" in words
    assert f"{len(RUN) + len(LEFT_OUT)} scenarios are for Atlas A2, and {len(RUN) + len(vector)} of those" in words
    assert f" that need no cube core | {len(RUN)} of {len(RUN) + len(vector)} | {len(RUN)} |" in PAGE
    counts = [int(count) for count in re.findall(r"^\| [^|]+ \| (\d+)(?: of \d+)? \| \d+", PAGE, re.MULTILINE)]
    assert len(counts) == 5 and sum(counts[:-1]) == counts[-1]
    assert all(cells[0] for cells in LEFT_OUT.values())
    for note in {cells[2] for cells in RUN.values()} - {""}:
        assert f"\n{note}. " in PAGE


def test_every_sample_has_its_row(checkout: Path) -> None:
    assert set(samples(checkout)) == {*RUN, *LEFT_OUT, *elsewhere()}


FACES = [(sample, False) for sample in RUN] + [(sample, True) for sample in OWN_HEADERS]


@pytest.mark.cxx
@pytest.mark.parametrize(
    ("sample", "ascendc"), FACES, ids=[f"{one.name}-{one.scenario}{'-own headers' * own}" for one, own in FACES]
)
def test_sample(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sample: Sample, ascendc: bool) -> None:
    monkeypatch.chdir(tmp_path)
    result = execute(sample, checkout, tmp_path, ascendc)
    verdict, findings, _ = (OWN_HEADERS if ascendc else RUN)[sample]
    assert (result.verdict, ", ".join(result.findings)) == (verdict, findings), result.said


@pytest.mark.cxx
def test_a_wrong_result_is_found(checkout: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The samples' own checks see a difference: a script that makes another golden."""
    copy = tmp_path / "checkout" / API / "01_memory_vector_compute" / "brcb"
    original = checkout / API / "01_memory_vector_compute" / "brcb"
    (copy / "scripts").mkdir(parents=True)
    for path in original.rglob("*"):
        if path.is_file():
            (copy / path.relative_to(original)).parent.mkdir(parents=True, exist_ok=True)
            (copy / path.relative_to(original)).write_bytes(path.read_bytes())
    script = copy / "scripts" / "gen_data.py"
    script.write_text(script.read_text(encoding="utf-8").replace("golden.tofile", "(golden + 1).tofile"))
    (tmp_path / "run").mkdir()
    monkeypatch.chdir(tmp_path / "run")
    sample = Sample("01_memory_vector_compute/brcb")
    assert execute(sample, tmp_path / "checkout", tmp_path / "run", ascendc=False).verdict == "wrong"
