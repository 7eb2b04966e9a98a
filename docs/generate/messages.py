"""The catalogs of messages, from the code.

Each language's ``evtgen.po`` gets the new ones, without a translation, and loses those that are gone. The next install
compiles it to the ``evtgen.mo`` that gettext reads.
"""

from __future__ import annotations

import inspect
import io
import re
from collections.abc import Iterator
from datetime import datetime, timezone
from importlib import import_module
from pathlib import Path
from typing import Any

from babel.messages.catalog import Catalog
from babel.messages.extract import extract, extract_python
from babel.messages.pofile import read_po, write_po
from jinja2.ext import babel_extract

import docs.generate.errors  # noqa: F401 - importing it declares every code
from evtgen.cli.app import COMMANDS
from evtgen.cli.language import SAYS
from evtgen.diagnostics.faults import faults
from evtgen.diagnostics.table import TABLE
from evtgen.emit import formula, graph
from evtgen.pipeline import explain
from evtgen.pipeline.gallery import KINDS
from evtgen.report.uses import NAMES
from evtgen.system.translation import DOMAIN, LANGUAGES
from evtgen.version import __version__

from . import clock, functions

ROOT = Path(__file__).parents[2]

_READ: dict[str, Any] = {".py": extract_python, ".j2": babel_extract}


def messages() -> Iterator[str]:
    """Every message."""
    for folder in ("evtgen", "docs/generate"):
        found = sorted(path for path in (ROOT / folder).rglob("*.*") if path.name.endswith((".py", ".html.j2")))
        for path in found:
            with path.open("rb") as file:
                for _, text, _, _ in extract(_READ[path.suffix], file, keywords={"tr": None}):
                    assert isinstance(text, str), f"{path}: a message has one text"
                    yield text
    for fault in faults().values():
        yield fault.title
        yield fault.advice
    for code in sorted(TABLE.keys() - faults().keys()):
        yield TABLE[code].title
        yield TABLE[code].explanation
        for text, help in TABLE[code].says.values():
            yield from filter(None, (text, help))
    for name in COMMANDS:
        command = getattr(import_module(f"evtgen.cli.{name}"), name)
        yield inspect.getdoc(command) or ""
    yield from (*SAYS, *NAMES, *formula.TABLED, *graph.COMMENTS)
    yield from functions.in_words()
    yield from (*clock.FIGURE, *clock.SOURCE)
    yield from map(str.capitalize, KINDS)
    yield from explain.families()
    for row in (*explain.kernel_names(), *explain.functions()):
        yield row["computes"]
    for row in explain.operators():
        yield from filter(None, [row["note"]])


def template() -> Catalog:
    """The catalog of all messages, without translations."""
    found = _catalog(None)
    for text in messages():
        found.add(text)
    return found


def merged(language: str, po: bytes) -> Catalog:
    """The catalog of a language whose file has ``po``, with the messages of now, in their order."""
    old = read_po(io.BytesIO(po), locale=language) if po else _catalog(language)
    new = _catalog(language)
    for message in template():
        if message.id:
            before = old.get(message.id)
            # Flags would only repeat what the text shows.
            new.add(message.id, before.string if before else "").flags.clear()
    return new


def written(catalog: Catalog) -> bytes:
    """The text of a ``.po`` file."""
    out = io.BytesIO()
    write_po(out, catalog, width=0)
    # Which Babel wrote it is no matter.
    return re.sub(rb'"Generated-By: .*\n', b"", out.getvalue())


def _catalog(language: str | None) -> Catalog:
    # Files depend on the messages alone, so the header has no time of its own.
    return Catalog(
        language, DOMAIN, header_comment="# Messages of evtgen.", project=DOMAIN, version=__version__,
        copyright_holder="", msgid_bugs_address="", last_translator="", language_team="", fuzzy=False,
        creation_date=_WHEN, revision_date=_WHEN,
    )  # fmt: skip


_WHEN = datetime(2026, 1, 1, tzinfo=timezone.utc)


def write(directory: Path) -> None:
    """Write the catalogs."""
    for language in LANGUAGES.keys() - {"en"}:
        path = directory / language / "LC_MESSAGES" / f"{DOMAIN}.po"
        path.parent.mkdir(parents=True, exist_ok=True)
        po = written(merged(language, path.read_bytes() if path.exists() else b""))
        path.write_bytes(po)
