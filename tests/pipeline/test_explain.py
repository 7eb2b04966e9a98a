"""What ``explain`` says of the kernel in front of an epilogue."""

from __future__ import annotations

from typing import Any

import evtgen as evt
from evtgen import Acc, Aux, Gemm, RowVector, bfloat16, float32, ops
from evtgen.graph.types import ColumnMajor
from evtgen.kernels import KERNELS, kernel_of
from evtgen.pipeline.explain import describe, kernels
from evtgen.planner.plan import lower
from evtgen.report.plans import kernel_texts


def kernel(gemm: Gemm) -> dict[str, Any]:
    @evt.epilogue(gemm=gemm)
    def spec(acc: Acc[float32], X: Aux[float32], row: RowVector[float32]):
        y = acc * row + X
        return {"D": y, "sums": ops.row_reduce(y)}

    found: dict[str, Any] = describe(lower(spec))["kernel"]
    return found


def test_one_matmul_has_no_strides() -> None:
    one = kernel(Gemm(a=bfloat16, b=bfloat16, layout_b=ColumnMajor))
    assert one["strides"] == {} and one["shareable"] == []
    (text,) = kernel_texts(**one)
    assert text == ("Kernel", "MatmulVisitor: one matmul, pingpong; A is bfloat16 RowMajor, B is bfloat16 ColumnMajor")


def test_in_a_batch_every_tensor_has_a_stride() -> None:
    batch = kernel(Gemm(batch=True))
    assert list(batch["strides"]) == ["gemm.A", "gemm.B", "row", "X", "D", "sums"]
    assert batch["strides"]["sums"] == "strideSums" and "D" not in batch["shareable"]
    (_, name), (_, strides) = kernel_texts(**batch)
    assert name.startswith("BatchedMatmulVisitor: matmuls of one shape, ")
    assert strides.startswith("A: strideA, B: strideB, row: strideRow, X: strideX, ") and strides.endswith(
        "all share it, but for D"
    )


def test_groups_have_strides_where_rows_do_not_say_whose_they_are() -> None:
    groups = kernel(Gemm(group="m"))
    assert groups["strides"] == {"gemm.B": "strideB", "row": "strideRow", "sums": "strideSums"}
    assert groups["shareable"] == list(groups["strides"])
    (_, name), (_, strides) = kernel_texts(**groups)
    assert name.startswith("GroupedMatmulSliceMVisitor: matmuls whose rows lie in groups, ")
    assert strides == "B: strideB, row: strideRow, sums: strideSums; any may be 0: then all share it"


def test_what_asks_for_a_kernel_gets_it() -> None:
    assert [kernel_of(Gemm(**kernel.asked)) for kernel in KERNELS] == [*KERNELS]  # type: ignore[arg-type]


def test_what_may_be_with_a_kernel_is_what_check_takes() -> None:
    rows = {row["gemm"]: row for row in kernels()}
    every, both = ["RowMajor", "ColumnMajor", "zN", "nZ"], ["pingpong", "preload_async"]
    assert rows["Gemm()"] == {
        "name": "MatmulVisitor",
        "gemm": "Gemm()",
        "computes": "one matmul",
        "layouts": {"a": every, "b": every},
        "handoffs": {"AtlasA2": {"gm": both}, "Ascend950": {"gm": both, "ub": ["pingpong"]}},
    }
    assert rows["Gemm(group='m')"]["layouts"] == {"a": every[:2], "b": every}
    assert rows["Gemm(a=half, b=int8)"]["layouts"] == {"a": every, "b": every[:2]}
    assert rows["Gemm(split_k=2)"]["handoffs"]["Ascend950"] == {"gm": both}
