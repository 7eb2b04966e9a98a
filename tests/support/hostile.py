"""A place on disk where everything is hostile: the roots of a build, a checkout, and the user's files around them."""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.output.files import FileSet, remove, up_to_date, write
from evtgen.emit.output.manifest import MANIFEST
from evtgen.emit.output.transaction import WORK
from evtgen.emit.places import BUILD_LAYOUT, Layout

from .confined import confined, tree

CHECKOUT_LAYOUT = Layout(("include",), ("examples",))

FRAMEWORK = {"catlass/epilogue/fusion/fusion.hpp": "f1", "catlass/epilogue/fusion/reduce.hpp": "r1"}
EXAMPLE = {"one/one.cpp": "p1", "one/CMakeLists.txt": "c1", "one/README.md": "d1", "common/evt_example.hpp": "e1"}

USERS = (
    "home/profile", "home/README.md", "home/fusion.hpp", "home/one.hpp", "home/.evtgen-build/keep", "spec.py",
    "include/README.md", "include/notes.txt", "include/catlass/catlass.hpp", "include/my.hpp.orig",
    "examples/CMakeLists.txt", "examples/00_basic/README.md", "checkout/README.md", "checkout/examples/CMakeLists.txt",
    "checkout/include/catlass/catlass.hpp", "checkout/include/catlass/layout/layout.hpp", "checkout/CMakeLists.txt",
)  # fmt: skip
"""The user's files, below and beside the roots; nothing may touch them."""

REFUSALS = {
    "EVT064", "EVT065", "EVT066", "EVT069", "EVT080", "EVT081", "EVT082", "EVT083", "EVT084", "EVT095",
}  # fmt: skip

HOSTILE_PATHS = (
    "../home/profile", "../../../outermost", "/nowhere/fusion.hpp", "..", ".", "", "/", "//", "README.md", "notes.txt",
    "CMakeLists.txt", "examples/CMakeLists.txt", "catlass/catlass.hpp", "include/catlass/catlass.hpp",
    "include/catlass/layout/layout.hpp", "00_basic/README.md", "lnk/fusion.hpp", "lnk/one.hpp", "lnk/../one.hpp",
    "include/../README.md", "./one.hpp", "one.hpp/", "a//fusion.hpp", "one.hpp\0", "one.hpp\n", "One .hpp", "ｏne.hpp",
    ".evtgen-build/fusion.hpp", ".evtgen-build/manifest.new", ".evtgen-build", ".EVTGEN-build/fusion.hpp", MANIFEST,
    ".evtgen-replaced/include/catlass/epilogue/fusion/fusion.hpp", ".evtgen-replaced/x.hpp", ".evtgen-replaced",
    f"catlass/{MANIFEST}", "~/fusion.hpp", "C:fusion.hpp", "C:\\fusion.hpp", "..\\home\\fusion.hpp", "a" * 300 + ".hpp",
    "a/" * 3000 + "fusion.hpp", "..../fusion.hpp", "../fusion.hpp", "a/../../home/fusion.hpp", "one/../two/two.cpp",
    "\ud800.hpp", "-.hpp", "9.hpp", "x.py", "x.sh", ".hpp", "common/README.md", ".git/config", "\u202egpp.hpp",
)  # fmt: skip

VALUES: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 10**30, float("nan"), "", "x", "\0", "../home", "/nowhere", [], {}, [[]],
    {"a": 1}, "a" * 10**5,
)  # fmt: skip


def digest(path: Path) -> str:
    """The hash of a file, as manifests have it."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else "0" * 64


@dataclass
class World:
    """A directory with two roots of a build, a checkout with an installation, and the user's files."""

    base: Path
    rng: random.Random

    @property
    def roots(self) -> list[Path]:
        return [self.base / name for name in ("include", "examples", "checkout")]

    def sets(self, text: str) -> list[FileSet]:
        """What is built: two roots together, the first of them alone, or the checkout."""
        spec = self.base / "spec.py"
        kind = self.rng.choice([0, 1, 1, 2, 2])
        header = {"one.hpp": text, **FRAMEWORK}
        if kind == 2:
            files = {f"include/{path}": value for path, value in header.items()}
            files |= {f"examples/{path}": value for path, value in EXAMPLE.items()}
            origin = dict.fromkeys((path for path in files if "/one" in path), spec)
            return [FileSet(self.base / "checkout", files, origin, (spec,), CHECKOUT_LAYOUT)]
        sets = [
            FileSet(self.base / "include", header, {"one.hpp": spec}, (spec,)),
            FileSet(self.base / "examples", EXAMPLE, dict.fromkeys([p for p in EXAMPLE if p[0] == "o"], spec), (spec,)),
        ]
        return sets[: kind + 1]

    def make(self) -> None:
        """The place as it is before anything is hostile. Raises what a build raises, which is an error here."""
        for name in USERS:
            path = self.base / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(f"the user's {name}\n")
        for seed in range(9):  # until each kind was built
            World(self.base, random.Random(seed)).build_one()

    def build_one(self) -> None:
        write(self.sets("h1"))

    def existing(self, root: Path) -> list[str]:
        """The user's files, as paths from a root."""
        return [os.path.relpath(self.base / name, root) for name in USERS]

    def link_somewhere(self) -> None:
        """Perhaps something is not what it seems: a link to the outside, a fifo, a directory in place of a file."""
        rng = self.rng
        root = rng.choice(self.roots)
        if rng.random() < 0.3:
            (root / "lnk").symlink_to(self.base / "home")
        if rng.random() < 0.4:
            places = sorted(path for path in root.rglob("*") if WORK not in path.parts)
            victim = rng.choice(places)
            if not victim.is_symlink() and victim.is_dir():
                kept = self.base / "kept" / str(rng.random())
                kept.parent.mkdir(exist_ok=True)
                victim.rename(kept)
            else:
                victim.unlink()
            kind = rng.randrange(5)
            if kind == 0:
                os.mkfifo(victim)
            elif kind == 1:
                victim.mkdir()
            elif kind == 2:
                victim.write_text("edited")
            else:
                victim.symlink_to(rng.choice([self.base / "home", self.base / "home/profile", victim, Path("nowhere")]))

    def act(self) -> tuple[str, list[str]]:
        """One command; its name, and the codes with which it refused."""
        rng = self.rng
        force = rng.random() < 0.3
        if rng.random() < 0.25:
            one = rng.choice([{r: BUILD_LAYOUT for r in self.roots[:2]}, {self.roots[2]: CHECKOUT_LAYOUT}])
            actions: list[tuple[str, Callable[[], object]]] = [("remove", lambda: remove(one, force=force))]
        else:
            sets = self.sets(rng.choice(["h1", "h2"]))
            actions = [
                ("write", lambda: write(sets, force=force)),
                ("write", lambda: write(sets, force=force)),
                ("rehearse", lambda: write(sets, force=force, dry_run=True)),
                ("check", lambda: up_to_date(sets)),
            ]
        name, action = rng.choice(actions)
        try:
            with confined(self.roots):
                action()
        except EvtgenError as error:
            return name, [diagnostic.code for diagnostic in error.diagnostics]
        return name, []

    def users(self, found: dict[str, tuple[int, int, str]]) -> dict[str, object]:
        """Of a tree what is outside the roots, and the user's files below them."""
        inside = tuple(f"{root.name}/" for root in self.roots)
        return {
            path: (state, kept)
            for path, (state, _, kept) in found.items()
            if not path.startswith(inside) or path in USERS
        }


def run(
    spoil: Callable[[World], None], untouched: set[str], seconds: float, seed: int, least: int = 0
) -> tuple[int, dict[str, int]]:
    """Spoil a fresh world and run a command in it, again and again, for ``seconds`` but at least ``least`` times.

    Returns the number of worlds, and how often each code came. Raises AssertionError if anything outside the roots or
    of the user's changed, if a command that only reads or that refuses with one of the codes ``untouched`` changed
    anything, or if anything else than a refusal was raised.
    """
    memory = Path("/dev/shm")  # many times faster than a disk
    place = Path(tempfile.mkdtemp(prefix="evtgen-fuzz-", dir=memory if os.access(memory, os.W_OK) else None)).resolve()
    model = World(place / "model", random.Random(seed))
    fsync = os.fsync
    os.fsync = lambda fd: None  # nobody pulls the plug here
    codes: dict[str, int] = {}
    number = 0
    try:
        model.make()
        end = time.monotonic() + seconds
        while number < least or time.monotonic() < end:
            world = World(place / "world", random.Random(f"{seed} {number}"))
            shutil.copytree(model.base, world.base, symlinks=True)
            spoil(world)
            before = tree(world.base)
            what = f"seed {seed}, input {number}"
            try:
                name, refusals = world.act()
            except AssertionError as error:
                raise AssertionError(f"{what}: {error}") from error
            except Exception as error:
                raise AssertionError(f"{what}: {type(error).__name__}: {error}") from error
            after = tree(world.base)
            assert world.users(before) == world.users(after), (what, name, refusals)
            assert set(refusals) <= REFUSALS, (what, name, refusals)
            if name in ("check", "rehearse") or untouched & set(refusals):
                assert before == after, (what, name, refusals)
            for code in set(refusals) or {"accepted"}:
                codes[code] = codes.get(code, 0) + 1
            shutil.rmtree(world.base)
            number += 1
    finally:
        os.fsync = fsync
        shutil.rmtree(place)
    return number, codes


def mutate(rng: random.Random, value: Any, strange: tuple[Any, ...]) -> Any:
    """``value`` with one part of it replaced, removed or doubled."""
    if not isinstance(value, (dict, list)) or not value or rng.random() < 0.15:
        return rng.choice(strange)
    action = rng.randrange(5)
    if isinstance(value, dict):
        key = rng.choice(list(value))
        new = {} if action == 0 else {str(rng.choice(strange)): value[key]}
        if action > 1:
            new = {key: mutate(rng, value[key], strange)}
        return {**{k: v for k, v in value.items() if k != key}, **new}
    index = rng.randrange(len(value))
    part = [[], [value[index]] * 2][action] if action < 2 else [mutate(rng, value[index], strange)]
    return [*value[:index], *part, *value[index + 1 :]]


def spoil_bytes(rng: random.Random, path: Path, home: Path) -> None:
    """Put something else than sound JSON where a file is."""
    data = path.read_bytes() if path.is_file() else b"{}"
    path.unlink(missing_ok=True)
    kind = rng.randrange(12)
    if kind == 0:
        os.mkfifo(path)
    elif kind == 1:
        path.mkdir()
    elif kind == 2:
        path.symlink_to(rng.choice([home / "profile", path, Path("/dev/zero"), home / "nothing", home]))
    elif kind == 3:
        path.write_bytes(b"[" * 10**5)
    elif kind == 4:
        path.write_bytes(b'{"files":' * 10**5)
    elif kind == 5:
        path.write_bytes(b'{"files": {"a.hpp": ' + b"9" * 5000 + b"}}")
    elif kind == 6:
        path.write_bytes(data[: rng.randrange(len(data) + 1)])
    elif kind == 7:
        at = rng.randrange(len(data) + 1)
        path.write_bytes(data[:at] + rng.randbytes(rng.randrange(1, 9)) + data[at:])
    elif kind == 8:
        path.write_bytes(rng.randbytes(rng.randrange(200)))
    elif kind == 9:
        path.write_bytes(data.decode("utf-8", "replace").encode("utf-16"))
    elif kind == 10:
        path.write_bytes(json.dumps(rng.choice(VALUES)).encode())
    else:
        with path.open("wb") as file:
            file.truncate(65 << 20)
