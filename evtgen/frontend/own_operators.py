"""A user's own operator: declared in a spec, emitted into the epilogue's header, checked like evtgen's own."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ..diagnostics.diagnostic import EvtgenError
from ..diagnostics.own_operators import OPERATOR
from ..diagnostics.suggestions import suggest
from ..graph.location import Location, caller
from ..graph.types import float32
from ..nodes.base import pascal
from ..operators.constants import holds
from ..operators.declaration import OPERANDS, Call, Operator, is_number, sequence
from ..operators.flushing import MEANINGS
from ..operators.table import OPERATORS
from ..passes.analysis import cpp_names as reserved
from ..passes.analysis.fields import is_int
from ..targets.tables import CALLS
from .errors import words
from .functions import apply
from .value import is_number as is_real


@dataclass(frozen=True, repr=False)
class OwnOperator(Operator):
    """An operator that a spec declares. Called with values of a traced function it is one more node there."""

    location: Location | None = field(default=None, compare=False)

    def __call__(self, *operands: Any, **constants: Any) -> Any:
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
    """Declare an operator: ``signed_root = operator("signed_root", ["Abs(tmp, a)", …], lambda np, a: …)``.

    Args:
        name: its name in messages and formulas.
        calls: the AscendC calls, in order, in count form without the count: ``"Adds(tmp, a, 1)"``. ``a`` to ``d`` are
            the inputs, ``dst`` the output, ``tmp``, ``tmp2``, … scratch tiles. Barriers are put in.
        numpy: ``f(np, *arrays, *constants)``; in the arrays' own dtype where ``ulp`` is 0, else in float64.
        cpp: name of its functor; the name in capitals by default (``Softsign``).
        constants: names of the constants that it takes. defaults: their values, for all of them or none.
        golden: what formulas and comments show, as an expression of C++: ``"{0} / (1.0f + std::fabs({0}))"``; the name
            by default.
        wide: half is computed in float32.
        ulp: how far the result may be from ``numpy``, in ulp. 0 is bit for bit.
        turns: ``f(*constants)``, the inputs where it changes from falling to rising or back, zero excepted.

    Raises:
        EvtgenError: EVT014 for a declaration that cannot be emitted. Whether it computes what ``numpy`` says shows
            ``evtgen check --numeric``.
    """
    declared = _Declaration(
        name, pascal(name) if cpp is None and isinstance(name, str) else cpp, calls, numpy, constants, defaults, golden,
        ulp, turns, caller(),
    )  # fmt: skip
    for fault in _faults(declared):
        raise fault

    def guarded(np: Any, *arguments: Any) -> Any:
        """The numpy function; what it raises on other values than those of the test is said to be its own."""
        try:
            return numpy(np, *arguments)
        except Exception as error:
            raise declared.fault("raises", error=type(error).__name__, words=words(error)) from error

    return OwnOperator(
        name, declared.cpp, len(declared.inputs), declared.sequence, guarded, declared.text, constants=tuple(constants),
        defaults=tuple(defaults), wide=wide, ulp=ulp, turns=turns, location=declared.location,
    )  # fmt: skip


@dataclass(frozen=True)
class _Declaration:
    """What was given to :func:`operator`, and what can be read off it.

    The fields are anything until the rules have passed them; a property relies on the rules of the fields it reads.
    """

    name: Any
    cpp: Any
    calls: Any
    numpy: Any
    constants: Any
    defaults: Any
    golden: Any
    ulp: Any
    turns: Any
    location: Location | None

    @property
    def text(self) -> str | None:
        """The expression as formulas have it: without namespaces, and with numbers as people write them."""
        return self.golden and re.sub(r"(\d)(?:\.0)?f\b", r"\1", self.golden.replace("std::", ""))

    def fault(self, when: str, help: str | None = None, **fields: object) -> EvtgenError:
        """EVT014."""
        return OPERATOR.refusal(when, self.location, help=help, operator=self.name, **fields)

    @cached_property
    def sequence(self) -> tuple[Call, ...]:
        """The calls, read. Raises ValueError or TypeError where one is not written like a call."""
        return sequence(*self.calls)

    @cached_property
    def inputs(self) -> list[str]:
        """The inputs that the calls read, in order."""
        used = {source for call in self.sequence for source in call.sources}
        return [name for name in OPERANDS if name in used]

    @cached_property
    def values(self) -> list[float]:
        """Values of the constants to try the operator with."""
        return [float(default) for default in self.defaults] or [0.5] * len(self.constants)

    @cached_property
    def trials(self) -> list[Any]:
        """What the numpy function makes of a few values in each float type: an array, or the exception it raises."""
        import numpy as np

        results: list[Any] = []
        for dtype in (np.float16, np.float32, np.float64):
            values = np.array(_TRIED, dtype)
            try:
                with np.errstate(all="ignore"):
                    results.append(np.asarray(self.numpy(np, *[values] * len(self.inputs), *map(dtype, self.values))))
            except Exception as error:
                results.append(error)
        return results

    @property
    def form(self) -> str:
        """The head that the numpy function should have."""
        names = ["np", *self.inputs, *(f"k{i}" for i in range(len(self.constants)))]
        return f"numpy=lambda {', '.join(names)}: …"


_TRIED = [[0.5, -2.0, 0.0], [math.inf, -math.inf, math.nan]]
"""Values that a numpy function is tried with, so that a wrong one shows here and not in a verification."""


def _faults(declared: _Declaration) -> Iterator[EvtgenError]:
    """What is wrong with a declaration. The first fault counts: each rule relies on those before it."""
    yield from _faults_of_names(declared)
    yield from _faults_of_constants(declared)
    yield from _faults_of_calls(declared)
    yield from _faults_of_functions(declared)


def _faults_of_names(declared: _Declaration) -> Iterator[EvtgenError]:
    name, cpp, calls = declared.name, declared.cpp, declared.calls
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        yield declared.fault("name")
    if not _is_cpp_name(cpp):
        yield declared.fault("functor", cpp=cpp)
    if cpp in OPERATORS:
        yield declared.fault("taken", cpp=cpp)
    if isinstance(calls, str) or not isinstance(calls, Sequence) or not calls:
        yield declared.fault("calls")


def _faults_of_constants(declared: _Declaration) -> Iterator[EvtgenError]:
    constants, defaults = declared.constants, declared.defaults
    sequences = all(isinstance(one, Sequence) and not isinstance(one, str) for one in (constants, defaults))
    if not sequences or len(set(constants)) < len(constants):
        yield declared.fault("constants")
    for name in constants:
        if not _is_cpp_name(name) or _is_tensor(name) or name == declared.cpp:
            yield declared.fault("constant", name=name)
    if defaults and len(defaults) != len(constants):
        yield declared.fault("defaults", constants=len(constants), defaults=len(defaults))
    if not all(is_real(default) and math.isfinite(default) for default in defaults):
        yield declared.fault("default")
    if not is_int(declared.ulp) or declared.ulp < 0:
        yield declared.fault("ulp", ulp=declared.ulp)


def _faults_of_calls(declared: _Declaration) -> Iterator[EvtgenError]:
    try:
        calls = declared.sequence
    except (ValueError, TypeError):
        yield declared.fault("call")
        return
    written: set[str] = set()
    for call in calls:
        yield from _faults_of_call(declared, call, written)
        written.add(call.destination)
    if "dst" not in written:
        yield declared.fault("no dst")
    used = {source for call in calls for source in call.sources}
    for name in declared.constants:
        if name not in used:
            yield declared.fault("unused", name=name)
    inputs = declared.inputs
    if not inputs or inputs != list(OPERANDS[: len(inputs)]):
        yield declared.fault("inputs")


def _faults_of_call(declared: _Declaration, call: Call, written: set[str]) -> Iterator[EvtgenError]:
    """What is wrong with a call by itself, and by the tiles that the calls before it have ``written``."""
    if call.name not in MEANINGS:
        known = call.name if call.name in OPERATOR.says else "unknown"
        yield declared.fault(known, None if known == call.name else suggest(call.name, MEANINGS), call=call.name)
        return
    takes = CALLS[call.name].sources
    if len(call.sources) != takes:
        yield declared.fault("arguments", call=call, takes=takes + 1)
    if any(is_number(arg) and not holds(float32, float(arg), finite=True) for arg in call.sources):
        yield declared.fault("float32", call=call)
    for arg, scalar in _taken(call):
        if scalar != (is_number(arg) or arg in declared.constants):
            yield declared.fault("scalar" if scalar else "tensor", call=call, arg=arg)
    for arg, scalar in _taken(call):
        if not scalar and not _is_tensor(arg):
            yield declared.fault("names", call=call, arg=arg)
    if call.destination in OPERANDS or not _is_tensor(call.destination):
        yield declared.fault("writes", call=call, arg=call.destination)
    reads = {*call.sources, *((call.destination,) if CALLS[call.name].reads_destination else ())}
    for arg in sorted(arg for arg in reads if _is_tensor(arg) and arg not in OPERANDS and arg not in written):
        yield declared.fault("reads", call=call, arg=arg)


def _faults_of_functions(declared: _Declaration) -> Iterator[EvtgenError]:
    shape = (len(_TRIED), len(_TRIED[0]))
    for result in declared.trials:
        if isinstance(result, Exception):
            yield declared.fault("raises", declared.form, error=type(result).__name__, words=words(result))
    if any(result.shape != shape or result.dtype.kind not in "fiu" for result in declared.trials):
        yield declared.fault("elements", declared.form)
    if declared.golden is not None and not _is_format(declared):
        names = [f"{{{i}}}" for i in (*range(len(declared.inputs)), *declared.constants)]
        yield declared.fault("golden", names=", ".join(names))
    try:
        places = [float(place) for place in declared.turns(*declared.values)]
    except Exception as error:
        yield declared.fault("turns raises", error=type(error).__name__, words=words(error))
    else:
        if not all(map(math.isfinite, places)):
            yield declared.fault("turns")


def _is_format(declared: _Declaration) -> bool:
    """Whether the golden is a format of the inputs and the constants."""
    try:
        str.format(declared.golden, *declared.inputs, **{name: name for name in declared.constants})
    except (ValueError, LookupError, TypeError):
        return False
    return True


def _is_cpp_name(name: object) -> bool:
    """Whether a functor or its parameter can be called so, among what the emitted header holds."""
    taken = reserved.KEYWORDS | reserved.MACROS | reserved.TYPES | reserved.NAMESPACES | reserved.MEMBERS
    return (
        isinstance(name, str)
        and re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name, re.ASCII) is not None
        and "__" not in name
        and name not in taken | reserved.FUNCTOR
    )


def _is_tensor(arg: str) -> bool:
    return arg in OPERANDS or arg == "dst" or re.fullmatch(r"tmp\d*", arg) is not None


def _taken(call: Call) -> Iterator[tuple[str, bool]]:
    """Each source of a call, and whether a number belongs there."""
    last = len(call.sources) - 1
    for position, arg in enumerate(call.sources):
        yield arg, CALLS[call.name].takes_scalar and position == last
