"""Every rule of the device's C++ is held, and its near misses are silent."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evtgen.measure import device_clang as clang
from evtgen.measure.compiled import examined
from evtgen.model.compiler import Compiler
from evtgen.model.programs import Sources
from evtgen.model.roots import include_roots

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def compiler() -> Compiler:
    found = clang.find_clang(None)
    if found is None:
        pytest.skip("clang++ is not installed")
    return found


def expected(text: str) -> set[tuple[int, str]]:
    """The lines of a header that break a rule, and its code."""
    return {
        (number, match[1])
        for number, line in enumerate(text.splitlines(), 1)
        if (match := re.search(r"// (EVT\d+)$", line))
    }


@pytest.mark.parametrize("name", ["run_time", "refused"])
def test_each_rule_is_held_and_near_misses_are_silent(name: str, compiler: Compiler) -> None:
    text = (HERE / f"{name}.hpp").read_text(encoding="utf-8")
    given = Sources({f"{name}.hpp": text}, [], include_roots(None), None, ["-DCATLASS_ARCH=2201"])
    found = examined(compiler, {name: f"{name}::Kernel"}, given, measured=False)
    assert found["note"] == ""
    assert {finding["file"] for finding in found["findings"]} == {f"{name}.hpp"}
    assert {(finding["line"], finding["code"]) for finding in found["findings"]} == expected(text), found["findings"]
