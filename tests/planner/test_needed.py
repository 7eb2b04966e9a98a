"""What a phase has of the graph: nothing but what its outputs need."""

from __future__ import annotations

from evtgen.graph.ir import Epilogue, TopologicalVisitor, consumers
from evtgen.graph.types import float32
from evtgen.nodes import AccLoad, AuxStore, ColReduced, Compute, RowReduced, node_of
from evtgen.planner.plan import lower

NORMED = Epilogue(
    "normed",
    TopologicalVisitor(
        edges=[(), (0,), (0, 1), (2,), (3,), (2, 4), (5,)],
        ops=[
            AccLoad(float32),
            RowReduced("Mean", float32),
            Compute("Minus", float32),
            Compute("Absolute", float32),
            ColReduced("Maximum", float32),
            Compute("Divides", float32),
            AuxStore("D", float32),
        ],
    ),
)


def test_every_value_of_a_phase_is_used() -> None:
    """The magnitudes are there for their maximum alone, which the last phase finds in the workspace."""
    parts = lower(NORMED).phases
    assert len(parts) == 3
    for part in parts:
        used = [len(users) > 0 for users in consumers(part.steps)]
        assert all(node_of(step).writes or there for step, there in zip(part.steps, used, strict=True))
    names = [part.aliases for part in parts]
    assert "Absolute" in names[1] and "Absolute" not in names[2]
