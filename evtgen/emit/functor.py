"""An operator as the template of its functor writes it."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..graph.types import half
from ..operators.declaration import Call, Operator, float_text, is_number


@dataclass(frozen=True)
class FunctorView:
    """What ``functor.hpp.j2`` sees of an operator; every name is that of the C++."""

    op: Operator

    @property
    def cpp(self) -> str:
        return self.op.cpp

    @property
    def summary(self) -> str:
        if self.op.golden is None:
            return f"dst = {self.op.name}({', '.join(self.operands_and_constants)})"
        expression = re.sub(r"\.0f\b", "", self.op.golden.replace("std::", ""))
        names = {name: name for name in self.op.constants}
        text = "dst = " + expression.format(*self.op.operands, **names)
        return text + (", and so on for more inputs" if self.op.variadic else "")

    @property
    def operands(self) -> list[str]:
        return list(self.op.operands)

    def element(self, name: str) -> str:
        """The element type of ``dst`` or an operand."""
        return "Mask" if name in self.op.masks else "Element"

    @property
    def makes_mask(self) -> bool:
        return "dst" in self.op.masks

    @property
    def traits(self) -> bool:
        """Whether the functor says something of itself that a functor which wraps it must say as well."""
        return self.scratch_bytes != "0" or self.has_barrier is not None or self.makes_mask

    @property
    def constants(self) -> list[str]:
        return list(self.op.constants)

    @property
    def operands_and_constants(self) -> list[str]:
        return [*self.op.operands, *self.op.constants]

    @property
    def variadic(self) -> bool:
        return self.op.variadic

    @property
    def atomic(self) -> str | None:
        """The suffix of the AscendC call that makes writes atomic in its sense."""
        return self.op.atomic.value if self.op.atomic else None

    @property
    def lanes(self) -> str | None:
        return self.op.lanes

    @property
    def wide(self) -> bool:
        return self.op.wide

    @property
    def scratch(self) -> list[str]:
        return list(self.op.scratch)

    @property
    def computed(self) -> str:
        """The type of the scratch tiles and constants."""
        return "float" if self.op.wide else "Element"

    @property
    def scratch_bytes(self) -> str:
        """Bytes of scratch per element, as a constant expression."""
        own = len(self.op.scratch)
        if not self.op.wide:
            return f"{own} * sizeof(Element)" if own else "0"
        with_casts = self.op.scratch_tiles(half)
        return f"(std::is_same_v<Element, float> ? {own} : {with_casts}) * sizeof(float)"

    @property
    def has_barrier(self) -> str | None:
        """Whether there is a barrier among the calls, as a constant expression; None for no."""
        if any(self.op.barriers()):
            return "true"
        return "!std::is_same_v<Element, float>" if self.op.wide else None

    @property
    def calls(self) -> list[tuple[str, bool]]:
        """Each call, and whether a barrier stands before it."""
        calls = [call_text(call, self.computed) for call in self.op.sequence]
        return list(zip(calls, self.op.barriers(), strict=True))

    @property
    def fold(self) -> str:
        return call_text(Call(self.op.sequence[0].name, ("dst", "dst", "more")), self.computed)

    @property
    def casts(self) -> list[tuple[str, int]]:
        """The float tiles of a half operator, with their places in the scratch."""
        names = [f"wide{operand.upper()}" for operand in self.op.operands]
        if not self.op.in_place:
            names.append("wideDst")
        return [(name, index) for index, name in enumerate(names)]

    @property
    def wide_dst(self) -> str:
        return "wideA" if self.op.in_place else "wideDst"

    @property
    def wide_operands(self) -> list[str]:
        return [f"wide{operand.upper()}" for operand in self.op.operands] + list(self.op.constants)

    @property
    def first_tile(self) -> str:
        """What the scratch is called: as the first tile in it, or ``tmp`` where that holds casts."""
        return self.op.scratch[0] if self.op.scratch and not self.op.wide else "tmp"

    def tile(self, index: int) -> str:
        """The scratch tile of a place."""
        offset = ("", "[count]")[index] if index < 2 else f"[{index} * count]"
        return f"{self.first_tile}{offset}"

    def tiles(self, first: int) -> list[str]:
        """As many scratch tiles as the sequence names, from a place on."""
        return [self.tile(first + index) for index in range(len(self.op.scratch))]


_BITWISE = ("And", "Or", "Not")
"""They take words of 16 bits."""


def call_text(call: Call, element: str) -> str:
    """A call as C++, with numbers in the element type of its operands."""

    def text(arg: str) -> str:
        if "::" in arg:
            return f"AscendC::{arg}"
        if is_number(arg):
            return float_text(arg) if element == "float" else f"static_cast<Element>({arg})"
        return f"MaskWords({arg})" if call.name in _BITWISE else arg

    count = "count"
    if call.name in _BITWISE:
        count = "CeilDiv<16>(count)"
    elif call.name == "Compare":
        # What it does behind the tile nobody reads.
        count = f"WholeRepeats<{element}>(count)"
    return f"AscendC::{call.name}({', '.join(map(text, call.args))}, {count})"
