"""The view of an operator for the template of its functor."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import groupby

from ..operators.declaration import Call, Operator, float_text, is_number

BARRIER = "BarrierV()"
"""The framework's function that orders V after V where the architecture does not."""


@dataclass(frozen=True)
class Tile:
    """A parameter of the functor: an input, or a tile of scratch."""

    name: str
    element: str


@dataclass(frozen=True)
class NumbersView:
    """Numbers that the functor declares by name.

    Attributes:
        about: the lines of the comment above them.
        declared: each as ``NAME = value``; those of one letter, as the coefficients of one sum, follow each other.
    """

    about: list[str]
    declared: list[str]


@dataclass(frozen=True)
class ReductionView:
    """The calls by which the functor of an operator with an atomic serves as a reduction."""

    set_atomic: str
    reduce_lanes: str


@dataclass(frozen=True)
class FunctorView:
    """The view of ``functor.hpp.j2``; the properties are the parts of the C++ struct.

    Attributes:
        op: the operator.
        prefix: the namespace of the framework, as the header spells it.
    """

    op: Operator
    prefix: str = ""

    @property
    def cpp(self) -> str:
        return self.op.cpp

    @property
    def summary(self) -> str:
        if self.op.text is None:
            return f"dst = {self.op.name}({', '.join([*self.op.operands, *self.op.constants])})"
        expression = self.op.text
        for group in self.op.numbers:
            for name, value in group.values.items():
                expression = re.sub(rf"(?<![\w.]){re.escape(str(value))}(?![\w.])", name, expression)
        names = {name: name for name in self.op.constants}
        text = "dst = " + expression.format(*self.op.operands, **names)
        return text + (", and so on for more inputs" if self.op.variadic else "")

    @property
    def instance(self) -> str | None:
        return self.op.instance

    @property
    def bases(self) -> list[str]:
        """The traits that ``VisitorCompute`` reads; constants stand behind one base at most."""
        bases = [f"{self.prefix}traits::{trait}" for trait in self._traits]
        return [f"{self.prefix}traits::All<{', '.join(bases)}>"] if self.op.constants and len(bases) > 1 else bases

    @property
    def _traits(self) -> list[str]:
        traits = []
        if self.op.wide:
            traits.append(f"CastTiles<{self.op.inputs + (not self.op.casts_in_place)}>")
        if self.op.scratch:
            traits.append(f"ScratchTiles<{len(self.op.scratch)}>")
        if any(self.op.barriers()):
            traits.append("HasBarrier")
        if self.op.in_place:
            traits.append(f"InPlace<{bin(self.op.in_place)}>")
        if "dst" in self.op.masks:
            traits.append("MakesMask")
        return traits

    @property
    def constants(self) -> list[str]:
        """The functor's members."""
        return list(self.op.constants)

    @property
    def computed(self) -> str:
        """The type of the scratch tiles and constants, and of the values unless they are masks."""
        return "float" if self.op.wide else "Element"

    @property
    def dst(self) -> str:
        """The element type of the output."""
        return self._element("dst")

    @property
    def tiles(self) -> list[Tile]:
        """The parameters after ``dst`` and ``count``: the inputs, then the scratch."""
        return [Tile(name, self._element(name)) for name in (*self.op.operands, *self.op.scratch)]

    def _element(self, name: str) -> str:
        return f"{self.prefix}Mask" if name in self.op.masks else self.computed

    @property
    def reduction(self) -> ReductionView | None:
        """The operator as a reduction, if it has an atomic."""
        if self.op.atomic is None:
            return None
        # A maximum or minimum can give the index as well; the packed results are one element apart.
        order = "" if self.op.lanes == "WholeReduceSum" else ", AscendC::ReduceOrder::ORDER_ONLY_VALUE"
        return ReductionView(
            f"AscendC::SetAtomic{self.op.atomic.value}<Element>()",
            f"AscendC::{self.op.lanes}<Element>(dst, src, lanes, repeats, 1, 1, stride{order})",
        )

    @property
    def numbers(self) -> list[NumbersView]:
        """The numbers that the calls use by name, with their comments."""
        return [NumbersView(group.about.splitlines(), _declared(group.values)) for group in self.op.numbers]

    @property
    def calls(self) -> list[str]:
        """The calls in order, with the barriers between them."""
        lines: list[str] = []
        helper = None
        for call, barrier in zip(self.op.sequence, self.op.barriers(), strict=True):
            if call.helper is None or call.helper is not helper:
                text = self._text(call) if call.helper is None else f"detail::{call.helper.text}"
                lines += [f"{self.prefix}{BARRIER}", text] if barrier else [text]
            helper = call.helper
        return lines

    @property
    def fold(self) -> str | None:
        """The call for each input after the first two, if the operator takes more than two; else None."""
        return self._text(Call(self.op.sequence[0].name, ("dst", "dst", "more"))) if self.op.variadic else None

    @property
    def repeated(self) -> str | None:
        """The call by repeats with strides, of an operator that has it; else None."""
        call = self.op.sequence[0]
        if not self.op.repeats:
            return None
        return f"AscendC::{call.name}({', '.join(call.args)}, repeats.lanes, repeats.times, repeats.strides)"

    def _text(self, call: Call) -> str:
        """A call as C++, with numbers in the element type of its operands."""
        args = ", ".join(self._argument(call, arg) for arg in call.args)
        count = "count"
        if call.name in _BITWISE:
            count = "CountMaskWords(count)"
        elif call.name == "Compare":
            # The buffer has room for the mask's bits beyond the tile, and nothing reads them.
            count = f"WholeRepeats<{self.computed}>(count)"
        elif call.name == "Select":
            count = "static_cast<uint32_t>(count)"
        return f"AscendC::{call.name}({args}, {count})"

    def _argument(self, call: Call, arg: str) -> str:
        if "::" in arg:
            return f"AscendC::{arg}"
        if is_number(arg):
            name = self._named(float(arg))
            return name or float_text(arg) if self.computed == "float" else f"static_cast<Element>({name or arg})"
        return f"MaskWords({arg})" if call.name in _BITWISE else arg

    def _named(self, value: float) -> str | None:
        """The name of a number or of its negative; None for a number without a name."""
        for group in self.op.numbers:
            for name, number in group.values.items():
                if abs(value) == abs(number):
                    return name if value == number else f"-{name}"
        return None


def _declared(values: Mapping[str, float]) -> list[str]:
    """The declarators of named numbers: those of one letter share a declaration."""
    alike = groupby(values.items(), key=lambda item: item[0].rstrip("0123456789"))
    return [", ".join(f"{name} = {float_text(str(value))}" for name, value in some) for _, some in alike]


_BITWISE = ("And", "Or", "Not")
"""They take words of 16 bits."""
