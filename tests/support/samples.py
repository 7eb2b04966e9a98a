"""The samples of an asc-devkit checkout: what they need, how they are run, and how they compare with their goldens."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.options import CpuOptions
from evtgen.pipeline.program import Program, run

API = Path("examples/01_simd_cpp_api/03_basic_api")
FOLDERS = (
    "00_data_movement",
    "01_memory_vector_compute",
    "04_memory_management",
    "05_sync_control",
    "06_atomic",
    "07_tpipe_tque",
)
"""The folders of samples for the vector core."""

_SEEDED = "import runpy, sys, numpy; numpy.random.seed(0); sys.argv = sys.argv[1:]; "
_SEEDED += "runpy.run_path(sys.argv[0], run_name='__main__')"


@dataclass(frozen=True)
class Sample:
    """A sample, below ``API``, and one of its scenarios; None if it has none."""

    name: str
    scenario: int | None = None


@dataclass(frozen=True)
class Result:
    """What became of a sample.

    Attributes:
        verdict: ``"same bits"`` as its golden; ``"within tolerance"``, by its own check; ``"wrong"``; ``"refused"``, if
            it does not compile.
        findings: the codes of the model's findings, sorted.
        said: what explains a verdict that is not good.
    """

    verdict: str
    findings: tuple[str, ...] = ()
    said: str = ""


def samples(checkout: Path) -> Iterator[Sample]:
    """Every sample of the folders, with every scenario that its CMakeLists.txt allows."""
    for folder in FOLDERS:
        for directory in sorted((checkout / API / folder).iterdir()):
            if not (directory / "CMakeLists.txt").is_file():
                continue
            name, build = f"{folder}/{directory.name}", (directory / "CMakeLists.txt").read_text(encoding="utf-8")
            readme = (directory / "README.md").read_text(encoding="utf-8")
            for scenario in _scenarios(build) or _scenarios(readme):
                yield Sample(name, scenario)


def _scenarios(build: str) -> list[int | None]:
    if "SCENARIO_NUM" not in build:
        return [None]
    listed = re.search(r"set\(VALID_SCENARIOS ([\d ]+)\)", build) or re.search(
        r'"Scen\w+ (?:number )?\(([\d,]+)\)"', build
    )
    if listed:
        return [int(number) for number in re.findall(r"\d", listed[1])]
    between = re.search(r"[(\[](\d) ?- ?(\d)[)\]]", build)
    if between:
        return [*range(int(between[1]), int(between[2]) + 1)]
    return [int(number) for number in sorted(set(re.findall(r"SCENARIO_NUM(?: EQUAL |=)(\d)", build)))]


def execute(sample: Sample, checkout: Path, scratch: Path, ascendc: bool, timeout: float = 600) -> Result:
    """Compile and run a sample in ``scratch``, on data that its own script makes from a fixed seed; with ``ascendc``
    against the checkout's own headers. Changes the working directory to ``scratch``."""
    directory = checkout / API / sample.name
    readme = (directory / "README.md").read_text(encoding="utf-8")
    os.chdir(scratch)
    made = _script(directory, readme, "gen_data", sample.scenario)
    if made is not None:
        subprocess.run([sys.executable, "-c", _SEEDED, *made], check=True, capture_output=True)
    define = () if sample.scenario is None else (f"SCENARIO_NUM={sample.scenario}",)
    program = Program(
        next(directory.glob("*.asc")),
        capture=True,
        options=CpuOptions(define=define, timeout=timeout, ascendc=checkout if ascendc else None),
    )
    try:
        outcome = run(program)
    except EvtgenError as error:
        return Result("refused", (), str(error))
    findings = tuple(sorted({hazard["code"] for hazard in outcome.hazards}))
    said = "".join(str(diagnostic) for diagnostic in outcome.diagnostics) + outcome.stdout + outcome.stderr
    check = _script(directory, readme, "verify_result", sample.scenario)
    if check is None:
        good = outcome.status == 0 and re.search(r"pass|success", outcome.stdout, re.I) and "fail" not in outcome.stdout
        return Result("within tolerance" if good else "wrong", findings, said)
    done = subprocess.run([sys.executable, *check], capture_output=True, text=True, check=False)
    if outcome.status != 0 or done.returncode != 0 or "pass" not in done.stdout:
        return Result("wrong", findings, said + done.stdout + done.stderr)
    output = Path("output")
    goldens = sorted(output.glob("golden*"))
    same = all((output / path.name.replace("golden", "output")).read_bytes() == path.read_bytes() for path in goldens)
    return Result("same bits" if goldens and same else "within tolerance", findings, said)


def _script(directory: Path, readme: str, name: str, scenario: int | None) -> list[str] | None:
    """The path and the arguments of a script, as the sample's README calls it; None if it has none."""
    called = re.search(rf"^ *python3 \.\./scripts/{name}\.py([^#\n;]*)", readme, re.MULTILINE)
    if called is None:
        return None
    arguments = re.sub(r"\$\{?SCENARIO_NUM\}?", str(scenario), called[1])
    return [str(directory / "scripts" / f"{name}.py"), *arguments.split()]
