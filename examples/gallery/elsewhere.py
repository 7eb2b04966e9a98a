"""Outputs and inputs in another place: transposed, or by rows that an index vector names."""

from evtgen import Acc, Aux, ColumnMajor, ColVector, Gemm, RowVector, Scalar, epilogue, float32, half, int32, ops


@epilogue
def transposed_keys(acc: Acc[float32], bias: RowVector[float32]):
    """The keys of an attention as the next matmul reads them: (x @ w + bias).half().T.contiguous()."""
    return {"keys": ops.transpose((acc + bias).cast(half))}


@epilogue
def transposed_addmm(acc: Acc[float32], C: Aux[float32, ColumnMajor], beta: Scalar[float32] = 1.0):
    """A matrix that lies transposed, added to, and both: D = beta * C.T + x @ w; D_t = D.T.contiguous()."""
    D = C * beta + acc
    return {"D": D.cast(half), "D_t": ops.transpose(D)}


@epilogue
def gathered_residual(acc: Acc[float32], tokens: Aux[half], token: ColVector[int32]):
    """Tokens in another order, each with the residual of its own: (x @ w + tokens[token]).half()."""
    return {"D": (acc + ops.gather(tokens, rows=token).cast(float32)).cast(half)}


@epilogue(gemm=Gemm(group="m"))
def expert_scatter(acc: Acc[float32], gate: ColVector[float32], token: ColVector[int32]):
    """The last layer of experts, in a mixture of them: each row is weighed and goes back to the place of its token.

    D[token] = (torch.cat([x_e @ w_e for each expert e]) * gate).half()
    """
    return {"D": ops.scatter((acc * gate).cast(half), rows=token)}
