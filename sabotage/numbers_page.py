"""docs/sabotage-numbers.md: every epilogue's mutants of numbers, and by which data they are caught."""

from __future__ import annotations

import hashlib
import re
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
from .subjects import CHECKOUT, Subject, framework

PAGE = CHECKOUT / "docs" / "sabotage-numbers.md"

WHAT = {
    "factor": "a vector result times 1.01; a whole number, the next one",
    "constant": "a constant with another third digit; a whole number, the next one",
    "swap": "the operands of `Sub`, `Div` or a comparison swapped",
    "exchange": "another call: `Add` for `Sub`, `Max` for `Min`, `Mul` for `Div`, `Adds` for `Muls`, `Abs` for `Relu`, "
    "`GE` for `GT`, `And` for `Or`, a sum for a maximum, and the other way round; no slope, no function at all; "
    "of several matmuls, what counts for one and what for all",
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

_HEAD = """# Sabotage of numbers

The arithmetic of what is emitted for the examples, the gallery, and two epilogues of several matmuls with every kind of
tensor, changed a little, one place at a time: {count} mutants of {epilogues} epilogues. Each runs at the shapes that
`evtgen verify` takes by default with the data that it takes by default, and with the tensors that it lets matmuls
share, and is compared as it compares: **by the numbers alone**, with the bounds and the judged share of a user's run,
without a look at hazards. (Those are what [the other sabotage](sabotage.md) is about.)

At each shape a mutant is caught by whole numbers (*int*) or, if not by them, by normally distributed ones (*normal*);
or no output differs in a bit with either, and [the reason](#what-changes-nothing) is known; or the shape does
not reach the place. {caught} times a mutant is caught, {same} times it changes nothing, {unreached} times its place
is not reached. **{escaped} escape.**

A place is a line of the text, run by one node of the graph; a line that one node runs several times, with the
coefficients of a polynomial say, is as many places. All mutants of an epilogue are one program: its text is emitted as
always, every call in it is replaced by a switch (`sabotage/numbers.hpp`), and a variable says at run time which of them
is thrown.

`make sabotage-numbers` runs all of them and writes this page. It fails if one escapes.

| kind | what it does |
|---|---|
"""

_COARSE = """
Where the type of the result, or of each output that differs, has so few digits (half, bfloat16, whole numbers) that a
hundredth can be within the bound, the factor is 1.25 then, and a constant changes by a quarter of its first digit.
These are counted as *coarse*.

## Caught

"""

_NOTHING = """
## What changes nothing

At the shapes named, no output differs in a bit with either data, but for the sign of zeros. Where a reason can be tried
out by another change at the same place, it has been.

| because | mutants |
|---|---|
"""

_MADE = """
## Made from

The places that an epilogue's text has for mutants, and a digest of these and of its graph. When they are others, the
page is out of date.

| epilogue | places | digest |
|---|---|---|
"""


def page(reports: Sequence[Report]) -> str:
    """The whole page."""
    outcomes = [o for report in reports for by_shape in report.outcomes.values() for o in by_shape.values()]
    caught = sum(o.caught is not None for o in outcomes)
    unreached = sum(not o.reached for o in outcomes)
    same = sum(o.reason is not None for o in outcomes)
    head = _HEAD.format(
        count=sum(len(report.outcomes) for report in reports),
        epilogues=len(reports),
        caught=caught,
        same=same,
        unreached=unreached,
        escaped=len(outcomes) - caught - same - unreached,
    )
    shapes = " | ".join(" x ".join(map(str, shape)) for shape in DEFAULT_SHAPES)
    columns = f"| epilogue | kind | mutants | {shapes} |\n|---|---|---|{'---|' * len(DEFAULT_SHAPES)}\n"
    return "".join(
        [
            head,
            *(f"| {kind} | {what} |\n" for kind, what in WHAT.items()),
            _COARSE,
            columns,
            *(line for report in reports for line in _rows(report)),
            _NOTHING,
            *_reasons(reports),
            _MADE,
            *(_made(report.epilogue) for report in reports),
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


def _made(name: str) -> str:
    places, digest = made(epilogues()[name])
    return f"| {name} | {places} | {digest} |\n"


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


def made(epilogue: Epilogue) -> tuple[int, str]:
    """How many places an epilogue's text has for mutants, and a digest of them and of its nodes and graph."""
    plan = lower(epilogue)
    emitted = epilogue_files(plan, Framework())
    header = emitted[f"{plan.name}.hpp"]
    subject = Subject(plan, header, example=False)
    places = [
        f"{Path(site.path).name}: {site.call} {site.shown} {' '.join(site.kinds)}"
        for site in switched(plan, {**framework(), **emitted}).sites
        if site.path == "harness.cpp" or subject.has(site.path, site.struct)
    ]
    graph = header[header.index("// The nodes") : header.index("// Elements of a tile")]
    return len(places), hashlib.sha256("\n".join([*places, graph]).encode()).hexdigest()[:12]


def listed(text: str) -> dict[str, tuple[int, str]]:
    """The number of places and the digest of each epilogue of a page."""
    rows = re.findall(r"^\| (\w+) \| (\d+) \| ([0-9a-f]{12}) \|$", text, re.MULTILINE)
    return {name: (int(count), letters) for name, count, letters in rows}
