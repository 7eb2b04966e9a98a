"""Places for the boxes of a drawing.

Each phase is laid out on its own, in layers from top to bottom, and the phases stand below one another. A value that
crosses leaves its phase through a *gate* at the bottom, a vertex without a box, so that the way there is free; between
the bands it has a lane of its own, beside the bands a rail if it skips one; and it enters a later phase through a gate
at the top.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .columns import columns
from .contents import KINDS, Box, Drawing, Edge
from .text import LARGE, SMALL, width

BOX_HEIGHT = 58.0
PADDING = 12.0
"""Between the text of a box and its sides."""
NARROWEST = 96.0
BETWEEN = 22.0
"""Between boxes of a layer, and between an edge and a box that it passes."""
LAYER_GAP = 46.0
"""Between layers; edges bend there, and nowhere else."""
BAND_TITLE = 30.0
"""At the top of a band."""
LANE = 10.0
"""From one lane between bands to the next, and from one rail beside them to the next."""
BESIDE = 8.0
"""From the middle of a box to the point where a crossing value leaves or enters it."""
MARGIN = 14.0
LEGEND_LINE = 18.0

Point = tuple[float, float]


@dataclass(frozen=True)
class Placed:
    """A box with the place of its upper left corner, and its size."""

    box: Box
    x: float
    y: float
    width: float
    height: float

    @property
    def centre(self) -> float:
        """The middle of its sides at the top and at the bottom."""
        return self.x + self.width / 2


@dataclass(frozen=True)
class Route:
    """An edge with the points that it goes through, from the bottom of a box to the top of another.

    It goes straight to a point in the same column or row, and bends to any other.
    """

    edge: Edge
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Strip:
    """A band, with the place of its upper left corner, and its size."""

    title: str
    note: str
    x: float
    y: float
    width: float
    height: float


@dataclass(frozen=True)
class Picture:
    """A drawing with a place for everything in it; its legend has the kinds of boxes and the place of the first."""

    name: str
    width: float
    height: float
    boxes: tuple[Placed, ...]
    routes: tuple[Route, ...]
    strips: tuple[Strip, ...]
    legend: tuple[str, ...]
    legend_at: Point


@dataclass
class _Phase:
    """A phase laid out on its own; places are relative to its left side and its top.

    Attributes:
        boxes: the place of each of its boxes.
        routes: the points of each of its edges.
        leaving: for each box that leaves a value, the points from the box to the bottom of the phase.
        entering: for each box that takes a value, the points from the top of the phase to the box.
        width, height: its size.
    """

    boxes: dict[int, Placed] = field(default_factory=dict)
    routes: list[Route] = field(default_factory=list)
    leaving: dict[int, tuple[Point, ...]] = field(default_factory=dict)
    entering: dict[int, tuple[Point, ...]] = field(default_factory=dict)
    width: float = 0
    height: float = 0


def laid_out(drawing: Drawing) -> Picture:
    """The places of a drawing."""
    box_width = max([NARROWEST, *(_text_width(box) for box in drawing.boxes)])
    count = max(box.phase for box in drawing.boxes) + 1
    phases = [_phase(drawing, number, box_width) for number in range(count)]
    rails = _rails(drawing)
    legend = tuple(kind for kind in KINDS if any(box.kind == kind for box in drawing.boxes))
    texts = [LEGEND_LINE + width(KINDS[kind], SMALL) for kind in legend]
    texts += [width(f"{band.title}  {band.note}", LARGE) for band in drawing.bands]
    inner = max(*(phase.width for phase in phases), *texts) + 3 * MARGIN
    boxes: dict[int, Placed] = {}
    routes: list[Route] = []
    strips: list[Strip] = []
    moved: list[tuple[float, float]] = []
    gaps: list[float] = []
    y = MARGIN
    for number, phase in enumerate(phases):
        if number:
            gaps.append(y + LANE)
            y += LANE * (2 + len(_lanes(drawing, number)))
        if drawing.bands:
            band, height = drawing.bands[number], BAND_TITLE + phase.height + 2 * MARGIN
            strips.append(Strip(band.title, band.note, MARGIN / 2, y, inner - MARGIN, height))
            y += BAND_TITLE + MARGIN
        dx = 1.5 * MARGIN  # not in the middle: a phone shows the left of a wide picture first
        moved.append((dx, y))
        boxes |= {index: _moved(box, dx, y) for index, box in phase.boxes.items()}
        routes += [Route(route.edge, _shifted(route.points, dx, y)) for route in phase.routes]
        y += phase.height + (MARGIN if drawing.bands else 0)
    routes += _crossing(drawing, phases, moved, gaps, rails, inner)
    legend_at = (MARGIN, y + MARGIN)
    bottom = legend_at[1] + LEGEND_LINE * len(legend) + MARGIN
    ordered = tuple(boxes[index] for index in range(len(boxes)))
    total = inner + LANE * len(rails)
    return Picture(drawing.name, total, bottom, ordered, tuple(routes), tuple(strips), legend, legend_at)


def _phase(drawing: Drawing, number: int, box_width: float) -> _Phase:
    """One phase. Its vertices are its boxes, and gates at the bottom and at the top."""
    own = [index for index, box in enumerate(drawing.boxes) if box.phase == number]
    place = {index: vertex for vertex, index in enumerate(own)}
    edges = [edge for edge in drawing.edges if not edge.crosses and edge.target in place]
    leaving = list(dict.fromkeys(e.source for e in drawing.edges if e.crosses and e.source in place))
    entering = list(dict.fromkeys(e.target for e in drawing.edges if e.crosses and e.target in place))
    layers = _layers(own, edges, first=1 if entering else 0)
    last = max(layers.values())
    pairs = [(place[edge.source], place[edge.target]) for edge in edges]
    pairs += [(place[index], len(own) + gate) for gate, index in enumerate(leaving)]
    pairs += [(len(own) + len(leaving) + gate, place[index]) for gate, index in enumerate(entering)]
    rows = [*layers.values(), *([last + 1] * len(leaving)), *([0] * len(entering))]
    rooms = [box_width / 2] * len(own) + [0.0] * (len(rows) - len(own))
    found = columns(rows, pairs, rooms, BETWEEN)
    top = 1 if entering else 0

    def y_of(layer: int) -> float:
        return (layer - top) * (BOX_HEIGHT + LAYER_GAP)

    centres = found.vertices
    ends = [x + room for x, room in zip(centres, rooms, strict=True)] + [x for way in found.ways for x, _ in way]
    made = _Phase(width=max(ends), height=y_of(last) + BOX_HEIGHT)
    for index, vertex in place.items():
        made.boxes[index] = Placed(
            drawing.boxes[index], centres[vertex] - box_width / 2, y_of(layers[index]), box_width, BOX_HEIGHT
        )
    passed = [
        tuple(point for x, layer in way for point in ((x, y_of(layer)), (x, y_of(layer) + BOX_HEIGHT)))
        for way in found.ways
    ]
    before = [way[-1][0] if way else centres[source] for way, (source, _) in zip(passed, pairs, strict=True)]
    ports = _ports([target for _, target in pairs], before, centres, box_width)
    for number_of, (way, (source, target)) in enumerate(zip(passed, pairs, strict=True)):
        start = (centres[source], y_of(rows[source]) + BOX_HEIGHT)
        end = (ports[number_of], y_of(rows[target]))
        if number_of < len(edges):
            made.routes.append(Route(edges[number_of], (start, *way, end)))
        elif target >= len(own):
            # Beside the middle, so that in the gap nothing lies on what enters, which is on the other side.
            leaving_at = (start, *way, (centres[target], made.height + MARGIN))
            made.leaving[own[source]] = _shifted(leaving_at, -BESIDE, 0)
        else:
            made.entering[own[target]] = _shifted(((centres[source], -MARGIN - BAND_TITLE), *way, end), BESIDE, 0)
    return made


def _text_width(box: Box) -> float:
    return 2 * PADDING + max(width(box.title, LARGE), width(box.alias, SMALL), width(box.value, SMALL))


def _layers(own: Sequence[int], edges: Sequence[Edge], first: int) -> dict[int, int]:
    """The layer of each box, in the order of ``own``, which has inputs first: below all boxes that it reads; a box that
    reads nothing is right above its reader."""
    found: dict[int, int] = {}
    for index in own:
        found[index] = max((found[edge.source] + 1 for edge in edges if edge.target == index), default=first)
    for index in own:
        readers = [found[edge.target] for edge in edges if edge.source == index]
        if readers and all(edge.target != index for edge in edges):
            found[index] = min(readers) - 1
    return found


def _ports(targets: Sequence[int], before: Sequence[float], centres: Sequence[float], box_width: float) -> list[float]:
    """The point where each edge meets its target: side by side, in the order in which they come."""
    found = [0.0] * len(targets)
    for target in set(targets):
        coming = sorted((i for i, other in enumerate(targets) if other == target), key=lambda i: before[i])
        step = min(34.0, (box_width - 24) / max(1, len(coming) - 1))
        for place, index in enumerate(coming):
            found[index] = centres[target] + (place - (len(coming) - 1) / 2) * step
    return found


def _lanes(drawing: Drawing, below: int) -> list[int]:
    """The boxes that leave a value which goes to the left or to the right above a phase."""
    boxes = drawing.boxes
    crossing = [edge for edge in drawing.edges if edge.crosses]
    return list(
        dict.fromkeys(
            edge.source for edge in crossing if below in (boxes[edge.source].phase + 1, boxes[edge.target].phase)
        )
    )


def _rails(drawing: Drawing) -> list[int]:
    """The boxes that leave a value for a phase that is not the next one."""
    boxes = drawing.boxes
    return list(
        dict.fromkeys(
            edge.source
            for edge in drawing.edges
            if edge.crosses and boxes[edge.target].phase > boxes[edge.source].phase + 1
        )
    )


def _crossing(  # noqa: PLR0917
    drawing: Drawing,
    phases: Sequence[_Phase],
    moved: Sequence[Point],
    gaps: Sequence[float],
    rails: Sequence[int],
    inner: float,
) -> list[Route]:
    """The edges from phase to phase: to the gap below, along its lane, down a rail if need be, and in."""

    def lane(source: int, below: int) -> float:
        return gaps[below - 1] + LANE * (_lanes(drawing, below).index(source) + 0.5)

    found = []
    for edge in drawing.edges:
        if not edge.crosses:
            continue
        start, end = drawing.boxes[edge.source].phase, drawing.boxes[edge.target].phase
        out = _shifted(phases[start].leaving[edge.source], *moved[start])
        into = _shifted(phases[end].entering[edge.target], *moved[end])
        first, last = lane(edge.source, start + 1), lane(edge.source, end)
        points: list[Point] = [*out, (out[-1][0], first)]
        if end > start + 1:
            rail = inner + LANE * rails.index(edge.source)
            points += [(rail, first), (rail, last)]
        points += [(into[0][0], last), *into]
        found.append(Route(edge, tuple(points)))
    return found


def _moved(box: Placed, dx: float, dy: float) -> Placed:
    return Placed(box.box, box.x + dx, box.y + dy, box.width, box.height)


def _shifted(points: Sequence[Point], dx: float, dy: float) -> tuple[Point, ...]:
    return tuple((x + dx, y + dy) for x, y in points)
