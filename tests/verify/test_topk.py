"""The largest values of a row, and their columns."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import Acc, epilogue, float32, ops
from evtgen.graph.ir import Epilogue
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

from ..support.right import right
from ..support.said import refused


def gating(arch: str = "AtlasA2") -> Epilogue:
    """The two experts of each token, with their probabilities."""

    @epilogue(name="gating", arch=arch)
    def made(acc: Acc[float32]) -> dict[str, Any]:
        values, experts = ops.topk(acc, 2)
        most = ops.col_reduce(acc, "max")
        total = ops.col_reduce(ops.exp(acc - most), "add")
        return {"weights": ops.exp(values - most) / total, "experts": experts, "first": ops.argmax(acc)}

    assert isinstance(made, Epilogue)
    return made


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ["AtlasA2", "Ascend950"])
def test_they_are_right(arch: str) -> None:
    right(verify_plans([lower(gating(arch))], Options(shapes=((87, 198, 40), (3, 2, 5), (33, 300, 40)))))


@pytest.mark.cxx
def test_of_equal_values_the_first_comes_first() -> None:
    """What was taken is not taken again, though other values are infinite, too."""
    a = np.eye(4, dtype=np.float16)
    b = np.array([[1, 3, 3, 2], [5, 5, 5, 5], [-9, -9, -9, -8], [0, -1, 0, 0]], np.float16)
    found = evt.run(gating(), a, b)
    assert found["experts"].tolist() == [[1, 2], [0, 1], [3, 0], [0, 2]]
    assert found["first"].tolist() == [[1], [0], [3], [0]]


def test_functions_of_arrays_agree_with_numpy() -> None:
    rng = np.random.default_rng(1)
    x = rng.integers(-3, 4, (50, 9)).astype(np.float32)
    x[5], x[6, 1:] = -np.inf, -np.inf
    values, columns = ops.topk(x, 5)
    order = np.argsort(-x, axis=1, kind="stable")
    assert columns.dtype == np.int32 and columns.tolist() == order[:, :5].tolist()
    np.testing.assert_array_equal(values, np.take_along_axis(x, order, 1)[:, :5])
    x[3, 4] = np.nan
    assert len({*ops.topk(x, 8)[1][3]}) == 8
    x[3, 4] = 0
    assert ops.argmax(x).tolist() == np.argmax(x, axis=1, keepdims=True).tolist()


@pytest.mark.parametrize("k", [0, 9, True, 2.0])
def test_k_is_a_small_number(k: Any) -> None:
    with refused("EVT011", "ops.topk"):
        ops.topk(np.zeros((2, 9), np.float32), k)
