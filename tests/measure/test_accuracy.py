"""The committed accuracy table: complete, within what the operators declare, and what a run shows today."""

from __future__ import annotations

import re

import numpy as np

from docs.generate.accuracy import committed, composed, page, row
from evtgen.graph.types import ELEMENT_TYPES, float32, half
from evtgen.measure.accuracy import Case, all_cases, compare, measure
from evtgen.measure.composed import measure_composed
from evtgen.operators.arrays import neighbour
from evtgen.operators.table import BY_NAME

from ..support.paths import CHECKOUT

PAGE = CHECKOUT / "docs" / "accuracy.md"


def rows() -> dict[tuple[str, str], list[str]]:
    """The cells of each row by operator and type."""
    operators = PAGE.read_text(encoding="utf-8").partition("\n## ")[0]
    lines = re.findall(r"^\| (\w+ \|.*) \|$", operators, re.MULTILINE)
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
            assert cells[4] == ("exact" if operator.fused is None else "product rounded or not")


def test_the_words_around_the_tables_are_as_committed() -> None:
    assert page(*committed()) == PAGE.read_text(encoding="utf-8")


def test_a_run_shows_the_same() -> None:
    """All values of half for some operators: the row as committed."""
    table = rows()
    for result in measure([Case.of(BY_NAME[name], half) for name in ("gelu", "greater", "hardswish", "rsqrt")]):
        assert (result.wrong, result.nans) == (0, 0)
        assert row(result).strip("| ").split(" | ") == [*table[result.case.operator.name, "half"]]


def test_what_is_made_of_operators_is_as_committed() -> None:
    """And rounded once: half an ulp in 16 bits, where steps in those would lose more."""
    measured = list(measure_composed())
    assert composed(measured) in PAGE.read_text(encoding="utf-8")
    narrow = [r for r in measured if float32 != r.T and not r.name.startswith("quantize")]
    assert max(r.max_ulp for r in narrow) <= 0.51
    assert min(r.stepwise_ulp for r in narrow) > 1


def test_a_product_is_rounded_or_not() -> None:
    """Both are right, and their neighbours where they differ; what is further off is wrong."""
    case = Case.of(BY_NAME["multiply_scalar_axpy"], half)
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal(4000).astype(np.float16) for _ in range(2)]
    scalar, alpha = map(np.float16, case.constants)
    assert case.operator.fused is not None
    rounded = case.operator.numpy(np, *inputs, scalar, alpha)
    fused = case.operator.fused(np, *inputs, scalar, alpha).astype(np.float16)
    differ = rounded != fused
    assert 0 < differ.sum() < 4000
    for device in (rounded, fused, np.where(differ, neighbour(np.maximum(rounded, fused), 1), rounded)):
        assert compare(case, inputs, device).wrong == 0
    assert compare(case, inputs, neighbour(np.maximum(rounded, fused), 2)).wrong == 4000
    assert compare(case, inputs, neighbour(rounded, 1)).wrong >= (~differ).sum()


def test_half_is_rounded_once() -> None:
    """What is computed in float32 is off there; its neighbour in half is right only where that leads to it."""
    case = Case.of(BY_NAME["silu"], half)
    x = np.arange(0x2C00, 0x4400, dtype=np.uint16).view(np.float16)
    exact = case.operator.numpy(np, x.astype(np.float64)).astype(np.float32)
    for steps in (-60, 0, 60):
        assert compare(case, [x], neighbour(exact, steps).astype(np.float16)).wrong == 0
    assert compare(case, [x], neighbour(exact.astype(np.float16), 1)).wrong > 0.95 * x.size
