"""The faults that the CPU model reports, declared from the model's own list (``device/machine/faults.def``)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..system.translation import tr
from .diagnostic import Severity
from .table import TABLE, declare

SOURCE = Path(__file__).parent.parent / "device" / "machine" / "faults.def"

_STRING = r'"((?:[^"\\]|\\.)*)"'
_FAULT = re.compile(rf"^EVT_FAULT\((\w+), \w+, (\w+), {_STRING},\s*{_STRING}\)", re.MULTILINE)


@dataclass(frozen=True)
class Fault:
    """One line of the model's list: how bad it is, what it is in a few words, and what to do about it; in English."""

    severity: Severity
    title: str
    advice: str


@cache
def faults() -> dict[str, Fault]:
    """The faults by their codes."""
    found = _FAULT.findall(SOURCE.read_text(encoding="utf-8"))
    return {code: Fault(Severity(severity), title, advice) for code, severity, title, advice in found}


def declare_faults() -> None:
    """Add every fault of the CPU model to the table, once; only the documentation needs their texts."""
    for code, fault in faults().items():
        if code not in TABLE:
            explanation = tr("{sentence}.", sentence=_sentence(tr(fault.advice)))
            declare(code, _sentence(tr(fault.title)), explanation, fault.severity)


def translated(code: str, message: str) -> str:
    """A message of the model, which names a fault by its title, in the user's language."""
    fault = faults().get(code)
    return message if fault is None else message.replace(fault.title, tr(fault.title), 1)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
