"""The name that a program needs and the CPU model does not have, out of a compiler's words."""

from __future__ import annotations

import re
from pathlib import Path

from ..system.translation import tr

_NAMED = tuple(
    re.compile(pattern)
    for pattern in (
        # clang++
        r"no (?:type|template|member) named '(?P<name>[\w:]+)' in (?:namespace )?'(?P<scope>[\w:]+)(?:<[^']*>)?'",
        r"(?:use of undeclared identifier|unknown type name|no template named) '(?P<name>[\w:]+)'",
        # g++
        r"'(?P<name>\w+)' (?:is not a (?:class template )?member of|in namespace) '(?P<scope>[\w:]+)'",
        r"'(?P<scope>[\w:]+)::(?P<name>\w+)' has not been declared",
        r"'(?P<name>[\w:]+)' (?:was not declared in this scope|does not name a type|has not been declared)",
        # both, of using namespace AscendC::X: the name is in the line that they quote
        r"(?:expected namespace name|'\w+' is not a namespace-name)[^\n]*\n"
        r"[^\n]*using namespace (?P<scope>\w+)::(?P<name>\w+)",
    )
)
_SAID = re.compile(r"the CPU model does not have (the intrinsic \w+|[\w ]+)")
_POLICY = re.compile(r"the stand-in has no (?P<what>\w+) for this dispatch policy")
_OF_POLICY = re.compile(
    r"(?:DEPENDENT_FALSE|BlockMmad\w*|DEPENDENT_BOOL_VALUE)<(?:false, )?(?:Catlass::Gemm::)?(?P<name>Mmad\w+)"
)
_LAYOUT = re.compile(r"Catlass::layout::(?!RowMajor|ColumnMajor)(\w+)")
_SCOPES = ("AscendC", "Catlass")


def missing_name(words: str, checkout: Path | None = None) -> str | None:
    """The first thing that AscendC or Catlass has and the model does not, as a compiler names it; None if the first
    error is another.

    A name without a scope can be anyone's. In a file of the checkout, if one is given, it is CANN's.
    """
    if (said := _SAID.search(words)) is not None:
        return said[1]
    words = words.replace("\u2018", "'").replace("\u2019", "'")
    first = re.search(r"(?P<file>\S+?):\d+:\d+: (?:fatal )?error: (?P<said>.*)", words)
    if first is None:
        return None
    rest = words[first.start("said") :]
    return _of_the_cube(first["said"], rest) or _named(rest, Path(first["file"]), checkout)


def _of_the_cube(said: str, rest: str) -> str | None:
    """A policy or a layout that the stand-in's BlockMmad refuses."""
    if (refused := _POLICY.search(said)) is not None:
        policy = _OF_POLICY.search(rest)
        return (
            tr("{refused} for {policy}", refused=refused["what"], policy=policy["name"])
            if policy is not None
            else tr("that {refused}", refused=refused["what"])
        )
    if "the stand-in multiplies" in said and (layout := _LAYOUT.search(rest)) is not None:
        return tr("BlockMmad for matrices in layout::{layout}", layout=layout[1])
    return None


def _named(rest: str, file: Path, checkout: Path | None) -> str | None:
    found = next(filter(None, (pattern.match(rest) for pattern in _NAMED)), None)
    if found is None:
        return None
    scope = found.groupdict().get("scope")
    if scope is not None:
        return f"{scope}::{found['name']}" if scope.split("::")[0] in _SCOPES else None
    if checkout is None or not file.is_relative_to(checkout):
        return None
    return str(found["name"])
