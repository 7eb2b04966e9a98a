"""The part of the page of accuracy on what fusing does to rounding; measuring it takes a minute."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.bench_rounding import SHAPE, Row, text
from evtgen.system.translation import tr

HEAD = tr(
    """
## What fusing does to rounding

Epilogues of [the gallery](gallery.md) against their formulas in float64, with normal operands in half, at
{size}. *Fused* is the emitted kernel on the CPU model: between the matmul and its outputs it
rounds only where the spec says so (`Acc[half]`). *In steps* has one kernel for each step: a matmul with a result in
half, then functions that compute in float32 inside, like torch's, with results in half.

- Distances are in ulp of the output's type, at the formula's value, or at the output's median magnitude if that is
  larger. A result that is rounded once is within 0.5, and 0.25 on average. An ulp of int8 is one quantised step.
- Half between the steps costs an output in float32 most of its digits: an ulp of half is 8192 ulp of float32.
- The CPU model's `Exp` and `Ln` are the C library's; a device adds its own error to *fused*, within the bounds above.

| epilogue | output | type | fused, max | mean | in steps, max | mean |
|---|---|---|---:|---:|---:|---:|
""",
    size=" x ".join(map(str, SHAPE)),
)


def lines(rows: Iterable[Row]) -> str:
    """What was measured, a line for each."""
    return "".join(
        f"| {row.epilogue} | {row.output} | {row.element} | {' | '.join(map(text, (*row.fused, *row.steps)))} |\n"
        for row in rows
    )
