"""The results of a verification: plain records and their JSON."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from ..diagnostics.diagnostic import Diagnostic, has_errors
from ..kernels import DEFAULTS, Matmuls
from ..measure.language import Examination
from ..model.reached import Lines, unreached
from .distribution import Distribution

Shape = tuple[int, int, int]

ENOUGH = 0.99
"""In a run that says something, at least this share of each output's elements is judged."""


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
        shared: the tensors that all matmuls had in common.
        distribution: its elements by their distance from the reference.
        from_formula: its elements by their distance from the formula; None without one.
        judged: share of the elements whose bound is small beside their value or beside ``typical``.
        undefined: elements that are infinite or NaN in the reference.
        typical: the median magnitude of the values.
        formula_error: largest distance from the formula, absolute and in ulp of the type; None without one.
        against: the user's function that it was compared with; empty: the references.
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
    judged: float = 1.0
    undefined: int = 0
    typical: float = 0.0
    formula_error: tuple[float, float] | None = None
    shared: tuple[str, ...] = ()
    against: str = ""
    distribution: Distribution = field(default_factory=Distribution)
    from_formula: Distribution | None = None

    @property
    def enough(self) -> bool:
        """Whether enough elements are judged for the comparison to say something."""
        return self.judged >= ENOUGH

    def to_json(self) -> dict[str, Any]:
        """As plain data; numbers that are not finite become None."""
        data: dict[str, Any] = {
            "name": self.name,
            "dtype": self.dtype,
            "elements": self.elements,
            "mismatches": self.mismatches,
            "max_abs_error": _finite(self.max_abs_error),
            "max_ulp": self.max_ulp,
            "bound": _finite(self.bound),
            "judged": self.judged,
        }
        if self.formula_error is not None:
            absolute, ulp = self.formula_error
            data["formula_error"] = {"absolute": _finite(absolute), "ulp": _finite(ulp)}
        data["distribution"] = self.distribution.to_json()
        if self.from_formula is not None:
            data["from_formula"] = self.from_formula.to_json()
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
        if self.shared:
            data["shared"] = list(self.shared)
        if self.against:
            data["against"] = self.against
        return data


@dataclass
class Result:
    """One epilogue at one shape, on one kind of data.

    Attributes:
        epilogue: its name.
        shape: (M, N, K), of one matmul in a batch, else of all matmuls together.
        compute_length: elements of one tile buffer.
        ub_used, ub_limit: bytes of UB.
        phases: if there are several, the elements of a tile buffer and the bytes of UB of each; the two above belong to
            the first.
        outputs: one comparison per output (and per set of null tensors).
        accumulator: C as the cube core wrote it, against A @ B in float64.
        against: the outputs against the results of the user's function; empty without one.
        hazards: the reports of the CPU model, each with ``code``, ``severity``, ``message``, ``pipe``, ``count``, …
        warnings: the compiler's, in emitted files.
        diagnostics: findings from the numbers, each once: outputs that left the formula, and outputs that were not
            judged.
        language: the headers under the rules of the device's C++; None if they were not examined.
        error: the reason why there are no outputs, in the compiler's or the program's words.
        compiled: whether there was a program to run.
        uses: the buffers and flags that cores can use again, as in the model's report, and whether one did in any run.
        lines: of the emitted headers in the epilogue's program, and whether any run of the verification reached them;
            None if they were not counted.
        instructions: the number that the device executed in all runs; the model watched each for hazards.
        schedules: the number of execution orders that were run, some of them also on one core.
        ordered: floats are reduced in a fixed order, so all outputs must be the same bit for bit, on other numbers of
            cores, too.
        differing: outputs that were not the same in all orders.
        float_atomics: outputs that differ because atomics of floats have no order.
        strict: warnings count.
        data, seed, pad, compiler: what was run.
        ascendc: the checkout of AscendC's own headers, with its version; empty: the model's.
        ascendc_runs: whether it ran with these headers; otherwise it was only compiled with them, and ran with the
            model's.
        seconds: wall time of running and comparing.
        matmuls: their number.
    """

    epilogue: str
    shape: Shape
    compute_length: int
    ub_used: int
    ub_limit: int
    outputs: list[Comparison] = field(default_factory=list)
    accumulator: Comparison | None = None
    against: list[Comparison] = field(default_factory=list)
    hazards: list[dict[str, Any]] = field(default_factory=list)
    warnings: tuple[str, ...] = ()
    diagnostics: list[Diagnostic] = field(default_factory=list)
    language: Examination | None = None
    error: str | None = None
    compiled: bool = True
    uses: list[dict[str, Any]] = field(default_factory=list)
    lines: Lines | None = None
    instructions: int = 0
    schedules: int = 1
    ordered: bool = False
    differing: list[str] = field(default_factory=list)
    float_atomics: list[str] = field(default_factory=list)
    strict: bool = False
    data: str = "int"
    seed: int = 0
    pad: int = 0
    compiler: str = ""
    ascendc: str = ""
    ascendc_runs: bool = True
    seconds: float = 0.0
    matmuls: Matmuls = DEFAULTS
    phases: tuple[tuple[int, int], ...] = ()

    def __repr__(self) -> str:
        return f"<Result: {self.epilogue} at {self.size()}, {self.data}: {'ok' if self.ok else 'FAIL'}>"

    def size(self, by: str = "x") -> str:
        """The size of the launch in words."""
        return self.matmuls.text(self.shape, by)

    @property
    def compared(self) -> list[Comparison]:
        """The comparisons of the accumulator and of all outputs."""
        return [*([self.accumulator] if self.accumulator else []), *self.outputs, *self.against]

    @property
    def ok(self) -> bool:
        """It :attr:`agrees`, enough of it was judged, and with ``strict`` nothing has left the formula."""
        return (
            self.agrees
            and all(comparison.enough for comparison in self.compared)
            and not has_errors(self.diagnostics)
            and not (self.strict and self.diagnostics)
        )

    @property
    def agrees(self) -> bool:
        """Everything ran, every element is within its bound, and the model reported nothing that counts."""
        compared = self.compared
        return (
            self.error is None
            and bool(compared)
            and not any(c.mismatches for c in compared)
            and not self.differing
            and not any(self.strict or hazard.get("severity") == "error" for hazard in self.hazards)
            and not (self.strict and self.warnings)
            and not (self.language is not None and has_errors(self.language.findings))
        )

    def to_json(self) -> dict[str, Any]:
        """The object that ``evtgen verify --json`` prints."""
        return {
            "epilogue": self.epilogue,
            "shape": list(self.shape),
            **self.matmuls.to_json(),
            "ok": self.ok,
            "compute_length": self.compute_length,
            "ub": {"used": self.ub_used, "limit": self.ub_limit},
            "phases": [
                {"compute_length": length, "ub": {"used": used, "limit": self.ub_limit}} for length, used in self.phases
            ],
            "outputs": [comparison.to_json() for comparison in self.outputs],
            "accumulator": self.accumulator.to_json() if self.accumulator else None,
            **({"against": [comparison.to_json() for comparison in self.against]} if self.against else {}),
            "hazards": self.hazards,
            "uses": self.uses,
            "unreached": None if self.lines is None else unreached([self.lines]),
            "warnings": list(self.warnings),
            "diagnostics": [diagnostic.to_json() for diagnostic in self.diagnostics],
            "device_cpp": None if self.language is None else self.language.to_json(),
            "error": self.error,
            "instructions": self.instructions,
            "schedules": {
                "count": self.schedules,
                "ordered": self.ordered,
                "differing": self.differing,
                "float_atomics": self.float_atomics,
            },
            "strict": self.strict,
            "data": self.data,
            "seed": self.seed,
            "pad": self.pad,
            "compiler": self.compiler,
            "ascendc": self.ascendc or None,
            "ascendc_use": ("run" if self.ascendc_runs else "compiled") if self.ascendc else None,
            "seconds": round(self.seconds, 3),
        }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
