"""Runs mutants on the CPU model and collects what it says."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evtgen.verify import harness, toolchain
from evtgen.verify.session import include_roots

from .mutants import Mutant
from .subjects import CHECKOUT, SHAPE, Subject, framework, subjects

CORES = 2
"""Cube cores, so that each gets several blocks."""

TIMEOUT = 60
"""Seconds after which a run is given up. The model ends deadlocks itself."""

ALL_STAGES = CHECKOUT / "tests" / "emit" / "stages.cpp"
"""A caller of VisitStage::ALL, for what the block epilogue does not reach."""

Hazard = dict[str, Any]


@dataclass(frozen=True)
class Outcome:
    """What the model said of a mutant.

    Attributes:
        hazards: name of the subject → its hazards. First come the examples that the mutant is part of; if they have
            none, the other subjects; then a caller of VisitStage::ALL.
        problem: why it could not be run, such as the compiler's words; None if it was.
    """

    mutant: Mutant
    hazards: Mapping[str, Sequence[Hazard]]
    problem: str | None = None

    @property
    def flagged(self) -> bool:
        """Whether the checker itself found something in any subject."""
        return any(self.hazards.values())


def intact() -> dict[str, list[Hazard]]:
    """What the model says of the text as it was emitted, which has to be nothing."""
    return {**_run_subjects({}, subjects()), "VisitStage::ALL": _run_all_stages({})}


def run(mutants: Sequence[Mutant], done: Callable[[Outcome], None] = lambda outcome: None) -> list[Outcome]:
    """The outcome of each mutant, in order; ``done`` is told of each as it comes."""

    def one(mutant: Mutant) -> Outcome:
        outcome = _run_one(mutant)
        done(outcome)
        return outcome

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(one, mutants))


def _run_one(mutant: Mutant) -> Outcome:
    change = {mutant.path: mutant.text}
    concerned = [subject for subject in subjects() if subject.has(mutant.path)]
    hazards: dict[str, list[Hazard]] = {}
    try:
        for group in ([s for s in concerned if s.example], [s for s in concerned if not s.example]):
            if group and not any(hazards.values()):
                hazards |= _run_subjects(change, group)
        if mutant.path in framework() and not any(hazards.values()):
            hazards["VisitStage::ALL"] = _run_all_stages(change)
    except toolchain.CompileFailure as failure:
        return Outcome(mutant, {}, str(failure))
    return Outcome(mutant, hazards)


def _run_subjects(change: Mapping[str, str], concerned: Sequence[Subject]) -> dict[str, list[Hazard]]:
    plans = [subject.plan for subject in concerned]
    headers = {f"{subject.name}.hpp": subject.header for subject in concerned}
    program = _compile(harness.source(plans), {**framework(), **headers, **change})
    found = {}
    for plan in plans:
        with tempfile.TemporaryDirectory() as scratch:
            directory = Path(scratch)
            given = harness.operands(plan, SHAPE, seed=0, data="int")
            harness.write_operands(plan, SHAPE, given, directory, null=harness.nullable(plan))
            (directory / "out").mkdir()
            arguments = [plan.name, *map(str, (*SHAPE, 0)), str(directory), str(directory / "out")]
            found[plan.name] = _hazards(program, arguments, directory / "report.json")
    return found


def _run_all_stages(change: Mapping[str, str]) -> list[Hazard]:
    program = _compile(ALL_STAGES.read_text(encoding="utf-8"), {**framework(), **change})
    with tempfile.TemporaryDirectory() as scratch:
        return _hazards(program, ["all"], Path(scratch) / "report.json")


def _compile(main: str, headers: Mapping[str, str]) -> Path:
    flags = ["-DCATLASS_ARCH=2201", "-O0"]
    compiler = toolchain.find_compiler()
    return toolchain.compile_program(compiler, main, headers, extra_flags=flags, system=include_roots(None)).path


def _hazards(program: Path, arguments: Sequence[str], report: Path) -> list[Hazard]:
    settings = {
        **os.environ,
        "EVTGEN_MODEL_REPORT": str(report),
        "EVTGEN_MODEL_STRICT": "1",
        "EVTGEN_MODEL_CORES": str(CORES),
    }
    command = [str(program), *arguments]
    done = subprocess.run(command, env=settings, capture_output=True, text=True, check=False, timeout=TIMEOUT)
    if not report.exists():
        raise RuntimeError(f"the model wrote no report: {done.stderr}")
    hazards: list[Hazard] = json.loads(report.read_text(encoding="utf-8"))["hazards"]
    return hazards
