"""Functions of numpy and torch, and methods, on traced values: what works, and what is said of the rest."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evtgen
from evtgen import Acc, Aux, Epilogue, Scalar, TopologicalVisitor, float32, half, ops
from evtgen.check import check
from evtgen.diagnostics.diagnostic import Diagnostic, EvtgenError
from evtgen.frontend.load import load
from evtgen.nodes import Compute
from evtgen.operators.table import BY_NAME

from ..support.said import says

epilogue: Any = evtgen.epilogue


class Torch:
    """torch as values see it: each function asks the types of its operands for ``__torch_function__``."""

    def __getattr__(self, name: str) -> Any:
        def function(*args: Any, **kwargs: Any) -> Any:
            types = [type(a) for a in (*args, *kwargs.values()) if hasattr(type(a), "__torch_function__")]
            return types[0].__torch_function__(function, tuple(types), args, kwargs)

        function.__name__ = name
        return function


torch = Torch()


def of(body: Callable[..., Any]) -> Epilogue:
    def spec(acc: Acc[half], X: Aux[half]) -> Any:
        return {"D": body(acc, X)}

    result = epilogue(spec)
    assert isinstance(result, Epilogue)
    return result


def compute(body: Callable[..., Any]) -> list[tuple[Any, Any]]:
    root = of(body).root
    assert isinstance(root, TopologicalVisitor)
    return [(op.op, op.scalar) for op in root.ops if isinstance(op, Compute)]


SAME: list[tuple[Callable[..., Any], Callable[..., Any]]] = [
    (lambda a, x: np.exp(a) + x, lambda a, x: ops.exp(a) + x),
    (lambda a, x: np.maximum(a, 0) + x, lambda a, x: ops.maximum(a, 0) + x),
    (lambda a, x: np.maximum(0, a) + x, lambda a, x: ops.maximum(a, 0) + x),
    (lambda a, x: np.subtract(1, a) * x, lambda a, x: (1 - a) * x),
    (lambda a, x: np.float32(2) * a + x, lambda a, x: a * 2.0 + x),
    (np.true_divide, lambda a, x: a / x),
    (lambda a, x: np.abs(a) + np.fabs(x), lambda a, x: abs(a) + abs(x)),
    (lambda a, x: np.positive(a) + np.negative(x), lambda a, x: a + -x),
    (lambda a, x: np.where(a > 0, a, x), lambda a, x: ops.where(a > 0, a, x)),
    (lambda a, x: np.where(np.greater(0.5, a), x, 0), lambda a, x: ops.where(a < 0.5, x, 0)),
    (lambda a, x: np.where(np.invert(a > 0), a, x), lambda a, x: ops.where(~(a > 0), a, x)),
    (lambda a, x: np.clip(a, 0, 6) + x, lambda a, x: ops.clamp(a, 0, 6) + x),
    (lambda a, x: np.clip(a, None, 6) + x, lambda a, x: ops.minimum(a, 6) + x),
    (lambda a, x: np.power(a, 2) + x, lambda a, x: ops.square(a) + x),
    (lambda a, x: np.tanh(a) + np.sqrt(x), lambda a, x: ops.tanh(a) + ops.sqrt(x)),
    (lambda a, x: torch.relu(a) + x, lambda a, x: ops.relu(a) + x),
    (lambda a, x: torch.relu(a, inplace=False) + x, lambda a, x: ops.relu(a) + x),
    (lambda a, x: torch.gelu(a) + x, lambda a, x: ops.gelu(a) + x),
    (lambda a, x: torch.gelu(a, approximate="none") + x, lambda a, x: ops.gelu_erf(a) + x),
    (lambda a, x: torch.gelu(a, approximate="tanh") + x, lambda a, x: ops.gelu_tanh(a) + x),
    (lambda a, x: torch.leaky_relu(a, negative_slope=0.2) + x, lambda a, x: ops.leaky_relu(a, 0.2) + x),
    (lambda a, x: torch.leaky_relu(a, 0.2) + x, lambda a, x: ops.leaky_relu(a, 0.2) + x),
    (lambda a, x: torch.hardtanh(a, min_val=-1.0, max_val=1.0, inplace=False) + x, lambda a, x: ops.hardtanh(a) + x),
    (lambda a, x: torch.hardtanh(a, -1.0, max_val=2.0) + x, lambda a, x: ops.clamp(a, -1.0, 2.0) + x),
    (lambda a, x: torch.clamp(a, min=0.0) + x, lambda a, x: ops.maximum(a, 0.0) + x),
    (lambda a, x: torch.clamp(a, max=2.0, min=1.0) + x, lambda a, x: ops.clamp(a, 1.0, 2.0) + x),
    (lambda a, x: torch.pow(a, exponent=2) + x, lambda a, x: ops.square(a) + x),
    (lambda a, x: torch.where(torch.gt(a, x), a, x), lambda a, x: ops.where(a > x, a, x)),
    (lambda a, x: a.gelu() + x, lambda a, x: ops.gelu(a) + x),
    (lambda a, x: a.gelu(approximate="tanh") + x, lambda a, x: ops.gelu(a, approximate="tanh") + x),
    (lambda a, x: np.floor(a) + np.ceil(x), lambda a, x: ops.floor(a) + ops.ceil(x)),
    (lambda a, x: np.rint(a) + np.trunc(x), lambda a, x: ops.round(a) + ops.trunc(x)),
    (lambda a, x: np.round(a) + np.fix(x), lambda a, x: ops.round(a) + ops.trunc(x)),
    (lambda a, x: round(a) + math.floor(x), lambda a, x: ops.round(a) + ops.floor(x)),
    (lambda a, x: math.ceil(a) + math.trunc(x), lambda a, x: ops.ceil(a) + ops.trunc(x)),
    (lambda a, x: np.sign(a) + np.log1p(x) + np.expm1(x), lambda a, x: ops.sign(a) + ops.log1p(x) + ops.expm1(x)),
    (lambda a, x: torch.erf(a) + x.erf(), lambda a, x: ops.erf(a) + ops.erf(x)),
    (lambda a, x: torch.celu(a, alpha=2.0) + torch.mish(x), lambda a, x: ops.celu(a, 2.0) + ops.mish(x)),
    (lambda a, x: a.relu().add(x), lambda a, x: ops.relu(a) + x),
    (lambda a, x: a.clamp(0, 6) + x.exp(), lambda a, x: ops.clamp(a, 0, 6) + ops.exp(x)),
    (lambda a, x: torch.leaky_relu(a, negative_slope=x), ops.prelu),
    (ops.leaky_relu, ops.prelu),
    (lambda a, x: ops.fma(a, 2.0, 1.0) + x, lambda a, x: a * 2.0 + 1.0 + x),
    (lambda a, x: ops.fma(0.5, a, x), lambda a, x: a * 0.5 + x),
    (lambda a, x: a.maximum(x), ops.maximum),
    (lambda a, x: a**2 + x, lambda a, x: ops.square(a) + x),
    (lambda a, x: a**1 + x, lambda a, x: a + x),
    (lambda a, x: a**0.5 + x**-0.5, lambda a, x: ops.sqrt(a) + ops.rsqrt(x)),
    (lambda a, x: a**1.5 + x**-2.5, lambda a, x: a * ops.sqrt(a) + ops.reciprocal(ops.square(x) * ops.sqrt(x))),
    (lambda a, x: ops.power(a, 3) + ops.power(x, exponent=-1), lambda a, x: a**3 + x**-1),
    (lambda a, x: np.power(a, 0.3) + torch.pow(x, 2.7), lambda a, x: a**0.3 + x**2.7),
    (lambda a, x: a**-1 + x, lambda a, x: ops.reciprocal(a) + x),
    (lambda a, x: a**3.0 + x, lambda a, x: ops.square(a) * a + x),
    (lambda a, x: a**4 + x, lambda a, x: ops.square(ops.square(a)) + x),
    (lambda a, x: a**-3 + x, lambda a, x: ops.reciprocal(ops.square(a) * a) + x),
    (lambda a, x: x - np.max(a, axis=1, keepdims=True), lambda a, x: x - ops.col_reduce(a, "max")),
    (lambda a, x: x - np.sum(a, 0) / a.mean(), lambda a, x: x - ops.row_reduce(a) / ops.scalar_reduce(a, "mean")),
    (lambda a, x: x - a.min(axis=(0, 1), keepdims=True), lambda a, x: x - ops.scalar_reduce(a, "min")),
    (lambda a, x: x - torch.amax(a, dim=-1, keepdim=True), lambda a, x: x - ops.col_reduce(a, "max")),
    (torch.max, ops.maximum),
    (lambda a, x: x - torch.max(a), lambda a, x: x - ops.scalar_reduce(a, "max")),
    (lambda a, x: x + torch.softmax(a, dim=-1), lambda a, x: x + ops.softmax(a)),
    (lambda a, x: x + a.log_softmax(0), lambda a, x: x + ops.log_softmax(a, axis=0)),
    (lambda a, x: torch.rms_norm(a, (64,), x, eps=1e-3), lambda a, x: ops.rms_norm(a, x, 1e-3)),
    (lambda a, x: torch.layer_norm(a, normalized_shape=(64,), weight=x, bias=x), lambda a, x: ops.layer_norm(a, x, x)),
    (lambda a, x: torch.rms_norm(a, [64], x), lambda a, x: ops.rms_norm(a, x, 2**-10)),
    (lambda a, x: torch.rms_norm(a.cast(float32), 64, x, None), lambda a, x: ops.rms_norm(a.cast(float32), x, 2**-23)),
    (lambda a, x: torch.rms_norm(input=a, normalized_shape=[64]) + x, lambda a, x: ops.rms_norm(a, eps=2**-10) + x),
    (lambda a, x: a.rms_norm((64,)) + x, lambda a, x: ops.rms_norm(a) + x),
    (lambda a, x: a.layer_norm(x, x) + x, lambda a, x: ops.layer_norm(a, x, x) + x),
    (lambda a, x: a.layer_norm(64, x) + x, lambda a, x: ops.layer_norm(a, x) + x),
    (lambda a, x: torch.hardtanh(a, -1.0, 1.0, True) + x, lambda a, x: ops.hardtanh(a) + x),
    (lambda a, x: np.round(a, 0, None) + np.clip(x, 0, 1, None), lambda a, x: ops.round(a) + ops.clamp(x, 0, 1)),
    (lambda a, x: x - np.sum(a, 1, None, None, True), lambda a, x: x - ops.col_reduce(a)),
    (lambda a, x: x - np.max(a, 1, None, True), lambda a, x: x - ops.col_reduce(a, "max")),
    (
        lambda a, x: x - torch.sum(a, 1, True) - a.mean(-1, True),
        lambda a, x: x - ops.col_reduce(a) - ops.col_reduce(a, "mean"),
    ),
]


@pytest.mark.parametrize(("typed", "meant"), SAME, ids=range(len(SAME)))
def test_what_people_type_works(typed: Callable[..., Any], meant: Callable[..., Any]) -> None:
    assert compute(typed) == compute(meant)
    assert of(typed).root == of(meant).root
    assert check(of(typed)) == []


def test_scalars_take_part() -> None:
    @epilogue
    def spec(acc: Acc[half], s: Scalar[half]) -> Any:
        return {"D": np.maximum(acc, s) + np.float32(0.5) * acc, "E": np.multiply(s, acc)}

    assert check(spec) == []
    assert [op.op for op in spec.root.ops if isinstance(op, Compute)] == ["Maxs", "Muls", "Plus", "Muls"]


def test_every_operator_has_a_method() -> None:
    for name, operator in BY_NAME.items():
        if operator.inputs == 1 and not operator.masks and not operator.constants:
            assert compute(lambda a, x, name=name: getattr(a, name)() + x)[0][0] == operator.cpp


def failure(body: Callable[..., Any]) -> Diagnostic:
    with pytest.raises(EvtgenError) as caught:
        of(body)
    (diagnostic,) = caught.value.diagnostics
    assert diagnostic.location is not None and diagnostic.location.file == __file__
    return diagnostic


REDUCE = 'ops.row_reduce(x, "{op}")'

FAILURES: list[tuple[Callable[..., Any], str, str, str]] = [
    (lambda a, x: np.sum(a, axis=1), "EVT011", "np.sum", "keepdims=True"),
    (lambda a, x: np.sum(a, axis=2), "EVT011", "np.sum … 2", "axis=1"),
    (lambda a, x: np.sum(a, axis=0, dtype=int), "EVT011", "'dtype'", "np.sum(x, axis=1, keepdims=True)"),
    (lambda a, x: np.sum(a, 1, np.float32), "EVT011", "'dtype'", "keepdims=True) … x.cast("),
    (lambda a, x: np.max(a, 1, True), "EVT011", "'out'", "np.max(x, axis=1, keepdims=True)"),
    (lambda a, x: a.sum(1, np.float32), "EVT011", "float32", "x.sum(axis=1, keepdims=True)"),
    (lambda a, x: torch.sum(a, 1, True, half), "EVT011", "half", ""),
    (lambda a, x: torch.sum(a, 1, True, x), "EVT011", "value", ""),
    (lambda a, x: np.add.reduce(a), "EVT010", "np.add.reduce", REDUCE.format(op="add")),
    (lambda a, x: np.prod(a), "EVT010", "np.prod", ""),
    (lambda a, x: np.sin(a), "EVT010", "np.sin", ""),
    (lambda a, x: np.exp(a, where=True), "EVT011", "np.exp … 'where'", ""),
    (np.exp, "EVT011", "np.exp", "y = np.exp(…)"),
    (lambda a, x: np.multiply(np.ones(3), a), "EVT009", "array([1., 1., 1.])", ""),
    (lambda a, x: ops.gelu(a, approximate="erf"), "EVT011", "ops.gelu … 'erf'", '"tanh"'),
    (lambda a, x: torch.gelu(a, approximate="exact"), "EVT011", "torch.gelu", '"tanh"'),
    (lambda a, x: ops.gelu(a, approximate=["tanh"]), "EVT011", "ops.gelu", '"tanh"'),
    (lambda a, x: ops.gelu(a, form="tanh"), "EVT011", "ops.gelu … 'form'", ""),
    (lambda a, x: ops.fma(2.0, 3.0, a), "EVT011", "ops.fma", ""),
    (lambda a, x: ops.power(a), "EVT011", "ops.power", "x ** 2"),
    (lambda a, x: ops.power(a, base=2), "EVT011", "ops.power", "x ** 2"),
    (np.power, "EVT011", "", "ops.exp(ops.log(x) * y)"),
    (lambda a, x: torch.softmax(a, dim=2), "EVT011", "2", "axis=1"),
    (lambda a, x: ops.softmax(a, axis=([0], [1])), "EVT011", "([0], [1])", "None"),
    (lambda a, x: a.sum(axis=(0, 1, 0)), "EVT011", "(0, 1, 0)", "None"),
    (lambda a, x: torch.layer_norm(a, (32, 64), x), "EVT011", "(32, 64)", ""),
    (lambda a, x: torch.layer_norm(a, normalized_shape=[32, 64]), "EVT011", "is [32, 64]", ""),
    (lambda a, x: a.rms_norm((32, 64)), "EVT011", "(32, 64)", ""),
    (lambda a, x: torch.layer_norm(a, x, x), "EVT011", "<value of half>", "torch.layer_norm(x, (n,), ...)"),
    (lambda a, x: torch.rms_norm(a), "EVT011", "None", "torch.rms_norm(x, (n,), ...)"),
    (lambda a, x: a.rms_norm(input=x), "EVT011", "'input'", ""),
    (lambda a, x: torch.softmax(a, bim=1), "EVT011", "'bim'", "ops.softmax(x, axis)"),
    (lambda a, x: ops.rms_norm(a, eps="0"), "EVT011", "rms_norm", "eps=1e-5"),
    (lambda a, x: ops.rms_norm(a, weight="w"), "EVT009", 'ops.rms_norm … "w"', ""),
    (lambda a, x: ops.softmax(3), "EVT009", "softmax", ""),
    (
        lambda a, x: torch.max(a, dim=1),
        "EVT011",
        "",
        "torch.amax(x, dim=1, keepdim=True)",
    ),
    (lambda a, x: torch.pow(a), "EVT011", "1", ""),
    (lambda a, x: a.sum(-1), "EVT011", "", "keepdims=True"),
    (lambda a, x: a.max(dim=1), "EVT011", "", "torch.amax(x, dim=1, keepdim=True)"),
    (lambda a, x: a.to("float64"), "EVT011", "float64", "half"),
    (lambda a, x: a.astype(int), "EVT011", "int", "int8, int16, int32"),
    (lambda a, x: a.double(), "EVT010", "double", "x.cast(float32)"),
    (lambda a, x: a.relu_(), "EVT010", "relu_", "x = x.relu("),
    (lambda a, x: torch.relu_(a), "EVT010", "torch.relu_", "x = x.relu("),
    (torch.equal, "EVT010", "torch.equal", "torch.eq(x, y)"),
    (lambda a, x: torch.dropout(a, 0.5, True), "EVT011", "", "training=False"),
    (lambda a, x: torch.transpose(a, 0, 2), "EVT011", "[0, 2]", "ops.transpose(x)"),
    (lambda a, x: np.take(x, a, axis=1), "EVT011", "", "ops.gather(X, rows=idx)"),
    (lambda a, x: np.round(a, 2), "EVT011", "", ""),
    (lambda a, x: a.reshape(3), "EVT010", "reshape", ""),
    (lambda a, x: a.mT, "EVT010", "mT", "ops.transpose(x)"),
    (lambda a, x: a.rleu(), "EVT010", "rleu", "relu"),
    (lambda a, x: a.dtype, "EVT017", "dtype", "x.T"),
    (lambda a, x: a.shape, "EVT017", "shape", "ops.rope"),
    (lambda a, x: np.concatenate([-a[..., 64:], a[..., :64]], axis=-1), "EVT010", "np.concatenate", "ops.rope"),
    (lambda a, x: max(a, x) + x, "EVT008", "", "ops.maximum(a, b)"),
    (lambda a, x: min(a, 0), "EVT008", "", "ops.minimum(a, b)"),
    (lambda a, x: a if a > max(1, 0) else x, "EVT008", "", "ops.where(condition, a, b)"),
]


@pytest.mark.parametrize(("body", "code", "message", "help"), FAILURES, ids=range(len(FAILURES)))
def test_what_does_not_work_says_what_to_write(body: Callable[..., Any], code: str, message: str, help: str) -> None:
    says(failure(body), code, message, help)


def test_values_are_no_arrays_to_others() -> None:
    def body(a: Any, x: Any) -> Any:
        assert not hasattr(a, "__array_interface__") and not hasattr(a, "sin") and hasattr(a, "exp")
        return a + x

    of(body)


SPEC = """
import evtgen as evt
from evtgen import Acc, epilogue, half
{head}
@epilogue
def spec(acc: Acc[half]):
    {body}
"""


@pytest.mark.parametrize(
    ("head", "body", "message", "help"),
    [
        ("from evtgen import float16", 'return {"D": acc}', "ImportError", "half"),
        ("T = evt.hlaf", 'return {"D": acc}', "AttributeError", "half"),
        ("from evtgen import AccLoad", 'return {"D": acc}', "ImportError", "evtgen.nodes"),
        ("", 'return {"D": max(acc, dim=1)}', "TypeError", 'ops.row_reduce(x, "max")'),
    ],
)
def test_what_python_notices_first(head: str, body: str, message: str, help: str, tmp_path: Path) -> None:
    path = tmp_path / "spec.py"
    path.write_text(SPEC.format(head=head, body=body))
    with pytest.raises(EvtgenError) as caught:
        load([path])
    (d,) = caught.value.diagnostics
    says(d, "EVT003", message, help)
