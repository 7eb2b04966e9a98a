"""First runs: an empty cache, several at once, full disks, and headers that do not compile."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from evtgen.measure.device_clang import find_clang
from evtgen.model.toolchain import find_compiler, machine_library

from ..support.cpp import quick_compiler
from ..support.paths import CHECKOUT

SPEC = CHECKOUT / "examples" / "33_cast_evt.py"


def quick(tmp_path: Path, real: str) -> Path:
    """A compiler for which the CPU model is 2 MB of text: they fill a disk as the model would, and take no time."""
    path = tmp_path / "compiler"
    path.write_text(f"""\
#!/bin/sh
for output; do :; done
case "$*" in *" -c unit"*)
    printf 'char text[] = "%s";' "$(head -c 2000000 /dev/zero | tr '\\0' x)" > {tmp_path}/"$output".cpp
    exec {real} -c {tmp_path}/"$output".cpp -o "$output" ;;
esac
exec {real} "$@" -O0
""")
    path.chmod(0o755)
    return path


def start(*arguments: object, cwd: Path | None = None, environment: Mapping[str, object] = {}) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "evtgen", *map(str, arguments)]
    given = {**os.environ, "PYTHONPATH": str(CHECKOUT), **{k: str(v) for k, v in environment.items()}}
    return subprocess.Popen(
        command, cwd=cwd, env=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL
    )


FIRST = "building the CPU model, once for this compiler; that takes a minute or two\n"
"""What the one of them says that builds it."""


def test_three_at_once_build_the_model_and_the_program_once(tmp_path: Path) -> None:
    cache = {"EVTGEN_CACHE": tmp_path / "cache"}
    compiler = quick_compiler(tmp_path / "compiler", log=tmp_path / "log")
    runs = [start("verify", SPEC, "--shape", "3x7x5", "--cxx", compiler, environment=cache) for _ in range(3)]
    for run in runs:
        out, words = run.communicate()
        assert run.returncode == 0, words
        assert "2 of 2 ok" in out and words in ("", FIRST)
    log = (tmp_path / "log").read_text().splitlines()
    sources = [part for line in log for part in line.split() if part.endswith(".cpp") and not part.startswith("trial")]
    assert len(sources) == len(set(sources)) and {"harness.cpp", "unit0.cpp"} <= {*sources}
    left = {path.name for kind in (tmp_path / "cache").iterdir() for path in kind.iterdir()}
    assert {name for name in left if name.startswith(".")} <= {f".{name}.lock" for name in left}


def test_a_relative_cache_is_where_evtgen_started(tmp_path: Path) -> None:
    built = machine_library(find_compiler()).parent
    shutil.copytree(built, tmp_path / "own" / "machine" / built.name)
    spec = tmp_path / "away.py"
    spec.write_text(f"import os\nos.chdir('/')\n{SPEC.read_text()}")
    run = start("verify", spec, "--shape", "3x7x5", cwd=tmp_path, environment={"EVTGEN_CACHE": "own"})
    assert run.communicate()[1] == "" and run.returncode == 0
    examined = ["language"] if find_clang(None) else []
    kinds = sorted(path.name for path in (tmp_path / "own").iterdir())
    assert kinds == ["compilers", "headers", *examined, "machine", "programs"]
    assert [path.name for path in (tmp_path / "own" / "machine").iterdir()] == [built.name]


def test_a_header_that_does_not_compile_is_said_once_in_twelve_lines(tmp_path: Path) -> None:
    root = tmp_path / "include"
    subprocess.run([sys.executable, "-m", "evtgen", "build", SPEC, "-o", root], check=True, stdout=subprocess.DEVNULL)
    header = root / "cast_evt.hpp"
    header.write_text(header.read_text() + "".join(f"int x{i} = nothing{i};\n" for i in range(500)))
    # clang++ stops after 20 errors.
    run = start("verify", SPEC, "--headers", root, environment={"EVTGEN_CXX": ""})
    out, words = run.communicate()
    assert run.returncode == 1 and words.startswith("warning[EVT019]") and "nothing" not in words
    assert out.count("refuses the header") == 1 and out.count("nothing0") <= 3 and "nothing100" not in out
    (kept,) = [line.rpartition(" ")[2] for line in out.splitlines() if "all of it is in" in line]
    assert "nothing499" in Path(kept).read_text()
    # Six runs in the table, and the words of the compiler once.
    assert len(out.splitlines()) < 30


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A file system of one MiB."""
    place = tmp_path / "small"
    place.mkdir()
    done = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", place], capture_output=True, check=False, text=True
    )
    if done.returncode != 0:
        pytest.skip(f"a file system can be mounted only by root: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", place], check=True)


def full(*arguments: object, environment: Mapping[str, object] = {}) -> str:
    """The message of a run that ends with EVT098."""
    run = start(*arguments, environment=environment)
    out, words = run.communicate()
    assert run.returncode == 3, (out, words)
    assert "error[EVT098]" in words and len(words.splitlines()) < 5, words
    return words


@pytest.mark.parametrize("cxx", ["g++", "clang++"])
def test_a_full_cache(small: Path, tmp_path: Path, cxx: str) -> None:
    if shutil.which(cxx) is None:
        pytest.skip(f"no {cxx}")
    compiler = quick(tmp_path, cxx)
    words = full("verify", SPEC, "--shape", "3x7x5", "--cxx", compiler, environment={"EVTGEN_CACHE": small})
    assert "the cache" in words and str(small) in words and "EVTGEN_CACHE" in words


@pytest.mark.parametrize("cxx", ["g++", "clang++"])
def test_a_full_place_for_temporary_files_while_compiling(small: Path, tmp_path: Path, cxx: str) -> None:
    if shutil.which(cxx) is None:
        pytest.skip(f"no {cxx}")
    (small / "filler").write_bytes(bytes(1000 * 1024))
    environment = {"EVTGEN_CACHE": tmp_path / "cache", "TMPDIR": small}
    words = full("verify", SPEC, "--shape", "3x7x5", "--cxx", quick(tmp_path, cxx), environment=environment)
    assert "temporary files" in words and str(small) in words and "TMPDIR" in words


@pytest.mark.parametrize("shape", ["900x300x16", "500x500x16", "16x16x20000"])
def test_a_full_place_for_temporary_files_while_running(small: Path, shape: str) -> None:
    """The operands of the first do not fit, of the second the outputs, of the third A."""
    start("verify", SPEC, "--shape", "3x7x5").communicate()
    words = full("verify", SPEC, "--shape", shape, environment={"TMPDIR": small})
    assert "temporary files" in words and str(small) in words and "TMPDIR" in words


def test_a_full_disk_of_dumps(small: Path) -> None:
    words = full("verify", SPEC, "--shape", "300x300x16", "--dump", small)
    assert str(small) in words and "EVTGEN_CACHE" not in words and "TMPDIR" not in words


def test_a_full_target(small: Path) -> None:
    (small / "filler").write_bytes(bytes(1000 * 1024))
    run = start("build", SPEC, "-o", small / "include")
    words = run.communicate()[1]
    assert run.returncode == 3 and "EVT095" in words
    assert str(small) in words and os.strerror(errno.ENOSPC) in words
    assert "EVTGEN_CACHE" not in words and "TMPDIR" not in words


@pytest.mark.parametrize("left", [100, 30, 0])
def test_a_full_place_for_temporary_files_while_building(small: Path, tmp_path: Path, left: int) -> None:
    (small / "filler").write_bytes(bytes((1024 - left) * 1024 - 4096))
    run = start("build", SPEC, "-o", tmp_path / "include", environment={"TMPDIR": small})
    words = run.communicate()[1]
    # Python turns to another directory when it finds this one full.
    assert run.returncode == 0 or (run.returncode == 3 and "EVT098" in words and str(small) in words), words
    assert left != 100 or run.returncode == 3
