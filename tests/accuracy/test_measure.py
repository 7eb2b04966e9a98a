"""The committed accuracy table: complete, within what the operators declare, and what a run shows today."""

from __future__ import annotations

import re

from docs.generate.accuracy import row
from evtgen.accuracy.measure import Case, all_cases, measure
from evtgen.graph.types import ELEMENT_TYPES, half
from evtgen.operators.table import BY_NAME

from ..support.paths import CHECKOUT

PAGE = CHECKOUT / "docs" / "accuracy.md"


def rows() -> dict[tuple[str, str], list[str]]:
    """The cells of each row by operator and type."""
    lines = re.findall(r"^\| (\w+ \|.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    table = [[cell.strip() for cell in line.split("|")] for line in lines]
    return {(cells[0], cells[2]): cells for cells in table if cells[2] in ELEMENT_TYPES}


def test_the_table_is_complete_and_within_the_bounds() -> None:
    table = rows()
    assert set(table) == {(case.operator.name, case.T.name) for case in all_cases()}
    for (name, T), cells in table.items():
        operator = BY_NAME[name]
        if operator.ulp:
            assert int(cells[4]) == operator.error(ELEMENT_TYPES[T]) >= int(cells[5]), name
        else:
            assert cells[4] == "exact"


def test_a_run_shows_the_same() -> None:
    """All values of half for some operators: the row as committed."""
    table = rows()
    for result in measure([Case.of(BY_NAME[name], half) for name in ("gelu", "greater", "hardswish", "rsqrt")]):
        assert (result.wrong, result.nans) == (0, 0)
        assert row(result).strip("| ").split(" | ") == [*table[result.case.operator.name, "half"]]
