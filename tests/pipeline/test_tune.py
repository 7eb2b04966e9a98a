"""``evtgen tune``: the winner is right, it is kept, and a spec, a store and a build have it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

import evtgen as evt
from evtgen import Epilogue, Gemm, TreeVisitor, half
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.emit.output import standalone
from evtgen.emit.output.transaction import locked
from evtgen.frontend.dispatch import Served
from evtgen.frontend.json_form import to_json
from evtgen.frontend.load import load
from evtgen.frontend.spec_text import rewritten
from evtgen.graph.shapes import Shape
from evtgen.measure.clock import Job, Timed
from evtgen.measure.space import Axes, identity
from evtgen.model.cache import key
from evtgen.nodes import AccLoad, AuxStore
from evtgen.options import TuneOptions
from evtgen.pipeline import build as building
from evtgen.pipeline import tune as tuning
from evtgen.pipeline import winners
from evtgen.pipeline.specs import load_and_check
from evtgen.pipeline.winners import read, shape_class, with_winners
from evtgen.version import __version__

from ..support.command import run
from ..support.said import refused

SPEC = '''"""A spec."""
from evtgen import Acc, Aux, Epilogue, TreeVisitor, epilogue, half
from evtgen.nodes import AccLoad, AuxStore
import evtgen as evt


@epilogue  # bare
def add(acc: Acc[half], X: Aux[half]):
    return {"D": acc + X}


@evt.epilogue(gemm=evt.Gemm(a=half, l1=(64, 128, 256), swizzle=(2, 0)), auto_cast=True)
def twice(acc: Acc[half]):
    return {"D": acc * 2.0}


by_hand = Epilogue("by_hand", TreeVisitor(AuxStore("D", half), AccLoad(half)), buffers=2)
'''
SHAPE = (16, 512, 256)
BEST = 16
"""On the clock of these tests kernels with tiles of so many rows are the fastest."""


@pytest.fixture
def spec(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A spec, an empty cache, and a clock and a verification that take no time; ``asked`` counts the jobs."""
    monkeypatch.setenv("EVTGEN_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(tuning, "timed", _timed)
    monkeypatch.setattr(tuning, "axes_of", lambda plan: AXES)
    monkeypatch.setattr(tuning, "verify_plans", lambda plans, options: [SimpleNamespace(ok=True)])
    ASKED.clear()
    path = tmp_path / "spec.py"
    path.write_text(SPEC)
    return path


ASKED: list[Job] = []
AXES: Axes = {
    "tiles": [{}, *({"l1": (rows, 256, 256), "l0": None} for rows in (16, 32, 64))],
    "split_k": [{}, {"split_k": 2}],
    "buffers": [{}, {"buffers": 3}],
}


def _timed(job: Job) -> list[Timed]:
    return [_one(job, epilogue) for epilogue in job.epilogues]


def _one(job: Job, epilogue: Epilogue) -> Timed:
    ASKED.append(job)
    l1 = epilogue.gemm.l1 or (128, 256, 256)
    scale = 3 if job.scale == ("localLatency", 2.0) and l1[0] == BEST else 1
    return Timed((1000 + abs(l1[0] - BEST)) * scale, ("Add",))


def _of(path: Path, name: str) -> Epilogue:
    return next(one for one in load([path]) if one.name == name)


def test_the_winner_the_line_and_what_it_rests_on(spec: Path) -> None:
    found = evt.tune(_of(spec, "add"), shapes=[SHAPE], runs=12)
    (one,) = found
    assert one.winner.options["l1"][0] == BEST and one.gain == pytest.approx(1.112)
    assert one.line.startswith("gemm=Gemm(l1=(16, ") and eval(one.line.partition("=")[2], {"Gemm": Gemm}).l1[0] == BEST
    assert one.runs <= 12 and one.assumed and not one.stays
    assert [(c.constant, c.factor) for c in one.changed if not c.stays] == [("localLatency", 2.0)]
    text = " ".join(str(found).split())
    assert "winner" in text and one.line in text and "2.0 x localLatency" in text
    again = json.loads(json.dumps(one.to_json()))
    assert again["gain"] == 1.112 and again["winner"]["options"]["l1"][0] == BEST and not again["stays"]
    # What was timed is not timed again, but for the calls of the winner; another seed may time more.
    count = len(ASKED)
    assert evt.tune(_of(spec, "add"), shapes=[SHAPE], runs=12)[0] == one and len(ASKED) == count + 1
    # A shape of its own, and another graph, are another search.
    evt.tune(_of(spec, "twice"), shapes=[SHAPE], runs=1, assumed=False)
    assert len(ASKED) == count + 2


def test_an_interrupted_search_goes_on(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(job: Job) -> list[Timed]:
        if len(ASKED) == 5:
            raise KeyboardInterrupt
        return _timed(job)

    monkeypatch.setattr(tuning, "timed", broken)
    with pytest.raises(KeyboardInterrupt):
        evt.tune(_of(spec, "add"), shapes=[SHAPE], runs=12, assumed=False)
    monkeypatch.setattr(tuning, "timed", _timed)
    (one,) = evt.tune(_of(spec, "add"), shapes=[SHAPE], runs=12, assumed=False)
    assert len(ASKED) == one.runs, "each kernel was timed once in both searches together"


def test_an_executor_runs_the_jobs(spec: Path) -> None:
    with ThreadPoolExecutor(2) as pool:
        (there,) = evt.tune(_of(spec, "add"), shapes=[SHAPE], runs=8, executor=pool)
    (spec.parent / "cache").rename(spec.parent / "other")
    assert evt.tune(_of(spec, "add"), shapes=[SHAPE], runs=8)[0] == there
    assert all(one.function is None for job in ASKED for one in job.epilogues)


def test_one_winner_for_several_shapes(spec: Path) -> None:
    *each, both = evt.tune(_of(spec, "add"), shapes=[SHAPE, (2048, 512, 256)], runs=6, assumed=False)
    assert [one.shapes for one in each] == [(SHAPE,), ((2048, 512, 256),)] and len(both.winner.cycles) == 2
    assert both.shapes == (SHAPE, (2048, 512, 256)) and both.gain >= 1.0 and both.winner in both.tried


def test_wrong_kernels_are_passed_by(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (right,) = evt.tune(_of(spec, "add"), shapes=[SHAPE], runs=8, assumed=False)

    def judged(plans: Any, options: Any) -> Any:
        wrong = plans[0].mmad_tiles[0] == right.winner.options["l1"]
        return [SimpleNamespace(ok=not wrong, error="a hazard")]

    monkeypatch.setattr(tuning, "verify_plans", judged)
    found = evt.tune(_of(spec, "add"), shapes=[SHAPE], runs=8, assumed=False)
    assert found[0].winner != right.winner
    assert {one.code for one in found.warnings} == {"EVT293"} and "a hazard" in found.warnings[0].message
    monkeypatch.setattr(tuning, "verify_plans", lambda plans, options: [SimpleNamespace(ok=False, error="")])
    with refused("EVT292", "add … 16x512x256"):
        evt.tune(_of(spec, "add"), shapes=[SHAPE], runs=8, assumed=False)
    monkeypatch.setattr(tuning, "timed", lambda job: [Timed(None) for _ in job.epilogues])
    with refused("EVT292", "twice"):
        evt.tune(_of(spec, "twice"), shapes=[SHAPE], runs=8, assumed=False)
    with refused("EVT079", help="--shape"):
        evt.tune(_of(spec, "add"))


@pytest.mark.parametrize("name", ["add", "twice", "by_hand"])
def test_the_winner_is_written_into_the_spec(spec: Path, name: str) -> None:
    before = _of(spec, name)
    (one,) = evt.tune(before, shapes=[SHAPE], runs=12, assumed=False, write=True)
    after = _of(spec, name)
    for option, value in one.winner.options.items():
        assert getattr(after.gemm, option, getattr(after, option, None)) == value
    assert identity(after) == identity(before)
    others = [
        line for line in SPEC.splitlines() if name not in line and "import" not in line and "epilogue" not in line
    ]
    assert set(others) <= set(spec.read_text().splitlines())


@pytest.mark.parametrize("name", ["add", "twice", "by_hand"])
@pytest.mark.parametrize("form", ["py", "json"])
def test_a_dispatch_is_written(spec: Path, name: str, form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """For few rows tiles of 16 rows are the fastest here, for many those of 64, and the slowest of several counts."""

    def by_shape(job: Job) -> list[Timed]:
        m, n, _ = job.shape
        best = 64 if m > 16 else 16 if n == SHAPE[1] else 32
        rows = [(one.gemm.l1 or (128, 256, 256))[0] for one in job.epilogues]
        return [Timed(n + abs(one - best), ("Add",)) for one in rows]

    monkeypatch.setattr(tuning, "timed", by_shape)
    if form == "json":
        document = to_json([_of(spec, name)])
        spec = spec.with_name("spec.json")
        spec.write_text(json.dumps(document))
    before = _of(spec, name)
    checked = load_and_check([spec])
    options = TuneOptions(
        shapes=[SHAPE, (2048, 512, 256), (16, 256, 256)], runs=16, assumed=False, write=True, dispatch=True
    )
    winners.require_places(checked, options)
    found, _ = tuning.tune(checked, options)
    winners.keep(checked, found, options)
    kernels = {one.name: one for one in load([spec])}
    few, others = kernels[f"{name}_m16"], kernels[f"{name}_any"]
    assert few.gemm.l1 == (16, 256, 256) and name not in kernels
    assert others.gemm.l1 == (64, 256, 256) if name != "twice" else others.gemm.l1 == before.gemm.l1
    assert isinstance(few, Served) and isinstance(others, Served)
    assert {identity(replace(one.plain, name=name)) for one in (few, others)} == {identity(before)}
    again = evt.tune(before, shapes=options.shapes, runs=16, assumed=False).dispatch(before)
    assert [one.gemm for one in again] == [few.gemm, others.gemm]
    found_again = evt.tune(before, shapes=[SHAPE], runs=1, assumed=False)
    for other in (replace(before, name="by_none"), replace(before, arch="Ascend950")):
        with refused("EVT079", f"{other.name} was not tuned for {other.arch}"):
            found_again.dispatch(other)


@pytest.mark.parametrize(
    ("best", "kernels"),
    [
        ({16: 128, 512: 64, 2048: 128}, {16: 128, 512: 64}),
        ({16: 64, 512: 64, 2048: 128}, {512: 64}),
        ({16: 64, 512: 128, 2048: 128}, {16: 64}),
        ({16: 128, 512: 128, 2048: 128}, {}),
    ],
)
@pytest.mark.parametrize("form", ["py", "json"])
def test_each_shape_has_its_winner(spec: Path, form: str, best: dict[int, int], kernels: dict[int, int]) -> None:
    """A kernel serves fewer rows, too, unless these have their own, and be that the one for all others."""
    lin = Epilogue("by_hand", _of(spec, "by_hand").root)
    path = spec.with_name(f"written.{form}")
    path.write_text(
        json.dumps(to_json([lin]))
        if form == "json"
        else SPEC.partition("\n\n@epilogue")[0]
        + '\nby_hand = Epilogue("by_hand", TreeVisitor(AuxStore("D", half), AccLoad(half)))\n'
    )
    found = [
        SimpleNamespace(
            epilogue="by_hand", arch=lin.arch, shapes=((m, 512, 256),), default=SimpleNamespace(cycles=1.0),
            winner=SimpleNamespace(options={} if rows == 128 else {"l1": (rows, 256, 256)}),
        )
        for m, rows in best.items()
    ]  # fmt: skip
    shapes = [(m, 512, 256) for m in best]
    options = TuneOptions(shapes=shapes, write=True, dispatch=True)
    winners.keep(load_and_check([path]), cast("list[Any]", found), options)
    loaded = load([path])
    assert [one.name for one in loaded] == (
        ["by_hand"] if not kernels else [*(f"by_hand_m{m}" for m in kernels), "by_hand_any"]
    )
    for m, rows in best.items():
        serves = next(one for one in loaded if not isinstance(one, Served) or one.rows is None or m <= one.rows)
        assert (serves.gemm.l1 or (128,))[0] == rows


@pytest.mark.parametrize("given", [{"write": False}, {"shapes": [SHAPE]}, {"shapes": [SHAPE, (16, 256, 256)]}])
def test_a_dispatch_needs_shapes_and_a_place(spec: Path, given: dict[str, Any]) -> None:
    more: dict[str, Any] = {"shapes": [SHAPE, (2048, 512, 256)], "write": True, "dispatch": True, **given}
    with refused("EVT079", "--dispatch"):
        evt.tune(_of(spec, "add"), **more)
    assert not ASKED


def test_a_spec_in_json_is_written(spec: Path) -> None:
    path = spec.with_name("spec.json")
    path.write_text(json.dumps(to_json([_of(spec, "by_hand")])))
    done, _ = tuning.tune(load_and_check([path]), evt_options(), lambda text: None)
    from evtgen.pipeline.winners import keep

    keep(load_and_check([path]), done, evt_options())
    assert _of(path, "by_hand").gemm.l1 == done[0].winner.options["l1"]


def evt_options() -> Any:
    from evtgen.options import TuneOptions

    return TuneOptions(shapes=[SHAPE], runs=12, assumed=False, write=True)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("gemm=evt.Gemm(a=half, l1=(64, 128, 256), swizzle=(2, 0))", "gemm=GEMM", "twice"),
        ("def twice(", "def twiced(", "twice"),
        ("evt.Gemm(a=half,", "evt.Gemm(**KINDS,", "twice"),
    ],
)
def test_a_spec_that_is_not_understood_stays_as_it_is(spec: Path, old: str, new: str, said: str) -> None:
    text = SPEC.replace(old, new).replace(
        "@epilogue  #", "GEMM = evt.Gemm(l1=(32, 128, 256))\nKINDS = {'a': half}\n\n\n@epilogue  #"
    )
    named = text.replace("@evt.epilogue(gemm", "@evt.epilogue(name='twi' + 'ce', gemm") if "twiced" in new else text
    spec.write_text(named)
    with refused("EVT294", said):
        evt.tune(_of(spec, "twice"), shapes=[SHAPE], runs=12, assumed=False, write=True)
    assert spec.read_text() == named
    evt.tune(_of(spec, "add"), shapes=[SHAPE], runs=12, assumed=False, write=True)
    assert spec.read_text() != named


LIN = 'Epilogue("lin", TreeVisitor(AuxStore("D", half), AccLoad(half)))'
NAMES = "from evtgen import Epilogue, TreeVisitor, half\nfrom evtgen.nodes import AccLoad, AuxStore\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{NAMES}lin: Epilogue = {LIN}", ""),
        (f"from evtgen import *\nfrom evtgen.nodes import *\nlin = {LIN}", ""),
        (f"from evtgen.nodes import *\n{NAMES}lin = {LIN}", ""),
        (f"{NAMES}lin = {LIN}\ndef late():\n    from evtgen import Dispatch, Gemm\n    return Dispatch, Gemm", ""),
        (f"{NAMES.replace(' Epilogue,', '')}from evtgen.graph.ir import Epilogue\nlin = {LIN}", "import Gemm"),
        (
            f"{NAMES.replace(' Epilogue,', '')}from evtgen.graph.ir import Epilogue, Gemm\nlin = {LIN}",
            "import Dispatch",
        ),
        (f"{NAMES}lin = {LIN}\nlin_by_rows = 1", "lin_by_rows already"),
        (f"{NAMES}lin = {LIN}\nother_by_rows = 1", ""),
        (f"{NAMES}both = [{LIN}]", "no variable of … is lin … --dispatch"),
    ],
)
def test_a_spec_with_a_dispatch_can_be_loaded(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "spec.py"
    path.write_text(text)
    lin = Epilogue("lin", TreeVisitor(AuxStore("D", half), AccLoad(half)))

    def written() -> str:
        return rewritten(path, None, lin, {"l1": (64, 256, 256)}, {16: {"l1": (16, 256, 256)}})

    if said:
        with refused("EVT294", said):
            written()
        return
    path.write_text(written())
    assert [(one.name, one.gemm.l1) for one in load([path])] == [
        ("lin_m16", (16, 256, 256)), ("lin_any", (64, 256, 256))
    ]  # fmt: skip


def test_a_store_and_a_build_of_its_winners(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store = spec.with_name("winners.json")
    large = (2048, 512, 256)
    evt.tune(_of(spec, "add"), shapes=[SHAPE], runs=12, assumed=False, store=store)
    first = store.read_text()
    evt.tune(_of(spec, "add"), shapes=[SHAPE], runs=12, assumed=False, store=store)
    assert store.read_text() == first
    (one,) = read(store)
    assert (one["class"], one["release"], one["arch"]) == ("M<=16 512x256", __version__, "AtlasA2")
    assert one["graph"] == key([identity(_of(spec, "add"))])

    def built(shape: Shape | None = None) -> tuple[Any, list[str]]:
        found = with_winners(load_and_check([spec]), store, shape)
        add = next(one for one in found.epilogues if one.name == "add")
        return add.gemm.l1, [d.message for d in found.diagnostics if d.code == "EVT296"]

    tiles, warnings = built()
    assert tiles == (BEST, 256, 256)
    assert len(warnings) == 2 and not any("add" in one for one in warnings), "the others have no winner"
    assert built((9, 512, 256))[0] == tiles
    assert any("add" in one for one in built((17, 512, 256))[1])
    evt.tune(_of(spec, "add"), shapes=[large], runs=1, assumed=False, store=store)
    assert any("add" in one and "M<=2048" in one for one in built()[1]), "which of the two is not said"
    assert built(large)[0] is None
    # What was found for both counts where neither is meant.
    evt.tune(_of(spec, "add"), shapes=[SHAPE, large], runs=12, assumed=False, store=store)
    assert built((99, 99, 99))[0] == built(SHAPE)[0] == tiles
    monkeypatch.setattr(building, "_finished", lambda finish, *sets: [dict(one) for one in sets])  # formatted or not
    with_it = evt.render(_of(spec, "add"), tuned=store, shape=SHAPE)
    assert with_it["add.hpp"] != evt.render(_of(spec, "add"))["add.hpp"]
    text = spec.read_text()
    spec.write_text(text.replace("acc + X", "acc - X"))
    assert any("add" in one and "of another graph" in one and __version__ not in one for one in built()[1])
    spec.write_text(text)
    store.write_text(store.read_text().replace(__version__, "0.0.1"))
    assert len(built()[1]) == 3 and built()[0] is None
    assert any("add" in one and "evtgen 0.0.1 for AtlasA2" in one for one in built()[1]), (
        "and it is said whose they are"
    )


@pytest.mark.parametrize("kept", ["store", "spec"])
def test_winners_that_another_search_keeps_meanwhile_stay(
    spec: Path, kept: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = spec.with_name("winners.json")
    given: dict[str, Any] = {"store": store} if kept == "store" else {"write": True}

    def tuned(name: str) -> None:
        evt.tune(_of(spec, name), shapes=[SHAPE], runs=12, assumed=False, **given)

    @contextmanager
    def meanwhile(roots: Iterable[Path], *, make: bool = False) -> Iterator[None]:
        """Another search writes while this one waits for the lock."""
        monkeypatch.setattr(standalone, "locked", locked)
        tuned("twice")
        with locked(roots, make=make):
            yield

    tuned("by_hand")
    monkeypatch.setattr(standalone, "locked", meanwhile)
    tuned("add")
    if kept == "store":
        assert {one["epilogue"] for one in read(store)} == {"add", "twice", "by_hand"}
    else:
        assert [one.gemm.l1 and one.gemm.l1[0] for one in load([spec])] == [BEST] * 3


@pytest.mark.parametrize("form", ["py", "json"])
def test_the_kernels_of_a_dispatch_are_not_written(spec: Path, form: str) -> None:
    spec.write_text(f"{SPEC}\nby_rows = evt.Dispatch(add, {{16: {{'buffers': 1}}}})\n")
    if form == "json":
        document = to_json(load([spec]))
        spec = spec.with_name("spec.json")
        spec.write_text(json.dumps(document))
    text = spec.read_text()
    with refused("EVT294", "add_m16 is a kernel of the Dispatch of add", help="take the Dispatch out"):
        winners.require_places(load_and_check([spec]), evt_options())
    assert spec.read_text() == text and not ASKED


ONE = {"epilogue": "add", "graph": "", "arch": "", "release": "", "class": ""}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        '{"winners": []}',
        *(json.dumps({"evtgen_winners": 1, "winners": [one]}) for one in (1, {}, ONE, {**ONE, "options": {"root": 1}})),
    ],
)
def test_what_is_no_store_is_refused(tmp_path: Path, text: str) -> None:
    store = tmp_path / "winners.json"
    store.write_text(text)
    with refused("EVT295", "winners.json"):
        read(store)
    store.write_text('{"evtgen_winners": 1, "winners": []}')
    assert read(store) == []


def test_classes_of_shapes() -> None:
    assert [shape_class((m, 8, 4)) for m in (1, 2, 3, 16, 17)] == [f"M<={m} 8x4" for m in (1, 2, 4, 16, 32)]


@pytest.mark.cxx
@pytest.mark.core
def test_the_command(tmp_path: Path) -> None:
    (tmp_path / "spec.py").write_text(SPEC.partition("@evt.epilogue")[0])
    line = ("tune", "spec.py", "--shape", "16x256x64", "--runs", "1", "--no-assumed", "--json")
    done = run(*line, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [one["epilogue"] for one in found] == ["add"]
    assert all(
        one["default"] == one["winner"] and one["winner"]["cycles"][0] > 0 and one["gain"] == 1.0 for one in found
    )
    assert "EVT079" in run("tune", "spec.py", cwd=tmp_path).stderr


def test_errors_of_the_machine_are_no_slow_kernels(spec: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(job: Job) -> list[Timed]:
        raise EvtgenError([], 3)

    monkeypatch.setattr(tuning, "timed", broken)
    with pytest.raises(EvtgenError):
        evt.tune(_of(spec, "add"), shapes=[SHAPE], runs=2)
