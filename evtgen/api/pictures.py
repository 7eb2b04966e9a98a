"""Pictures in the cells of a notebook: the graph of an epilogue, and the timeline of a profile.

Whatever a cell shows is a part of the notebook's page. So the graph, which has a style of its own, is an image, and the
timeline has colours for light and dark paper in its elements alone.
"""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from itertools import islice

from markupsafe import Markup

from ..measure.profile import Profile
from ..measure.timeline import Lane, Slice, timeline
from ..planner.plan import Plan
from ..report.page.graph import drawing_of, laid_out, standalone
from ..report.page.html import tag
from ..system.translation import tr
from ..system.words import number

COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#e15759", "#76b7b2")
"""Of tiles, taken in turn; white and black are read on them."""

MOST = 120
"""Slices of a pipe; one that has more ends earlier."""

LEFT, WIDTH, ROW, GAP, HEAD = 64, 800, 20, 4, 22


def graph(plan: Plan) -> str:
    """The graph."""
    drawn = standalone(laid_out(drawing_of(plan)))
    source = f"data:image/svg+xml;base64,{b64encode(drawn.encode()).decode()}"
    return str(tag("img", src=source, alt=tr("The graph of {name}", name=plan.name), style="max-width: 100%"))


def timelines(profiles: Sequence[Profile]) -> str:
    """The vector core that ends last of each profile, all to the same scale; a colour is a tile."""
    drawn = [(profile, timeline(profile)) for profile in profiles]
    lanes = [[lane for lane in line.lanes if lane.core.startswith("AIV") and lane.pipe != "S"] for _, line in drawn]
    shown = max((_end(of) for of in lanes), default=1) or 1
    height = HEAD + (ROW + GAP) * max(map(len, lanes), default=0)
    parts = []
    for place, ((profile, _), of) in enumerate(zip(drawn, lanes, strict=True)):
        buffers = number(profile.buffers, tr("{count} buffer{s}"))
        title = tr(
            "{name}, {buffers}: {cycles:,} cycles", name=profile.epilogue, buffers=buffers, cycles=profile.cycles
        )
        if any(len(_work(lane)) == MOST for lane in of):
            title += tr(", of which the first {count:,} are shown", count=_end(of))
        rows = [_row(lane, HEAD + index * (ROW + GAP), shown) for index, lane in enumerate(of)]
        head = tag("text", title, x=LEFT, y=14, font_weight="bold")
        parts.append(tag("g", head, *rows, transform=f"translate(0 {place * height})"))
    label = tr("Timelines of the pipes of a vector core")
    box = f"0 0 {LEFT + WIDTH + 4} {height * len(parts)}"
    style = "max-width: 100%; font: 12px sans-serif; fill: currentColor"
    return str(tag("svg", *parts, viewBox=box, width=LEFT + WIDTH + 4, role="img", aria_label=label, style=style))


def _work(lane: Lane) -> list[Slice]:
    return list(islice((one for one in lane.slices if not one.waits), MOST))


def _end(lanes: Sequence[Lane]) -> int:
    """The cycle up to which all of the lanes are shown."""
    full = [work[-1].end for lane in lanes if len(work := _work(lane)) == MOST]
    return min(full) if full else max((one.end for lane in lanes for one in _work(lane)), default=0)


def _row(lane: Lane, y: int, shown: int) -> Markup:
    scale = WIDTH / shown
    ground = tag("rect", x=LEFT, y=y, width=WIDTH, height=ROW, fill="currentColor", fill_opacity="0.08")
    bars = []
    for one in _work(lane):
        if one.begin >= shown:
            break
        width = min(one.cycles, shown - one.begin) * scale
        of_tile = "" if one.tile is None else tr(", tile {place}", place=one.tile)
        when = tr("{count:,} cycles from {begin:,}", count=one.cycles, begin=one.begin)
        said = tag("title", tr("{name}: {call}, {when}", name=f"{one.name}{of_tile}", call=one.call, when=when))
        colour = "#888888" if one.tile is None else COLOURS[one.tile % len(COLOURS)]
        place = {"x": f"{LEFT + one.begin * scale:.1f}", "width": f"{max(width, 0.6):.1f}"}
        bars.append(tag("rect", said, **place, y=y, height=ROW, fill=colour))
    name = tag("text", lane.pipe, x=LEFT - 8, y=y + 14, text_anchor="end")
    return tag("g", ground, name, *bars)
