"""The pages about Python: what they show happens."""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ..support.paths import CHECKOUT

pytestmark = pytest.mark.cxx

DOCS = CHECKOUT / "docs"
LOOSE = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def blocks(page: str, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```", (DOCS / page).read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )


def test_the_session_of_the_page_goes_as_shown() -> None:
    session = doctest.DocTestParser().get_doctest("\n".join(blocks("python.md", "pycon")), {}, "python.md", None, 0)
    said: list[str] = []
    result = doctest.DocTestRunner(optionflags=LOOSE).run(session, out=said.append)
    assert result.attempted > 20 and not result.failed, "".join(said)


def test_the_users_tests_pass_and_can_fail(tmp_path: Path) -> None:
    """As they are in the page, and with another kernel than is meant."""
    spec, tests = blocks("testing.md", "python")[:2]
    for name, text in (("epilogues.py", spec), ("test_epilogues.py", tests)):
        assert text.startswith(f"# {name}\n")
        (tmp_path / name).write_text(text, encoding="utf-8")

    def run(*more: str) -> str:
        options = ("-q", "-p", "no:cacheprovider", "-p", "no:xdist", *more)
        command = [sys.executable, "-m", "pytest", *options, "test_epilogues.py"]
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(CHECKOUT), str(tmp_path)])}
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        return done.stdout

    assert "5 passed" in run()
    (tmp_path / "test_epilogues.py").write_text(tests.replace("alpha * acc + X", "alpha * acc - X"), encoding="utf-8")
    said = run("-k", "kernel_is_right")
    assert "2 failed, 3 deselected" in said
    assert "error[EVT204]: 2 of 2 runs failed, of scaled_add" in said and "D is not what meant gives in" in said
