"""What the compiled tests that ``make test`` chooses reach.

Such a test has the mark ``core``. The mark's ``reaches``, if it has that, is a function without parameters that returns
what the test reaches: names of nodes, kernels and architectures, and codes of findings.
"""

from __future__ import annotations

from collections.abc import Iterable

from evtgen.diagnostics.faults import faults
from evtgen.kernels import KERNELS
from evtgen.nodes import NODE_KINDS
from evtgen.planner.plan import Plan
from evtgen.targets import ARCHITECTURES


def everything() -> set[str]:
    """All that the choice must reach."""
    return {*NODE_KINDS, *(kernel.name for kernel in KERNELS), *ARCHITECTURES, *faults()}


def reached(plans: Iterable[Plan]) -> set[str]:
    """What a run of these plans reaches."""
    return {
        name
        for plan in plans
        for name in (plan.kernel.name, plan.arch.name, *(type(node).__name__ for _, node in plan.nodes()))
    }
