"""docs/sabotage.md and docs/sabotage-ascend950.md: every mutant and the CPU model's findings."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from evtgen.operators.table import OPERATORS

from .mutants import Mutant
from .run import SETTINGS, Hazard, Outcome
from .subjects import ASCEND950, ATLAS_A2, CHECKOUT, SHAPE, subjects

PAGES = {ATLAS_A2: CHECKOUT / "docs" / "sabotage.md", ASCEND950: CHECKOUT / "docs" / "sabotage-ascend950.md"}
"""The page of each architecture that has one."""

FULLY = 3
"""The number of codes of a mutant that are shown with their call sites."""

_HEAD = """# {title}

The emitted code of the examples for {arch} ([{other}]({page})), broken on purpose: {count} mutants, each one
change at one place of the emitted text, made by the rules in `sabotage/mutants.py`. Each is compiled into those of the
four examples that contain its place and run on the CPU model, strictly, at {shape} on {cores} cube cores. Code that the
examples do not reach is tested with {others} others ({names}), which with one buffer are also visited with
`VisitStage::ALL`.

One template emits the operators, so some represent all: {operators}, and one that a user declares.

**{flagged} are flagged by the checker**, with the codes below or because C++ refuses the plan of a tile,
without comparing any results. {harmless} are not faults; the table gives the reasons. The codes are explained in
[the list](errors.md#faults-that-the-cpu-model-finds).

`make {target}` runs all of them and writes this page. It fails if a mutant is not flagged. Changes of the arithmetic,
which only the numbers can show, have [a page of their own](sabotage-numbers.md).

| mutant | at | change | found in | found as |
|---|---|---|---|---|
"""


def page(outcomes: Sequence[Outcome], arch: str) -> str:
    """The whole page, of an architecture."""
    harmless = sum(outcome.mutant.harmless is not None for outcome in outcomes)
    others = [subject.name for subject in subjects(arch) if not subject.example]
    m, n, k = SHAPE
    other = next(name for name in PAGES if name != arch)
    head = _HEAD.format(
        title="Sabotage" if arch == ATLAS_A2 else f"Sabotage for {arch}",
        arch=arch,
        other=f"those for {other}",
        page=PAGES[other].name,
        target=PAGES[arch].stem,
        count=len(outcomes),
        others=len(others),
        names=_names(others),
        operators=_names(sorted({o.mutant.struct for o in outcomes if o.mutant.struct in OPERATORS})),
        shape=f"{m} x {n} x {k}",
        cores=SETTINGS.cores,
        flagged=sum(outcome.flagged for outcome in outcomes),
        harmless=harmless,
    )
    return head + "".join(f"{_row(outcome)}\n" for outcome in outcomes)


def _names(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def listed(text: str) -> list[tuple[str, str]]:
    """The (mutant, text that it changes) of each row of a page."""
    return re.findall(r"^\| ([\w-]+) \| `[\w.]+:\d+`<br>`(.*?)` \|", text, re.MULTILINE)


def entry(mutant: Mutant) -> tuple[str, str]:
    """The row of a mutant, as :func:`listed` reads it."""
    return mutant.rule.name, _cell(mutant.shown)


def _row(outcome: Outcome) -> str:
    mutant = outcome.mutant
    name, shown = entry(mutant)
    place = f"`{Path(mutant.path).name}:{mutant.line}`<br>`{shown}`"
    if mutant.harmless is not None:
        return f"| {name} | {place} | {mutant.rule.what} | – | no fault: {mutant.harmless} |"
    where = ", ".join(name for name, hazards in outcome.hazards.items() if hazards)
    return f"| {name} | {place} | {mutant.rule.what} | {where} | {_findings(outcome)} |"


def _findings(outcome: Outcome) -> str:
    """The codes in order, the first of them with their call sites."""
    if outcome.refused:
        return "the plan is refused"
    by_code: dict[str, Hazard] = {}
    for hazards in outcome.hazards.values():
        for hazard in hazards:
            by_code.setdefault(hazard["code"], hazard)
    texts = [f"**{code}** {_sites(by_code[code])}" for code in sorted(by_code)[:FULLY]]
    if rest := sorted(by_code)[FULLY:]:
        texts.append(" ".join(rest))
    return "<br>".join(texts)


def _sites(hazard: Hazard) -> str:
    sites = [f"{site['call']} `{Path(site['file']).name}:{site['line']}`" for site in hazard["sites"]]
    return " against ".join(sites)


def _cell(text: str) -> str:
    """Text for a table: one line of at most 80 characters, no bars."""
    text = text.replace("|", "/")
    return text if len(text) <= 80 else text[:77] + "..."
