"""The timeline: the work of each pipe over time, for each number of buffers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from markupsafe import Markup

from ....emit.places import epilogue_path
from ....measure.profile import Profile
from ....measure.timeline import Lane, Slice, Timeline, timeline
from ....model.roots import include_roots
from ....passes.analysis.gemm import block_shape
from ....pipeline.report import Subject
from ....system.words import counted
from ..html import Fragment, data, join, tag

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
    block, sources = block_shape(subject.plan.gemm), _Sources(subject)
    drawn = [(profile, timeline(profile, block)) for profile in subject.profiles]
    most = max(line.shown for _, line in drawn)
    built = subject.plan.buffers
    panels = [_panel(profile, line, sources, built=profile.buffers == built) for profile, line in drawn]
    canvas = tag("div", _axis(most), *panels, class_="canvas")
    scroller = tag(
        "div", canvas, class_="scroller", tabindex=0, role="region", aria_label=f"Timeline of {subject.name}"
    )
    box = tag(
        "div", _controls(subject), scroller, tag("p", class_="detail", aria_live="polite"), class_="timeline",
        data_widget="timeline", style=f"--most:{most}", data_most=most, data_lines=subject.id("lines"),
    )  # fmt: skip
    lines = data(subject.id("lines"), {"sites": list(sources.sites), "header": subject.id("line")})
    (own,) = (line for profile, line in drawn if profile.buffers == built)
    parts = [tag("p", _caption(subject, drawn), class_="note"), _legend(), box, lines, _ends(own)]
    return Fragment("Timeline", "timeline", join(parts))


class _Sources:
    """The lines that bars are emitted from.

    Attributes:
        sites: of each place its name, the text of the line, and the line in the header that names the node, 0 without.
    """

    def __init__(self, subject: Subject) -> None:
        self._files = {Path(path).name: text.splitlines() for path, text in subject.headers.items()}
        self._header = self._files[epilogue_path(subject.name)]
        self._others = {path.name: path for root in include_roots(None) for path in root.rglob("*.hpp")}
        self.sites: dict[tuple[str, str, int], int] = {}

    def number(self, one: Slice) -> int | None:
        """The number of a bar's site."""
        name, _, line = one.site.rpartition(":")
        if name not in self._files:
            if name not in self._others:
                return None
            self._files[name] = self._others[name].read_text(encoding="utf-8").splitlines()
        text = self._files[name][int(line) - 1].strip()
        return self.sites.setdefault((one.site, text, self._named(one)), len(self.sites))

    @cache  # noqa: B019 - it lives as long as the section is made
    def _alias(self, name: str) -> int:
        found = (at for at, text in enumerate(self._header, 1) if re.match(rf"\s*using {name} =", text))
        return next(found, 0)

    def _named(self, one: Slice) -> int:
        return 0 if one.waits else self._alias(one.name.rpartition("::")[2])


def _ends(line: Timeline) -> Markup:
    """A bar for each core, from its first work to the end of its last."""
    row = max(2.0, min(6.0, 240 / max(1, len(line.ends))))
    bars = [
        tag("rect", tag("title", f"{core}: from {begin:,} to {end:,}"), x=f"{100 * begin / line.cycles:.2f}%",
            y=f"{number * row:.1f}", width=f"{100 * (end - begin) / line.cycles:.2f}%", height=f"{row - 0.5:.1f}",
            class_="cube" if core.startswith("AIC") else "vector")
        for number, (core, begin, end) in enumerate(sorted(line.ends))
    ]  # fmt: skip
    last = [f"{counted(len(of), word)} from {min(of):,} to {max(of):,}" for word, of in _by_kind(line) if of]
    words = f"They end: {'; '.join(last)}. A bar is a core of the kernel as it is built, from its first work on."
    svg = tag("svg", *bars, width="100%", height=f"{row * len(bars):.0f}", class_="ends", role="img", aria_label=words)
    return tag("h3", "The ends of all cores") + tag("p", words, class_="note") + svg


def _by_kind(line: Timeline) -> Iterator[tuple[str, list[int]]]:
    for word, kind in (("cube core", "AIC"), ("vector core", "AIV")):
        yield word, [end for core, _, end in line.ends if core.startswith(kind)]


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


def _panel(profile: Profile, line: Timeline, sources: _Sources, *, built: bool) -> Markup:
    title = tag(
        "h3", counted(profile.buffers, "buffer"), tag("small", f" {profile.cycles:,} cycles{', as built' * built}")
    )
    rows = [_lane(lane, sources) for lane in line.lanes]
    groups = [(f"group {number}: {size:,} rows", begin, end) for number, size, begin, end in line.groups]
    phases = [(name.replace("phase", "phase "), begin, end) for name, begin, end in line.phases]
    for label, spans in (("groups", groups), ("phases", phases)):
        bars = [
            tag("b", words, class_="phase", style=f"--b:{begin};--d:{end - begin}",
                title=f"{words}, from {begin:,} to {end:,}")
            for words, begin, end in spans
        ]  # fmt: skip
        rows[:0] = [_row(label, join(bars))] if bars else []
    return tag("section", title, *rows, class_="run")


def _lane(lane: Lane, sources: _Sources) -> Markup:
    kind = "cube" if lane.core.startswith("AIC") else "vector"
    bars = join(_bar(one, sources) for one in lane.slices)
    return _row(lane.pipe, bars, title=f"{lane.pipe} of {lane.core}", kind=kind)


def _row(label: str, bars: Markup, title: str | None = None, kind: str = "") -> Markup:
    words = [label, tag("small", kind) if kind else None]
    return tag("div", tag("span", *words, class_="pipe", title=title), tag("div", bars, class_="track"), class_="lane")


def _bar(one: Slice, sources: _Sources) -> Markup:
    colour = "wait" if one.waits else "cn" if one.tile is None else f"c{one.tile % COLOURS}"
    place = f"--b:{one.begin};--d:{one.cycles}"
    return tag(
        "b", _what(one), class_=colour, style=place, data_t=one.tile, data_l=sources.number(one),
        title="".join(_words(one)),
    )  # fmt: skip


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
