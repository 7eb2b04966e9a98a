"""Runs every mutant and writes docs/sabotage.md: ``python -m sabotage``. Fails if one gets away."""

from __future__ import annotations

import sys
from collections import Counter

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
    if any(intact().values()):
        print("the text as emitted is not clean: run evtgen verify --strict", file=sys.stderr)
        return 1
    done = Counter[str]()

    def tell(outcome: Outcome) -> None:
        done["mutants"] += 1
        reason = wrong(outcome)
        if reason is not None:
            print(f"{outcome.mutant.name} `{outcome.mutant.shown}` {reason}", file=sys.stderr, flush=True)
        elif done["mutants"] % 20 == 0:
            print(f"{done['mutants']} of {len(mutants())} mutants", file=sys.stderr, flush=True)

    outcomes = run(mutants(), tell)
    (CHECKOUT / "docs" / "sabotage.md").write_text(page(outcomes), encoding="utf-8")
    bad = sum(wrong(outcome) is not None for outcome in outcomes)
    print(f"{len(outcomes)} mutants, {sum(o.flagged for o in outcomes)} flagged, {bad} not as they must be")
    return 1 if bad else 0


sys.exit(main())
