"""The compiler that may be missing, broken, or no compiler at all, and what it says."""

from __future__ import annotations

import errno
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from evtgen.diagnostics.diagnostic import Diagnostic, EvtgenError
from evtgen.model import compiler, processes
from evtgen.model.compiler import SHOWN, CompileFailure, excerpt, find_compiler, run
from evtgen.model.passes import _called
from evtgen.model.processes import Done
from evtgen.model.workers import each
from evtgen.system import limits


@pytest.fixture(autouse=True)
def store(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    find_compiler.cache_clear()
    monkeypatch.setenv("EVTGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("EVTGEN_CXX", raising=False)
    return tmp_path / "cache"


def test_no_more_compilers_run_at_once_than_there_are_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    running, most = [0], [0]

    def execute(*arguments: object, **more: object) -> Done:
        running[0] += 1
        most[0] = max(most[0], running[0])
        time.sleep(0.02)
        running[0] -= 1
        return Done(0, "", "", None, None)

    monkeypatch.setattr(processes, "run", execute)
    threads = 3 * (os.cpu_count() or 1)
    each(lambda _: run(["g++"], tmp_path), range(threads), None, threads=threads)
    assert most == [os.cpu_count()]


@pytest.fixture
def script(tmp_path: Path) -> Callable[[str], str]:
    """Makes a compiler of a shell script; ``$CXX`` in it is a real one."""

    def make(text: str) -> str:
        path = tmp_path / "compiler"
        real = shutil.which("g++") or shutil.which("clang++")
        path.write_text(f"#!/bin/sh\nCXX={real}\n{text}\n")
        path.chmod(0o755)
        return str(path)

    return make


def refusal(name: str | None) -> Diagnostic:
    with pytest.raises(EvtgenError) as caught:
        find_compiler(name)
    assert caught.value.status == 3
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "EVT090" and len(diagnostic.message.splitlines()) == 1
    assert len(diagnostic.message) < 240
    return diagnostic


def test_a_missing_one() -> None:
    assert "apt-get install" in str(refusal("no-such-compiler").help)
    assert "''" in refusal("").message


@pytest.mark.parametrize(("c", "cxx"), [("gcc", "g++"), ("clang", "clang++")])
def test_a_compiler_of_c_does_not_link_and_its_sister_is_named(c: str, cxx: str) -> None:
    if shutil.which(c) is None:
        pytest.skip(f"no {c}")
    assert f"--cxx {cxx}" in str(refusal(c).help)


BROKEN = {
    "writes nothing": "exit 0",
    "says nothing": "[ $1 = --version ] && exit 0; exit 5",
    "is killed": "[ $1 = --version ] && exit 0; kill -9 $$",
    "says much": "[ $1 = --version ] && exit 0; yes 'x.cpp:1: error: no' | head -n 3000 >&2; exit 1",
    "says no text": "[ $1 = --version ] && exit 0; head -c 3000 /dev/urandom >&2; exit 1",
    "refuses to say its version": "exit 1",
}


@pytest.mark.parametrize("how", BROKEN)
def test_one_that_is_broken(script: Callable[[str], str], how: str) -> None:
    refusal(script(BROKEN[how]))


@pytest.mark.parametrize("program", ["true", "false", "cat", "ls", "yes"])
def test_what_is_no_compiler(program: str) -> None:
    refusal(program)


def test_what_is_no_program(tmp_path: Path) -> None:
    for name, content in {"empty": b"", "text": b"hello\n", "elf": b"\x7fELF" + bytes(60)}.items():
        (tmp_path / name).write_bytes(content)
        (tmp_path / name).chmod(0o755)
        refusal(str(tmp_path / name))


def test_one_that_does_not_end(monkeypatch: pytest.MonkeyPatch, script: Callable[[str], str]) -> None:
    monkeypatch.setattr(compiler, "_TRIAL_SECONDS", 0.2)
    assert "not done" in refusal(script("exec sleep 60")).message


def test_the_next_candidate_is_taken_if_the_first_does_not_work(
    monkeypatch: pytest.MonkeyPatch, script: Callable[[str], str]
) -> None:
    good = shutil.which("g++") or shutil.which("clang++")
    assert good is not None
    monkeypatch.setattr(compiler, "_CANDIDATES", (script("exit 0"), good))
    assert find_compiler().path == good


def test_the_environment_names_one_where_the_caller_does_not(
    monkeypatch: pytest.MonkeyPatch, script: Callable[[str], str]
) -> None:
    own, other = script('exec $CXX "$@"'), "/no/such/compiler"
    monkeypatch.setenv("EVTGEN_CXX", other)
    assert find_compiler(own).path == own and other in refusal(None).message
    monkeypatch.setenv("EVTGEN_CXX", own)
    assert find_compiler().path == own


def test_a_trial_is_remembered_until_the_compiler_changes(script: Callable[[str], str], tmp_path: Path) -> None:
    log = tmp_path / "log"
    text = f'case " $* " in *" trial.cpp "*) echo trial >> {log};; esac\nexec $CXX "$@"'

    def trials(path: str) -> int:
        find_compiler.cache_clear()
        find_compiler(path)
        return len(log.read_text().splitlines())

    path = script(text)
    assert [trials(path), trials(path)] == [1, 1]
    script(f"{text}\n# another")
    assert [trials(path), trials(path)] == [2, 2]


def test_a_relative_name_is_found_from_elsewhere(
    monkeypatch: pytest.MonkeyPatch, script: Callable[[str], str], tmp_path: Path
) -> None:
    script('exec $CXX "$@"')
    monkeypatch.chdir(tmp_path)
    assert find_compiler("./compiler").path == str(tmp_path / "compiler")


def output(lines: int) -> str:
    before = [f"a.hpp:{i}: warning: odd" for i in range(30)]
    return "\n".join([*before, "a.hpp:7:3: error: no such thing", *(f"note {i}" for i in range(lines))])


def test_twelve_lines_from_the_first_error_and_where_the_rest_is(store: Path) -> None:
    words = output(4000)
    shown = excerpt(words).splitlines()
    assert len(shown) == SHOWN + 1 and shown[0].endswith("error: no such thing")
    kept = Path(shown[-1].rpartition(" ")[2])
    assert kept.is_relative_to(store) and kept.read_text() == words
    assert f"{4031 - SHOWN} more lines" in shown[-1]


def test_a_short_output_is_shown_as_it_is(store: Path) -> None:
    words = "a.hpp:7:3: error: no such thing\n    code\n    ^~~~"
    assert excerpt(words) == words and not store.exists()


def test_a_long_line_is_shortened_and_kept(store: Path) -> None:
    shown = excerpt(f"a.hpp:1: error: {'x' * 5000}").splitlines()
    assert max(map(len, shown[:1])) <= 240 and Path(shown[-1].rpartition(" ")[2]).stat().st_size > 5000


def test_a_compiler_that_runs_out_of_memory(script: Callable[[str], str], tmp_path: Path) -> None:
    for text in ("kill -9 $$", "echo 'g++: fatal error: Killed signal terminated program cc1plus' >&2; exit 1"):
        with pytest.raises(EvtgenError) as caught:
            run([script(text)], tmp_path)
        assert caught.value.diagnostics[0].code == "EVT067"


def test_words_in_no_encoding(script: Callable[[str], str], tmp_path: Path) -> None:
    with pytest.raises(CompileFailure, match="a\ufffdb"):
        run([script(r"printf 'a\377b' >&2; exit 1")], tmp_path)


@pytest.mark.parametrize("place", ["cache", "temporary"])
def test_a_full_disk_is_named(
    monkeypatch: pytest.MonkeyPatch, script: Callable[[str], str], tmp_path: Path, place: str
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    (tmp_path / "tmp").mkdir()
    (tmp_path / "entry").mkdir()
    file = "program" if place == "cache" else f"{tmp_path}/tmp/cc1.s"
    words = f"error writing to {file}: {os.strerror(errno.ENOSPC)}"
    assert limits.says_full(words)
    with pytest.raises(EvtgenError) as caught:
        run([script(f"echo '{words}' >&2; exit 1")], tmp_path / "entry")
    (diagnostic,) = caught.value.diagnostics
    wanted = {"cache": "the cache", "temporary": str(tmp_path / "tmp")}[place]
    assert diagnostic.code == "EVT098" and wanted in diagnostic.message


def test_a_tool_beside_the_compiler_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(EvtgenError, match=r"(?s)EVT090.*cannot run objdump.*binutils"):
        _called(tmp_path, "vector.o")
