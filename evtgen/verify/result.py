"""What a verification found: plain records and their JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

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


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
