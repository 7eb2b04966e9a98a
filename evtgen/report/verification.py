"""Results of a verification, and the findings of the CPU model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from ..diagnostics.diagnostic import Diagnostic, Severity, render
from ..diagnostics.faults import declare_faults, translated
from ..diagnostics.numbers import WRONG_RESULT
from ..graph.location import Location
from ..model.compiler import excerpt
from ..model.reached import unreached
from ..system.translation import tr
from .console import begun, note, say, show, wrapped
from .plans import stack_text
from .uses import not_again

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from ..verify import Result


def results(found: Sequence[Result], out: Console | None = None) -> None:
    """The results of ``verify``: a table, and a paragraph for every fault."""
    out = begun(out)
    spare = (tr("seconds"), tr("formula"), tr("bound"), tr("judged"), tr("max error"), tr("elements"))
    show(out, table(found), spare)
    remarks(found, out)


def paragraphs(found: Sequence[Result]) -> list[str]:
    """A paragraph for every fault of results."""
    made: list[str] = []
    compiled: set[str] = set()
    for result in found:
        # The compiler's words are the same for every run of an epilogue.
        made += failures(result, of_compiler=result.epilogue not in compiled)
        compiled.add(result.epilogue)
    return made


def remarks(found: Sequence[Result], out: Console) -> None:
    """The remarks below the table."""
    for paragraph in paragraphs(found):
        out.print(wrapped(paragraph, out.file), markup=False, soft_wrap=True)
    for line in [*language(found), *once(found), *uncovered(found)]:
        say(out, line)
    if ordered := list(dict.fromkeys(one.epilogue for one in found if one.ordered and one.error is None)):
        differs = {one.epilogue for one in found if one.differing}
        if same := [name for name in ordered if name not in differs]:
            same_bits = tr("{names}: the same bits in every order of execution and on other numbers of cores")
            say(out, same_bits.format(names=", ".join(same)))
    own = sorted({tr(", {more}", more=_ascendc(result)) for result in found if result.ascendc})
    passed = tr("{count} of {all} ok", count=sum(result.ok for result in found), all=len(found))
    out.print(f"{passed}{''.join(own)}")


def _ascendc(result: Result) -> str:
    """The use that was made of AscendC's own headers."""
    compiled = tr("compiled with the headers of {ascendc}, but run with the model's own", ascendc=result.ascendc)
    return result.ascendc if result.ascendc_runs else compiled


def language(found: Sequence[Result]) -> list[str]:
    """A line for each epilogue's share of the device's stack, and for each reason why its C++ was not examined."""
    examined = {result.epilogue: result.language for result in found if result.language is not None}
    lines = [
        tr("{name}: stack {taken}", name=name, taken=stack_text(**asdict(one.stack)))
        for name, one in examined.items()
        if one.stack is not None
    ]
    return [*lines, *dict.fromkeys(note(one.note) for one in examined.values() if one.note)]


def once(found: Sequence[Result]) -> list[str]:
    """A line for each epilogue with buffers or flags that no core used again, at any shape."""
    lines = []
    for name in dict.fromkeys(result.epilogue for result in found):
        of = [result for result in found if result.epilogue == name and result.error is None]
        if text := not_again(use for result in of for use in result.uses):
            lines.append(note(tr("{name}: {text}", name=name, text=text)))
    return lines


def uncovered(found: Sequence[Result]) -> list[str]:
    """A line for each emitted header with lines that no run of any epilogue reached."""
    lines = []
    for header, ranges in unreached([one.lines for one in found if one.lines is not None]).items():
        places = ", ".join(str(first) if first == last else f"{first}-{last}" for first, last in ranges)
        lines.append(note(tr("no run reached these lines of {header}: {places}", header=header, places=places)))
    return lines


def table(results: Sequence[Result]) -> Table:
    """One line per epilogue and shape."""
    from rich.table import Table

    grid = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("", tr("epilogue"), "M x N x K", tr("data")):
        grid.add_column(title)
    for title in (
        tr("elements"), tr("wrong"), tr("judged"), tr("max error"), tr("bound"), tr("formula"), tr("hazards"),
        tr("seconds"),
    ):  # fmt: skip
        grid.add_column(title, justify="right")
    for result in results:
        compared = result.outputs
        errors = sum(hazard.get("severity") == "error" for hazard in result.hazards)
        grid.add_row(
            f"[green]{tr('ok')}[/]" if result.ok else f"[bold red]{tr('FAIL')}[/]",
            result.epilogue,
            result.size(" x "),
            result.data,
            f"{sum(c.elements for c in compared):,}",
            f"{sum(c.mismatches for c in (*compared, *result.against)):,}",
            _share(min((c.judged for c in compared), default=1.0)),
            f"{max((c.max_abs_error for c in compared), default=0.0):.3g}",
            f"{max((c.bound for c in compared), default=0.0):.3g}",
            f"{max((c.formula_error[0] for c in compared if c.formula_error), default=0.0):.3g}",
            tr("{errors} + {warnings} warnings", errors=errors, warnings=len(result.hazards) - errors)
            if result.hazards
            else tr("none"),
            f"{result.seconds:.2f}",
        )
    return grid


def _share(share: float) -> str:
    """A share as a percentage that reads 100 only if it is exactly 1."""
    return "100 %" if share == 1 else f"{min(100 * share, 99.9):.3g} %"


def failures(result: Result, *, of_compiler: bool = True) -> list[str]:
    """One paragraph for each fault of a result, for people; with ``of_compiler`` also for faults that the compiler
    found."""
    where = _where(result)
    lines = _wrong(result, of_compiler)
    lines += [render([replace(found, message=f"{where}: {found.message}")]) for found in result.diagnostics]
    lines += [hazard_text(hazard, f"{where}: ") for hazard in result.hazards]
    if result.language is not None and of_compiler:
        lines += [
            render([replace(one, message=f"{result.epilogue}: {one.message}")]) for one in result.language.findings
        ]
    if result.warnings and of_compiler:
        lines.append(excerpt("\n".join(f"{result.epilogue}: {warning}" for warning in result.warnings)))
    return lines


def findings(found: Sequence[Result]) -> list[Diagnostic]:
    """Every fault of the results as a diagnostic: numbers under EVT156, hazards at the line of the emitted call."""
    faults = []
    for result in found:
        where = _where(result)
        faults += [WRONG_RESULT(text) for text in _wrong(result, of_compiler=True)]
        faults += [replace(one, message=f"{where}: {one.message}") for one in result.diagnostics]
        faults += [_of_hazard(hazard, where) for hazard in result.hazards]
        if result.language is not None:
            faults += [replace(one, message=f"{result.epilogue}: {one.message}") for one in result.language.findings]
    return list(dict.fromkeys(faults))


def _of_hazard(hazard: dict[str, Any], where: str) -> Diagnostic:
    declare_faults()
    code, sites = hazard["code"], hazard.get("sites") or [{}]
    place = Location(sites[0].get("file", ""), sites[0].get("line", 0))
    advice = hazard.get("advice")
    message = f"{where}: {translated(code, hazard['message'])}"
    return Diagnostic(code, Severity(hazard["severity"]), message, place, advice and tr(str(advice)))


def _where(result: Result) -> str:
    return tr("{epilogue} at {size}, {data}", epilogue=result.epilogue, size=result.size(), data=result.data)


def _wrong(result: Result, of_compiler: bool) -> list[str]:
    """The faults of the numbers, or the reason why there are none."""
    lines, where = [], _where(result)
    if result.error is not None and result.compiled:
        lines.append(f"{where}: {result.error}")
    elif result.error is not None and of_compiler:
        lines.append(f"{result.epilogue}: {result.error}")
    for comparison in result.compared:
        if comparison.mismatches:
            name, reference = comparison.name, comparison.against or "numpy"
            text = tr("{where}: {name} is wrong in {wrong:,} of {count:,} elements")
            if comparison.against:
                text = tr("{where}: {name} is not what {reference} gives in {wrong:,} of {count:,} elements")
            numbers = {"wrong": comparison.mismatches, "count": comparison.elements}
            text = text.format(where=where, name=name, reference=reference, **numbers)
            if comparison.shared:
                text += tr(" with {names} shared", names=", ".join(comparison.shared))
            if comparison.first is not None:
                first = tr(", first at ({row}, {column}): {device:g}, where {reference} has {expected:g}")
                values = dict(zip(("row", "column", "device", "expected"), comparison.first, strict=True))
                text += first.format(reference=reference, **values)
            lines.append(text)
    if result.differing:
        text = tr("{where}: {names} depends on the order of execution")
        if result.ordered:
            text = tr(
                "{where}: {names} depends on the order of execution or on the number of cores, "
                "and was to be deterministic"
            )
        lines.append(text.format(where=where, names=", ".join(result.differing)))
    return lines


def hazard_text(hazard: dict[str, Any], where: str = "") -> str:
    """A finding of the CPU model as a paragraph; ``where`` comes before its message."""
    place = "".join(f"\n  --> {_site(site)}" for site in hazard.get("sites", ()))
    local = "\n  " + tr("in {where}", where=hazard["where"]) if "where" in hazard else ""
    if hazard.get("origin") == "checkout":
        local += "\n  " + tr("every call of it is in Catlass's own headers, not in emitted ones")
    times = "" if hazard["count"] == 1 else tr(" ({count} times)", count=hazard["count"])
    message = translated(hazard["code"], hazard["message"])
    return f"{hazard['severity']}[{hazard['code']}]: {where}{message}{times}{place}{local}"


def _site(site: dict[str, Any]) -> str:
    on = tr("{call} on {pipe}", call=site.get("call", ""), pipe=site.get("pipe", ""))
    return f"{site.get('file')}:{site.get('line')}    {on}"
