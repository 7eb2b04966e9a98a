"""--banner: the user's text on top of every file, as a comment, or a diagnostic."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.banner import read_banner

from ..support.checkouts import ADD, checkout
from ..support.command import run
from ..support.cpp import check_syntax, compilers

pytestmark = pytest.mark.slow

LINES = ["Copyright (c) Ünïcode GmbH.", "", "    All rights reserved; C:\\dir\\ and # marks ## do no harm. \\"]
BANNER = f"\n{LINES[0]}   \n\n\t{LINES[2].strip()}\n"


def _block(mark: str) -> str:
    return "".join(f"{mark} {line}".rstrip() + "\n" for line in LINES)


TEXTS = {
    ".hpp": f"/*\n{_block(' *')} */\n\n",
    ".cpp": f"/*\n{_block(' *')} */\n\n",
    ".txt": f"{_block('#')}\n",
    ".md": "<!--\n" + "\n".join(LINES) + "\n-->\n\n# my_add\n",
}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "spec.py").write_text(ADD)
    (tmp_path / "licence").write_text(BANNER, encoding="utf-8")
    return tmp_path


def emitted(root: Path) -> list[Path]:
    return [path for path in root.rglob("*") if path.suffix in TEXTS]


def starts_right(path: Path) -> bool:
    text = path.read_text(encoding="utf-8")
    return text.startswith(TEXTS[path.suffix]) and text.count("Ünïcode") == 1


@pytest.mark.cxx
@pytest.mark.parametrize("cxx", compilers())
def test_every_file_of_a_build_has_it(here: Path, cxx: str) -> None:
    build = ("build", "spec.py", "-o", "include", "--examples", "examples", "--banner", "licence")
    assert run(*build, cwd=here).returncode == 0
    files = emitted(here / "include") + emitted(here / "examples")
    assert {path.suffix for path in files} == set(TEXTS)
    assert [path for path in files if not starts_right(path)] == []
    done = check_syntax(cxx, here / "include", '#include "my_add.hpp"\n')
    assert done.returncode == 0, done.stderr
    assert run(*build, "--check", cwd=here).returncode == 0
    assert run(*build[:-2], "--check", cwd=here).returncode == 1


def test_every_file_of_an_installation_has_it(here: Path) -> None:
    root = checkout(here / "catlass", "v1.5.0")
    done = run("install", "spec.py", "--catlass", root, "--examples", "--banner", "licence", "--json", cwd=here)
    assert done.returncode == 0, done.stderr
    written = [Path(path) for path in json.loads(done.stdout)["written"] if not path.endswith(".json")]
    assert written and all(starts_right(here / path) for path in written)
    assert run("uninstall", "--catlass", root, cwd=here).returncode == 0
    assert not (root / "examples/common").exists()


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"caf\xe9", "is not UTF-8"),
        (b"a */ b", "begins or ends a comment"),
        (b"fine\nsee /* here", ":2: '/*' begins or ends a comment"),
        (b"-->", "begins or ends a comment"),
        (b"a\x00b", "cannot be printed"),
        ("right to left \u202e".encode(), "cannot be printed"),
        (b"x" * 117, "117 columns; 116 are allowed"),
        (b" \n\n", "holds no text"),
        (None, "cannot read"),
    ],
)
@pytest.mark.parametrize("command", ["build", "install"])
def test_what_is_no_comment_is_refused(here: Path, content: bytes | None, words: str, command: str) -> None:
    root = checkout(here / "catlass", "v1.5.0")
    if content is not None:
        (here / "wrong").write_bytes(content)
    where = ["-o", "include"] if command == "build" else ["--catlass", root]
    done = run(command, "spec.py", *where, "--banner", "wrong", cwd=here)
    assert done.returncode == 2 and "error[EVT076]" in done.stderr and words in done.stderr, done.stderr
    assert "Traceback" not in done.stderr
    assert not (here / "include").exists() and not (root / "include/my_add.hpp").exists()


def test_the_longest_line_fits(here: Path) -> None:
    (here / "licence").write_text("x " * 57 + "xx\n" + "y" * 116)
    assert run("build", "spec.py", "-o", "include", "--banner", "licence", cwd=here).returncode == 0
    text = (here / "include/my_add.hpp").read_text()
    assert text.startswith(f"/*\n * {'x ' * 57}xx\n * {'y' * 116}\n */\n")


def test_a_file_without_an_end_is_refused() -> None:
    with pytest.raises(EvtgenError) as caught:
        read_banner(Path("/dev/zero"))
    assert caught.value.diagnostics[0].code == "EVT076"
