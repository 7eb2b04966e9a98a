"""clang++ as the compiler of a device: one pass over a program, and its messages.

clang's offload mode tells functions of the host from functions of the device, by attributes, and reports calls from one
side to the other. The driver offers it only for devices that it knows. So this module takes the driver's command for
the compiler proper, and tells the compiler that this machine, whose types and builtins the model's headers use, is a
device.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..diagnostics.diagnostic import EvtgenError
from ..model import compiler as compilers
from ..model.compiler import CompileFailure, Compiler
from .listing import Place

FLAGS = ("-std=c++17", "-w", "-fno-color-diagnostics", "-fno-caret-diagnostics", "-ftemplate-backtrace-limit=0")
LISTING = ("-O0", "-g2", "-fstandalone-debug", "-S", "-emit-llvm")
STACK = ("-O1", "-fstack-usage", "-S")

_MESSAGE = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):\d+: (?P<kind>(?:fatal )?error|note): (?P<text>.*)$")


@dataclass(frozen=True)
class Complaint:
    """An error of the compiler: its text and place, and the texts and places of its notes, which lead from there to the
    kernel."""

    text: str
    place: Place
    notes: tuple[tuple[str, Place], ...] = ()


@cache
def find_clang(chosen: str | None) -> Compiler | None:
    """The user's compiler if it is clang++, else the clang++ on this machine; None without one."""
    for name in ([chosen] if chosen and "clang" in Path(chosen).name else []) + ["clang++"]:
        try:
            compiler = compilers.find_compiler(name)
        except EvtgenError:
            continue
        if "clang" in compiler.version:
            return compiler
    return None


def as_device(compiler: Compiler, arguments: Sequence[str], at: Path, *, device: bool = True) -> str:
    """Compile as code of a device in ``at``, without ``device`` in the host's pass over it; returns what the compiler
    says. Raises CompileFailure."""
    printed = compilers.run([compiler.path, "-###", *arguments], at)
    for line in printed.splitlines():
        command = shlex.split(line) if '"-cc1"' in line else []
        if "-x" in command:
            language = command.index("-x")
            side = ["-fcuda-is-device"] if device else []
            command[language : language + 2] = [*side, "-fcuda-allow-variadic-functions", "-x", "cuda"]
            return compilers.run(command, at)
    raise CompileFailure(f"{compiler.version} does not say how it compiles")


def complaints(words: str) -> list[Complaint]:
    """The errors in the compiler's output that have a place."""
    found: list[Complaint] = []
    for line in words.splitlines():
        match = _MESSAGE.match(line)
        if match is None:
            continue
        place = Place(match["file"], int(match["line"]))
        if match["kind"] != "note":
            found.append(Complaint(match["text"], place))
        elif found:
            last = found[-1]
            found[-1] = Complaint(last.text, last.place, (*last.notes, (match["text"], place)))
    return found
