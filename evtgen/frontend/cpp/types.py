"""Types of C++ as libclang spells them, once nothing in them is an alias any more."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PIECE = re.compile(r"[<>,]|[^<>,]+")


@dataclass(frozen=True)
class CppType:
    """A type, or another argument of a template.

    Attributes:
        name: with its namespaces, without arguments of a template; or a number.
        args: the arguments of its template; what a pack holds counts one by one, defaults are left out.
        member: what follows them: ``EVT::Arguments`` of ``Phases<…>::EVT::Arguments``.
    """

    name: str
    args: tuple[CppType, ...] = ()
    member: str = ""

    @property
    def last(self) -> str:
        """Its name without namespaces."""
        return self.name.rpartition("::")[2]

    def argument(self, index: int, default: str = "") -> CppType:
        """An argument of its template, or a default that is left out."""
        return self.args[index] if index < len(self.args) else CppType(default)

    @property
    def number(self) -> int | None:
        """Its value, if it is a number: of an argument of a template, or of an integral constant."""
        text = self.args[0].name if self.name == "tla::C" and self.args else self.name
        return int(text) if re.fullmatch(r"-?\d+", text) else None

    def __str__(self) -> str:
        return f"{self.last}<{', '.join(map(str, self.args))}>" if self.args else self.last


def parse(spelling: str) -> CppType:
    """A type from its canonical spelling."""
    found, _ = _parse(_PIECE.findall(spelling), 0)
    return found


def _parse(pieces: list[str], at: int) -> tuple[CppType, int]:
    name, member = "", ""
    args: list[CppType] = []
    while at < len(pieces) and pieces[at] not in (",", ">"):
        piece = pieces[at]
        if piece != "<":
            if args or (name and pieces[at - 1] == ">"):
                member += piece.strip()
            else:
                name += piece.strip()
            at += 1
            continue
        at += 1
        while at < len(pieces) and pieces[at] != ">":
            if pieces[at] == ",":
                at += 1
            argument, at = _parse(pieces, at)
            args.append(argument)
        at += 1
    return CppType(name.removeprefix("const "), tuple(args), member.removeprefix("::")), at
