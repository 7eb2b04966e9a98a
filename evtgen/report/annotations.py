"""Diagnostics in the forms that other tools read: SARIF, and the annotations of GitHub's workflows."""

from __future__ import annotations

import linecache
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from urllib.parse import quote

from ..diagnostics.diagnostic import Diagnostic, display_path, printable, source_text
from ..diagnostics.table import TABLE
from ..graph.location import Location
from ..version import __version__

_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def sarif(diagnostics: Sequence[Diagnostic]) -> dict[str, Any]:
    """A log of SARIF 2.1.0 with one run and a result for each diagnostic, whose message ends with its help.

    Files below the working directory have relative URIs, which a viewer resolves in the checkout.
    """
    codes = sorted({found.code for found in diagnostics})
    driver = {"name": "evtgen", "version": __version__, "rules": [_rule(code) for code in codes]}
    results = [
        {
            "ruleId": found.code,
            "ruleIndex": codes.index(found.code),
            "level": found.severity.value,
            "message": {"text": _text(found)},
            **({"locations": [_place(found.location)]} if found.location and found.location.file else {}),
        }
        for found in diagnostics
    ]
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(code: str) -> dict[str, Any]:
    row = TABLE.get(code)
    if row is None:
        return {"id": code}
    words = " ".join(row.explanation.split())
    return {"id": code, "shortDescription": {"text": row.title}, "help": {"text": words}}


def _place(location: Location) -> dict[str, Any]:
    shown = display_path(location.file)
    uri = Path(shown).as_uri() if os.path.isabs(shown) else quote(Path(shown).as_posix())
    place: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if location.line:
        text = source_text(location)
        snippet = {"snippet": {"text": text}} if text else {}
        place["region"] = {"startLine": location.line, **_columns(location), **snippet}
    return {"physicalLocation": place}


def _columns(location: Location) -> dict[str, int]:
    """Where the text of the line begins and ends, from 1."""
    line = linecache.getline(location.file, location.line).rstrip()
    return {"startColumn": len(line) - len(line.lstrip()) + 1, "endColumn": len(line) + 1} if line else {}


def github(diagnostics: Sequence[Diagnostic]) -> str:
    """A line for each diagnostic, which GitHub shows in the diff: ``::error file=…,line=…,title=…::message``."""
    lines = []
    for found in diagnostics:
        row = TABLE.get(found.code)
        fields = {"title": f"{found.code}: {row.title}" if row else found.code}
        if found.location is not None and found.location.file:
            line = {"line": str(found.location.line)} if found.location.line else {}
            fields = {"file": Path(display_path(found.location.file)).as_posix(), **line, **fields}
        named = ",".join(f"{name}={_escaped(value, also=':,')}" for name, value in fields.items())
        lines.append(f"::{found.severity} {named}::{_escaped(_text(found))}")
    return "\n".join(lines)


def _text(found: Diagnostic) -> str:
    return printable(found.message + (f"\n{found.help}" if found.help else ""))


def _escaped(text: str, also: str = "") -> str:
    """The text with the characters that end a line or a field, or begin an escape, in the form that GitHub reads."""
    for character in "%\r\n" + also:
        text = text.replace(character, f"%{ord(character):02X}")
    return text
