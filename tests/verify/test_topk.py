"""The largest values of a row, and their columns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import Acc, Aux, epilogue, float32, half, ops
from evtgen.graph.ir import Epilogue
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

from ..support.changed import verify_changed
from ..support.epilogues import ARCHES, sample_of
from ..support.right import right
from ..support.said import refused


def gating(arch: str = "AtlasA2") -> Epilogue:
    """The two experts of each token, with their probabilities, and what these add up to."""

    @epilogue(name="gating", arch=arch)
    def made(acc: Acc[float32]) -> dict[str, Any]:
        values, experts = ops.topk(acc, 2)
        most = ops.col_reduce(acc, "max")
        total = ops.col_reduce(ops.exp(acc - most), "add")
        weights = ops.exp(values - most) / total
        return {"weights": weights, "sum": ops.col_reduce(weights, "add"), "experts": experts, "first": ops.argmax(acc)}

    assert isinstance(made, Epilogue)
    return made


@epilogue
def sorted_rows(acc: Acc[float32], x: Aux[float32]) -> dict[str, Any]:
    values, columns = ops.topk(acc + x, 32)
    return {"values": values, "columns": columns}


def sampled(arch: str) -> Epilogue:
    """Of the 20 most likely tokens their probabilities, what these add up to by two ways, and all logits."""

    @epilogue(name="sampled", arch=arch)
    def made(acc: Acc[float32]) -> dict[str, Any]:
        values, tokens = ops.topk(acc, 20)
        p = ops.softmax(values)
        sums = {"joined": ops.col_reduce(p, "add"), "total": ops.col_reduce(p * p, "add") + 1}
        return {"p": p, "tokens": tokens, "logits": acc.cast(half), **sums}

    assert isinstance(made, Epilogue)
    return made


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ARCHES)
def test_rows_may_be_longer_than_a_tile(arch: str) -> None:
    """Of a whole number of tiles, and of part of one more."""
    plan = lower(sampled(arch))
    shapes = ((7, 9000, 16), (3, 2 * plan.compute_length, 5), (2, 31, 8))
    right(verify_plans([plan], Options(shapes=shapes, strict=True)))


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ARCHES)
def test_they_are_right(arch: str) -> None:
    """Rows of one list, of a few, of lists of lists, and of several blocks."""
    shapes = ((87, 198, 40), (3, 2, 5), (33, 300, 40))
    right(verify_plans([lower(gating(arch))], Options(shapes=shapes, strict=True)))


BROKEN = {
    "the rest of what was found": (
        "AscendC::Duplicate(ubValues[TAKEN], static_cast<Element>(-__builtin_inff()), REST);",
        "",
    ),
    "what fills rows": ("static_cast<uint8_t>(tileShape.row() / times)", "0"),
    "the last row of them": (
        "static_cast<uint8_t>(tileShape.row() / times)",
        "static_cast<uint8_t>(tileShape.row() / times - 1)",
    ),
    "how far apart they lie": ("static_cast<uint8_t>(blocks));", "static_cast<uint8_t>(blocks - 1));"),
    "how far apart rows lie": (
        "uint32_t blocks = stride / ELE_NUM_PER_BLK;",
        "uint32_t blocks = stride / ELE_NUM_PER_BLK - 1;",
    ),
    "the last columns": (
        "column < tileShape.column(); column += LANES",
        "column + LANES < tileShape.column(); column += LANES",
    ),
    "a list alone": ("static_cast<uint64_t>(TAKEN * PAIR), 1,", "static_cast<uint64_t>(TAKEN * PAIR), 0,"),
    "the columns": ("static_cast<uint8_t>(2), false", "static_cast<uint8_t>(1), false"),
}


@pytest.mark.cxx
@pytest.mark.parametrize("what", sample_of(BROKEN))
def test_a_wrong_sort_is_seen(tmp_path: Path, what: str) -> None:
    change = "catlass/epilogue/fusion/visitor_top_k.hpp", *BROKEN[what]
    plan = lower(sampled("AtlasA2"))
    shapes = ((7, 9000, 16), (330, 142, 16))
    assert not all(result.ok for result in verify_changed(plan, tmp_path, change, shapes=shapes, data="int"))


@pytest.mark.cxx
def test_of_equal_values_the_first_comes_first() -> None:
    """In rows of any number of lists and tiles, among infinite values, too; a NaN comes before all."""
    rng = np.random.default_rng(1)
    for n in (32, 33, 95, 128, 129, 513, 3265, 16384):
        x = rng.integers(-3, 4, (5, n)).astype(np.float32)
        x[0], x[1, 1:], x[2, -1], x[3, 20] = -np.inf, -np.inf, np.inf, np.nan
        found = evt.run(sorted_rows, np.zeros((5, 1), np.float16), np.zeros((1, n), np.float16), x=x)
        values, columns = ops.topk(x, 32)
        np.testing.assert_array_equal(found["values"], values)
        np.testing.assert_array_equal(found["columns"], columns)


def test_functions_of_arrays_agree_with_numpy() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(-3, 4, (50, 40)).astype(np.float32)
    x[5], x[6, 1:] = -np.inf, -np.inf
    values, columns = ops.topk(x, 32)
    order = np.argsort(-x, axis=1, kind="stable")
    assert columns.dtype == np.int32 and columns.tolist() == order[:, :32].tolist()
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, 1)[:, :32])
    x[3, 4] = np.nan
    assert ops.topk(x, 32)[1][3, 0] == 4
    x[3, 4] = 0
    assert ops.argmax(x).tolist() == np.argmax(x, axis=1, keepdims=True).tolist()


@epilogue
def of_the_largest(acc: Acc[float32]) -> Any:
    return {"D": acc - ops.col_reduce(ops.topk(acc, 3)[0], "min")}


@pytest.mark.parametrize("given", [gating(), of_the_largest])
def test_a_row_lies_whole_in_a_tile_where_all_of_it_is_reduced(given: Epilogue) -> None:
    with refused("EVT276", "whole rows"):
        evt.verify(given, shapes=[(4, 9000, 16)])


@pytest.mark.parametrize("k", [0, 33, True, 2.0])
def test_k_is_a_small_number(k: Any) -> None:
    with refused("EVT011", "ops.topk"):
        ops.topk(np.zeros((2, 40), np.float32), k)
