"""``evt.compile``: a kernel that is built once and then is a function of arrays, wherever they lie."""

from __future__ import annotations

import functools
from typing import Any, NoReturn

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

import evtgen as evt
from evtgen import Acc, Aux, ColumnMajor, ColVector, Gemm, RowVector, Scalar, bfloat16, float32, half, ops
from evtgen.model import execution
from evtgen.operators.arrays import Array
from evtgen.pipeline.run import Compiled

from ..support.optional import torch
from ..support.said import refused

pytestmark = pytest.mark.cxx

RNG = np.random.default_rng(31)
M, N, K = 13, 40, 20


def whole(*shape: int) -> Array:
    return RNG.integers(-3, 4, shape).astype(np.float16)


@evt.epilogue(gemm=Gemm(layout_b=ColumnMajor))
def scaled(acc: Acc[half], X: Aux[half], *, alpha: Scalar[half] = 0.5):
    return {"D": acc * alpha + X}


@evt.epilogue(gemm=Gemm(group="m"))
def grouped(acc: Acc[float32], col: ColVector[float32], row: RowVector[float32]):
    y = acc * col + row
    return {"D": y, "T": ops.transpose(y), "sums": ops.row_reduce(y), "most": ops.exp(ops.row_reduce(acc, "max"))}


@pytest.fixture(scope="module")
def kernel() -> Compiled:
    return evt.compile(scaled)


def test_a_kernel_for_a_shape_has_its_blocks_and_takes_any_other(kernel: Compiled) -> None:
    a, b, X = whole(M, K), whole(N, K).T, whole(M, N)
    fit, other = evt.compile(scaled, shape=(128, 1024, 1024)), evt.compile(scaled, shape="2048x4096x4096")
    assert fit.plan.mmad_tiles != kernel.plan.mmad_tiles == other.plan.mmad_tiles
    assert [one.code for one in fit.warnings] == ["EVT309"] and not kernel.warnings and not other.warnings
    assert np.array_equal(fit(a, b, X=X)["D"], a @ b * 0.5 + X)
    with refused("EVT086", "128x0x1024"):
        evt.compile(scaled, shape="128x0x1024")


def test_the_kernel_of_a_dispatch_that_serves_a_shape_has_its_blocks() -> None:
    few, others = evt.compile(evt.Dispatch(scaled, {16: {"buffers": 1}}), shape=(128, 1024, 1024))._compiled.values()
    assert few.plan.mmad_tiles != others.plan.mmad_tiles and not few.warnings and others.warnings


def test_a_second_call_only_runs(kernel: Compiled, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b, X = whole(M, K), whole(N, K).T, whole(M, N)
    first = kernel(a, b, X=X)["D"]

    def never(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError

    for work in ("model.cache.entry", "model.compiler.run", "emit.render.render_template", "emit.format._format"):
        monkeypatch.setattr(f"evtgen.{work}", never)
    monkeypatch.setattr("evtgen.pipeline.run.require_programs", never)
    monkeypatch.setattr("evtgen.pipeline.run.require_plan", never)
    assert np.array_equal(first, a @ b * 0.5 + X)
    assert np.array_equal(kernel(a[:5], b, X=X[:5], alpha=2)["D"], a[:5] @ b * 2 + X[:5])


def test_a_cache_may_be_emptied(kernel: Compiled) -> None:
    again = Compiled(scaled)
    program = again.build()
    assert again.build() is program and program.path == kernel.build().path
    program.path.unlink()
    assert np.array_equal(again(whole(M, K), np.zeros((K, N)), X=(X := whole(M, N)))["D"], X)


def test_outputs_into_given_arrays(kernel: Compiled) -> None:
    a, b, X = whole(M, K), whole(N, K).T, whole(M, N)
    want = a @ b * 0.5 + X
    larger = np.zeros((2 * M, N + 3), np.float16)
    for out in (np.empty((M, N), np.float16), larger[::2, 3:]):
        assert kernel(a, b, X=X, out=out)["D"] is out and np.array_equal(out, want)
        assert kernel(a, b, X=X, out={"D": out})["D"] is out
    assert not larger[1::2].any() and not larger[:, :3].any()
    assert np.array_equal(kernel(a, b, X=X, out=X)["D"], want)  # it may be an input


@pytest.mark.parametrize(
    ("out", "code", "words"),
    [
        (np.empty((N, M), np.float16), "EVT187", "out['D'] … (40, 13) … (13, 40)"),
        (np.empty((M, N), np.float32), "EVT188", "out['D'] … float32 … float16"),
        ([[0.0] * N] * M, "EVT188", "out['D'] … list"),
        (np.broadcast_to(np.float16(0), (M, N)), "EVT188", "out['D']"),
        ({"E": np.empty((M, N), np.float16)}, "EVT186", "scaled … E"),
    ],
)
def test_wrong_arrays_for_outputs(kernel: Compiled, out: Any, code: str, words: str) -> None:
    with refused(code, words):
        kernel(whole(M, K), whole(N, K).T, X=whole(M, N), out=out)


def test_where_arrays_lie(kernel: Compiled) -> None:
    a, w, X = whole(M, 2 * K), whole(N, K), whole(N, M)
    with refused("EVT255", "X … (13, 40) … (1, 13) … (≥ 40, 1)"):
        kernel(a[:, :K], w.T, X=X.T)
    with refused("EVT255", "a … (13, 20) … (40, 2) … (≥ 20, 1)"):
        kernel(a[:, ::2], w.T, X=X.T)
    with refused("EVT255", "b … (20, 40) … (40, 1) … (1, ≥ 20)"):
        kernel(a[:, K:], np.ascontiguousarray(w.T), X=X.T)
    got = kernel(a[:, ::2], np.ascontiguousarray(w.T), X=X.T, copy=True)
    assert np.array_equal(got["D"], a[:, ::2] @ w.T * 0.5 + X.T)


def test_tensors_in_tensors_out(kernel: Compiled) -> None:
    t = torch()
    a, w, X = t.from_numpy(whole(M, 2 * K))[:, K:], t.from_numpy(whole(N, K)), t.from_numpy(whole(M, N))
    w.requires_grad = True
    want = (a.float() @ w.detach().float().t() * 0.5 + X).half()
    got = kernel(a, w.t(), X=X)["D"]
    assert got.dtype == t.float16 and t.equal(got, want)
    out = t.zeros(N, M, dtype=t.float16).t()
    assert kernel(a, w.t(), X=X.numpy(), out=out)["D"] is out and t.equal(out, want)
    with refused("EVT255", "b … (1, ≥ 20)"):
        kernel(a, w.t().contiguous(), X=X)
    with refused("EVT188", "a"):
        kernel(a.to("meta"), w.t(), X=X)


def test_types_of_torch_that_numpy_lacks() -> None:
    t = torch()

    @evt.epilogue
    def added(acc: Acc[float32], out: Aux[bfloat16]):
        return {"D": acc.cast(bfloat16).cast(float32), "E": out}

    a, b, X = t.randn(M, K).bfloat16(), t.randn(K, N).bfloat16(), t.randn(M, N).bfloat16()
    got = evt.run(added, a.round(), b.round(), out=X)  # an input called out hides the option
    assert got["E"].dtype == t.bfloat16 and t.equal(got["E"], X) and got["D"].dtype == t.float32


def test_no_rows(kernel: Compiled) -> None:
    b = whole(N, K).T
    out = np.empty((0, N), np.float16)
    assert kernel(whole(0, K), b, X=whole(0, N), out=out)["D"] is out
    assert kernel(whole(0, K), b, X=whole(0, N))["D"].shape == (0, N)

    @evt.epilogue(gemm=Gemm(batch=True))
    def batched(acc: Acc[float32]):
        return {"D": ops.transpose(acc), "sums": ops.row_reduce(acc), "tops": ops.col_reduce(acc, "max"),
                "least": ops.scalar_reduce(acc, "min"), "most": ops.exp(ops.row_reduce(acc, "max"))}  # fmt: skip

    empty = whole(3, 0, K)
    got = evt.run(batched, empty, whole(K, N), sums=np.ones((1, N)))
    assert {name: array.shape for name, array in got.items()} == {
        "D": (3, N, 0), "sums": (1, N), "tops": (3, 0, 1), "least": (3, 1, 1), "most": (3, 1, N),
    }  # fmt: skip
    assert (got["sums"] == 1).all() and np.isposinf(got["least"]).all() and not got["most"].any()


def test_empty_groups_and_rows_behind_the_last() -> None:
    k = evt.compile(grouped)
    a, b = whole(M, K), whole(3, K, N)
    col, row = whole(M), whole(N)

    def into() -> dict[str, Array]:
        shapes = {"D": (M, N), "T": (N, M), "sums": (3, N), "most": (3, N)}
        return {name: np.full(shape, 7, np.float32) for name, shape in shapes.items()}

    for rows in ([4, 0, 5], [0, 0, 0]):
        used, of = sum(rows), np.repeat(np.arange(3), rows)
        product = np.array([a[i].astype(np.float32) @ b[g] for i, g in enumerate(of)]).reshape(used, N)
        want = product * col[:used, None] + row
        sums = np.array([want[of == group].sum(0) for group in range(3)])
        for left, got in (
            (0, k(a, b, col=col, row=row, groups=rows)),
            (7, k(a, b, col=col, row=row, groups=rows, out=into())),
        ):
            assert np.array_equal(got["D"][:used], want) and (got["D"][used:] == left).all()
            assert np.array_equal(got["T"], got["D"].T) and np.array_equal(got["sums"], sums)
            for group, count in enumerate(rows):
                assert (got["most"][group] > 0).all() if count else (got["most"][group] == left).all()
    with refused("EVT187", "14 … 13"):
        k(a, b, col=col, row=row, groups=[4, 0, 10])
    assert k(a[:0], b, col=col[:0], row=row, groups=[0, 0, 0])["T"].shape == (N, 0)


@evt.epilogue(gemm=Gemm(batch=True, layout_b=ColumnMajor, accumulators="separate"))
def everywhere(
    acc: Acc[float32], up: Acc[float32], X: Aux[half], Y: Aux[half, ColumnMajor], row: RowVector[half],
    col: ColVector[half],
):  # fmt: skip
    return {"D": acc * up + (X + Y + row + col).cast(float32)}


@st.composite
def lying(draw: st.DrawFn, many: int, rows: int, columns: int, order: str) -> Array:
    """An array of (many, rows, columns) whose axes lie in that order, ``"r"`` and ``"c"`` being rows and columns and
    ``"l"`` matmuls; the last are neighbours, there are gaps between the others."""
    extents, steps, step = {"l": many, "r": rows, "c": columns}, {}, 1
    for axis in reversed(order):
        steps[axis] = step
        step = step * extents[axis] + draw(st.integers(0, 5))
    memory = whole(step + many * rows * columns)
    array: Array = as_strided(memory, tuple(extents.values()), tuple(2 * steps[axis] for axis in "lrc"))
    return draw(st.sampled_from([array, array[1]])) if many > 1 else array


@given(st.data(), st.integers(1, 20), st.integers(1, 40), st.integers(1, 20), st.sampled_from([1, 3]))
@settings(max_examples=20, deadline=None)
def test_arrays_are_read_where_they_lie(data: st.DataObject, m: int, n: int, k: int, many: int) -> None:
    """Slices, transposed weights, batches in either order, tensors that are shared: what numpy computes."""

    def array(rows: int, columns: int, *orders: str) -> Array:
        return data.draw(lying(many, rows, columns, data.draw(st.sampled_from(orders))))

    a, b, b2 = array(m, k, "lrc", "rlc"), array(k, n, "lcr", "clr"), array(k, n, "lcr", "clr")
    if b.ndim != b2.ndim:
        b = b2 = b if b.ndim > b2.ndim else b2
    X, Y, row, col = array(m, n, "lrc", "rlc"), array(n, m, "lrc", "rlc"), array(1, n, "lrc"), array(m, 1, "lcr")
    if all(one.ndim == 2 for one in (a, b, X, Y, row, col)):
        a = a[None]
    want = (a.astype(np.float32) @ b) * (a.astype(np.float32) @ b2) + (X + Y.swapaxes(-1, -2) + row + col)
    got = _everywhere()(a, (b, b2), X=X, Y=Y, row=row, col=col)["D"]
    assert np.array_equal(got, np.broadcast_to(want, got.shape))


@functools.cache
def _everywhere() -> Compiled:
    return evt.compile(everywhere)


def test_groups_lie_anywhere() -> None:
    """A slice of rows and one of columns, and the weights of groups in either order."""
    a, b = whole(2 * M, 2 * K)[::2, K:], whole(K, 3, N).swapaxes(0, 1)
    col, row, rows = whole(M), whole(3, 2 * N)[:, N:], [4, 0, 5]
    got = evt.run(grouped, a, b, col=col, row=row, groups=rows)["D"]
    for i, group in enumerate(np.repeat(np.arange(3), rows)):
        assert np.array_equal(got[i], a[i].astype(np.float32) @ b[group] * col[i] + row[group])


def test_memory_between_lines_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The kernel gets an array's own memory from the first element to the last, not a packed copy of it."""
    written: dict[str, int] = {}
    original = execution.write
    monkeypatch.setattr(
        execution, "write", lambda at, name, array: (written.update({name: array.size}), original(at, name, array))
    )
    evt.run(scaled, whole(M, 2 * K)[:, :K], whole(N, K + 3)[:, :K].T, X=whole(M, N))
    assert written["gemm.A"] == (M - 1) * 2 * K + K and written["gemm.B"] == (N - 1) * (K + 3) + K
    assert written["X"] == M * N
