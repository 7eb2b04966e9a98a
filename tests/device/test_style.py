"""The model's C++ as its own formatter and linter want it."""

import shutil
import subprocess
from pathlib import Path

import pytest

from evtgen.emit.format import executable
from evtgen.model.toolchain import find_compiler, machine_library

from ..support.cpp import compilers
from ..support.paths import DEVICE

SOURCES = sorted(path for path in DEVICE.rglob("*") if path.suffix in {".h", ".hpp", ".cpp"})


def formatted(*paths: Path) -> subprocess.CompletedProcess[str]:
    command: list[str | Path] = [executable(), "--dry-run", "-Werror", "--style=file", "--fallback-style=none", *paths]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_formatted() -> None:
    assert {path.name for path in SOURCES} >= {"kernel_operator.h", "core.cpp", "block_mmad.hpp"}
    run = formatted(*SOURCES)
    assert run.returncode == 0, run.stderr


def test_the_formatter_notices(tmp_path: Path) -> None:
    for name in ("", "catlass"):
        directory = tmp_path / name
        directory.mkdir(exist_ok=True)
        shutil.copy(DEVICE / name / ".clang-format", directory)
        (directory / "bad.hpp").write_text("void F( int  a ){}\n")
        assert formatted(directory / "bad.hpp").returncode != 0


@pytest.mark.parametrize("cxx", compilers())
def test_no_warnings(cxx: str) -> None:
    library = machine_library(find_compiler(cxx))
    assert library.with_name("warnings.txt").read_text(encoding="utf-8") == ""


def tidy(source: Path, *more: str) -> subprocess.CompletedProcess[str]:
    found = shutil.which("clang-tidy")
    if found is None:
        pytest.skip("clang-tidy is missing: apt-get install clang-tidy")
    command: list[str | Path] = [found, "--quiet", f"--config-file={DEVICE / '.clang-tidy'}", *more]
    command += [source, "--", "-std=c++17", f"-I{DEVICE}"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_tidy(tmp_path: Path) -> None:
    """All files at once, as parts of one: what they include is read once."""
    sources = sorted(DEVICE.glob("*/*.cpp"))
    assert len(sources) > 20
    whole = tmp_path / "whole.cpp"
    whole.write_text("".join(f'#include "{path}"\n' for path in sources))
    run = tidy(whole, f"--header-filter=^{DEVICE}/[^/]*/[^/]*\\.cpp$", "--checks=-bugprone-suspicious-include")
    assert run.returncode == 0, run.stdout


def test_tidy_notices(tmp_path: Path) -> None:
    source = tmp_path / "bad.cpp"
    source.write_text("int F(int* p) { p = 0; return *p; }\n")
    assert "modernize-use-nullptr" in tidy(source).stdout
