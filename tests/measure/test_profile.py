"""The pipeline by the cost model: more buffers overlap more, and the trace names nodes and tiles."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import pytest

from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.measure.measured import Measured
from evtgen.measure.profile import Profile, write_trace
from evtgen.measure.timeline import PIPES, timeline
from evtgen.options import ProfileOptions
from evtgen.pipeline import profile as module
from evtgen.pipeline.profile import profile
from evtgen.pipeline.specs import load_and_check
from evtgen.report.measurements import profiles
from evtgen.targets import ARCHITECTURES

from ..support.paths import EXAMPLES
from ..support.said import refused


def test_two_buffers_beat_one_and_the_trace_says_what_ran(tmp_path: Path) -> None:
    found, warnings = profile(load_and_check(EXAMPLES), ProfileOptions(shape=(1024, 4096, 16), buffers=(1, 2)))
    assert len(found) == 8 and not warnings
    for one, two in zip(found[::2], found[1::2], strict=True):
        assert (one.epilogue, one.buffers, two.buffers) == (two.epilogue, 1, 2)
        assert two.cycles < one.cycles and two.overlap > one.overlap
        assert two.cycles >= two.bandwidth_bound > 0
        assert all(0 < share <= 1 for pipes in two.busy.values() for share in pipes.values())
        assert {*one.busy["AIC"]} == {"FIX"}, "a whole block is one instruction, so docs/measured.md compares no pipe"
        assert one.phases == ()
        assert one.to_json()["source"] == "cost model, not a measurement"
    # C out of the workspace and D, of halfs: both through the L2 cache, and little else is read.
    rows = found[7]
    assert rows.epilogue == "row_broadcast_reduction_evt"
    assert rows.bandwidth_bound >= 2 * 2 * 1024 * 4096 // ARCHITECTURES["AtlasA2"].costs["l2Bytes"]
    for one in found:
        _draws(one)
    path = tmp_path / "trace.json"
    write_trace(found[:2], path)
    events = json.loads(path.read_text())["traceEvents"]
    work = [event for event in events if event["ph"] == "X" and event["cat"] == "work"]
    nodes = {event["args"]["node"] for event in work if "node" in event["args"]}
    assert nodes == {"AccLoad", "AuxLoadX", "Plus", "AuxStoreD"}
    # Each node works on the tiles of its core in their order, and on all of them.
    for core in {event["pid"] for event in work if "tile" in event["args"]}:
        for node in ("AccLoad", "Plus", "AuxStoreD"):
            tiles = [e["args"]["tile"] for e in work if e["pid"] == core and e["args"].get("node") == node]
            assert tiles == sorted(tiles) and set(tiles) == set(range(len(set(tiles)))), (core, node)
    names = [event["args"]["name"] for event in events if event["name"] == "process_name"]
    assert "AIV 0.0, matmul_add_evt, 1 buffer" in names and "AIV 19.1, matmul_add_evt, 2 buffers" in names
    assert len({event["pid"] for event in events}) == len(names)


def _draws(one: Profile) -> None:
    """The timeline of a profile has the work of its cores, and says of each wait what it is for."""
    line = timeline(one)
    assert line.shown == line.cycles == one.cycles
    pipes = {(lane.core[:3], lane.pipe) for lane in line.lanes}
    assert pipes >= {("AIC", "FIX"), ("AIV", "S"), ("AIV", "MTE2"), ("AIV", "V"), ("AIV", "MTE3")}
    for lane in line.lanes:
        assert all(before.end <= after.begin for before, after in pairwise(lane.slices)), lane
        assert all(slice.begin >= 0 and slice.cycles > 0 and slice.end <= one.cycles for slice in lane.slices)
        waits = [slice for slice in lane.slices if slice.waits and slice.call != "PipeBarrier"]
        # Cores that wait for each other without a result in between wait for no work.
        named = [slice for slice in waits if slice.name != "another core"]
        assert all("," in slice.who or slice.who in PIPES[lane.core[:3]] for slice in named), named
        assert all(slice.name != slice.who for slice in named) and 2 * len(named) >= len(waits), waits
    assert max(slice.done for lane in line.lanes for slice in lane.slices) == one.cycles


def test_phases_side_by_side(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where a block has no whole rows, a phase begins when the one before is over; nodes are named after theirs."""
    spec = tmp_path / "spec.py"
    spec.write_text(
        "from evtgen import Acc, epilogue, float32, ops\n"
        "@epilogue\n"
        "def shifted(acc: Acc[float32]):\n"
        "    most = ops.row_reduce(acc, 'max', identity=0.0)\n"  # so it takes no whole rows
        "    return {'D': ops.exp(acc - ops.col_reduce(acc, 'max')), 'most': most}\n"
    )
    ((wide,), _), ((narrow,), _) = (
        profile(load_and_check([spec]), ProfileOptions(shape=(40, 300, 16), buffers=(2,))),
        profile(load_and_check([spec]), ProfileOptions(shape=(300, 70, 16), buffers=(2,))),
    )
    first, second = wide.phases
    assert 0 < first.begin < first.end < second.begin < second.end <= wide.cycles
    assert all(0 < phase.busy[pipe] < 1 for phase in (first, second) for pipe in ("MTE2", "V", "MTE3"))
    # Shares are of the phase: what V does in the whole kernel is what it does in both.
    worked = sum((phase.end - phase.begin) * phase.busy["V"] for phase in (first, second))
    assert worked == pytest.approx(wide.busy["AIV"]["V"] * wide.cycles, rel=0.02)
    assert {call["node"] for call in wide.calls} >= {"phase1::AccLoad", "phase2::AccLoad", "phase2::Exp"}
    assert [phase["end"] for phase in wide.to_json()["phases"]] == [first.end, second.end]
    assert narrow.phases[0].end > narrow.phases[1].begin
    # As wide as a block, and a column wider
    for columns, meets in ((256, False), (257, True)):
        (either,), _ = profile(load_and_check([spec]), ProfileOptions(shape=(300, columns, 16), buffers=(2,)))
        assert (either.phases[0].end < either.phases[1].begin) is meets
    _draws(wide)
    # On one vector core a phase begins when the one before is over, as it does on all.
    (one, first_begin, first_end), (two, second_begin, second_end) = timeline(wide).phases
    assert (one, two) == ("phase1", "phase2") and first_end <= second_begin
    assert first.begin <= first_begin < first_end <= first.end
    assert second.begin <= second_begin < second_end <= second.end
    profiles([wide])
    assert "phase of shifted" in capsys.readouterr().out


def test_whole_rows_have_a_line_of_their_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Where a row fits a tile, there are no phases, up to the longest row that fits."""
    spec = tmp_path / "spec.py"
    spec.write_text(
        "from evtgen import Acc, epilogue, float32, ops\n"
        "@epilogue(compute_length=4096)\n"
        "def shifted(acc: Acc[float32]):\n"
        "    return {'D': ops.exp(acc - ops.col_reduce(acc, 'max'))}\n"
    )
    for columns, names in ((4096, ["rows"]), (4104, ["phase1", "phase2"])):
        (one,), _ = profile(load_and_check([spec]), ProfileOptions(shape=(40, columns, 16), buffers=(2,)))
        assert [phase.name for phase in one.phases] == names
        assert all(0 < phase.begin < phase.end <= one.cycles for phase in one.phases)
        profiles([one])
        assert names[-1].removeprefix("phase") in capsys.readouterr().out


def test_buffers_that_do_not_fit_are_refused() -> None:
    with pytest.raises(EvtgenError):
        profile(load_and_check(EXAMPLES[:1]), ProfileOptions(shape=(16, 16, 16), buffers=(7,)))


def test_the_number_that_is_chosen_is_among_those_compared(tmp_path: Path) -> None:
    spec = tmp_path / "spec.py"
    spec.write_text(
        "from evtgen import Acc, epilogue, float32, half, ops\n"
        "@epilogue\n"
        "def gradient(acc: Acc[half]):\n"
        "    return {'D': acc, 'bias': ops.row_reduce(acc.cast(float32))}\n"
    )
    found, _ = profile(load_and_check([spec]), ProfileOptions(shape=(16, 32, 16)))
    assert [one.buffers for one in found] == [1, 2, 3, 4]


def test_a_measurement_is_beside_the_kernel_that_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    checked, took = load_and_check(EXAMPLES[:1]), Measured("add", 1, 30.0, {})
    own = checked.plans[0].buffers
    monkeypatch.setattr("evtgen.measure.measured.read", lambda path, name: took)
    monkeypatch.setattr(module, "profile_plans", lambda plans, *_: [_empty(plan.name, plan.buffers) for plan in plans])
    found, _ = profile(checked, ProfileOptions(measured="op_summary.csv", buffers=(1, 2, 3)))
    assert [one.measured for one in found] == [took if count == own else None for count in (1, 2, 3)]
    with refused("EVT079", f"buffers={own}"):
        profile(checked, ProfileOptions(measured="op_summary.csv", buffers=own % 3 + 1))


def _empty(name: str, buffers: int) -> Profile:
    return Profile(1850, 0, {"AIV": {}}, 0.0, 0, 1850, {}, [], name, (16, 16, 16), buffers, 1, [])


def test_the_rows_of_groups_are_those_of_the_problem(tmp_path: Path) -> None:
    spec = tmp_path / "spec.py"
    spec.write_text(
        "from evtgen import Acc, Gemm, RowVector, epilogue, half\n"
        "@epilogue(gemm=Gemm(group='m'))\n"
        "def experts(acc: Acc[half], bias: RowVector[half]):\n"
        "    return {'D': acc + bias}\n"
    )
    (found,), _ = profile(load_and_check([spec]), ProfileOptions(buffers=(1,), groups=(5, 0, 17)))
    assert found.size(" x ") == "5,0,17 x 4096 x 64" and found.cycles > 0
    json = found.to_json()
    assert (json["shape"], json["batch"], json["groups"]) == ([22, 4096, 64], None, [5, 0, 17])
    wrong = (
        (ProfileOptions(shape=(21, 16, 16), groups=(5, 0, 17)), "M of 21x16x16 is 21"),
        (ProfileOptions(batch=2), "not batched"),
    )
    for options, words in wrong:
        with pytest.raises(EvtgenError, match=words):
            profile(load_and_check([spec]), options)
