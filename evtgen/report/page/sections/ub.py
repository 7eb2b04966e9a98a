"""UB as a map over time, for each number of buffers: the places of tiles, and how long they hold them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from ....nodes import node_of
from ....pipeline.report import Subject
from ....planner.parts import traits_of
from ....planner.plan import Plan
from ....planner.tile import Life, Part, lives
from ....system.translation import tr
from ....system.words import number
from ..graph.contents import kind_of
from ..graph.text import PITCH, SMALL, shortened, width
from ..html import Fragment, join, tabs, tag

MOST = 26
"""The most characters of the name of a visit."""
LABELS = (MOST + 1) * PITCH * SMALL
"""The room for the names of visits, at the left."""
ACROSS = 720.0
"""From the first byte of a buffer to its last."""
ROW = 26.0
BAR = 26.0
"""The height of the bar of the whole UB."""

PARTS = {
    Part.TILE: tr("its tile"),
    Part.LOADED: tr("what it loads"),
    Part.SCRATCH: tr("its scratch"),
    Part.STORED: tr("what it stores"),
}


def section(subject: Subject) -> Fragment:
    """A map for each number of buffers and each phase."""
    about = tag(
        "p",
        tr(
            "The bytes of a buffer from left to right, the visits of a tile from top to bottom. A box is a tile, from "
            "the visit that fills it to the last one that reads it; what comes after it in the same column has its "
            "place. A dashed line is a barrier of the vector pipe."
        ),
    )
    panels = [(_title(plan, subject.plan), _maps(plan, subject)) for plan in subject.plans]
    shown = [plan.buffers for plan in subject.plans].index(subject.plan.buffers)
    return Fragment(
        tr("UB over time"), "ub", join([about, tabs(subject.id("buffers"), panels, shown=shown, label=tr("Buffers"))])
    )


def _title(plan: Plan, own: Plan) -> str:
    chosen = tr(", as built") if plan.buffers == own.buffers else ""
    return number(plan.buffers, tr("{count} buffer{s}")) + chosen


def _maps(plan: Plan, subject: Subject) -> Markup:
    made: list[Markup | None] = []
    for place, part in enumerate(plan.graphs, 1):
        text = tr(
            "Tiles of {elements:,} elements, buffers of {size:,} bytes: {used:,} of {limit:,} used.",
            elements=part.compute_length, size=part.ub.offsets[-1], used=part.ub_used, limit=part.ub_limit,
        )  # fmt: skip
        title = tr("Whole rows") if part is plan.rows else tr("Phase {count}", count=place)
        made.append(tag("h4", title) if plan.parts else None)
        made += [tag("p", text), tag("div", ub_map(part), class_="wide")]
    return join(made)


@dataclass(frozen=True)
class Row:
    """A visit, or LOAD or STORE around them: its name, its number in the order, and whether a barrier comes before."""

    name: str
    visit: int
    barrier: bool = False


def rows_of(plan: Plan) -> list[Row]:
    """LOAD, the visits in which V has work, STORE."""
    order = plan.ub.plan.order
    worked = [
        Row(plan.aliases[node], visit, node in plan.ub.plan.barriers)
        for visit, node in enumerate(order)
        if (traits := traits_of(node_of(plan.steps[node]))).pending or traits.reads_in_compute
    ]
    return [Row("LOAD", -1), *worked, Row("STORE", len(order))]


def ub_map(plan: Plan) -> Markup:
    """The map of one phase as SVG: the whole of UB above, one of its buffers below."""
    rows = rows_of(plan)
    total = LABELS + ACROSS + 8
    first = BAR + 44
    bottom = first + ROW * len(rows)
    return tag(
        "svg",
        tag("title", tr("UB with {count} buffers", count=plan.buffers)),
        *_whole(plan, first),
        *(_row(row, first + ROW * number) for number, row in enumerate(rows)),
        *_barriers(rows, first),
        *_boxes(plan, rows, first),
        *_ticks(plan, bottom),
        viewBox=f"0 0 {total:.0f} {bottom + 22:.0f}",
        width=f"{total:.0f}",
        height=f"{bottom + 22:.0f}",
        class_="ub",
        role="img",
        aria_label=tr("A map of UB"),
    )


def _whole(plan: Plan, first: float) -> Iterator[Markup]:
    """The bar of the whole UB: its buffers, the bytes of the accumulator, the free bytes."""
    usable = plan.arch.ub_usable
    size, at = plan.ub.offsets[-1], 0
    # Blocks of the accumulator, where it comes through UB, lie at the start.
    segments = [(tr("the accumulator"), plan.ub_workspace, "resident")]
    segments += [(tr("buffer {place}", place=place), size, "buffer") for place in range(plan.buffers)]
    segments.append((tr("free"), usable - plan.ub_used - plan.ub_workspace, "free"))
    yield tag("text", tr("UB, {bytes:,} bytes", bytes=usable), x=0, y=17)
    for name, count, kind in segments:
        x, across = LABELS + ACROSS * at / usable, ACROSS * count / usable
        at += count
        if not count:
            continue
        yield tag(
            "g",
            tag("title", tr("{name}: {count:,} bytes", name=name, count=count)),
            tag("rect", x=f"{x:.1f}", y=0, width=f"{across:.1f}", height=BAR),
            _label(name, x, across, 17),
            class_=kind,
        )
    start = LABELS + ACROSS * plan.ub_workspace / usable
    end = start + ACROSS * size / usable
    points = f"{start:.1f},{BAR} {end:.1f},{BAR} {LABELS + ACROSS:.1f},{first - 4} {LABELS:.1f},{first - 4}"
    yield tag("polygon", points=points, class_="zoom")


def _row(row: Row, y: float) -> Markup:
    stage = "stage" if row.name in ("LOAD", "STORE") else None
    return tag(
        "g",
        tag("text", shortened(row.name, MOST), x=0, y=f"{y + 17:.1f}"),
        tag("line", x1=0, x2=f"{LABELS + ACROSS:.1f}", y1=f"{y + ROW:.1f}", y2=f"{y + ROW:.1f}"),
        tag("title", row.name),
        class_=stage or "visit",
    )


def _boxes(plan: Plan, rows: list[Row], first: float) -> Iterator[Markup]:
    """The parts of all nodes, each from the visit that fills it to the last that reads it."""
    nodes = [node_of(step) for step in plan.steps]
    found = list(lives(plan.ub.plan, nodes, [step.inputs for step in plan.steps]))
    visits = [row.visit for row in rows]
    *offsets, size = plan.ub.offsets

    def row_of(visit: int) -> int:
        return bisect_right(visits, visit) - 1

    for life in found:
        count = tuple(plan.ub.needs[life.node])[life.part]
        # In place: the one is read and the other is written in the same visit.
        taken = any(other.slot == life.slot and other.first == life.last and other is not life for other in found)
        takes = any(other.slot == life.slot and other.last == life.first and other is not life for other in found)
        top = first + ROW * (row_of(life.first) + (0.5 if takes else 0)) + 1.5
        end = first + ROW * (row_of(life.last) + (0.5 if taken else 1)) - 1.5
        x, across = LABELS + ACROSS * offsets[life.slot] / size, max(1.5, ACROSS * count / size)
        name = plan.aliases[life.node]
        text = tr("{node}, {part}: {count:,} bytes from {offset:,} on, {span}")
        part, span = PARTS[life.part], _span(plan, life)
        said = text.format(node=name, part=part, count=count, offset=offsets[life.slot], span=span)
        faint = "" if life.part is Part.TILE else " part"
        yield tag(
            "g",
            tag("title", said),
            tag("rect", x=f"{x:.1f}", y=f"{top:.1f}", width=f"{across - 1:.1f}", height=f"{end - top:.1f}", rx=3),
            _label(
                name if life.part is Part.TILE else f"{name}, {life.part.name.lower()}",
                x,
                across,
                top + 9 + min(8, (end - top) / 2 - 5),
            ),
            class_=f"{kind_of(nodes[life.node], plan.steps[life.node].inputs)}{faint}",
        )


def _span(plan: Plan, life: Life) -> str:
    order = plan.ub.plan.order
    start = "LOAD" if life.first < 0 else plan.aliases[order[life.first]]
    end = "STORE" if life.last >= len(order) else plan.aliases[order[life.last]]
    return tr("in {where}", where=start) if start == end else tr("from {start} to {end}", start=start, end=end)


def _label(name: str, x: float, across: float, y: float) -> Markup | None:
    """A name in a box, or the first word of it; nothing without room."""
    for text in (name, name.partition(",")[0]):
        if (free := across - width(text, SMALL)) >= 4:
            return tag("text", text, x=f"{x + free / 2:.1f}", y=f"{y:.1f}")
    return None


def _barriers(rows: list[Row], first: float) -> Iterator[Markup]:
    for place, row in enumerate(rows):
        if row.barrier:
            y = f"{first + ROW * place:.1f}"
            line = tag("line", x1=0, x2=f"{LABELS + ACROSS:.1f}", y1=y, y2=y)
            yield tag("g", tag("title", tr("a barrier of V before {node}", node=row.name)), line, class_="barrier")


def _ticks(plan: Plan, y: float) -> Iterator[Markup]:
    """The first bytes of slots, where there is room for them, and the end."""
    *offsets, size = plan.ub.offsets
    free = LABELS - 1
    last = f"{size:,}"
    end = LABELS + ACROSS - width(last, SMALL)
    for offset in sorted(offsets):
        x, text = LABELS + ACROSS * offset / size, f"{offset:,}"
        if free <= x and x + width(text, SMALL) < end - 8:
            yield tag("text", text, x=f"{x:.1f}", y=f"{y + 15:.1f}", class_="tick")
            free = x + width(text, SMALL) + 8
    yield tag("text", last, x=f"{end:.1f}", y=f"{y + 15:.1f}", class_="tick")
