"""Verifications that must succeed."""

from __future__ import annotations

from evtgen.report.verification import failures
from evtgen.verify import Result


def right(results: list[Result]) -> list[Result]:
    """The same results, all of which must be right."""
    assert results and all(result.ok for result in results), shown(results)
    return results


def shown(results: list[Result]) -> str:
    """What is wrong with results, line by line."""
    return "\n".join(line for result in results for line in failures(result))
