"""EVT175: why Catlass's own visitor framework, EVG, cannot express an epilogue."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics.diagnostic import Diagnostic
from ..diagnostics.evg import NOT_EVG
from ..kernels.matmul import Matmul
from ..nodes import Reduced
from ..passes.analysis.gemm import PRELOADING
from ..planner.evg import (
    ACCUMULATOR_BYTES,
    ARCHITECTURE,
    BUFFERS,
    half_block,
    has_counterpart,
    is_in_ub,
    longest,
    shortest,
)
from ..planner.plan import Plan
from ..planner.scales import scales


def refusals(plan: Plan) -> Iterator[Diagnostic]:
    """Each reason why EVG, with the nodes that evtgen brings along, cannot express an epilogue."""
    first = list(_foreign(plan))
    yield from first
    if not first:
        yield from _lacking(plan)
        yield from _no_room(plan)


def _foreign(plan: Plan) -> Iterator[Diagnostic]:
    """An architecture or a node that EVG does not have. Nothing else is looked at then."""
    if plan.arch.name != ARCHITECTURE:
        yield NOT_EVG.of(
            "architecture", plan.epilogue.location, name=plan.name, arch=plan.arch.name, other=ARCHITECTURE
        )
        return
    for alias, node in plan.nodes():
        if not has_counterpart(node):
            yield NOT_EVG.of(
                "used again" if isinstance(node, Reduced) else "no counterpart", node.location, alias=alias
            )
            return


def _lacking(plan: Plan) -> Iterator[Diagnostic]:
    """What Catlass's visitor kernels do not do."""
    epilogue, gemm, name = plan.epilogue, plan.epilogue.gemm, plan.name
    place = epilogue.location
    if plan.is_ordered:
        yield NOT_EVG.of("atomic", place, name=name)
    if plan.widening is not None:
        yield NOT_EVG.of("casts", place, a=plan.gemm.a, b=plan.gemm.b)
    if any(scales(plan.gemm)):
        yield NOT_EVG.of("scales", place)
    if not isinstance(plan.kernel, Matmul):
        yield NOT_EVG.of("kernel", place, name=name, kernel=plan.kernel.name)
    if gemm.accumulators is not None:
        yield NOT_EVG.of("accumulators", place, name=name)
    if gemm.workspace_stages:
        yield NOT_EVG.of("stages", place, stages=gemm.workspace_stages)
    if gemm.policy == PRELOADING:
        yield NOT_EVG.of("policy", place, policy=gemm.policy)
    if isinstance(epilogue.buffers, int) and epilogue.buffers != BUFFERS:
        yield NOT_EVG.of("buffers", place, buffers=epilogue.buffers, count=BUFFERS)


def _no_room(plan: Plan) -> Iterator[Diagnostic]:
    """Too little UB: no two nodes share any in Catlass's framework."""
    place, T = plan.epilogue.location, plan.element_c
    rows, columns = half_block(plan)
    if is_in_ub(plan) and rows * columns * T.size > ACCUMULATOR_BYTES:
        yield NOT_EVG.of("block", place, T=T, rows=rows, columns=columns, size=ACCUMULATOR_BYTES)
        return
    made, asked = longest(plan), plan.epilogue.compute_length
    step, used = shortest(made)
    count, size = len(made.nodes), made.ub_limit
    if made.compute_length < step:
        yield NOT_EVG.of("no room", place, count=count, used=used, step=step, size=size)
    elif isinstance(asked, int) and asked > made.compute_length:
        yield NOT_EVG.of("length", place, asked=asked, count=count, size=size, longest=made.compute_length)
