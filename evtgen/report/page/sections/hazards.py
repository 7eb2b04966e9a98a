"""The findings of the CPU model about the order of the emitted code, each with its lines and both calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from markupsafe import Markup

from ....diagnostics.faults import declare_faults, translated
from ....diagnostics.table import TABLE
from ....pipeline.report import Subject
from ....system.translation import tr
from ....verify import Result
from ..html import Fragment, table, tag
from .header import highlighted_lines
from .results import data_text

NEIGHBOURS = 4
"""Lines that are shown on either side of a line with a finding."""

WATCHED = (
    (tr("Memory: bounds, alignment, what nothing has written"), 101, 119),
    (tr("Order of pipes and cores: every pair of accesses to the same bytes"), 120, 129),
    (tr("Flags and cross-core flags"), 130, 139),
    (tr("Atomics, launches and ends"), 140, 145),
    (tr("Queues"), 146, 149),
    (tr("Data cache: reads of old lines"), 209, 209),
    (tr("Data cache: lines that are not written back, or by two cores"), 236, 237),
    (tr("Meetings of more blocks than cores"), 238, 238),
    (tr("Order of GetValue and SetValue with other pipes"), 239, 239),
    (tr("Sums of a fixed order"), 240, 240),
    (tr("The host and its streams"), 242, 243),
    (tr("Pointers and the stack"), 244, 244),
    (tr("Modes that a kernel leaves behind"), 245, 245),
)
"""The faults that the model looks for, by the numbers of their codes."""

SEVERITIES = {"error": tr("error"), "warning": tr("warning")}

Hazard = Mapping[str, Any]


def section(subject: Subject) -> Fragment | None:
    """The findings in the runs of an epilogue, or the faults that the model looked for; None if nothing was run."""
    runs = [result for result in subject.results if result.error is None or result.hazards]
    if not runs:
        return None
    found = _collected(runs)
    parts = [_finding(subject, hazard, where) for hazard, where in found]
    if not found:
        parts.append(_none(runs))
    title = tr("Hazards: {count}", count=len(found)) if found else tr("Hazards")
    return Fragment(title, "hazards", Markup("").join([*parts, _language(runs), _watched()]))


def _collected(runs: list[Result]) -> list[tuple[Hazard, list[str]]]:
    """Each finding once, errors first, with the runs that have it."""
    found: dict[tuple[object, ...], tuple[Hazard, list[str]]] = {}
    for result in runs:
        for hazard in result.hazards:
            sites = tuple((site["file"], site["line"], site["call"]) for site in hazard.get("sites", ()))
            key = (hazard["code"], sites, hazard.get("where"))
            where = found.setdefault(key, (hazard, []))[1]
            where.append(f"{result.size(' × ')}, {data_text(result.data)}")
    return sorted(found.values(), key=lambda one: one[0].get("severity") != "error")


def _finding(subject: Subject, hazard: Hazard, runs: list[str]) -> Markup:
    severity = hazard.get("severity", "error")
    sites = hazard.get("sites", ())
    # The message ends with the place of the other call, which is shown below.
    message = translated(hazard["code"], hazard["message"].partition("; the other call is ")[0])
    kind = "bad" if severity == "error" else "warn"
    times = tr(", {count:,} times in a run", count=hazard["count"]) if hazard.get("count", 1) > 1 else ""
    shown = [_site(subject, site, number, len(sites)) for number, site in enumerate(sites, 1)]
    at = tr("At {runs}.", runs=tr("; ").join(dict.fromkeys(runs)))
    advice = hazard.get("advice")
    advice = advice and tr("{sentence}.", sentence=tr(advice))
    return tag(
        "div",
        tag("h3", tag("span", f"{SEVERITIES[severity]} {hazard['code']}", class_=kind), f" {message}"),
        tag("p", *_where(hazard), f"{hazard.get('core', '')}{times}. ", at),
        *shown,
        tag("p", tag("strong", tr("What to do: ")), advice) if advice else None,
        class_=f"callout hazard {kind}",
    )


def _where(hazard: Hazard) -> Iterator[Markup]:
    if "where" in hazard:
        yield tag("strong", hazard["where"]) + ". "


def _site(subject: Subject, site: Mapping[str, Any], number: int, of: int) -> Markup:
    """One of the calls: its line and the lines around it if it is in an emitted file, else its place."""
    where = tr(" on {pipe}", pipe=site["pipe"])
    if "node" in site:
        where = tr(" on {pipe} for {node}, buffer {buffer}", **{key: site[key] for key in ("pipe", "node", "buffer")})
    order = f"{number}. " if of > 1 else ""
    path = _emitted(subject, str(site["file"]))
    head = tag("p", order, tag("code", site["call"]), where, class_="call")
    if path is None:
        place = re.sub(r"^.*/(?:device/(?:catlass/)?|include/)", "", str(site["file"]))
        foreign = tr(", which evtgen does not emit")
        return head + tag("p", tag("code", f"{place}:{site['line']}"), foreign, class_="place")
    lines = _excerpt(subject.headers[path], int(site["line"]))
    return head + tag("p", tag("code", f"{path}:{site['line']}"), class_="place") + lines


def _excerpt(text: str, line: int) -> Markup:
    """A marked line and the lines around it, all with their numbers."""
    # The lexer needs the whole text: the line may stand in a comment.
    lines = highlighted_lines(text)
    first, last = max(1, line - NEIGHBOURS), min(len(lines), line + NEIGHBOURS)
    shown = [
        tag("span", tag("i", n), lines[n - 1], class_="line found" if n == line else "line")
        for n in range(first, last + 1)
    ]
    return tag("div", tag("pre", *shown, class_="excerpt"), class_="wide")


def _emitted(subject: Subject, file: str) -> str | None:
    """The path of an emitted file as :attr:`Subject.headers` has it; None for another file."""
    return next((path for path in subject.headers if file == path or file.endswith(f"/{path}")), None)


def _none(runs: list[Result]) -> Markup:
    instructions, count = sum(result.instructions for result in runs), len(runs)
    text = tr(
        " {instructions:,} instructions of the device were watched in {count} run{s}: every byte that they read and "
        "write, and every flag."
    )
    said = text.format(instructions=instructions, count=count, s="s" * (count != 1))
    return tag("p", tag("strong", tr("None.")), said, class_="callout good")


def _language(runs: list[Result]) -> Markup:
    """The findings by the rules of the device's C++."""
    examined = next((result.language for result in runs if result.language is not None), None)
    if examined is None:
        return Markup("")
    if examined.note:
        return tag("p", tr("The rules of the device's C++: {note}.", note=examined.note), class_="note")
    if examined.findings:
        return Markup("").join(
            tag("p", tag("strong", f"{one.code}: "), one.message, class_="callout bad") for one in examined.findings
        )
    return tag("p", tr("The headers keep the rules of the device's C++, too."), class_="note")


def _watched() -> Markup:
    """The faults that the model looks for, folded."""
    declare_faults()
    rows = []
    for name, first, last in WATCHED:
        codes = [code for n in range(first, last + 1) if (code := TABLE.get(f"EVT{n}")) is not None]
        rows += [(name if i == 0 else "", code.code, tr(code.title)) for i, code in enumerate(codes)]
    kinds = tr("What is watched: {count} kinds of fault", count=len(rows))
    return tag("details", tag("summary", kinds), table(("", tr("code"), tr("fault")), rows, sentences=[2]))
