"""EVT175: why Catlass's own visitor framework, EVG, cannot express an epilogue."""

from __future__ import annotations

from collections.abc import Iterator

from ..diagnostics.diagnostic import Diagnostic
from ..diagnostics.files import NOT_EVG
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
from ..system.translation import tr


def refusals(plan: Plan) -> Iterator[Diagnostic]:
    """Each reason why EVG, with the nodes that evtgen brings along, cannot express an epilogue."""
    first = list(_foreign(plan))
    yield from first
    if not first:
        yield from _lacking(plan)
        yield from _no_room(plan)


def _elsewhere() -> str:
    return tr("build it without --framework catlass: evtgen's own framework has it")


def _foreign(plan: Plan) -> Iterator[Diagnostic]:
    """An architecture or a node that EVG does not have. Nothing else is looked at then."""
    if plan.arch.name != ARCHITECTURE:
        message = tr(
            "{name} is for {name2}, and Catlass's visitor kernels are for {architecture} alone",
            name=plan.name,
            name2=plan.arch.name,
            architecture=ARCHITECTURE,
        )
        help_ = tr('write arch="{architecture}", or build it without --framework catlass', architecture=ARCHITECTURE)
        yield NOT_EVG(message, plan.epilogue.location, help_)
        return
    for alias, node in plan.nodes():
        if not has_counterpart(node):
            message = (
                tr(
                    "{alias} is a reduction that is used again, and Catlass's visitor kernels go over C once",
                    alias=alias,
                )
                if isinstance(node, Reduced)
                else tr("{alias} has no counterpart in Catlass's visitor framework", alias=alias)
            )
            yield NOT_EVG(message, node.location, _elsewhere())
            return


def _lacking(plan: Plan) -> Iterator[Diagnostic]:
    """What Catlass's visitor kernels do not do."""
    epilogue, gemm = plan.epilogue, plan.epilogue.gemm
    place = epilogue.location
    if plan.is_ordered:
        message = tr(
            "{name} is deterministic, and reductions of Catlass's visitor framework are atomic", name=plan.name
        )
        yield NOT_EVG(message, place, _elsewhere())
    if plan.kernel.casts:
        message = tr("Catlass's visitor kernels do not cast the {b} of B to {a}", b=plan.gemm.b, a=plan.gemm.a)
        yield NOT_EVG(message, place, _elsewhere())
    if not isinstance(plan.kernel, Matmul):
        message = tr(
            "{name} is for {name2}, and Catlass's visitor framework has no such kernel",
            name=plan.name,
            name2=plan.kernel.name,
        )
        yield NOT_EVG(message, place, _elsewhere())
    if gemm.accumulators is not None:
        message = tr("{name} reads two accumulators, and Catlass's visitor kernels compute one", name=plan.name)
        yield NOT_EVG(message, place, _elsewhere())
    if gemm.workspace_stages:
        message = tr(
            "workspace_stages={workspace_stages}: Catlass's kernels keep all of C in GM, or one block in UB",
            workspace_stages=gemm.workspace_stages,
        )
        yield NOT_EVG(message, place, tr("leave workspace_stages out, or build it without --framework catlass"))
    if gemm.policy == PRELOADING:
        message = tr(
            'policy="{policy}": the visitor kernels of Catlass compute one block after the other', policy=gemm.policy
        )
        yield NOT_EVG(message, place, tr("leave policy out, or build it without --framework catlass"))
    if isinstance(epilogue.buffers, int) and epilogue.buffers != BUFFERS:
        message = tr(
            "buffers={buffers}: Catlass's block epilogue has {buffers2} of every node's",
            buffers=epilogue.buffers,
            buffers2=BUFFERS,
        )
        yield NOT_EVG(message, place, tr("leave buffers out, or build it without --framework catlass"))


def _no_room(plan: Plan) -> Iterator[Diagnostic]:
    """Too little UB: no two nodes share any in Catlass's framework."""
    epilogue = plan.epilogue
    rows, columns = half_block(plan)
    if is_in_ub(plan) and rows * columns * plan.element_c.size > ACCUMULATOR_BYTES:
        message = tr(
            "half a block of {element_c}, {rows} x {columns}, is more than the {accumulator_bytes} bytes of UB "
            "that Catlass's kernel keeps for it",
            element_c=plan.element_c,
            rows=rows,
            columns=columns,
            accumulator_bytes=ACCUMULATOR_BYTES,
        )
        yield NOT_EVG(message, epilogue.location, tr("take a smaller l1"))
        return
    made, asked = longest(plan), epilogue.compute_length
    step, used = shortest(made)
    if made.compute_length < step:
        message = tr(
            "{count} nodes take {used} bytes of UB with tiles of {step} elements, and there are {ub_limit}; "
            "no two nodes share UB in Catlass's framework",
            count=len(made.nodes),
            used=used,
            step=step,
            ub_limit=made.ub_limit,
        )
        yield NOT_EVG(message, epilogue.location, _elsewhere())
    elif isinstance(asked, int) and asked > made.compute_length:
        message = tr(
            "tiles of {asked} elements do not fit: {count} nodes have {ub_limit} bytes of UB, and "
            "no two of them share any in Catlass's framework",
            asked=asked,
            count=len(made.nodes),
            ub_limit=made.ub_limit,
        )
        help_ = tr(
            "take {compute_length} at most, or build it without --framework catlass", compute_length=made.compute_length
        )
        yield NOT_EVG(message, epilogue.location, help_)
