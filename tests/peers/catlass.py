"""Epilogues of ``python/catlass_cppgen/tests/op/test_evg.py`` of Catlass v1.6.3: all of them in float32."""

from __future__ import annotations

import evtgen as evt
from evtgen import Acc, RowVector, float32, half, ops

epilogue = evt.epilogue(gemm=evt.Gemm(a=float32, b=float32, l1=(128, 256, 128), l0=(128, 256, 32)))


@epilogue
def plain(acc: Acc[float32]):
    return {"result": acc}


@epilogue
def add(acc: Acc[float32], bias: RowVector[float32]):
    return {"result": acc + bias}


@evt.epilogue(gemm=evt.Gemm(a=float32, b=float32, l1=(128, 256, 64), l0=(128, 256, 32)))
def tuned(acc: Acc[float32], bias: RowVector[float32]):
    return {"result": acc + bias}


@epilogue
def mul(acc: Acc[float32], scale: RowVector[float32]):
    return {"result": acc * scale}


@epilogue
def relu(acc: Acc[float32]):
    return {"result": ops.relu(acc)}


@epilogue
def leaky_relu(acc: Acc[float32], alpha: RowVector[float32]):
    return {"result": ops.leaky_relu(acc, alpha)}


@epilogue
def prelu(acc: Acc[float32], weight: RowVector[float32]):
    return {"result": ops.prelu(acc, weight)}


@epilogue
def sigmoid(acc: Acc[float32]):
    return {"result": ops.sigmoid(acc)}


@epilogue
def cast(acc: Acc[float32]):
    return {"result": acc.cast(half)}


@epilogue
def relu_add(acc: Acc[float32], bias: RowVector[float32]):
    relu_result = ops.relu(acc)
    return {"result": relu_result + bias}
