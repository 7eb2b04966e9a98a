"""``evtgen watch``: a spec is saved, and its verdict is in the terminal and on the page."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from urllib.request import urlopen

import pytest

from evtgen.cli import watch
from evtgen.options import WatchOptions

from ..support.command import environment

pytestmark = pytest.mark.fast

SPEC = """\
import evtgen as evt
from evtgen import Acc, Aux, {kind}, half


@evt.epilogue
def scaled_add(acc: Acc[half], X: Aux[{kind}]):
    return {{"D": acc + X}}
"""


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    (tmp_path / "spec.py").write_text(SPEC.format(kind="float32"))
    command = [sys.executable, "-m", "evtgen", "watch", "spec.py", "--no-run", "--no-browser"]
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        yield process
        process.kill()


def said(process: subprocess.Popen[str]) -> tuple[str, str]:
    """What it prints about a spec, and the page that it shows then."""
    assert process.stdout is not None
    lines = []
    for line in process.stdout:
        lines.append(line)
        if address := re.match(r"http://\S+", line):
            with urlopen(address[0]) as page:
                return "".join(lines), page.read().decode()
    raise AssertionError(lines)


def test_each_save_has_its_verdict(watching: subprocess.Popen[str], tmp_path: Path) -> None:
    text, page = said(watching)
    assert "error[EVT021]" in text and "error[EVT021]" in page and "<article" not in page
    (tmp_path / "spec.py").write_text(SPEC.format(kind="half"))
    text, page = said(watching)
    assert "scaled_add" in text and "EVT" not in text
    assert '<article id="scaled_add">' in page and 'fetch("number")' in page
    (tmp_path / "spec.py").unlink()
    text, page = said(watching)
    assert "error[EVT001]" in text and "error[EVT001]" in page
    watching.send_signal(signal.SIGINT)
    assert watching.wait() == 0


@pytest.mark.parametrize(("platform", "opened"), [("darwin", 1), ("linux", 0)])
def test_the_browser_opens_where_there_is_a_desktop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, platform: str, opened: int
) -> None:
    asked: list[str] = []
    for name in ("BROWSER", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr("webbrowser.open", asked.append)
    monkeypatch.setattr("time.sleep", interrupted)
    monkeypatch.setattr(watch, "_page", lambda specs, options: "")
    watch._forever([tmp_path / "spec.py"], WatchOptions(run=False))
    assert len(asked) == opened


def interrupted(seconds: float) -> None:
    raise KeyboardInterrupt


def test_another_signal_is_its_exit_status(watching: subprocess.Popen[str]) -> None:
    said(watching)
    watching.terminate()
    assert watching.wait() == 143
