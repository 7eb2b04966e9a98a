"""The arguments of ``evt.run``: their shapes and types, as operands of a launch, and what is said of wrong ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import Acc, Aux, ColVector, EvtgenError, Gemm, RowVector, Scalar, ScalarTensor, bfloat16, float32, half, ops
from evtgen.graph.ir import Epilogue
from evtgen.graph.shapes import Problem
from evtgen.model.data import Operands
from evtgen.model.execution import Prepared, Run
from evtgen.operators.arrays import Array, dtype
from evtgen.pipeline.arguments import Launch
from evtgen.planner.plan import lower

from ..support.said import refused, says

M, N, K, L = 5, 6, 4, 3


def every(gemm: Gemm) -> Epilogue:
    """An epilogue with every shape of tensor."""

    @evt.epilogue(gemm=gemm)
    def spec(
        acc: Acc[half],
        X: Aux[half],
        row: RowVector[float32],
        col: ColVector[float32] = 1.0,
        one: ScalarTensor[bfloat16] = 1.0,
        *,
        alpha: Scalar[float32],
        beta: Scalar[float32] = 0.5,
    ):
        y = (acc + X).cast(float32) * row * col * one.cast(float32) * alpha + beta
        return {"D": y, "sums": ops.row_reduce(y), "tops": ops.col_reduce(y, "max")}

    return spec


ONE, BATCH, GROUPS = every(Gemm()), every(Gemm(batch=True)), every(Gemm(group="m"))
INDEX, POINTERS = every(Gemm(group="m", weight_index=True)), every(Gemm(group="m", weights="pointers"))


def whole(*shape: int) -> Array:
    return np.arange(np.prod(shape)).reshape(shape)


def launch(
    epilogue: Epilogue, a: Array, b: Array, given: dict[str, Any], groups: tuple[int, ...] | None = None
) -> tuple[Launch, Operands]:
    made = Launch(lower(epilogue), {"alpha": 2, **given}, groups)
    return made, made.operands(a, b)


def test_axes_of_one_may_be_left_out() -> None:
    full = {"X": whole(M, N), "row": whole(1, N), "col": whole(M, 1), "one": whole(1, 1) + 2}
    short = {"X": whole(M, N), "row": whole(N), "col": whole(M), "one": 2}
    for given in (full, short):
        made, operands = launch(ONE, whole(M, K), whole(K, N), given)
        assert made.problem == Problem((M,), N, K) and made.null == []
        assert operands.a.dtype == np.float16 and operands.inputs["one"].dtype == dtype(bfloat16)
        for name, array in full.items():
            assert np.array_equal(operands.inputs[name], array), name
        assert {name: operands.inputs[name].tolist() for name in ("alpha", "beta")} == {"alpha": [[2]], "beta": [[0.5]]}


def test_what_has_a_default_may_be_left_out() -> None:
    made, operands = launch(ONE, whole(M, K), whole(K, N), {"X": whole(M, N), "row": whole(N)})
    assert made.null == ["col", "one"] and set(operands.inputs) == {"X", "row", "alpha", "beta"}


def test_a_batch_is_stacked() -> None:
    given = {"X": whole(L, M, N), "row": whole(L, N), "col": whole(L, M), "one": whole(L)}
    made, operands = launch(BATCH, whole(L, M, K), whole(L, K, N), given)
    assert made.problem == Problem((M,) * L, N, K, batch=True)
    assert np.array_equal(operands.a, whole(L * M, K)) and np.array_equal(operands.b, whole(L * K, N))
    stacked = {"X": whole(L * M, N), "row": whole(L, N), "col": whole(L * M, 1), "one": whole(L, 1)}
    for name, array in stacked.items():
        assert np.array_equal(operands.inputs[name], array), name
    full = {"X": whole(L, M, N), "row": whole(L, 1, N), "col": whole(L, M, 1), "one": whole(L, 1, 1)}
    _, same = launch(BATCH, whole(L, M, K), whole(L, K, N), full)
    assert all(np.array_equal(same.inputs[name], operands.inputs[name]) for name in stacked)


@pytest.mark.parametrize("name", ["a", "b", "X", "row", "col", "one", "sums", "tops"])
def test_without_the_axis_of_the_batch_all_share(name: str) -> None:
    own: dict[str, tuple[int, ...]] = {
        "a": (L, M, K), "b": (L, K, N), "X": (L, M, N), "row": (L, 1, N), "col": (L, M, 1), "one": (L, 1, 1),
        "sums": (L, 1, N), "tops": (L, M, 1),
    }  # fmt: skip
    own[name] = own[name][1:]
    arrays = {key: whole(*shape) for key, shape in own.items()}
    made, operands = launch(BATCH, arrays.pop("a"), arrays.pop("b"), arrays)
    assert made.problem.shared == {f"gemm.{name.upper()}" if name in "ab" else name}
    assert operands.inputs["row"].shape == ((1, N) if name == "row" else (L, N))
    assert operands.inputs["tops"].shape == ((M, 1) if name == "tops" else (L * M, 1))
    assert operands.b.shape == ((K, N) if name == "b" else (L * K, N))


@pytest.mark.parametrize("name", ["a", "b", "X", "row", "col", "one"])
def test_parts_of_a_batch_repeat(name: str) -> None:
    """As those of numpy.repeat; a single part is shared, and outputs have parts of their own."""
    own: dict[str, tuple[int, ...]] = {
        "a": (6, M, K), "b": (6, K, N), "X": (6, M, N), "row": (6, 1, N), "col": (6, M, 1), "one": (6, 1, 1),
    }  # fmt: skip
    tensor = f"gemm.{name.upper()}" if name in "ab" else name
    for parts in (2, 1):
        arrays = {key: whole(*shape) for key, shape in (own | {name: (parts, *own[name][1:])}).items()}
        made, _ = launch(BATCH, arrays.pop("a"), arrays.pop("b"), arrays)
        assert made.problem.rows == (M,) * 6
        assert made.problem.repeats == ({(tensor, 3)} if parts > 1 else set())
        assert made.problem.shared == ({tensor} if parts == 1 else set())


def test_groups_have_rows_of_their_own() -> None:
    rows = (2, 0, 3)
    given = {"X": whole(M, N), "row": whole(3, N), "col": whole(M), "one": whole(3), "sums": whole(1, N)}
    made, operands = launch(GROUPS, whole(M, K), whole(3, K, N), given, rows)
    assert made.problem == Problem(rows, N, K, frozenset({"sums"}))
    assert operands.inputs["row"].shape == (3, N) and operands.inputs["one"].shape == (3, 1)
    made, operands = launch(GROUPS, whole(M, K), whole(K, N), {"X": whole(M, N), "row": whole(1, N), "one": 5}, rows)
    assert made.problem.shared == {"gemm.B", "row", "one"} and operands.b.shape == (K, N)


def given(epilogue: Epilogue) -> dict[str, Any]:
    """Right arguments."""
    axis = (L,) if epilogue is BATCH else ()
    groups = {} if epilogue in (ONE, BATCH) else {"groups": [2, 0, 3]}
    groups |= {"weight_index": [1, 2, 1]} if epilogue is INDEX else {}
    b: Any = whole(*axis, K, N) if epilogue in (ONE, BATCH) else whole(3, K, N)
    b = list(b) if epilogue is POINTERS else b
    arrays = {"a": whole(*axis, M, K), "b": b, "X": whole(*axis, M, N)}
    return {**arrays, "row": whole(1, N), "alpha": 2, **groups}


WRONG: list[tuple[Epilogue, dict[str, Any], str, str]] = [
    (ONE, {"row": None}, "EVT186", "spec … row … float32 … (1, N)"),
    (ONE, {"row": None, "alpha": None}, "EVT186", "spec … row … float32 … (1, N) … alpha … float32"),
    (BATCH, {"a": [whole(3, K), whole(5, K), whole(2, K)]}, "EVT187", "spec … (3, 4), (5, 4), (2, 4)"),
    (BATCH, {"X": None}, "EVT186", "spec … X … half … (L, M, N), or (M, N)"),
    (ONE, {"rows": whole(N)}, "EVT186", "spec … rows"),
    (ONE, {"D": whole(M, N)}, "EVT186", "D … spec"),
    (ONE, {"groups": [M]}, "EVT186", "spec"),
    (GROUPS, {"groups": None}, "EVT186", "spec"),
    (GROUPS, {"groups": [6, -1]}, "EVT186", "groups … [6, -1]"),
    (GROUPS, {"groups": []}, "EVT187", "b … (3, 4, 6) … (G, K, N) = (0, 4, 6)"),
    (GROUPS, {"groups": [2.5, 2.5]}, "EVT186", "groups … [2.5, 2.5]"),
    (ONE, {"a": whole(K)}, "EVT187", "a … (4,) … (M, K)"),
    (ONE, {"a": whole(0, K)}, "EVT187", "X … (5, 6) … (M, N) = (0, 6)"),
    (ONE, {"a": whole(M, 0)}, "EVT187", "a … (5, 0)"),
    (ONE, {"b": whole(K, 0)}, "EVT187", "b … (4, 0)"),
    (BATCH, {"a": whole(0, M, K)}, "EVT187", "a … (0, 5, 4)"),
    (ONE, {"a": whole(L, M, K)}, "EVT187", "a … (3, 5, 4) … (M, K) = (5, 4)"),
    (ONE, {"b": whole(K + 1, N)}, "EVT187", "a … 4 … b … 5 … K"),
    (ONE, {"X": whole(N, M)}, "EVT187", "X … (6, 5) … (M, N) = (5, 6)"),
    (ONE, {"row": whole(L, N)}, "EVT187", "row … (3, 6) … (1, N) = (1, 6)"),
    (ONE, {"one": whole(2)}, "EVT187", "one … (2,) … (1, 1)"),
    (ONE, {"sums": whole(M)}, "EVT187", "sums … (5,) … (1, N) = (1, 6)"),
    (BATCH, {"b": whole(L + 1, K, N)}, "EVT187", "b … (4, 4, 6) … (L, K, N) = (3, 4, 6), or (K, N) ="),
    (BATCH, {"row": whole(2, N)}, "EVT187", "row … (2, 6) … (L, 1, N) = (3, 1, 6), or (1, N) = (1, 6)"),
    (BATCH, {"a": whole(M, K), "b": whole(K, N), "X": whole(M, N)}, "EVT187", ""),
    (GROUPS, {"groups": [2, 4]}, "EVT187", "6 … a … 5"),
    (GROUPS, {"groups": [2, 3]}, "EVT187", "b … (3, 4, 6) … (G, K, N) = (2, 4, 6), or (K, N) = (4, 6)"),
    (GROUPS, {"col": whole(3)}, "EVT187", "col … (3,) … (M, 1) = (5, 1)"),
    (INDEX, {"weight_index": None}, "EVT186", "spec … weight_index"),
    (INDEX, {"weight_index": [1, -2, 1]}, "EVT186", "weight_index … [1, -2, 1]"),
    (INDEX, {"weight_index": [1, -1, 1], "sums": whole(N)}, "EVT186", "groups … sums"),
    (INDEX, {"weight_index": [1, 3, 1]}, "EVT187", "weight_index … 3 … b … 3"),
    (INDEX, {"weight_index": [1, 2]}, "EVT187", "weight_index … 2 … 3 groups"),
    (INDEX, {"b": whole(K, N)}, "EVT187", "b … (4, 6) … (W, K, N) = (1, 4, 6)"),
    (GROUPS, {"weight_index": [1, 2, 1]}, "EVT186", "spec … weight_index"),
    (POINTERS, {"b": [whole(K, N)] * 2}, "EVT187", "b … (2, 4, 6) … (G, K, N) = (3, 4, 6)"),
    (POINTERS, {"b": [whole(K, N)] * 2 + [whole(K, 5)]}, "EVT187", "b[2] … (4, 5) … (4, 6)"),
    (POINTERS, {"b": whole(K, N)}, "EVT187", "b … (4, 6) … (G, K, N) = (3, 4, 6)"),
    (POINTERS, {"b": [], "groups": []}, "EVT187", "b … N"),
    (POINTERS, {"b": [*np.zeros((2, K, N), np.half), np.zeros((N, K), np.half).T]}, "EVT255", "b[2] … (1, 4)"),
    (POINTERS, {"b": [*np.zeros((2, K, N), np.half), np.zeros((K, 9), np.half)[:, :N]]}, "EVT255", "b[2] … (9, 1)"),
    (ONE, {"X": whole(M, N) + 0.1}, "EVT188", "X … float64 … half"),
    (ONE, {"X": whole(M, N) + 2100}, "EVT188", "X … int64 … half … 2"),
    (ONE, {"X": whole(M, N) * 1j}, "EVT188", "X … complex128 … numpy.float16"),
    (ONE, {"X": [[1, 2], [3]]}, "EVT188", "X … numpy.float16"),
    (ONE, {"X": np.ma.masked_equal(whole(M, N), 0)}, "EVT188", "X … a mask hides"),
    (ONE, {"X": {1: 2}}, "EVT188", "X … dict … numpy.float16"),
    (ONE, {"one": 1.01}, "EVT188", "one … float64 … bfloat16 … 1.01"),
    (ONE, {"alpha": 1e39}, "EVT188", "alpha … 1e+39 … float32"),
    (ONE, {"alpha": "2"}, "EVT188", "alpha … '2' … float32"),
    (ONE, {"alpha": [1, 2]}, "EVT188", "alpha … [1, 2] … float32"),
]


@pytest.mark.parametrize(("epilogue", "changed", "code", "words"), WRONG, ids=range(len(WRONG)))
def test_what_is_wrong_is_named(epilogue: Epilogue, changed: dict[str, Any], code: str, words: str) -> None:
    """Before anything is compiled."""
    arguments = {name: value for name, value in {**given(epilogue), **changed}.items() if value is not None}
    with pytest.raises(EvtgenError) as caught:
        evt.run(epilogue, arguments.pop("a"), arguments.pop("b"), **arguments)
    (found,) = caught.value.diagnostics
    says(found, code, words)
    assert found.location is not None and found.location.file == __file__  # of the call


@pytest.mark.parametrize(
    "epilogue", [ONE, BATCH, GROUPS, INDEX, POINTERS], ids=["one", "batch", "groups", "index", "pointers"]
)
@pytest.mark.parametrize(
    ("end", "code", "words"),
    [
        (Run({}, None, {}, "it ended with status 3"), "EVT075", "spec does not run on the CPU model: it ended with"),
        (
            Run({}, None, {"hazards": [{"severity": "error", "code": "EVT101", "message": "a race"}]}, None),
            "EVT189",
            "spec: EVT101: a race",
        ),
    ],
    ids=["ended", "fault"],
)
def test_what_is_right_is_run(
    monkeypatch: pytest.MonkeyPatch, epilogue: Epilogue, end: Run, code: str, words: str
) -> None:
    """The arguments that the cases above change by one reach the kernel; one with a fault gives no numbers."""
    monkeypatch.setattr("evtgen.pipeline.run.Compiled.build", lambda *_: None)
    monkeypatch.setattr(Prepared, "run", lambda *_: end)
    arguments = given(epilogue)
    with pytest.raises(EvtgenError) as caught:
        evt.run(epilogue, arguments.pop("a"), arguments.pop("b"), **arguments)
    (found,) = caught.value.diagnostics
    assert found.code == code and words in found.message


def test_a_warning_is_no_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = {"D": whole(M, N), "sums": whole(1, N), "tops": whole(M, 1)}
    end = Run(outputs, None, {"hazards": [{"severity": "warning", "code": "EVT101", "message": "slow"}]}, None)
    monkeypatch.setattr("evtgen.pipeline.run.Compiled.build", lambda *_: None)
    monkeypatch.setattr(Prepared, "run", lambda *_: end)
    arguments = given(ONE)
    got = evt.run(ONE, arguments.pop("a"), arguments.pop("b"), **arguments)
    assert list(got) == list(outputs) and all(np.array_equal(got[name], outputs[name]) for name in got)


def test_types_that_hold_the_values_will_do() -> None:
    near = np.float32(1.5) * whole(M, N)
    values = {"X": near, "row": [1, np.nan, 0.5, np.inf, -0.0, 3], "alpha": 0.1}
    _, operands = launch(ONE, whole(M, K), whole(K, N), values)
    assert operands.inputs["X"].dtype == np.float16 and (operands.inputs["X"] == near).all()
    assert operands.inputs["row"].dtype == np.float32 and np.isnan(operands.inputs["row"][0, 1])
    assert operands.inputs["alpha"].item() == np.float32(0.1)


def test_only_an_epilogue_is_run() -> None:
    with refused("EVT202", "given"):
        evt.run(given, whole(M, K), whole(K, N))  # type: ignore[arg-type]
    with refused("EVT202", "list"):
        evt.run([ONE], whole(M, K), whole(K, N))  # type: ignore[arg-type]


def test_an_epilogue_that_is_wrong_is_refused() -> None:
    @evt.epilogue
    def mixed(acc: Acc[half], X: Aux[float32]):
        return {"D": acc + X}

    with refused("EVT021"):
        evt.run(mixed, whole(M, K), whole(K, N), X=whole(M, N))


def test_a_name_that_the_groups_take() -> None:
    @evt.epilogue(gemm=Gemm(group="m"))
    def taken(acc: Acc[half], groups: Aux[half]):
        return {"D": acc + groups}

    with refused("EVT186", "taken … groups"):
        evt.run(taken, whole(M, K), whole(3, K, N), groups=whole(M, N))
