"""Columns for the vertices of a graph whose layers are known, and for its edges where they pass a layer.

Order and places are igraph's, with a vertex wherever an edge passes a layer. It keeps a distance between neighbours,
but not between the parts of a graph that nothing connects: what it leaves too near is moved apart, in the same order,
and by as little as possible.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from ..extra import required


@dataclass(frozen=True)
class Columns:
    """Columns from 0 on.

    Attributes:
        vertices: of each vertex.
        ways: of each edge, the column and the layer in which it passes other vertices, from its source on.
    """

    vertices: tuple[float, ...]
    ways: tuple[tuple[tuple[float, int], ...], ...]


def columns(layers: Sequence[int], edges: Sequence[tuple[int, int]], rooms: Sequence[float], between: float) -> Columns:
    """The columns of a graph; ``rooms`` is what each vertex takes to either side, an edge takes none.

    Raises EvtgenError (EVT210) without igraph.
    """
    rows, takes = list(layers), list(rooms)
    parts: list[tuple[int, int]] = []
    ways: list[list[int]] = []
    for source, target in edges:
        passed = list(range(len(rows), len(rows) + layers[target] - layers[source] - 1))
        rows += range(layers[source] + 1, layers[target])
        takes += [0.0] * len(passed)
        parts += pairwise([source, *passed, target])
        ways.append(passed)
    graph = required("igraph").Graph(len(rows), parts, directed=True)
    wanted = [x for x, _ in graph.layout_sugiyama(layers=rows, hgap=2 * max(rooms) + between, vgap=1, maxiter=1000)]
    given = list(wanted)
    for row in set(rows):
        members = sorted((i for i, other in enumerate(rows) if other == row), key=lambda i: wanted[i])
        gaps = [takes[a] + takes[b] + between for a, b in pairwise(members)]
        for member, x in zip(members, apart([wanted[i] for i in members], gaps), strict=True):
            given[member] = x
    left = min(x - room for x, room in zip(given, takes, strict=True))
    at = [x - left for x in given]
    return Columns(tuple(at[: len(layers)]), tuple(tuple((at[i], rows[i]) for i in way) for way in ways))


def apart(wanted: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """Places at least ``gaps`` from one another that are nearest to those that are wanted, by the sum of squares."""
    starts = [0.0]
    for gap in gaps:
        starts.append(starts[-1] + gap)
    # Without the gaps it is the nearest sequence that nowhere falls: neighbours that do not rise share their mean.
    blocks: list[tuple[float, int]] = []
    for want, start in zip(wanted, starts, strict=True):
        total, count = want - start, 1
        while blocks and blocks[-1][0] / blocks[-1][1] >= total / count:
            before, more = blocks.pop()
            total, count = total + before, count + more
        blocks.append((total, count))
    means = [total / count for total, count in blocks for _ in range(count)]
    return [mean + start for mean, start in zip(means, starts, strict=True)]
