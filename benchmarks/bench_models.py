"""Kernels of models: launches, bytes, modelled time, and how far numbers are from float64."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import evtgen as evt

SIZES = (1, 2048, 1024, 16, 4096)
"""Sequences, tokens, hidden size, heads and inner size, for launches, bytes and times."""

NARROW = (2, 6, 32, 4, 64)
"""The same for numbers."""

NAMES: tuple[str, ...] = ()
"""The models; none: all."""

LEFT = 3
"""Reasons that are shown of each model."""


def run() -> Iterator[str]:
    """A line for each model, then why nodes are left to PyTorch, the most frequent reasons first."""
    if importlib.util.find_spec("torch") is None:
        yield "torch is not installed"
        return
    torch = importlib.import_module("torch")

    from . import models

    heads = ("model", "matmuls", "kernels", "launches", "fused", "MB", "µs", "ours", "eager")
    yield "{:14}{:>8}{:>8}{:>12}{:>6}{:>14}{:>16}{:>7}{:>7}".format(*heads)
    rest = {}
    for name in NAMES or models.MODELS:
        models.resize(*SIZES)
        model, given = models.made(name)
        p = evt.partition(model, given)
        rest[name] = Counter(f"{left.calls}: {left.reason}" for left in p.rest)
        bytes_before, bytes_after, before, after = (
            sum(getattr(kernel, key) for kernel in p.kernels)
            for key in ("bytes_before", "bytes_after", "us_before", "us_after")
        )
        fused = sum(len(kernel.fuses) for kernel in p.kernels)
        matmuls = sum(2 if kernel.epilogue.gemm.accumulators == "separate" else 1 for kernel in p.kernels)
        models.resize(*NARROW)
        ours, eager = _errors(torch, *models.made(name))
        yield (
            f"{name:14}{matmuls:8}{len(p.kernels):8}{p.launches_before:6} → {p.launches_after:3}{fused:6}"
            f"{bytes_before / 1e6:6.0f} → {bytes_after / 1e6:5.0f}{before:7.0f} → {after:6.0f}{ours:7.2f}{eager:7.2f}"
        )
    for name, reasons in rest.items():
        yield ""
        yield f"{name}, left to PyTorch: {sum(reasons.values())}"
        for reason, count in reasons.most_common(LEFT):
            yield f"  {count} × {reason}"


def _errors(torch: Any, model: Any, given: tuple[Any, ...]) -> tuple[float, float]:
    """How far the kernels' references and eager PyTorch are from float64, in units of the last place of the largest
    value; of several outputs the largest."""
    # Of float64 PyTorch has no grouped matmul.
    exactly = torch.float32 if type(model).__name__ == "MoeGrouped" else torch.float64
    wide = [one.to(exactly) if one.is_floating_point() else one for one in given]
    with torch.no_grad():
        results = evt.partition(model, given)(*given), model(*given), copy.deepcopy(model).to(exactly)(*wide)
    several = [one if isinstance(one, tuple) else (one,) for one in results]
    found = [0.0, 0.0]
    for *made, exact in zip(*several, strict=True):
        eps = torch.finfo(made[1].dtype).eps if made[1].is_floating_point() else 1.0
        place = eps * 2.0 ** math.floor(math.log2(float(exact.abs().max())) if made[1].is_floating_point() else 0)
        for i, one in enumerate(made):
            found[i] = max(found[i], float((one.double() - exact.double()).abs().max()) / place)
    return found[0], found[1]
