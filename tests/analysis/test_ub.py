"""UB: what nodes take, whose a byte is, and the longest tile that fits."""

from __future__ import annotations

from evtgen import half
from evtgen.analysis.ub import fitting_length, ub_map
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Compute, VisitorNode
from evtgen.targets import AtlasA2

NODES: list[VisitorNode] = [AccLoad(half), AuxLoad("X", half), Compute("Plus", half), AuxStore("D", half)]


def test_the_map() -> None:
    ub = ub_map(NODES, 32, 2)
    assert ub.shares == (64, 64, 64, 0) and ub.used == 384
    assert [ub.share(node) for node in range(4)] == [128, 128, 128, 0]
    assert list(ub.ranges()) == [
        (0, 0, 0, 64), (1, 0, 64, 64), (2, 0, 128, 64), (0, 1, 192, 64), (1, 1, 256, 64), (2, 1, 320, 64),
    ]  # fmt: skip


def test_the_longest_tile() -> None:
    assert fitting_length(NODES, AtlasA2, 2) == 15680
    assert ub_map(NODES, 15680, 2).used == 188160 == AtlasA2.ub_usable
    assert fitting_length(NODES, AtlasA2, 1) == 31360
    assert fitting_length(NODES * 1000, AtlasA2, 2) == 0
