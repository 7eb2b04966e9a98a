"""Runs the mutants of all numbers: ``python -m sabotage.numbers [EPILOGUE ...]``. Fails if one escapes.

The summary goes into docs/sabotage.md, the table of all epilogues into build/sabotage/. With names it runs only these
and writes nothing.
"""

from __future__ import annotations

import argparse
import sys
import time

from evtgen.report.console import clear, progress
from evtgen.system.progress import Steps

from .numbers_page import NAME, summary, table
from .numbers_run import Outcome, Report, epilogues, run
from .page import keep


def escaped(outcome: Outcome) -> str | None:
    """Why an outcome is not as it must be; None if it is."""
    if outcome.error is not None:
        return f"cannot be run: {outcome.error.splitlines()[0]}"
    if outcome.caught is not None or not outcome.reached or outcome.reason is not None:
        return None
    return "changes nothing, and no reason is known" if outcome.identical else "is within the bounds"


def faults(report: Report) -> list[str]:
    """What is not as it must be with an epilogue's mutants."""
    if report.problem is not None:
        return [f"{report.epilogue}: {report.problem}"]
    return [
        f"{mutant.name}, at {'x'.join(map(str, shape))}: {why}"
        for mutant, outcomes in report.outcomes.items()
        for shape, outcome in outcomes.items()
        if (why := escaped(outcome)) is not None
    ]


def arguments() -> list[str]:
    """The epilogues that the command line names."""
    parser = argparse.ArgumentParser(
        prog="python -m sabotage.numbers",
        description="Run the mutants of all numbers and write the summary in docs/sabotage.md.",
        epilog="Exit status: 0 each shows in the numbers or is known to be no fault, 1 one is not, 2 wrong arguments.",
    )
    parser.add_argument(
        "names", nargs="*", metavar="EPILOGUE", help="an epilogue of the examples or the gallery: only these, no page"
    )
    names: list[str] = parser.parse_args().names
    for name in names:
        if name not in epilogues():
            parser.error(f"no such epilogue: {name} (choose from {', '.join(epilogues())})")
    return names


def main() -> int:
    """Run them; returns the exit status."""
    names = arguments()
    started = time.monotonic()
    chosen = names or list(epilogues())
    steps = Steps(progress(), "{count} of {of} epilogues: {name}", len(chosen))
    reports: dict[str, Report] = {}
    bad = 0
    for report in run(chosen):
        reports[report.epilogue] = report
        for fault in faults(report):
            bad += 1
            clear()
            print(fault, file=sys.stderr, flush=True)
        seconds = time.monotonic() - started
        steps.next(f"{report.epilogue}, {len(report.outcomes)} mutants ({seconds:.0f} s)")
    clear()
    if not names and not bad:
        done = [reports[name] for name in chosen]
        keep(NAME, summary(done), table(done))
    print(f"{sum(len(report.outcomes) for report in reports.values())} mutants, {bad} not as they must be")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
