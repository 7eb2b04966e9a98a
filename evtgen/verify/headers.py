"""Whether given headers are the headers that the specs give."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ..diagnostics.diagnostic import Diagnostic
from ..diagnostics.machine import STALE_HEADERS
from ..emit.finish import LATER
from ..emit.framework import Framework
from ..emit.render import epilogue_files, framework_files
from ..planner.plan import Plan
from ..system.translation import tr

_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
_INCLUDE = re.compile(r"^\s*#\s*include\s+(.*?)\s*$", re.MULTILINE)
_USING = re.compile(r"\busing\s+([^=;]+);")
_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|\w+|\S')


def stale(plans: Sequence[Plan], headers: Path) -> list[Diagnostic]:
    """A warning (EVT019) for each header of an epilogue, and one for the framework, that a build would change.

    Only tokens are compared, since a banner changes comments, and a checkout's style changes the layout. The headers
    themselves name the place of the framework. A file that cannot be read is not compared.
    """
    found = []
    places: dict[Framework, None] = {}
    for plan in plans:
        path = headers / f"{plan.name}.hpp"
        text = _read(path)
        if text is None:
            continue
        place = _place(text, headers)
        places[place] = None
        (made,) = epilogue_files(plan, place, LATER).values()
        if _tokens(text) != _tokens(made):
            found.append(STALE_HEADERS.of("epilogue", path=path))
    for place in places:
        texts = {name: (_read(headers / name), made) for name, made in framework_files(place, LATER).items()}
        changed = [name for name, (text, made) in texts.items() if text is not None and _tokens(text) != _tokens(made)]
        if changed:
            others = tr(" and {count} more", count=len(changed) - 1) if len(changed) > 1 else ""
            found.append(STALE_HEADERS.of("framework", headers=headers / changed[0], others=others))
    return found


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace") if path.is_file() else None
    except OSError:
        return None


def _place(text: str, headers: Path) -> Framework:
    """The framework that a header reads; the default one if it does not say."""
    namespace = re.search(r"^\s*namespace \w+ = (Catlass(?:::\w+)+);", text, re.MULTILINE)
    include = re.search(r'^#\s*include "(.+)/(?:tree|topological)_visitor\.hpp"', text, re.MULTILINE)
    directory = include[1] if include else Framework.directory
    if re.search(r"^using EVG = ", text, re.MULTILINE):
        return Framework(catlass=True)
    base = _read(headers / directory / "visitor_impl_base.hpp") or ""
    replaces = "initialize_workspace" in base
    return Framework(namespace[1] if namespace else Framework.namespace, directory, replaces=replaces)


def _tokens(text: str) -> tuple[list[str], list[str], list[str]]:
    """The includes and the names that a ``using`` brings, which a style may sort, and all other tokens."""
    text = _COMMENT.sub(" ", text.replace("\\\n", " "))
    # A style may break lines of macros, and strings into several, which are one again.
    includes, rest = sorted(_INCLUDE.findall(text)), _INCLUDE.sub(" ", text)
    names, rest = sorted(" ".join(_TOKEN.findall(name)) for name in _USING.findall(rest)), _USING.sub(" ", rest)
    return includes, names, _TOKEN.findall(re.sub(r'"\s+"', "", rest))
