"""The build hook: compiles the catalogs of messages, for wheels and editable installs alike."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CatalogHook(BuildHookInterface):  # type: ignore[type-arg]
    """Writes the ``.mo`` file beside each ``.po`` file, whole: evtgen may read it, and another build pack it."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        for path in Path(self.root, "evtgen", "system", "locale").rglob("*.po"):
            made = path.with_suffix(f".mo.{os.getpid()}")
            with path.open("rb") as po, made.open("wb") as mo:
                write_mo(mo, read_po(po, locale=path.parents[1].name))
            os.replace(made, path.with_suffix(".mo"))
