"""Compiled templates beside the templates."""

import sys
from pathlib import Path
from typing import Any

import jinja2
import pytest

from evtgen.emit.bytecode import Beside


def render(templates: Path) -> str:
    """By an environment of its own, as in another process."""
    environment = jinja2.Environment(loader=jinja2.FileSystemLoader(templates), bytecode_cache=Beside())
    return environment.get_template("one.j2").render(x=1)


def forbid_compiling(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("compiled")

    monkeypatch.setattr(jinja2.Environment, "compile", refuse)


@pytest.fixture
def templates(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "one.j2").write_text("one {{ x }}")
    return tmp_path


def files(templates: Path) -> list[Path]:
    return list((templates / "__pycache__").glob("*"))


def test_compiled_once(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert render(templates) == "one 1"
    assert len(files(templates)) == 1
    forbid_compiling(monkeypatch)
    assert render(templates) == "one 1"


def test_a_changed_template_is_compiled_again(templates: Path) -> None:
    render(templates)
    (templates / "one.j2").write_text("two {{ x }}")
    assert render(templates) == "two 1"
    assert len(files(templates)) == 1


@pytest.mark.parametrize("keep", [0, 10, 64, 65, 100, -1])
def test_a_damaged_file_is_written_again(templates: Path, keep: int, monkeypatch: pytest.MonkeyPatch) -> None:
    render(templates)
    (file,) = files(templates)
    sound = file.read_bytes()
    for damaged in (sound[:keep], sound[:-1] + bytes([sound[-1] ^ 1])):
        file.write_bytes(damaged)
        with pytest.raises(AssertionError, match="compiled"), monkeypatch.context() as patch:
            forbid_compiling(patch)
            render(templates)
        assert render(templates) == "one 1"
        with monkeypatch.context() as patch:
            forbid_compiling(patch)
            assert render(templates) == "one 1"


def test_nothing_is_written_where_python_writes_none(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert render(templates) == "one 1"
    assert not files(templates)


def test_a_place_that_cannot_be_written(templates: Path) -> None:
    (templates / "__pycache__").write_text("")
    assert render(templates) == "one 1"
