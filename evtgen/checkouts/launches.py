"""Kernel launches in the device compiler's syntax, ``kernel<<<blocks, l2, stream>>>(…)``, for a host compiler."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

_HEADERS = frozenset({".h", ".hh", ".hpp", ".cuh", ".inl"})

_OPAQUE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
_NAME = re.compile(r"[\w:]+\s*$")
_KINDS = {"__vector__": "AivOnly", "__cube__": "AicOnly"}
_OPEN = {")": "(", ">": "<", "]": "[", "}": "{"}


def rewrite(source: str) -> tuple[str, int]:
    """``source`` with every launch turned into a call of the model, line for line, and the number of launches.

    Text that does not look like a launch is left as it is, for the compiler to complain about.
    """
    count = 0
    at = 0
    while True:
        # Comments and strings keep their length but cannot hold a launch.
        code = _OPAQUE.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), source)
        at = code.find("<<<", at)
        if at < 0:
            return source, count
        launch = _launch(source, code, at)
        if launch is None:
            at += 3
            continue
        start, end, text = launch
        source = source[:start] + text + source[end:]
        at = start + len(text)
        count += 1


def headers(root: Path) -> Iterator[tuple[Path, str]]:
    """The headers below ``root``: the path from there, and the text. Those that cannot be read are left out."""
    for path in sorted(root.rglob("*")):
        if path.suffix in _HEADERS and path.is_file():
            try:
                yield path.relative_to(root), path.read_text(encoding="utf-8", errors="replace")
            except OSError:
                continue


def launching(root: Path) -> dict[Path, tuple[str, int]]:
    """The headers below ``root`` that launch kernels: path from there → the rewritten text, the number of launches."""
    candidates = ((path, rewrite(text)) for path, text in headers(root) if "<<<" in text)
    return {path: (text, count) for path, (text, count) in candidates if count}


def _launch(source: str, code: str, at: int) -> tuple[int, int, str] | None:
    """The start and the end of the launch around ``<<<``, and the call that replaces it."""
    close = code.find(">>>", at)
    opened = re.match(r"\s*\(", code[close + 3 :]) if close > 0 else None
    start = _callee(code, at)
    if opened is None or start is None:
        return None
    end = _closing(code, close + 3 + opened.end() - 1)
    if end is None:
        return None
    callee, arguments = source[start:at].strip(), source[close + 3 : end]
    comma = _comma(code, at + 3, close)
    # Arguments after the number of blocks matter only to the device; the lambda keeps them from being unused.
    blocks, rest = source[at + 3 : comma], source[comma + 1 : close]
    used = f"([](auto&&...) {{}}({rest}), {blocks})" if rest.strip() else blocks
    name = " ".join(callee.split()).replace("\\", "\\\\").replace('"', '\\"')
    lines = "\n" * (source.count("\n", start, end) - (callee + arguments + used).count("\n"))
    return (
        start,
        end,
        (
            f'::machine::Launch("{name}", {used}, ::machine::KernelKind::{_kind(code, callee)}, '
            f"[&](::machine::Role) {{ {callee}{arguments}; }}){lines}"
        ),
    )


def _kind(code: str, callee: str) -> str:
    """The kinds of core that the kernel is for, as its definition in the same file says; both if it does not say."""
    name = re.escape(callee.partition("<")[0].rpartition("::")[2].strip())
    found = re.search(rf"((?:\b__\w+__(?:\(\w*\))?\s+)*)__global__([^;{{}}]*?)\bvoid\s+{name}\s*\(", code)
    named = [kind for word, kind in _KINDS.items() if found and word in found[1] + found[2]]
    return named[0] if named else "Mix"


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
    name = _NAME.search(code[:end])
    return name.start() if name else None


def _closing(code: str, start: int) -> int | None:
    depth = 0
    for position in range(start, len(code)):
        depth += (code[position] == "(") - (code[position] == ")")
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
