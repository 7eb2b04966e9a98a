"""Epilogues of ``test/python/cutlass/evt`` of CUTLASS: half operands, summed in float32, stored in half.

Numbers that are arguments there are scalars here, with the value of that test as the default. What has a batch there
has one here. What a test says twice of one epilogue (other alignments, another schedule of the GEMM) is one.
"""

from __future__ import annotations

from typing import Any

import evtgen as evt
from evtgen import Acc, Aux, ColumnMajor, ColVector, RowVector, Scalar, ScalarTensor, float32, half, ops

epilogue = evt.epilogue(auto_cast=True, gemm=evt.Gemm(batch=True))


@epilogue
def arith(
    acc: Acc[float32],
    C: Aux[half],
    alpha: Scalar[float32] = 1.5,
    beta: Scalar[float32] = 0.5,
    gamma: Scalar[float32] = 2.5,
):
    D = ((acc + C) * alpha - gamma) / beta
    return {"D": D.cast(half)}


@epilogue
def func_call(
    acc: Acc[float32],
    C: Aux[half],
    alpha: Scalar[float32] = 1.5,
    beta: Scalar[float32] = 0.5,
    gamma: Scalar[float32] = 2.5,
):
    D = ops.fma(ops.relu(acc + alpha) + C, beta, gamma)
    return {"D": D.cast(half)}


@epilogue
def func_call2(acc: Acc[float32], C: Aux[half], alpha: Scalar[float32] = 1.5, beta: Scalar[float32] = 0.5):
    D = ops.maximum(alpha * acc + beta * C, 0.0)
    return {"D": D.cast(half)}


@epilogue
def tanh(acc: Acc[float32]):
    return {"D": ops.tanh(acc).cast(half)}


@epilogue
def sigmoid(acc: Acc[float32]):
    return {"D": ops.sigmoid(acc).cast(half)}


@epilogue
def gelu(acc: Acc[float32]):
    return {"D": ops.gelu(acc).cast(half)}


@epilogue
def exp(acc: Acc[float32]):
    return {"D": ops.exp(acc).cast(half)}


@epilogue
def tensor_load(acc: Acc[float32], C: Aux[half], aux: Aux[half], aux_batch: Aux[float32]):
    return {"D": (acc + C + aux + aux_batch).cast(half)}


@epilogue
def row_broadcast(acc: Acc[float32], C: Aux[half], bias: RowVector[half], bias_batch: RowVector[float32]):
    return {"D": (acc + C + bias + bias_batch).cast(half)}


@epilogue
def column_broadcast(acc: Acc[float32], C: Aux[half], bias: ColVector[half], bias_batch: ColVector[float32]):
    return {"D": (acc + C + bias + bias_batch).cast(half)}


@epilogue
def scalar_broadcast(acc: Acc[float32], C: Aux[half], alpha_batch: ScalarTensor[float32], alpha: Scalar[float32] = 0.5):
    return {"D": (acc + C + alpha + alpha_batch).cast(half)}


@epilogue
def stored_and_used(acc: Acc[float32]):
    D = acc.cast(half)
    F = D + 1
    return {"D": D, "F": F}


@epilogue
def aux_store(acc: Acc[float32], C: Aux[half], alpha: Scalar[float32] = 0.5):
    F = alpha * acc
    D = F + C
    return {"D": D.cast(half), "F": F.cast(half)}


@epilogue
def col_reduce(acc: Acc[float32], C: Aux[half], alpha: Scalar[float32] = 2.0):
    acc_row_max = ops.col_reduce(acc, "max")
    F = alpha * acc
    F_row_max = ops.col_reduce(F, "max")
    D = F + C
    return {"D": D.cast(half), "F_row_max": F_row_max, "acc_row_max": acc_row_max}


@epilogue
def row_reduce(acc: Acc[float32], C: Aux[half], alpha: Scalar[float32] = 2.0):
    acc_col_max = ops.row_reduce(acc, "max")
    F = alpha * acc
    F_col_max = ops.row_reduce(F, "max")
    D = F + C
    return {"D": D.cast(half), "F_col_max": F_col_max, "acc_col_max": acc_col_max}


@epilogue
def scalar_reduce(acc: Acc[float32], C: Aux[half], alpha: Scalar[float32] = 2.0):
    acc_max = ops.scalar_reduce(acc, "max")
    F = alpha * acc
    F_max = ops.scalar_reduce(F, "max")
    D = F + C
    return {"D": D.cast(half), "F_max": F_max, "acc_max": acc_max}


@epilogue
def same_variable_used_multiple_times(acc: Acc[float32]):
    z0 = ops.relu(acc)
    D = z0 + z0
    return {"z0": z0.cast(half), "D": D.cast(half)}


@epilogue
def no_lca(acc: Acc[float32], bias: ColVector[half]):
    E = ops.relu(acc)
    F = E + bias
    D = (E + 2) + E
    return {"D": D.cast(half), "F": F.cast(half)}


def mixed(acc: Any, C: Any, aux: Any, cbias: Any, rbias: Any, alpha: Any, beta: Any) -> tuple[Any, Any, dict[str, Any]]:
    F = alpha * acc + (beta * C + aux)
    E = ops.relu(F + 1) + cbias + rbias
    return E + F, F, {"F_row_max": ops.row_reduce(F, "max"), "E_col_max": ops.col_reduce(E, "max")}


@epilogue
def mixed_dag(
    acc: Acc[float32],
    C: Aux[half],
    aux: Aux[half],
    cbias: ColVector[half],
    rbias: RowVector[half],
    alpha: Scalar[float32] = 1.0,
    beta: Scalar[float32] = 1.0,
):
    D, F, maxima = mixed(acc, C, aux, cbias, rbias, alpha, beta)
    return {"D": D.cast(half), "F": F.cast(half), **maxima}


@evt.epilogue(auto_cast=True)
def mixed_dag_no_batch(
    acc: Acc[float32],
    C: Aux[half],
    aux: Aux[half],
    cbias: ColVector[half],
    rbias: RowVector[half],
    alpha: Scalar[float32] = 1.0,
    beta: Scalar[float32] = 1.0,
):
    D, F, maxima = mixed(acc, C, aux, cbias, rbias, alpha, beta)
    return {"D": D.cast(half), "F": F.cast(half), **maxima}


@evt.epilogue(gemm=evt.Gemm(a=float32, b=float32, batch=True))
def mixed_dag_float(
    acc: Acc[float32],
    C: Aux[float32],
    aux: Aux[float32],
    cbias: ColVector[float32],
    rbias: RowVector[float32],
    alpha: Scalar[float32] = 1.0,
    beta: Scalar[float32] = 1.0,
):
    D, F, maxima = mixed(acc, C, aux, cbias, rbias, alpha, beta)
    return {"D": D, "F": F, **maxima}


@epilogue
def permute_2(acc: Acc[float32], C: Aux[half, ColumnMajor], alpha: Scalar[float32] = 0.5):
    F = alpha * acc
    D = F + C
    return {"D": ops.transpose(D.cast(half)), "F": F.cast(half)}


@epilogue
def reshape(acc: Acc[float32], E: ColVector[half], alpha: Scalar[float32] = 0.5):
    F = alpha * acc
    return {"D": (F + E).cast(half)}


@epilogue
def reshape2(acc: Acc[float32], E: RowVector[half], alpha: Scalar[float32] = 0.5):
    F = alpha * acc
    return {"D": (F + E).cast(half)}
