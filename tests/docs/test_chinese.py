"""The pages in Chinese say as much as the English ones: none is left behind when its source changes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from ..support.pages import PAGES, text_of
from ..support.paths import CHECKOUT

GENERATED = ("accuracy.zh.md", "errors.zh.md", "functions.zh.md", "gallery.zh.md", "operands.zh.md")
"""Compared with what generates them elsewhere."""

TRANSLATED = [page for page in PAGES if page.name not in GENERATED]


FENCE = r"^ *```.*?^ *```$"
NUMBER = re.compile(r"(?<![\w.,])(?:\d{1,3}(?:,\d{3})+|\d+\.\d+|\d\d+)(?!\w)", re.ASCII)


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
    numbers: set[str]
    """The numbers of two digits or with a point in the prose: facts that were measured, or limits."""
    links: list[str]
    """The files that it links to, in any order, without anchors: headings are translated."""


def sections(page: Path) -> Iterator[Section]:
    text = text_of(page)
    code = iter(re.findall(FENCE, text, re.MULTILINE | re.DOTALL))
    text = re.sub(FENCE, "\0", text, flags=re.MULTILINE | re.DOTALL)
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
            set(NUMBER.findall(re.sub(r"\]\([^)]*\)", "]", body))),
            sorted(target.replace(".zh.", ".").partition("#")[0] for target in re.findall(r"\]\(([^)]+)\)", part)),
        )


def test_there_are_pages() -> None:
    assert {page.name for page in TRANSLATED} == {
        "README.zh.md",
        "catlass.zh.md",
        "clock.zh.md",
        "command-line.zh.md",
        "cpu-model.zh.md",
        "extension.zh.md",
        "fewer-instructions.zh.md",
        "getting-started.zh.md",
        "inductor.zh.md",
        "kernels.zh.md",
        "limits.zh.md",
        "lint.zh.md",
        "measured.zh.md",
        "partition.zh.md",
        "phases.zh.md",
        "playground.zh.md",
        "python.zh.md",
        "reductions.zh.md",
        "report.zh.md",
        "samples.zh.md",
        "testing.zh.md",
        "torch.zh.md",
        "tune.zh.md",
        "tutorial.zh.ipynb",
        "types.zh.md",
        "verification.zh.md",
    }


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: page.name)
def test_a_page_is_as_its_source(page: Path) -> None:
    source = page.with_name(page.name.replace(".zh.", "."))
    for chinese, english in zip(sections(page), sections(source), strict=True):
        assert chinese == english


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: page.name)
def test_each_leads_to_the_other(page: Path) -> None:
    source = page.with_name(page.name.replace(".zh.", "."))
    assert f"[English]({source.name})" in text_of(page).splitlines()[2]
    assert f"[中文]({page.name})" in text_of(source).splitlines()[2]


@pytest.mark.parametrize("page", TRANSLATED, ids=lambda page: page.name)
def test_it_leads_to_pages_in_chinese_where_there_are_any(page: Path) -> None:
    for target in re.findall(r"(?<!\[English)\]\(((?!https?:)[^)#]+\.(?:md|ipynb))", text_of(page)):
        chinese = page.parent / re.sub(r"(\.\w+)$", r".zh\1", target)
        assert ".zh." in target or not chinese.exists(), target


@pytest.mark.parametrize(
    ("before", "after", "field"),
    [
        ("takes 12 cycles", "takes 13 cycles", "numbers"),
        ("`--seed N`", "`--seed M`", "words"),
        ("| a | b |", "| a | b | c |", "rows"),
        ("x = 1  # one", "x = 2  # one", "code"),
        ("EVT101", "EVT102", "words"),
        ("[there](a.md)", "[there](b.md)", "links"),
    ],
)
def test_a_change_of_the_source_is_noticed(tmp_path: Path, before: str, after: str, field: str) -> None:
    page = tmp_path / "page.md"
    text = (
        "# A\n\nIt takes 12 cycles with `--seed N`: EVT101, [there](a.md).\n\n| a | b |\n\n```py\nx = 1  # one\n```\n"
    )
    page.write_text(text, encoding="utf-8")
    (was,) = sections(page)
    page.write_text(text.replace("one", "eins").replace("It takes", "Es braucht"), encoding="utf-8")
    assert list(sections(page)) == [was]
    page.write_text(text.replace(before, after), encoding="utf-8")
    (now,) = sections(page)
    assert {name for name in Section._fields if getattr(now, name) != getattr(was, name)} == {field}


def test_the_gallery_has_the_entries_and_counts_of_the_english_one() -> None:
    def rows(page: str) -> list[tuple[str, str]]:
        text = (CHECKOUT / "docs" / page).read_text(encoding="utf-8")
        return re.findall(
            r"^\| (\[`\w+`\]\(\S+\)) .*? (\| \S+ \| \S+ \| \S+ \| \d+ \| [^|]* \| [^|]* \|)$", text, re.MULTILINE
        )

    assert len(rows("gallery.md")) > 100
    assert rows("gallery.zh.md") == rows("gallery.md"), "run: EVTGEN_LANG=zh python -m docs.generate gallery docs"
