"""Every third benchmark runs, with EVTGEN_FULL=1 each, at its smallest: one epilogue or the shortest list, once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.__main__ import NAMES, module
from benchmarks.bench_evg import epilogues
from benchmarks.bench_gallery import SPECS
from benchmarks.bench_models import NARROW
from evtgen.frontend.load import load
from evtgen.model.toolchain import find_compiler
from evtgen.planner.plan import lower

from ..support.cpp import quick_compiler
from ..support.epilogues import FULL
from ..support.optional import torch

SHAPE = (160, 512, 64)
SMALLEST: dict[str, dict[str, Any]] = {
    "buffers": {"NAMES": "alpha_beta", "SHAPES": (SHAPE,), "BUFFERS": (2, 3), "TILES": (1, 2)},
    "calls": {"REPEATS": 1},
    "cli": {"REPEATS": 1},
    "compile": {"SIZES": (4,), "REPEATS": 1},
    "cube": {"SHAPES": ((64, 64, 64),), "ROUNDS": 1, "REPEATS": 1},
    "deterministic": {"SHAPES": (SHAPE,)},
    "epilogues": {},
    "evg": {"SHAPES": (SHAPE,), "epilogues": lambda: {"add": epilogues()["add"]}},
    "gallery": {"SPECS": [path for path in SPECS if path.stem == "blas"], "SHAPE": SHAPE},
    "generate": {"SIZES": (8,)},
    "meetings": {"LAUNCHES": 2},
    "model": {"ROWS": 256, "COLUMNS": 256, "REPEATS": 1},
    "models": {"SIZES": NARROW, "NAMES": ("lora",)},
    "phases": {"SHAPES": (SHAPE,)},
    "preload": {"DEPTHS": (64,), "STAGES": (1,)},
    "report": {"OPTIONS": (("--no-run",),)},
    "assumed": {"SHAPE": SHAPE, "FACTORS": (2.0,)},
    "rounding": {"SHAPE": SHAPE},
    "tune": {"NAMES": ("bias_gelu",), "SHAPES": (SHAPE,), "RUNS": 2, "FEW": 1, "SMALL": {"tiles": [{}]}},
    "splitk": {"SHAPES": ((128, 256, 512),), "SLICES": (1, 2)},
    "widened": {"SHAPES": ((16, 256, 512),), "SEVERAL": ((16, 256, 512), 2)},
}


def test_the_gallery_has_groups_and_two_accumulators() -> None:
    plans = [lower(epilogue) for path in SPECS for epilogue in load([path])]
    assert sum(plan.kernel.several == "groups" or plan.accumulators > 1 for plan in plans) >= 15
    assert len(plans) == len({plan.name for plan in plans}) >= 93


def test_none_is_left_out() -> None:
    assert {*SMALLEST, "extension"} == set(NAMES), "operators of PyTorch run in tests/extension/test_gallery.py"


@pytest.fixture
def built(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Some begin with an empty cache: the first compiler has the objects of the CPU model already."""
    quick_compiler(tmp_path / Path(find_compiler().path).name)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    find_compiler.cache_clear()
    yield
    find_compiler.cache_clear()


@pytest.mark.slow
@pytest.mark.cxx
@pytest.mark.parametrize("name", [*SMALLEST][:: 1 if FULL else 3])
def test_a_benchmark_runs(name: str, built: None, monkeypatch: pytest.MonkeyPatch) -> None:
    if name == "models":
        torch()
    benchmark = module(name)
    for constant, value in SMALLEST[name].items():
        monkeypatch.setattr(benchmark, constant, value)
    assert list(benchmark.run())
