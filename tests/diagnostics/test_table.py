"""The table of codes, and the messages that are declared with them."""

from __future__ import annotations

import ast
import string
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

import docs.generate.errors  # noqa: F401 - importing it declares every code
import evtgen
from evtgen.diagnostics.table import TABLE, Code, declare

ROOT = Path(evtgen.__file__).parent
NAMED = {
    name: thing
    for path in (ROOT / "diagnostics").glob("[!_]*.py")
    for name, thing in vars(import_module(f"evtgen.diagnostics.{path.stem}")).items()
    if isinstance(thing, Code)
}
"""Each code by the name that the code of evtgen has for it."""


def fields(code: Code, when: str) -> set[str]:
    texts = [text for text in code.says[when] if text]
    return {name for text in texts for _, name, _, _ in string.Formatter().parse(text) if name}


@pytest.mark.parametrize("code", [code for code in TABLE.values() if code.says], ids=lambda code: code.code)
def test_a_message_takes_values_for_its_fields(code: Code) -> None:
    for when in code.says:
        try:
            names = fields(code, when)
        except ValueError:  # braces stand for themselves where there are no fields
            names = set()
        assert all(name.isidentifier() for name in names), (when, names)
        made = code.of(when, **dict.fromkeys(names, 7))  # type: ignore[arg-type]
        assert made.message and (not names or "7" in made.message + (made.help or ""))


def calls() -> Iterator[tuple[str, Code, ast.Call]]:
    """Each call that reports a declared message, with its place."""
    for path in sorted(ROOT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                owner = node.func.value
                name = owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")
                if node.func.attr in ("of", "refusal", "here") and name in NAMED:
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", NAMED[name], node


def test_a_call_names_a_message_and_gives_its_values() -> None:
    wrong: list[tuple[str, str, object]] = []
    for place, code, call in calls():
        literals = [str(n.value) for n in ast.walk(call.args[0]) if isinstance(n, ast.Constant)] if call.args else [""]
        given = {keyword.arg for keyword in call.keywords}
        for when in (literal for literal in literals if literal in code.says or not call.args):
            if when not in code.says or (None not in given and fields(code, when) - given):
                wrong.append((place, code.code, when))
        if literals and not set(literals) & set(code.says):
            wrong.append((place, code.code, literals))
    assert wrong == []


def test_a_code_is_declared_once() -> None:
    with pytest.raises(ValueError, match="twice"):
        declare(next(iter(TABLE)), "", "")
