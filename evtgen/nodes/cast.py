"""Cast: from one element type to another, in a round mode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..graph.location import Location
from ..graph.types import ElementType
from ..targets import Architecture, cast_steps
from .base import Tensors, Traits, UbParts, VisitorNode, rounded

_WHOLE = {
    "CAST_NONE": "std::nearbyint",
    "CAST_RINT": "std::nearbyint",
    "CAST_FLOOR": "std::floor",
    "CAST_CEIL": "std::ceil",
    "CAST_ROUND": "std::round",
    "CAST_TRUNC": "std::trunc",
    "CAST_ODD": "ToOdd",
}
"""How the host rounds a number to a whole one, per round mode."""


@dataclass(frozen=True)
class Cast(VisitorNode):
    """``VisitorCast<To, From, RoundMode>``: COMPUTE casts its input. With ``to == from_`` it returns its input.

    Arguments ``{}``. The available pairs and modes depend on the architecture (AscendC, Cast).
    """

    to: ElementType
    from_: ElementType
    round: str = "CAST_NONE"

    header = "visitor_cast.hpp"
    min_inputs = 1
    max_inputs = 1
    by_rows = False

    @property
    def element(self) -> ElementType:
        return self.to

    def takes(self, index: int) -> ElementType:
        return self.from_

    def alias(self, inputs: Sequence[str]) -> str:
        return f"Cast{inputs[0]}To{self.to.pascal}"

    def subject(self, inputs: Sequence[str]) -> str:
        return inputs[0]

    def cpp(self, fusion: str) -> str:
        mode = "" if self.round == "CAST_NONE" else f", AscendC::RoundMode::{self.round}"
        return f"{fusion}VisitorCast<{self.to.cpp}, {self.from_.cpp}{mode}>"

    @property
    def traits(self) -> Traits:
        if self.to == self.from_:
            return Traits(forwards=True)
        return Traits(pending=True, reads_in_compute=True)

    def ub_parts(self, compute_length: int) -> UbParts:
        return UbParts(tile=0 if self.to == self.from_ else compute_length * self.to.size)

    def golden(self, inputs: list[str], suffixes: Mapping[str, str]) -> str:
        if self.to == self.from_:
            return inputs[0]
        whole = f"[](float value) {{ return {_WHOLE[self.round]}(value); }}"
        if self.to.kind == "int":
            return f"Saturate<{self.to.host}>({inputs[0]}, {whole})"
        if self.round in ("CAST_NONE", "CAST_RINT") or self.to.size == 4:
            return rounded(inputs[0], self.to)
        direction = f"Directed({inputs[0]}, {self.to.precision}, {self.to.least}, {whole})"
        return rounded(direction, self.to)

    def evaluate(self, inputs: list[Any], tensors: Tensors) -> Any:
        from ..operators.arrays import cast

        return cast(inputs[0], self.to, self.round)


def cast_path(
    arch: Architecture,
    source: ElementType,
    to: ElementType,
    mode: str = "CAST_NONE",
    location: Location | None = None,
) -> list[Cast] | None:
    """The casts from one type to another that together round once, in ``mode``; None where ``arch`` has none.

    See :func:`evtgen.targets.cast_steps`.
    """
    steps = cast_steps(arch, source, to, mode)
    return None if steps is None else [Cast(end, start, how, location=location) for start, end, how in steps]
