"""Operators that return float4, two elements in a byte, and take it: PyTorch has a type for that."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from benchmarks.bench_extension import build, checked
from evtgen.graph.types import bfloat16, float4_e2m1fn
from evtgen.operators.arrays import unpacked
from evtgen.pipeline.tensors import array_of, tensor_of

from ..support.command import environment
from ..support.mx import by_hand, in_bytes
from ..support.optional import torch
from .specs_of_float4 import down, up

pytestmark = [pytest.mark.cxx, pytest.mark.slow]


def test_a_chain_of_operators_stays_in_float4(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The elements and the scales are those of the OCP's definition; rows behind the last group are 0."""
    t = torch()
    if not hasattr(t, "float4_e2m1fn_x2"):
        pytest.skip("this torch has no float4_e2m1fn_x2")
    monkeypatch.setenv("CMAKE_ARGS", "-DCMAKE_CXX_FLAGS_RELEASE=-O0")
    ops = build([up, down], tmp_path, "float4_ops")
    assert [checked(one, ops) for one in (up, down)] == ["", ""]
    rng = np.random.default_rng(5)
    a, b = (rng.integers(-3, 4, size).astype(ml_dtypes.bfloat16) for size in ((20, 48), (2, 48, 128)))
    del [t.full((20, 64), 255, dtype=t.uint8) for _ in range(20)][:]  # so that memory that is free is not 0
    made, scales = ops.up(tensor_of(a), tensor_of(b), groups=t.tensor([13, 18]))
    assert (made.dtype, scales.dtype, made.shape) == (t.float4_e2m1fn_x2, t.float8_e8m0fnu, (20, 64))
    parts = [x.astype(np.float64) @ y.astype(np.float64) for x, y in ((a[:13], b[0]), (a[13:18], b[1]))]
    product = np.concatenate(parts).astype(bfloat16.numpy).astype(np.float64)
    values, meant = by_hand(product, 2, float4_e2m1fn)
    codes = unpacked(array_of(made).ravel(), float4_e2m1fn).reshape(20, 128)
    assert (codes[:18] == values).all() and (codes[18:] == 0).all()
    assert (array_of(scales)[:18].astype(np.float64) == meant).all()

    w = rng.integers(0, 16, (50, 128), np.uint8)
    w_scale = rng.integers(120, 130, (50, 4), np.uint8)
    packed, of_w = t.from_numpy(in_bytes(w)), tensor_of(w_scale.view(ml_dtypes.float8_e8m0fnu))
    found = [
        ops.down(made[:18], b.mT, a_scale=scales[:18], b_scale=of_w).numpy()
        for b in (packed, packed.view(t.float4_e2m1fn_x2))
    ]
    times = np.exp2(w_scale.astype(np.float64) - 127).repeat(32, axis=1)
    wide = w.view(ml_dtypes.float4_e2m1fn).astype(np.float64) * times
    of_a = values.astype(np.float64) * meant.repeat(32, axis=1)
    for one in found:
        assert (np.abs(one - of_a @ wide.T) <= 128 * 2.0**-24 * (np.abs(of_a) @ np.abs(wide).T)).all()
    with pytest.raises(RuntimeError, match="a is of Half, not Float4_e2m1fn_x2, Byte or Char"):
        ops.down(t.ones(4, 32).half(), packed.mT, a_scale=scales[:4], b_scale=scales[:4])
    with pytest.raises(RuntimeError, match="n is odd"):
        ops.up(tensor_of(a), tensor_of(b[..., :7].copy()), groups=t.tensor([13, 18]))

    given = environment()
    given["PYTHONPATH"] = f"{tmp_path / 'site'}:{given['PYTHONPATH']}"
    own = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(tmp_path / "package/tests")]
    done = subprocess.run(own, env=given, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "8 passed" in done.stdout, done.stdout + done.stderr
