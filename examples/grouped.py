"""The experts of a mixture: rows in groups, each with int8 weights and scales per channel of its own."""

from evtgen import Acc, ColVector, Gemm, RowVector, epilogue, float32, half, int32


@epilogue(gemm=Gemm(group="m"))
def grouped_dequant(acc: Acc[int32], scale: RowVector[float32], token_scale: ColVector[float32]) -> dict[str, object]:
    return {"D": (acc.cast(float32) * scale * token_scale).cast(half)}
