"""``evtgen ops``: the operators, and the kernels in front."""

from __future__ import annotations

from ..report.plans import operators as report
from .options import Json
from .outcome import call, print_json


def ops(as_json: Json = False) -> None:
    """List the operators, their types per architecture and the AscendC calls of each; what is made of them; and the
    kernels."""
    from ..pipeline.explain import composed, element_types, kernels, operators

    rows = call(operators, as_json=as_json)
    if as_json:
        print_json(rows)
    else:
        report(rows, composed(), element_types(), kernels())
