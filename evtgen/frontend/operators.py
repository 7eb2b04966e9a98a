"""A user's own operator: declared in a spec, emitted into the epilogue's header, checked like evtgen's own."""

from __future__ import annotations

import keyword
import re
import string
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..check import frontend_codes as codes
from ..check import reserved
from ..check.diagnostics import suggest
from ..ir import Location, caller
from ..nodes.base import pascal
from ..operator import CALLS, OPERANDS, READS_DST, TAKES_SCALAR, Call, Operator, is_number, sequence
from ..ops import OPERATORS
from .functions import apply
from .value import Value


@dataclass(frozen=True, repr=False)
class OwnOperator(Operator):
    """An operator that a spec declares. Called with values of a traced function it is one more node there."""

    location: Location | None = field(default=None, compare=False)

    def __call__(self, *operands: Any, **constants: Any) -> Value:
        return apply(self, self.name, operands, constants)


def operator(
    name: str,
    calls: Sequence[str],
    numpy: Callable[..., Any],
    *,
    cpp: str | None = None,
    constants: Sequence[str] = (),
    defaults: Sequence[float] = (),
    golden: str | None = None,
    wide: bool = False,
    ulp: int = 0,
    turns: Callable[..., tuple[float, ...]] = lambda *constants: (),
) -> OwnOperator:
    """Declare an operator: ``softsign = operator("softsign", ["Abs(tmp, a)", …], lambda np, a: …)``.

    Args:
        name: its name in messages and formulas.
        calls: the AscendC calls, in order, in count form without the count: ``"Adds(tmp, a, 1)"``. ``a`` to ``d`` are
            the inputs, ``dst`` the output, ``tmp``, ``tmp2``, … scratch tiles. Barriers are put in.
        numpy: ``f(np, *arrays, *constants)``; in the arrays' own dtype where ``ulp`` is 0, else in float64.
        cpp: name of its functor; the name in capitals by default (``Softsign``).
        constants: names of the constants that it takes. defaults: their values, for all of them or none.
        golden: C++ for the example program's host side, ``"{0} / (1.0f + std::fabs({0}))"``; what the calls say by
            default.
        wide: half is computed in float32.
        ulp: how far the result may be from ``numpy``, in ulp. 0 is bit for bit.
        turns: ``f(*constants)``, the inputs where it changes from falling to rising or back, zero excepted.

    Raises:
        EvtgenError: EVT014 for a declaration that cannot be emitted. Whether it computes what ``numpy`` says shows
            ``evtgen check --numeric``.
    """
    where = caller()

    def wrong(message: str, help: str | None = None) -> Exception:
        return codes.OPERATOR.error(f"operator {name!r}: {message}", where, help)

    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        raise wrong("its name is not an identifier")
    cpp = pascal(name) if cpp is None else cpp
    taken = reserved.KEYWORDS | reserved.MACROS | reserved.TYPES
    if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", str(cpp)) or cpp in taken:
        raise wrong(f"{cpp!r} is no name for a functor in C++", 'give it one: cpp="…"')
    if cpp in OPERATORS:
        raise wrong(f"{cpp} is evtgen's own", 'give it another name: cpp="…"')
    if isinstance(calls, str) or not calls:
        raise wrong("its calls are a list of strings", '["Abs(tmp, a)", "Adds(dst, tmp, 1)"]')
    if len(set(constants)) < len(constants) or any(not str(c).isidentifier() or _is_tensor(c) for c in constants):
        raise wrong("its constants are names other than those of tensors", 'constants=("alpha",)')
    if defaults and len(defaults) != len(constants):
        raise wrong(f"it has {len(constants)} constants, but {len(defaults)} defaults")
    if not isinstance(ulp, int) or isinstance(ulp, bool) or ulp < 0:
        raise wrong(f"ulp is {ulp!r}, not a whole number of at least 0")
    try:
        parsed = sequence(*calls)
    except (ValueError, TypeError):
        raise wrong("a call is not written like an AscendC call", "for example Adds(tmp, a, 1)") from None
    inputs = _inputs(parsed, constants, wrong)
    _test(numpy, inputs, [float(d) for d in defaults] or [0.5] * len(constants), wrong)
    return OwnOperator(
        name, cpp, inputs, parsed, numpy, golden, constants=tuple(constants), defaults=tuple(defaults), wide=wide,
        ulp=ulp, turns=turns, location=where,
    )  # fmt: skip


def _is_tensor(arg: str) -> bool:
    return arg in OPERANDS or arg == "dst" or re.fullmatch(r"tmp\d*", arg) is not None


def _inputs(calls: Sequence[Call], constants: Sequence[str], wrong: Callable[..., Exception]) -> int:
    """How many inputs the calls take; raises what ``wrong`` makes where they cannot be what they are meant to be."""
    written: set[str] = set()
    used: set[str] = set()
    for call in calls:
        text = f"{call.name}({', '.join(call.args)})"
        if call.name not in CALLS:
            raise wrong(f"evtgen does not know the call {call.name}", suggest(call.name, CALLS))
        takes = len({part for _, part, _, _ in string.Formatter().parse(CALLS[call.name]) if part and part != "dst"})
        if len(call.sources) != takes:
            raise wrong(f"{text} has {len(call.args)} arguments, not {takes + 1}; the count is added by evtgen")
        for position, arg in enumerate(call.sources):
            scalar = call.name in TAKES_SCALAR and position == takes - 1
            if scalar != (is_number(arg) or arg in constants):
                wanted = "a number or a constant" if scalar else "a tensor: an input, tmp, tmp2, … or dst"
                raise wrong(f"{text} takes {wanted} where it has {arg}")
            if not scalar and not _is_tensor(arg):
                raise wrong(f"{text} names {arg}", "tensors are a, b, c, d, dst, tmp, tmp2, …")
        if call.destination in OPERANDS or not _is_tensor(call.destination):
            raise wrong(f"{text} writes {call.destination}", "a call writes dst, tmp, tmp2, …; inputs are others', too")
        reads = {*call.sources, *((call.destination,) if call.name in READS_DST else ())}
        unknown = sorted(arg for arg in reads if _is_tensor(arg) and arg not in OPERANDS and arg not in written)
        if unknown:
            raise wrong(f"{text} reads {unknown[0]}, which no call before it has written")
        written.add(call.destination)
        used.update(call.sources)
    if "dst" not in written:
        raise wrong("no call writes dst")
    if idle := [name for name in constants if name not in used]:
        raise wrong(f"no call uses the constant {idle[0]}")
    inputs = [name for name in OPERANDS if name in used]
    if not inputs or inputs != list(OPERANDS[: len(inputs)]):
        raise wrong("its inputs are a, then b, c and d, without a gap")
    return len(inputs)


def _test(numpy: Callable[..., Any], inputs: int, constants: list[float], wrong: Callable[..., Exception]) -> None:
    """Call the numpy function once, so that a wrong signature shows here and not in the middle of a verification."""
    import numpy as np

    arrays = [np.full((2, 3), 0.5, np.float32)] * inputs
    form = f"numpy=lambda {', '.join(['np', *OPERANDS[:inputs], *(f'k{i}' for i in range(len(constants)))])}: …"
    try:
        with np.errstate(all="ignore"):
            result = np.asarray(numpy(np, *arrays, *map(np.float32, constants)))
    except Exception as error:
        raise wrong(f"its numpy function raises {type(error).__name__}: {error}", form) from None
    if result.shape != (2, 3) or result.dtype.kind not in "fiu":
        raise wrong("its numpy function does not give one number for each element", form)
