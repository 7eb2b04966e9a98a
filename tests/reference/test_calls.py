"""Operators call by call: the reference's bfloat16 arithmetic, and its subnormals, are those of the calls."""

from __future__ import annotations

import numpy as np
import pytest

from evtgen.graph.ir import Epilogue, TreeVisitor
from evtgen.graph.types import ElementType, bfloat16, float32, half, int32
from evtgen.nodes import AccLoad, AuxStore, Compute
from evtgen.operators.arrays import dtype, neighbour, same, ulp_distance
from evtgen.operators.declaration import Operator, sequence
from evtgen.operators.flushing import MEANINGS, flushed, flushes
from evtgen.operators.table import ALL
from evtgen.reference import Tensors, enclose, evaluate, stepwise
from evtgen.targets import ARCHITECTURES
from evtgen.targets.tables import CALLS

ASCEND950 = ARCHITECTURES["Ascend950"]
VALUES = np.concatenate([np.arange(0, 1 << 16, 7), np.arange(0x3F00, 0x4200)]).astype(np.uint16).view(dtype(bfloat16))
BRAIN = [op for op in ALL if bfloat16 in op.types(ASCEND950) and not op.masks]


@pytest.mark.parametrize("name", [name for name in MEANINGS if CALLS[name].shape != "Fill"])
def test_every_call_of_a_sequence_has_a_meaning(name: str) -> None:
    """Of what a host can compute, and so a sequence may have; only what iterates flushes."""
    call = CALLS[name]
    arguments = ("dst", *("a", "b")[: call.sources])
    written = Operator(name, name, call.sources, sequence("Adds(dst, a, 0)", f"{name}({', '.join(arguments)})"), id)
    with np.errstate(all="ignore"):
        value, touched = flushed(written, float32, [np.array([1e-40, 1.0])] * call.sources, ())
    assert value.shape == touched.shape == (2,)
    assert flushes(written) == call.iterates and touched.tolist() == [call.iterates, False]


@pytest.mark.parametrize("op", BRAIN, ids=lambda op: op.name)
def test_bfloat16_is_rounded_after_every_call(op: Operator) -> None:
    rng = np.random.default_rng(5)
    inputs = [rng.permutation(VALUES) for _ in range(op.inputs)]
    constants = [2.5, 7.0][: len(op.constants)]
    node = Compute.of(op, bfloat16, constants)
    exact = Operator(op.name, op.cpp, op.inputs, op.sequence, op.numpy, constants=op.constants)
    with np.errstate(all="ignore"):
        got = stepwise(node, inputs, Tensors(inputs[0], {}))
        want, _ = flushed(exact, bfloat16, inputs, constants)
        assert got.dtype == want.dtype == VALUES.dtype
        equal, ordinary = same(got, want), np.isfinite(got.astype(np.float32))
        assert equal.all() if op.ulp == 0 else (ulp_distance(got, want)[ordinary] <= op.ulp).all()


def test_what_takes_bfloat16_follows_from_the_calls() -> None:
    names = {op.name for op in BRAIN}
    assert {"add", "fma", "clamp", "prelu", "hardswish", "sign"} <= names
    assert names.isdisjoint({"exp", "relu", "divide", "sigmoid", "absolute", "leaky_relu", "multiply_add", "gelu"})
    assert [op for op in ALL if bfloat16 in op.types(ARCHITECTURES["AtlasA2"])] == []


def test_no_integer_is_divided() -> None:
    """Div takes int32 there; what an operator that divides means are fractions."""
    assert int32 in ASCEND950.calls["Div"]
    dividing = [op for op in ALL if any(call.name == "Div" for call in op.sequence)]
    assert dividing and not [op for op in dividing if int32 in op.types(ASCEND950)]


def test_a_quotient_may_be_off_by_an_ulp_on_ascend950_alone() -> None:
    acc = np.array([[3.0, 7.0]], np.float32)
    root = TreeVisitor(AuxStore("D", float32), TreeVisitor(Compute("Reciprocal", float32), AccLoad(float32)))
    bounds = {arch: enclose(Epilogue("e", root, arch=arch), acc, {})["D"] for arch in ("AtlasA2", "Ascend950")}
    quotient = bounds["AtlasA2"].value
    for steps, allowed in ((1, True), (-1, True), (2, False), (-2, False)):
        off = neighbour(quotient, steps)
        assert bounds["Ascend950"].contains(off).tolist() == [[allowed] * 2]
        assert not bounds["AtlasA2"].contains(off).any()


@pytest.mark.parametrize("T", [half, float32], ids=str)
def test_an_epilogue_flushes_as_its_architecture_does(T: ElementType) -> None:
    acc = np.array([[np.finfo(dtype(T)).smallest_subnormal * 5, 2.0]], dtype(T))
    root = TreeVisitor(AuxStore("D", T), TreeVisitor(Compute("Reciprocal", T), AccLoad(T)))
    kept, flushed_ = (evaluate(Epilogue("e", root, arch=arch), acc, {})["D"] for arch in ("AtlasA2", "Ascend950"))
    with np.errstate(all="ignore"):
        assert kept.tolist() == (acc.dtype.type(1) / acc).tolist()
    assert flushed_.tolist() == [[np.inf, 0.5]]
