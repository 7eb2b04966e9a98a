"""Names of steps and values in C++, each once."""

from __future__ import annotations

from collections.abc import Sequence

from ..graph.ir import Step, visit_order
from ..nodes import node_of


def aliases_of(steps: Sequence[Step]) -> tuple[str, ...]:
    """The unique C++ name of each step's type."""
    subjects: dict[int, str] = {}
    for index in visit_order([step.inputs for step in steps]):
        subjects[index] = node_of(steps[index]).subject([subjects[i] for i in steps[index].inputs])
    taken: dict[str, int] = {}
    return tuple(unique(node_of(step).alias([subjects[i] for i in step.inputs]), taken) for step in steps)


def unique(base: str, taken: dict[str, int]) -> str:
    """Take a name that is still free: the second ``Plus`` becomes ``Plus2``, the second ``CastXToInt8`` becomes
    ``CastXToInt8_2``. ``taken`` maps each name to the next number to try."""
    name = base
    while name in taken:
        name = f"{base}{'_' if base[-1].isdigit() else ''}{taken[base]}"
        taken[base] += 1
    taken[name] = 2
    return name
