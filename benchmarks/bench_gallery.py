"""The gallery at 4096 x 4096 x 64 on the clock: how near each is to what limits it. Aim: 0.9 where that is memory.

``memory`` is the share of the kernel's time that its copies take at the full bandwidths of global memory and the L2
cache, the profile's bound; ``V``, in which V works; ``cube``, in which the cube core multiplies or stores blocks. The
largest of the three limits it.
"""

from __future__ import annotations

import statistics
from collections.abc import Iterator

from evtgen.frontend.load import load
from evtgen.graph.shapes import Shape
from evtgen.measure.timing import timing
from evtgen.planner.plan import lower

from . import clock
from .bench_cli import EXAMPLES

SHAPE: Shape = (4096, 4096, 64)
SPECS = sorted((EXAMPLES / "gallery").glob("*.py"))


def run() -> Iterator[str]:
    """The epilogues, and the medians of the three kinds."""
    plans = [lower(epilogue) for path in SPECS for epilogue in load([path])]
    programs = clock.programs(plans)
    shares: dict[str, list[float]] = {"memory": [], "V": [], "cube": []}
    for plan in plans:
        done = clock.run(programs[plan.name], plan, SHAPE, trace=True)
        assert done.trace is not None
        (launch,) = done.report["stats"]["launches"]
        found = timing(launch, done.trace)
        busy = found.busy
        parts = {"memory": found.bandwidth_bound / found.cycles, "V": busy["AIV"]["V"], "cube": busy["AIC"]["FIX"]}
        limit = max(parts, key=lambda name: parts[name])
        shares[limit].append(parts[limit])
        yield (
            f"{plan.name:24} {plan.compute_length:6} elements  {plan.ub_used:7,} bytes  {found.cycles:8,} cycles  "
            f"memory {parts['memory']:.2f}  V {parts['V']:.2f}  cube {parts['cube']:.2f}"
        )
    for name, of in shares.items():
        if of:
            yield f"{name} limits {len(of)}, median share {statistics.median(of):.2f}, least {min(of):.2f}"
