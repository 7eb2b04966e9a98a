"""The build hook: compiles the catalogs of messages, for wheels and editable installs alike."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CatalogHook(BuildHookInterface):  # type: ignore[type-arg]
    """Writes the ``.mo`` file beside each ``.po`` file."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        for path in Path(self.root, "evtgen", "system", "locale").rglob("*.po"):
            with path.open("rb") as po, path.with_suffix(".mo").open("wb") as mo:
                write_mo(mo, read_po(po, locale=path.parents[1].name))
