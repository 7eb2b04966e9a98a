"""The mutants: every place of the emitted text that a rule matches, changed in one way."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from evtgen.targets import Architecture

from .rules import BARRIER, IN_ORDER, PARTS, PLANNED, RULES, Rule
from .subjects import ASCEND950, ATLAS_A2, framework, subjects


@dataclass(frozen=True)
class Mutant:
    """One file of the emitted text with one change.

    Attributes:
        rule: the rule that made it.
        path: path of the file, below the include root.
        line: line of the change.
        shown: the text that was changed, in one line.
        text: the whole changed file.
        struct: what an epilogue has to have for the change to be part of it, see :func:`struct_around`; None for what
            all have.
        arch: the architecture that it is compiled for.
        harmless: the reason why it is not a fault; None if it must be flagged.
        same: the change is one of barriers that the architecture does not have: the program is the same.
    """

    rule: Rule
    path: str
    line: int
    shown: str
    text: str
    struct: str | None
    arch: str
    harmless: str | None
    same: bool = False

    @property
    def name(self) -> str:
        return f"{self.rule.name} {Path(self.path).name}:{self.line}"


@cache
def mutants(arch: str = ATLAS_A2) -> tuple[Mutant, ...]:
    """All of them that a subject of an architecture reaches, in the order of the rules and of the text."""
    own = subjects(arch)
    headers = {f"{subject.name}.hpp": subject.header for subject in own}
    texts = {path: text for path, text in {**framework(), **headers}.items() if any(s.has(path) for s in own)}
    if arch == ASCEND950:
        texts.pop("catlass/gemm/block/block_mmad_dequant.hpp")  # A copy of Atlas A2, which is included with the others
    target = own[0].plan.arch
    return tuple(
        mutant for rule in RULES for path in sorted(texts) for mutant in _apply(rule, path, texts[path], target)
    )


_SHARED = ("reduce.hpp", "broadcast.hpp")
"""Headers with what some nodes have in common."""


def struct_around(path: str, text: str, position: int) -> str | None:
    """What an epilogue has to have for a place to be part of it: the way of its accumulator, ``"gm"`` or ``"ub"``; the
    policy ``"preload_async"``; ``"several"`` matmuls; a kernel's header; the struct around the place, in a header that
    holds what only some epilogues use; around a function that operators share, a pattern for all of these. None for
    what all have."""
    name = Path(path).name
    for file, pattern, way in PARTS:
        if name == file and any(match.start() <= position < match.end() for match in _found(pattern, text)):
            return way
    if name not in _SHARED and "/operations/" not in path:
        return None
    bodies, functions = _bodies(text)
    for name, match in bodies.items():
        if match.start() < position < match.end():
            return "|".join(re.findall(rf"^using (\w+) = {name}<", text, re.MULTILINE)) or name
    around = next((match[1] for match in functions if match.start() < position < match.end()), None)
    return None if around is None else "|".join(_sharers(around)) or None


@cache
def _sharers(function: str) -> list[str]:
    """The structs that a function is part of, in their own text or in that of another function."""
    found = []
    for path, text in framework().items():
        if "/operations/" in path or Path(path).name in _SHARED:
            bodies, functions = _bodies(text)
            found += [name for name, match in bodies.items() if f"detail::{function}(" in match[0]]
            for match in functions:
                if match[1] != function and re.search(rf"(?<!::)\b{function}\(", match[0]):
                    found += _sharers(match[1])
    return found


def is_compiled(text: str, position: int, arch: Architecture) -> bool:
    """Whether a place of a header is, for an architecture: some of them are for one alone, or for a macro."""
    only = _found(r"^#if(?:def CATLASS_EVT_DUMP| [^\n]*CATLASS_ARCH == (\d+))$.*?^#endif", text)
    return all(match[1] == str(arch.npu) for match in only if match.start() < position < match.end())


@cache
def _found(pattern: str, text: str) -> list[re.Match[str]]:
    return list(re.finditer(pattern, text, re.MULTILINE | re.DOTALL))


@cache
def _bodies(text: str) -> tuple[dict[str, re.Match[str]], list[re.Match[str]]]:
    """The structs of a header by name, and its functions."""
    structs = re.finditer(r"^struct (\w+)[^;{]*\{\n.*?^\};", text, re.MULTILINE | re.DOTALL)
    functions = re.finditer(r"^CATLASS_DEVICE \w+ (\w+)\(.*?^\}", text, re.MULTILINE | re.DOTALL)
    return {match[1]: match for match in structs}, list(functions)


def _apply(rule: Rule, path: str, text: str, arch: Architecture) -> Iterator[Mutant]:
    if re.fullmatch(rule.files, path) is None:
        return
    for match in re.finditer(rule.pattern, text):
        if "//" in text[text.rfind("\n", 0, match.start()) + 1 : match.start()]:
            continue  # a comment
        if not is_compiled(text, match.start(), arch):
            continue
        struct = struct_around(path, text, match.start())
        if not any(subject.has(path, struct) for subject in subjects(arch.name)):
            continue
        changed = text[: match.start()] + match.expand(rule.become) + text[match.end() :]
        shown = " ".join(match[0].split())
        line = text.count("\n", 0, match.start()) + 1
        place = Path(path).name, shown.rstrip(";")
        reason = rule.harmless.get((*place, arch.name), rule.harmless.get(place))
        same = arch.orders_v and _without_barriers(match[0]) == _without_barriers(match.expand(rule.become))
        if same:
            reason = IN_ORDER
        elif arch.orders_v and rule.of_v:
            reason = PLANNED
        yield Mutant(rule, path, line, shown, changed, struct, arch.name, reason, same)


def _without_barriers(text: str) -> str:
    """A text without the barriers of V between its calls: texts that differ in these alone become the same."""
    return re.sub(rf"{BARRIER}|AscendC::PipeBarrier<PIPE_MTE2>\(\)|//.*|[\s,;]", "", text)


def sample(all_of_them: Sequence[Mutant], count: int) -> list[Mutant]:
    """``count`` of them, evenly spread."""
    return [all_of_them[i * len(all_of_them) // count] for i in range(count)]
