"""Columns for the vertices of a graph whose layers are known, and for its edges where they pass a layer.

An edge has a vertex of its own in each layer that it passes. Each layer is ordered by the barycentres of its vertices:
the mean place of their neighbours in the layer before, from top to bottom and from bottom to top in turn. Then each
vertex goes as close to its neighbours as the vertices beside it allow.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from statistics import fmean

SWEEPS = 24
"""The number of passes over the layers, first for their order, then for their columns."""

Layers = list[list[int]]
Neighbours = list[list[int]]


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
    """The columns of a graph; ``rooms`` has the room that each vertex needs on either side, an edge needs none."""
    rows, takes = list(layers), list(rooms)
    ways: list[list[int]] = []
    above: Neighbours = [[] for _ in rows]
    below: Neighbours = [[] for _ in rows]
    for source, target in edges:
        passed = list(range(len(rows), len(rows) + layers[target] - layers[source] - 1))
        rows += range(layers[source] + 1, layers[target])
        takes += [0.0] * len(passed)
        above += [[] for _ in passed]
        below += [[] for _ in passed]
        for upper, lower in pairwise([source, *passed, target]):
            below[upper].append(lower)
            above[lower].append(upper)
        ways.append(passed)
    ordered = _ordered(
        [[i for i, row in enumerate(rows) if row == layer] for layer in range(max(rows) + 1)], above, below
    )
    given = _placed(ordered, above, below, takes, between)
    left = min(x - room for x, room in zip(given, takes, strict=True))
    at = [x - left for x in given]
    return Columns(tuple(at[: len(layers)]), tuple(tuple((at[i], rows[i]) for i in way) for way in ways))


def _ordered(layers: Layers, above: Neighbours, below: Neighbours) -> Layers:
    """The layers in the order with the fewest crossings of edges that the sweeps find."""
    at = {vertex: float(place) for layer in layers for place, vertex in enumerate(layer)}
    best, fewest = layers, _crossings(layers, below)
    for sweep in range(SWEEPS):
        near = below if sweep % 2 else above
        layers = [list(layer) for layer in layers]
        for layer in reversed(layers) if sweep % 2 else layers:
            layer.sort(key=lambda vertex: _mean(vertex, near, at))
            at |= {vertex: float(place) for place, vertex in enumerate(layer)}
        if (count := _crossings(layers, below)) < fewest:
            best, fewest = layers, count
    return best


def _mean(vertex: int, near: Neighbours, at: Mapping[int, float]) -> float:
    """The mean place of the neighbours of a vertex; its own place without neighbours."""
    return fmean(at[other] for other in near[vertex] or [vertex])


def _crossings(layers: Layers, below: Neighbours) -> int:
    """The number of pairs of edges that cross."""
    total = 0
    for upper, lower in pairwise(layers):
        at = {vertex: place for place, vertex in enumerate(lower)}
        ends: list[int] = []
        for vertex in upper:
            own = [at[other] for other in below[vertex]]
            total += sum(len(ends) - bisect_right(ends, end) for end in own)
            for end in own:
                insort(ends, end)
    return total


def _placed(
    layers: Layers, above: Neighbours, below: Neighbours, takes: Sequence[float], between: float
) -> list[float]:
    """The column of each vertex, in this order of the layers."""
    at: dict[int, float] = {}
    gaps = [[takes[a] + takes[b] + between for a, b in pairwise(layer)] for layer in layers]
    rows = list(zip(layers, gaps, strict=True))
    for layer, apart_by in rows:
        at |= zip(layer, accumulate(apart_by, initial=-sum(apart_by) / 2), strict=True)
    for sweep in range(SWEEPS):
        near = below if sweep % 2 else above
        for layer, apart_by in reversed(rows) if sweep % 2 else rows:
            at |= zip(layer, apart([_mean(vertex, near, at) for vertex in layer], apart_by), strict=True)
    return [at[vertex] for vertex in range(len(takes))]


def apart(wanted: Sequence[float], gaps: Sequence[float]) -> list[float]:
    """The places that are closest to the wanted ones, by the sum of squares, and at least ``gaps`` from one another."""
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
