"""Epilogues on the clock: the authors' headers against ours, one program. Aims: 1.0; 0.75 at depth 12, 0.9 for rows.

``EVTGEN_AUTHORS`` names checkouts of theirs, separated as in PATH; without it nothing is compared. Kernels are timed
with their matmul, of several K; one shape also with half and double of each constant of the clock that is assumed. Only
the clock runs, but for a first launch of each, in which both must get the same. Their tiles have the length that is
asked for, so theirs are timed with several, the longest that fit among them, and the fastest counts, another for each
epilogue and shape. Ours take the length and the workspace that the framework chooses.
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
from evtgen.graph.shapes import Shape
from evtgen.measure.clock import assumed
from evtgen.options import CpuOptions
from evtgen.pipeline.program import Outcome, Program
from evtgen.pipeline.program import run as run_program

from . import clock

VARIABLE = "EVTGEN_AUTHORS"
PROGRAM = Path(__file__).with_name("epilogues.cpp")
EPILOGUES = ("copy", "add", "cast", "topo", "row reduction", "chain of 3", "chain of 6", "chain of 12", "DAG of 12")
"""In the order of the program's launches."""

DEPTHS = (64, 1024, 4096)
SHAPES = ((87, 198), (256, 512), (1024, 4096), (4096, 4096))
SCALED: Shape = (1024, 4096, 64)
"""With other constants."""
FACTORS = (0.5, 2.0)
ASSUMED = assumed("AtlasA2")
SAME: Shape = (256, 512, 64)
"""The shape at which both must get the same: everything divides, so theirs are right."""

LONGEST = 1 << 16
LENGTHS = (*range(2048, 8193, 1024), LONGEST)
"""Elements of their tiles, whole rows of a block of 256 columns; more than fit stands for as many as fit."""

AIMS = {"row reduction": 0.9, "chain of 12": 0.75, "DAG of 12": 0.75}


@dataclass(frozen=True)
class Row:
    """One epilogue at one shape, in modelled cycles: theirs by length of tile, and ours."""

    epilogue: str
    shape: Shape
    theirs: Mapping[int, int]
    ours: int
    scaled: tuple[float, ...] = ()
    """The ratio with each of the other constants."""

    @property
    def fastest(self) -> int:
        """The length at which theirs are fastest."""
        return min(self.theirs, key=lambda length: self.theirs[length])

    @property
    def ratio(self) -> float:
        """Of ours to the fastest of theirs."""
        return self.ours / self.theirs[self.fastest]

    def __str__(self) -> str:
        size = " x ".join(map(str, self.shape))
        length = "longest" if self.fastest == LONGEST else f"{self.fastest}"
        between = f"  scaled {min(self.scaled):.3f} to {max(self.scaled):.3f}" if self.scaled else ""
        missed = "" if self.ratio <= AIMS.get(self.epilogue, 1.0) else "  missed"
        return (
            f"{self.epilogue:13}  {size:>18}  theirs, longest tile {self.theirs[LONGEST]:>7,}, fastest "
            f"{self.theirs[self.fastest]:>7,} ({length:>7})  ours {self.ours:>7,}  ratio "
            f"{self.ours / self.theirs[LONGEST]:.3f}, {self.ratio:.3f}{missed}{between}"
        )


def run() -> Iterator[str]:
    """One table per checkout."""
    trees = [Path(part) for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part]
    if not trees:
        yield f"{VARIABLE} is not set: it names checkouts with the authors' framework; nothing is compared"
    for tree in trees:
        yield f"{tree.name}, cycles of the whole kernel; scaled: half and double of {', '.join(ASSUMED)}"
        for row in compare(tree):
            yield str(row)


def compare(tree: Path) -> list[Row]:
    """Their headers in ``tree`` against ours before them. Raises EvtgenError where one does not compile, and ends the
    process where they do not get the same, or ours have a finding."""
    with tempfile.TemporaryDirectory() as scratch:
        for name, text in framework_files(Framework(replaces=True)).items():
            path = Path(scratch, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        programs = {
            length: CpuOptions(catlass=tree, cxx="clang++", define=(f"EVT_MOST={length}",)) for length in LENGTHS
        }
        own = replace(programs[LONGEST], include=(Path(scratch),))
        _require_same(launched(programs[LONGEST], [SAME], computes=True), launched(own, [SAME], computes=True))
        shapes = [(*shape, k) for k in DEPTHS for shape in SHAPES]
        theirs = {length: cycles(program, shapes) for length, program in programs.items()}
        ours = cycles(own, shapes)
        rows = [
            Row(epilogue, shape, {length: of[index] for length, of in theirs.items()}, ours[index])
            for index, (shape, epilogue) in enumerate(product(shapes, EPILOGUES))
        ]
        rows = _scaled(rows, programs, own)
    return sorted(rows, key=lambda row: EPILOGUES.index(row.epilogue))


def _scaled(rows: Sequence[Row], programs: Mapping[int, CpuOptions], own: CpuOptions) -> list[Row]:
    """The rows of :data:`SCALED` with the ratios that other constants give, their tiles as long as before."""
    ratios: dict[str, list[float]] = {name: [] for name in EPILOGUES}
    fastest = {row.epilogue: row.fastest for row in rows if row.shape == SCALED}
    for constant, factor in product(ASSUMED, FACTORS):
        with clock.scaled(constant, factor):
            theirs = {length: cycles(programs[length], [SCALED]) for length in set(fastest.values())}
            ours = cycles(own, [SCALED])
        for index, (name, length) in enumerate(fastest.items()):
            ratios[name].append(ours[index] / theirs[length][index])
    return [replace(row, scaled=tuple(ratios[row.epilogue])) if row.shape == SCALED else row for row in rows]


def launched(options: CpuOptions, shapes: Sequence[Shape], *, computes: bool) -> Outcome:
    """The program's end. Unless it ``computes``, only the clock runs."""
    sizes = [str(size) for shape in shapes for size in shape]
    with nullcontext() if computes else clock.only_the_clock():
        done = run_program(Program(PROGRAM, ("1" if computes else "0", *sizes), capture=True, options=options))
    if done.status or done.diagnostics or done.launches != len(shapes) * len(EPILOGUES):
        raise SystemExit(f"{PROGRAM.name} did not come to its end:\n{done.stderr}{done.diagnostics}")
    return done


def cycles(options: CpuOptions, shapes: Sequence[Shape]) -> list[int]:
    """Of each launch, shape after shape."""
    return [int(launch["makespan"]) for launch in launched(options, shapes, computes=False).stats["launches"]]


def _require_same(theirs: Outcome, ours: Outcome) -> None:
    sums = [[line.split(",")[0] for line in done.stdout.splitlines()] for done in (theirs, ours)]
    if sums[0] != sums[1]:
        raise SystemExit(f"the two frameworks do not get the same:\n{theirs.stdout}{ours.stdout}")
    if ours.hazards:
        raise SystemExit(f"ours have findings: {sorted({hazard['code'] for hazard in ours.hazards})}")
