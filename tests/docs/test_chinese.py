"""The pages in Chinese say as much as the English ones: none is left behind when its source changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ..support.paths import CHECKOUT

GENERATED = ("errors.zh.md",)
"""Compared with what generates them elsewhere."""

TRANSLATED = [
    page
    for page in [*sorted(CHECKOUT.glob("*.zh.md")), *sorted((CHECKOUT / "docs").rglob("*.zh.md"))]
    if page.name not in GENERATED
]


class Section(NamedTuple):
    """What of a section does not depend on the language: between one heading and the next."""

    level: int
    blocks: int
    """Paragraphs, lists, tables and code."""
    items: int
    rows: list[int]
    """Of each line of a table how many cells it has."""
    code: list[str]
    """Blocks of code, without comments."""
    words: list[str]
    """What stands in backticks, and codes, in any order."""
    links: list[str]
    """The files that it links to, in any order, without anchors: headings are translated."""


def sections(page: Path) -> Iterator[Section]:
    text = page.read_text(encoding="utf-8")
    fences = re.findall(r"^```.*?^```$", text, re.MULTILINE | re.DOTALL)
    text = re.sub(r"^```.*?^```$", "\0", text, flags=re.MULTILINE | re.DOTALL)
    code = iter(fences)
    for part in re.split(r"^(?=#+ )", text, flags=re.MULTILINE)[1:]:
        heading = re.match("#+", part)
        assert heading is not None
        body = re.sub(r"`[^`]+`", "``", part)
        yield Section(
            len(heading[0]),
            len(re.findall(r"\n\n+", part.strip())),
            len(re.findall(r"^- ", part, re.MULTILINE)),
            [len(re.findall(r"(?<!\\)\|", line)) for line in body.splitlines() if line.startswith("|")],
            [re.sub(r"(^|\s\s+)(#|//).*$", "", next(code), flags=re.MULTILINE) for _ in range(part.count("\0"))],
            sorted([" ".join(span.split()) for span in re.findall(r"`([^`]+)`", part)] + re.findall(r"EVT\d+", body)),
            sorted(target.replace(".zh.md", ".md").partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", part)),
        )


def test_there_are_pages() -> None:
    assert {page.name for page in TRANSLATED} == {
        "README.zh.md",
        "catlass.zh.md",
        "getting-started.zh.md",
        "limits.zh.md",
        "report.zh.md",
        "verification.zh.md",
    }


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: page.name)
def test_a_page_is_as_its_source(page: Path) -> None:
    source = page.with_name(page.name.replace(".zh.md", ".md"))
    for chinese, english in zip(sections(page), sections(source), strict=True):
        assert chinese == english


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: page.name)
def test_each_leads_to_the_other(page: Path) -> None:
    source = page.with_name(page.name.replace(".zh.md", ".md"))
    assert f"[English]({source.name})" in page.read_text(encoding="utf-8").splitlines()[2]
    assert f"[中文]({page.name})" in source.read_text(encoding="utf-8").splitlines()[2]


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: page.name)
def test_it_leads_to_pages_in_chinese_where_there_are_any(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    for target in re.findall(r"(?<!\[English)\]\(((?!https?:)[^)#]+\.md)", text):
        chinese = page.parent / target.replace(".md", ".zh.md")
        assert ".zh.md" in target or not chinese.exists(), target
