"""The catalogs: every message of the code, in every language."""

from __future__ import annotations

import gettext
import string

import pytest
from babel.messages.catalog import Message

from docs.generate.messages import merged, written
from evtgen.system.translation import DOMAIN, LANGUAGES, LOCALE, chosen

from ..support.catalogs import catalog

OTHERS = sorted(LANGUAGES.keys() - {"en"})

UPDATE = "run: python -m docs.generate messages evtgen/system/locale"

PLURAL = {"s", "be"}
"""Fields for what only English has: the ending of a plural, and its verb."""


def fields(text: str) -> set[str]:
    """The fields of a format, with what is said of how to show them."""
    return {f"{name}!{conversion}:{spec}" for _, name, spec, conversion in string.Formatter().parse(text) if name}


def wrong(message: Message) -> str | None:
    """What is wrong with a translation."""
    assert isinstance(message.id, str) and isinstance(message.string, str), "there are no plural forms"
    if not message.string:
        return "is missing"
    if message.fuzzy:
        return "is fuzzy"
    if "{" in message.id:
        try:
            lost = fields(message.id) ^ fields(message.string)
        except ValueError:  # braces that stand for themselves
            return None
        return f"differs in {sorted(lost)}" if lost - {f"{name}!None:" for name in PLURAL} else None
    return None


@pytest.mark.parametrize("language", OTHERS)
def test_no_message_is_missing(language: str) -> None:
    po, found = catalog(language)
    assert written(merged(language, po)) == po, UPDATE
    assert [(m.id, what) for m in found if m.id and (what := wrong(m))] == []


@pytest.mark.parametrize("language", OTHERS)
def test_what_gettext_reads_is_that(language: str) -> None:
    _, found = catalog(language)
    compiled = gettext.translation(DOMAIN, LOCALE, [language])
    stale = [m.id for m in found if m.id and compiled.gettext(str(m.id)) != m.string]
    assert stale == [], "the catalog was changed after it was compiled: run make, which installs again"


@pytest.mark.parametrize(
    ("id", "string", "expected"),
    [
        ("{name} is {T}", "{T} {name}", None),
        ("{name} is {T}", "{name}", "differs in ['T!None:']"),
        ("{name!r}", "{name}", "differs in ['name!None:', 'name!r:']"),
        ("{count} buffer{s}", "{count}", None),
        ("{count}", "", "is missing"),
    ],
)
def test_a_wrong_translation_is_told(id: str, string: str, expected: str | None) -> None:
    assert wrong(Message(id, string)) == expected


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({}, "en"),
        ({"LANG": "C.UTF-8"}, "en"),
        ({"LANG": "zh_CN.UTF-8"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "LC_ALL": "C"}, "en"),
        ({"LANG": "zh_CN.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"),
        ({"LANG": "de_DE.UTF-8", "LANGUAGE": "zh_TW:en"}, "zh"),
        ({"LANG": "zh-Hans"}, "zh"),
        ({"LANG": "zh_CN.UTF-8", "EVTGEN_LANG": "en"}, "en"),
        ({"LANG": "en_US.UTF-8", "EVTGEN_LANG": "zh"}, "zh"),
        ({"LANG": "zhong"}, "en"),
    ],
)
def test_the_language_is_that_of_the_environment(environment: dict[str, str], expected: str) -> None:
    assert chosen(environment) == expected
