"""The important answers: is it right, does it have hazards, how long does it take, how much of UB does it take."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ....pipeline.report import Subject
from ....system.translation import tr
from ....system.words import number
from ..html import Fragment, table, tag
from .over_k import of_any_k


@dataclass(frozen=True)
class Point:
    """One answer.

    Attributes:
        question, answer: a few words.
        more: the reason for the answer.
        anchor: the section with the details; empty without one.
        mood: ``good``, ``warn``, ``bad`` or nothing.
    """

    question: str
    answer: str
    more: str
    anchor: str = ""
    mood: str = ""


def section(subject: Subject) -> Fragment:
    """The verdict on an epilogue."""
    return Fragment(
        tr("Verdict"),
        "verdict",
        tag("dl", *(_card(subject, point) for point in points(subject)), class_="cards"),
        lead=True,
    )


def _card(subject: Subject, point: Point) -> Markup:
    question = tag("a", point.question, href=f"#{subject.id(point.anchor)}") if point.anchor else point.question
    answer = tag("dd", tag("strong", point.answer), " ", tag("span", point.more))
    return tag("div", tag("dt", question), answer, class_=f"card {point.mood}".rstrip())


def overview(subjects: Sequence[Subject]) -> Markup:
    """The verdicts on all epilogues, a row each."""
    head = [tr("epilogue"), *(point.question for point in points(subjects[0]))]
    rows = [
        [
            tag("a", subject.name, href=f"#{subject.name}"),
            *(tag("span", point.answer, class_=point.mood or None) for point in points(subject)),
        ]
        for subject in subjects
    ]
    return table(head, rows)


def points(subject: Subject) -> Iterator[Point]:
    """The answers, the same questions for every epilogue."""
    yield _right(subject)
    yield _hazards(subject)
    yield _time(subject)
    yield _ub(subject)


def _right(subject: Subject) -> Point:
    runs = subject.results
    if not runs:
        return Point(tr("Right?"), tr("not run"), tr("nothing was verified"))
    wrong = sum(not run.ok for run in runs)
    shapes = tr(", ").join(dict.fromkeys(run.size(" × ") for run in runs))
    if not wrong:
        elements = sum(one.elements for run in runs for one in run.outputs)
        more = tr("{elements:,} elements of {count} runs lie within their proved bounds; M × N × K: {shapes}")
        more = more.format(elements=elements, count=len(runs), shapes=shapes)
        return Point(tr("Right?"), tr("yes"), more, "results", "good")
    text = tr("no: 1 of {runs} fails") if wrong == 1 else tr("no: {wrong} of {runs} fail")
    answer = text.format(wrong=wrong, runs=number(len(runs), tr("{count} run{s}")))
    return Point(tr("Right?"), answer, f"M × N × K: {shapes}", "results", "bad")


def _hazards(subject: Subject) -> Point:
    runs = [run for run in subject.results if run.error is None]
    found = {(hazard["code"], hazard["message"]): hazard for run in subject.results for hazard in run.hazards}
    if not runs and not found:
        return Point(tr("Hazards?"), tr("not run"), tr("nothing was verified"))
    if not found:
        watched = tr("in {count} run{s}, of which the CPU model watched every memory access and every flag")
        more = number(len(runs), watched)
        return Point(tr("Hazards?"), tr("none"), more, "hazards", "good")
    errors = sum(hazard.get("severity") == "error" for hazard in found.values())
    counts = (errors, tr("{count} error{s}")), (len(found) - errors, tr("{count} warning{s}"))
    words = [number(count, text) for count, text in counts if count]
    return Point(
        tr("Hazards?"), tr(", ").join(words), tr("found by the CPU model"), "hazards", "bad" if errors else "warn"
    )


def _time(subject: Subject) -> Point:
    own, plain = subject.profile, subject.plain
    if own is None:
        return Point(tr("Modelled time"), tr("not run"), tr("nothing was compiled"))
    where = tr("at {size}, modelled, not measured", size=own.size(" × "))
    points = subject.over_k.points if subject.over_k else ()
    if len(points) > 1:
        where = tr("for K of {first:,} to {last:,} at {size}, modelled, not measured")
        where = where.format(first=points[0].k, last=points[-1].k, size=of_any_k(own))
        answer = tr("{first:,.1f} to {last:,.1f} µs", first=points[0].microseconds, last=points[-1].microseconds)
        shares = [one.microseconds / one.plain for one in points if one.plain]
    else:
        answer = f"{own.microseconds:,.1f} µs"
        shares = [] if plain is None else [own.microseconds / plain.microseconds]
    times = tr(" to ").join(dict.fromkeys(f"{share:.2f}" for share in (shares[:1] + shares[-1:])))
    more = tr("{times} times the time of the matmul alone, {where}", times=times, where=where) if shares else where
    return Point(tr("Modelled time"), answer, more, "over-k" if points else "times")


def _ub(subject: Subject) -> Point:
    parts = subject.plan.phases
    most = max(parts, key=lambda part: part.ub_used / part.ub_limit)
    tiles = tr("{buffers} for tiles of {elements:,} elements", elements=most.compute_length,
               buffers=number(most.buffers, tr("{count} buffer{s}")))  # fmt: skip
    where = tr("phase {place} of {count}, ", place=parts.index(most) + 1, count=len(parts)) if len(parts) > 1 else ""
    return Point("UB", f"{math.floor(1000 * most.ub_used / most.ub_limit) / 10:g} %", f"{where}{tiles}", "ub")
