"""The operators: one declaration each, and everything else follows from it.

From a declaration come the C++ functor in ``operations.hpp``, the element types it takes on an architecture (those that
each AscendC call of its sequence takes), the numpy reference, the golden expression of the example programs, the
function in :mod:`evtgen.frontend.trace` and the row of ``evtgen ops``.

A sequence is written in the operands' names: ``a``, ``b``, … are the inputs, ``dst`` is the output, ``scalar`` the
constant.
A barrier is emitted before a call that reads what an earlier call of the sequence wrote, and nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .arch import Architecture
from .types import ElementType

OPERANDS = ("a", "b", "c", "d")


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
        numpy: ``f(np, *arrays[, scalar])`` in the arrays' own dtype.
        golden: the same as a C++ expression over floats, ``{0}``, ``{1}``, ``{scalar}``.
        variadic: takes more inputs too, folded from the left.
        scalar: takes one compile-time constant.
        atomic: the atomic write that has its meaning (``Add`` of ``SetAtomicAdd``), for reductions.
        ulp: largest distance from ``numpy`` in ulp of the result that the sequence may have; 0 is bit for bit.
    """

    name: str
    cpp: str
    inputs: int
    sequence: tuple[Call, ...]
    numpy: Callable[..., Any]
    golden: str
    variadic: bool = False
    scalar: bool = False
    atomic: str | None = None
    ulp: int = 0

    def types(self, arch: Architecture) -> tuple[ElementType, ...]:
        """Element types that every call of the sequence takes on ``arch``."""
        taken = [arch.calls.get(call.name, ()) for call in self.sequence]
        return tuple(t for t in taken[0] if all(t in types for types in taken))

    @property
    def operands(self) -> tuple[str, ...]:
        return OPERANDS[: self.inputs]

    def barriers(self) -> tuple[bool, ...]:
        """For each call of the sequence, whether it reads (or overwrites) what a call since the last barrier wrote."""
        written: set[str] = set()
        needed = []
        for call in self.sequence:
            hit = not written.isdisjoint(call.args)
            if hit:
                written.clear()
            written.add(call.destination)
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


_ALL = (
    Operator("add", "Plus", 2, sequence("Add(dst, a, b)"), lambda np, a, b: np.add(a, b), "{0} + {1}",
             variadic=True, atomic="Add"),
    Operator("subtract", "Minus", 2, sequence("Sub(dst, a, b)"), lambda np, a, b: np.subtract(a, b), "{0} - {1}"),
    Operator("multiply", "Multiplies", 2, sequence("Mul(dst, a, b)"), lambda np, a, b: np.multiply(a, b), "{0} * {1}",
             variadic=True),
    Operator("divide", "Divides", 2, sequence("Div(dst, a, b)"), lambda np, a, b: np.divide(a, b), "{0} / {1}"),
    Operator("maximum", "Maximum", 2, sequence("Max(dst, a, b)"), lambda np, a, b: np.maximum(a, b),
             "std::fmax({0}, {1})", variadic=True, atomic="Max"),
    Operator("minimum", "Minimum", 2, sequence("Min(dst, a, b)"), lambda np, a, b: np.minimum(a, b),
             "std::fmin({0}, {1})", variadic=True, atomic="Min"),
    Operator("negative", "Negate", 1, sequence("Muls(dst, a, -1)"), lambda np, a: np.negative(a), "-{0}"),
    Operator("absolute", "Absolute", 1, sequence("Abs(dst, a)"), lambda np, a: np.absolute(a), "std::fabs({0})"),
    Operator("relu", "Relu", 1, sequence("Relu(dst, a)"), lambda np, a: np.maximum(a, a.dtype.type(0)),
             "std::fmax({0}, 0.0f)"),
    Operator("exp", "Exp", 1, sequence("Exp(dst, a)"), lambda np, a: np.exp(a), "std::exp({0})", ulp=2),
    Operator("log", "Log", 1, sequence("Ln(dst, a)"), lambda np, a: np.log(a), "std::log({0})", ulp=2),
    Operator("sqrt", "Sqrt", 1, sequence("Sqrt(dst, a)"), lambda np, a: np.sqrt(a), "std::sqrt({0})", ulp=1),
    Operator("reciprocal", "Reciprocal", 1, sequence("Reciprocal(dst, a)"),
             lambda np, a: np.divide(a.dtype.type(1), a), "1.0f / {0}", ulp=1),
    Operator("add_scalar", "Adds", 1, sequence("Adds(dst, a, scalar)"), lambda np, a, s: np.add(a, s),
             "{0} + {scalar}", scalar=True),
    Operator("multiply_scalar", "Muls", 1, sequence("Muls(dst, a, scalar)"), lambda np, a, s: np.multiply(a, s),
             "{0} * {scalar}", scalar=True),
    Operator("maximum_scalar", "Maxs", 1, sequence("Maxs(dst, a, scalar)"), lambda np, a, s: np.maximum(a, s),
             "std::fmax({0}, {scalar})", scalar=True),
    Operator("minimum_scalar", "Mins", 1, sequence("Mins(dst, a, scalar)"), lambda np, a, s: np.minimum(a, s),
             "std::fmin({0}, {scalar})", scalar=True),
    Operator("divide_scalar", "Divs", 1, sequence("Duplicate(dst, scalar)", "Div(dst, a, dst)"),
             lambda np, a, s: np.divide(a, s), "{0} / {scalar}", scalar=True),
    Operator("divide_into_scalar", "RDivs", 1, sequence("Duplicate(dst, scalar)", "Div(dst, dst, a)"),
             lambda np, a, s: np.divide(s, a), "{scalar} / {0}", scalar=True),
)  # fmt: skip

OPERATORS: dict[str, Operator] = {op.cpp: op for op in _ALL}
"""All operators by their C++ name."""

BY_NAME: dict[str, Operator] = {op.name: op for op in _ALL}
"""All operators by their Python name."""

REDUCTIONS: dict[str, Operator] = {"add": BY_NAME["add"], "max": BY_NAME["maximum"], "min": BY_NAME["minimum"]}
"""What ``ops.row_reduce`` calls the operators that have an atomic."""


def __getattr__(name: str) -> Any:
    """In a spec, ``ops.exp(x)`` is the operator called ``exp`` on values of a traced function."""
    if name.startswith("_"):  # the import system asks for __path__
        raise AttributeError(name)
    from .frontend.functions import function

    return function(name)
