"""Pictures of graphs: what is in them, and that nothing lies on anything else."""

from __future__ import annotations

import random
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evtgen.planner.plan import Plan, lower
from evtgen.report.page.graph import drawing_of, laid_out, standalone
from evtgen.report.page.graph.columns import apart, columns
from evtgen.report.page.graph.contents import Box, Drawing, Edge
from evtgen.report.page.graph.layout import PADDING, Picture, Placed, Point
from evtgen.report.page.graph.text import LARGE, SMALL, shortened, width

from ..support.command import python
from ..support.graphs import random_epilogue
from ..support.paths import CHECKOUT

SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def pictures(plans: dict[str, Plan]) -> dict[str, Picture]:
    return {name: laid_out(drawing_of(plan)) for name, plan in plans.items()}


def faults(picture: Picture) -> Iterator[str]:
    """What is wrong with the places of a picture."""
    for one, other in combinations(picture.boxes, 2):
        if not (
            one.x + one.width <= other.x
            or other.x + other.width <= one.x
            or one.y + one.height <= other.y
            or other.y + other.height <= one.y
        ):
            yield f"{one.box.alias} lies on {other.box.alias}"
    for box in picture.boxes:
        if not (box.x >= 0 and box.x + box.width <= picture.width and box.y + box.height <= picture.height):
            yield f"{box.box.alias} is not in the picture"
        for text, size in ((box.box.title, LARGE), (box.box.alias, SMALL), (box.box.value, SMALL)):
            if width(text, size) > box.width - 2 * PADDING + 0.01:
                yield f"{text} is wider than its box"
    for route in picture.routes:
        start, end = picture.boxes[route.edge.source], picture.boxes[route.edge.target]
        (x0, y0), (x1, y1) = route.points[0], route.points[-1]
        if not (start.x < x0 < start.x + start.width and y0 == pytest.approx(start.y + start.height)):
            yield f"an edge does not leave {start.box.alias} at its bottom"
        if not (end.x < x1 < end.x + end.width and y1 == pytest.approx(end.y)):
            yield f"an edge does not come to {end.box.alias} at its top"
        if start.y + start.height >= end.y:
            yield f"the edge to {end.box.alias} goes up"
        for box in picture.boxes:
            if box not in (start, end) and any(inside(point, box) for point in along(route.points)):
                yield f"the edge to {end.box.alias} goes through {box.box.alias}"


def along(points: tuple[Point, ...]) -> Iterator[Point]:
    """Points of an edge, close to one another: a bend is a cubic curve whose ends are upright."""
    for (x0, y0), (x1, y1) in pairwise(points):
        for step in range(21):
            t = step / 20
            bends = abs(x1 - x0) >= 0.1 and abs(y1 - y0) >= 0.1
            # The curve's inner points lie half way down, one under its start and one over its end.
            x, y = (3 * t**2 - 2 * t**3, 1.5 * t - 1.5 * t**2 + t**3) if bends else (t, t)
            yield x0 + (x1 - x0) * x, y0 + (y1 - y0) * y


def inside(point: Point, box: Placed) -> bool:
    x, y = point
    return box.x < x < box.x + box.width and box.y < y < box.y + box.height


def test_nothing_lies_on_anything_else(pictures: dict[str, Picture]) -> None:
    assert len(pictures) > 80
    assert {name: found for name, picture in pictures.items() if (found := list(faults(picture)))} == {}


@pytest.mark.parametrize("seed", range(25))
def test_nothing_lies_on_anything_else_in_random_graphs(seed: int) -> None:
    assert list(faults(laid_out(drawing_of(lower(random_epilogue(seed)))))) == []


@given(st.lists(st.tuples(st.floats(-100, 100), st.floats(0.5, 20)), min_size=1, max_size=12))
def test_what_is_too_near_is_moved_apart(places: list[tuple[float, float]]) -> None:
    wanted, gaps = [x for x, _ in places], [gap for _, gap in places[1:]]
    found = apart(wanted, gaps)
    assert all(b - a >= gap - 1e-6 for (a, b), gap in zip(pairwise(found), gaps, strict=True))
    assert sum(found) == pytest.approx(sum(wanted), abs=1e-6), "as many to the left as to the right"
    assert apart(found, gaps) == pytest.approx(found), "what is far enough stays"


def crossings(points: Iterable[Sequence[Point]]) -> int:
    """How often edges cross on their way from one layer to the next."""
    parts = [part for way in points for part in pairwise(way)]
    return sum(
        a[1] == c[1] and b[1] == d[1] and (a[0] - c[0]) * (b[0] - d[0]) < 0 for (a, b), (c, d) in combinations(parts, 2)
    )


def ways(layers: Sequence[int], edges: Sequence[tuple[int, int]]) -> list[list[Point]]:
    """The points of each edge of a graph whose boxes are 80 wide."""
    found = columns(layers, edges, [40.0] * len(layers), 22.0)
    ends = list(zip(found.vertices, map(float, layers), strict=True))
    return [[ends[a], *way, ends[b]] for (a, b), way in zip(edges, found.ways, strict=True)]


def layered(seed: int) -> tuple[list[int], list[tuple[int, int]]]:
    """Four layers of six vertices, each with one to three edges from layers above."""
    rng = random.Random(seed)
    edges = [(s, v) for v in range(6, 24) for s in rng.sample(range(v // 6 * 6), rng.choice([1, 2, 2, 3]))]
    return [v // 6 for v in range(24)], edges


def test_few_edges_cross(pictures: dict[str, Picture]) -> None:
    """At most one in a few pictures of the gallery; in MLA's prologue, and in q, k and v, at most as many as where
    igraph 1.0 orders the layers. Below likewise."""
    every = {name: crossings(route.points for route in picture.routes) for name, picture in pictures.items()}
    few = {
        "swiglu_quantize_per_token", "experts_swiglu_quantize_per_token", "relu_quantize_per_tensor",
        "grouped_swiglu_quant_tensor_list", "moe_gating_top_1", "qkv_rope", "qkv_rope_interleaved",
    }  # fmt: skip
    most = {**dict.fromkeys(few, 1), "mla_prologue": 5, "split_qkv_rmsnorm_rope": 11}
    assert all(count <= most.get(name, 0) for name, count in every.items())
    stages = [(8 * n + i, 8 * n + 8 + j) for n in range(3) for i in range(8) for j in (i, i ^ (1 << n))]
    assert crossings(ways([i // 8 for i in range(32)], stages)) <= 52
    assert crossings(ways([0, 0, 0, 1, 1, 1], [(i, j) for i in range(3) for j in range(3, 6)])) <= 9
    igraphs = [61, 41, 36, 108, 68, 105, 36, 55, 126, 86]
    found = [crossings(ways(*layered(seed))) for seed in range(10)]
    assert sum(found) <= sum(igraphs), found


def test_a_picture_is_the_same_in_every_process(tmp_path: Path) -> None:
    code = (
        "from pathlib import Path; from evtgen.frontend.load import load\n"
        "from evtgen.report.page.report import graph_of\n"
        "from evtgen.planner.plan import lower\n"
        f"print(*(graph_of(lower(e)) for e in load([Path({str(CHECKOUT / 'examples/gallery/rows.py')!r})])))"
    )
    one, other = (python(code, tmp_path, PYTHONHASHSEED=seed).stdout for seed in "12")
    assert one == other and "<svg" in one


def test_the_faults_of_a_picture_are_seen(pictures: dict[str, Picture]) -> None:
    picture = pictures["layer_norm"]
    first, second, *rest = picture.boxes
    moved = replace(second, x=first.x + 5, y=first.y + 5)
    assert any("lies on" in fault for fault in faults(replace(picture, boxes=(first, moved, *rest))))
    long = replace(first, box=replace(first.box, title="x" * 40))
    assert any("wider" in fault for fault in faults(replace(picture, boxes=(long, second, *rest))))
    bent = replace(picture.routes[0], points=(*picture.routes[0].points[:-1], (0.0, 0.0)))
    assert any("at its top" in fault for fault in faults(replace(picture, routes=(bent, *picture.routes[1:]))))
    (sink,) = (route for route in picture.routes if picture.boxes[route.edge.target].box.alias == "AuxStoreD")
    back = replace(sink, edge=Edge(sink.edge.target, sink.edge.source))
    assert any("goes up" in fault for fault in faults(replace(picture, routes=(back,))))
    through = (picture.routes[0].points[0], (rest[0].centre, rest[0].y + 5), picture.routes[0].points[-1])
    crossed = replace(picture.routes[0], edge=Edge(0, 1), points=through)
    assert any("goes through" in fault for fault in faults(replace(picture, routes=(crossed,))))


def test_every_picture_is_xml(pictures: dict[str, Picture]) -> None:
    for picture in pictures.values():
        root = ET.fromstring(standalone(picture))
        boxes = [g for g in root.iter(f"{SVG}g") if "node" in g.get("class", "").split()]
        assert len(boxes) == len(picture.boxes)
        assert all(g.find(f"{SVG}title") is not None and len(g.findall(f"{SVG}text")) == 3 for g in boxes)
        assert len(list(root.iter(f"{SVG}path"))) == 2 * len(picture.routes)


def test_text_is_escaped() -> None:
    box = Box('<script>&"', "Alias", "half M × N", "compute", 0, 0, False, "a < b")
    text = standalone(laid_out(Drawing("name", (box,), ())))
    assert "<script" not in text and "&lt;script&gt;&amp;&#34;" in text and "a &lt; b" in text
    assert ET.fromstring(text).find(f".//{SVG}text").text == '<script>&"'  # type: ignore[union-attr]


def test_a_picture_needs_nothing_else(pictures: dict[str, Picture]) -> None:
    text = standalone(pictures["layer_norm"])
    assert re.findall(r"[a-z]+://[^\s\"]*", text) == ["http://www.w3.org/2000/svg"]
    assert "prefers-color-scheme: dark" in text and "url(" not in text and "@import" not in text
    assert set(re.findall(r"var\((--[\w-]+)", text)) <= set(re.findall(r"(--[\w-]+):", text))


def test_inputs_are_told_apart(plans: dict[str, Plan]) -> None:
    drawing = drawing_of(plans["layer_norm"])
    by_alias = {(box.phase, box.alias): index for index, box in enumerate(drawing.boxes)}
    minus = by_alias[1, "Minus"]
    assert drawing.boxes[minus].title == "x - y"
    found = {edge.label: drawing.boxes[edge.source].alias for edge in drawing.edges if edge.target == minus}
    assert found == {"x": "Plus", "y": "ColBroadcastMeanOfPlus"}
    square = by_alias[1, "Multiplies"]
    assert drawing.boxes[square].title == "x * x"
    assert [edge.label for edge in drawing.edges if edge.target == square] == [""]


def test_phases_say_what_crosses_and_what_is_computed_again(plans: dict[str, Plan]) -> None:
    drawing = drawing_of(plans["layer_norm"])
    assert [band.title for band in drawing.bands] == ["Phase 1 of 3", "Phase 2 of 3", "Phase 3 of 3"]
    assert drawing.bands[0].note == "leaves in the workspace: MeanOfPlus (reduced)" and not drawing.bands[2].note
    again = {(box.phase, box.alias) for box in drawing.boxes if box.again}
    assert again == {(phase, name) for phase in (1, 2) for name in ("AccLoad", "RowBroadcastBias", "Plus")} | {
        (2, "Minus")
    }
    crossing = [(drawing.boxes[e.source], drawing.boxes[e.target]) for e in drawing.edges if e.crosses]
    assert [(a.phase, b.phase, a.title, b.title) for a, b in crossing] == [
        (0, 1, "MeanOfPlus", "MeanOfPlus"),
        (0, 2, "MeanOfPlus", "MeanOfPlus"),
        (1, 2, "MeanOfMultiplies", "MeanOfMultiplies"),
    ]
    kept = drawing_of(plans["experts_swiglu_quantize_per_token"])
    assert kept.bands[0].note == "leaves in the workspace: Multiplies (kept), MaxOfAbsolute (reduced)"
    assert [(box.phase, box.alias) for box in kept.boxes if box.again] == [(1, "CastMultipliesToFloat")]


def test_what_several_read_says_so(plans: dict[str, Plan]) -> None:
    drawing = drawing_of(plans["expert_swiglu_dequant_quant"])
    assert {box.alias: box.value for box in drawing.boxes if box.uses > 1} == {
        "ColBroadcastToken": "float32 M × 1, 2 uses"
    }


def test_long_names_lose_their_middle() -> None:
    assert shortened("RowBroadcastGamma", 17) == "RowBroadcastGamma"
    assert shortened("RowBroadcastGamma", 9) == "RowB…amma"
    assert width("日本", 10) == 2 * width("ab", 10)
