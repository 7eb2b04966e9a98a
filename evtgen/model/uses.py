"""Buffers and flags that cores can use again: the order of a second use is seen only where there is one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Use = dict[str, Any]
"""One of them in the model's report: ``kernel``, ``name``, ``again`` and the ``first`` call."""


def merged(uses: Iterable[Use]) -> list[Use]:
    """Each of them once. If it was used again in one run, it was used again."""
    found: dict[tuple[str, str], Use] = {}
    for use in uses:
        known = found.setdefault((use["kernel"], use["name"]), dict(use))
        known["again"] = known["again"] or use["again"]
    return list(found.values())
