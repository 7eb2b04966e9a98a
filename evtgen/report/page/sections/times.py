"""The uses of the time: for each pipe by causes, for each node by the delays of its calls."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from markupsafe import Markup

from ....measure.profile import Profile
from ....measure.timeline import PIPES
from ....pipeline.report import Subject, limit
from ....system.translation import tr
from ....system.words import number
from ...measurements import cause_text
from ..html import Fragment, table, tabs, tag

CAUSES = {
    "work": "work",
    "transfer": "work",
    "store of the block before": "work",
    "start of instructions": "start",
    "start of copies": "start",
    "bank conflicts": "conflict",
    "rows off their sectors": "rows",
    "bandwidth that other copies take": "shared",
    "barrier": "barrier",
    "issue by S": "issue",
    "wait for the other core": "cross",
    "nothing left to do": "over",
    "tail: other cores still work": "tail",
}
"""The model's causes, and the class of each in the style sheet; all others are waits for a pipe of the same core."""

WAIT = "flag"

NAMED = {
    "work": tr("work"),
    "shared": tr("shared bandwidth"),
    "start": tr("starts"),
    "rows": tr("rows off their sectors"),
    "conflict": tr("bank conflicts"),
    "flag": tr("waits for another pipe"),
    "cross": tr("waits for another core"),
    "barrier": tr("barriers"),
    "issue": tr("issue by S"),
    "over": tr("nothing left to do"),
    "tail": tr("other cores still work"),
}
"""The classes in the order in which a bar shows them, and their names in the legend."""

SPOKEN = {
    "wait for the other core": tr("waits for another core"),
    "bandwidth that other copies take": tr("shared bandwidth"),
    "tail: other cores still work": tr("other cores still work"),
}
"""The page's own names for causes of the model."""

ADVICE = {
    "MTE2": tr("It loads most of the time: load less, or in narrower types."),
    "V": tr("It computes most of the time: fewer or cheaper operators, or half where it is exact enough."),
    "MTE3": tr("It stores most of the time: store less, or in narrower types."),
    None: tr("No pipe works most of the time: see the waits above."),
}
"""What makes a phase shorter, by the pipe that limits it."""

OPTIONS = {"V": "fast_math", None: "buffers"}
"""The option that a sentence of advice is tried with on the clock."""

LOST = {"start": "start", "conflict": "bank_conflicts", "rows": "rows", "shared": "shared_bandwidth"}
"""The losses in the cycles of a call: the class of a cause, and the member of ``Profile.calls``."""


def section(subject: Subject) -> Fragment | None:
    """The time of an epilogue by cause and by node; None if nothing was run."""
    if not subject.profiles:
        return None
    first = subject.profiles[0]
    note = tr(
        "At {size}. Shares of the time of the kernel, averaged over all cores of a kind; the longest part of a bar is "
        "what to look at first.",
        size=first.size(" × "),
    )
    by_node = tr("Cycles of a core, the mean of all; a bar for each number of buffers, to one scale.")
    parts = [
        tag("p", note, class_="note"),
        _legend(subject.profiles),
        _panels(subject),
        _helps(subject),
        _phases(subject),
        tag("h3", tr("By node")),
        tag("p", by_node, class_="note"),
        _nodes(subject.profiles),
    ]
    return Fragment(tr("What the time goes to"), "times", Markup("").join(part for part in parts if part is not None))


def _class(cause: str) -> str:
    return CAUSES.get(cause, WAIT)


def _spoken(cause: str) -> str:
    """The words for ``"wait MTE2_V"`` on V."""
    if cause not in CAUSES and cause.startswith("wait "):
        return tr("waits for {name}", name=cause.removeprefix("wait ").partition("_")[0])
    return SPOKEN.get(cause) or cause_text(cause)


def _legend(profiles: Sequence[Profile]) -> Markup:
    used = {_class(cause) for one in profiles for _, _, causes in _causes(one) for cause in causes}
    items = (tag("span", tag("i", class_=f"swatch is-{name}"), text) for name, text in NAMED.items() if name in used)
    return tag("p", *items, class_="legend")


def _causes(one: Profile) -> Iterator[tuple[str, str, Mapping[str, float]]]:
    """For each pipe that does anything: its core, its name and the shares of the causes."""
    for core, pipes in PIPES.items():
        for pipe in pipes:
            causes = one.causes.get(core, {}).get(pipe, {})
            if pipe == "S" or any(_class(cause) in {"work", "shared", "start"} for cause in causes):
                yield core, pipe, causes


def _panels(subject: Subject) -> Markup:
    """The pipes for each number of buffers; the number that ``build`` takes is shown first."""
    numbers = [one.buffers for one in subject.profiles]
    panels = [
        (number(one.buffers, tr("{count} buffer{s}")), _pipes(one, built=one.buffers == subject.plan.buffers))
        for one in subject.profiles
    ]
    shown = numbers.index(subject.plan.buffers) if subject.plan.buffers in numbers else 0
    return tabs(subject.id("causes"), panels, shown=shown, label=tr("Number of buffers"))


def _pipes(one: Profile, *, built: bool) -> Markup:
    facts = tr("{cycles:,} cycles, {us:,.1f} µs with the launch", cycles=one.cycles, us=one.microseconds)
    facts += tr(", as built") * built
    rows = []
    for core, pipe, causes in _causes(one):
        order = sorted(causes.items(), key=lambda item: list(NAMED).index(_class(item[0])))
        bar = _bar([(_class(cause), share, _beside(_spoken(cause), _percent(share))) for cause, share in order])
        largest = [f"{_spoken(cause)} {_percent(share)}" for cause, share in causes.items() if share >= 0.01]
        label = tag("th", pipe, tag("small", tr(" cube") if core == "AIC" else tr(" vector")), scope="row")
        rows.append(tag("tr", label, tag("td", bar, tag("span", tr(", ").join(largest), class_="words"))))
    return tag("p", facts, class_="about") + tag("table", *rows, class_="bars")


def _bar(parts: Sequence[tuple[str, float, str]], scale: float = 1.0) -> Markup:
    """A bar of parts, each with its class, its size and its words; the whole width is ``scale``."""
    made = [
        tag("i", class_=f"is-{name}", style=f"width:{100 * size / scale:.2f}%", title=words)
        for name, size, words in parts
        if size / scale >= 0.0005
    ]
    return tag("span", *made, class_="bar")


def _beside(name: str, text: str) -> str:
    return tr("{name}: {text}", name=name, text=text)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share >= 0.01 else tr("below 1 %")


def _helps(subject: Subject) -> Markup | None:
    """The advice on an epilogue in one phase, as it is built, and about how much there is to gain."""
    own, plain = subject.profile, subject.plain
    if own is None:
        return None
    said = [] if own.phases else [advice(own.busy.get("AIV", {}), subject)]
    # The matmul alone stores the accumulator's type: an epilogue that stores fewer bytes may be faster.
    if plain is not None and plain.cycles < own.cycles:
        less = gain(plain.cycles, own.cycles)
        alone = tr("The matmul alone takes {cycles:,} cycles, {less}: about the shortest time of the kernel.")
        said.append(alone.format(cycles=plain.cycles, less=less))
    return tag("p", " ".join(said), class_="advice") if said else None


def advice(busy: Mapping[str, float], subject: Subject, *, tried: bool = True) -> str:
    """A sentence on what makes a phase shorter, by the shares of its time that its pipes work, with its gain on the
    clock if that was tried."""
    pipe = limit(busy)
    of_kind = {words: n for words, n in subject.tried.items() if words.startswith(OPTIONS.get(pipe, "nothing"))}
    if not tried or not of_kind or subject.profile is None:
        return ADVICE[pipe]
    words, cycles = min(of_kind.items(), key=lambda item: item[1])
    takes = tr("With {option} the kernel takes {gain}.", option=words, gain=gain(cycles, subject.profile.cycles))
    return f"{ADVICE[pipe]} {takes}"


def gain(cycles: int, before: int) -> str:
    """``"12.0 % less"``."""
    change = (cycles - before) / before
    text = tr("{share} less") if change < 0 else tr("{share} more")
    return text.format(share=f"{abs(change):.1%}".replace("%", " %"))


def _phases(subject: Subject) -> Markup | None:
    """A line for each phase of each number of buffers; None if there is one phase."""
    rows = [
        (
            str(one.buffers), phase.name.removeprefix("phase"), f"{phase.begin:,}", f"{phase.end:,}",
            f"{phase.end - phase.begin:,}", f"{phase.compute_length:,}",
            *(_percent(phase.busy.get(pipe, 0.0)) for pipe in ("MTE2", "V", "MTE3")),
            advice(phase.busy, subject, tried=one is subject.profile),
        )
        for one in subject.profiles
        for phase in one.phases
    ]  # fmt: skip
    if not rows:
        return None
    works = tr("{pipe} works")
    pipes = (works.format(pipe=pipe) for pipe in ("MTE2", "V", "MTE3"))
    head = (
        tr("buffers"), tr("phase"), tr("from"), tr("to"), tr("cycles"), tr("elements of a tile"), *pipes,
        tr("what helps"),
    )  # fmt: skip
    note = tag("p", tr("Shares of the time of the phase."), class_="note")
    return tag("h3", tr("By phase")) + note + table(head, rows, numbers=range(len(head) - 1), sentences=[len(head) - 1])


def _nodes(profiles: Sequence[Profile]) -> Markup:
    """A row for each node and pipe, the dearest first."""
    by_node: dict[tuple[str, str], dict[int, Counter[str]]] = defaultdict(dict)
    for one in profiles:
        for key, cycles in _work(one).items():
            by_node[key][one.buffers] = cycles
    most = max((sum(of.values()) for bars in by_node.values() for of in bars.values()), default=1.0)
    rows = []
    for (node, pipe), bars in sorted(
        by_node.items(), key=lambda item: -max(sum(of.values()) for of in item[1].values())
    ):
        cells = [
            tag("span", tag("small", str(buffers), class_="count"),
                _bar([(name, of[name], _beside(NAMED[name], f"{of[name]:,.0f}")) for name in NAMED], most),
                tag("span", f"{sum(of.values()):,.0f}{_lost(of)}", class_="words"), class_="line")
            for buffers, of in sorted(bars.items())
        ]  # fmt: skip
        rows.append(tag("tr", tag("th", node, tag("small", f" {pipe}"), scope="row"), tag("td", *cells)))
    return tag("table", *rows, class_="bars")


def phase_text(name: str) -> str:
    """A phase by its name in C++, ``"phase1"`` or ``"rows"``."""
    return tr("rows") if name == "rows" else tr("phase {place}", place=name.removeprefix("phase"))


def _lost(of: Mapping[str, float]) -> str:
    """Each loss of a tenth or more of a node's cycles."""
    total = sum(of.values())
    parts = [f"{NAMED[name]} {_percent(of[name] / total)}" for name in LOST if total and of[name] >= total / 10]
    return tr(", ").join(["", *parts])


def _work(one: Profile) -> dict[tuple[str, str], Counter[str]]:
    """The cycles of each node and pipe by their use, as the mean of the cores; calls without a node have their own
    name."""
    names = [event["args"]["name"] for event in one.trace if event["name"] == "process_name"]
    found: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for call in one.calls:
        if call["busy"] and call["pipe"] != "S":
            cores = sum(name.startswith(call["core"]) for name in names)
            who = {"BlockMmad": tr("matmul")}.get(call["call"], call["call"])
            lost = {name: call[member] / cores for name, member in LOST.items()}
            phase, _, node = call["node"].rpartition("::")
            where = tr("{pipe}, {phase}", pipe=call["pipe"], phase=phase_text(phase)) if phase else call["pipe"]
            key = (node or who, where)
            found[key].update({"work": max(0.0, call["busy"] / cores - sum(lost.values())), **lost})
    return found
