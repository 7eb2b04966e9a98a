"""The manifest: a file in each root with the hash of every file that evtgen wrote there, and the spec it came from."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ..diagnostics import files as codes
from ..emit.places import OWN, Layout
from ..version import __version__
from .disk import NotAFile, content

MANIFEST = f"{OWN}manifest.json"


@dataclass(frozen=True)
class Entry:
    """A file in the manifest. ``spec`` is relative to the root, empty for the framework."""

    sha256: str
    spec: str


def read_manifest(root: Path, shown: Path, layout: Layout) -> dict[str, Entry]:
    """The files that the manifest of ``root`` lists; none without a manifest.

    Raises EvtgenError: EVT084 if it cannot be read, EVT065 if it lists a file that emission cannot have given ``root``.
    """
    try:
        data = content(root / MANIFEST)
        entries = {} if data is None else {path: _entry(raw) for path, raw in json.loads(data)["files"].items()}
    except (NotAFile, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        why = f"it is {error}" if isinstance(error, NotAFile) else "it is damaged"
        message = f"{shown / MANIFEST} is not a manifest that this evtgen can read: {why}"
        raise codes.MANIFEST_BROKEN.error(message, help="remove it, and build with --force") from None
    strange = sorted(path for path in entries if not layout.holds(path))
    if strange:
        more = f" and {len(strange) - 1} more" if len(strange) > 1 else ""
        raise codes.NEVER_WRITTEN.error(
            f"{shown / MANIFEST} lists {strange[0]!r:.120}{more}, which evtgen does not write there",
            help=f"nothing was changed; remove {shown / MANIFEST}, and build with --force",
        )
    return entries


def manifest_text(entries: Mapping[str, Entry]) -> str:
    """The manifest that lists ``entries``."""
    files = {path: asdict(entry) for path, entry in sorted(entries.items())}
    return json.dumps({"evtgen": __version__, "files": files}, indent=2) + "\n"


def _entry(raw: object) -> Entry:
    if not isinstance(raw, dict) or not all(isinstance(raw[key], str) for key in ("sha256", "spec")):
        raise TypeError
    return Entry(raw["sha256"], raw["spec"])
