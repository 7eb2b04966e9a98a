"""The numbers of a profile beside those of another time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from ....pipeline.report import Subject
from ....system.translation import tr
from ..html import Fragment, join, table, tag
from .times import gain

Numbers = Mapping[str, Any]
"""A profile as ``evtgen profile --json`` prints it."""

MOST = 12
"""Nodes that are shown: those that changed most."""


def section(subject: Subject) -> Fragment | None:
    """What became faster or slower, and what changed in the plan; None if nothing is compared."""
    if subject.before is None or subject.profile is None:
        return None
    now = {one.buffers: one.to_json() for one in subject.profiles}
    own = now[subject.plan.buffers]
    alike = ("shape", "batch", "groups")
    before = {one["buffers"]: one for one in subject.before if all(one.get(name) == own[name] for name in alike)}
    size = subject.profile.size(" × ")
    if not before:
        return Fragment(
            tr("Before and now"), "compare", tag("p", tr("The other profile has no times at {size}.", size=size))
        )
    rows = [_row(count, before.get(count), now.get(count)) for count in sorted({*before, *now})]
    head = [tr("buffers"), tr("cycles before"), tr("now"), tr("change"), *(words for words, _ in _facts(own))]
    parts = [tag("p", tr("At {size}.", size=size), class_="note"), table(head, rows, numbers=range(3))]
    if own["buffers"] in before:
        changed = list(_nodes(_work(before[own["buffers"]]), _work(own)))
        head = [tr("node"), tr("cycles before"), tr("now"), tr("change")]
        parts += [tag("h3", tr("Cycles of nodes, of all cores")), table(head, changed, numbers=(1, 2))]
        parts += [] if changed else [tag("p", tr("No node has changed."))]
    return Fragment(tr("Before and now"), "compare", join(parts))


def _row(count: int, old: Numbers | None, new: Numbers | None) -> list[str]:
    """Both profiles with a number of buffers."""
    cycles = [f"{one['cycles']:,}" if one else "" for one in (old, new)]
    change = gain(new["cycles"], old["cycles"]) if old and new else tr("new") if new else tr("gone")
    facts = [[value for _, value in _facts(one)] for one in (old, new) if one]
    return [str(count), *cycles, change, *(" → ".join(dict.fromkeys(pair)) for pair in zip(*facts, strict=True))]


def _facts(one: Numbers) -> Iterator[tuple[str, str]]:
    """What a plan and its pipes are, in words."""
    yield tr("elements of a tile"), f"{one['compute_length']:,}"
    yield tr("phases"), str(len(one.get("phases", ())) or 1)
    for pipe in ("MTE2", "V", "MTE3"):
        yield tr("{pipe} works", pipe=pipe), f"{one['busy'].get('AIV', {}).get(pipe, 0):.0%}".replace("%", " %")


def _work(one: Numbers) -> Counter[str]:
    """The cycles of each node on each pipe."""
    found: Counter[str] = Counter()
    for call in one["calls"]:
        found[tr("{call} on {pipe}", call=call["node"] or call["call"], pipe=call["pipe"])] += call["busy"]
    return found


def _nodes(old: Counter[str], new: Counter[str]) -> Iterator[list[str]]:
    for name in sorted({*old, *new}, key=lambda name: -abs(new[name] - old[name]))[:MOST]:
        if old[name] != new[name]:
            change = gain(new[name], old[name]) if old[name] and new[name] else tr("new") if new[name] else tr("gone")
            yield [name, f"{old[name]:,}", f"{new[name]:,}", change]
