"""A picture as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from markupsafe import Markup

from ....system.translation import tr
from ..assets import asset
from ..html import tag
from .contents import KINDS
from .layout import LEGEND_LINE, PADDING, Picture, Placed, Point, Route, Strip

ARROW = 6.0


def picture(of: Picture) -> Markup:
    """The SVG, for a page with its style."""
    return _svg(of)


def standalone(of: Picture) -> str:
    """The SVG with its style, light or dark as the reader's system is."""
    style = tag("style", Markup(asset("palette.css") + asset("graph.css")))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{_svg(of, style)}\n'


def _svg(of: Picture, style: Markup | None = None) -> Markup:
    x, y = of.legend_at
    return tag(
        "svg",
        tag("title", tr("The graph of {name}", name=of.name)),
        style,
        tag("rect", width="100%", height="100%", class_="ground"),
        *(_strip(strip) for strip in of.strips),
        *(_route(route) for route in of.routes),
        *(_strip_text(strip) for strip in of.strips),
        *(_box(box) for box in of.boxes),
        *(_key(kind, x, y + number * LEGEND_LINE) for number, kind in enumerate(of.legend)),
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {_n(of.width)} {_n(of.height)}",
        width=_n(of.width),
        height=_n(of.height),
        class_="graph",
        role="img",
        aria_label=tr("The graph of {name}", name=of.name),
    )


def _strip(strip: Strip) -> Markup:
    place = {"x": _n(strip.x), "y": _n(strip.y), "width": _n(strip.width), "height": _n(strip.height)}
    return tag("rect", class_="band", rx=8, **place)


def _strip_text(strip: Strip) -> Markup:
    note = tag("tspan", strip.note, class_="note", dx=12) if strip.note else None
    return tag("text", strip.title, note, x=_n(strip.x + PADDING), y=_n(strip.y + 20), class_="phase")


def _box(placed: Placed) -> Markup:
    box, x, y = placed.box, placed.x, placed.y
    states = [name for name, on in (("again", box.again), ("shared", box.uses > 1)) if on]
    return tag(
        "g",
        tag("title", box.about),
        tag("rect", x=_n(x), y=_n(y), width=_n(placed.width), height=_n(placed.height), rx=7),
        tag("text", box.title, x=_n(placed.centre), y=_n(y + 21), class_="title"),
        tag("text", box.alias, x=_n(placed.centre), y=_n(y + 36), class_="alias"),
        tag("text", box.value, x=_n(placed.centre), y=_n(y + 50), class_="value"),
        class_=" ".join(["node", box.kind, *states]),
    )


def _route(route: Route) -> Markup:
    points = route.points
    end_x, end_y = points[-1]
    tip = (end_x, end_y - ARROW)
    path = _path([*points[:-1], tip])
    head = f"M{_n(end_x - 4)} {_n(tip[1])}L{_n(end_x + 4)} {_n(tip[1])}L{_n(end_x)} {_n(end_y)}Z"
    label = route.edge.label
    return tag(
        "g",
        tag("path", d=path, class_="line"),
        tag("path", d=head, class_="head"),
        tag("text", label, x=_n(end_x + 6), y=_n(end_y - 5)) if label else None,
        class_="edge crosses" if route.edge.crosses else "edge",
    )


def _key(kind: str, x: float, y: float) -> Markup:
    return tag(
        "g",
        tag("rect", x=_n(x), y=_n(y), width=14, height=11, rx=3),
        tag("text", KINDS[kind], x=_n(x + LEGEND_LINE + 4), y=_n(y + 9.5)),
        class_=f"key {kind}",
    )


def _path(points: Sequence[Point]) -> str:
    """From point to point: straight in a column or a row, else bent."""
    parts = []
    for (x0, y0), (x, y) in pairwise(points):
        middle = _n((y0 + y) / 2)
        straight = abs(x - x0) < 0.1 or abs(y - y0) < 0.1
        parts.append(f"L{_n(x)} {_n(y)}" if straight else f"C{_n(x0)} {middle} {_n(x)} {middle} {_n(x)} {_n(y)}")
    return "".join([f"M{_n(points[0][0])} {_n(points[0][1])}", *parts])


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")
