"""Leading dimensions: every kind of tensor with rows that lie apart, in elements of every size."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import pytest

from evtgen import Epilogue, Gemm, TopologicalVisitor
from evtgen.check import check
from evtgen.graph.types import ElementType, bfloat16, float32, half, int8, int32
from evtgen.nodes import (
    AuxLoad,
    AuxStore,
    ColBroadcast,
    ColReduce,
    Outputs,
    RowBroadcast,
    RowReduce,
    ScalarBroadcast,
    ScalarReduce,
    VisitorNode,
)
from evtgen.planner.plan import lower
from evtgen.targets import AtlasA2
from evtgen.verify import Options, verify_plans

from ..support.epilogues import FULL
from ..support.right import right

TYPES = (half, float32, bfloat16, int32, int8)
SHAPES = ((87, 198, 40), (129, 33, 16), (5, 4099, 16))
BATCH = Options(together=len(TYPES) + 1, strict=True)


def every_tensor(name: str, types: Iterable[ElementType]) -> Epilogue:
    """Whatever reads a tensor of these types, stored as it is, and every reduction of what an AuxLoad reads."""
    ops: list[VisitorNode] = []
    edges: list[tuple[int, ...]] = []

    def add(op: VisitorNode, *inputs: int) -> int:
        ops.append(op)
        edges.append(inputs)
        return len(ops) - 1

    ends = []
    for T in types:
        aux = add(AuxLoad(f"aux_{T}", T))
        loads = [
            AuxLoad(f"optional_{T}", T, null_default=3),
            *(kind(f"{kind.__name__}_{T}", T) for kind in (RowBroadcast, ColBroadcast, ScalarBroadcast)),
        ]
        sums = [kind(f"{kind.__name__}_{T}", "Plus", T) for kind in (RowReduce, ColReduce, ScalarReduce)]
        values = [aux, *(add(load) for load in loads if load.unsupported(AtlasA2) is None)]
        ends += [add(AuxStore(f"D{value}", T), value) for value in values]
        ends += [add(sum_, aux) for sum_ in sums if sum_.unsupported(AtlasA2) is None]
    add(Outputs(), *ends)
    return Epilogue(name, TopologicalVisitor(edges, ops), gemm=Gemm())


EPILOGUES = (*(every_tensor(f"rows_of_{T}", [T]) for T in TYPES), every_tensor("rows_of_all", TYPES))


def test_every_kind_of_tensor_is_among_them() -> None:
    roots = [epilogue.root for epilogue in EPILOGUES]
    kinds = {type(op) for root in roots if isinstance(root, TopologicalVisitor) for op in root.ops}
    assert kinds == {
        AuxLoad, AuxStore, RowBroadcast, ColBroadcast, ScalarBroadcast, RowReduce, ColReduce, ScalarReduce, Outputs,
    }  # fmt: skip
    # They read no accumulator, and are told so.
    assert [d.code for epilogue in EPILOGUES for d in check(epilogue)] == ["EVT062"] * len(EPILOGUES)


@pytest.mark.parametrize("pad", [1, 3, 8, 17] if FULL else [3, 8])
def test_rows_lie_apart(pad: int) -> None:
    right(verify_plans([lower(epilogue) for epilogue in EPILOGUES], replace(BATCH, shapes=SHAPES, pad=pad)))
