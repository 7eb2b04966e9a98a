"""The epilogues of Catlass's programs for Ascend950 (v1.6.3, ``examples/64_ascend950_matmul_evg``) and of the cases of
its generator (``python/catlass_cppgen/tests/op/test_evg.py``), as one writes them here."""

from __future__ import annotations

from typing import Any

from evtgen import Acc, Aux, Gemm, RowVector, epilogue, float32, half, ops
from evtgen.graph.ir import Epilogue

GEMM = Gemm(a=float32, b=float32, l1=(256, 256, 128), l0=(256, 256, 32), handoff="gm")
"""Element types and tiles of all of them but ``add_ub`` and ``tuned``."""

_TO_UB = Gemm(a=float32, b=float32, l1=(256, 256, 128), l0=(256, 256, 32), handoff="ub")
# The case has l0=(128, 256, 64), of which two buffers of floats do not fit L0B.
_TUNED = Gemm(a=float32, b=float32, l1=(128, 256, 64), l0=(128, 256, 32), handoff="gm")


def _add(acc: Acc[float32], X: Aux[float32]) -> dict[str, Any]:
    return {"D": acc + X}


def _bias(acc: Acc[float32], bias: RowVector[float32]) -> dict[str, Any]:
    return {"D": acc + bias}


def _mul(acc: Acc[float32], scale: RowVector[float32]) -> dict[str, Any]:
    return {"D": acc * scale}


def _plain(acc: Acc[float32]) -> dict[str, Any]:
    return {"D": acc}


def _relu(acc: Acc[float32]) -> dict[str, Any]:
    return {"D": ops.relu(acc)}


def _leaky_relu(acc: Acc[float32]) -> dict[str, Any]:
    return {"D": ops.leaky_relu(acc, 0.1)}


def _prelu(acc: Acc[float32], weight: RowVector[float32]) -> dict[str, Any]:
    return {"D": ops.prelu(acc, weight)}


def _sigmoid(acc: Acc[float32]) -> dict[str, Any]:
    return {"D": ops.sigmoid(acc)}


def _silu(acc: Acc[float32]) -> dict[str, Any]:
    return {"D": ops.silu(acc)}


def _tanh(acc: Acc[float32]) -> dict[str, Any]:
    """In the steps of the program: one value has two readers."""
    exp = ops.exp(ops.maximum(ops.minimum(acc, 8.8), -8.8) * 2.0)
    return {"D": (exp - 1.0) / (exp + 1.0)}


def _cast(acc: Acc[float32]) -> dict[str, Any]:
    return {"D": acc.cast(half)}


def _relu_add(acc: Acc[float32], bias: RowVector[float32]) -> dict[str, Any]:
    return {"D": ops.relu(acc) + bias}


def _of(function: Any, name: str, gemm: Gemm = GEMM) -> Epilogue:
    made = epilogue(name=name, arch="Ascend950", gemm=gemm)(function)
    assert isinstance(made, Epilogue)
    return made


PROGRAMS = (
    _of(_add, "add"),
    _of(_add, "add_ub", _TO_UB),
    _of(_bias, "bias"),
    _of(_leaky_relu, "leaky_relu"),
    _of(_sigmoid, "sigmoid"),
    _of(_silu, "silu"),
    _of(_tanh, "tanh_steps"),
)
"""The seven programs."""

CASES = (
    _of(_bias, "direct"),
    _of(_plain, "without_evg"),
    _of(_bias, "with_evg"),
    _of(_bias, "tuned", _TUNED),
    _of(_bias, "evg_add"),
    _of(_mul, "evg_mul"),
    _of(_relu, "evg_relu"),
    _of(_prelu, "evg_leaky_relu"),  # its slope is a row there
    _of(_prelu, "evg_prelu"),
    _of(_sigmoid, "evg_sigmoid"),
    _of(_cast, "evg_cast"),
    _of(_relu_add, "evg_relu_add"),
)
"""The twelve cases. The one without an epilogue stores its accumulator."""
