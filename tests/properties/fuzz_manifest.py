"""Manifests that anybody wrote: whatever they list, nothing outside the roots and nothing of the user's is touched."""

from __future__ import annotations

import json
from typing import Any

from evtgen.output.manifest import MANIFEST

from ..support.hostile import HOSTILE_PATHS, VALUES, World, digest, mutate, spoil_bytes
from ..support.hostile import run as run_worlds

UNTOUCHED = {"EVT065", "EVT084"}


def spoil(world: World) -> None:
    """Make one or two manifests hostile, and perhaps the directories that they describe."""
    rng = world.rng
    for root in rng.sample(world.roots, rng.randrange(1, 3)):
        path = root / MANIFEST
        if rng.random() < 0.2:
            spoil_bytes(rng, path, world.base / "home")
            continue
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
                if rng.random() < 0.3:
                    name = rng.choice([*text["files"]])
                    if isinstance(text["files"][name], dict):
                        text["files"][name]["replaced"] = rng.choice([right, "0" * 64, "", "../home", None])
            else:
                text = mutate(rng, text, (*VALUES, *HOSTILE_PATHS))
        path.write_text(json.dumps(text))
    world.link_somewhere()


def run(seconds: float, seed: int) -> int:
    """Try hostile manifests for ``seconds``; returns how many. Raises AssertionError on a failure."""
    return run_worlds(spoil, UNTOUCHED, seconds, seed)[0]
