"""Epilogues on the clock: the authors' headers against ours, one program. Aims: 1.0; 0.75 at depth 12, 0.9 for rows.

``EVTGEN_AUTHORS`` names checkouts of theirs, separated as in PATH; without it nothing is compared. Kernels are timed
with their matmul, K = 64. Only the clock runs, but for a first launch of each, in which both must get the same. Their
tiles have the length that is asked for, so theirs are timed with several, the longest that fit among them, and the
fastest counts, another for each epilogue and shape. Ours take the length and the workspace that the framework chooses.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path

from evtgen.emit.framework import Framework
from evtgen.emit.render import framework_files
from evtgen.options import CpuOptions
from evtgen.pipeline.program import Outcome, Program
from evtgen.pipeline.program import run as run_program

from . import clock

VARIABLE = "EVTGEN_AUTHORS"
PROGRAM = Path(__file__).with_name("epilogues.cpp")
EPILOGUES = ("add", "cast", "topo", "row reduction", "chain of 3", "chain of 6", "chain of 12", "DAG of 12")
"""In the order of the program's launches."""

K = 64
SHAPES = ((87, 198), (256, 512), (1024, 4096), (4096, 4096))
SAME = (256, 512)
"""The shape at which both must get the same: everything divides, so theirs are right."""

LONGEST = 1 << 16
LENGTHS = (*range(2048, 8193, 1024), LONGEST)
"""Elements of their tiles, whole rows of a block of 256 columns; more than fit stands for as many as fit."""

AIMS = {"row reduction": 0.9, "chain of 12": 0.75, "DAG of 12": 0.75}


@dataclass(frozen=True)
class Row:
    """One epilogue at one shape, in modelled cycles: theirs by length of tile, and ours."""

    epilogue: str
    shape: tuple[int, int]
    theirs: Mapping[int, int]
    ours: int

    @property
    def fastest(self) -> int:
        """The length at which theirs are fastest."""
        return min(self.theirs, key=lambda length: self.theirs[length])

    @property
    def ratio(self) -> float:
        """Of ours to the fastest of theirs."""
        return self.ours / self.theirs[self.fastest]

    def __str__(self) -> str:
        size = f"{self.shape[0]} x {self.shape[1]}"
        length = "longest" if self.fastest == LONGEST else f"{self.fastest}"
        missed = "" if self.ratio <= AIMS.get(self.epilogue, 1.0) else "  missed"
        return (
            f"{self.epilogue:13}  {size:>11}  theirs, longest tile {self.theirs[LONGEST]:>7,}, fastest "
            f"{self.theirs[self.fastest]:>7,} ({length:>7})  ours {self.ours:>7,}  ratio "
            f"{self.ours / self.theirs[LONGEST]:.3f}, {self.ratio:.3f}{missed}"
        )


def run() -> Iterator[str]:
    """One table per checkout."""
    trees = [Path(part) for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part]
    if not trees:
        yield f"{VARIABLE} is not set: it names checkouts with the authors' framework; nothing is compared"
    for tree in trees:
        yield f"{tree.name}, K = {K}, cycles of the whole kernel"
        for row in compare(tree):
            yield str(row)


def compare(tree: Path) -> list[Row]:
    """Their headers in ``tree`` against ours before them. Raises EvtgenError where one does not compile, and ends the
    process where they do not get the same, or ours have a finding."""
    with tempfile.TemporaryDirectory() as scratch:
        for name, text in framework_files(Framework()).items():
            path = Path(scratch, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        programs = {
            length: CpuOptions(catlass=tree, cxx="clang++", define=(f"EVT_MOST={length}",)) for length in LENGTHS
        }
        own = replace(programs[LONGEST], include=(Path(scratch),))
        _require_same(launched(programs[LONGEST], [SAME], computes=True), launched(own, [SAME], computes=True))
        theirs = {length: cycles(program) for length, program in programs.items()}
        ours = cycles(own)
    rows = []
    for index, (shape, epilogue) in enumerate(product(SHAPES, EPILOGUES)):
        rows.append(Row(epilogue, shape, {length: of[index] for length, of in theirs.items()}, ours[index]))
    return sorted(rows, key=lambda row: EPILOGUES.index(row.epilogue))


def launched(options: CpuOptions, shapes: Sequence[tuple[int, int]], *, computes: bool) -> Outcome:
    """The program's end. Unless it ``computes``, only the clock runs."""
    sizes = [str(size) for shape in shapes for size in (*shape, K)]
    with nullcontext() if computes else clock.only_the_clock():
        done = run_program(Program(PROGRAM, ("1" if computes else "0", *sizes), capture=True, options=options))
    if done.status or done.diagnostics or done.launches != len(shapes) * len(EPILOGUES):
        raise SystemExit(f"{PROGRAM.name} did not come to its end:\n{done.stderr}{done.diagnostics}")
    return done


def cycles(options: CpuOptions) -> list[int]:
    """Of each launch, shape after shape."""
    return [int(launch["makespan"]) for launch in launched(options, SHAPES, computes=False).stats["launches"]]


def _require_same(theirs: Outcome, ours: Outcome) -> None:
    sums = [[line.split(",")[0] for line in done.stdout.splitlines()] for done in (theirs, ours)]
    if sums[0] != sums[1]:
        raise SystemExit(f"the two frameworks do not get the same:\n{theirs.stdout}{ours.stdout}")
    if ours.hazards:
        raise SystemExit(f"ours have findings: {sorted({hazard['code'] for hazard in ours.hazards})}")
