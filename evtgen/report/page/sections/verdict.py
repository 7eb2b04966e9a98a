"""The important answers: is it right, does it have hazards, how long does it take, how much of UB does it take."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ....pipeline.report import Subject
from ....system.words import counted
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
        "Verdict",
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
    head = ["epilogue", *(point.question for point in points(subjects[0]))]
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
        return Point("Right?", "not run", "nothing was verified")
    wrong = sum(not run.ok for run in runs)
    shapes = ", ".join(dict.fromkeys(run.size(" × ") for run in runs))
    if not wrong:
        elements = sum(one.elements for run in runs for one in run.outputs)
        more = f"{elements:,} elements of {len(runs)} runs lie within their proved bounds; M × N × K: {shapes}"
        return Point("Right?", "yes", more, "results", "good")
    answer = f"no: {wrong} of {counted(len(runs), 'run')} {'fails' if wrong == 1 else 'fail'}"
    return Point("Right?", answer, f"M × N × K: {shapes}", "results", "bad")


def _hazards(subject: Subject) -> Point:
    runs = [run for run in subject.results if run.error is None]
    found = {(hazard["code"], hazard["message"]): hazard for run in subject.results for hazard in run.hazards}
    if not runs and not found:
        return Point("Hazards?", "not run", "nothing was verified")
    if not found:
        more = f"in {counted(len(runs), 'run')}, of which the CPU model watched every memory access and every flag"
        return Point("Hazards?", "none", more, "hazards", "good")
    errors = sum(hazard.get("severity") == "error" for hazard in found.values())
    words = [counted(number, name) for number, name in ((errors, "error"), (len(found) - errors, "warning")) if number]
    return Point("Hazards?", ", ".join(words), "found by the CPU model", "hazards", "bad" if errors else "warn")


def _time(subject: Subject) -> Point:
    own, plain = subject.profile, subject.plain
    if own is None:
        return Point("Modelled time", "not run", "nothing was compiled")
    where = f"at {own.size(' × ')}, modelled, not measured"
    points = subject.over_k.points if subject.over_k else ()
    if len(points) > 1:
        ks = f"for K of {points[0].k:,} to {points[-1].k:,}"
        where = f"{ks} at {of_any_k(own)}, modelled, not measured"
        answer = f"{points[0].microseconds:,.1f} to {points[-1].microseconds:,.1f} µs"
        shares = [one.microseconds / one.plain for one in points if one.plain]
    else:
        answer = f"{own.microseconds:,.1f} µs"
        shares = [] if plain is None else [own.microseconds / plain.microseconds]
    times = " to ".join(dict.fromkeys(f"{share:.2f}" for share in (shares[:1] + shares[-1:])))
    more = f"{times} times the time of the matmul alone, {where}" if shares else where
    return Point("Modelled time", answer, more, "over-k" if points else "times")


def _ub(subject: Subject) -> Point:
    parts = subject.plan.phases
    most = max(parts, key=lambda part: part.ub_used / part.ub_limit)
    tiles = f"{counted(most.buffers, 'buffer')} for tiles of {most.compute_length:,} elements"
    where = f"phase {parts.index(most) + 1} of {len(parts)}, " if len(parts) > 1 else ""
    return Point("UB", f"{math.floor(1000 * most.ub_used / most.ub_limit) / 10:g} %", f"{where}{tiles}", "ub")
