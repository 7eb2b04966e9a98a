"""``evtgen ops``: the operators, and the kernels in front."""

from __future__ import annotations

from ..report.plans import operators as report
from .options import Json
from .outcome import call, print_json


def ops(as_json: Json = False) -> None:
    """List the operators, with their types and AscendC calls; the other functions of ops; and the kernels."""
    from ..pipeline.explain import element_types, functions, kernels, operators

    rows, others = call(lambda: (operators(), functions()), as_json=as_json)
    if as_json:
        print_json([*rows, *others])
    else:
        report(rows, others, element_types(), kernels())
