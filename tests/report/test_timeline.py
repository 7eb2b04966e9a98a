"""The timeline: what each pipe does, and what it waits for."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise

import pytest

from evtgen.kernels import Matmuls
from evtgen.measure import timeline as module
from evtgen.measure.timeline import Lane, Timeline, timeline
from evtgen.report.page.sections.timeline import nice

from ..support.runs import BLOCK, COMPUTE, LATE, LOAD, profile, slice_of


def lanes(line: Timeline) -> dict[str, Lane]:
    return {f"{lane.core[:3]} {lane.pipe}": lane for lane in line.lanes}


def test_the_lanes_are_those_of_the_cores_that_end_last() -> None:
    line = timeline(profile("add", 2))
    assert [(lane.core, lane.pipe) for lane in line.lanes] == [
        ("AIC 0", "FIX"), ("AIV 0.1", "S"), ("AIV 0.1", "MTE2"), ("AIV 0.1", "V"), ("AIV 0.1", "MTE3"),
    ]  # fmt: skip
    assert line.cycles == line.shown and not line.phases
    for lane in line.lanes:
        assert all(one.end <= next_.begin for one, next_ in pairwise(lane.slices)), lane


def test_a_wait_is_named_after_what_it_waits_for() -> None:
    of = lanes(timeline(profile("add", 1)))
    waits = [one for one in of["AIV V"].slices if one.waits and one.call]
    assert [(one.name, one.tile, one.who) for one in waits] == [("AuxLoadX", tile, "MTE2") for tile in range(4)]
    again = [one for one in of["AIV MTE2"].slices if one.waits and one.call]
    # With one buffer, each load but the first waits until V has read it.
    assert [(one.name, one.tile, one.cycles) for one in again] == [("Plus", n, COMPUTE + 2 * LATE) for n in range(3)]
    (block,) = of["AIV S"].slices
    assert (block.name, block.who, block.end) == ("BlockMmad", "AIC 0, FIX", 10 + BLOCK + LATE)


def test_nothing_waits_for_a_buffer_where_there_are_two() -> None:
    of = lanes(timeline(profile("add", 2)))
    assert not [one for one in of["AIV MTE2"].slices if one.waits and one.call]


def test_what_s_waits_for_all_pipes_wait_for() -> None:
    of = lanes(timeline(profile("add", 2)))
    for pipe in ("MTE2", "V", "MTE3"):
        first = of[f"AIV {pipe}"].slices[0]
        assert (first.waits, first.name, first.call, first.begin) == (True, "BlockMmad", "", 5)
        assert first.end == 10 + BLOCK + LATE


def test_calls_that_follow_each_other_for_a_tile_are_one() -> None:
    of = lanes(timeline(profile("add", 2)))
    works = [one for one in of["AIV V"].slices if not one.waits]
    assert [(one.name, one.tile, one.count, one.cycles) for one in works] == [("Plus", n, 2, COMPUTE) for n in range(4)]
    assert all(one.done == one.end + LATE for one in works)
    loads = [one for one in of["AIV MTE2"].slices if not one.waits]
    # The next tile is not the same work, though it follows at once.
    assert [one.cycles for one in loads] == [LOAD] * 4


def test_calls_with_a_gap_between_them_are_two() -> None:
    found = profile("add", 2)
    last = max(event["args"]["done"] for event in found.trace if event["ph"] == "X")
    for begin in (last + 10, last + 70):
        found.trace.append(slice_of(2, "V", "Add", begin, 50, begin + 50, node="Plus", tile=9))
    of = lanes(timeline(replace(found, cycles=last + 200)))
    assert [(one.tile, one.count, one.cycles) for one in of["AIV V"].slices[-2:]] == [(9, 1, 50), (9, 1, 50)]


def test_what_ends_elsewhere_at_the_same_time_is_not_taken_for_it() -> None:
    found = profile("add", 1)
    wait = next(e for e in found.trace if e["pid"] == 2 and e["args"].get("flag") == "MTE2_V 0")
    block = next(e for e in found.trace if e["pid"] == 2 and e["name"] == "CrossCoreWaitFlag")
    # The other vector core ends a load when a flag of this core is set, and this core something of its own when the
    # cube core has its block.
    flag, set_ = wait["args"]["done"], block["args"]["done"]
    found.trace[:0] = [
        slice_of(1, "MTE2", "DataCopyPad", 0, 5, flag, node="Other", tile=7),
        slice_of(2, "MTE3", "DataCopyPad", 0, 5, set_, node="Own", tile=8),
    ]
    of = lanes(timeline(found))
    first = next(one for one in of["AIV V"].slices if one.call == "WaitFlag")
    assert (first.name, first.tile) == ("AuxLoadX", 0)
    assert of["AIV S"].slices[0].name == "BlockMmad"


def test_phases_are_those_of_the_names() -> None:
    found = profile("add", 1, scope="phase2::")
    ((name, begin, end),) = timeline(found).phases
    work = [e for e in found.trace if e["ph"] == "X" and e["cat"] == "work" and e["pid"] == 2]
    assert name == "phase2" and begin == min(e["ts"] for e in work) and end == max(e["ts"] + e["dur"] for e in work)


def test_a_timeline_that_is_too_long_ends_earlier_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    found = profile("add", 2, tiles=40)
    whole = timeline(found)
    monkeypatch.setattr(module, "MOST", 50)
    cut = timeline(found)
    assert cut.shown < cut.cycles == whole.shown
    assert 45 <= sum(len(lane.slices) for lane in cut.lanes) <= 50
    assert all(one.end <= cut.shown for lane in cut.lanes for one in lane.slices)
    assert re.fullmatch(r"\d+", str(cut.to_json()["shown"]))


def test_groups_are_those_of_the_blocks_of_the_cube_core() -> None:
    found = replace(profile("add", 2), matmuls=Matmuls(groups=(0, 64)), shape=(64, 512, 16))
    assert timeline(found, (128, 512)).groups == ((1, 64, 10, 660),)
    # A block more than the cube core has done: nobody knows which is which.
    assert timeline(found, (128, 256)).groups == () == timeline(found).groups


def test_ticks_are_at_round_numbers() -> None:
    assert [nice(least) for least in (0.3, 1, 1.1, 2.5, 7, 10, 11, 4999, 5001)] == [
        1, 1, 2, 5, 10, 10, 20, 5000, 10000,
    ]  # fmt: skip
