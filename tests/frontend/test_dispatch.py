"""One epilogue with several kernels: which of them a launch takes, and what is refused."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import ColumnMajor, Dispatch, Epilogue, Gemm, TreeVisitor, half, int4, int8, int32
from evtgen.frontend.dispatch import OPTIONS, TUNED, Served
from evtgen.frontend.json_form import to_json
from evtgen.frontend.load import load
from evtgen.frontend.schema import json_schema
from evtgen.frontend.trace import remade
from evtgen.nodes import AccLoad, AuxStore
from evtgen.options import VerifyOptions
from evtgen.pipeline import run as running
from evtgen.planner.plan import lower
from evtgen.verify.session import _problems

from ..support.said import refused, says

PLAIN = Epilogue("copy", TreeVisitor(AuxStore("D", half), AccLoad(half)), gemm=Gemm(swizzle=(2, 0)))
FEW: dict[int, dict[str, Any]] = {64: {"buffers": 1}, 16: {"l1": (16, 256, 256), "l0": None}}
SPEC = """
import evtgen as evt
from evtgen import Acc, half

@evt.epilogue
def copy(acc: Acc[half]):
    return {"D": acc}

fast = evt.Dispatch(copy, {16: {"l1": (16, 256, 256)}})
"""


def test_kernels_are_taken_by_rows() -> None:
    made = Dispatch(PLAIN, FEW)
    assert [one.name for one in made] == ["copy_m16", "copy_m64", "copy_any"]
    assert [made.of(m).name.partition("_")[2] for m in (1, 16, 17, 64, 65)] == ["m16", "m16", "m64", "m64", "any"]
    assert made.of(16).gemm == Gemm(swizzle=(2, 0), l1=(16, 256, 256)) and made.of(64).buffers == 1
    assert (made.of(65).gemm, made.of(65).root) == (PLAIN.gemm, PLAIN.root)
    assert evt.check(made).ok


def test_a_file_has_the_kernels_and_keeps_their_options(tmp_path: Path) -> None:
    path = tmp_path / "spec.py"
    path.write_text(SPEC)
    found = load([path])
    assert [one.name for one in found] == ["copy_m16", "copy_any"]
    few, others = (remade(one, "Ascend950") for one in found)
    assert few.arch == others.arch == "Ascend950" and (few.name, few.gemm.l1) == ("copy_m16", (16, 256, 256))
    evt.extension(found, tmp_path / "ops", namespace="my_ops")
    text = (tmp_path / "ops" / "csrc" / "copy_operator.hpp").read_text()
    assert "a.size(-2) <= 16" in text and text.index("copy_m16::Run") < text.index("copy_any::Run")
    assert "torch.ops.my_ops.copy" in (tmp_path / "ops" / "src" / "my_ops" / "__init__.py").read_text()


def test_a_call_takes_the_kernel_of_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def noted(self: Any, launch: Any, operands: Any) -> dict[str, Any]:
        asked.append(self.plan.name)
        return {}

    monkeypatch.setattr(running.Compiled, "_run", noted)
    monkeypatch.setattr(running.Compiled, "build", lambda self: None)
    called = evt.compile(Dispatch(PLAIN, FEW))
    b = np.zeros((32, 64), np.float16)
    for rows in (3, 40, 300):
        called(np.zeros((rows, 32), np.float16), b)
    evt.run(Dispatch(PLAIN, FEW), np.zeros((16, 32), np.float16), b)
    assert asked == ["copy_m16", "copy_m64", "copy_any", "copy_m16"]
    with refused("EVT187"):
        called(np.zeros(32, np.float16), b)


def test_each_kernel_is_verified_with_rows_that_it_serves() -> None:
    def rows(upto: dict[int, dict[str, Any]]) -> list[list[int]]:
        kernels = Dispatch(PLAIN, upto)
        return [[problem.m for problem in _problems(lower(one), VerifyOptions())] for one in kernels]

    assert rows(FEW) == [[16, 16, 1, 16], [64, 64, 17, 64], [384, 87, 65]]
    assert rows({1: {}, 600: {}}) == [[1, 1, 1], [384, 87, 2, 600], [601, 601, 601]]
    # Those that are asked for are run with all.
    given = VerifyOptions(shapes=[(5, 32, 16)])
    assert [problem.m for one in Dispatch(PLAIN, FEW) for problem in _problems(lower(one), given)] == [5, 5, 5]


def test_json_has_the_kernels_by_rows(tmp_path: Path) -> None:
    document = to_json([*Dispatch(PLAIN, FEW), PLAIN])
    first, second = document["epilogues"]
    assert first["upto"] == {"16": {"l1": [16, 256, 256]}, "64": {"buffers": 1}} and "upto" not in second
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(document))
    assert load([path])[:3] == load([path])[:3] and to_json(load([path])) == document
    for one, other in zip(load([path]), Dispatch(PLAIN, FEW), strict=False):
        assert isinstance(one, Served) and isinstance(other, Served)
        assert (one.name, one.gemm, one.buffers, one.above, one.rows) == (
            other.name, other.gemm, other.buffers, other.above, other.rows
        )  # fmt: skip
    kernel = json_schema()["$defs"]["Kernel"]["properties"]
    assert {*kernel} == {*TUNED, *OPTIONS}
    many, most = "1" * 5000, "9" * 9
    path.write_text(json.dumps({"evtgen": 1, "epilogues": [{**second, "upto": {most: {}}}]}))
    assert [one.name for one in load([path])] == [f"copy_m{most}", "copy_any"]
    for upto, said in (
        ({"0": {}}, "upto.0"), ({"016": {}}, "upto.016"), ({many: {}}, "upto.1"), ({"16": {"batch": True}}, "batch")
    ):  # fmt: skip
        path.write_text(json.dumps({"evtgen": 1, "epilogues": [{**second, "upto": upto}]}))
        with refused("EVT006", said):
            load([path])


def test_json_has_kernels_alone_as_epilogues(tmp_path: Path) -> None:
    made = Dispatch(PLAIN, FEW)
    path = tmp_path / "spec.json"
    for some in ([made.of(16)], [made.of(64), made.of(16)], [made.of(65)]):
        document = to_json(some)
        path.write_text(json.dumps(document))
        kernels = [(one.name, one.gemm, one.buffers) for one in load([path])]
        assert kernels == [(one.name, one.gemm, one.buffers) for one in some] and to_json(load([path])) == document
    other = Dispatch(replace(PLAIN, name="other"), {8: {"buffers": 2}})
    names = [one["name"] for one in to_json([made.of(16), *other, PLAIN])["epilogues"]]
    assert names == ["other", "copy", "copy_m16"]


W4A8 = Epilogue("w4a8", TreeVisitor(AuxStore("D", int32), AccLoad(int32)), gemm=Gemm(a=int8, b=int4))


def test_kernels_that_take_other_sizes_are_told() -> None:
    """In digits K is even; where B lies by columns, it is for all."""
    (found,) = evt.check(Dispatch(W4A8, {16: {"buffers": 1}, 64: {"msd": True}}))
    says(found, "EVT311", "w4a8 … w4a8_m64 … K … 2 … 1", "K … 2")
    by_columns = replace(W4A8, gemm=replace(W4A8.gemm, layout_b=ColumnMajor))
    assert not [*evt.check(Dispatch(by_columns, {64: {"msd": True}})), *evt.check(Dispatch(W4A8, {64: {"buffers": 1}}))]
    both = [W4A8, replace(W4A8, name="other", gemm=replace(W4A8.gemm, msd=True))]
    assert not [*evt.check(both)]


def test_an_operator_takes_digits_by_rows(tmp_path: Path) -> None:
    """Its A is of int8, and its B of bytes with two elements each."""
    evt.extension(Dispatch(W4A8, {64: {"msd": True}}), tmp_path, namespace="my_ops")
    texts = {path.stem: path.read_text(encoding="utf-8") for path in (tmp_path / "csrc").glob("*.hpp")}
    assert '"w4a8(Tensor a, Tensor b) -> Tensor"' in texts["w4a8_operator"]
    assert "a.size(-2) <= 64" in texts["w4a8_operator"]


def test_what_is_refused(tmp_path: Path) -> None:
    wrong: Any
    for wrong, said in (
        ({0: {}}, "rows < 1"),
        ({-5: {}}, "rows < 1"),
        ({"16": {}}, "'16'"),
        ({16: {"batch": True}}, "'batch'"),
        ({True: {}}, "True"),
        ({10**9: {}}, "rows > 999999999"),
        ({10**6000: {}}, "rows > 999999999"),
        ({16: {}, None: {}}, "None"),
    ):
        with refused("EVT079", said):
            Dispatch(PLAIN, wrong)
    assert [one.name for one in Dispatch(PLAIN, {10**9 - 1: {}})] == ["copy_m999999999", "copy_any"]
    with refused("EVT260", "copy"):
        evt.extension([PLAIN, *Dispatch(PLAIN, FEW)], tmp_path, namespace="my_ops")
