"""Functions of the framework carry the qualifier of the side that they run on, as Catlass's own do."""

from __future__ import annotations

import re

from evtgen.emit.framework import Framework
from evtgen.emit.render import framework_files

OF_THE_HOST = {
    "CanImplement", "GetWorkspaceSize", "CanServe", "CanCount", "MaxBlockRows", "HasShape", "HasRoom", "CanBeginAt",
    "can_implement", "bool", "VerdictOf", "RefusalOf", "RefusalOfRows", "CanStride", "CanOrder", "HasColumns",
    "HasWholeBytes", "BeginWithBytes",
}  # fmt: skip
"""What only a host asks, with the conversion of a verdict. Catlass's own have no qualifier there."""

END = re.compile(r"[;{}]$|^(?:public|private|protected):$")
"""The end of the line before a declaration."""

STATEMENT = re.compile(r"^(?:\} )?(?:if|else|for|while|switch|do)\b")


def unqualified(text: str) -> list[str]:
    """The names of the functions defined without a qualifier. A body starts on a line of its own, or is empty."""
    lines = [re.sub(r"\s*//.*", "", line).strip() for line in text.splitlines()]
    found = []
    for at, line in enumerate(lines):
        if line == "{" or line.endswith("{}"):
            start = at
            while start > 0 and lines[start - 1] and not END.search(lines[start - 1]):
                start -= 1
            head = " ".join(lines[start : at + 1])
            name = re.search(r"(operator\(\)|~?\w+)\s*\(", head)
            if name is not None and "CATLASS_" not in head and not STATEMENT.match(head):
                found.append(name[1])
    return found


def test_functions_without_a_qualifier_are_seen() -> None:
    text = (
        "struct S {\n    static constexpr int f(int x)\n    {\n        if (x) {\n        }\n        return x;\n    }\n"
    )
    assert unqualified(text) == ["f"]
    assert unqualified(text.replace("static", "CATLASS_HOST_DEVICE static")) == []


def test_every_function_of_the_framework_has_its_qualifier() -> None:
    files = framework_files(Framework())
    found = {(path, name) for path, text in files.items() for name in unqualified(text)}
    assert {name for _, name in found} == OF_THE_HOST, found


def test_no_constant_is_computed_by_a_lambda() -> None:
    """Catlass's qualifiers cannot stand before a lambda's parameters."""
    for path, text in framework_files(Framework()).items():
        assert not re.search(r"\[[&=]?\]\s*\(", text), path
