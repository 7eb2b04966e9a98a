"""A user's own operator: declared in a spec, emitted into the epilogue's header, checked like evtgen's own."""

from __future__ import annotations

import keyword
import math
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
from ..types import float32
from ..values import holds
from .functions import apply
from .value import Value
from .value import is_number as is_real


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
    if not _is_cpp_name(cpp):
        raise wrong(f"{cpp!r} cannot name a functor in C++", 'give it another name: cpp="…"')
    if cpp in OPERATORS:
        raise wrong(f"{cpp} is evtgen's own", 'give it another name: cpp="…"')
    if isinstance(calls, str) or not isinstance(calls, Sequence) or not calls:
        raise wrong("its calls are a list of strings", '["Abs(tmp, a)", "Adds(dst, tmp, 1)"]')
    _names_of_constants(constants, defaults, cpp, wrong)
    if not isinstance(ulp, int) or isinstance(ulp, bool) or ulp < 0:
        raise wrong(f"ulp is {ulp!r}, not a whole number of at least 0")
    try:
        parsed = sequence(*calls)
    except (ValueError, TypeError):
        raise wrong("a call is not written like an AscendC call", "for example Adds(tmp, a, 1)") from None
    inputs = _inputs(parsed, constants, wrong)
    values = [float(default) for default in defaults] or [0.5] * len(constants)
    _test(numpy, inputs, values, wrong)
    _test_golden(golden, inputs, constants, wrong)
    try:
        places = [float(place) for place in turns(*values)]
    except Exception as error:
        raise wrong(f"turns raises {type(error).__name__}: {error}", "turns=lambda: (-1.5,)") from None
    if not all(map(math.isfinite, places)):
        raise wrong("turns gives what is no finite number", "turns=lambda: (-1.5,)")

    def guarded(np: Any, *arguments: Any) -> Any:
        """The numpy function; what it raises on other values than those of the test is said to be its own."""
        try:
            return numpy(np, *arguments)
        except Exception as error:
            raise wrong(f"its numpy function raises {type(error).__name__}: {error}") from error

    return OwnOperator(
        name, cpp, inputs, parsed, guarded, golden, constants=tuple(constants), defaults=tuple(defaults), wide=wide,
        ulp=ulp, turns=turns, location=where,
    )  # fmt: skip


def _is_cpp_name(name: object) -> bool:
    """Whether a functor or its parameter can be called so, among what the emitted header holds."""
    taken = reserved.KEYWORDS | reserved.MACROS | reserved.TYPES | reserved.NAMESPACES | reserved.MEMBERS
    return (
        isinstance(name, str)
        and re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name, re.ASCII) is not None
        and "__" not in name
        and name not in taken | reserved.FUNCTOR
    )


def _names_of_constants(constants: Any, defaults: Any, cpp: str, wrong: Callable[..., Exception]) -> None:
    """Raise what ``wrong`` makes unless these are names for constants, members of the functor ``cpp``, and values."""
    sequences = all(isinstance(given, Sequence) and not isinstance(given, str) for given in (constants, defaults))
    if not sequences or len(set(constants)) < len(constants):
        raise wrong("its constants and their defaults are tuples", 'constants=("alpha",), defaults=(1.0,)')
    for name in constants:
        if not _is_cpp_name(name) or _is_tensor(name) or name == cpp:
            raise wrong(f"{name!r} cannot name a constant: tensors, the functor or C++ have it", 'constants=("alpha",)')
    if defaults and len(defaults) != len(constants):
        raise wrong(f"it has {len(constants)} constants, but {len(defaults)} defaults")
    if not all(is_real(default) and math.isfinite(default) for default in defaults):
        raise wrong("a default is no finite number", "defaults=(1.0,)")


def _is_tensor(arg: str) -> bool:
    return arg in OPERANDS or arg == "dst" or re.fullmatch(r"tmp\d*", arg) is not None


def _inputs(calls: Sequence[Call], constants: Sequence[str], wrong: Callable[..., Exception]) -> int:
    """How many inputs the calls take; raises what ``wrong`` makes where they cannot be what they are meant to be."""
    written: set[str] = set()
    used: set[str] = set()
    for call in calls:
        text = f"{call.name}({', '.join(call.args)})"
        if call.name not in CALLS:
            exact = {"Rsqrt": "Sqrt, Duplicate(…, 1) and Div", "Reciprocal": "Duplicate(…, 1) and Div"}.get(call.name)
            help = f"{exact} are as precise as half; {call.name} is not" if exact else suggest(call.name, CALLS)
            raise wrong(f"an operator cannot call {call.name}", help)
        takes = len({part for _, part, _, _ in string.Formatter().parse(CALLS[call.name]) if part and part != "dst"})
        if len(call.sources) != takes:
            raise wrong(f"{text} has {len(call.args)} arguments, not {takes + 1}; the count is added by evtgen")
        for position, arg in enumerate(call.sources):
            scalar = call.name in TAKES_SCALAR and position == takes - 1
            if is_number(arg) and not holds(float32, float(arg), finite=True):
                raise wrong(f"{text} holds a number that float32 does not")
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
    """Call the numpy function on a few values, so that a wrong one shows here and not in a verification."""
    import numpy as np

    form = f"numpy=lambda {', '.join(['np', *OPERANDS[:inputs], *(f'k{i}' for i in range(len(constants)))])}: …"
    for dtype in (np.float16, np.float32, np.float64):
        values = np.array([[0.5, -2.0, 0.0], [np.inf, -np.inf, np.nan]], dtype)
        try:
            with np.errstate(all="ignore"):
                result = np.asarray(numpy(np, *[values] * inputs, *map(dtype, constants)))
        except Exception as error:
            raise wrong(f"its numpy function raises {type(error).__name__}: {error}", form) from None
        if result.shape != values.shape or result.dtype.kind not in "fiu":
            raise wrong("its numpy function does not give one number for each element", form)


def _test_golden(golden: object, inputs: int, constants: Sequence[str], wrong: Callable[..., Exception]) -> None:
    """Raise what ``wrong`` makes unless ``golden`` is an expression in the inputs and constants, or None."""
    if golden is None:
        return
    try:
        assert isinstance(golden, str)
        golden.format(*OPERANDS[:inputs], **{name: name for name in constants})
    except (AssertionError, ValueError, LookupError):
        names = [f"{{{i}}}" for i in range(inputs)] + [f"{{{name}}}" for name in constants]
        raise wrong(f"golden is no C++ expression in {', '.join(names)}", "write {{ for a brace of C++") from None
