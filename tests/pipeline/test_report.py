"""A report verifies and profiles at once where there is memory for both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from threading import Event
from typing import Any

import pytest

from evtgen.measure.profile import estimates as profiled
from evtgen.model import footprint, toolchain
from evtgen.model.workers import cores
from evtgen.options import ReportOptions
from evtgen.pipeline import report
from evtgen.pipeline.specs import check_given
from evtgen.system.progress import Progress
from evtgen.verify.session import estimates as verified

from ..support import seeds


@pytest.mark.parametrize(("missing", "at_once"), [(0, True), (1, False)])
def test_both_go_on_at_once_where_both_fit(missing: int, at_once: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    options, begun, order, said = ReportOptions(), Event(), list[str](), list[str]()

    def library(*arguments: Any) -> None:
        order.append("library")

    def verifies(plans: object, given: object, progress: Progress, **more: object) -> list[Any]:
        progress("run")
        order.append("begin")
        # Only the other half ends this, if it has begun.
        order.append("end" if begun.wait(10 if at_once else 0.2) else "alone")
        return []

    def profiles(found: Sequence[report.Subject], given: object, progress: Progress) -> list[report.Subject]:
        progress("profile")
        begun.set()
        return list(found)

    (bare,) = report.subjects(check_given([seeds.ADD]), replace(options, run=False))
    runs = [*verified([bare.plan], options.of_verify), *profiled(bare.plans, options.of_profile)]
    free = 2 * cores() * max(size for _, size in runs) - missing
    monkeypatch.setattr(footprint, "free_memory", lambda: free)
    monkeypatch.setattr(toolchain, "find_compiler", lambda name: None)
    monkeypatch.setattr(toolchain, "machine_library", library)
    monkeypatch.setattr(import_module("evtgen.verify"), "verify_plans", verifies)
    monkeypatch.setattr(report, "_profiled", profiles)
    report.subjects(check_given([seeds.ADD]), options, said.append)
    assert order == ["library", "begin", "end" if at_once else "alone"]
    # What has ended says nothing any more.
    assert said[-1] == "" and (said == ["run", "", "profile", ""]) != at_once
