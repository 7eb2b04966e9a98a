"""Launches that the host code of the field's operators makes, through an extension, give what the formulas say."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from benchmarks.bench_extension import build
from evtgen.emit.framework import Framework
from evtgen.emit.operator_view import OperatorView
from evtgen.pipeline.extension import takes_either
from evtgen.planner.plan import lower

from ..support.epilogues import FULL
from ..support.optional import torch
from .field import FIELD
from .launches import LAUNCHES, Launch


def test_every_operator_has_a_launch() -> None:
    assert LAUNCHES.keys() == FIELD.keys()


@pytest.mark.parametrize("name", LAUNCHES)
def test_types_are_the_operators(name: str) -> None:
    """Nothing is cast on the way: the kernel reads the types that the host code passes, and weights as they lie."""
    plan = lower(FIELD[name][0])
    op = OperatorView(plan, "field_ops", Framework(), either=takes_either(plan))
    found = {view.name: view.element if isinstance(view.element, str) else view.element.name for view in op.inputs}
    found |= {one.name: one.element.name for one in op.operands} | dict.fromkeys((n.name for n in op.numbers), "number")
    found |= dict.fromkeys(filter(None, (op.groups * op.grouped, op.weight_index)), op.group_type.name)
    said = {
        key: one.split()[0].replace("float16", "half").replace("bhalf", "bfloat16")
        for key, one in LAUNCHES[name].items()
    }
    assert said == found
    assert op.either or "from" not in LAUNCHES[name]["b"]


@pytest.mark.cxx
@pytest.mark.slow
@pytest.mark.skipif(not FULL, reason="EVTGEN_FULL is not 1: tests/extension/test_built.py has one of them")
def test_operators_compute_the_formulas(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ops = torch().ops
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    monkeypatch.setenv("CMAKE_ARGS", "-DCMAKE_CXX_FLAGS_RELEASE=-O0")
    build([FIELD[name][0] for name in LAUNCHES], tmp_path, "field_ops")
    said = [Launch.of(name).wrong(getattr(ops.field_ops, name)) for name in LAUNCHES]
    assert [one for one in said if one] == []
