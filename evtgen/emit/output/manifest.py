"""The manifest: a file in each root with the hash of every file that evtgen wrote there, and the spec it came from."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ...diagnostics import files as codes
from ...system.translation import tr
from ...version import __version__
from ..places import OWN, Layout
from .disk import content

MANIFEST = f"{OWN}manifest.json"


@dataclass(frozen=True)
class Entry:
    """A file in the manifest: its hash as evtgen wrote it, and the spec that it came from, relative to the root; empty
    for the framework.

    ``replaced`` is the hash of Catlass's file whose place it took. ``before`` is the hash of the file before the last
    build, if that was killed and the file may still be the old one.
    """

    sha256: str
    spec: str
    replaced: str = ""
    before: str = ""

    def __post_init__(self) -> None:
        hashes = (self.sha256, self.replaced, self.before)
        if not isinstance(self.spec, str) or not all(re.fullmatch(r"([0-9a-f]{64})?", known) for known in hashes):
            raise ValueError

    def accounts_for(self, there: str | None) -> bool:
        """Whether a file with this hash is as evtgen wrote it, or is Catlass's again, for example after a ``git
        checkout``: no edit is lost with it."""
        return bool(there) and there in (self.sha256, self.replaced, self.before)


def read_manifest(root: Path, shown: Path, layout: Layout) -> dict[str, Entry]:
    """The files below ``root`` that evtgen wrote, by its manifest; none without one.

    Raises EvtgenError: EVT084 if it cannot be read, EVT065 if it lists a file that evtgen cannot have written there, or
    one that cannot have taken the place of Catlass's as it says.
    """
    shown = shown / MANIFEST
    try:
        data = content(root / MANIFEST)
        entries = {} if data is None else {path: Entry(**raw) for path, raw in json.loads(data)["files"].items()}
    except (FileExistsError, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        why = error.strerror if isinstance(error, FileExistsError) else tr("it is damaged")
        raise codes.MANIFEST_BROKEN.refusal(shown=shown, why=why) from None
    for path, entry in sorted(entries.items()):
        if not layout.holds(path) or (entry.replaced and not layout.replaces(path)):
            raise codes.NEVER_WRITTEN.refusal(shown=shown, path=path)
    return entries


def manifest_text(entries: Mapping[str, Entry]) -> bytes:
    """The manifest that lists ``entries``."""
    files = {
        path: {name: value for name, value in asdict(entry).items() if value or name in ("sha256", "spec")}
        for path, entry in sorted(entries.items())
    }
    return json.dumps({"evtgen": __version__, "files": files}, indent=2).encode() + b"\n"
