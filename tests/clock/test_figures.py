"""The clock against published measurements: as near as the page says, and the page says what the model gives."""

from __future__ import annotations

import re

import pytest

from docs.generate import clock
from docs.generate.measurements import FIGURES, SHAPES, Figure, Run, Shape, launch
from evtgen.targets.tables import CALL_NAMES, MACHINE, read_table

from ..support.epilogues import FULL
from ..support.paths import CHECKOUT

pytestmark = pytest.mark.cxx

PAGE = (CHECKOUT / "docs" / "clock.md").read_text(encoding="utf-8")
SMALL = [one for one in SHAPES if one.m * one.n * one.k < 3e10]
"""Shapes whose runs take no time to speak of; ``make clock`` runs all."""

EVERY = 1 if FULL else 4
"""One figure, and one shape, of so many is looked at; with EVTGEN_FULL=1 all are."""

TOO_SMALL = (192, 160, 128)
"""Four blocks: the two programs differ by 0.6 of 16 us there, more than either's epilogue takes."""


@pytest.mark.parametrize("one", FIGURES[::EVERY], ids=lambda one: f"{one.group} {one.what}")
def test_a_figure_is_near_and_on_the_page(one: Figure) -> None:
    if not one.reason:
        assert abs(one.error) <= 0.15
    assert clock.figure(one) in PAGE


def test_fusing_gains_what_was_measured() -> None:
    assert clock.fused() in PAGE
    at = {one.what: one for one in FIGURES if one.group == "matmul_gelu"}
    whole, parts = at["fused, task"], (at["matmul, task"], at["gelu, task"])
    measured = whole.measured / sum(part.measured for part in parts)
    model = whole.model / sum(part.model for part in parts)
    assert abs(model / measured - 1) <= 0.03


@pytest.mark.parametrize("one", SMALL[::EVERY], ids=lambda one: f"{one.m}x{one.n}x{one.k}")
def test_an_evt_costs_what_an_epilogue_by_hand_does(one: Shape) -> None:
    assert clock.shape(one) in PAGE
    if (one.m, one.n, one.k) != TOO_SMALL:
        assert abs(one.model_ratio / one.ratio - 1) <= 0.03


def test_the_constants_of_the_page_are_those_of_the_model() -> None:
    assert clock.constants() in PAGE
    # Both parts of the published figures are there: those that constants come from, and those that judge them.
    for group in {one.group for one in FIGURES if any(other.tuned for other in FIGURES if other.group == one.group)}:
        assert {one.tuned for one in FIGURES if one.group == group} == {True, False}


def test_the_form_of_the_mask_decides_no_conflict() -> None:
    """Counter mode and 64 repeats take the same elements, so the same banks."""
    (strided,), (counted,) = (
        [call for call in launch(Run("vector", (form,)))["calls"] if call["call"] == "Add"]
        for form in ("strided", "counted")
    )
    assert strided["bank_conflicts"] == 64 * 1000  # x has a block in every second group, y one in each, in every repeat
    assert counted["bank_conflicts"] == strided["bank_conflicts"]
    assert counted["busy"] == strided["busy"]


@pytest.mark.parametrize(("stride", "cycles"), [("16", 8), ("8", 4), ("4", 2), ("1", 1)])
@pytest.mark.parametrize("side", ["write", "read"])
def test_blocks_of_one_operand_meet_in_a_group(side: str, stride: str, cycles: int) -> None:
    """The guide's cases: 8 cycles per repeat with a block stride of 16, 4 with one of 8."""
    (adds,) = [call for call in launch(Run("vector", (side, stride)))["calls"] if call["call"] == "Adds"]
    assert adds["bank_conflicts"] == 64 * (cycles - 1)


def on_ascend950(*arguments: str) -> dict[str, int]:
    """The one vector call of a run there."""
    (call,) = [call for call in launch(Run("vector", arguments, npu=3510))["calls"] if call["call"].startswith("Add")]
    return dict(call)


@pytest.mark.parametrize("scenario", [1, 2, 5, 6])
def test_two_sources_and_a_destination_always_meet_on_ascend950(scenario: int) -> None:
    """A group gives two rows in a cycle, or gives one and takes one: two per repeat, wherever the operands lie."""
    assert on_ascend950(str(scenario))["bank_conflicts"] == 64 * 1000


@pytest.mark.parametrize(
    ("side", "stride", "waiting"),
    [("write", "16", 7), ("write", "8", 7), ("write", "4", 3), ("write", "1", 0),
     ("read", "16", 7), ("read", "8", 3), ("read", "4", 1), ("read", "1", 0)],
)  # fmt: skip
def test_blocks_of_one_operand_meet_in_a_bank_on_ascend950(side: str, stride: str, waiting: int) -> None:
    """512 bytes apart they are in one bank; 256 apart in the two of a group, which then takes no row."""
    _, own, _ = read_table(MACHINE / "targets" / "ascend950.def", CALL_NAMES).prices["Adds"]
    assert on_ascend950(side, stride)["bank_conflicts"] == max(0, 64 * (1 + waiting) - 64 * own // 100)


def test_every_vector_call_of_atlas_a2_has_a_price() -> None:
    table = read_table(MACHINE / "targets" / "atlas_a2.def", CALL_NAMES)
    assert [call for call in table.takes if call not in table.prices] == []


@pytest.mark.parametrize("name", ["atlas_a2", "ascend950"])
def test_every_constant_has_a_source(name: str) -> None:
    table = read_table(MACHINE / "targets" / f"{name}.def", CALL_NAMES)
    sources = [source for *_, source in table.costs.values()] + [source for *_, source in table.prices.values()]
    known = ("asc-devkit", "pto-isa", "guide", "assumed", "the authors'")
    assert [source for source in sources if not source.startswith(known)] == []


def test_what_is_assumed_to_be_as_another_is() -> None:
    tables = [read_table(MACHINE / "targets" / f"{name}.def", CALL_NAMES) for name in ("atlas_a2", "ascend950")]
    checked = 0
    for table in tables:
        for call, (fixed, repeat, source) in table.prices.items():
            if match := re.fullmatch(r"assumed: as (\w+)", source):
                assert (fixed, repeat) == table.prices[match[1]][:2], call
                checked += 1
    for name, (value, source) in tables[1].costs.items():
        if source.startswith("assumed: as Atlas A2"):
            assert value == tables[0].costs[name][0], name
            checked += 1
    assert checked > 20


def test_rank_correlation() -> None:
    assert clock.rank_correlation([1, 2, 3], [10, 20, 30]) == 1
    assert clock.rank_correlation([1, 2, 3], [30, 20, 10]) == -1
