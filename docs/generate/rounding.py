"""The part of the page of accuracy on what fusing does to rounding; measuring it takes a minute."""

from __future__ import annotations

from collections.abc import Iterable

from benchmarks.bench_rounding import SHAPE, Row, text

_HEAD = f"""
## What fusing does to rounding

Epilogues of [the gallery](gallery.md) against their formulas in float64, from normal operands in half, at
{" x ".join(map(str, SHAPE))}. *Fused* is the emitted kernel on the CPU model: it rounds nothing between the matmul
and its outputs but what its spec says (`Acc[half]`). *In steps* is the same as somebody writes it who has one kernel
for each step: a matmul in half that leaves half, then functions that compute in float32 inside, as torch's do, and
leave half.

- Distances are in ulp of the output's type, at the formula's value, or at the output's median magnitude where that is
  larger. A result that is rounded once is within 0.5, by 0.25 on average. An ulp of int8 is a step of the quantised
  values.
- Where an output is in float32, half between the steps costs most of its digits: an ulp of half is 8192 of float32.
- The CPU model's `Exp` and `Ln` are the C library's; the device's own error comes on top of *fused*, within
  the operators' bounds above.

| epilogue | output | type | fused, max | mean | in steps, max | mean |
|---|---|---|---:|---:|---:|---:|
"""


def section(rows: Iterable[Row]) -> str:
    """The end of ``accuracy.md``."""
    return _HEAD + "".join(
        f"| {row.epilogue} | {row.output} | {row.element} | {' | '.join(map(text, (*row.fused, *row.steps)))} |\n"
        for row in rows
    )
