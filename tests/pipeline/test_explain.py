"""What ``explain`` says of the kernel in front of an epilogue."""

from __future__ import annotations

import re
from typing import Any

import pytest

import evtgen as evt
from evtgen import Acc, Aux, Gemm, RowVector, bfloat16, float32, half, int8, ops
from evtgen.frontend.functions import names
from evtgen.graph.types import ColumnMajor
from evtgen.kernels import KERNELS, kernel_of
from evtgen.operators.table import REDUCTIONS
from evtgen.pipeline.explain import describe, functions, kernels, operators
from evtgen.planner.plan import lower
from evtgen.report.plans import crossing_texts, kernel_texts, workspace_text
from evtgen.report.plans import plan as print_plan


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
    (_, name), (_, lists), (_, strides) = kernel_texts(**groups)
    assert lists == "a list on the device of their offsets, int64"
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
    assert rows["Gemm(group='k')"]["layouts"] == {"a": every[:2], "b": every[:2]}
    assert rows["Gemm(split_k=2)"]["handoffs"]["Ascend950"] == {"gm": both}


def test_slices_with_scales_take_workspace_per_core() -> None:
    """Beside the sum, of four bytes for each element, each core has three blocks of products, or in UB each vector core
    half of two."""

    def of(handoff: str) -> dict[str, Any]:
        @evt.epilogue(
            arch="Ascend950", gemm=Gemm(a=int8, b=int8, scale="group:128", l1=(128, 128, 128), handoff=handoff)
        )
        def scaled(acc: Acc[float32]):
            return {"D": acc}

        found: dict[str, Any] = describe(lower(scaled))["workspace"]
        return found

    workspace, in_ub = of("gm"), of("ub")
    of_products = 3 * 128 * 128 * 4
    assert workspace == {"handoff": "gm", "stages": 0, "bytes_per_element": 4, "product_bytes_per_core": of_products}
    products = f"{of_products} bytes per cube core for products of slices of K"
    assert workspace_text(**workspace) == f"M * N * 4 bytes: the whole accumulator, and {products}"
    assert in_ub == {
        "handoff": "gm",
        "stages": 0,
        "bytes_per_element": 4,
        "product_bytes_per_vector_core": 128 * 128 * 4,
    }
    assert workspace_text(**in_ub).endswith("; 65536 bytes of UB of a vector core hold products of slices of K")


def normed(**gemm: Any) -> dict[str, Any]:
    @evt.epilogue(gemm=Gemm(a=half, b=half, **gemm))
    def normed(acc: Acc[float32]):
        y = ops.relu(acc)
        return {"D": y / ops.col_reduce(y * y, "mean"), "sums": ops.row_reduce(y)}

    return describe(lower(normed))


def test_one_phase_has_nothing_that_crosses() -> None:
    @evt.epilogue
    def sums(acc: Acc[float32]):
        return {"sums": ops.row_reduce(acc)}

    described = describe(lower(sums))
    assert described["phases"] == [] and described["crossing"] is None
    assert [node["node"] for node in described["nodes"]] == ["AccLoad", "RowReduceSums"]


def test_each_phase_has_its_nodes_and_tiles(capsys: pytest.CaptureFixture[str]) -> None:
    described = normed()
    first, second = described["phases"]
    assert not {"nodes", "compute_length", "buffers", "ub"} & described.keys()
    assert second["formula"] == ["D = fmax(C, 0) / MeanOfMultiplies"]
    visited = [node["node"] for node in second["nodes"]]
    assert "ColBroadcastMeanOfMultiplies" in visited and visited[-2:] == ["Divides", "AuxStoreD"]
    assert all(0 < part["ub"]["used"] <= part["ub"]["limit"] for part in (first, second))
    elements = [part["compute_length"] * part["buffers"] for part in (first, second)]
    assert elements[0] < elements[1]  # the first has more tiles at the same time
    assert described["arguments"] == ((((), ()), "sums", (), ()), ((((), ()), (), ()), "D"))
    print_plan(described)
    text = capsys.readouterr().out
    assert text.index("Phase 1") < text.index("Phase 2") < text.index("in the workspace") < text.index("Meetings")


def test_what_crosses() -> None:
    """A later phase reads C again, of as many bytes as the Relu of it, which would have to be stored first. Where the
    workspace has blocks of C, it cannot."""
    whole, blocks = normed()["crossing"], normed(workspace_stages=2)["crossing"]
    mean = {"name": "MeanOfMultiplies", "dtype": "float32", "shape": ["M", "1"], "bytes": "M * 4"}
    assert whole["values"] == [{**mean, "written": 1, "read": [2], "kept": False}]
    assert whole["again"] == ["AccLoad", "Relu"] and blocks["again"] == []
    assert [value["name"] for value in blocks["values"] if value["kept"]] == ["Relu"]
    assert whole["taken"] == whole["if_again"] and whole["taken"]["bytes"] == 12
    assert blocks["taken"]["bytes"] == 16 and blocks["if_again"] is None
    (_, text), (_, meetings) = crossing_texts(**blocks)
    assert text.startswith("Relu kept: for each element of C 16 bytes of matrices moved, ")
    assert meetings.startswith("none up to 256 columns")
    (_, text), _ = crossing_texts(**whole)
    assert text.startswith("nothing kept, AccLoad, Relu computed again: for each element of C 12 bytes of matrices")


def test_vector_cores_meet_where_what_crosses_is_not_by_rows() -> None:
    @evt.epilogue
    def centred(acc: Acc[float32]):
        return {"D": acc - ops.row_reduce(acc, "mean")}

    crossing = describe(lower(centred))["crossing"]
    assert crossing["whole_rows"] == 0
    _, (_, text) = crossing_texts(**crossing)
    assert text.startswith("of all vector cores before each phase")


def test_every_function_is_listed_once() -> None:
    rows = [*operators(), *functions()]
    listed = [name for row in rows for name in (row["name"], *row.get("aliases", ()))]
    assert sorted(listed) == names()
    assert all(callable(getattr(ops, name)) for name in listed)


def test_what_functions_take_and_compute() -> None:
    rows = {row["name"]: row for row in functions()}
    assert rows["layer_norm"]["parameters"] == ["x", "weight", "bias", "eps"]
    assert rows["gather"]["parameters"] == ["tensor", "rows"]
    assert all(name in rows["col_reduce"]["computes"] for name in REDUCTIONS)
    assert all(row["computes"].endswith((".", "}")) and "EVT" not in row["computes"] for row in rows.values())


def test_what_is_not_known_has_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    print_plan({**normed(), "stack": None, "code": None, "note": "clang++ 14 could not check"})
    assert re.findall(r"^(Stack|Code) +clang\+\+ 14 could not check$", capsys.readouterr().out, re.MULTILINE)
