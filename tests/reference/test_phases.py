"""Bounds of reductions in phases: each is cut into the tiles of its own phase."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from evtgen.graph.ir import Epilogue, TopologicalVisitor
from evtgen.graph.types import float32
from evtgen.nodes import AccLoad, AuxStore, Compute, Outputs, RowReduce, RowReduced
from evtgen.planner.plan import Plan, lower
from evtgen.reference import enclose

CENTRED = Epilogue(
    "centred",
    TopologicalVisitor(
        edges=[(), (0,), (0, 1), (2,), (2,), (3, 4)],
        ops=[
            AccLoad(float32),
            RowReduced("Maximum", float32),
            Compute("Minus", float32),
            AuxStore("D", float32),
            RowReduce("sums", "Plus", float32),
            Outputs(),
        ],
    ),
)


def with_tiles(plan: Plan, phase: int, length: int) -> Plan:
    parts = list(plan.parts)
    parts[phase] = replace(parts[phase], compute_length=length)
    return replace(plan, parts=tuple(parts))


def test_a_reduction_is_cut_into_the_tiles_of_its_phase() -> None:
    plan, acc = lower(CENTRED), np.random.default_rng(0).normal(size=(300, 40)).astype(np.float32)

    def width(plan: Plan) -> float:
        low, high = enclose(plan, acc, {})["sums"].ends
        return float(np.max(high - low))

    assert width(with_tiles(plan, 1, 64)) != width(plan)
    assert width(with_tiles(plan, 0, 64)) == width(plan) == width(replace(plan, compute_length=64))
