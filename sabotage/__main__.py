"""Runs every mutant and writes docs/sabotage.md: ``python -m sabotage``. Fails if one gets away."""

from __future__ import annotations

import argparse
import sys

from evtgen.model.toolchain import find_compiler, machine_library
from evtgen.report.console import clear, progress
from evtgen.system.progress import Steps

from .mutants import mutants
from .page import page
from .run import Outcome, intact, run
from .subjects import CHECKOUT


def wrong(outcome: Outcome) -> str | None:
    """The reason why an outcome is wrong; None if it is right."""
    if outcome.problem is not None:
        return f"does not compile: {outcome.problem.splitlines()[0]}"
    if outcome.mutant.harmless is not None:
        return "is said to be no fault, but is flagged" if outcome.flagged else None
    return None if outcome.flagged else "is not flagged"


def main() -> int:
    """Run them; returns the exit status."""
    argparse.ArgumentParser(
        prog="python -m sabotage",
        description="Run every mutant of the emitted code and write docs/sabotage.md.",
        epilog="Exit status: 0 each is flagged or known to be no fault, 1 one is not, 2 wrong arguments.",
    ).parse_args()
    show = progress()
    machine_library(find_compiler(), show)
    show("running the unchanged text")
    if any(intact().values()):
        clear()
        print("the text as emitted is not clean: run evtgen verify --strict", file=sys.stderr)
        return 1
    steps = Steps(show, "{count} of {of} mutants: {name}", len(mutants()))

    def tell(outcome: Outcome) -> None:
        reason = wrong(outcome)
        if reason is not None:
            clear()
            print(f"{outcome.mutant.name} `{outcome.mutant.shown}` {reason}", file=sys.stderr, flush=True)
        steps.next(outcome.mutant.name)

    outcomes = run(mutants(), tell)
    clear()
    (CHECKOUT / "docs" / "sabotage.md").write_text(page(outcomes), encoding="utf-8")
    bad = sum(wrong(outcome) is not None for outcome in outcomes)
    print(f"{len(outcomes)} mutants, {sum(o.flagged for o in outcomes)} flagged, {bad} not as they must be")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
