"""The manifest: a file in each root with the hash of every file that evtgen wrote there, and the spec it came from."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from ..diagnostics import files as codes
from ..emit.places import OWN, Layout
from ..system.translation import tr
from ..version import __version__
from .disk import NotAFile, content

MANIFEST = f"{OWN}manifest.json"


def built_for(example: Path) -> list[Path]:
    """The directories of headers that ``evtgen build`` wrote for the example in a directory: that of the shared header,
    and the include root."""
    examples, include = example / "..", example / "../../include"
    roots = {examples: examples / "common", include: include}
    return [root for written, root in roots.items() if (written / MANIFEST).is_file()]


@dataclass(frozen=True)
class Entry:
    """A file in the manifest.

    Attributes:
        sha256: the hash of what evtgen wrote.
        spec: the spec that it came from, relative to the root; empty for the framework.
        replaced: the hash of Catlass's file whose place it took, empty if there was none.
    """

    sha256: str
    spec: str
    replaced: str = ""

    def accounts_for(self, there: str) -> bool:
        """Whether a file with this hash is as evtgen wrote it, or is Catlass's again, so that no edit is lost with it.

        It is Catlass's again after a ``git checkout``, for example.
        """
        return there == self.sha256 or (self.replaced != "" and there == self.replaced)


def read_manifest(root: Path, shown: Path, layout: Layout) -> dict[str, Entry]:
    """The files that the manifest of ``root`` lists; none without a manifest.

    Raises EvtgenError: EVT084 if it cannot be read, EVT065 if it lists a file that emission cannot have given ``root``,
    or says of one that cannot have taken the place of Catlass's that it did.
    """
    try:
        data = content(root / MANIFEST)
        entries = {} if data is None else {path: _entry(raw) for path, raw in json.loads(data)["files"].items()}
    except (NotAFile, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        why = tr("it is {error}", error=error) if isinstance(error, NotAFile) else tr("it is damaged")
        message = tr("{shown} is not a manifest that this evtgen can read: {why}", shown=shown / MANIFEST, why=why)
        raise codes.MANIFEST_BROKEN.error(message, help=tr("remove it, and build with --force")) from None
    strange = sorted(
        path
        for path, entry in entries.items()
        if not layout.holds(path) or (entry.replaced and not layout.replaces(path))
    )
    if strange:
        more = tr(" and {count} more", count=len(strange) - 1) if len(strange) > 1 else ""
        raise codes.NEVER_WRITTEN.error(
            tr(
                "{shown} lists {strange!r:.120}{more}, which evtgen does not write there",
                shown=shown / MANIFEST,
                strange=strange[0],
                more=more,
            ),
            help=tr("nothing was changed; remove {shown}, and build with --force", shown=shown / MANIFEST),
        )
    return entries


def manifest_text(entries: Mapping[str, Entry]) -> str:
    """The manifest that lists ``entries``."""
    files = {
        path: {name: value for name, value in asdict(entry).items() if value or name != "replaced"}
        for path, entry in sorted(entries.items())
    }
    return json.dumps({"evtgen": __version__, "files": files}, indent=2) + "\n"


def _entry(raw: object) -> Entry:
    if not isinstance(raw, dict) or not all(isinstance(raw[key], str) for key in ("sha256", "spec")):
        raise TypeError
    replaced = raw.get("replaced", "")
    if not re.fullmatch(r"([0-9a-f]{64})?", replaced):
        raise ValueError
    return Entry(raw["sha256"], raw["spec"], replaced)
