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
from ....system.translation import tr
from ....system.words import number
from ..html import Fragment, data, join, tag
from .times import phase_text

COLOURS = 7
"""Colours of tiles, taken in turn: ``--kind-0`` and the following."""

TICKS = 6
"""The approximate number of ticks on the axis before it is zoomed."""

SPOKEN = {"BlockMmad": tr("matmul"), "barrier": tr("barrier")}
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
        "div",
        canvas,
        class_="scroller",
        tabindex=0,
        role="region",
        aria_label=tr("Timeline of {name}", name=subject.name),
    )
    box = tag(
        "div", _controls(subject), scroller, tag("p", class_="detail", aria_live="polite"), class_="timeline",
        data_widget="timeline", style=f"--most:{most}", data_most=most, data_lines=subject.id("lines"),
    )  # fmt: skip
    words = tr("line {line} of the header")
    lines = data(subject.id("lines"), {"sites": list(sources.sites), "header": subject.id("line"), "words": words})
    (own,) = (line for profile, line in drawn if profile.buffers == built)
    parts = [tag("p", _caption(subject, drawn), class_="note"), _legend(), box, lines, _ends(own)]
    return Fragment(tr("Timeline"), "timeline", join(parts))


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
    of = tr("{core}: from {begin:,} to {end:,}")
    bars = [
        tag("rect", tag("title", of.format(core=core, begin=begin, end=end)), x=f"{100 * begin / line.cycles:.2f}%",
            y=f"{number * row:.1f}", width=f"{100 * (end - begin) / line.cycles:.2f}%", height=f"{row - 0.5:.1f}",
            class_="cube" if core.startswith("AIC") else "vector")
        for number, (core, begin, end) in enumerate(sorted(line.ends))
    ]  # fmt: skip
    span = tr("{cores} from {first:,} to {last:,}")
    last = [span.format(cores=number(len(of), text), first=min(of), last=max(of)) for text, of in _by_kind(line) if of]
    words = tr("They end: {ends}. A bar is a core of the kernel as it is built, from its first work on.")
    words = words.format(ends=tr("; ").join(last))
    svg = tag("svg", *bars, width="100%", height=f"{row * len(bars):.0f}", class_="ends", role="img", aria_label=words)
    return tag("h3", tr("The ends of all cores")) + tag("p", words, class_="note") + svg


def _by_kind(line: Timeline) -> Iterator[tuple[str, list[int]]]:
    for text, kind in ((tr("{count} cube core{s}"), "AIC"), (tr("{count} vector core{s}"), "AIV")):
        yield text, [end for core, _, end in line.ends if core.startswith(kind)]


def _caption(subject: Subject, drawn: list[tuple[Profile, Timeline]]) -> Markup:
    size = subject.profiles[0].size(" × ")
    cut = [line for _, line in drawn if line.shown < line.cycles]
    return join(
        [
            tr(
                "One cube core and the vector core that ends last, at {size}, in cycles of the CPU model's clock. All "
                "numbers of buffers have the same scale. A colour is a tile, so it can be followed from pipe to pipe.",
                size=size,
            ),
            *(
                tr(" Of {count:,} cycles the first {shown:,} are shown.", count=line.cycles, shown=line.shown)
                for line in cut
            ),
        ]
    )


def _legend() -> Markup:
    kinds = (("c0", tr("work for a tile")), ("cn", tr("work for no tile")), ("wait", tr("waits for what is named")))
    items = [tag("span", tag("i", class_=f"swatch {kind}"), text) for kind, text in kinds]
    return tag("p", *items, tag("span", tag("i", class_="swatch"), tr("nothing to do")), class_="legend")


def _controls(subject: Subject) -> Markup:
    """Buttons for the script, which shows them."""
    buttons = [
        tag("button", text, type="button", data_zoom=by, aria_label=label)
        for text, by, label in (
            ("−", 0.5, tr("Zoom out")),
            ("+", 2, tr("Zoom in")),
            (tr("Whole"), 0, tr("Show all of it")),
        )
    ]
    hint = tr(
        "Drag or scroll to move, Ctrl and wheel or two fingers to zoom; keys + − 0 and arrows. Click for details."
    )
    return tag("div", *buttons, tag("span", hint, class_="hint"), class_="controls", hidden=True)


def _axis(most: int) -> Markup:
    step = nice(most / TICKS)
    ticks = [tag("i", f"{at:,}", style=f"--b:{at}") for at in range(0, most + 1, step)]
    return tag(
        "div", tag("span", tr("cycles"), class_="pipe"), tag("div", *ticks, class_="track ticks"), class_="lane axis"
    )


def nice(least: float) -> int:
    """The smallest of 1, 2, 5, 10, 20 … that is not less."""
    power = 10 ** math.floor(math.log10(max(least, 1)))
    return next(int(power * digit) for digit in (1, 2, 5, 10) if power * digit >= least)


def _panel(profile: Profile, line: Timeline, sources: _Sources, *, built: bool) -> Markup:
    cycles = tr(" {count:,} cycles", count=profile.cycles) + tr(", as built") * built
    title = tag("h3", number(profile.buffers, tr("{count} buffer{s}")), tag("small", cycles))
    rows = [_lane(lane, sources) for lane in line.lanes]
    group = tr("group {place}: {count:,} rows")
    groups = [(group.format(place=place, count=size), begin, end) for place, size, begin, end in line.groups]
    phases = [(phase_text(name), begin, end) for name, begin, end in line.phases]
    for label, spans in ((tr("groups"), groups), (tr("phases"), phases)):
        bars = [
            tag("b", words, class_="phase", style=f"--b:{begin};--d:{end - begin}",
                title=tr("{name}, from {begin:,} to {end:,}", name=words, begin=begin, end=end))
            for words, begin, end in spans
        ]  # fmt: skip
        rows[:0] = [_row(label, join(bars))] if bars else []
    return tag("section", title, *rows, class_="run")


def _lane(lane: Lane, sources: _Sources) -> Markup:
    kind = tr(" cube") if lane.core.startswith("AIC") else tr(" vector")
    bars = join(_bar(one, sources) for one in lane.slices)
    return _row(lane.pipe, bars, title=tr("{pipe} of {core}", pipe=lane.pipe, core=lane.core), kind=kind)


def _row(label: str, bars: Markup, title: str | None = None, kind: str = "") -> Markup:
    words = [label, tag("small", kind.strip()) if kind else None]
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
    name = SPOKEN.get(one.name, one.name)
    name += "" if one.tile is None else tr(", tile {place}", place=one.tile)
    when = tr("{count:,} cycles from {begin:,}", count=one.cycles, begin=one.begin)
    if not one.waits:
        times = f"{one.count} × " if one.count > 1 else ""
        yield tr("{name}: {call}, {when}", name=name, call=f"{times}{one.call}", when=when)
        if one.done > one.end:
            yield tr("; result at {cycle:,}", cycle=one.done)
        return
    if one.who and one.who != one.name:
        yield tr("waits for {name} on {pipe}: {when}", name=name, pipe=one.who, when=when)
    else:
        yield tr("waits for {name}: {when}", name=name, when=when)
    if not one.call:
        yield tr("; S waits for it, too")
