"""Parts of rows: what is stored of them, reduced of them and loaded for them, and what is refused."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import evtgen as evt
from evtgen import Acc, Aux, ColVector, Gemm, RowVector, ScalarTensor, ops
from evtgen.diagnostics.diagnostic import EvtgenError
from evtgen.graph.types import float32, half
from evtgen.planner.plan import lower
from evtgen.verify import Options, verify_plans

from ..support.epilogues import ARCHES, random_orders
from ..support.right import right
from ..support.wide import in_orders


@evt.epilogue
def pieces(
    acc: Acc[float32],
    row: RowVector[float32],
    col: ColVector[float32],
    X: Aux[float32] = 0.0,
):
    left, middle, rest = acc[:, :70], acc[:, 50:177][:, 10:], acc[:, 177:]
    return {
        "L": left * row * col + X,
        "M": ops.cast(ops.exp(-ops.abs(middle)) * col, half),
        "R": rest,
        "T": ops.transpose(middle),
        "most": ops.col_reduce(left, "max"),
        "sum": ops.row_reduce(middle, "add"),
        "all": ops.scalar_reduce(rest, "mean"),
        "D": acc,
    }


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ARCHES)
def test_parts_are_right(arch: str) -> None:
    """Within a block and across blocks, tiles of several rows and of parts of them, at every edge of a part."""
    kernels = {"one": Gemm(), "groups": Gemm(group="m"), "batch": Gemm(batch=True, split_k=1)}
    plans = [lower(replace(pieces, name=f"pieces_{name}", arch=arch, gemm=gemm)) for name, gemm in kernels.items()]
    shapes = ((150, 600, 40), (9, 178, 7))
    options = Options(shapes=shapes, strict=True, schedules=random_orders(arch), pad=3, together=len(plans))
    results = right(in_orders(plans, options))
    assert not any(one.hazards for one in results)


@evt.epilogue
def alternating(
    acc: Acc[float32],
    bias: RowVector[float32],
    w: RowVector[float32],
    c: ColVector[float32],
    s: ScalarTensor[float32],
    X: Aux[float32],
):
    x = acc + bias * s
    even, odd = x[:, 0::2], x[:, 1::2]
    y = ops.where(even > odd, even * w, odd + X) * c + s
    return {
        "D": ops.transpose(ops.cast(y, half)), "C": x, "r": ops.row_reduce(y, "max"), "m": ops.col_reduce(y, "max"),
        "n": y - ops.col_reduce(y, "max"), "E": ops.exp(odd - ops.row_reduce(odd, "max")),
    }  # fmt: skip


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ARCHES)
def test_every_second_column(arch: str) -> None:
    kernels = {"one": Gemm(), "groups": Gemm(group="m")}
    plans = [lower(replace(alternating, name=f"pairs_{name}", arch=arch, gemm=gemm)) for name, gemm in kernels.items()]
    shapes, orders = ((150, 598, 40), (9, 34, 7)), random_orders(arch)
    options = Options(shapes=shapes, strict=True, schedules=orders, pad=3, together=len(plans))
    results = right(in_orders(plans, options))
    assert not any(one.hazards for one in results)


@evt.epilogue(compute_length=4096)
def alternating_vectors(acc: Acc[half], v: ColVector[half], s: ScalarTensor[half]):
    """Every second column of what has one column, and of one value: all of their tile is read."""
    return {"D": v[:, 1::2], "E": s[:, 0::2] + acc[:, 1::2], "C": acc}


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ARCHES)
def test_every_second_column_of_a_vector(arch: str) -> None:
    """In tiles that are full, where half of one is not all."""
    (result, *_) = right(
        verify_plans([lower(replace(alternating_vectors, arch=arch))], Options(shapes=((256, 512, 16),)))
    )
    assert not result.hazards


def test_an_odd_n() -> None:
    with pytest.raises(EvtgenError, match=r"(?s)EVT276.*even N"):
        verify_plans([lower(alternating)], Options(shapes=((9, 35, 7),)))


@evt.epilogue
def normed(acc: Acc[float32], v: RowVector[half]):
    """Each part has a norm of its own, which a tile of it has as a whole."""
    left, rest = ops.softmax(acc[:, :70]), ops.softmax(acc[:, 90:]) * ops.cast(v, float32)
    return {"L": left, "M": acc[:, 70:90], "R": rest}


@evt.epilogue
def crossed(acc: Acc[float32], w: RowVector[float32]):
    """What is reduced of a part is read beside all columns, and by rows."""
    part = acc[:, 20:90]
    mean = ops.col_reduce(part, "mean")
    return {"D": acc * mean, "E": ops.exp(part - ops.row_reduce(part, "max")) * w, "mean": mean}


@pytest.mark.cxx
@pytest.mark.parametrize("arch", ARCHES)
def test_reductions_of_parts_are_operands(arch: str) -> None:
    plans = [lower(replace(epilogue, arch=arch)) for epilogue in (normed, crossed)]
    assert [plan.rows is not None for plan in plans] == [True, False]
    options = Options(
        shapes=((150, 198, 40), (9, 600, 7)), strict=True, schedules=random_orders(arch), together=len(plans)
    )
    results = right(in_orders(plans, options))
    assert not any(one.hazards for one in results)


def test_from_python() -> None:
    a, b = np.ones((4, 3)), np.arange(3 * 180.0).reshape(3, 180) / 64
    row, X = np.arange(70.0), np.ones((4, 70))
    found = evt.run(pieces, a, b, row=row, col=np.ones(4), X=X)
    c = a @ b
    assert np.allclose(found["L"], c[:, :70] * row + 1) and np.array_equal(found["T"], c[:, 60:177].T)
    assert found["M"].shape == (4, 117) and np.array_equal(found["R"], c[:, 177:])
    assert np.allclose(found["all"], c[:, 177:].mean()) and np.array_equal(found["most"][:, 0], c[:, 69])
    with pytest.raises(EvtgenError, match="EVT276"):
        evt.run(pieces, a, b[:, :177], row=row, col=np.ones(4), X=X)
    with pytest.raises(EvtgenError, match=r"\(M, 70\) = \(4, 70\)"):
        evt.run(pieces, a, b, row=row, col=np.ones(4), X=np.ones((4, 180)))
    assert np.allclose(pieces.function(acc=c, row=row, col=np.ones((4, 1)), X=X)["L"], found["L"])


WRONG = {
    "x[0]": "only columns", "x[3:5]": "only columns", "x[:, 3]": "only columns", "x[:, :, 2:]": "only columns",
    "x[:, ::3]": "None:None:3", "x[:, 2::2]": "2:None:2", "x[:, -4:]": "from -4", "x[:, 2:-1]": "to -1",
    "x[:, 4:4]": "no columns",
    "x[:, : x]": "known now", "x[:, 0.5:]": "known now",
}  # fmt: skip


@pytest.mark.parametrize("text", WRONG)
def test_what_is_no_part(text: str) -> None:
    def wrong(x: Acc[half]):
        return {"D": eval(text)}

    with pytest.raises(EvtgenError, match="EVT017") as refused:
        evt.epilogue(wrong)
    assert WRONG[text] in str(refused.value)
