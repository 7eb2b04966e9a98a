"""Journals and work directories that anybody wrote: a build rolls back what a build left, and touches nothing else."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from evtgen.output import transaction
from evtgen.output.journal import FIRST, JOURNAL, WORK
from evtgen.output.manifest import MANIFEST

from ..support.hostile import HOSTILE_PATHS, VALUES, World, digest, mutate, spoil_bytes
from ..support.hostile import run as run_worlds

UNTOUCHED = {"EVT063", "EVT064"}

ROOTS = ("..", "../home", "/nowhere", "../checkout", "../examples", "../include", "\0", "./x/..", "", "." * 300)
"""What a journal may call another root."""


def interrupt(world: World) -> list[Path]:
    """Leave a build of one to three roots as a crash of the machine does, somewhere on its way; returns the roots."""
    rng = world.rng
    changes: dict[Path, dict[str, bytes | None]] = {}
    for root in sorted(rng.sample(world.roots[:2], rng.randrange(1, 3)) if rng.random() < 0.7 else world.roots[2:]):
        prefix = "include/" if root.name == "checkout" else ""
        changes[root] = {f"{prefix}one.hpp": b"h3", f"{prefix}new/deep/fusion.hpp": b"n", MANIFEST: b"m3"}
        if root.name == "include":
            changes[root]["catlass/epilogue/fusion/reduce.hpp"] = None
    roots = sorted(changes)
    staged = transaction._stage(roots, changes)
    if rng.random() < 0.7:
        transaction._move(staged[: rng.randrange(len(staged) + 1)])
    if rng.random() < 0.1:
        os.unlink(roots[0] / WORK / JOURNAL)
    return roots


def spoil(world: World) -> None:
    """Spoil what an interrupted build left, or make up a work directory."""
    rng = world.rng
    roots = interrupt(world)
    work = (roots[0] if rng.random() < 0.7 else rng.choice(roots)) / WORK
    for _ in range(rng.choice([0, 1, 1, 1, 2])):
        _spoil_once(world, work)
    if rng.random() < 0.3:
        _lead_away(world, work.parent)
    world.link_somewhere()


def _lead_away(world: World, root: Path) -> None:
    """Replace a directory that the build changes something in by a link to another place."""
    directories = sorted(path for path in root.rglob("*") if path.is_dir() and WORK not in path.parts)
    victim = world.rng.choice(directories)
    away = world.base / "away"
    if victim.is_symlink() or away.exists():
        return
    victim.rename(away)
    victim.symlink_to(away)


def _spoil_once(world: World, work: Path) -> None:
    rng = world.rng
    if not work.is_dir() or work.is_symlink():
        return
    file = work / rng.choice([JOURNAL, FIRST])
    kind = rng.randrange(15)
    if kind < 6:
        _spoil_text(work / JOURNAL, lambda text: _add_step(world, work, text))
    elif kind < 10:
        _spoil_text(file, lambda text: mutate(rng, text, (*VALUES, *HOSTILE_PATHS)))
    elif kind == 10:
        _spoil_text(work / FIRST, lambda text: {**text, "first": rng.choice(ROOTS)})
    elif kind == 11:
        spoil_bytes(rng, file, world.base / "home")
    elif kind == 12:
        _add_entry(rng, work)
    elif kind == 13:
        _lose_entry(world, work)
    elif not (away := world.base / "moved").exists():
        work.rename(away)
        work.symlink_to(away)


def _spoil_text(path: Path, change: Callable[[Any], Any]) -> None:
    """Change what is in a JSON file, as long as nobody has spoiled it otherwise."""
    if path.is_file() and not path.is_symlink() and path.stat().st_size < 10**6:
        with suppress(ValueError, RecursionError, TypeError, KeyError):
            path.write_text(json.dumps(change(json.loads(path.read_bytes()))))


def _add_step(world: World, work: Path, text: Any) -> Any:
    """A journal with a step that no build makes, and the staged file that it needs."""
    rng = world.rng
    path = rng.choice([*HOSTILE_PATHS, *world.existing(work.parent)])
    root = rng.choice([*"." * 10, *ROOTS])
    try:
        right = digest(work.parent / root.replace("\0", "") / path.replace("\0", ""))
    except (OSError, UnicodeEncodeError):
        right = "0" * 64
    index = rng.choice([0, 1, 2, 50, 51, 52, 53, 54])
    wrote = rng.choice([None, right, right])
    step = {"root": root, "index": index, "path": path, "wrote": wrote, "made": rng.choice([0, 0, 0, 1, 9])}
    if rng.random() < 0.5 and not os.path.lexists(work / f"{index}.old"):
        (work / f"{index}.old").write_text("hostile")
    return {**text, "steps": [*text["steps"], step] if rng.random() < 0.5 else [step]}


def _add_entry(rng: random.Random, work: Path) -> None:
    names = ["mine.txt", "7.old", "8.new", "mark-0123456789abcdef", "journal.new", "first", "07.old", "x"]
    path = work / rng.choice(names)
    if not os.path.lexists(path):
        path.write_text(rng.choice(["", "mine"]))


def _lose_entry(world: World, work: Path) -> None:
    """An entry is gone, or is a link."""
    victim = world.rng.choice(sorted(work.iterdir()) or [work / "nothing"])
    if victim.is_file():
        victim.unlink()
        if world.rng.random() < 0.5:
            victim.symlink_to(world.rng.choice([world.base / "home/profile", world.base / "home", Path("nowhere")]))


def run(seconds: float, seed: int) -> int:
    """Try hostile journals for ``seconds``; returns how many. Raises AssertionError on a failure."""
    return run_worlds(spoil, UNTOUCHED, seconds, seed)[0]
