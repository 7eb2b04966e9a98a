"""Sums of the rows of A, which vector cores compute before the epilogue."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import (
    Acc,
    Gemm,
    RowVector,
    Scalar,
    bfloat16,
    epilogue,
    float8_e4m3fn,
    float32,
    half,
    int8,
    int32,
    ops,
)
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files
from evtgen.frontend.cpp.read import read
from evtgen.frontend.json_form import read as from_json
from evtgen.frontend.json_form import to_json
from evtgen.frontend.python_form import to_python
from evtgen.graph.ir import Epilogue, flatten
from evtgen.graph.types import ColumnMajor
from evtgen.nodes import AStatistic
from evtgen.pipeline.explain import functions
from evtgen.planner.plan import Plan, lower
from evtgen.verify import Options, verify_plans

from ..support.epilogues import random_orders
from ..support.right import right
from ..support.said import refused
from ..support.wide import in_orders

SMALL: dict[str, Any] = {"l1": (32, 32, 64), "l0": (32, 32, 32)}


def both(name: str, arch: str = "AtlasA2", **options: Any) -> Epilogue:
    """Both statistics, spread, as columns and as outputs."""
    deterministic = options.pop("deterministic", False)
    acc_type = int32 if options.get("a") == int8 else float32

    @epilogue(name=name, arch=arch, deterministic=deterministic, gemm=Gemm(**{**SMALL, **options}))
    def made(acc: Acc[acc_type], zero: RowVector[float32]) -> dict[str, Any]:
        wide = acc.cast(float32) if acc_type == int32 else acc
        total = ops.a_sum()
        return {"D": wide - total * zero, "S": total, "Q": ops.a_sum_of_squares()}

    assert isinstance(made, Epilogue)
    return made


def softmax(arch: str) -> Epilogue:
    """In phases, each of which reads the column that is computed once."""

    @epilogue(name="normed_softmax", arch=arch, gemm=Gemm(a=half, **SMALL))
    def made(acc: Acc[float32], k: Scalar[float32]) -> dict[str, Any]:
        return {"D": ops.softmax(acc * ops.rsqrt(ops.a_sum_of_squares() / k + 1.0))}

    assert isinstance(made, Epilogue)
    return made


@cache
def plans(arch: str) -> tuple[Plan, ...]:
    """Every kernel, type of A and way that A may lie."""
    each = [
        both("plain", arch, a=half),
        both("batched", arch, a=bfloat16, batch=True),
        both("batched_columns", arch, a=float32, batch=True, layout_a=ColumnMajor),
        both("grouped", arch, a=int8, group="m"),
        both("grouped_columns", arch, a=half, group="m", layout_a=ColumnMajor),
        both("split", arch, a=half, split_k=2, deterministic=True),
        both("weights", arch, a=half, b=int8),
        softmax(arch),
    ]
    if arch == "Ascend950":
        each += [
            both("eight_bits", arch, a=float8_e4m3fn, b=float8_e4m3fn),
            both("in_ub", arch, a=half, handoff="ub"),
        ]
    return tuple(map(lower, each))


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ["AtlasA2", "Ascend950"])
def test_they_are_right_in_any_order(arch: str) -> None:
    """Rows of several tiles and of a few elements, more matmuls than cores have rows; A apart and shared."""
    options = Options(together=5, shapes=((70, 33, 1100), (3, 5, 7)), strict=True, schedules=random_orders(arch))
    right(in_orders(plans(arch), options))


@pytest.mark.cxx
def test_they_are_the_same_on_any_number_of_cores() -> None:
    """By rows and by columns, with a number of columns that is folded in another order where few rows come together."""
    some = [
        both("by_rows", a=half, deterministic=True),
        both("by_columns", a=half, layout_a=ColumnMajor, deterministic=True),
    ]
    right(verify_plans([lower(one) for one in some], Options(shapes=((90, 40, 700),), data="normal", strict=True)))


@pytest.mark.cxx
def test_each_matmul_has_its_own() -> None:
    """As a formula says that was written apart."""
    made = both("apart", a=half, batch=True)
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-4, 5, shape).astype(np.float16) for shape in ((3, 33, 200), (3, 200, 17)))
    zero = rng.integers(-4, 5, (3, 17)).astype(np.float32)
    found = evt.run(made, a, b, zero=zero)
    wide = a.astype(np.float32)
    sums = wide.sum(axis=2, keepdims=True)
    assert (found["S"].reshape(sums.shape) == sums).all()
    assert (found["Q"].reshape(sums.shape) == np.square(wide).sum(axis=2, keepdims=True)).all()
    expected = wide @ b.astype(np.float32) - sums * zero[:, None, :]
    assert (found["D"].reshape(expected.shape) == expected).all()


def test_functions_compute_them_of_arrays() -> None:
    """An epilogue's own function is a reference, too; of an array that is given it is a sum of that."""
    a = np.arange(12, dtype=np.float16).reshape(3, 4)
    assert ops.a_sum(a).tolist() == a.sum(axis=1, keepdims=True).tolist()
    assert ops.a_sum_of_squares(a).tolist() == np.square(a.astype(np.float32)).sum(axis=1, keepdims=True).tolist()
    with refused("EVT009", "ops.a_sum", 'AStatistic("a_sum")'):
        ops.a_sum()
    with refused("EVT011", "ops.a_sum"):
        ops.a_sum(3)
    assert {"a_sum", "a_sum_of_squares"} <= {one["name"] for one in functions()}


@pytest.mark.cxx
def test_the_function_of_an_epilogue_is_its_reference() -> None:
    made = both("referred", a=half, batch=True)
    options = Options(shapes=((33, 20, 65),), against=made.function, strict=True)
    right(verify_plans([lower(made)], options))


def test_an_epilogue_is_written_with_them() -> None:
    made = replace(both("spelled", a=half), gemm=Gemm(a=half))
    text = to_python(made)
    assert "ops.a_sum()" in text and "ops.a_sum_of_squares()" in text


def test_their_header_is_read_back() -> None:
    plan = lower(both("written", a=half))
    [found] = read(Path("written.hpp"), epilogue_files(plan, Framework())["written.hpp"].encode(), "")
    assert found.epilogue is not None and found.diagnostics == ()
    names = [step.node.name for step in flatten(found.epilogue.root) if isinstance(step.node, AStatistic)]
    assert sorted(names) == ["a_sum", "a_sum_of_squares"]


def test_they_are_written_in_json() -> None:
    made = replace(both("in_json", a=half), function=None, traced=False)
    [again] = from_json(json.dumps(to_json([made])), "spec.json")
    assert again.root == made.root
