"""The faults that the CPU model reports, declared from the model's own list (``device/machine/faults.def``)."""

from __future__ import annotations

import re
from pathlib import Path

from .diagnostic import Severity
from .table import TABLE, declare

SOURCE = Path(__file__).parent.parent / "device" / "machine" / "faults.def"

_STRING = r'"((?:[^"\\]|\\.)*)"'
_FAULT = re.compile(rf"^EVT_FAULT\((\w+), \w+, (\w+), {_STRING},\s*{_STRING}\)", re.MULTILINE)


def declare_faults() -> None:
    """Add every fault of the CPU model to the table, once; only the documentation needs their texts."""
    for code, severity, title, advice in _FAULT.findall(SOURCE.read_text(encoding="utf-8")):
        if code not in TABLE:
            declare(code, _sentence(title), f"{_sentence(advice)}.", Severity(severity))


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
