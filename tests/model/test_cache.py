"""The cache: nothing in it is trusted, whoever damaged it, and nothing of dead processes stays."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.model import cache

FILES = ["program", "warnings.txt"]
PROGRAM = "#!/bin/sh\nexit 7\n"

EXAMPLES = int(os.environ.get("EVTGEN_FUZZ", "150"))
"""Of the fuzz target; more by ``make fuzz``."""


class Builder:
    """Builds an entry, and counts."""

    def __init__(self) -> None:
        self.built = 0

    def __call__(self, at: Path) -> None:
        self.built += 1
        assert list(at.iterdir()) == []
        (at / "program").write_text(PROGRAM)
        (at / "program").chmod(0o755)
        (at / "warnings.txt").write_text("a.hpp:1: warning: odd\n")

    def entry(self, name: str = "name") -> Path:
        return cache.entry("programs", name, FILES, self)


@pytest.fixture
def root(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("EVTGEN_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "programs"


@pytest.fixture
def builder(root: Path) -> Builder:
    return Builder()


def sound(entry: Path) -> bool:
    return os.system(str(entry / "program")) == 7 << 8 and (entry / "warnings.txt").read_text().startswith("a.hpp")


def into_directory(path: Path) -> None:
    path.unlink()
    path.mkdir()
    (path / "x").write_text("")


def into_fifo(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def into_link(path: Path) -> None:
    path.rename(path.with_name("moved"))
    path.symlink_to("moved")


def into_dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def into_loop(path: Path) -> None:
    path.unlink()
    path.symlink_to(path.name)


def truncated(path: Path) -> None:
    os.truncate(path, 5)


def emptied(path: Path) -> None:
    os.truncate(path, 0)


def binary(path: Path) -> None:
    path.write_bytes(bytes(range(256)))


def longer(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"x")


def not_executable(path: Path) -> None:
    path.chmod(0o644)


def executable(path: Path) -> None:
    path.chmod(0o755)


def gone(path: Path) -> None:
    path.unlink()


Damage = Callable[[Path], None]
TO_FILES: list[Damage] = [
    gone, into_directory, into_fifo, into_link, into_dangling, into_loop, truncated, emptied, binary, longer,
]  # fmt: skip
DAMAGE = [(name, damage) for name in (*FILES, "seal.txt") for damage in TO_FILES]
DAMAGE += [("program", not_executable), ("warnings.txt", executable)]


@pytest.mark.parametrize(("file", "damage"), DAMAGE, ids=lambda value: getattr(value, "__name__", value))
def test_a_damaged_entry_is_built_again_once(builder: Builder, file: str, damage: Damage) -> None:
    damage(builder.entry() / file)
    # A link to the same bytes is no damage to what is read; but nothing in an entry is a link.
    assert sound(builder.entry()) and builder.built == 2
    assert sound(builder.entry()) and builder.built == 2


@pytest.mark.parametrize("left", ["nothing", "file", "link", "dangling", "loop", "fifo"])
def test_something_else_in_the_place_of_an_entry(builder: Builder, root: Path, tmp_path: Path, left: str) -> None:
    entry = builder.entry()
    elsewhere = tmp_path / "elsewhere"
    shutil.copytree(entry, elsewhere)
    shutil.rmtree(entry)
    ways: dict[str, Callable[[], object]] = {
        "nothing": entry.mkdir,
        "file": lambda: entry.write_text("x"),
        "link": lambda: entry.symlink_to(elsewhere),
        "dangling": lambda: entry.symlink_to("nowhere"),
        "loop": lambda: entry.symlink_to(entry.name),
        "fifo": lambda: os.mkfifo(entry),
    }
    ways[left]()
    assert sound(builder.entry()) and builder.built == 2
    assert sorted(path.name for path in elsewhere.iterdir()) == ["program", "seal.txt", "warnings.txt"]
    assert sorted(path.name for path in root.iterdir()) == [".name.lock", "name"]


def test_what_cannot_be_read_even_when_it_is_new(root: Path) -> None:
    def build(at: Path) -> None:
        (at / "program").mkdir()

    with pytest.raises(EvtgenError) as caught:
        cache.entry("programs", "name", ["program"], build)
    assert caught.value.diagnostics[0].code == "EVT097" and caught.value.status == 3


def test_a_file_system_that_runs_no_programs(monkeypatch: pytest.MonkeyPatch, builder: Builder, root: Path) -> None:
    # As access(2) answers on a file system that is mounted noexec.
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    with pytest.raises(EvtgenError) as caught:
        builder.entry()
    assert caught.value.status == 3 and builder.built == 1
    assert caught.value.diagnostics[0].code == "EVT097" and "EVTGEN_CACHE" in str(caught.value.diagnostics[0].help)


def test_a_failed_build_leaves_nothing(root: Path) -> None:
    def build(at: Path) -> None:
        (at / "half").write_text("")
        raise KeyError

    with pytest.raises(KeyError):
        cache.entry("programs", "name", FILES, build)
    assert [path.name for path in root.iterdir()] == [".name.lock"]


def test_what_killed_processes_left_goes_and_live_ones_keep_theirs(builder: Builder, root: Path) -> None:
    root.mkdir(parents=True)
    for name in ("dead", "live", "name"):
        (root / f".{name}.new").mkdir()
        (root / f".{name}.new" / "harness.cpp").write_text("")
        (root / f".{name}.lock").write_text("")
    for left in (".dead.new", ".dead.lock", ".name.lock"):
        os.utime(root / left, (0, 0))
    builder.entry()
    assert sorted(path.name for path in root.iterdir()) == [".live.lock", ".live.new", ".name.lock", "name"]


def test_one_builds_and_the_others_wait(root: Path) -> None:
    builder, waited = Builder(), []
    with ThreadPoolExecutor(6) as pool:
        entries = list(
            pool.map(lambda i: cache.entry("programs", "name", FILES, builder, lambda: waited.append(i)), range(6))
        )
    assert builder.built == 1 and len(set(entries)) == 1 and len(waited) <= 5


def test_a_cache_that_can_only_be_read_is_used(monkeypatch: pytest.MonkeyPatch, builder: Builder) -> None:
    entry = builder.entry()

    def refuse(*args: object, **kwargs: object) -> None:
        raise PermissionError(30, "Read-only file system")

    for name in ("utime", "mkdir", "open", "rename"):
        monkeypatch.setattr(os, name, refuse)
    assert builder.entry() == entry and builder.built == 1


def a_file(tmp: Path) -> Path:
    (tmp / "file").write_text("")
    return tmp / "file"


def a_dangling_link(tmp: Path) -> Path:
    (tmp / "link").symlink_to(tmp / "nowhere" / "at all")
    return tmp / "link"


def a_link_to_itself(tmp: Path) -> Path:
    (tmp / "link").symlink_to(tmp / "link")
    return tmp / "link"


UNWRITABLE: dict[str, Callable[[Path], Path]] = {
    "a file": a_file,
    "below a file": lambda tmp: a_file(tmp) / "below",
    "a dangling link": a_dangling_link,
    "a link to itself": a_link_to_itself,
    "a name that is too long": lambda tmp: tmp / ("x" * 300),
    "a path that is too long": lambda tmp: tmp / "/".join(["directory"] * 500),
    "a device": lambda tmp: Path("/dev/null"),
    "what has no room for directories": lambda tmp: Path("/proc/nowhere"),
}


@pytest.mark.parametrize("where", UNWRITABLE)
def test_a_cache_that_cannot_be_written(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, where: str) -> None:
    monkeypatch.setenv("EVTGEN_CACHE", str(UNWRITABLE[where](tmp_path)))
    with pytest.raises(EvtgenError) as caught:
        Builder().entry()
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.code == "EVT092" and caught.value.status == 3
    assert len(diagnostic.message) < 300 and "EVTGEN_CACHE" in str(diagnostic.help)
    assert cache.keep("words") is None and not cache.remembers("compilers", "one")
    cache.remember("compilers", "one")


def test_the_place_of_the_cache(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("EVTGEN_CACHE", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache.cache_directory() == tmp_path / "evtgen"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache.cache_directory().is_relative_to(tmp_path / "home")
    monkeypatch.setenv("EVTGEN_CACHE", str(tmp_path / "own"))
    assert cache.cache_directory() == tmp_path / "own"
    monkeypatch.setenv("EVTGEN_CACHE", "own")
    monkeypatch.chdir(tmp_path)
    assert cache.cache_directory() == tmp_path / "own"


def test_no_home(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(_: object) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.delenv("EVTGEN_CACHE", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", classmethod(nobody))
    with pytest.raises(EvtgenError) as caught:
        cache.cache_directory()
    assert caught.value.diagnostics[0].code == "EVT092"


def test_kept_output_can_be_read_and_goes_in_the_end(root: Path) -> None:
    first = cache.keep("one\n")
    assert first is not None and first.read_text() == "one\n"
    os.utime(first, (0, 0))
    second = cache.keep("two\n")
    assert second is not None and second.exists() and not first.exists()


steps = st.lists(
    st.tuples(
        st.sampled_from([*FILES, "seal.txt", "extra", ".", "../.name.new", "../.x.new"]),
        st.one_of(
            st.binary(max_size=40),
            st.sampled_from(["gone", "directory", "fifo", "link", "dangling", "mode", "swap", "seal"]),
        ),
    ),
    min_size=1,
    max_size=4,
)


def apply(entry: Path, name: str, what: bytes | str) -> None:
    """One step of damage, whatever is there."""
    path = Path(os.path.normpath(entry / name))
    if what == "mode":
        if path.exists():
            path.chmod(0o600)
        return
    if not path.parent.is_dir():
        return
    if what == "seal":
        what = (entry / "seal.txt").read_bytes() if (entry / "seal.txt").is_file() else b""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
    if what == "gone":
        return
    if isinstance(what, bytes):
        path.write_bytes(what)
    elif what == "directory":
        path.mkdir()
    elif what == "fifo":
        os.mkfifo(path)
    else:
        path.symlink_to({"link": "program", "dangling": "nowhere", "swap": "warnings.txt"}[what])


@settings(
    max_examples=EXAMPLES, suppress_health_check=[HealthCheck.function_scoped_fixture],
    derandomize="EVTGEN_FUZZ" not in os.environ,
)  # fmt: skip
@given(steps)
def test_fuzz_an_entry_is_sound_whatever_was_done_to_it(root: Path, done: list[tuple[str, bytes | str]]) -> None:
    shutil.rmtree(root, ignore_errors=True)
    builder = Builder()
    entry = builder.entry()
    for name, what in done:
        apply(entry, name, what)
    assert sound(builder.entry())
    assert builder.built <= 2
