"""Epilogues of the gallery as operators, within verify's references; ``python -m benchmarks extension`` takes all."""

from __future__ import annotations

import shutil

import pytest

from benchmarks import bench_extension

from ..support.epilogues import FULL
from ..support.optional import torch

pytestmark = [pytest.mark.cxx, pytest.mark.slow]

CHOSEN = {
    "transposed_keys", "expert_scatter", "expert_swiglu", "slice_k_per_token_dequant", "grouped_matmul_antiquant",
    "w4a16_linear", "w8a16_linear", "quantize_per_token", "quant_batch_matmul_v3",
    *(("float8_both_scales",) if FULL else ()),
}  # fmt: skip
"""With places of their own, with groups of rows and of K, with weights of 8 and 4 bits, with phases, with scales of the
Fixpipe; with EVTGEN_FULL=1 in a second extension of Ascend950. test_built.py has a batch, two accumulators and
reductions."""


def test_operators_compute_what_verify_expects(monkeypatch: pytest.MonkeyPatch) -> None:
    torch()
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    monkeypatch.setenv("CMAKE_ARGS", "-DCMAKE_CXX_FLAGS_RELEASE=-O0")
    lines = [line for line in bench_extension.run(CHOSEN) if " operators " not in line]
    assert len(lines) == len(CHOSEN) and not [line for line in lines if not line.endswith(" ok")]
