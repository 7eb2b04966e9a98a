"""``evt.run`` from end to end: what numpy computes, of one matmul and of several."""

from __future__ import annotations

import numpy as np
import pytest

import evtgen as evt
from evtgen import Acc, Aux, ColumnMajor, ColVector, EvtgenError, Gemm, RowVector, Scalar, float32, half, int32, ops
from evtgen.operators.arrays import Array

from ..support.said import refused

pytestmark = pytest.mark.cxx

RNG = np.random.default_rng(21)
M, N, K, L = 37, 50, 20, 3


def whole(*shape: int) -> Array:
    return RNG.integers(-3, 4, shape)


@evt.epilogue(gemm=Gemm(batch=True))
def batched(acc: Acc[half], row: RowVector[float32] = 1.0, *, alpha: Scalar[float32] = 0.5):
    y = acc.cast(float32) * row * alpha
    return {"D": y, "sums": ops.row_reduce(y), "tops": ops.col_reduce(y, "max")}


@evt.epilogue(gemm=Gemm(group="m"))
def grouped(acc: Acc[half], row: RowVector[float32]):
    y = acc.cast(float32) * row
    return {"D": y, "sums": ops.row_reduce(y)}


def test_a_batch() -> None:
    """Outputs have an axis in front, but for those that all share; what is left out has its default."""
    a, b, row = whole(L, M, K), whole(L, K, N), whole(L, N)
    want = (a @ b) * row[:, None] * 0.5
    got = evt.run(batched, a, b, row=row)
    assert list(got) == ["D", "sums", "tops"] and got["D"].dtype == np.float32
    assert np.array_equal(got["D"], want) and np.array_equal(got["tops"], want.max(2, keepdims=True))
    assert np.array_equal(got["sums"], want.sum(1, keepdims=True))
    want = 3.0 * (a[0] @ b)
    got = evt.run(batched, a[0], b, alpha=3, sums=np.ones(N), tops=np.full((M, 1), 5))
    assert np.array_equal(got["D"], want) and np.array_equal(got["sums"][0], 1 + want.sum((0, 1)))
    assert np.array_equal(got["tops"][:, 0], np.maximum(want.max((0, 2)), 5))


def test_groups() -> None:
    rows = [5, 0, 31, 1, 0]
    a, b, row = whole(M, K), whole(5, K, N), whole(5, N)
    of = np.repeat(np.arange(5), rows)
    want = np.stack([(a[i] @ b[group]) * row[group] for i, group in enumerate(of)])
    got = evt.run(grouped, a, b, row=row, groups=rows)
    assert np.array_equal(got["D"], want)
    assert np.array_equal(got["sums"], [want[of == group].sum(0) for group in range(5)])


def test_no_group_has_rows() -> None:
    a, row = whole(M, K), whole(2, N)
    for rows in ([], [0, 0]):
        b, each = whole(len(rows), K, N), row[: len(rows)]
        got = evt.run(grouped, a, b, row=each, groups=rows, out={"D": np.full((M, N), 7, np.float32)})
        assert (got["D"] == 7).all() and got["sums"].shape == (len(rows), N) and not got["sums"].any()


@evt.epilogue(gemm=Gemm(group="m", weights="pointers", layout_b=ColumnMajor))
def pointers(acc: Acc[half], row: RowVector[float32]):
    y = acc.cast(float32) * row
    return {"D": y, "sums": ops.row_reduce(y)}


@evt.epilogue(gemm=Gemm(group="m", group_list="counts", group_type=int32, weight_index=True))
def sgmv_expand(acc: Acc[float32], y: Aux[float32], alpha: Scalar[float32] = 1.0):
    return {"D": y + acc * alpha}


@pytest.mark.parametrize("rows", [[5, 0, 30, 1, 0], [], [0, 0]], ids=["before M", "none", "empty"])
def test_bs_of_their_own(rows: list[int]) -> None:
    """Two groups may have one array, each of which lies as it likes; rows behind the groups are left alone."""
    a, each, row = whole(M, K), [whole(N, K).astype(np.float16).T for _ in rows], whole(len(rows), N)
    b = [*each[:-1], each[0]] if rows else whole(0, K, N)
    want = np.full((M, N), 7.0)
    of = np.repeat(np.arange(len(rows)), rows)
    for i, group in enumerate(of):
        want[i] = (a[i] @ b[group]) * row[group]
    got = evt.run(pointers, a, b, row=row, groups=rows, out={"D": np.full((M, N), 7, np.float32)})
    assert np.array_equal(got["D"], want)
    assert np.array_equal(got["sums"], [want[: len(of)][of == group].sum(0) for group in range(len(rows))] or row)


@pytest.mark.parametrize("rows", [[5, 0, 30, 1, 0], [], [0, 0]], ids=["before M", "none", "empty"])
def test_a_b_by_its_number(rows: list[int]) -> None:
    """The rows of a sequence, and its adapter: many take one, and some adapters are nobody's."""
    x, lora_b, y = whole(M, K), whole(4, K, N), whole(M, N).astype(np.float32)
    lora_indices = [3, 0, 1, 3, 9][: len(rows)]
    lora_indices[-1:] = [3] * bool(rows)
    want, start = y.copy(), 0
    for length, adapter in zip(rows, lora_indices, strict=True):
        want[start : start + length] += 2 * x[start : start + length] @ lora_b[adapter]
        start += length
    got = evt.run(sgmv_expand, x, lora_b, y=y, alpha=2, groups=rows, weight_index=lora_indices, out=y)["D"]
    assert got is y and np.array_equal(y, want)


@evt.epilogue(gemm=Gemm(batch=True))
def transposed(acc: Acc[float32], X: Aux[half, ColumnMajor]):
    return {"D": ops.transpose(acc), "E": acc + X.cast(float32)}


@evt.epilogue(gemm=Gemm(group="m"))
def by_rows(acc: Acc[float32], X: Aux[float32], idx: ColVector[int32]):
    return {"D": ops.scatter(acc + ops.gather(X, rows=idx), rows=idx), "T": ops.transpose(acc)}


def test_transposed_tensors_are_n_by_m() -> None:
    a, b, X = whole(L, M, K), whole(L, K, N), whole(L, N, M)
    for given, where in ((X, X), (X[1], X[1][None])):
        got = evt.run(transposed, a, b, X=given)
        assert np.array_equal(got["D"], (a @ b).swapaxes(1, 2))
        assert np.array_equal(got["E"], a @ b + where.swapaxes(1, 2))
    with refused("EVT187", "X … (37, 50)"):
        evt.run(transposed, a, b, X=X[0].T)


def test_rows_that_an_index_vector_names() -> None:
    """The numbers count the rows of all groups."""
    rows = [5, 0, 31, 1]
    a, b, X, idx = whole(M, K), whole(4, K, N), whole(M, N), RNG.permutation(M).astype(np.int32)
    product = np.stack([a[i] @ b[group] for i, group in enumerate(np.repeat(np.arange(4), rows))])
    want = np.zeros((M, N))
    want[idx] = product + X[idx]
    got = evt.run(by_rows, a, b, X=X, idx=idx, groups=rows)
    assert np.array_equal(got["D"], want) and np.array_equal(got["T"], product.T)
    twice = idx.copy()
    twice[-1] = idx[0]
    with pytest.raises(EvtgenError, match="EVT129"):  # two cores write one row
        evt.run(by_rows, a, b, X=X, idx=twice, groups=rows)
