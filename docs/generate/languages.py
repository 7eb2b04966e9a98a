"""Generated pages in the language of the environment (``EVTGEN_LANG=zh``)."""

from __future__ import annotations

import re
from pathlib import Path

from evtgen.system.translation import LANGUAGE, LANGUAGES

DOCS = Path(__file__).parents[1]


def named(page: str, language: str = LANGUAGE) -> str:
    """The file of a page: ``errors.md`` in English, ``errors.zh.md`` in Chinese."""
    return f"{page}.md" if language == "en" else f"{page}.{language}.md"


def headed(page: str, head: str) -> str:
    """The head of a page, with the way to the page in the other language below its title."""
    title, _, rest = head.partition("\n")
    others = " ".join(f"[{LANGUAGES[one]}]({named(page, one)})" for one in LANGUAGES if one != LANGUAGE)
    return f"{title}\n\n{others}\n{rest}"


def put(directory: Path, page: str, text: str) -> None:
    """Write the page; its links lead to pages in its language where there are any."""
    body = text if LANGUAGE == "en" else re.sub(r"(?<!\[English)\]\((\w[\w-]*)\.md(?:#([^)]*))?\)", _linked, text)
    (directory / named(page)).write_text(body, encoding="utf-8")


def _linked(link: re.Match[str]) -> str:
    """A link to the same heading of the page in the language."""
    source, page = (DOCS / named(link[1], language) for language in ("en", LANGUAGE))
    if not page.exists():
        return link[0]
    anchor = f"#{_anchors(page)[_anchors(source).index(link[2])]}" if link[2] else ""
    return f"]({page.name}{anchor})"


def _anchors(page: Path) -> list[str]:
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return [re.sub(r"[^\w -]", "", heading).lower().replace(" ", "-") for heading in headings]
