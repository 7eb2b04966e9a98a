"""Epilogues of the gallery as operators, within verify's references; ``python -m benchmarks extension`` takes all."""

from __future__ import annotations

import shutil

import pytest

from benchmarks import bench_extension

from ..support.optional import torch

pytestmark = [pytest.mark.cxx, pytest.mark.slow]

CHOSEN = {
    "attention_scores", "bias_leaky_relu", "transposed_keys", "expert_scatter", "expert_swiglu", "w8a16_linear",
    "causal_softmax", "quantize_per_token", "abs_max", "float8_both_scales",
}  # fmt: skip
"""Of a batch, with two accumulators, with places of their own, with weights of 8 bits, with phases, of Ascend950."""


def test_operators_compute_what_verify_expects() -> None:
    torch()
    if shutil.which("cmake") is None:
        pytest.skip("cmake is not installed")
    lines = [line for line in bench_extension.run(CHOSEN) if " operators " not in line]
    assert len(lines) == len(CHOSEN) and not [line for line in lines if not line.endswith(" ok")]
