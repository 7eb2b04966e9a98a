"""The Python API: what each function takes, returns, shows and refuses. Nothing here is compiled."""

from __future__ import annotations

import base64
import importlib
import io
import re
import subprocess
import sys
import types
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import Acc, Aux, EvtgenError, RowVector, Scalar, float32, half, ops
from evtgen.api.pictures import MOST, timelines
from evtgen.api.results import Checks, Results
from evtgen.frontend.load import load
from evtgen.measure.profile import Profile
from evtgen.measure.timeline import Lane, Slice, Timeline
from evtgen.options import ProfileOptions, ReportOptions, TuneOptions, VerifyOptions
from evtgen.pipeline.build import INTERACTIVE, Request, render
from evtgen.verify import Comparison, Options, Result

from ..support.said import refused


@evt.epilogue
def scaled(acc: Acc[half], X: Aux[half], bias: RowVector[half] = 0.0, *, alpha: Scalar[half] = 0.5):
    return {"D": acc * alpha + X + bias}


@evt.epilogue
def mixed(acc: Acc[half], X: Aux[float32]):
    return {"D": acc + X}


@evt.epilogue
def positions(acc: Acc[float32]):
    return {"D": ops.where(2 * ops.col_index() > ops.row_index(), 0.0, acc)}


def code_of(call: Callable[[], object]) -> str:
    with pytest.raises(EvtgenError) as caught:
        call()
    (found,) = caught.value.diagnostics
    assert found.location is not None and found.location.file == __file__
    return found.code


def test_the_functions_keep_their_names() -> None:
    """The packages of these names, which are loaded when they are needed, do not take them."""
    importlib.import_module("evtgen.verify.session")
    importlib.import_module("evtgen.measure.profile")
    importlib.import_module("evtgen.check.types")
    importlib.import_module("evtgen.report.console")
    for name in ("check", "verify", "profile", "report"):
        assert isinstance(getattr(evt, name), types.FunctionType)
    for name in ("check", "verify", "report"):
        assert isinstance(sys.modules[f"evtgen.{name}"], types.ModuleType)


def test_what_is_listed_is_public() -> None:
    assert set(dir(evt)) == {*evt.__all__, "compile", "__version__"} and all(hasattr(evt, name) for name in dir(evt))


def test_what_is_imported_stays_little() -> None:
    """A spec imports evtgen, and an editor checks it at each key."""
    script = "import sys, evtgen; print(*{'numpy', 'jinja2', 'rich', 'pydantic'} & set(sys.modules))"
    loaded = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert loaded.stdout.split() == []


def test_check() -> None:
    fine = evt.check(scaled)
    assert fine == [] and fine.ok and repr(fine).endswith(": scaled")
    found = evt.check([scaled, mixed])
    assert [d.code for d in found] == ["EVT021"] and not found.ok and found.epilogues == ["scaled", "mixed"]
    with pytest.raises(EvtgenError) as caught:
        evt.render(mixed)
    assert repr(found) == str(caught.value) and "--> tests/" in repr(found)
    assert "EVT021" in found._repr_html_() and "color: " in found._repr_html_() and "\x1b" not in found._repr_html_()
    (same,) = evt.check([scaled, replace(scaled)])
    assert same.code == "EVT083" and evt.check([scaled, scaled]).ok
    assert [d.code for d in evt.check(scaled, framework="catlass")] == ["EVT175"]


def test_render_is_what_build_writes(tmp_path: Path) -> None:
    files = evt.render(scaled, examples=True)
    assert evt.render(scaled).items() < files.items()
    written = evt.build(scaled, tmp_path / "include", examples=tmp_path / "examples")
    own = {path.relative_to(tmp_path / root).as_posix(): path.read_text(encoding="utf-8")
           for root in ("include", "examples") for path in (tmp_path / root).rglob("*")
           if path.is_file() and "manifest" not in path.name}  # fmt: skip
    assert own == files and len(written.written) >= len(files)
    spec = tmp_path / "spec.py"
    text = (
        "import evtgen as evt\nfrom evtgen import *\n@evt.epilogue\ndef stored(acc: Acc[half]):\n    return {'D': acc}"
    )
    spec.write_text(text, encoding="utf-8")
    (sets,), _ = render(Request((spec,), tmp_path))
    (epilogue,) = load([spec])
    assert sets.files == evt.render(epilogue)


def test_a_build_leaves_other_epilogues_alone(tmp_path: Path) -> None:
    """Those of the same file, too, and those of cells."""
    other = replace(scaled, name="other")
    cell = replace(scaled, name="cell", location=replace(scaled.location, file="/tmp/ipykernel_1/2.py"))  # type: ignore[type-var]
    evt.build([scaled, other], tmp_path)
    evt.build(cell, tmp_path)
    result = evt.build(scaled, tmp_path)
    assert not result.written and not result.removed
    assert {path.stem for path in tmp_path.glob("*.hpp")} == {"scaled", "other", "cell"}
    assert f'"spec": "{INTERACTIVE}"' in (tmp_path / next(p.name for p in tmp_path.glob("*manifest*"))).read_text()
    (tmp_path / "scaled.hpp").write_text("mine")
    with refused("EVT080", "scaled.hpp"):
        evt.build(scaled, tmp_path)
    evt.build(scaled, tmp_path, force=True)


def test_an_epilogue_shows_its_formulas() -> None:
    assert str(scaled) == repr(scaled) == "<epilogue scaled for AtlasA2>\n  D = ((C * alpha) + X) + bias"
    picture = vars(type(scaled))["_repr_html_"](scaled)
    assert picture.startswith("<img") and "The graph of scaled" in picture
    wrong = replace(scaled, arch="AtlasA9")
    assert "evt.check says" in repr(wrong) and vars(type(wrong))["_repr_html_"](wrong) is None


def test_a_shape_has_two_names_and_two_forms() -> None:
    for given in ({"shape": "8x9x7"}, {"shapes": "8x9x7"}, {"shapes": (8, 9, 7)}, {"shapes": ["8x9x7"]}):
        for record in (VerifyOptions, ProfileOptions, TuneOptions):
            assert record(**given).problems == ((8, 9, 7),)
    assert ReportOptions(shape="8x9x7").of_verify.problems == ()
    assert ReportOptions(shape="8x9x7").of_profile.problems == ((8, 9, 7),)


@pytest.mark.parametrize(
    ("call", "code"),
    [
        (lambda: evt.check(test_check), "EVT202"),  # type: ignore[arg-type]
        (lambda: evt.check([]), "EVT202"),
        (lambda: evt.check([scaled, None]), "EVT202"),  # type: ignore[list-item]
        (lambda: evt.render("scaled.py"), "EVT202"),  # type: ignore[arg-type]
        (lambda: evt.verify(scaled, shapes=[(1, 2)]), "EVT086"),
        (lambda: evt.verify(scaled, shapes=[(1, 2, 0)]), "EVT086"),
        (lambda: evt.verify(scaled, shapes=[(1, 2, 3.5)]), "EVT086"),  # type: ignore[arg-type]
        (lambda: evt.verify(scaled, shapes=[5]), "EVT086"),
        (lambda: evt.profile(scaled, shape="64x64"), "EVT086"),
        (lambda: evt.verify(scaled, groups=[0, -1]), "EVT178"),
        (lambda: evt.verify(scaled, data="even"), "EVT079"),  # type: ignore[arg-type]
        (lambda: evt.verify(scaled, framework="other"), "EVT079"),  # type: ignore[arg-type]
        (lambda: evt.verify(scaled, headers=""), "EVT079"),
        (lambda: evt.verify(scaled, seed=-1), "EVT079"),
        (lambda: evt.verify(scaled, seed=True), "EVT079"),
        (lambda: evt.verify(scaled, seed=0.5), "EVT079"),  # type: ignore[arg-type]
        (lambda: evt.verify(scaled, pad=-1), "EVT079"),
        (lambda: evt.verify(scaled, pad=10**9), "EVT079"),
        (lambda: evt.verify(scaled, schedules=-1), "EVT079"),
        (lambda: evt.verify(scaled, timeout="x"), "EVT079"),  # type: ignore[arg-type]
        (lambda: evt.verify(scaled, timeout=0), "EVT079"),
        (lambda: evt.verify(scaled, timeout=float("nan")), "EVT079"),
        (lambda: evt.verify(scaled, batch=0), "EVT079"),
        (lambda: evt.verify(scaled, groups=[1] * 10_000), "EVT178"),
        (lambda: evt.profile(scaled, timeout=float("inf")), "EVT079"),
        (lambda: evt.profile(scaled, cores=0), "EVT079"),
        (lambda: evt.profile(scaled, batch=10_000), "EVT079"),
        (lambda: evt.report(scaled, "page", cores=65), "EVT079"),
        (lambda: evt.report(scaled, "page", run=False, measured="op_summary.csv"), "EVT079"),
        (lambda: evt.report(scaled, "page", run=False, compare="old.json"), "EVT079"),
        (lambda: evt.profile(scaled, measured="op_summary.csv", buffers=7), "EVT079"),
        (lambda: evt.profile(scaled, buffers=100), "EVT078"),
        (lambda: evt.verify(scaled, against=scaled), "EVT203"),  # type: ignore[arg-type]
        (lambda: evt.verify(scaled, against=replace(scaled, function=None)), "EVT203"),  # type: ignore[arg-type]
        (lambda: evt.verify(scaled, against=3), "EVT203"),  # type: ignore[arg-type]
        (lambda: evt.verify(scaled, arrays=np.asarray), "EVT203"),
        (lambda: evt.run([scaled], 1, 2), "EVT202"),  # type: ignore[arg-type]
        (lambda: evt.profile(scaled, buffers=0), "EVT078"),
        (lambda: evt.profile(scaled, buffers=()), "EVT078"),
        (lambda: evt.profile(scaled, shape=(1, 2)), "EVT086"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(call: Callable[[], object], code: str) -> None:
    """At the line of the call."""
    assert code_of(call) == code


def test_arrays_that_make_none() -> None:
    """Before anything is compiled."""
    with refused("EVT203", "arrays … int"):
        evt.verify(scaled, against=scaled.function, arrays=3)  # type: ignore[arg-type]


def test_an_epilogue_is_no_function() -> None:
    """A near miss is the call of its function."""
    with pytest.raises(EvtgenError) as caught:
        scaled(1, 2, X=3)
    (found,) = caught.value.diagnostics
    assert found.code == "EVT230" and found.location is not None and found.location.file == __file__
    assert found.help is not None and "evt.run(scaled, a, b" in found.help and "scaled.function" in found.help
    with pytest.raises(EvtgenError, match="EVT230") as caught:
        replace(scaled, function=None)()
    assert ".function" not in str(caught.value)
    assert scaled.function is not None
    assert scaled.function(np.ones((2, 3)), 1.0, 0.0, alpha=0.5)["D"].tolist() == [[1.5] * 3] * 2


def test_matmuls_that_no_epilogue_has() -> None:
    for call in (lambda: evt.verify(scaled, batch=2), lambda: evt.profile(scaled, groups=[1, 2])):
        with refused("EVT177"):
            call()


def test_numpys_numbers_will_do(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Options] = []

    def verified(plans: object, options: Options, progress: object, *, language: bool) -> list[Result]:
        assert language
        asked.append(options)
        return []

    monkeypatch.setattr("evtgen.pipeline.verify.verify_plans", verified)
    evt.verify(scaled, shapes=np.array([[1, 2, 3]]), groups=np.array([4, 5]), schedules=3, pad=1, strict=True)
    numbers: list[Any] = [np.int8(9), np.uint64(7), np.float32(0.5)]
    evt.verify(scaled, batch=numbers[0], seed=numbers[1], pad=999_999_999, timeout=numbers[2])
    options, more = asked
    assert options.shapes == ((1, 2, 3),) and options.matmuls.groups == (4, 5)
    assert (options.schedules, options.pad, options.strict) == (3, 1, True)
    assert (more.matmuls.batch, more.seed, more.pad, more.timeout) == (9, 7, 999_999_999, 0.5)


def test_for_another_architecture() -> None:
    """The function is traced anew: what a comparison of positions becomes depends on it."""
    (own,), (other,) = evt.explain(positions), evt.explain(positions, arch="Ascend950")
    assert (own["arch"], other["arch"]) == ("AtlasA2", "Ascend950") and len(own["nodes"]) > len(other["nodes"])
    (unknown,) = evt.check(scaled, arch="Atlas")
    assert 'there is no architecture "Atlas"' in unknown.message
    from evtgen import bfloat16

    @evt.epilogue
    def local(acc: Acc[half], X: Aux[bfloat16]):
        return {"D": acc, "E": X}

    assert evt.explain(local, arch="Ascend950")[0]["arch"] == "Ascend950"
    explicit = replace(scaled, function=None)
    assert evt.explain(explicit, arch="Ascend950")[0]["arch"] == "Ascend950"


def test_explain_shows_itself() -> None:
    (described,) = found = evt.explain(scaled)
    assert described["epilogue"] == "scaled" and "stack" not in described
    shown = repr(found)
    assert "D = ((C * alpha) + X) + bias" in shown and "Stack" not in shown and "AuxLoadX" in shown
    html = found._repr_html_()
    assert "AuxLoadX" in html and "<pre" in html and "<script" not in html


def test_explain_shows_the_graph() -> None:
    shown = evt.explain([scaled, positions])._repr_html_()
    assert shown.count('<img src="data:image/svg+xml;base64,') == 2 and 'alt="The graph of scaled"' in shown


def result(**fields: Any) -> Result:
    good = Comparison("D", "half", 6, 0, 0.0, 0, 0.0)
    return Result("scaled", (2, 3, 4), 64, 128, 256, **{"outputs": [good], **fields})


WRONG = Comparison("D", "half", 6, 2, 1.0, 9, 0.0, (1, 2, 3.5, 2.5), against="reference")


def test_results_are_true_if_all_are_ok() -> None:
    fine, bad = Results([result()]), Results([result(), result(against=[WRONG])])
    assert fine and fine.ok and fine.require() is fine
    assert not bad and not bad.ok and len(bad) == 2
    with pytest.raises(EvtgenError) as caught:
        bad.require()
    said = (
        "scaled at 2x3x4, int: D is not what reference gives in 2 of 6 elements, first at (1, 2): 3.5, where reference "
        "has 2.5"
    )
    assert str(caught.value).splitlines() == ["error[EVT204]: 1 of 2 runs failed, of scaled", said]
    assert said in repr(bad) and "1 of 2 ok" in repr(bad) and repr(bad[1]) == "<Result: scaled at 2x3x4, int: FAIL>"
    html = bad._repr_html_()
    assert "<table>" in html and ">FAIL<" in html and "is not what reference gives" in html
    assert bad[1].to_json()["against"][0]["first_mismatch"]["row"] == 1 and "against" not in bad[0].to_json()


def test_markup_of_users_is_text() -> None:
    html = Results([result(error="<b>[red]no[/]</b>")])._repr_html_()
    assert "<b>[red]" not in html and "&lt;b&gt;[red]no[/]&lt;/b&gt;" in html
    assert "&lt;i&gt;" in Checks([], ["<i>"])._repr_html_()


def test_nothing_is_printed(capfd: pytest.CaptureFixture[str]) -> None:
    repr(evt.check([scaled, mixed]))
    repr(evt.explain(scaled))
    evt.render(scaled)
    repr(Results([result()]))
    assert capfd.readouterr() == ("", "")


class Cell:
    """What IPython gives for a display that changes."""

    texts: list[str]

    def update(self, data: dict[str, str], raw: bool) -> None:
        self.texts.append(data["text/plain"])


def test_progress_goes_where_it_can_be_seen(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from evtgen.api.progress import shown

    told: list[str] = []
    with shown(told.append) as progress:
        progress("one")
    with shown(False) as progress:
        progress("silent")
    assert told == ["one"] and capsys.readouterr() == ("", "")
    with shown(True) as progress:
        progress("two")
    assert capsys.readouterr() == ("", "two\n")
    cell = Cell()
    cell.texts = []
    shell = types.SimpleNamespace(kernel=1)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=lambda *_, **__: cell))
    with shown(True) as progress:
        progress("three")
    assert cell.texts == ["three", ""] and capsys.readouterr() == ("", "")
    del shell.kernel  # at a terminal

    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stderr", terminal := Terminal())
    with shown(True) as progress:
        progress("four")
    assert terminal.getvalue() == "\r\x1b[Kfour\r\x1b[K"


def test_pictures() -> None:
    """They need no page around them: the graph is an image, the timeline has its colours in itself."""
    html = evt.explain(scaled)._repr_html_()
    (source,) = re.findall(r'<img src="data:image/svg\+xml;base64,([^"]*)"', html)
    assert "AuxLoadX" in base64.b64decode(source).decode()
    profile = Profile(
        1000, 10, {}, 0.0, 0, 1, {}, [], epilogue="<scaled>", shape=(2, 3, 4), buffers=2, compute_length=64, trace=[]
    )
    work = [Slice(10 * i, 8, "AuxLoadX", "DataCopyPad", tile=i) for i in range(MOST + 9)]
    lanes = (Lane("AIV 0.0", "MTE2", (Slice(0, 5, "Plus", waits=True), *work)), Lane("AIC 0", "M", (work[0],)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("evtgen.api.pictures.timeline", lambda _: Timeline(lanes, (), 1400, 1400))
        drawn = timelines([profile, profile])
    # A ground for each of the two, and so many slices; what waits, and the cube, are left out.
    assert drawn.count("<rect") == 2 * (MOST + 1) and "1,000 cycles, of which the first 1,198 are shown" in drawn
    assert "AuxLoadX, tile 3: DataCopyPad, 8 cycles from 30" in drawn and "&lt;scaled&gt;" in drawn
    assert not re.search(r"class=|<style|<script", drawn)


def test_a_prompt_has_the_width_of_its_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    found = Results([result()])
    assert len(repr(found).splitlines()[0]) > 90
    monkeypatch.setattr(sys, "stdout", Terminal())
    monkeypatch.setenv("COLUMNS", "60")
    assert max(map(len, repr(found).splitlines())) <= 60 and "scaled" in repr(found) and "1 of 1 ok" in repr(found)
