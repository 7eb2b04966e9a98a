"""What an operator is: a sequence of AscendC calls beside what it means in numpy.

A sequence is written in the operands' names: ``a``, ``b``, … are the inputs, ``dst`` is the output, ``tmp``, ``tmp2``
and so on are scratch tiles (their UB is counted), and constants go by the names that the operator gives them. ``dst``
may be used as scratch, too; inputs are never written. A barrier is emitted before a call that touches what an earlier
call of the sequence wrote, or writes what one read, and nowhere else.

Where half has too few bits for the steps between (``wide``), a half operand is cast to float32, the sequence runs
there, and its result is cast back: one rounding instead of many.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from .arch import Architecture
from .types import ELEMENT_TYPES, ElementType, float32, half

OPERANDS = ("a", "b", "c", "d")

_SCRATCH = re.compile(r"tmp\d*")
_FRACTION = re.compile(r"-?\d*(\.\d+|\d[eE]).*")


@dataclass(frozen=True)
class Call:
    """One AscendC call in count form: ``name(args..., count)``; the first argument is the destination."""

    name: str
    args: tuple[str, ...]

    @property
    def destination(self) -> str:
        return self.args[0]

    @property
    def sources(self) -> tuple[str, ...]:
        return self.args[1:]


@dataclass(frozen=True)
class Operator:
    """An elementwise operator.

    Attributes:
        name: its name in Python, numpy's where numpy has it.
        cpp: name of its functor in C++, the ``op`` of a :class:`~evtgen.nodes.Compute`.
        inputs: how many tensors it takes; at least so many when ``variadic``.
        sequence: the AscendC calls, in order.
        numpy: ``f(np, *arrays, *constants)``. An operator that is exact (``ulp`` is 0) computes in the arrays' own
            dtype; any other in float64, from which the result is rounded once.
        golden: the same as a C++ expression over floats, ``{0}``, ``{1}``, and constants by name.
        variadic: takes more inputs too, folded from the left.
        constants: names of the compile-time constants it takes, as in ``sequence`` and ``golden``.
        defaults: their values where none are given; empty, or one for each.
        aliases: other names in Python.
        atomic: the atomic write that has its meaning (``Add`` of ``SetAtomicAdd``), for reductions.
        wide: half is computed in float32.
        ulp: largest distance from ``numpy`` in ulp of the result that the sequence may have; 0 is bit for bit.
        turns: inputs where it changes from falling to rising or back, zero excepted; may depend on the constants.
    """

    name: str
    cpp: str
    inputs: int
    sequence: tuple[Call, ...]
    numpy: Callable[..., Any]
    golden: str
    variadic: bool = False
    constants: tuple[str, ...] = ()
    defaults: tuple[float, ...] = ()
    aliases: tuple[str, ...] = ()
    atomic: str | None = None
    wide: bool = False
    ulp: int = 0
    turns: Callable[..., tuple[float, ...]] = lambda *constants: ()

    def types(self, arch: Architecture) -> tuple[ElementType, ...]:
        """Element types that every call of the sequence takes on ``arch``."""
        fractions = any(_FRACTION.fullmatch(arg) for call in self.sequence for arg in call.args)
        return tuple(
            T
            for T in ELEMENT_TYPES.values()
            if all(element in arch.calls.get(call, ()) for call, element in self.calls(T))
            and (T.kind == "float" or not fractions)
        )

    def computed_in(self, T: ElementType) -> ElementType:
        """The element type that the calls of the sequence have for values of type ``T``."""
        return float32 if self.wide and half == T else T

    def calls(self, T: ElementType) -> tuple[tuple[str, ElementType], ...]:
        """Each AscendC call for values of type ``T``, with the element type that it has."""
        return tuple((call.name, self.computed_in(T)) for call in self.sequence)

    def error(self, T: ElementType) -> int:
        """Largest distance from ``numpy`` in ulp of ``T``: rounded to half, float32's errors are in the last bit."""
        return self.ulp if self.computed_in(T) == T else min(self.ulp, 1)

    @property
    def lanes(self) -> str | None:
        """The AscendC call that reduces the lanes of each repeat to one value, for an operator with an atomic."""
        return {"Add": "WholeReduceSum", "Max": "WholeReduceMax", "Min": "WholeReduceMin"}.get(self.atomic or "")

    @property
    def operands(self) -> tuple[str, ...]:
        return OPERANDS[: self.inputs]

    @property
    def scratch(self) -> tuple[str, ...]:
        """The scratch tiles that the sequence names, in order."""
        return tuple(sorted({arg for call in self.sequence for arg in call.args if _SCRATCH.fullmatch(arg)}))

    @property
    def in_place(self) -> bool:
        """Whether the sequence reads no input once it has written ``dst``: both may be one tile then."""
        first = next(i for i, call in enumerate(self.sequence) if call.destination == "dst")
        return all(set(self.operands).isdisjoint(call.args) for call in self.sequence[first + 1 :])

    def scratch_tiles(self, T: ElementType) -> int:
        """Scratch tiles, of type ``computed_in(T)``, for values of type ``T``; casts need some for their results."""
        if self.computed_in(T) == T:
            return len(self.scratch)
        return len(self.scratch) + self.inputs + (not self.in_place)

    def barriers(self) -> tuple[bool, ...]:
        """For each call of the sequence, whether it needs a barrier: since the last one a call wrote what it touches,
        or read what it writes."""
        written: set[str] = set()
        read: set[str] = set()
        needed = []
        for call in self.sequence:
            hit = not written.isdisjoint(call.args) or call.destination in read
            if hit:
                written.clear()
                read.clear()
            written.add(call.destination)
            read.update(call.sources)
            needed.append(hit)
        return tuple(needed)


def sequence(*calls: str) -> tuple[Call, ...]:
    """Read ``"Add(dst, a, b)"`` and the like."""
    result = []
    for text in calls:
        match = re.fullmatch(r"(\w+)\((.*)\)", text)
        if match is None:
            raise ValueError(f"not an AscendC call: {text!r}")
        result.append(Call(match[1], tuple(arg.strip() for arg in match[2].split(","))))
    return tuple(result)


def horner(into: str, x: str, coefficients: Sequence[float]) -> tuple[str, ...]:
    """The calls that put a polynomial of the tile ``x`` into the tile ``into``; the constant term comes first."""
    *lower, last = coefficients
    calls = [f"Muls({into}, {x}, {last})"]
    for coefficient in reversed(lower[1:]):
        calls += [f"Adds({into}, {into}, {coefficient})", f"Mul({into}, {into}, {x})"]
    return (*calls, f"Adds({into}, {into}, {lower[0]})")
