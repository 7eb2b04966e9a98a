"""The time over K, the roofline, and the bytes of each tensor."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from markupsafe import Markup

from ....measure.over_k import OPERANDS, OverK, moved, needed
from ....measure.profile import Profile
from ....pipeline.report import Subject
from ....system.translation import tr
from ..html import Fragment, join, table, tag

WIDTH, HEIGHT, LEFT, BOTTOM = 460, 250, 58, 34
"""A figure, and the room for the numbers of its axes."""

Points = Sequence[tuple[float, float, str]]
"""Values of both axes, and words."""


def section(subject: Subject) -> Fragment | None:
    """Two figures and two tables; None if nothing was run."""
    found, own = subject.over_k, subject.profile
    if found is None or own is None:
        return None
    word = "TFLOP/s" if subject.plan.operands[0].kind == "float" else "TOP/s"
    note = tr(
        "At {size}, on the clock, with the fixed cost of a launch. A, B and each tensor count as bytes once.",
        size=of_any_k(own),
    )
    figures = tag("div", _curve(found), _roofline(found, word), class_="figures")
    head = ["K", "µs", tr("matmul alone"), tr("times as long"), word, "GB/s", tr("{unit}/byte", unit=word[1:-2])]
    rows = [
        [f"{one.k:,}", f"{one.microseconds:,.1f}", *_plain(one.microseconds, one.plain), f"{one.rate / 1e6:,.1f}",
         f"{one.bandwidth:,.0f}", f"{one.intensity:,.0f}"]
        for one in found.points
    ]  # fmt: skip
    parts = [tag("p", note, class_="note"), figures, table(head, rows, numbers=range(7)), _bytes(subject)]
    return Fragment(tr("Time over K"), "over-k", join(parts))


def of_any_k(own: Profile) -> str:
    """The size of a launch with K in the place of its number."""
    return f"{own.size(' × ').rpartition(' × ')[0]} × K"


def _plain(microseconds: float, plain: float | None) -> list[str]:
    return ["", ""] if plain is None else [f"{plain:,.1f}", f"{microseconds / plain:.2f}"]


def _bytes(subject: Subject) -> Markup:
    """The bytes of each tensor in memory, and those that the cores copy."""
    plan, own = subject.plan, subject.profile
    assert own is not None
    copied, problem = moved(own, plan), plan.problem(own.shape, own.matmuls)
    rows = [
        [
            tr("A and B") if name == OPERANDS else name,
            f"{size:,}",
            f"{copied[name]:,}" if name in copied else "",
            _rate(copied.get(name, 0), own.microseconds),
        ]
        for name, size in needed(plan, problem).items()
    ]
    rows.append([tr("C and workspace"), "", f"{copied.get('', 0):,}", _rate(copied.get("", 0), own.microseconds)])
    note = tr(
        "At {size}. Copies of {operands} are not counted: the clock takes a block of the matmul as a whole.",
        size=own.size(" × "), operands=tr("A and B"),
    )  # fmt: skip
    head = [tr("tensor"), tr("bytes"), tr("copied by all cores"), "GB/s"]
    return tag("h3", tr("Bytes")) + tag("p", note, class_="note") + table(head, rows, numbers=(1, 2, 3))


def _rate(count: int, microseconds: float) -> str:
    return f"{count / microseconds / 1000:,.0f}" if count else ""


def _curve(found: OverK) -> Markup:
    own = [(one.k, one.microseconds, f"K = {one.k:,}: {one.microseconds:,.1f} µs") for one in found.points]
    plain = [(one.k, one.plain, tr("matmul alone: {us:,.1f} µs", us=one.plain)) for one in found.points if one.plain]
    return _figure(tr("µs over K"), {"plain": plain, "own": own}, [one.k for one in found.points])


def _roofline(found: OverK, word: str) -> Markup:
    dots = [
        (one.intensity, one.rate / 1e6, f"K = {one.k:,}: {one.rate / 1e6:,.1f} {word}, {one.bandwidth:,.0f} GB/s")
        for one in found.points
    ]
    ridge, peak = found.peak / found.bandwidth, found.peak / 1e6
    low, high = min(ridge / 2, dots[0][0]), max(ridge * 2, dots[-1][0])
    roof = [
        (low, low * found.bandwidth / 1e6, tr("memory: {rate:,.0f} GB/s", rate=found.bandwidth / 1000)),
        (ridge, peak, tr("cube cores: {peak:,.0f} {unit}", peak=peak, unit=word)),
        (high, peak, ""),
    ]
    ticks = [2**n for n in range(math.ceil(math.log2(low)), math.floor(math.log2(high)) + 1)]
    return _figure(tr("{rate} over {unit}/byte", rate=word, unit=word[1:-2]), {"roof": roof, "own": dots}, ticks)


def _figure(title: str, lines: dict[str, Points], ticks: Sequence[int]) -> Markup:
    """Lines on two axes by powers; a line has the class of its name."""
    xs, ys = zip(*((x, y) for points in lines.values() for x, y, _ in points), strict=True)
    first, last = math.floor(math.log10(min(ys))), math.ceil(math.log10(max(ys)) + 0.001)
    low, wide = math.log(min(xs)), math.log(max(xs) / min(xs)) or 1.0

    def x(value: float) -> float:
        return LEFT + 12 + (math.log(value) - low) / wide * (WIDTH - LEFT - 40)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - (math.log10(value) - first) / (last - first) * (HEIGHT - BOTTOM - 24)

    def drawn() -> Iterator[Markup]:
        for power in range(first, last + 1):
            at = f"{y(10.0**power):.1f}"
            yield tag("line", x1=LEFT, x2=WIDTH, y1=at, y2=at, class_="grid")
            yield tag("text", f"{10.0**power:,g}", x=LEFT - 6, y=at, dy="0.35em", class_="mark")
        for tick in ticks[:: -(-len(ticks) // 8)]:
            yield tag("text", f"{tick:,}", x=f"{x(tick):.1f}", y=HEIGHT - BOTTOM + 18, class_="tick")
        for name, points in lines.items():
            places = [(f"{x(a):.1f}", f"{y(b):.1f}") for a, b, _ in points]
            yield tag("polyline", points=" ".join(map(",".join, places)), class_=name)
            for (across, down), (_, value, words) in zip(places, points, strict=True):
                dot = tag("circle", cx=across, cy=down, r=4 if name == "own" else 3)
                # Below the roof, but not on the ticks.
                below = "roof" in lines and float(down) < HEIGHT - BOTTOM - 14
                label = tag("text", f"{value:,.3g}", x=across, y=down, dy=f"{'1.6' if below else '-0.7'}em")
                yield tag("g", tag("title", words), dot, label if name == "own" else None, class_=name)

    svg = tag("svg", *drawn(), viewBox=f"0 0 {WIDTH} {HEIGHT}", class_="figure", role="img", aria_label=title)
    said = [tag("span", tag("i", class_=f"swatch {name}"), text) for name, text in LEGEND.items() if name in lines]
    return tag("figure", tag("figcaption", title), svg, tag("p", *said, class_="legend"))


LEGEND = {
    "own": tr("the epilogue"),
    "plain": tr("the matmul alone"),
    "roof": tr("the most by memory, and by the cube cores"),
}
"""The lines by their classes."""
