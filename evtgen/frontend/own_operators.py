"""A user's own operator: declared in a spec, emitted into the epilogue's header, checked like evtgen's own."""

from __future__ import annotations

import keyword
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from ..diagnostics import reading as codes
from ..diagnostics.diagnostic import EvtgenError
from ..diagnostics.suggestions import suggest
from ..graph.location import Location, caller
from ..graph.types import float32
from ..nodes.base import pascal
from ..operators.constants import holds
from ..operators.declaration import ON_HOST, OPERANDS, Call, Operator, is_number, sequence
from ..operators.table import OPERATORS
from ..passes.analysis import cpp_names as reserved
from ..passes.analysis.fields import is_int
from ..system.translation import tr
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
        golden: C++ for the example program's host side, ``"{0} / (1.0f + std::fabs({0}))"``; what the calls say by
            default.
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
    for rule in _RULES:
        found = rule(declared)
        if found is not None:
            raise declared.error(found)

    def guarded(np: Any, *arguments: Any) -> Any:
        """The numpy function; what it raises on other values than those of the test is said to be its own."""
        try:
            return numpy(np, *arguments)
        except Exception as error:
            raise declared.error(_Wrong(f"its numpy function raises {type(error).__name__}: {words(error)}")) from error

    return OwnOperator(
        name, declared.cpp, len(declared.inputs), declared.sequence, guarded, golden, constants=tuple(constants),
        defaults=tuple(defaults), wide=wide, ulp=ulp, turns=turns, location=declared.location,
    )  # fmt: skip


class _Wrong(NamedTuple):
    """What a rule finds: a message and a way out."""

    message: str
    help: str | None = None


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

    def error(self, found: _Wrong) -> EvtgenError:
        """What a rule found, as EVT014."""
        return codes.OPERATOR.error(
            tr("operator {name!r}: {message}", name=self.name, message=found.message), self.location, found.help
        )

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


def _name(declared: _Declaration) -> _Wrong | None:
    name = declared.name
    if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
        return _Wrong("its name is not an identifier")
    return None


def _functor(declared: _Declaration) -> _Wrong | None:
    if not _is_cpp_name(declared.cpp):
        return _Wrong(f"{declared.cpp!r} cannot name a functor in C++", 'give it another name: cpp="…"')
    return None


def _functor_is_free(declared: _Declaration) -> _Wrong | None:
    if declared.cpp in OPERATORS:
        return _Wrong(f"{declared.cpp} is evtgen's own", 'give it another name: cpp="…"')
    return None


def _list_of_calls(declared: _Declaration) -> _Wrong | None:
    calls = declared.calls
    if isinstance(calls, str) or not isinstance(calls, Sequence) or not calls:
        return _Wrong("its calls are a list of strings", '["Abs(tmp, a)", "Adds(dst, tmp, 1)"]')
    return None


def _tuples(declared: _Declaration) -> _Wrong | None:
    given = (declared.constants, declared.defaults)
    sequences = all(isinstance(one, Sequence) and not isinstance(one, str) for one in given)
    if not sequences or len(set(declared.constants)) < len(declared.constants):
        return _Wrong("its constants and their defaults are tuples", 'constants=("alpha",), defaults=(1.0,)')
    return None


def _constant_names(declared: _Declaration) -> _Wrong | None:
    for name in declared.constants:
        if not _is_cpp_name(name) or _is_tensor(name) or name == declared.cpp:
            why = f"{name!r} cannot name a constant: tensors, the functor or C++ have it"
            return _Wrong(why, 'constants=("alpha",)')
    return None


def _as_many_defaults(declared: _Declaration) -> _Wrong | None:
    constants, defaults = len(declared.constants), len(declared.defaults)
    if defaults and defaults != constants:
        return _Wrong(f"it has {constants} constants, but {defaults} defaults")
    return None


def _finite_defaults(declared: _Declaration) -> _Wrong | None:
    if not all(is_real(default) and math.isfinite(default) for default in declared.defaults):
        return _Wrong("a default is no finite number", "defaults=(1.0,)")
    return None


def _ulp(declared: _Declaration) -> _Wrong | None:
    if not is_int(declared.ulp) or declared.ulp < 0:
        return _Wrong(f"ulp is {declared.ulp!r}, not a whole number of at least 0")
    return None


def _readable_calls(declared: _Declaration) -> _Wrong | None:
    try:
        declared.sequence  # noqa: B018
    except (ValueError, TypeError):
        return _Wrong("a call is not written like an AscendC call", "for example Adds(tmp, a, 1)")
    return None


def _sound_calls(declared: _Declaration) -> _Wrong | None:
    """Each call by itself, and by what the calls before it have written."""
    written: set[str] = set()
    for call in declared.sequence:
        for rule in _CALL_RULES:
            found = rule(call, declared.constants, written)
            if found is not None:
                return found
        written.add(call.destination)
    return None


def _writes_dst(declared: _Declaration) -> _Wrong | None:
    if all(call.destination != "dst" for call in declared.sequence):
        return _Wrong("no call writes dst")
    return None


def _constants_are_used(declared: _Declaration) -> _Wrong | None:
    used = {source for call in declared.sequence for source in call.sources}
    for name in declared.constants:
        if name not in used:
            return _Wrong(f"no call uses the constant {name}")
    return None


def _inputs_without_gap(declared: _Declaration) -> _Wrong | None:
    inputs = declared.inputs
    if not inputs or inputs != list(OPERANDS[: len(inputs)]):
        return _Wrong("its inputs are a, then b, c and d, without a gap")
    return None


def _numpy_returns(declared: _Declaration) -> _Wrong | None:
    for result in declared.trials:
        if isinstance(result, Exception):
            return _Wrong(f"its numpy function raises {type(result).__name__}: {result}", declared.form)
    return None


def _numpy_is_elementwise(declared: _Declaration) -> _Wrong | None:
    shape = (len(_TRIED), len(_TRIED[0]))
    if any(result.shape != shape or result.dtype.kind not in "fiu" for result in declared.trials):
        return _Wrong("its numpy function does not give one number for each element", declared.form)
    return None


def _golden(declared: _Declaration) -> _Wrong | None:
    if declared.golden is None:
        return None
    try:
        if isinstance(declared.golden, str):
            declared.golden.format(*declared.inputs, **{name: name for name in declared.constants})
            return None
    except (ValueError, LookupError):
        pass
    names = [f"{{{i}}}" for i in range(len(declared.inputs))] + [f"{{{name}}}" for name in declared.constants]
    return _Wrong(f"golden is no C++ expression in {', '.join(names)}", "write {{ for a brace of C++")


def _turns(declared: _Declaration) -> _Wrong | None:
    try:
        places = [float(place) for place in declared.turns(*declared.values)]
    except Exception as error:
        return _Wrong(f"turns raises {type(error).__name__}: {words(error)}", "turns=lambda: (-1.5,)")
    if not all(map(math.isfinite, places)):
        return _Wrong("turns gives what is no finite number", "turns=lambda: (-1.5,)")
    return None


_RULES: tuple[Callable[[_Declaration], _Wrong | None], ...] = (
    _name, _functor, _functor_is_free, _list_of_calls, _tuples, _constant_names, _as_many_defaults, _finite_defaults,
    _ulp, _readable_calls, _sound_calls, _writes_dst, _constants_are_used, _inputs_without_gap, _numpy_returns,
    _numpy_is_elementwise, _golden, _turns,
)  # fmt: skip
"""What a declaration must be, in order: each rule relies on those before it."""


def _known_call(call: Call, constants: Sequence[str], written: set[str]) -> _Wrong | None:
    if call.name in ON_HOST:
        return None
    exact = {"Rsqrt": "Sqrt, Duplicate(…, 1) and Div", "Reciprocal": "Duplicate(…, 1) and Div"}.get(call.name)
    help = f"{exact} are as precise as half; {call.name} is not" if exact else suggest(call.name, ON_HOST)
    return _Wrong(f"an operator cannot call {call.name}", help)


def _as_many_arguments(call: Call, constants: Sequence[str], written: set[str]) -> _Wrong | None:
    takes = ON_HOST[call.name].sources
    if len(call.sources) != takes:
        return _Wrong(f"{call} has {len(call.args)} arguments, not {takes + 1}; the count is added by evtgen")
    return None


def _numbers_of_float32(call: Call, constants: Sequence[str], written: set[str]) -> _Wrong | None:
    if any(is_number(arg) and not holds(float32, float(arg), finite=True) for arg in call.sources):
        return _Wrong(f"{call} holds a number that float32 does not")
    return None


def _scalars_in_their_place(call: Call, constants: Sequence[str], written: set[str]) -> _Wrong | None:
    for arg, scalar in _taken(call):
        if scalar != (is_number(arg) or arg in constants):
            wanted = "a number or a constant" if scalar else "a tensor: an input, tmp, tmp2, … or dst"
            return _Wrong(f"{call} takes {wanted} where it has {arg}")
    return None


def _tensors_by_name(call: Call, constants: Sequence[str], written: set[str]) -> _Wrong | None:
    for arg, scalar in _taken(call):
        if not scalar and not _is_tensor(arg):
            return _Wrong(f"{call} names {arg}", "tensors are a, b, c, d, dst, tmp, tmp2, …")
    return None


def _writes_no_input(call: Call, constants: Sequence[str], written: set[str]) -> _Wrong | None:
    if call.destination in OPERANDS or not _is_tensor(call.destination):
        return _Wrong(f"{call} writes {call.destination}", "a call writes dst, tmp, tmp2, …; inputs are others', too")
    return None


def _reads_what_is_written(call: Call, constants: Sequence[str], written: set[str]) -> _Wrong | None:
    reads = {*call.sources, *((call.destination,) if ON_HOST[call.name].reads_destination else ())}
    unknown = sorted(arg for arg in reads if _is_tensor(arg) and arg not in OPERANDS and arg not in written)
    if unknown:
        return _Wrong(f"{call} reads {unknown[0]}, which no call before it has written")
    return None


_CALL_RULES: tuple[Callable[[Call, Sequence[str], set[str]], _Wrong | None], ...] = (
    _known_call, _as_many_arguments, _numbers_of_float32, _scalars_in_their_place, _tensors_by_name, _writes_no_input,
    _reads_what_is_written,
)  # fmt: skip
"""What each call must be, given the constants and the tiles that earlier calls wrote, in order."""


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
        yield arg, ON_HOST[call.name].takes_scalar and position == last
