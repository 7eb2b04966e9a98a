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

from .numbers_kept import run
from .numbers_page import NAME, summary, table
from .numbers_run import Report, epilogues
from .page import keep


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
        for fault in report.faults:
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
