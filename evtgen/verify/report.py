"""What a verification found: plain records, their JSON, and a table for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.table import Table

Shape = tuple[int, int, int]


@dataclass(frozen=True)
class Comparison:
    """One tensor against the reference.

    Attributes:
        name, dtype: of the tensor.
        elements: how many it has.
        mismatches: elements outside the bound; where the bound is 0, elements that are not equal bit for bit.
        max_abs_error: largest absolute difference; NaN against NaN is 0, infinite where only one is finite.
        max_ulp: largest difference in units of the last place.
        bound: largest absolute error that is allowed anywhere, derived from the operators; infinite if there is none.
        first: (row, column, device, reference) of the first mismatch.
        null: the tensors that were null pointers in this run.
    """

    name: str
    dtype: str
    elements: int
    mismatches: int
    max_abs_error: float
    max_ulp: int
    bound: float
    first: tuple[int, int, float, float] | None = None
    null: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As plain data; what is not finite becomes None."""
        data: dict[str, Any] = {
            "name": self.name,
            "dtype": self.dtype,
            "elements": self.elements,
            "mismatches": self.mismatches,
            "max_abs_error": _finite(self.max_abs_error),
            "max_ulp": self.max_ulp,
            "bound": _finite(self.bound),
        }
        if self.first is not None:
            row, column, device, reference = self.first
            data["first_mismatch"] = {
                "row": row,
                "column": column,
                "device": _finite(device),
                "reference": _finite(reference),
            }
        if self.null:
            data["null"] = list(self.null)
        return data


@dataclass
class Result:
    """One epilogue at one shape.

    Attributes:
        epilogue: its name.
        shape: (M, N, K).
        compute_length: elements of one tile buffer.
        ub_used, ub_limit: bytes of UB.
        outputs: one comparison per output (and per set of null tensors).
        accumulator: C in the workspace, against A @ B in float64.
        hazards: what the CPU model reports, each with ``code``, ``severity``, ``message``, ``pipe``, ``count``, …
        warnings: the compiler's, in emitted files.
        error: why there are no outputs: the compiler's or the program's words.
        schedules: how many execution orders were run.
        differing: outputs that were not the same bit for bit in all of them.
        float_atomics: outputs that were not, because atomics of floats have no order.
        strict: warnings count.
        data, seed, pad, compiler: what was run.
        seconds: wall time of running and comparing.
    """

    epilogue: str
    shape: Shape
    compute_length: int
    ub_used: int
    ub_limit: int
    outputs: list[Comparison] = field(default_factory=list)
    accumulator: Comparison | None = None
    hazards: list[dict[str, Any]] = field(default_factory=list)
    warnings: tuple[str, ...] = ()
    error: str | None = None
    schedules: int = 1
    differing: list[str] = field(default_factory=list)
    float_atomics: list[str] = field(default_factory=list)
    strict: bool = False
    data: str = "int"
    seed: int = 0
    pad: int = 0
    compiler: str = ""
    seconds: float = 0.0

    @property
    def ok(self) -> bool:
        """Everything ran, every element is within its bound, and nothing that counts was reported."""
        compared = [*self.outputs, *([self.accumulator] if self.accumulator else [])]
        return (
            self.error is None
            and bool(compared)
            and not any(c.mismatches for c in compared)
            and not self.differing
            and not any(self.strict or hazard.get("severity") == "error" for hazard in self.hazards)
            and not (self.strict and self.warnings)
        )

    def to_json(self) -> dict[str, Any]:
        """The object that ``evtgen verify --json`` prints."""
        return {
            "epilogue": self.epilogue,
            "shape": list(self.shape),
            "ok": self.ok,
            "compute_length": self.compute_length,
            "ub": {"used": self.ub_used, "limit": self.ub_limit},
            "outputs": [comparison.to_json() for comparison in self.outputs],
            "accumulator": self.accumulator.to_json() if self.accumulator else None,
            "hazards": self.hazards,
            "warnings": list(self.warnings),
            "error": self.error,
            "schedules": {"count": self.schedules, "differing": self.differing, "float_atomics": self.float_atomics},
            "strict": self.strict,
            "data": self.data,
            "seed": self.seed,
            "pad": self.pad,
            "compiler": self.compiler,
            "seconds": round(self.seconds, 3),
        }


def table(results: Sequence[Result]) -> Table:
    """One line per epilogue and shape."""
    from rich.table import Table

    grid = Table(box=None, header_style="bold", pad_edge=False)
    for title in ("", "epilogue", "M x N x K"):
        grid.add_column(title)
    for title in ("elements", "wrong", "max error", "bound", "hazards", "seconds"):
        grid.add_column(title, justify="right")
    for result in results:
        compared = result.outputs
        errors = sum(hazard.get("severity") == "error" for hazard in result.hazards)
        grid.add_row(
            "[green]ok[/]" if result.ok else "[bold red]FAIL[/]",
            result.epilogue,
            " x ".join(map(str, result.shape)),
            f"{sum(c.elements for c in compared):,}",
            f"{sum(c.mismatches for c in compared):,}",
            f"{max((c.max_abs_error for c in compared), default=0.0):.3g}",
            f"{max((c.bound for c in compared), default=0.0):.3g}",
            f"{errors} + {len(result.hazards) - errors} warnings" if result.hazards else "none",
            f"{result.seconds:.2f}",
        )
    return grid


def failures(result: Result) -> list[str]:
    """One paragraph for each thing that is wrong with a result, for people."""
    lines = []
    where = f"{result.epilogue} at {'x'.join(map(str, result.shape))}"
    if result.error is not None:
        lines.append(f"{where}: {result.error}")
    for comparison in [*([result.accumulator] if result.accumulator else []), *result.outputs]:
        if comparison.mismatches:
            text = (
                f"{where}: {comparison.name} is wrong in {comparison.mismatches:,} of {comparison.elements:,} elements"
            )
            if comparison.first is not None:
                row, column, device, reference = comparison.first
                text += f", first at ({row}, {column}): {device:g}, where numpy has {reference:g}"
            lines.append(text)
    if result.differing:
        lines.append(f"{where}: {', '.join(result.differing)} depends on the order of execution")
    lines += [hazard_text(hazard, f"{where}: ") for hazard in result.hazards]
    lines += [f"{where}: {warning}" for warning in result.warnings]
    return lines


def hazard_text(hazard: dict[str, Any], where: str = "") -> str:
    """A finding of the CPU model as a paragraph; ``where`` comes before its message."""
    place = "".join(f"\n  --> {_site(site)}" for site in hazard.get("sites", ()))
    local = f"\n  in {hazard['where']}" if "where" in hazard else ""
    if hazard.get("origin") == "checkout":
        local += "\n  every call of it is in Catlass's own headers, not in emitted ones"
    return f"{hazard['severity']}[{hazard['code']}]: {where}{hazard['message']} ({hazard['count']} times){place}{local}"


def _site(site: dict[str, Any]) -> str:
    return f"{site.get('file')}:{site.get('line')}    {site.get('call', '')} on {site.get('pipe', '')}"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
