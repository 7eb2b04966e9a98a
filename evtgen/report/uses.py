"""Buffers and flags that no core came to use again: the order of a second use was not seen."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

SHOWN = 4
"""How many are named."""


def not_again(uses: Iterable[dict[str, Any]]) -> str:
    """The names and first calls of those that were used once, of the uses in reports of the model; empty where there
    are none."""
    again: dict[tuple[str, str], bool] = {}
    first: dict[tuple[str, str], dict[str, Any]] = {}
    for use in uses:
        key = use["kernel"], use["name"]
        again[key] = again.get(key, False) or bool(use["again"])
        first.setdefault(key, use["first"])
    once = [f"{key[1]} ({_place(first[key])})" for key in again if not again[key]]
    more = [f"{len(once) - SHOWN} more"] if len(once) > SHOWN else []
    return ", ".join([*once[:SHOWN], *more])


def _place(call: dict[str, Any]) -> str:
    return f"{call['call']}, {PurePath(call['file']).name}:{call['line']}"
