"""The words of the glossary: the catalogue and the pages in Chinese use them, and none that it forbids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from ..support.catalogs import catalog
from ..support.pages import PAGES, text_of
from ..support.paths import CHECKOUT


class Word(NamedTuple):
    """A line of the table."""

    english: str
    chinese: Sequence[str]
    forbidden: Sequence[str]


def words() -> Iterator[Word]:
    text = (CHECKOUT / "docs" / "glossary.md").read_text(encoding="utf-8").partition("## In Chinese")[2]
    line = r"^\| \*\*(.+?)\*\*( of .+?)? \| (.+?) \| (.*?) \| .+ \|$"
    for english, of, *cells in re.findall(line, text, re.MULTILINE):
        # A word that has the meaning in one place alone is not looked for in messages.
        yield Word("" if of else english, *(tuple(cell.split(", ")) for cell in cells))


WORDS = tuple(words())


def prose(text: str) -> str:
    """A text without its code: what stands in backticks, fields, calls, options, names of members and files."""
    text = re.sub(r"```.*?```|`[^`]*`|\{[^{}]*\}|\]\([^)]*\)|<!--.*?-->", " ", text, flags=re.DOTALL)
    while text != (less := re.sub(r"[\w.]*\([^()]*\)", " ", text)):
        text = less
    code = r"[\w./@-]*[=@/:][\w./\"@-]+|--[\w-]+|git \w+|\b[\w-]+\.[a-z]\w*|\"[^\"]*\""
    return re.sub(code, " ", text, flags=re.ASCII)


def uses(word: str, text: str) -> bool:
    """Whether the prose of a text uses a word; an English one as a whole, in the singular or plural."""
    pattern = rf"(?<![A-Za-z_-]){re.escape(word)}(?:e?s)?(?![A-Za-z_=-]|::)" if word.isascii() else re.escape(word)
    return re.search(pattern, prose(text)) is not None


def wrong(english: str, chinese: str, among: Sequence[Word] = WORDS) -> list[str]:
    """The words that a translation lacks, or may not use."""
    lacks = [
        f"{word.english}: {', '.join(word.chinese)}"
        for word in among
        if word.english and uses(word.english, english) and not any(one in chinese for one in word.chinese)
    ]
    return [*lacks, *(f"not {one}" for word in among for one in word.forbidden if uses(one, chinese))]


TWICE = re.compile(
    r"(?:不是|并非|绝非|没有一|没有任何|没有哪)[^，。；：、\s（）就则时]{0,10}(?:不(?![同足])|没有)"
    r"|(?<!能)不[能会可得]不|无不|莫不|不无|非[^，。；：\s]{1,6}不可"
)
"""A negation of a negation in one clause: it says less than the plain sentence, and is read twice."""


def twice(text: str) -> list[str]:
    return [found[0] for found in TWICE.finditer(prose(text))]


STRAY = re.compile(r"[，。：；！？、）”] (?! |[|<]|$)|[\u4e00-\u9fff] +[\u4e00-\u9fff]| [，。：；）”]", re.MULTILINE)
"""Spaces where Chinese has none, as a break of a line leaves them."""


def test_no_space_is_stray() -> None:
    _, found = catalog("zh")
    said = ((str(m.string), "") for m in found if m.id and "\n" not in str(m.string))
    pages = (
        (re.sub(r"<!--.*?-->|```.*?```|^ .*?$", "", text_of(page), flags=re.DOTALL | re.MULTILINE), page)
        for page in PAGES
    )
    assert [(spaces, where) for text, where in (*said, *pages) if (spaces := STRAY.findall(text))] == []


def test_the_table_is_read() -> None:
    assert len(WORDS) > 40
    assert Word("kernel", ("核函数",), ("kernel", "内核")) in WORDS


def test_messages_use_the_words() -> None:
    _, found = catalog("zh")
    faults = [(m.id, m.string, what) for m in found if m.id and (what := wrong(str(m.id), str(m.string)))]
    assert faults == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_pages_use_the_words(page: Path) -> None:
    assert wrong("", text_of(page)) == []


def test_nothing_is_denied_twice() -> None:
    _, found = catalog("zh")
    texts = [*(str(m.string) for m in found if m.id), *map(text_of, PAGES)]
    assert [what for text in texts for what in twice(text)] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("没有一个核不等待", ["没有一个核不"]),
        ("这并非不可能", ["并非不"]),
        ("归约不能不写 identity", ["不能不"]),
        ("没有 clang++ 就不检查，行号不得重复", []),
        ("没有任何张量不同", []),
        ("不是实测值，不能相加", []),
    ],
)
def test_a_double_negation_is_told(text: str, expected: list[str]) -> None:
    assert twice(text) == expected


@pytest.mark.parametrize(
    ("english", "chinese", "expected"),
    [
        ("the kernels of {name}", "{name} 的核函数", []),
        ("the kernels of {name}", "{name} 的内核", ["kernel: 核函数", "not 内核"]),
        ("the kernel", "核函数 kernel", ["not kernel"]),
        ("write `kernel` or kernel=1", "请写 `kernel` 或 kernel=1", []),
        ("write f(kernel, (x, mask))", "请写 f(kernel, (x, mask))", []),
        ("a reduction", "规约", ["reduction: 归约", "not 规约"]),
    ],
)
def test_a_wrong_word_is_told(english: str, chinese: str, expected: list[str]) -> None:
    assert wrong(english, chinese) == expected
