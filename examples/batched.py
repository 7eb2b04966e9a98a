"""Matmuls of one shape in one launch: D = relu(C + bias), each with a bias of its own, or with one that all share."""

from evtgen import Acc, Gemm, RowVector, epilogue, half, ops


@epilogue(gemm=Gemm(batch=True))
def batched_bias_relu(acc: Acc[half], bias: RowVector[half]) -> dict[str, object]:
    return {"D": ops.relu(acc + bias)}
