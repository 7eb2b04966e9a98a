"""Every cast that Atlas A2 has, and every one that several of them make, in every mode, through the emitted code."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from evtgen import Acc, Aux, Epilogue, Gemm, TopologicalVisitor, epilogue
from evtgen.check import check
from evtgen.graph.types import ELEMENT_TYPES, ElementType, half
from evtgen.model.data import Operands
from evtgen.model.execution import MEASURE, run_once
from evtgen.model.programs import Compilation, build_programs
from evtgen.nodes import AuxLoad, AuxStore, Cast, Outputs
from evtgen.options import Data
from evtgen.planner.plan import lower
from evtgen.targets import AtlasA2, cast_steps
from evtgen.verify import Options, verify_plans

from ..support.right import right
from ..support.rounding import MODES, round_once, same, samples

NUMBERS = [T for T in ELEMENT_TYPES.values() if T.kind != "mask" and AtlasA2.has(T) and T.packed == 1]
CASTS = {pair: modes for pair, modes in AtlasA2.casts.items() if set(pair) <= set(NUMBERS)}
ROWS, COLUMNS = 64, 1024


def every_cast_from(source: ElementType) -> Epilogue:
    ops: list[object] = [AuxLoad("X", source)]
    edges: list[tuple[int, ...]] = [()]
    for (start, to), modes in CASTS.items():
        if start != source:
            continue
        for mode in modes:
            ops += [Cast(to, source, mode), AuxStore(f"{to}_{mode.lower()}", to)]
            edges += [(0,), (len(ops) - 2,)]
    stores = tuple(i for i, op in enumerate(ops) if isinstance(op, AuxStore))
    if len(stores) > 1:
        ops.append(Outputs())
        edges.append(stores)
    return Epilogue(f"from_{source}", TopologicalVisitor(edges, ops), gemm=Gemm())


@pytest.mark.parametrize("data", ["int", "normal"])
def test_every_cast_in_every_mode(data: Data) -> None:
    sources = list(dict.fromkeys(source for source, _ in CASTS))
    epilogues = [every_cast_from(source) for source in sources]
    # They read no accumulator, of which they are warned.
    assert {d.code for e in epilogues for d in check(e)} == {"EVT062"}
    options = Options(shapes=((19, 45, 4), (1, 1, 1)), strict=True, data=data, together=len(epilogues))
    right(verify_plans([lower(e) for e in epilogues], options))


def casts_from(source: ElementType) -> Epilogue:
    """A value cast to every other type in every mode in which a sequence rounds once."""

    def spec(acc: Acc[half], X: Aux[Any]) -> Any:
        outputs = {
            f"{to}_{mode.lower()}": X.cast(to, round=mode)
            for to in NUMBERS
            for mode in MODES
            if to != source and cast_steps(AtlasA2, source, to, mode)
        }
        return {"copied": acc, **outputs}

    spec.__annotations__ = {"acc": Acc[half], "X": Aux[source]}
    made: Any = epilogue(name=f"casts_from_{source}")(spec)
    assert isinstance(made, Epilogue)
    return made


def test_every_cast_of_a_value_rounds_once() -> None:
    """What ``.cast`` writes, on the CPU model, against a single rounding in numpy."""
    plans = {source: lower(casts_from(source)) for source in NUMBERS}
    programs = build_programs(list(plans.values()), Compilation(batch=len(plans)))
    for source, plan in plans.items():
        program = programs[plan.name]
        assert not isinstance(program, str), program
        values = np.random.default_rng(3).permutation(samples(source))[: ROWS * COLUMNS]
        x = np.resize(values, (ROWS, COLUMNS))
        a, b = np.zeros((ROWS, 1), np.float16), np.zeros((1, COLUMNS), np.float16)
        done = run_once(program, plan, (ROWS, COLUMNS, 1), Operands(a, b, {"X": x}), MEASURE)
        checked = 0
        for to in NUMBERS:
            for mode in MODES:
                found = done.outputs.get(f"{to}_{mode.lower()}")
                if found is not None:
                    wrong = ~same(found, round_once(x, to, mode))
                    assert not wrong.any(), (source, to, mode, x[wrong][:5], found[wrong][:5])
                    checked += 1
        assert checked >= 30 and checked == len(plan.tensors) - 2
