"""What an operator is: a sequence of AscendC calls beside what it means in numpy.

A sequence is written in the operands' names: ``a``, ``b``, … are the inputs, ``dst`` is the output, ``tmp``, ``tmp2``
and so on are scratch tiles (their UB is counted), and constants go by the names that the operator gives them. ``dst``
may be used as scratch, too; inputs are never written. Enumerators are written as AscendC has them (``CMPMODE::GT``). A
``Cast`` has the same type on both sides, and rounds floats to whole numbers; any other cast is a node.
A barrier is emitted before a call that touches what an earlier
call of the sequence wrote, or writes what one read, and nowhere else.

Where half has too few bits for the steps between (``wide``), a half operand is cast to float32, the sequence runs
there, and its result is cast back: one rounding instead of many.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from itertools import zip_longest
from types import MappingProxyType
from typing import Any

from ..graph.types import ELEMENT_TYPES, ElementType, float32, half, mask
from ..targets import Architecture

OPERANDS = ("a", "b", "c", "d")


class Atomic(Enum):
    """A write to GM that joins what is there, and with it a reduction.

    The value is the suffix of its AscendC call (``SetAtomicAdd``).
    """

    ADD = "Add"
    MAX = "Max"
    MIN = "Min"

    @property
    def lanes(self) -> str:
        """The AscendC call that reduces the lanes of each repeat to one value in the same way."""
        return {Atomic.ADD: "WholeReduceSum", Atomic.MAX: "WholeReduceMax", Atomic.MIN: "WholeReduceMin"}[self]

    @property
    def noun(self) -> str:
        """What formulas call the result."""
        return {Atomic.ADD: "sum", Atomic.MAX: "max", Atomic.MIN: "min"}[self]


_SCRATCH = re.compile(r"tmp\d*")
_NUMBER = re.compile(r"-?(0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?")


@dataclass(frozen=True, eq=False)
class Helper:
    """A call of a function in ``operations/approximation.hpp``, in C++; the AscendC calls that it makes follow each
    other."""

    text: str


@dataclass(frozen=True)
class Call:
    """One AscendC call in count form: ``name(args..., count)``; the first argument is the destination.

    Attributes:
        name: of the function in AscendC.
        args: without the count.
        helper: the function of ``operations/approximation.hpp`` that makes the call along with others, if one does.
    """

    name: str
    args: tuple[str, ...]
    helper: Helper | None = field(default=None, compare=False)

    @property
    def destination(self) -> str:
        return self.args[0]

    @property
    def sources(self) -> tuple[str, ...]:
        return self.args[1:]

    def __str__(self) -> str:
        return f"{self.name}({', '.join(self.args)})"


@dataclass(frozen=True)
class Numbers:
    """Numbers of a sequence that need a name in C++.

    Attributes:
        about: what they are, as the comment above them says it.
        values: name → value. No two values are equal but for their sign, and none stands in the sequence for anything
            else.
    """

    about: str
    values: Mapping[str, float]


@dataclass(frozen=True, repr=False)
class Operator:
    """An elementwise operator.

    Attributes:
        name: its name in Python, numpy's where numpy has it.
        cpp: name of its functor in C++, the ``op`` of a :class:`~evtgen.nodes.Compute`.
        inputs: how many tensors it takes; at least so many when ``variadic``.
        sequence: the AscendC calls, in order.
        numpy: ``f(np, *arrays, *constants)``. An operator that is exact (``ulp`` is 0) computes in the arrays' own
            dtype; any other in float64, from which the result is rounded once.
        text: the same as an expression, for formulas and comments: ``{0}``, ``{1}``, and constants by name; None takes
            the name.
        variadic: takes more inputs too, folded from the left.
        constants: names of the constants it takes, as in ``sequence`` and ``text``.
        defaults: their values where none are given; empty, or one for each.
        aliases: other names in Python.
        atomic: the atomic write that has its meaning, for reductions.
        masks: operands that are masks whatever type the others have; with ``dst`` it yields one.
        wide: half is computed in float32.
        ulp: largest distance from ``numpy`` in ulp of the result that the sequence may have; 0 is bit for bit.
        fused: as ``numpy``, in float64, of an exact operator whose last call multiplies and adds: without the rounding
            of the product, which AscendC's pages leave open. The device may be at either or between.
        turns: inputs where it changes from falling to rising or back, zero excepted; may depend on the constants.
        instance: the functor as an instance of a class template of its family's header, if it is one.
        numbers: those of the sequence's numbers that are written by name in C++.
        note: what the name alone does not say, in a few words, for ``evtgen ops``.
    """

    name: str
    cpp: str
    inputs: int
    sequence: tuple[Call, ...]
    numpy: Callable[..., Any]
    text: str | None = None
    variadic: bool = False
    constants: tuple[str, ...] = ()
    defaults: tuple[float, ...] = ()
    aliases: tuple[str, ...] = ()
    atomic: Atomic | None = None
    masks: tuple[str, ...] = ()
    wide: bool = False
    ulp: int = 0
    fused: Callable[..., Any] | None = None
    turns: Callable[..., tuple[float, ...]] = lambda *constants: ()
    instance: str | None = field(default=None, compare=False)
    numbers: tuple[Numbers, ...] = field(default=(), compare=False)
    note: str = field(default="", compare=False)

    def types(self, arch: Architecture) -> tuple[ElementType, ...]:
        """Element types that every call of the sequence takes on ``arch``."""
        return tuple(
            T
            for T in ELEMENT_TYPES.values()
            if all(element in arch.calls.get(call, ()) for call, element in self.calls(T))
            and (T.kind == "float" or not self.fractions)
        )

    @cached_property
    def fractions(self) -> bool:
        """Whether a call divides, or holds a number that is not written as a whole one: of whole numbers it makes
        fractions, so no integer can be computed with it."""
        numbers = (arg for call in self.sequence for arg in call.sources if is_number(arg))
        return any(call.name == "Div" for call in self.sequence) or any(re.search(r"[.eE]", arg) for arg in numbers)

    def takes(self, index: int, T: ElementType) -> ElementType:
        """The element type of an input where values have type ``T``."""
        return mask if OPERANDS[min(index, self.inputs - 1)] in self.masks else T

    def yields(self, T: ElementType) -> ElementType:
        """The element type of the result where values have type ``T``."""
        return mask if "dst" in self.masks else T

    def computed_in(self, T: ElementType) -> ElementType:
        """The element type that the calls of the sequence have for values of type ``T``."""
        return float32 if self.wide and half == T else T

    def calls(self, T: ElementType) -> tuple[tuple[str, ElementType], ...]:
        """Each AscendC call for values of type ``T``, with the element type that it has: a mask, if it turns the one of
        a comparison."""
        compares = not set(self.operands) <= set(self.masks)
        return tuple(
            (call.name, mask if compares and set(call.args) <= set(self.masks) else self.computed_in(T))
            for call in self.sequence
        )

    def error(self, T: ElementType, off: Mapping[str, int] = MappingProxyType({})) -> int:
        """Largest distance from ``numpy`` in ulp of ``T``: rounded to half, float32's errors are in the last bit.

        ``off`` has the ulp by which a call of AscendC may be off. What the calls after it make of that is as large
        beside their result, and so up to two ulp there for one of its own. Exp takes a number as far as 104 from zero;
        what a logarithm is off by is that many times as large beside its result. An operator of one call that is not
        exact declares what a device may be off by.
        """
        ulp = self.ulp
        if T.kind == "float" and not (self.ulp and len(self.sequence) == 1):
            names = [call.name for call in self.sequence]
            for place, name in enumerate(names, 1):
                after = names[place:]
                exponent = name == "Ln" and "Exp" in after
                ulp += off.get(name, 0) * (2 * 104 if exponent else 2 if after else 1)
        return ulp if self.computed_in(T) == T else min(ulp, 1)

    def __repr__(self) -> str:
        return self.name

    @property
    def lanes(self) -> str | None:
        """The AscendC call that reduces the lanes of each repeat to one value, for an operator with an atomic."""
        return self.atomic.lanes if self.atomic else None

    @property
    def operands(self) -> tuple[str, ...]:
        return OPERANDS[: self.inputs]

    @property
    def repeats(self) -> bool:
        """Whether the sequence is one call that reads two tiles: such a call takes strides of repeats in place of a
        count (AscendC API reference, Add)."""
        return len(self.sequence) == 1 and self.sequence[0].args == ("dst", "a", "b") and not (self.masks or self.wide)

    @cached_property
    def scratch(self) -> tuple[str, ...]:
        """The scratch tiles that the sequence names, in order."""
        return tuple(sorted({arg for call in self.sequence for arg in call.args if _SCRATCH.fullmatch(arg)}))

    @cached_property
    def in_place(self) -> int:
        """Bit i is set if ``dst`` may be the tile of input i: nothing reads that input once ``dst`` is written, and a
        barrier stands between an earlier call that reads it and the first that writes ``dst``."""
        first = next(i for i, call in enumerate(self.sequence) if call.destination == "dst")
        last_barrier = max((i for i in range(first + 1) if self._barriers[i]), default=0)
        touched = {
            arg for call in (*self.sequence[last_barrier:first], *self.sequence[first + 1 :]) for arg in call.args
        }
        return sum(1 << i for i, name in enumerate(self.operands) if name not in touched)

    @property
    def casts_in_place(self) -> bool:
        """Whether ``dst`` is the tile into which the first input is cast: no input is read once ``dst`` is written. The
        barriers of a sequence with casts know that."""
        first = next(i for i, call in enumerate(self.sequence) if call.destination == "dst")
        return all(set(self.operands).isdisjoint(call.args) for call in self.sequence[first + 1 :])

    def scratch_tiles(self, T: ElementType) -> int:
        """Scratch tiles, of type ``computed_in(T)``, for values of type ``T``; casts need some for their results."""
        if self.computed_in(T) == T:
            return len(self.scratch)
        return len(self.scratch) + self.inputs + (not self.casts_in_place)

    def barriers(self) -> tuple[bool, ...]:
        """For each call of the sequence, whether it needs a barrier: since the last one a call wrote what it touches,
        or read what it writes."""
        return self._barriers_if({"a": "dst"} if self.wide and self.casts_in_place else {})

    @cached_property
    def _barriers(self) -> tuple[bool, ...]:
        """The barriers that it needs if no two of its tiles are one."""
        return self._barriers_if({})

    def _barriers_if(self, tiles: Mapping[str, str]) -> tuple[bool, ...]:
        """The barriers that it needs where some of its tiles are others."""
        written: set[str] = set()
        read: set[str] = set()
        needed = []
        for call in self.sequence:
            destination, *sources = (tiles.get(arg, arg) for arg in call.args)
            hit = not written.isdisjoint({destination, *sources}) or destination in read
            if hit:
                written.clear()
                read.clear()
            written.add(destination)
            read.update(sources)
            needed.append(hit)
        return tuple(needed)


def is_number(arg: str) -> bool:
    """Whether an argument of a call is a number, not a name."""
    return _NUMBER.fullmatch(arg) is not None


def float_text(arg: str) -> str:
    """An argument of a call over floats, in C++."""
    if not is_number(arg):
        return arg
    return f"{arg}f" if re.search(r"[.eE]", arg) else f"{arg}.0f"


def sequence(*calls: str | Call) -> tuple[Call, ...]:
    """Read ``"Add(dst, a, b)"`` and the like."""
    result = []
    for text in calls:
        if isinstance(text, Call):
            result.append(text)
            continue
        match = re.fullmatch(r"(\w+)\((.*)\)", text)
        if match is None:
            raise ValueError(f"not an AscendC call: {text!r}")
        result.append(Call(match[1], tuple(arg.strip() for arg in match[2].split(","))))
    return tuple(result)


def helped(text: str, *calls: str) -> tuple[Call, ...]:
    """The calls that a helper makes. ``text`` is its call."""
    helper = Helper(text)
    return tuple(replace(call, helper=helper) for call in sequence(*calls))


def horner(into: str, x: str, coefficients: Sequence[float]) -> tuple[str, ...]:
    """The calls that put a polynomial of the tile ``x`` into the tile ``into``; the constant term comes first."""
    *lower, last = coefficients
    calls = [f"Muls({into}, {x}, {last})"]
    for coefficient in reversed(lower[1:]):
        calls += [f"Adds({into}, {into}, {coefficient})", f"Mul({into}, {into}, {x})"]
    return (*calls, f"Adds({into}, {into}, {lower[0]})")


def by_turns(*chains: Sequence[str]) -> tuple[str, ...]:
    """The calls of chains that have nothing to do with each other, one of each by turns: they share their barriers."""
    return tuple(call for calls in zip_longest(*chains) for call in calls if call is not None)
