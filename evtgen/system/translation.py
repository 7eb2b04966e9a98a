"""Messages in the user's language, by gettext.

English is the source: a message is written in it, with a field in braces for each value, and is its own key in the
catalogs of ``evtgen/system/locale``. A catalog that lacks a message, and a language without a catalog, leave it in
English.

The language is chosen once, when this module is loaded: by ``EVTGEN_LANG`` (the option ``--lang`` sets it), else, as
with other programs, by the first of ``LANGUAGE``, ``LC_ALL``, ``LC_MESSAGES`` and ``LANG`` that is set.
"""

from __future__ import annotations

import gettext
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

DOMAIN = "evtgen"
"""The name of the catalogs."""

LOCALE = Path(__file__).parent / "locale"
"""Where they are, a folder for each language."""

LANGUAGES = {"en": "English", "zh": "中文"}
"""The languages that there are, by their codes, each by its own name."""

VARIABLE = "EVTGEN_LANG"
"""The environment variable that names one of them."""


def chosen(environment: Mapping[str, str]) -> str:
    """The code of the language that the environment asks for, English for one that there is not."""
    for variable in (VARIABLE, "LANGUAGE", "LC_ALL", "LC_MESSAGES", "LANG"):
        if wanted := environment.get(variable):
            codes = (re.split("[_.@-]", one.lower())[0] for one in wanted.split(":"))
            return next((code for code in codes if code in LANGUAGES), "en")
    return "en"


LANGUAGE = chosen(os.environ)
"""The code of the language of this process."""

_CATALOG = (
    gettext.NullTranslations() if LANGUAGE == "en" else gettext.translation(DOMAIN, LOCALE, [LANGUAGE], fallback=True)
)


def tr(text: str, /, **fields: object) -> str:
    """The text in the user's language, with its fields, as of ``str.format``, filled in.

    Without fields, braces stand for themselves.
    """
    found = _CATALOG.gettext(text)
    return found.format(**fields) if fields else found


def recognised(text: str, messages: Iterable[str]) -> str:
    """A text that other code has made of one of these messages, in the user's language, and so the texts in its
    fields; as it is if it is of none."""
    for one in () if LANGUAGE == "en" else messages:
        if found := re.fullmatch(_FIELD.sub(r"(?P<\1>.+)", re.escape(one)), text, re.DOTALL):
            # Quotes of a field are in what was found.
            fields = {name: recognised(value, messages) for name, value in found.groupdict().items()}
            return tr(one).replace("!r}", "}").format(**fields)
    return text


_FIELD = re.compile(r"\\{(\w+)(?:!r)?\\}")


def share() -> None:
    """Let libraries that ask gettext themselves, as that of the command line does, speak the language too."""
    os.environ["LANGUAGE"] = LANGUAGE
    gettext.bindtextdomain(DOMAIN, str(LOCALE))
    gettext.textdomain(DOMAIN)
