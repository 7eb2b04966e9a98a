"""Gradients of the weights of experts: the tokens, which are K, lie by expert, and each expert has outputs of its own.

A is the transposed matrix of the tokens as they lie. Every tensor has a part for each expert, or one that all share. An
expert without tokens has a product of 0.
"""

from evtgen import Acc, Aux, ColumnMajor, ColVector, Gemm, RowVector, bfloat16, epilogue, float32, int32, ops


@epilogue(gemm=Gemm(a=bfloat16, b=bfloat16, group="k", layout_a=ColumnMajor, group_list="counts"))
def moe_wgrad(acc: Acc[float32], main_grad: Aux[float32]):
    """Added to the gradients that are there, in float32: main_grad and D may be the same memory.

    main_grad[expert] + x[tokens].T @ dy[tokens]
    """
    return {"D": acc + main_grad}


@epilogue(gemm=Gemm(a=bfloat16, b=bfloat16, group="k", layout_a=ColumnMajor, group_list="counts"))
def moe_wgrad_norm(acc: Acc[float32]):
    """The same for the first gradients of a step, with the sum of squares of all of them for clipping.

    dw = x[tokens].T @ dy[tokens], (dw * dw).sum()
    """
    return {"D": acc.cast(bfloat16), "sum_of_squares": ops.scalar_reduce(acc * acc, "add")}


@epilogue(gemm=Gemm(group="k", layout_a=ColumnMajor))
def slice_k_per_token_dequant(acc: Acc[int32], scale: RowVector[float32], per_token_scale: ColVector[float32]):
    """Catlass's example 11: int8 operands, with scales by row and by column for each group.

    (a[:, group].int() @ b[group].int()) * scale[group] * per_token_scale[group, :, None]
    """
    return {"D": (acc.cast(float32) * scale * per_token_scale).cast(bfloat16)}
