"""Comparisons and what a result makes of them."""

from __future__ import annotations

import json

import numpy as np

from evtgen import Acc, epilogue, float32, ops
from evtgen.graph.types import half, int32
from evtgen.planner.plan import lower
from evtgen.reference import Enclosure
from evtgen.report.verification import failures
from evtgen.verify import Comparison, Result
from evtgen.verify.compare import compare, compare_accumulator
from evtgen.verify.distribution import Distribution
from evtgen.verify.numbers import not_judged

HALVES = np.array([[0.0, 1.0, np.nan], [2.0, -3.0, np.inf]], np.float16)


def test_equal_tensors() -> None:
    device = HALVES.copy()
    device[0, 0] = -0.0
    expected = Comparison(
        "D", "half", 6, 0, 0.0, 0, 0.0, judged=4 / 6, undefined=2, typical=2.0, distribution=Distribution.equal(6)
    )
    assert compare("D", half, device, Enclosure(HALVES)) == expected


def test_a_difference_without_a_bound_is_a_mismatch() -> None:
    device = HALVES.copy()
    device[1, 1] = np.nextafter(np.float16(-3), np.float16(0))
    result = compare("D", half, device, Enclosure(HALVES))
    assert (result.mismatches, result.max_ulp, result.first) == (1, 1, (1, 1, float(device[1, 1]), -3.0))
    assert result.max_abs_error == 2.0**-9


def test_within_the_bound_is_no_mismatch() -> None:
    low, high = HALVES - np.float16(0.5), HALVES + np.float16(0.5)
    device = HALVES + np.float16(0.25)
    result = compare("D", half, device, Enclosure(HALVES, low, high))
    assert result.mismatches == 0 and result.bound == 0.5 and result.max_abs_error == 0.25
    assert compare("D", half, HALVES + np.float16(1), Enclosure(HALVES, low, high)).mismatches == 4


def test_the_distribution_has_every_element_once() -> None:
    value = np.array([[1.0, 2.0, 4.0, 8.0, 1.0, 1.0]], np.float16)
    width = np.array([[1.0, 1.0, 1.0, 1.0, np.inf, 1.0]], np.float16)
    device = value + np.array([[0.0, 0.25, 1.0, 1.5, np.nan, 0.5]], np.float16)
    found = compare("D", half, device, Enclosure(value, value - width, value + width)).to_json()["distribution"]
    # Of 2.25 from 2, 5 from 4, 9.5 from 8 and 1.5 from 1: 128, 256, 192 and 512 steps of a half; NaN is further off.
    assert found["ulp"] == [(0.0, 1), (128.0, 1), (256.0, 2), (512.0, 1), (None, 1)]
    # What is anything, where anything is allowed, is in no range.
    assert found["bound"] == [(0.0, 1), (0.3, 1), (0.5, 1), (1.0, 1), (None, 1)]


def test_a_bound_that_is_narrower_on_one_side_is_left_there() -> None:
    value = np.array([[4.0, 4.0]], np.float16)
    device = np.array([[4.5, 3.5]], np.float16)
    result = compare("D", half, device, Enclosure(value, value - np.float16(1), value))
    assert result.mismatches == 1
    assert result.to_json()["distribution"]["bound"] == [(0.5, 1), (None, 1)]


def test_distances_from_the_formula_are_in_ulp_of_the_output() -> None:
    formula = np.array([[1.0, 1.0 + 2.0**-12, 1.0 + 2.0**-11, np.inf]])
    result = compare("D", half, np.ones((1, 4), np.float16), Enclosure(np.ones((1, 4), np.float16)), formula=formula)
    assert result.to_json()["from_formula"] == {"ulp": [(0.0, 1), (0.5, 2), (None, 1)]}
    assert result.formula_error == (np.inf, np.inf)


def test_the_accumulator_has_one_distribution_of_all_blocks() -> None:
    a, b = np.ones((5, 3), np.float16), np.ones((3, 1 << 20), np.float16)
    c = (a @ b).astype(np.float16)
    c[4, 7] = 9
    found = compare_accumulator(c, a, b, half).to_json()
    for reference in ("distribution", "from_formula"):
        assert found[reference]["ulp"][0] == (0.0, c.size - 1) and len(found[reference]["ulp"]) == 2
    assert found["distribution"]["bound"] == [(0.0, c.size - 1), (None, 1)]


def test_nan_against_a_number_is_infinitely_wrong_and_still_json() -> None:
    device = HALVES.copy()
    device[0, 1] = np.nan
    result = compare("D", half, device, Enclosure(HALVES))
    assert result.mismatches == 1 and result.max_abs_error == np.inf
    assert json.loads(json.dumps(result.to_json(), allow_nan=False))["max_abs_error"] is None


def test_accumulator_blocks_report_rows_of_the_whole() -> None:
    a, b = np.ones((5, 3), np.float16), np.ones((3, 1 << 20), np.float16)
    c = (a @ b).astype(np.float16)
    assert compare_accumulator(c, a, b, half).mismatches == 0
    c[4, 7] = 9
    result = compare_accumulator(c, a, b, half)
    assert result.mismatches == 1 and result.first == (4, 7, 9.0, 3.0)


def result(**changes: object) -> Result:
    values: dict[str, object] = {"outputs": [Comparison("D", "half", 4, 0, 0.0, 0, 0.0)], **changes}
    return Result("e", (2, 2, 2), 64, 128, 256, **values)  # type: ignore[arg-type]


def test_what_makes_a_result_fail() -> None:
    warning = {"code": "EVT123", "severity": "warning", "message": "m", "pipe": "V", "count": 2}
    error = {**warning, "severity": "error"}
    assert result().ok
    assert result(hazards=[warning]).ok
    assert not result(hazards=[warning], strict=True).ok
    assert not result(hazards=[error]).ok
    assert not result(outputs=[Comparison("D", "half", 4, 1, 1.0, 1, 0.0)]).ok
    assert not result(outputs=[]).ok
    assert not result(error="died").ok
    assert not result(differing=["D"]).ok
    assert result(float_atomics=["D"]).ok
    assert failures(result()) == []
    assert "EVT123" in failures(result(hazards=[error]))[0]


def test_columns_of_equal_values_are_those_of_the_logits() -> None:
    def gate(acc: Acc[float32]) -> dict[str, object]:
        return {"experts": ops.topk(ops.softmax(acc), 8)[1]}

    experts = Comparison("experts", int32.name, 8, 0, 0.0, 0, 63.0, judged=0.5, typical=20.0)
    ((_, found),) = not_judged(experts, lower(epilogue(gate)))
    assert found.code == "EVT153" and "ops.topk(acc, k)" in str(found.help)
