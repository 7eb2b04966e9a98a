"""Every cast that Atlas A2 has, in every mode, through the emitted code."""

from __future__ import annotations

import pytest

from evtgen import Epilogue, Gemm, TopologicalVisitor
from evtgen.check import check
from evtgen.graph.types import ElementType
from evtgen.nodes import AuxLoad, AuxStore, Cast, Outputs
from evtgen.planner.plan import lower
from evtgen.report.verification import failures
from evtgen.targets import AtlasA2
from evtgen.verify import Options, verify_plans


def every_cast_from(source: ElementType) -> Epilogue:
    ops: list[object] = [AuxLoad("X", source)]
    edges: list[tuple[int, ...]] = [()]
    for start, to in AtlasA2.casts:
        if start != source:
            continue
        for mode in AtlasA2.casts[start, to]:
            ops += [Cast(to, source, mode), AuxStore(f"{to}_{mode.lower()}", to)]
            edges += [(0,), (len(ops) - 2,)]
    stores = tuple(i for i, op in enumerate(ops) if isinstance(op, AuxStore))
    if len(stores) > 1:
        ops.append(Outputs())
        edges.append(stores)
    return Epilogue(f"from_{source}", TopologicalVisitor(edges, ops), gemm=Gemm())  # type: ignore[arg-type]


@pytest.mark.parametrize("data", ["int", "normal"])
def test_every_cast_in_every_mode(data: str) -> None:
    sources = list(dict.fromkeys(source for source, _ in AtlasA2.casts))
    epilogues = [every_cast_from(source) for source in sources]
    assert [d.message for e in epilogues for d in check(e)] == []
    options = Options(shapes=((19, 45, 4), (1, 1, 1)), strict=True, data=data, batch=len(epilogues))
    results = verify_plans([lower(e) for e in epilogues], options)
    assert all(r.ok for r in results), "\n".join(line for r in results for line in failures(r))
