"""Functions of ``ops`` on arrays and tensors, and epilogues' functions as their own reference."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from evtgen import Epilogue, EvtgenError, bfloat16, float32, half, int8, ops
from evtgen.frontend.eager.call import call
from evtgen.frontend.load import load
from evtgen.graph.shapes import GEMM_A, Problem
from evtgen.graph.types import ROUND_MODES, mask
from evtgen.operators.arrays import Array, dtype
from evtgen.operators.declaration import Operator
from evtgen.operators.table import BY_NAME
from evtgen.planner.plan import lower
from evtgen.reference import read

from ..support.optional import torch
from ..support.paths import CHECKOUT
from ..support.said import says

GALLERY = sorted((CHECKOUT / "examples" / "gallery").glob("*.py"))

RNG = np.random.default_rng(5)
X, Y = RNG.normal(size=(2, 5, 7)) * 3
TYPES = [np.float64, np.float32, np.float16, dtype(bfloat16)]


def operands(operator: Operator, given: tuple[Any, ...]) -> list[Any]:
    """Operands of an operator, and constants, among ``given`` and masks made of them."""
    values = [given[i % 2] > 0 if operator.takes(i, half) == mask else given[i % 2] for i in range(operator.inputs)]
    return [*values, *[2.75, 3.0][: len(operator.constants)]]


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_every_operator_takes_arrays(name: str) -> None:
    operator = BY_NAME[name]
    with np.errstate(all="ignore"):
        expected = operator.numpy(np, *operands(operator, (X, Y)))
        for T in TYPES:
            x, y = X.astype(T), Y.astype(T)
            if name == "power":  # ops.power is x ** n
                expected, x = np.abs(X) ** 2.75, np.abs(x)
            result = getattr(ops, name)(*operands(operator, (x, y)))
            assert type(result) is np.ndarray and result.dtype in (T, np.float64 if name == "where_scalars" else bool)
            # Compared where rounding the operands does not turn a comparison.
            close = np.isclose(result.astype(np.float64), expected, rtol=0.05, atol=0.05, equal_nan=True)
            assert close.mean() >= (1 if T in (np.float64, np.float32) else 0.85), (T, result, expected)


OTHERS: list[Callable[[Any], Any]] = [
    ops.softmax, lambda x: ops.log_softmax(x, axis=0), lambda x: ops.rms_norm(x, x, 1e-3),
    lambda x: ops.layer_norm(x, 2.0, x), lambda x: ops.quantize_per_token(x)[0],
    lambda x: ops.quantize_per_tensor(x)[1],
    lambda x: ops.col_reduce(x, "amax"), lambda x: ops.row_reduce(x, "mean"), ops.scalar_reduce,
    lambda x: ops.col_reduce(x, "max", identity=1.5), lambda x: ops.row_reduce(x, "min", identity=-1.5),
    lambda x: ops.row_reduce(x, identity=100.0), lambda x: ops.col_reduce(x, "sum_of_squares"),
    lambda x: ops.col_reduce(ops.cast(x, int8), "mean"), lambda x: ops.where(x > 0, x, 0.0),
    lambda x: ops.maximum(x, 0.5, x), lambda x: ops.subtract(1, x), lambda x: ops.fma(x, 2.0, 0.5),
    lambda x: ops.leaky_relu(x, x), lambda x: ops.gelu(x, approximate="tanh"), lambda x: ops.divide(1.0, x),
    lambda x: ops.where(ops.row_index(x) >= ops.col_index(x), x, -1.0), ops.transpose,
    *(lambda x, mode=mode: ops.cast(x, int8, mode) for mode in ROUND_MODES),
    lambda x: ops.cast(x, half, "CAST_FLOOR"), lambda x: ops.cast(x > 0, float32),
]  # fmt: skip


@pytest.mark.parametrize("index", range(len(OTHERS)))
def test_tensors_are_computed_as_arrays_are(index: int) -> None:
    for T in (np.float64, np.float32, np.float16):
        x = X.astype(T)
        array, tensor = OTHERS[index](x), OTHERS[index](torch().from_numpy(x))
        assert str(tensor.dtype).removeprefix("torch.") == array.dtype.name
        tolerance = 2e-3 if T is np.float16 else 1e-5
        np.testing.assert_allclose(tensor.numpy(), array, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("name", sorted(BY_NAME))
def test_every_operator_takes_tensors(name: str) -> None:
    operator = BY_NAME[name]
    for T in (np.float64, np.float32):
        x, y = X.astype(T), Y.astype(T)
        x = np.abs(x) if name == "power" else x
        with np.errstate(all="ignore"):
            array = getattr(ops, name)(*operands(operator, (x, y)))
        tensor = getattr(ops, name)(*operands(operator, tuple(map(torch().from_numpy, (x, y)))))
        assert tensor.dtype == torch().from_numpy(array).dtype or name == "where_scalars"
        np.testing.assert_allclose(tensor.numpy(), array, rtol=2e-6, atol=2e-6)


def test_gradients_flow() -> None:
    x = torch().tensor([[-200.0, -1.0, 0.5, 200.0]], requires_grad=True)
    for name in ("gelu", "silu", "sigmoid", "quick_gelu", "mish", "softplus", "elu", "tanh", "softmax", "rms_norm"):
        (gradient,) = torch().autograd.grad(getattr(ops, name)(x).sum(), x)
        assert torch().isfinite(gradient).all(), name


def test_float64_is_never_rounded_but_to_whole_numbers() -> None:
    assert ops.cast(X, half) is X
    assert ops.cast(X * 100, int8).dtype == np.float64 and ops.cast(X * 100, int8).max() == 127
    assert ops.cast(X.astype(np.float32), half).dtype == np.float16
    assert ops.cast(X.astype(np.float32) * 100, int8).dtype == np.int8


def test_rows_go_elsewhere_and_come_from_there() -> None:
    rows = np.array([[3], [0], [4], [1], [2]], np.int32)
    assert np.array_equal(ops.gather(X, rows=rows), X[rows[:, 0]])
    assert np.array_equal(ops.scatter(ops.gather(X, rows=rows), rows=rows), X)
    there = ops.scatter(X[:2], rows=np.array([4, 1]))
    assert there.shape == (5, 7) and np.array_equal(there[[4, 1]], X[:2]) and not there[[0, 2, 3]].any()


def gallery() -> list[Epilogue]:
    return [e for e in load(GALLERY) if not (e.gemm.batch or e.gemm.group) and e.function is not None]


def inputs(epilogue: Epilogue, size: tuple[int, int]) -> dict[str, Array]:
    """Random numbers for each input and scalar of the graph, in the types that they have."""
    plan = lower(epilogue)
    problem = Problem((size[0],), size[1], 1)
    tensors = {t.name: t for _, node in plan.nodes() for t in node.tensors}
    made = {name: RNG.normal(size=t.size(problem)) * 2 for name, t in tensors.items() if not t.output}
    made |= {scalar.name: RNG.normal(size=(1, 1)) for scalar in plan.scalars}
    kinds = {t.name: t.element for t in plan.tensors} | {scalar.name: scalar.T for scalar in plan.scalars}
    rows = {t.name for t in plan.tensors if t.indexes}
    return {
        name: RNG.permutation(size[0])[:, None].astype(np.int32) if name in rows
        else array.round().astype(dtype(kinds[name])) if kinds[name].kind == "int" else array.astype(dtype(kinds[name]))
        for name, array in made.items()
    }  # fmt: skip


ROUNDED = {"mx_swiglu_quantize": 2.0**-8, "fp4_mx_swiglu_quantize": 2.0**-8}
"""The distance where a cast to bfloat16 is read again: the formula rounds there, arrays of float64 do not."""


@pytest.mark.parametrize("epilogue", gallery(), ids=lambda e: e.name)
def test_a_function_on_arrays_is_the_formula(epilogue: Epilogue) -> None:
    plan = lower(epilogue)
    size = plan.wide((6, 8, 5))[:2]
    given = inputs(epilogue, size)
    two = epilogue.gemm.accumulators is not None
    product = RNG.normal(size=(size[0], size[1] * (1 + two))) * 2
    a = RNG.normal(size=(size[0], 5))
    read_of = {**given, GEMM_A: a} if plan.reads_a else given
    expected: dict[str, Array] = {}
    with np.errstate(all="ignore"):
        for reading in read(plan, product.astype(dtype(plan.element_c)), read_of, product):
            if reading.node.writes and reading.node.tensor is not None:
                assert reading.formula is not None
                expected[reading.node.tensor.name] = reading.formula
    assert epilogue.function is not None
    parameters = inspect.signature(epilogue.function).parameters
    names = iter(parameters)
    scalars = {scalar.name for scalar in plan.scalars}
    read_by = {name: array for name, array in given.items() if name in parameters}  # the matmul reads the others
    wide = {name: array.item() if name in scalars else array.astype(np.float64) for name, array in read_by.items()}
    accumulators = {next(names): part for part in np.split(product, 1 + two, axis=1)}
    outputs = call(epilogue.function, accumulators | wide, size, {t.name: t.element for t in plan.tensors}, a)
    for tensor in plan.tensors:
        if tensor.output and tensor.name in outputs:
            found, meant = outputs[tensor.name], expected[tensor.name]
            meant = meant.T if tensor.by_columns else meant
            if found.shape[1] > meant.shape[1]:  # a value of a block stands in each of its columns
                found = found[:, :: tensor.columns.step]
            np.testing.assert_allclose(found, meant, ROUNDED.get(epilogue.name, 1e-9), 1e-9, err_msg=tensor.name)


def broken(acc: Any, X: Any) -> Any:
    return {"D": acc @ X}


@pytest.mark.parametrize(
    ("function", "message"),
    [
        (broken, "broken … ValueError"),
        (lambda acc, X: acc + X, "<lambda>"),
        (lambda acc, X: {"D": 1.0}, "<lambda>"),
    ],
)
def test_a_function_that_does_not_run_on_arrays(function: Callable[..., Any], message: str) -> None:
    with pytest.raises(EvtgenError) as caught:
        call(function, {"acc": X, "X": X}, (5, 7))
    (d,) = caught.value.diagnostics
    says(d, "EVT205", message)
    assert d.location is not None and Path(d.location.file).name == Path(__file__).name


def test_a_mask_would_be_forgotten() -> None:
    with pytest.raises(EvtgenError, match="EVT009"):
        ops.softmax(np.ma.masked_equal(X, 0), axis=1)


def test_tiles_have_what_values_have() -> None:
    def spec(acc: Any, X: Any) -> Any:
        y = torch().nn.functional.gelu(acc) + X.cast(float32)
        return {
            "D": ops.where(ops.row_index() >= ops.col_index(), np.exp(y), 0.0),
            "sums": y.relu().sum(dim=-1, keepdim=True), "tops": np.max(y, 1, keepdims=True), "q": (y * 100).cast(X.T),
        }  # fmt: skip

    found = call(spec, {"acc": X, "X": Y}, (5, 7), {"X": int8})
    y = ops.gelu(X) + Y
    np.testing.assert_allclose(found["D"], np.where(np.tri(5, 7) > 0, np.exp(y), 0))
    np.testing.assert_allclose(found["sums"], np.maximum(y, 0).sum(1, keepdims=True))
    np.testing.assert_allclose(found["tops"], y.max(1, keepdims=True))
    np.testing.assert_allclose(found["q"], np.clip(np.rint(y * 100), -128, 127))
