"""Tiles, or buffers, for a shape that is known: by the formula of the search, where they are faster there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..check import planned
from ..diagnostics.diagnostic import Diagnostic
from ..diagnostics.tuning import FASTER_OPTIONS
from ..frontend.dispatch import Fields, Served, applied
from ..graph.ir import Epilogue
from ..graph.shapes import Shape
from ..kernels import DEFAULTS, Matmuls
from ..measure.estimate import units
from ..measure.fitting import fitted
from ..planner.plan import Plan, require_launches
from ..system.translation import tr
from ..system.words import number
from .specs import Checked
from .tune import options_text


def for_shape(checked: Checked, shape: Shape) -> Checked:
    """Epilogues with tiles or buffers for a shape, where others are faster there; what has many matmuls, or names
    tiles or slices itself, stays as it is. The warnings (EVT309) say which have others. Raises EvtgenError for a shape
    that an epilogue cannot have."""
    require_launches(checked.plans, DEFAULTS, [shape])
    result = Checked(diagnostics=[*checked.diagnostics])
    for spec in checked.specs:
        made = []
        for epilogue, plan in zip(spec.epilogues, spec.plans, strict=True):
            if options := _options(shape, epilogue, plan):
                size, line = plan.size(plan.problem(shape)), options_text(epilogue, options)
                result.diagnostics.append(
                    FASTER_OPTIONS.of("taken", epilogue.location, name=plan.name, size=size, line=line)
                )
            made.append(applied(epilogue, options))
        result.add(spec.path, [(one, *planned(one)) for one in made])
    return result


def _options(shape: Shape, epilogue: Epilogue, plan: Plan) -> Fields:
    gemm = epilogue.gemm
    named = gemm.l1 or gemm.l0 or gemm.policy or gemm.split_k != 1
    if plan.kernel.several or named or not _serves(epilogue, shape):
        return {}
    return fitted(epilogue, plan, plan.problem(shape))[0]


def faster_options(
    epilogue: Epilogue, plan: Plan, shapes: Sequence[Shape], matmuls: Matmuls, cores: int | None
) -> Iterator[Diagnostic]:
    """The warning (EVT309) for each shape at which other tiles, or buffers, are faster."""
    for shape in shapes:
        problem = plan.problem(shape, matmuls)
        options, share = fitted(epilogue, plan, problem, cores) if _serves(epilogue, shape) else ({}, 1.0)
        if options:
            yield FASTER_OPTIONS.of(
                "buffers" if "buffers" in options else "", epilogue.location, name=plan.name, size=plan.size(problem),
                blocks=number(units(plan, problem), tr("{count} block{s}")), cores=cores or plan.arch.cube_cores,
                share=f"{share:.0%}", line=options_text(epilogue, options),
            )  # fmt: skip


def _serves(epilogue: Epilogue, shape: Shape) -> bool:
    """Whether a launch of so many rows takes this kernel, of those of a Dispatch."""
    return not isinstance(epilogue, Served) or epilogue.served(shape[0]) == shape[0]
