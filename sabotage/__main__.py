"""Runs every mutant: ``python -m sabotage [--arch Ascend950]``. Fails if one gets away.

The summary goes into docs/sabotage.md, the table of all mutants into build/sabotage/.
"""

from __future__ import annotations

import argparse
import sys

from evtgen.model.toolchain import find_compiler, machine_library
from evtgen.report.console import clear, progress
from evtgen.system.progress import Steps

from .mutants import mutants
from .page import keep, summary, table
from .run import Outcome, intact, run
from .subjects import ASCEND950, ATLAS_A2


def wrong(outcome: Outcome) -> str | None:
    """The reason why an outcome is wrong; None if it is right."""
    if outcome.problem is not None:
        return f"does not compile: {outcome.problem.splitlines()[0]}"
    if outcome.mutant.harmless is not None:
        return "is said to be no fault, but is flagged" if outcome.flagged else None
    return None if outcome.flagged else "is not flagged"


def architecture() -> str:
    """The architecture that the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m sabotage",
        description="Run every mutant of the emitted code and write the summary in docs/sabotage.md.",
        epilog="Exit status: 0 each is flagged or known to be no fault, 1 one is not, 2 wrong arguments.",
    )
    parser.add_argument(
        "--arch",
        choices=(ATLAS_A2, ASCEND950),
        default=ATLAS_A2,
        help="the architecture that they are compiled for; default: %(default)s",
    )
    arch: str = parser.parse_args().arch
    return arch


def main() -> int:
    """Run them; returns the exit status."""
    arch = architecture()
    show = progress()
    machine_library(find_compiler(), show)
    show("running the unchanged text")
    if any(intact(arch).values()):
        clear()
        print("the text as emitted is not clean: run evtgen verify --strict", file=sys.stderr)
        return 1
    steps = Steps(show, "{count} of {of} mutants: {name}", len(mutants(arch)))

    def tell(outcome: Outcome) -> None:
        reason = wrong(outcome)
        if reason is not None:
            clear()
            print(f"{outcome.mutant.name} `{outcome.mutant.shown}` {reason}", file=sys.stderr, flush=True)
        steps.next(outcome.mutant.name)

    outcomes = run(mutants(arch), tell)
    clear()
    bad = sum(wrong(outcome) is not None for outcome in outcomes)
    if not bad:
        keep(arch, summary(mutants(arch), arch), table(outcomes, arch))
    print(f"{len(outcomes)} mutants, {sum(o.flagged for o in outcomes)} flagged, {bad} not as they must be")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
