"""The timeline: the work of each pipe over time, for each number of buffers."""

from __future__ import annotations

import math
from collections.abc import Iterator

from markupsafe import Markup

from ....measure.profile import Profile
from ....measure.timeline import Lane, Slice, Timeline, timeline
from ....pipeline.report import Subject
from ....system.words import counted
from ..html import Fragment, join, tag

COLOURS = 7
"""Colours of tiles, taken in turn: ``--kind-0`` and the following."""

TICKS = 6
"""The approximate number of ticks on the axis before it is zoomed."""

SPOKEN = {"BlockMmad": "matmul"}
"""The page's names for work that no node does."""


def section(subject: Subject) -> Fragment | None:
    """The timelines of an epilogue; None if nothing was run."""
    if not subject.profiles:
        return None
    drawn = [(profile, timeline(profile)) for profile in subject.profiles]
    most = max(line.shown for _, line in drawn)
    panels = [_panel(profile, line, built=profile.buffers == subject.plan.buffers) for profile, line in drawn]
    canvas = tag("div", _axis(most), *panels, class_="canvas")
    scroller = tag(
        "div", canvas, class_="scroller", tabindex=0, role="region", aria_label=f"Timeline of {subject.name}"
    )
    box = tag(
        "div", _controls(subject), scroller, tag("p", class_="detail", aria_live="polite"), class_="timeline",
        data_widget="timeline", style=f"--most:{most}", data_most=most,
    )  # fmt: skip
    return Fragment("Timeline", "timeline", tag("p", _caption(subject, drawn), class_="note") + _legend() + box)


def _caption(subject: Subject, drawn: list[tuple[Profile, Timeline]]) -> Markup:
    size = subject.profiles[0].size(" × ")
    cut = [line for _, line in drawn if line.shown < line.cycles]
    return join(
        [
            f"One cube core and the vector core that ends last, at {size}, in cycles of the CPU model's clock. ",
            "All numbers of buffers have the same scale. A colour is a tile, so it can be followed from pipe to pipe.",
            *(f" Of {line.cycles:,} cycles the first {line.shown:,} are shown." for line in cut),
        ]
    )


def _legend() -> Markup:
    kinds = (("c0", "work for a tile"), ("cn", "work for no tile"), ("wait", "waits for what is named"))
    items = [tag("span", tag("i", class_=f"swatch {kind}"), text) for kind, text in kinds]
    return tag("p", *items, tag("span", tag("i", class_="swatch"), "nothing to do"), class_="legend")


def _controls(subject: Subject) -> Markup:
    """Buttons for the script, which shows them."""
    buttons = [
        tag("button", text, type="button", data_zoom=by, aria_label=label)
        for text, by, label in (("−", 0.5, "Zoom out"), ("+", 2, "Zoom in"), ("Whole", 0, "Show all of it"))
    ]
    hint = "Drag or scroll to move, Ctrl and wheel or two fingers to zoom; keys + − 0 and arrows. Click for details."
    return tag("div", *buttons, tag("span", hint, class_="hint"), class_="controls", hidden=True)


def _axis(most: int) -> Markup:
    step = nice(most / TICKS)
    ticks = [tag("i", f"{at:,}", style=f"--b:{at}") for at in range(0, most + 1, step)]
    return tag(
        "div", tag("span", "cycles", class_="pipe"), tag("div", *ticks, class_="track ticks"), class_="lane axis"
    )


def nice(least: float) -> int:
    """The smallest of 1, 2, 5, 10, 20 … that is not less."""
    power = 10 ** math.floor(math.log10(max(least, 1)))
    return next(int(power * digit) for digit in (1, 2, 5, 10) if power * digit >= least)


def _panel(profile: Profile, line: Timeline, *, built: bool) -> Markup:
    title = tag(
        "h3", counted(profile.buffers, "buffer"), tag("small", f" {profile.cycles:,} cycles{', as built' * built}")
    )
    rows = [_lane(lane) for lane in line.lanes]
    if line.phases:
        bars = [
            tag("b", words := name.replace("phase", "phase "), class_="phase", style=f"--b:{begin};--d:{end - begin}",
                title=f"{words}: from {begin:,} to {end:,}")
            for name, begin, end in line.phases
        ]  # fmt: skip
        rows.insert(0, _row("phases", Markup("").join(bars)))
    return tag("section", title, *rows, class_="run")


def _lane(lane: Lane) -> Markup:
    kind = "cube" if lane.core.startswith("AIC") else "vector"
    bars = Markup("").join(_bar(one) for one in lane.slices)
    return _row(lane.pipe, bars, title=f"{lane.pipe} of {lane.core}", kind=kind)


def _row(label: str, bars: Markup, title: str | None = None, kind: str = "") -> Markup:
    words = [label, tag("small", kind) if kind else None]
    return tag("div", tag("span", *words, class_="pipe", title=title), tag("div", bars, class_="track"), class_="lane")


def _bar(one: Slice) -> Markup:
    colour = "wait" if one.waits else "cn" if one.tile is None else f"c{one.tile % COLOURS}"
    place = f"--b:{one.begin};--d:{one.cycles}"
    return tag("b", _what(one), class_=colour, style=place, data_t=one.tile, title="".join(_words(one)))


def _what(one: Slice) -> str:
    node = one.name.rpartition("::")[2]
    return SPOKEN.get(node, node) + ("" if one.tile is None else f" {one.tile}")


def _words(one: Slice) -> Iterator[str]:
    """A slice in words."""
    tile = "" if one.tile is None else f", tile {one.tile}"
    name = SPOKEN.get(one.name, one.name)
    when = f"{one.cycles:,} cycles from {one.begin:,}"
    if not one.waits:
        times = f"{one.count} × " if one.count > 1 else ""
        yield f"{name}{tile}: {times}{one.call}, {when}"
        if one.done > one.end:
            yield f"; result at {one.done:,}"
        return
    yield "waits for "
    yield f"{name}{tile}"
    if one.who and one.who != one.name:
        yield f" on {one.who}"
    yield f": {when}"
    if not one.call:
        yield "; S waits for it, too"
