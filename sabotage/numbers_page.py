"""What is kept of a run of the mutants of numbers: a summary by kind, and the table of every epilogue."""

from __future__ import annotations

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files
from evtgen.graph.ir import Epilogue
from evtgen.graph.shapes import Shape
from evtgen.planner.plan import lower
from evtgen.verify import DEFAULT_SHAPES

from .numbers_run import SIZES, Outcome, Report, epilogues
from .numbers_text import Mutant, switched
from .subjects import Subject, framework

NAME = "numbers"
"""The name of the summary in docs/sabotage.md, and of the table."""

WHAT = {
    "factor": "a vector result times 1.01; a whole number, the next one",
    "constant": "a constant with another third digit; a whole number, the next one",
    "swap": "the operands of `Sub`, `Div` or a comparison swapped",
    "exchange": "another call: `Add` for `Sub`, `Max` for `Min`, `Mul` for `Div`, `Adds` for `Muls`, `Abs` for `Relu`, "
    "`GE` for `GT`, `And` for `Or`, a sum for a maximum, and the other way round; no slope, no function at all; "
    "the other of two patterns or modes; of several matmuls, what counts for one and what for all",
    "invert": "a mask turned round, where it is made or where it is read",
    "rounding": "a cast that truncates; one that does, to nearest",
    "last-row": "the last row left out: of a tile when it is stored, of the last tile of a core, of weights "
    "that are cast",
    "last-column": "the last column left out, likewise",
    "last-tile": "the last tile of each core left out",
    "last-block": "the last block left out",
    "row-off": "an operand read one row off",
    "column-off": "an operand read one column off; of a vector, one value",
    "identity": "a reduction that starts from what is not its identity",
    "lane": "the last lane of each repeat missing in a reduction",
    "step": "the last row or part missing in a reduction; of several matmuls, one element, row or block fewer",
    "neighbour": "a scalar or tensor taken from its neighbour; of several matmuls, a block from the one before",
    "first": "of several matmuls, where something begins for the first, for all",
}


def summary(reports: Sequence[Report]) -> str:
    """A row for each kind, counted over all epilogues and shapes, and what the run was made from."""
    rows = ["\n| kind | what it does | mutants | caught | nothing changes | not reached |\n|---|---|---|---|---|---|\n"]
    for kind, what in {**WHAT, "**all**": ""}.items():
        found = [of for r in reports for m, of in r.outcomes.items() if m.kind == kind or kind not in WHAT]
        each = [outcome for by_shape in found for outcome in by_shape.values()]
        caught, same = sum(o.caught is not None for o in each), sum(o.reason is not None for o in each)
        rows.append(f"| {kind} | {what} | {len(found)} | {caught} | {same} | {len(each) - caught - same} |\n")
    return "".join([*rows, "\n", made([epilogues()[report.epilogue] for report in reports])])


def table(reports: Sequence[Report]) -> str:
    """The page of every epilogue's mutants: which data caught how many, and why the others changed nothing."""
    shapes = " | ".join(" x ".join(map(str, shape)) for shape in DEFAULT_SHAPES)
    return "".join(
        [
            "# Sabotage of numbers\n\n",
            f"| epilogue | kind | mutants | {shapes} |\n|---|---|---|{'---|' * len(DEFAULT_SHAPES)}\n",
            *(line for report in reports for line in _rows(report)),
            "\n## What changes nothing\n\n| because | mutants |\n|---|---|\n",
            *_reasons(reports),
        ]
    )


def _rows(report: Report) -> Iterator[str]:
    """A row for each kind."""
    for kind in WHAT:
        found = [by_shape for mutant, by_shape in report.outcomes.items() if mutant.kind == kind]
        if found:
            cells = (_cell(kind, [by_shape[shape] for by_shape in found]) for shape in DEFAULT_SHAPES)
            yield f"| {report.epilogue} | {kind} | {len(found)} | {' | '.join(cells)} |\n"


def _cell(kind: str, outcomes: Sequence[Outcome]) -> str:
    """How many are caught by which data, and what became of the others."""
    words = Counter[str]()
    for outcome in outcomes:
        if outcome.caught is not None:
            coarse = outcome.size != SIZES.get(kind, (outcome.size,))[0]
            words[f"{outcome.caught}{', coarse' if coarse else ''}"] += 1
        elif not outcome.reached:
            words["not reached"] += 1
        elif outcome.reason is not None:
            words["nothing"] += 1
        else:
            words["**escaped**"] += 1
    return "; ".join(f"{times} {word}" for word, times in sorted(words.items()))


def _reasons(reports: Iterable[Report]) -> Iterator[str]:
    """A row for each reason: its mutants, each with the epilogues and shapes."""
    found: dict[str, dict[str, dict[str, list[Shape]]]] = defaultdict(lambda: defaultdict(lambda: defaultdict(list)))
    for report in reports:
        for mutant, by_shape in report.outcomes.items():
            for shape, outcome in by_shape.items():
                if outcome.reason is not None:
                    shapes = found[outcome.reason][_shown(mutant)][report.epilogue]
                    shapes += [shape] if shape not in shapes else []
    for reason, mutants in found.items():
        entries = []
        for shown, where in mutants.items():
            at = ", ".join(f"{name} ({', '.join('x'.join(map(str, s)) for s in sh)})" for name, sh in where.items())
            entries.append(f"{shown}: {at}")
        yield f"| {reason} | {'<br>'.join(entries)} |\n"


def _shown(mutant: Mutant) -> str:
    text = mutant.site.shown.replace("|", "/")
    text = text if len(text) <= 70 else text[:67] + "..."
    return f"{mutant.kind} `{text}`"


def made(of: Iterable[Epilogue]) -> str:
    """The number of epilogues and of their places for mutants, and a digest of these and of the graphs: when they are
    others, the summary is out of date."""
    places = [line for epilogue in of for line in _places(epilogue)]
    digest = hashlib.sha256("\n".join(places).encode()).hexdigest()[:12]
    return f"Made from {len(places)} lines of text; digest {digest}.\n"


def _places(epilogue: Epilogue) -> list[str]:
    plan = lower(epilogue)
    emitted = epilogue_files(plan, Framework())
    header = emitted[f"{plan.name}.hpp"]
    subject = Subject(plan, header, example=False)
    places = [
        f"{Path(site.path).name}: {site.call} {site.shown} {' '.join(site.kinds)}"
        for site in switched(plan, {**framework(), **emitted}).sites
        if site.path == "harness.cpp" or subject.has(site.path, site.struct)
    ]
    return [*places, header[header.index("// The nodes") : header.index("// Elements of a tile")]]
