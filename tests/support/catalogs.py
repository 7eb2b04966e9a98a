"""The catalogs of messages."""

from __future__ import annotations

import io

from babel.messages.catalog import Catalog
from babel.messages.pofile import read_po

from evtgen.system.translation import DOMAIN, LOCALE


def catalog(language: str) -> tuple[bytes, Catalog]:
    """The catalog of a language as its file has it, and read."""
    po = (LOCALE / language / "LC_MESSAGES" / f"{DOMAIN}.po").read_bytes()
    return po, read_po(io.BytesIO(po), locale=language)
