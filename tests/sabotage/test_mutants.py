"""docs/sabotage.md is in step with the mutants, and a sample of them is flagged. ``make sabotage`` runs them all."""

from __future__ import annotations

from sabotage.mutants import Mutant, mutants, sample
from sabotage.page import entry, listed
from sabotage.run import intact, run

from ..support.paths import CHECKOUT

SAMPLE = 12


def faults() -> list[Mutant]:
    return [mutant for mutant in mutants() if mutant.harmless is None]


def test_the_page_lists_every_mutant() -> None:
    """`make sabotage` rewrites the page."""
    page = (CHECKOUT / "docs" / "sabotage.md").read_text(encoding="utf-8")
    assert listed(page) == [entry(mutant) for mutant in mutants()]


def test_there_are_enough() -> None:
    assert len(faults()) >= 60
    assert len({(m.name, m.text) for m in mutants()}) == len(mutants())


def test_what_is_emitted_is_clean() -> None:
    assert not any(intact().values())


def test_a_sample_is_flagged() -> None:
    for outcome in run(sample(faults(), SAMPLE)):
        assert outcome.problem is None, outcome.mutant.name
        assert outcome.flagged, outcome.mutant.name
