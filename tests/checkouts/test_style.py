"""Formats: a build's is Catlass v1.6.3's, an installation's is the checkout's own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from evtgen.emit.format import STYLE, SUFFIXES, StyleRefused, executable, format_files

from ..support.checkouts import ADD, checkout
from ..support.command import run
from ..support.emitted import SPECS, emitted, shared

pytestmark = pytest.mark.slow

STYLE_FILE = Path(os.environ.get("CATLASS_HOME", "")) / ".clang-format"
NEEDS_HOME = pytest.mark.skipif("CATLASS_HOME" not in os.environ, reason="CATLASS_HOME names no Catlass checkout")


def settings(style: str, tmp_path: Path) -> str:
    """All settings that a style amounts to."""
    (tmp_path / ".clang-format").write_text(style)
    command = [str(executable()), "--style=file", "--dump-config"]
    return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout


def changed(files: dict[str, str], root: Path) -> list[str]:
    """The C++ files that clang-format changes, with the ``.clang-format`` in ``root``."""
    sources = {path: text for path, text in files.items() if path.endswith(SUFFIXES)}
    assert sources
    for path, text in sources.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    subprocess.run([str(executable()), "-i", "--style=file", *sources], cwd=root, check=True)
    return [path for path, text in sources.items() if (root / path).read_text(encoding="utf-8") != text]


def test_formatting_again_changes_nothing(tmp_path: Path) -> None:
    (tmp_path / ".clang-format").write_text(STYLE)
    assert changed(everything(), tmp_path) == []


@NEEDS_HOME
def test_catlass_s_settings_leave_a_build_as_it_is(tmp_path: Path) -> None:
    if not STYLE_FILE.is_file() or "BasedOnStyle: Google" not in STYLE_FILE.read_text(encoding="utf-8"):
        pytest.skip("CATLASS_HOME names a checkout from before v1.6")
    style = STYLE_FILE.read_text(encoding="utf-8")
    assert settings(style, tmp_path) == settings(STYLE, tmp_path)
    (tmp_path / ".clang-format").write_text(style, encoding="utf-8")
    assert changed(everything(), tmp_path) == []


@NEEDS_HOME
def test_an_installation_is_as_the_checkout_s_settings_leave_it(tmp_path: Path) -> None:
    if not STYLE_FILE.is_file():
        pytest.skip("CATLASS_HOME names a checkout without a .clang-format")
    root = tmp_path / "catlass"
    for part in ("include", "examples"):
        shutil.copytree(STYLE_FILE.parent / part, root / part)
    shutil.copy(STYLE_FILE, root)
    # Releases before v1.6 have no Ascend950
    specs = [spec for spec in SPECS if "Ascend950" not in spec.read_text(encoding="utf-8")]
    done = run("install", *specs, "--catlass", root, "--examples", "--json", cwd=tmp_path)
    assert done.returncode == 0 and "EVT077" not in done.stdout, done.stderr
    files = {path: (root / path).read_text(encoding="utf-8") for path in installed(root)}
    assert changed(files, root) == []


def everything() -> dict[str, str]:
    """All that a build writes for the examples and the gallery."""
    return {**shared(), **{path: text for spec in SPECS for path, text in emitted(spec).items()}}


def installed(root: Path) -> list[str]:
    """What the manifest of an installation lists."""
    return list(json.loads((root / ".evtgen-manifest.json").read_text())["files"])


def test_an_installation_follows_the_checkout(tmp_path: Path) -> None:
    (tmp_path / "spec.py").write_text(ADD)
    root = checkout(tmp_path / "catlass", "v1.5.0")
    style = "BasedOnStyle: LLVM\nIndentWidth: 3\nColumnLimit: 70\nSortIncludes: true\n"
    (root / ".clang-format").write_text(style)
    assert run("install", "spec.py", "--catlass", root, "--examples", cwd=tmp_path).returncode == 0
    files = {path: (root / path).read_text(encoding="utf-8") for path in installed(root)}
    assert changed(files, root) == []
    assert "\n   GM_ADDR X{nullptr};" in files["include/my_add.hpp"]
    assert "\n   CATLASS_HOST_DEVICE EVT::Arguments ToEvt() const {\n" in files["include/my_add.hpp"]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"BasedOnStyle: [\n", "Could not find closing ]"),
        (b"SettingOfTheFuture: 1\n", "unknown key 'SettingOfTheFuture'"),
        (b"Language: Java\nBasedOnStyle: Google\n", "not support C++"),
        (b"# caf\xe9\n", "it is not UTF-8"),
        (None, "it is not a file"),
    ],
)
def test_settings_that_cannot_be_used_are_a_warning(tmp_path: Path, content: bytes | None, words: str) -> None:
    (tmp_path / "spec.py").write_text(ADD)
    root = checkout(tmp_path / "catlass", "v1.5.0")
    if content is None:
        (root / ".clang-format").mkdir()
    else:
        (root / ".clang-format").write_bytes(content)
    done = run("install", "spec.py", "--catlass", root, cwd=tmp_path)
    assert done.returncode == 0 and "warning[EVT077]" in done.stderr and words in done.stderr, done.stderr
    assert "Traceback" not in done.stderr and "/evtgen-format-" not in done.stderr
    run("build", "spec.py", "-o", "include", cwd=tmp_path)
    assert (root / "include/my_add.hpp").read_text() == (tmp_path / "include/my_add.hpp").read_text()


def test_a_formatter_that_does_not_end_is_given_up(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sleeps = tmp_path / "clang-format"
    sleeps.write_text("#!/bin/sh\nexec sleep 30\n")
    sleeps.chmod(0o755)
    monkeypatch.setattr("evtgen.emit.format.executable", lambda: sleeps)
    monkeypatch.setattr("evtgen.emit.format.TIMEOUT", 0.1)
    with pytest.raises(StyleRefused, match="not done after"):
        format_files({"a.hpp": "int a;\n"})
