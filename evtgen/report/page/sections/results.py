"""The results beside both references: first the failures, then every run with the distribution of its errors."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import PurePath

from markupsafe import Markup

from ....diagnostics.diagnostic import Diagnostic
from ....pipeline.report import Subject
from ....system.translation import tr
from ....system.words import number
from ....verify import Comparison, Result
from ....verify.distribution import SHARES, ULPS
from ..html import Fragment, table, tag

HEAD = (
    "", tr("tensor"), tr("wrong"), tr("judged"), tr("from the reference"), tr("largest"), tr("bound"),
    tr("from the formula"), tr("largest"), tr("elements"),
)  # fmt: skip

NUMBERS = {2, 3, 5, 6, 8, 9}
"""The columns of numbers."""


def section(subject: Subject) -> Fragment | None:
    """The runs of an epilogue; None without runs."""
    if not subject.results:
        return None
    failed = [result for result in subject.results if not result.ok]
    parts = [*_failures(subject), *_remarks(subject), _intro(), _runs(subject), _counts(subject)]
    title = tr("Results")
    if failed:
        title = tr("Results: {failed} of {count} runs failed", failed=len(failed), count=len(subject.results))
    return Fragment(title, "results", Markup("").join(parts))


def _failures(subject: Subject) -> Iterator[Markup]:
    """The first failure of each run that failed."""
    for result in subject.results:
        reasons = list(_reasons(subject, result))
        if reasons:
            where = f"{result.size(' × ')}, {data_text(result.data)}"
            yield tag(
                "div", tag("strong", where), tag("ul", *(tag("li", one) for one in reasons)), class_="callout bad"
            )


def _reasons(subject: Subject, result: Result) -> Iterator[object]:
    if result.error is not None:
        yield result.error.splitlines()[0]
    for one in result.compared:
        if one.mismatches:
            text = tr("{name} is wrong in {wrong:,} of {count:,} elements")
            said = text.format(name=_name(one), wrong=one.mismatches, count=one.elements)
            if one.first is not None:
                first = tr(", first at row {row:,}, column {column:,}: {device:g} where {reference} has {expected:g}")
                values = dict(zip(("row", "column", "device", "expected"), one.first, strict=True))
                said += first.format(reference=one.against or tr("the reference"), **values)
            yield said
    if result.differing:
        yield tr("{names} depends on the order of execution", names=tr(", ").join(result.differing))
    errors = sum(hazard.get("severity") == "error" for hazard in result.hazards)
    if errors:
        text = number(errors, tr("{count} hazard{s}"))
        yield tag("a", text, href=f"#{subject.id('hazards')}")
    for found in result.language.findings if result.language is not None else ():
        yield f"{found.code}: {found.message}"


def _remarks(subject: Subject) -> Iterator[Markup]:
    """The findings from the numbers: each once, with the runs that show it."""
    seen: dict[tuple[str, str, str], tuple[Diagnostic, list[str]]] = {}
    for result in subject.results:
        for found in result.diagnostics:
            key = (found.code, found.message, str(found.location))
            seen.setdefault(key, (found, []))[1].append(f"{result.size(' × ')}, {data_text(result.data)}")
    for found, runs in seen.values():
        kind = "bad" if found.severity.value == "error" else "warn"
        help_ = tag("div", found.help) if found.help else None
        place = found.location
        line = "" if place is None else f"{PurePath(place.file).name}:{place.line}; "
        text = tag("strong", f"{found.code}: ")
        yield tag("div", text, found.message, help_, tag("small", f"{line}{'; '.join(runs)}"), class_=f"callout {kind}")


def _intro() -> Markup:
    text = tr(
        "The reference computes step by step what the epilogue's types ask for; every element must lie within its "
        "proved bound of it. The formula is what is meant, in float64; nobody is held to it: the distance from it is "
        "what the types cost, in ulp of the output. Of the small charts the first bar, grey, is of elements that are "
        "equal; further to the right is further off. Heights are logarithmic."
    )
    return tag("p", text, class_="note")


def _runs(subject: Subject) -> Markup:
    """A group of rows for each run, a row for each tensor."""
    groups = []
    for result in subject.results:
        title = f"{result.size(' × ')}, {data_text(result.data)}"
        rows = [_line("td", _row(result, one)) for one in _tensors(result)]
        groups.append(tag("tbody", tag("tr", tag("th", title, colspan=len(HEAD), scope="rowgroup")), *rows))
    return tag("div", tag("table", tag("thead", _line("th", HEAD)), *groups), class_="wide runs")


def _line(kind: str, cells: Sequence[object]) -> Markup:
    return tag("tr", *(tag(kind, cell, class_="number" if i in NUMBERS else None) for i, cell in enumerate(cells)))


def _tensors(result: Result) -> list[Comparison]:
    """The outputs beside the references, the accumulator, and the outputs beside a function of the user's."""
    return [*result.outputs, *([result.accumulator] if result.accumulator else []), *result.against]


def _row(result: Result, one: Comparison) -> list[object]:
    fine = not one.mismatches and one.enough and result.error is None
    mark = tag("span", tr("ok") if fine else tr("FAIL"), class_="good" if fine else "bad")
    exact = one.bound == 0
    counts = one.distribution.ulp if exact else one.distribution.bound
    near = _chart(counts, ULPS if exact else SHARES, of_bound=not exact, allowed=1 if exact else len(SHARES))
    formula = "" if one.from_formula is None else _chart(one.from_formula.ulp, ULPS, of_bound=False, allowed=None)
    off = "" if one.formula_error is None else f"{_number(one.formula_error[1])} ulp"
    name = _name(one) if one is not result.accumulator else tr("C of the matmul")
    return [
        mark, name, f"{one.mismatches:,}", _share(one.judged), near, _number(one.max_abs_error), _number(one.bound),
        formula, off, f"{one.elements:,}",
    ]  # fmt: skip


def data_text(kind: str) -> str:
    """A kind of data in words."""
    return {"int": tr("whole numbers"), "normal": tr("normal")}.get(kind, kind)


def _name(one: Comparison) -> str:
    """The tensor, with the tensors that were null, the tensors that all matmuls shared, and its reference."""
    name = f"{one.name} against {one.against}" if one.against else one.name
    parts = [f"{', '.join(one.null)} null"] if one.null else []
    parts += [f"{', '.join(one.shared)} shared"] if one.shared else []
    return f"{name} ({'; '.join(parts)})" if parts else name


def _share(share: float) -> str:
    return "100 %" if share == 1 else f"{min(100 * share, 99.9):.3g} %"


def _number(value: float) -> str:
    if not math.isfinite(value):
        return "∞"
    return f"{value:,.0f}" if 1000 <= value < 1e9 else f"{value:.3g}"


def _chart(counts: Sequence[int], ends: Sequence[float], *, of_bound: bool, allowed: int | None) -> Markup:
    """A histogram with a bar for each range up to the last that has elements; ranges from ``allowed`` on are wrong."""
    total = sum(counts)
    if not total:
        return Markup("")
    names = _ranges(ends, of_bound)
    last = len(ends) if of_bound else max(3, *(i for i, count in enumerate(counts) if count))
    width, height = 7, 26
    bars = []
    for i, count in enumerate(counts[: last + 1]):
        tall = 0.0 if not count else 3 + (height - 3) * math.log1p(count) / math.log1p(total)
        wrong = allowed is not None and i >= allowed
        kind = "is-equal" if i == 0 else "is-outside" if wrong else "is-near"
        words = tag("title", f"{names[i]}: {count:,} ({100 * count / total:.3g} %)")
        place = {"x": i * width, "y": f"{height - tall:.1f}", "width": width - 1, "height": f"{tall:.1f}"}
        bars.append(tag("rect", words, class_=kind, **place) if count else None)
    size = {"viewBox": f"0 0 {(last + 1) * width} {height + 1}", "width": (last + 1) * width, "height": height + 1}
    base = tag("path", d=f"M0 {height + 0.5}H{(last + 1) * width}", class_="base")
    text = "; ".join(f"{name}: {count:,}" for name, count in zip(names, counts, strict=True) if count)
    return tag("svg", *bars, base, class_="histogram", role="img", aria_label=text, **size)


def _ranges(ends: Sequence[float], of_bound: bool) -> list[str]:
    """The ranges of a distribution in words."""
    if of_bound:
        inner = [tr("up to {share:.0f} % of the bound", share=100 * end) for end in ends[1:]]
        return [tr("equal"), *inner, tr("outside of the bound")]
    return [
        tr("equal"),
        *(tr("up to {end:g} ulp", end=end) for end in ends[1:]),
        tr("more than {end:g} ulp", end=ends[-1]),
    ]


def _counts(subject: Subject) -> Markup:
    """The numbers behind the charts, folded."""
    rows = []
    for result in subject.results:
        for one in _tensors(result):
            where = (result.size(" × "), data_text(result.data), _name(one))
            kinds = [
                (tr("reference"), one.distribution.ulp, ULPS, False),
                (tr("reference"), one.distribution.bound, SHARES, True),
            ]
            kinds += [(tr("formula"), one.from_formula.ulp, ULPS, False)] if one.from_formula is not None else []
            for reference, counts, ends, of_bound in kinds:
                if not any(counts) or (of_bound and one.bound == 0):
                    continue
                names = _ranges(ends, of_bound)
                text = "; ".join(f"{name}: {count:,}" for name, count in zip(names, counts, strict=False) if count)
                rows.append((*where, reference, text))
    head = ("M × N × K", tr("data"), tr("tensor"), tr("compared with"), tr("elements by their distance"))
    grid = table(head, rows, sentences=[4])
    return tag("details", tag("summary", tr("The distributions in numbers")), grid)
