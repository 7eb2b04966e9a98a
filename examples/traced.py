"""The four examples again, as functions. evtgen chooses the form: a tree, or a graph where a value is used twice."""

import evtgen as evt
from evtgen import Acc, Aux, RowVector, float32, half, ops


@evt.epilogue
def traced_matmul_add(acc: Acc[half], X: Aux[half]) -> dict[str, object]:
    return {"D": acc + X}


@evt.epilogue
def traced_cast(acc: Acc[half], X: Aux[half]) -> dict[str, object]:
    total = acc.cast(float32, round="CAST_NONE") + X.cast(float32, round="CAST_NONE")
    return {"D": total.cast(half, round="CAST_NONE")}


@evt.epilogue
def traced_matmul_add_shared(acc: Acc[half], X: Aux[half]) -> dict[str, object]:
    z = acc + X
    return {"D": z + z}


@evt.epilogue
def traced_row_broadcast_reduction(acc: Acc[half], row: RowVector[half]) -> dict[str, object]:
    d = acc + row
    return {"D": d, "row_out": ops.row_reduce(d.cast(float32, round="CAST_NONE"), "add", identity=0.0)}
