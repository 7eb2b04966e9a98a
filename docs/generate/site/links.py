"""Where the files of the repository are in the site, and links that lead there.

Pages are written for a Git web view: their links are paths in the repository. A page of the site has the same name, but
for what lies outside ``docs/``.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

DOCS = "docs/"
SOURCES = "sources/"
"""Where the site has files that are no pages."""

OUTSIDE = {
    "CHANGELOG.md": "CHANGELOG.md",
    "CONTRIBUTING.md": "CONTRIBUTING.md",
    "README.md": "index.md",
    "README.zh.md": "README.zh.md",
}
"""Files outside ``docs/`` that are pages, and the names of the pages."""

_FENCE = re.compile(r"(^ *```.*?^ *```)", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?P<before>!?\[(?:[^\[\]]|\[[^\]]*\])*\]\()(?P<target>(?![a-z]+:|#)[^)\s]+)\)")


def place_of(path: str) -> str:
    """The page of a file or directory of the repository, both relative: ``docs/types.md`` is ``types.md``."""
    if path.startswith(DOCS):
        return path.removeprefix(DOCS).removesuffix(".ipynb") + (".md" if path.endswith(".ipynb") else "")
    return OUTSIDE.get(path, path if path.endswith(".md") else f"{SOURCES}{path}.md")


def source_of(page: str) -> str:
    """The file of the repository that a page of the site is made of, or where it would be."""
    return next((path for path, name in OUTSIDE.items() if name == page), DOCS + page)


def targets(text: str, source: str) -> set[str]:
    """The paths in the repository to which the page that is the file ``source`` links, without anchors."""
    found: set[str] = set()

    def link(target: str) -> str:
        found.add(_resolved(source, target)[0])
        return target

    _each_link(text, link)
    return found


def moved(text: str, source: str, page: str) -> str:
    """The text of the file ``source`` with its links as the page ``page`` of the site needs them."""

    def link(target: str) -> str:
        path, anchor = _resolved(source, target)
        return posixpath.relpath(place_of(path), posixpath.dirname(page) or ".") + anchor

    return _each_link(text, link)


def _resolved(source: str, target: str) -> tuple[str, str]:
    path, hash_, anchor = target.partition("#")
    return posixpath.normpath(posixpath.join(posixpath.dirname(source), path)), hash_ + anchor


def _each_link(text: str, change: Callable[[str], str]) -> str:
    """The text with every relative link changed, but for code."""
    parts = _FENCE.split(text)
    parts[::2] = [_LINK.sub(lambda m: f"{m['before']}{change(m['target'])})", part) for part in parts[::2]]
    return "".join(parts)
