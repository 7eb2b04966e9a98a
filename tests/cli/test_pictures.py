"""``evtgen report`` and ``evtgen explain --svg``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.options import ReportOptions
from evtgen.pipeline.specs import load_and_check
from evtgen.report.page.report import draw, report

from ..support.command import run
from ..support.said import named

ONE = """\
import evtgen as evt
from evtgen import Acc, Aux, half


@evt.epilogue
def scaled_add(acc: Acc[half], X: Aux[half]):
    return {"D": acc * 0.5 + X}
"""

TWO = f"{ONE}\n\n@evt.epilogue\ndef plain(acc: Acc[half]):\n    return {{'D': acc}}\n"


@pytest.fixture
def here(tmp_path: Path) -> Path:
    (tmp_path / "one.py").write_text(ONE)
    (tmp_path / "two.py").write_text(TWO)
    return tmp_path


@pytest.mark.slow
def test_a_page_is_written(here: Path) -> None:
    done = run("report", "two.py", "-o", "made", "--no-run", cwd=here)
    assert (done.returncode, done.stdout) == (0, "wrote made/index.html\n")
    text = (here / "made" / "index.html").read_text()
    assert 'id="scaled_add"' in text and 'id="plain"' in text
    assert json.loads(run("report", "two.py", "-o", "made", "--no-run", "--json", cwd=here).stdout)["page"]
    (here / "made" / "index.html").write_text("mine")
    refused = run("report", "two.py", "-o", "made", "--no-run", cwd=here)
    assert refused.returncode == 2 and "EVT080" in refused.stderr
    assert run("report", "two.py", "-o", "made", "--no-run", "--force", cwd=here).returncode == 0


def test_one_epilogue_goes_into_a_file_and_several_into_a_directory(here: Path) -> None:
    one = str(here / "one.svg")
    paths, _ = draw(load_and_check([here / "one.py"]), one)
    assert paths == [Path(one)] and Path(one).read_text().startswith("<?xml")
    several = f"{here / 'several'}/"
    assert draw(load_and_check([here / "two.py"]), several)[0] == [
        Path(several, "scaled_add.svg"),
        Path(several, "plain.svg"),
    ]
    assert draw(load_and_check([here / "one.py"]), str(here / "several"))[0] == [Path(several, "scaled_add.svg")]
    with pytest.raises(EvtgenError, match="EVT211"):
        draw(load_and_check([here / "two.py"]), one)


def test_a_picture_is_named_as_one(here: Path) -> None:
    checked = load_and_check([here / "one.py"])
    for place in ("one.png", "one"):
        with pytest.raises(EvtgenError, match="EVT211"):
            draw(checked, str(here / place))
        assert not (here / place).exists()
    assert draw(checked, str(here / "one.SVG"))[0] == [here / "one.SVG"]


def test_a_file_in_the_place_of_a_directory_is_wrong_input(here: Path) -> None:
    checked = load_and_check([here / "one.py"])
    for output in (here / "one.py", here / "one.py" / "below"):
        with pytest.raises(EvtgenError) as raised:
            report(checked, output, ReportOptions(run=False))
        assert raised.value.status == 2
        (diagnostic,) = raised.value.diagnostics
        assert diagnostic.code == "EVT081" and diagnostic.message.startswith(f"{here / 'one.py'} ")
    assert (here / "one.py").read_text() == ONE


def test_explain_draws(here: Path) -> None:
    done = run("explain", "one.py", "--svg", "one.svg", cwd=here)
    assert (done.returncode, done.stdout) == (0, "wrote one.svg\n")
    assert run("explain", "one.py", "--svg", "", cwd=here).returncode == 2
    (here / "mine.svg").write_text("<svg/>")
    assert "EVT080" in run("explain", "one.py", "--svg", "mine.svg", cwd=here).stderr
    assert (here / "mine.svg").read_text() == "<svg/>"
    made = json.loads(run("explain", "one.py", "--svg", "mine.svg", "--force", "--json", cwd=here).stdout)
    assert made["ok"] and made["pictures"] == ["mine.svg"]


def test_a_page_takes_headers_of_cpp(here: Path) -> None:
    (here / "add.cpp").write_text('#include "none.hpp"\n')
    done = run("report", "add.cpp", "-I", "inc", "-o", "made", "--no-run", cwd=here)
    assert done.returncode == 2 and named(done.stderr, "none.hpp … -I DIR")


def test_a_fault_in_a_spec_comes_before_a_picture(here: Path) -> None:
    (here / "wrong.py").write_text(ONE.replace("acc * 0.5 + X", "acc + acc.sum()"))
    for command in (("explain", "wrong.py", "--svg", "x.svg"), ("report", "wrong.py", "-o", "made")):
        done = run(*command, cwd=here)
        assert done.returncode == 2 and "error[EVT" in done.stderr
    assert not (here / "x.svg").exists() and not (here / "made").exists()
