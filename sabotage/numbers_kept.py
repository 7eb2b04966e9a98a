"""Reports of the mutants of numbers, from earlier runs where nothing that they depend on is another."""

from __future__ import annotations

import os
import pickle
import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

from evtgen.model import cache, toolchain
from evtgen.planner.plan import lower

from .findings import model
from .numbers_reasons import REASONS
from .numbers_run import Report, epilogues, run_one, text_of
from .subjects import CHECKOUT

KEPT = "report.pickle"
"""What is kept of an epilogue."""


class _Faulty(Exception):
    """A report with faults, which is not kept."""

    def __init__(self, report: Report) -> None:
        super().__init__(report.epilogue)
        self.report = report


def run(names: Sequence[str]) -> Iterator[Report]:
    """The reports of epilogues, each as it comes."""
    toolchain.machine_library(toolchain.find_compiler())
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for done in as_completed([pool.submit(report_of, name) for name in names]):
            yield done.result()


def report_of(name: str) -> Report:
    """The report of an epilogue. One without faults is kept until the epilogue's text, evtgen, the mutants or a reason
    that they may be given is another."""
    texts = text_of(lower(epilogues()[name]))
    reasons = [repr(reason) for reason in REASONS if re.fullmatch(reason.epilogue, name)]
    headers = [text for item in sorted(texts.headers.items()) for text in item]
    own = [CHECKOUT / "sabotage" / f"numbers_{part}.py" for part in ("run", "text")]
    files = [*sorted((CHECKOUT / "evtgen").rglob("*.py")), *own]
    key = cache.key([model(), toolchain.find_compiler().version, texts.main, *headers, *reasons], files)

    def build(at: Path) -> None:
        report = run_one(name)
        if report.faults:
            raise _Faulty(report)
        (at / KEPT).write_bytes(pickle.dumps(report))

    try:
        kept = cache.entry("numbers", key, [KEPT], build) / KEPT
    except _Faulty as faulty:
        return faulty.report
    report: Report = pickle.loads(kept.read_bytes())
    return report
