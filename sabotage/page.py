"""What is kept of a run: a summary by rule in docs/sabotage.md, and the table of every mutant in build/sabotage/."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from pathlib import Path

from .findings import Hazard
from .mutants import Mutant
from .run import Outcome
from .subjects import CHECKOUT, framework, subjects

PAGE = CHECKOUT / "docs" / "sabotage.md"
"""The page with the summaries."""

TABLES = CHECKOUT / "build" / "sabotage"
"""Where the tables of every mutant are written. The site has them if they are there."""

FULLY = 3
"""The number of codes of a mutant that are shown with their call sites."""


def keep(name: str, rows: str, table: str) -> None:
    """Put the rows of a summary in their place in docs/sabotage.md, and write the whole table.

    Raises ValueError if the page has no place of this name.
    """
    text, put = re.subn(rf"(?s)(<!-- {name} -->\n).*?(<!-- end -->)", lambda m: m[1] + rows + m[2], _page())
    if not put:
        raise ValueError(f"{PAGE.name} has no place for {name}")
    PAGE.write_text(text, encoding="utf-8")
    TABLES.mkdir(parents=True, exist_ok=True)
    (TABLES / f"{name}.md").write_text(table, encoding="utf-8")


def kept(name: str) -> str:
    """The rows of a summary in docs/sabotage.md."""
    found = re.search(rf"(?s)<!-- {name} -->\n(.*?)<!-- end -->", _page())
    return found[1] if found else ""


def _page() -> str:
    return PAGE.read_text(encoding="utf-8")


def made(arch: str) -> str:
    """A digest of the text that is broken: a summary with another is that of an earlier text."""
    headers = {f"{subject.name}.hpp": subject.header for subject in subjects(arch)}
    text = "".join(f"{path}\n{content}" for path, content in sorted({**framework(), **headers}.items()))
    return f"Made from text with digest {hashlib.sha256(text.encode()).hexdigest()[:12]}.\n"


def summary(mutants: Sequence[Mutant], arch: str) -> str:
    """The summary of a run in which each mutant was as it must be: a row for the rules of one name."""
    by_name: dict[str, list[Mutant]] = {}
    for mutant in mutants:
        by_name.setdefault(mutant.rule.name, []).append(mutant)
    rows = [_counts(f"{name}: {of[0].rule.what}", of) for name, of in by_name.items()]
    head = "\n| change, and an example of it | mutants | flagged | no faults |\n|---|---|---|---|\n"
    return f"{head}{''.join(rows)}{_counts('**all**', mutants)}\n{made(arch)}"


def _counts(what: str, mutants: Sequence[Mutant]) -> str:
    faults = sum(mutant.harmless is None for mutant in mutants)
    return f"| {what} | {len(mutants)} | {faults} | {len(mutants) - faults} |\n"


def table(outcomes: Sequence[Outcome], arch: str) -> str:
    """The page of every mutant of an architecture."""
    head = f"# Sabotage for {arch}\n\n| mutant | at | change | found in | found as |\n|---|---|---|---|---|\n"
    return head + "".join(f"{_row(outcome)}\n" for outcome in outcomes)


def _row(outcome: Outcome) -> str:
    mutant = outcome.mutant
    place = f"`{Path(mutant.path).name}:{mutant.line}`<br>`{_cell(mutant.shown)}`"
    if mutant.harmless is not None:
        return f"| {mutant.rule.name} | {place} | {mutant.rule.what} | – | no fault: {mutant.harmless} |"
    where = ", ".join(name for name, hazards in outcome.hazards.items() if hazards)
    return f"| {mutant.rule.name} | {place} | {mutant.rule.what} | {where} | {_findings(outcome)} |"


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
