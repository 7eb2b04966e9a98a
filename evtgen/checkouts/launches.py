"""Kernel launches in the device compiler's syntax, ``kernel<<<blocks, l2, stream>>>(…)``, for a host compiler."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

KINDS = {"vector": "V", "cube": "C", "mix": "M"}
"""The kinds of core that a kernel may be for, and the letter by which a program is told the kind of each launch."""

KEEPS_KINDS = "EVTGEN_KEEPS_KINDS"
"""The macro under which the model's headers leave the words of :data:`_WORDS` in the preprocessed text."""

_WORDS = {"__vector__": "vector", "__cube__": "cube", "__mix__": "mix"}
_TYPES = {
    "AIV_ONLY": "vector", "MIX_AIV_1_0": "vector", "AIC_ONLY": "cube", "MIX_AIC_1_0": "cube",
    "MIX_AIC_1_1": "mix", "MIX_AIC_1_2": "mix",
}  # fmt: skip
"""KERNEL_TASK_TYPE_DEFAULT page: the types of a kernel, without KERNEL_TYPE_."""

_OPAQUE = re.compile(
    r'//[^\n]*|/\*.*?\*/|^\s*#[^\n]*|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<!\w)\'(?:\\.|[^\'\\\n])+\'',
    re.DOTALL | re.MULTILINE,
)
_NAME = re.compile(r"[\w:]+\s*$")
_OPENING = re.compile(r"\s*\(")
_KEYWORD = re.compile(r"\b__(?:global|vector|cube)__\b|\b__mix__\s*\([^)]*\)")
_TASK_TYPE = re.compile(r"\bTaskType::\s*KERNEL_TYPE_(\w+)")
_OPEN = {")": "(", ">": "<", "]": "[", "}": "{"}


@dataclass(frozen=True)
class Launch:
    """A launch in the text of a program.

    Attributes:
        kernel: its name with its template arguments, as written.
        declared: one of :data:`KINDS` if its declaration or KERNEL_TASK_TYPE_DEFAULT says for which cores it is.
    """

    kernel: str
    declared: str | None


@dataclass(frozen=True)
class _Site:
    start: int
    end: int
    callee: str
    text: str


def rewrite(source: str) -> tuple[str, list[Launch]]:
    """``source`` with every launch turned into a call of the model, line for line, and the launches: launch ``i`` is
    ``::machine::KernelLaunch<i>``. The text may be preprocessed, with the words of kernels' declarations left in
    (:data:`KEEPS_KINDS`); they are taken out.

    Text that does not look like a launch is left as it is, for the compiler to complain about.
    """
    # Comments, strings and lines of the preprocessor keep their length but cannot hold a launch.
    code = _OPAQUE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)
    sites: list[_Site] = []
    at = code.find("<<<")
    while at >= 0:
        site = _site(source, code, at, len(sites))
        if site is not None and (not sites or site.start >= sites[-1].end):
            sites.append(site)
            at = site.end - 1
        at = code.find("<<<", at + 1)
    kinds = _declared(code) if sites else {}
    edits = [(site.start, site.end, site.text) for site in sites]
    edits += [
        (found.start(), found.end(), " ")
        for found in _KEYWORD.finditer(code)
        if not any(site.start <= found.start() < site.end for site in sites)
    ]
    launches = [Launch(" ".join(site.callee.split()), kinds.get(_unqualified(site.callee))) for site in sites]
    return _edited(source, sorted(edits)), launches


def _edited(source: str, edits: Iterable[tuple[int, int, str]]) -> str:
    parts, at = [], 0
    for start, end, text in edits:
        parts += [source[at:start], text]
        at = end
    return "".join([*parts, source[at:]])


def _site(source: str, code: str, at: int, number: int) -> _Site | None:
    """The launch around ``<<<``."""
    close = code.find(">>>", at)
    opened = _OPENING.match(code, close + 3) if close > 0 else None
    start = _callee(code, at)
    if opened is None or start is None:
        return None
    first = opened.end()
    end = _closing(code, first - 1)
    if end is None:
        return None
    callee = source[start:at].strip()
    comma = _comma(code, at + 3, close)
    blocks, rest = source[at + 3 : comma], source[comma + 1 : close]
    name = " ".join(callee.split()).replace("\\", "\\\\").replace('"', '\\"')
    given = source[first : end - 1]
    head = f'::machine::KernelLaunch<{number}>("{name}", {blocks}, ::machine::StreamOf({rest}))'
    call = f"([&](auto... evtgenArguments) {{ {callee}(evtgenArguments...); }}{',' if given.strip() else ''} {given})"
    lines = "\n" * (source.count("\n", start, end) - (head + call).count("\n"))
    return _Site(start, end, callee, f"{head}{call}{lines}")


def _declared(code: str) -> dict[str, str]:
    """The kinds that kernels name, by their unqualified names; without those that two declarations put differently."""
    found: dict[str, set[str]] = {}
    for keyword in re.finditer(r"\b__global__\b", code):
        start = max(code.rfind(mark, 0, keyword.start()) for mark in ";{}") + 1
        stop = re.compile(r"[;{]").search(code, keyword.end())
        if stop is None or (name := re.search(r"\bvoid\s+(\w+)\s*\(", code[start : stop.start()])) is None:
            continue
        words = [kind for word, kind in _WORDS.items() if word in code[start : stop.start()]]
        if not words and stop[0] == "{":
            end = _closing(code, stop.start(), "{}") or len(code)
            words = [_TYPES[said[1]] for said in _TASK_TYPE.finditer(code, stop.start(), end) if said[1] in _TYPES]
        found.setdefault(name[1], set()).update(words)
    return {name: kinds.pop() for name, kinds in found.items() if len(kinds) == 1}


def _unqualified(callee: str) -> str:
    return callee.partition("<")[0].rpartition("::")[2].strip()


def _callee(code: str, end: int) -> int | None:
    """The start of the name before ``<<<``, its template arguments included."""
    end = len(code[:end].rstrip())
    if code[:end].endswith(">"):
        waiting: list[str] = []
        for position in range(end - 1, -1, -1):
            character = code[position]
            # Between parentheses < and > compare.
            if character in ")]}" or (character == ">" and waiting[-1:] != ["("]):
                waiting.append(_OPEN[character])
            elif waiting and character == waiting[-1]:
                waiting.pop()
            if not waiting:
                end = position
                break
        else:
            return None
    name = _NAME.search(code, max(0, end - 400), end)
    return name.start() if name else None


def _closing(code: str, start: int, pair: str = "()") -> int | None:
    depth = 0
    for position in range(start, len(code)):
        depth += (code[position] == pair[0]) - (code[position] == pair[1])
        if depth == 0:
            return position + 1
    return None


def _comma(code: str, start: int, end: int) -> int:
    """The first comma that is not inside parentheses."""
    depth = 0
    for position in range(start, end):
        depth += (code[position] in "([{") - (code[position] in ")]}")
        if depth == 0 and code[position] == ",":
            return position
    return end
