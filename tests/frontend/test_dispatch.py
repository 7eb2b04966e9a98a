"""One epilogue with several kernels: which of them a launch takes, and what is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import evtgen as evt
from evtgen import Dispatch, Epilogue, Gemm, TreeVisitor, half
from evtgen.frontend.load import load
from evtgen.frontend.trace import remade
from evtgen.nodes import AccLoad, AuxStore
from evtgen.pipeline import run as running

from ..support.said import refused

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


def test_what_is_refused(tmp_path: Path) -> None:
    wrong: Any
    for wrong in ({0: {}}, {"16": {}}, {16: {"batch": True}}):
        with refused("EVT079"):
            Dispatch(PLAIN, wrong)
    with refused("EVT260", "copy"):
        evt.extension([PLAIN, *Dispatch(PLAIN, FEW)], tmp_path, namespace="my_ops")
