"""What matters first: is it right, has it hazards, how long does it take, what does it take of UB."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from ...pipeline.subjects import Subject
from ..html import Fragment, table, tag


@dataclass(frozen=True)
class Point:
    """One answer: the question, a few words, what they stand on, and ``good``, ``warn``, ``bad`` or nothing."""

    question: str
    answer: str
    more: str
    mood: str = ""


def section(subject: Subject) -> Fragment:
    """The verdict on an epilogue."""
    cards = [
        tag("div", tag("dt", point.question), tag("dd", tag("strong", point.answer), " ", tag("span", point.more)),
            class_=f"card {point.mood}".rstrip())
        for point in points(subject)
    ]  # fmt: skip
    return Fragment("Verdict", "verdict", tag("dl", *cards, class_="cards"), lead=True)


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
        return Point("Right?", "yes", more, "good")
    return Point("Right?", f"no: {wrong} of {len(runs)} runs fail", f"M × N × K: {shapes}", "bad")


def _hazards(subject: Subject) -> Point:
    if not subject.results:
        return Point("Hazards?", "not run", "nothing was verified")
    found = {(hazard["code"], hazard["message"]): hazard for run in subject.results for hazard in run.hazards}
    errors = sum(hazard.get("severity") == "error" for hazard in found.values())
    if not found:
        return Point("Hazards?", "none", "in the order that the CPU model recorded, of all pipes and cores", "good")
    words = [f"{errors} errors"] * bool(errors) + [f"{len(found) - errors} warnings"] * (len(found) > errors)
    return Point("Hazards?", ", ".join(words), "found by the CPU model", "bad" if errors else "warn")


def _time(subject: Subject) -> Point:
    own, plain = subject.profile, subject.plain
    if own is None:
        return Point("Modelled time", "not run", "nothing was compiled")
    where = f"at {own.size(' × ')}, modelled, not measured"
    if plain is None:
        return Point("Modelled time", f"{own.microseconds:,.1f} µs", where)
    share = own.microseconds / plain.microseconds
    more = f"{share:.2f} times the {plain.microseconds:,.1f} µs of the matmul alone, {where}"
    return Point("Modelled time", f"{own.microseconds:,.1f} µs", more)


def _ub(subject: Subject) -> Point:
    parts = subject.plan.phases
    most = max(parts, key=lambda part: part.ub_used / part.ub_limit)
    tiles = f"{most.buffers} buffer{'s' * (most.buffers != 1)} for tiles of {most.compute_length:,} elements"
    where = f"phase {parts.index(most) + 1} of {len(parts)}, " if len(parts) > 1 else ""
    return Point("UB", f"{math.floor(1000 * most.ub_used / most.ub_limit) / 10:g} %", f"{where}{tiles}")
