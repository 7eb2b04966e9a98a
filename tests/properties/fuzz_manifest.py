"""Manifests and leftovers of a killed build that anybody wrote: whatever they hold, nothing outside the roots and
nothing of the user's is touched."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from evtgen.emit.output.manifest import MANIFEST
from evtgen.emit.output.transaction import WORK

from ..support.hostile import HOSTILE_PATHS, VALUES, World, digest, mutate, spoil_bytes
from ..support.hostile import run as run_worlds

UNTOUCHED = {"EVT064", "EVT065", "EVT084"}


def spoil(world: World) -> None:
    """Make one or two manifests hostile, and perhaps the directories that they describe."""
    rng = world.rng
    for root in rng.sample(world.roots, rng.randrange(1, 3)):
        if killed := rng.random() < 0.7:
            _leave(world, root)
        _spoil(world, root, root / MANIFEST)
        if killed and rng.random() < 0.1:
            (away := world.base / f"away {root.name}").mkdir()
            (root / WORK).rename(away / WORK)
            (root / WORK).symlink_to(away / WORK)
    world.link_somewhere()


def _leave(world: World, root: Path) -> None:
    """What a killed build leaves: files of which the manifest has the hash before it, and its work directory."""
    rng = world.rng
    (root / WORK).mkdir()
    found = json.loads((root / MANIFEST).read_text())
    for path in found["files"]:
        if rng.random() < 0.5:
            (root / path).write_text("h3")
            found["files"][path]["before"] = digest(root / path)
    (root / MANIFEST).write_text(json.dumps(found))
    if rng.random() < 0.5:
        entry = rng.choice(["0.new", "3.old", "manifest.new", "07.old", "mine.txt", "x.new"])
        if rng.random() < 0.7:
            (root / WORK / entry).write_text("left")
        else:
            (root / WORK / entry).symlink_to(world.base / "home/profile")


def _spoil(world: World, root: Path, path: Path) -> None:
    rng = world.rng
    if rng.random() < 0.2:
        spoil_bytes(rng, path, world.base / "home")
        return
    text: Any = json.loads(path.read_text())
    for _ in range(rng.randrange(1, 3)):
        if rng.random() < 0.7 and isinstance(text, dict) and isinstance(text.get("files"), dict):
            name = rng.choice([*HOSTILE_PATHS, *world.existing(root)])
            at = root / name.replace("\0", "")
            try:
                right = digest(at)
            except (OSError, UnicodeEncodeError):
                right = "0" * 64
            spec = rng.choice(["", "../spec.py", "other.py", "/nowhere/spec.py", "\0", "x" * 5000])
            text["files"][name] = {"sha256": right, "spec": spec}
            if rng.random() < 0.4:
                name, key = rng.choice([*text["files"]]), rng.choice(["replaced", "before"])
                if isinstance(text["files"][name], dict):
                    text["files"][name][key] = rng.choice([right, "0" * 64, "", "../home", None])
        else:
            text = mutate(rng, text, (*VALUES, *HOSTILE_PATHS))
    path.write_text(json.dumps(text))


def run(seconds: float, seed: int) -> int:
    """Try hostile manifests for ``seconds``; returns how many. Raises AssertionError on a failure."""
    return run_worlds(spoil, UNTOUCHED, seconds, seed)[0]
