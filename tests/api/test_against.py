"""A function of the user's as a reference: what it is given, what it may return, and how near the device must be."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import (
    Acc,
    Aux,
    ColVector,
    EvtgenError,
    Gemm,
    RowVector,
    Scalar,
    ScalarTensor,
    float32,
    half,
    int8,
    int32,
    ops,
)
from evtgen.frontend.load import load
from evtgen.graph.shapes import Problem
from evtgen.kernels import Matmuls
from evtgen.model.data import Operands, operands
from evtgen.operators.arrays import Array, dtype
from evtgen.planner.plan import Plan, lower
from evtgen.reference import formulas, magnitude, product, read, scale
from evtgen.verify import Comparison
from evtgen.verify.against import SHARE, Against, compare_function
from evtgen.verify.case import _with_rows, launches

from ..support import optional
from ..support.paths import CHECKOUT
from ..support.said import refused, says

M, N, K = 33, 70, 20


@evt.epilogue
def scaled(acc: Acc[half], X: Aux[half], bias: RowVector[half] = 2.0, *, alpha: Scalar[half] = 0.5):
    return {"D": acc * alpha + X + bias}


@evt.epilogue
def normed(acc: Acc[half], weight: RowVector[float32]):
    """The device rounds everywhere, and its exponential is not proved to the last bit."""
    y = ops.gelu_tanh(acc.cast(float32)) * weight
    return {"D": y.cast(half), "sums": ops.row_reduce(y), "q": (y * 5.0).cast(int8)}


def gelu(x: Any) -> Any:
    return 0.5 * x * (1 + np.tanh(0.7978845608028654 * (x + 0.044715 * x**3)))


def run(
    epilogue: evt.Epilogue, problem: Problem | None = None, data: str = "normal"
) -> tuple[Plan, Problem, Operands, Array]:
    plan = lower(epilogue)
    problem = problem or Problem.of((M, N, K))
    given = operands(plan, problem, 0, data, absent=False)
    return plan, problem, given, product(given.a, given.b, problem)


def compared(
    epilogue: evt.Epilogue, function: Callable[..., Any], change: float = 0.0, problem: Problem | None = None
) -> dict[str, Comparison]:
    """The reference in place of the device, with so much of itself added to each element, against a function."""
    plan, problem, given, exact = run(epilogue, problem)
    with np.errstate(all="ignore"):
        acc = exact.astype(dtype(plan.element_c))
    against, inputs = Against(function), given.read_by(plan)
    gave = against.outputs(plan, problem, exact, inputs)
    meant = formulas(plan.written, inputs, exact, problem)
    found = {}
    for reading in read(plan, acc, inputs, exact, problem):
        tensor = reading.node.tensor
        if reading.node.writes and tensor is not None and tensor.name in gave:
            assert reading.formula is not None
            some = partial(_with_rows, tensor, problem, inputs)
            expected, formula = reading.stepwise.map(some), some(meant[tensor.name])
            typical, beside = scale(expected.value), magnitude(reading, reading.formula)
            beside = np.maximum(some(beside) if isinstance(beside, np.ndarray) else beside, typical)
            with np.errstate(all="ignore"):
                device = (expected.value.astype(np.float64) * (1 + change)).astype(expected.value.dtype)
            found[tensor.name] = compare_function(
                against, tensor, device, expected, formula, gave[tensor.name], typical, beside
            )
    return found


def test_what_a_function_is_given() -> None:
    """The product and the inputs in float64, a number as a number; what stands for a null pointer is filled in."""
    plan, problem, given, exact = run(scaled)
    seen: dict[str, Any] = {}

    def function(c: Array, bias: Array, X: Array, *, alpha: float, eps: float = 1e-6) -> Array:
        seen.update(c=c, bias=bias, X=X, alpha=alpha)
        return c

    (found,) = Against(function).outputs(plan, problem, exact, given.inputs).values()
    assert np.array_equal(found, exact) and np.array_equal(seen["c"], exact)
    assert [seen[name].dtype for name in ("c", "bias", "X")] == [np.float64] * 3
    assert seen["bias"].shape == (1, N) and np.array_equal(seen["X"], given.inputs["X"])
    assert isinstance(seen["alpha"], float) and seen["alpha"] == given.inputs["alpha"]
    Against(function).outputs(plan, problem, exact, {n: x for n, x in given.inputs.items() if n != "bias"})
    assert np.array_equal(seen["bias"], np.full((1, N), 2.0))


def test_the_accumulators_are_the_parameters_of_no_other_name() -> None:
    @evt.epilogue(gemm=Gemm(accumulators="halves"))
    def gated(X: Aux[half], gate: Acc[half], up: Acc[half]):
        return {"D": gate * up + X}

    plan, problem, given, exact = run(gated)
    assert gated.function is not None
    (own,) = Against(gated.function).outputs(plan, problem, exact, given.inputs).values()
    assert np.array_equal(own, exact[:, :N] * exact[:, N:] + given.inputs["X"])

    class Module:
        """As torch's: it has its signature elsewhere."""

        def __call__(self, *accs: Any, **named: Any) -> Any:
            return accs[0] * accs[1] + named["X"]

    (same,) = Against(Module()).outputs(plan, problem, exact, given.inputs).values()
    assert np.array_equal(same, own) and Against(Module()).name == "Module"


def test_what_it_returns_may_have_its_own_form() -> None:
    """Axes of 1 left out, one row for all, columns where the epilogue has them, a type of its own."""

    @evt.epilogue
    def many(acc: Acc[float32], row: RowVector[float32], idx: ColVector[int32], one: ScalarTensor[float32]):
        return {
            "same": row + 0.0 * acc, "sums": ops.row_reduce(acc), "tops": ops.col_reduce(acc, "max"),
            "all": ops.scalar_reduce(acc), "turned": ops.transpose(acc * one), "placed": ops.scatter(acc, rows=idx),
        }  # fmt: skip

    def function(acc: Array, row: Array, idx: Array, one: Array) -> dict[str, Any]:
        placed = np.zeros_like(acc)
        placed[idx[:, 0]] = acc
        return {
            "same": row[0], "sums": acc.sum(0), "tops": acc.max(1).astype(np.float32), "all": acc.sum(),
            "turned": (acc * one).T, "placed": placed,
        }  # fmt: skip

    plan, problem, given, exact = run(many)
    found = Against(function).outputs(plan, problem, exact, given.inputs)
    assert {name: array.shape for name, array in found.items()} == {
        "same": (M, N), "sums": (1, N), "tops": (M, 1), "all": (1, 1), "turned": (M, N), "placed": (M, N)
    }  # fmt: skip
    assert found["tops"].dtype == np.float32 and np.array_equal(found["placed"], exact)
    assert np.array_equal(found["turned"], exact * given.inputs["one"])


def test_it_is_called_for_each_matmul() -> None:
    """Those without rows left out; what all share is given to each."""

    @evt.epilogue(gemm=Gemm(group="m"))
    def grouped(acc: Acc[half], row: RowVector[half], col: ColVector[half]):
        y = (acc * row + col).cast(float32)
        return {"D": y, "sums": ops.row_reduce(y)}

    problem = lower(grouped).kernel.problem((25, 7, 4), Matmuls(groups=(5, 0, 20)), frozenset({"row"}))
    plan, problem, given, exact = run(grouped, problem)
    sizes = []

    def function(acc: Array, row: Array, col: Array) -> dict[str, Array]:
        sizes.append((acc.shape, row.shape, col.shape))
        y = acc * row + col
        return {"D": y, "sums": y.sum(0)}

    found = Against(function).outputs(plan, problem, exact, given.inputs)
    assert sizes == [((5, 7), (1, 7), (5, 1)), ((20, 7), (1, 7), (20, 1))]
    want = exact * given.inputs["row"] + given.inputs["col"]
    assert np.array_equal(found["D"], want)
    assert np.array_equal(found["sums"], [want[:5].sum(0), np.zeros(7), want[5:].sum(0)])


def test_rows_of_several_matmuls_are_not_followed() -> None:
    @evt.epilogue(gemm=Gemm(group="m"))
    def gathered(acc: Acc[half], X: Aux[half], idx: ColVector[int32]):
        return {"D": acc + ops.gather(X, rows=idx)}

    problem = lower(gathered).kernel.problem((25, 7, 4), Matmuls(groups=(5, 20)))
    plan, problem, given, exact = run(gathered, problem)
    with refused("EVT203", "gathered"):
        Against(lambda acc, X, idx: acc).outputs(plan, problem, exact, given.inputs)


def reference(acc: Array, weight: Array) -> dict[str, Array]:
    y = gelu(acc) * weight
    return {"D": y, "sums": y.sum(0), "q": np.clip(np.rint(5 * y), -128, 127)}


def test_what_means_the_same_agrees() -> None:
    """Whatever the device rounds, and also if the function computes in float32 or half."""
    for found in compared(normed, reference).values():
        assert not found.mismatches and found.judged >= 0.99, found
        assert found.against == "reference"

    for narrow in (np.float32, np.float16):

        def function(acc: Array, weight: Array, T: Any = narrow) -> dict[str, Array]:
            return {name: array.astype(T) for name, array in reference(acc, weight).items()}

        assert not any(found.mismatches for found in compared(normed, function).values())


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("D", lambda acc, weight: gelu(acc) * weight + 1e-3),
        ("D", lambda acc, weight: gelu(acc) * weight * (1 + 2e-4)),
        ("D", lambda acc, weight: np.maximum(acc, 0) * weight),
        ("D", lambda acc, weight: np.full(acc.shape, np.nan)),
        ("D", lambda acc, weight: np.full(acc.shape, np.inf)),
        ("sums", lambda acc, weight: (gelu(acc) * weight).sum(0) * (1 + 1e-4)),
        ("sums", lambda acc, weight: (gelu(acc) * weight)[1:].sum(0)),
        ("q", lambda acc, weight: np.clip(np.floor(5 * gelu(acc) * weight), -128, 127)),
        ("q", lambda acc, weight: 5 * gelu(acc) * weight),
    ],
)
def test_what_means_something_else_does_not(name: str, wrong: Callable[..., Array]) -> None:
    """Also where the output's own type would hide it: it is the meaning that is compared."""

    def function(acc: Array, weight: Array) -> dict[str, Array]:
        return {**reference(acc, weight), name: wrong(acc, weight)}

    found = compared(normed, function)
    assert found[name].mismatches > M and found[name].first is not None
    assert not any(one.mismatches for other, one in found.items() if other != name)


def test_a_device_that_is_off_does_not_agree() -> None:
    """By more than its enclosure and a share of the distance of two numbers."""
    assert compared(normed, reference, change=2.0**-9)["D"].mismatches > M * N / 2
    assert SHARE < 1 / 2


def test_an_epilogue_is_its_own_reference() -> None:
    """Its function does with arrays what it does with values: methods, casts, functions of ops and of numpy."""

    @evt.epilogue
    def many(
        X: Aux[half], acc: Acc[half], idx: ColVector[int32], row: RowVector[half] = 1.0, *, alpha: Scalar[float32]
    ):
        y = (acc + X).cast(float32).relu() * (row * alpha).cast(float32)
        least = y - ops.col_reduce(y, "max")
        return {
            "D": least.cast(half) * row, "exp": ops.scatter(np.exp(least), rows=idx), "q": (y * 3.0).cast(int8),
            "turned": ops.transpose(ops.where(ops.col_index() > ops.row_index(), 0.0, y)),
            "means": ops.row_reduce(y, "mean"),
        }  # fmt: skip

    assert many.function is not None
    found = compared(many, many.function)
    assert found.keys() == {"D", "exp", "q", "turned", "means"}
    assert {name: one.mismatches for name, one in found.items()} == dict.fromkeys(found, 0)
    assert compared(many, many.function, change=2.0**-8)["D"].mismatches > M


@pytest.mark.slow
def test_every_epilogue_of_the_gallery_is_its_own_reference() -> None:
    """Of one matmul, of a batch and of groups; only where rows of all groups are named is there none."""
    left_out, count = [], 0
    for path in sorted((CHECKOUT / "examples").rglob("*.py")):
        for epilogue in load([path]):
            if epilogue.function is None:
                continue
            plan = lower(epilogue)
            _, problem, _ = next(launches(plan, plan.kernel.problem(plan.wide((M, N, K))), 0))
            try:
                found = compared(epilogue, epilogue.function, problem=problem)
            except EvtgenError as error:
                assert "names rows of all matmuls" in str(error)
                left_out.append(epilogue.name)
            else:
                count += 1
                assert not any(one.mismatches for one in found.values()), (epilogue.name, found)
    assert count > 90 and left_out == ["expert_scatter", "grouped_matmul_finalize_routing", "dispatch_ffn_combine"]


def test_infinities_that_are_meant_agree() -> None:
    @evt.epilogue
    def masked(acc: Acc[float32]):
        return {"D": ops.where(ops.col_index() > ops.row_index(), float("-inf"), acc)}

    def function(acc: Array) -> Array:
        return np.where(np.arange(N) > np.arange(M)[:, None], -np.inf, acc)

    assert not compared(masked, function)["D"].mismatches
    assert compared(masked, lambda acc: np.abs(function(acc)))["D"].mismatches


class Tensor:
    """As torch's, through which gradients flow."""

    def __init__(self, array: Array) -> None:
        self.array = array

    def detach(self) -> Array:
        return self.array

    def __array__(self, *_: Any, **__: Any) -> Array:
        raise RuntimeError("it requires grad")


def test_arrays_may_be_those_of_another_library() -> None:
    plan, problem, given, exact = run(scaled)

    def function(acc: Any, X: Any, bias: Any, alpha: float) -> Any:
        assert isinstance(X, Tensor) and isinstance(bias, Tensor) and not isinstance(alpha, Tensor)
        return Tensor(acc.array + X.array)

    (found,) = Against(function, arrays=Tensor).outputs(plan, problem, exact, given.inputs).values()
    assert np.array_equal(found, exact + given.inputs["X"])


def raising(acc: Array, X: Array, bias: Array, alpha: float) -> Array:
    return acc @ X


WRONG: list[tuple[Callable[..., Any], str]] = [
    (lambda acc: acc, "<lambda> … X, bias, alpha"),
    (lambda acc, X, bias, alpha, more: acc, "<lambda> … X, bias, alpha … more"),
    (lambda acc, **_: None, "<lambda> … None … D"),
    (lambda acc, **_: "acc", "<lambda> … str … D"),
    (lambda acc, **_: acc[:2], "<lambda> … (2, 70) … D … (33, 70)"),
    (lambda acc, **_: {"E": acc}, "<lambda> … E … scaled … D"),
    (lambda acc, **_: {"D": acc, "E": acc}, "<lambda> … D, E … scaled … D"),
    (raising, "raising … ValueError: "),
]


@pytest.mark.parametrize(("function", "words"), WRONG, ids=range(len(WRONG)))
def test_what_cannot_be_compared_is_named(function: Callable[..., Any], words: str) -> None:
    """At the function's own line, before anything is compiled."""
    with pytest.raises(EvtgenError) as caught:
        evt.verify(scaled, shapes=[(M, N, K)], against=function)
    (found,) = caught.value.diagnostics
    says(found, "EVT203", words, help=f"{M} x {N} … shapes=" if function is raising else "")
    line = raising.__code__.co_firstlineno + 1 if function is raising else function.__code__.co_firstlineno
    assert found.location is not None and (found.location.file, found.location.line) == (__file__, line)


def test_several_outputs_need_a_dict() -> None:
    with refused("EVT203", "ndarray … normed … sums, D, q"):
        evt.verify(normed, shapes=[(M, N, K)], against=lambda acc, weight: acc)


@evt.epilogue
def scaled_add(acc: Acc[half], X: Aux[half], *, alpha: Scalar[half] = 0.5):
    """That of the pages, whose program is compiled once."""
    return {"D": acc * alpha + X}


@pytest.mark.cxx
def test_the_kernel_is_compared() -> None:
    def function(acc: Array, X: Array, alpha: float) -> Array:
        return acc * alpha + X

    for reference, ok in ((function, True), (lambda acc, **given: 1.001 * function(acc, **given), False)):
        results = evt.verify(scaled_add, shapes=[(87, 198, 40)], against=reference)
        assert results.ok is ok and [[c.name for c in result.against] for result in results] == [["D"], ["D"]]
        assert all(bool(c.mismatches) is not ok for result in results for c in result.against)
        assert all(not c.mismatches for result in results for c in result.outputs)


def test_a_function_of_torch() -> None:
    """A module with weights, through which gradients flow; without `arrays` the way out is named."""
    torch = optional.torch()
    plan, problem, given, exact = run(normed)
    gelu_of_torch = torch.nn.functional.gelu

    class Module(torch.nn.Module):  # type: ignore[name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.one = torch.nn.Parameter(torch.ones(1, dtype=torch.float64))

        def forward(self, acc: Any, weight: Any) -> dict[str, Any]:
            y = self.one * gelu_of_torch(acc, approximate="tanh") * weight
            return {"D": y.half(), "sums": y.sum(0), "q": torch.clamp(torch.round(5 * y), -128, 127).to(torch.int8)}

    found = Against(Module(), torch.from_numpy).outputs(plan, problem, exact, given.inputs)
    want = reference(exact, given.inputs["weight"])
    assert (
        found["D"].dtype == np.float16 and np.allclose(found["sums"], want["sums"]) and (found["q"] == want["q"]).all()
    )
    with refused("EVT203", help="arrays=torch.from_numpy"):
        Against(lambda acc, weight: gelu_of_torch(acc)).outputs(plan, problem, exact, given.inputs)
