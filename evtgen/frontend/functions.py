"""The functions that ``ops`` has in a spec: one for each declared operator, the reductions, those made of others, and
the positions."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Container, Mapping, Sequence
from functools import partial
from types import MappingProxyType
from typing import Any

from ..diagnostics import aliases
from ..diagnostics import tracing as codes
from ..diagnostics.diagnostic import EvtgenError
from ..diagnostics.suggestions import suggest
from ..graph.location import caller
from ..graph.types import float32
from ..nodes import NODE_KINDS, STATISTICS, AStatistic, Constant, Position
from ..operators.declaration import Operator
from ..operators.table import BY_NAME, OPERATORS
from ..system.translation import tr
from .composed import COMPOSED
from .eager import is_array, library_of, running, running_a
from .places import PLACES
from .reductions import KINDS, reduction_function
from .value import Value, binary, constant, graph_of, is_constant, operand, power, tracing

_POSITIONS = {kind.function: kind for kind in NODE_KINDS.values() if issubclass(kind, Position)}


class UnknownFunction(EvtgenError, AttributeError):
    """``ops`` has no such function. An AttributeError, too, so that ``hasattr`` works."""


def function(name: str) -> Callable[..., Any]:
    """The function called ``name``; raises EVT010 with the nearest name."""
    if name in KINDS:
        return reduction_function(name)
    if name in PLACES:
        return PLACES[name]
    if name in _POSITIONS:
        return _position_function(_POSITIONS[name])
    if name in STATISTICS:
        return statistic_function(name)
    if name in COMPOSED or name in FORMS:
        return _built_function(name)
    if name in BY_NAME:
        return _operator_function(BY_NAME[name], name)
    known = OPERATORS.get(name)
    help = tr("did you mean {name}?", name=known.name) if known else instead(name)
    raise UnknownFunction(codes.UNKNOWN_NAME.of("ops", caller(), help=help, name=name))


def instead(name: str, more: Mapping[str, str] = MappingProxyType({})) -> str | None:
    """What to write in place of a name that no function has. ``more``: as the aliases of operators."""
    return suggest(name, names(), {**aliases.OPERATORS, **more}, "evtgen ops")


def names() -> list[str]:
    """The names of all functions, aliases included."""
    return sorted([*BY_NAME, *KINDS, *COMPOSED, *_POSITIONS, *STATISTICS, *PLACES])


def written() -> list[str]:
    """The names that people write: all but variants of an instruction, such as ``add_scalar``, which Python's operators
    and the passes choose."""
    return [name for name in names() if name not in BY_NAME or not _VARIANT.fullmatch(BY_NAME[name].name)]


_VARIANT = re.compile(r"(add|subtract|multiply)_.+|.+_scalars?")
"""Names of operators that are another with a constant, or that go on from another."""


def _named(call: Callable[..., Any], name: str, doc: str | None = None) -> Callable[..., Any]:
    call.__name__ = call.__qualname__ = name
    call.__doc__ = doc
    return call


def _operator_function(operator: Operator, name: str) -> Callable[..., Any]:
    return _named(lambda *operands, **named: apply(operator, f"ops.{operator.name}", operands, named), name)


def _built_function(name: str) -> Callable[..., Any]:
    made = COMPOSED.get(name) or partial(FORMS[name], f"ops.{name}")
    doc = (COMPOSED.get(name) or FORMS[name]).__doc__
    return _named(lambda *operands, **named: built(made, f"ops.{name}", operands, named), name, doc)


def built(made: Callable[..., Any], what: str, operands: Sequence[Any], named: Mapping[str, Any]) -> Any:
    """A call of ``made``, whose parameters are the signature of the function called ``what`` in messages.

    Raises:
        EvtgenError: EVT011, for arguments that are not in the signature, and EVT009 or EVT011, as ``made`` does.
    """
    signature = inspect.signature(made)
    named = spelled(named, [*signature.parameters][len(operands) :])
    try:
        bound = signature.bind(*operands, **named)
    except TypeError as error:
        if "out" in named:
            raise codes.ARGUMENT.here("in place", what=what) from None
        called = f"ops.{made.__name__}" if made in COMPOSED.values() else what
        form = f"{called}({', '.join(name for name in signature.parameters if not name.startswith('_'))})"
        raise codes.ARGUMENT.here("signature", help=form, what=what, error=error) from None
    return made(*bound.args, **bound.kwargs)


def spelled(named: Mapping[str, Any], parameters: Container[str]) -> dict[str, Any]:
    """Arguments by the names that the parameters have here."""
    return {
        key if key in parameters or SPELLED.get(key) not in parameters else SPELLED[key]: given
        for key, given in named.items()
    }


SPELLED = {
    "dim": "axis", "keepdim": "keepdims", "negative_slope": "slope", "train": "training",
    **dict.fromkeys(("min", "a_min", "min_val"), "low"), **dict.fromkeys(("max", "a_max", "max_val"), "high"),
    "input": "x", "a": "x", "other": "y", "tensor1": "y", "tensor2": "z", "indices": "index",
}  # fmt: skip
"""What numpy and torch call the parameters of functions here."""


def apply(operator: Operator, what: str, operands: Sequence[Any], named: dict[str, Any]) -> Any:
    """An operator called as a function, ``what`` in messages: its values, and its constants behind them or by name.

    Raises:
        EvtgenError: EVT009 or EVT011, for operands that it does not take.
    """
    slopes = [*operands[1:], *named.values()]
    if operator is BY_NAME["leaky_relu"] and any(isinstance(slope, Value) or is_array(slope) for slope in slopes):
        # A slope that is a tensor is the second operand of another operator.
        operator, operands, named = BY_NAME["prelu"], [*operands[:1], *slopes], {}
    split = operator.inputs if operator.constants else len(operands)
    values, constants = list(operands[:split]), _constants(operator, operands[split:], named, what)
    if len(values) < operator.inputs or (len(values) > operator.inputs and not operator.variadic):
        raise codes.ARGUMENT.here("count", what=what, form=_form(operator, what), count=len(operands))
    if not any(isinstance(v, Value) for v in values) and (library := library_of(values)):
        return library.compute(operator, values, constants)
    graph = graph_of(values, what)
    if any(is_constant(v) for v in values):
        return _with_constants(operator, values, what)
    return graph.compute(operator, [operand(graph, v, what) for v in values], *constants)


def _gelu(what: str, x: Any, approximate: Any = "none") -> Any:
    """``gelu(x, approximate="none")``: x times the normal distribution at x. ``"none"`` computes that by erf, as torch
    and CUTLASS do; ``"tanh"`` takes the approximation by tanh.

    Raises:
        EvtgenError: EVT011, for any other value of ``approximate``.
    """
    name = {"none": "gelu", "tanh": "gelu_tanh"}.get(approximate) if isinstance(approximate, str) else None
    if name is None:
        raise codes.ARGUMENT.here("approximate", what=what, form=approximate)
    return apply(BY_NAME[name], what, [x], {})


def _power(what: str, *given: Any, **named: Any) -> Any:
    """``power(x, exponent)``, which is ``x ** exponent``. Raises EVT011, as that does."""
    given = (*given, *named.values())
    if len(given) != 2 or any(name not in ("exponent", "exp") for name in named):
        raise codes.ARGUMENT.here("base and exponent", what=what, given=", ".join(named) or len(given))
    if is_constant(given[1]) and (library := library_of(given[:1])):
        return library.narrow(library.wide(given[0]) ** given[1], given[0])
    return power(*given)


FORMS: dict[str, Callable[..., Any]] = {"gelu": _gelu, "power": _power}
"""Functions that choose among operators by an argument. Each is given its name in messages and the arguments."""


def _form(operator: Operator, what: str) -> str:
    """A call of an operator."""
    more = ["..."] if operator.variadic else []
    return f"{what}({', '.join([*operator.operands, *more, *(f'{name}=2.0' for name in operator.constants)])})"


def _constants(operator: Operator, given: Sequence[Any], named: dict[str, Any], what: str) -> tuple[Constant, ...]:
    """The constants of a call, by position and by name; where none is given, the defaults."""
    names = operator.constants
    if "out" in named:
        raise codes.ARGUMENT.here("in place", what=what)
    for name in named:
        if name not in names:
            raise codes.ARGUMENT.here("constant", help=suggest(name, names), what=what, name=name)
    if len(given) > len(names):
        count = operator.inputs + len(given)
        raise codes.ARGUMENT.here("count", what=what, form=_form(operator, what), count=count)
    values = {**dict(zip(names, operator.defaults, strict=False)), **named, **dict(zip(names, given, strict=False))}
    for name in names:
        if not is_constant(values.get(name)):
            raise codes.ARGUMENT.here("number", help=_form(operator, what), what=what, name=name)
    return tuple(constant(values[name]) for name in names)


def _with_constants(operator: Operator, values: list[Any], what: str) -> Value:
    """An operator where some operands are constants: by the operator with a constant that belongs to it."""
    if operator is BY_NAME["where"]:
        return _where(values, what)
    if operator is BY_NAME["subtract"]:
        return binary(operator.name, *values)
    if operator is BY_NAME["fma"] and not all(map(is_constant, values[:2])):
        return binary("add", binary("multiply", *values[:2]), values[2])
    constant_form = BY_NAME.get(f"{operator.name}_scalar")
    if constant_form is None or operator not in OPERATORS.values():
        raise codes.ARGUMENT.here("values only", what=what)
    if len(values) == 2:
        return binary(operator.name, *values)
    graph = graph_of(values, what)
    # The constants last: the order does not matter to an associative operator.
    tiles = [operand(graph, v, what) for v in values if not is_constant(v)]
    joined = graph.compute(operator, tiles) if len(tiles) > 1 else tiles[0]
    for given in filter(is_constant, values):
        joined = graph.compute(constant_form, [joined], constant(given))
    return joined


def _where(values: list[Any], what: str) -> Value:
    """``where`` with constants: each form has a Select of its own; a constant that is chosen first turns the mask."""
    graph = graph_of(values, what)
    condition, one, other = values
    if is_constant(condition):
        raise codes.ARGUMENT.here("condition", what=what, thing=condition)
    condition = operand(graph, condition, what)
    if is_constant(one) and is_constant(other):
        return graph.compute(BY_NAME["where_scalars"], [condition], constant(one), constant(other))
    if is_constant(one):
        condition, one, other = ~condition, other, one
    return graph.compute(BY_NAME["where_scalar"], [condition, operand(graph, one, what)], constant(other))


def _position_function(kind: type[Position]) -> Callable[..., Any]:
    what = f"ops.{kind.function}"

    def call(*given: Any, **named: Any) -> Any:
        like = given[0] if given else named.get("like")
        is_one = len(given) + len(named) == 1 and (isinstance(like, Value) or is_array(like))
        if (given or named) and not is_one:
            raise codes.ARGUMENT.here("positions", what=what)
        graph = like.graph if isinstance(like, Value) else tracing.get() if like is None else None
        if graph is not None:
            return graph.position(kind)
        return _positions(kind, what, like)

    call.__name__ = call.__qualname__ = kind.function
    call.__doc__ = f"""The {kind.noun} of each element, an M x N value of int32: from 0 on in each matmul of a launch.

    ``{what}(x)`` says whose, where ``x`` may be an array: no other argument tells how many there are."""
    return call


def _positions(kind: type[Position], what: str, like: Any) -> Any:
    """The positions in an array, or in the arrays of the function that is run on arrays."""
    like = running.get() if like is None else like
    library = library_of([like])
    if library is not None:
        return library.positions(like, ("row", "column").index(kind.noun))
    raise codes.OPERAND.here("position", what=what, node=kind.__name__)


def statistic_function(name: str) -> Callable[..., Any]:
    """The function of a statistic of A."""
    what = f"ops.{name}"

    def call(a: Any = None) -> Any:
        graph = tracing.get()
        if a is None and graph is not None:
            return graph.add(AStatistic(name, location=caller()), (), float32)
        if a is not None and not is_array(a):
            raise codes.ARGUMENT.here("statistic", what=what)
        a = running_a.get() if a is None else a
        library = library_of([a])
        if library is None:
            raise codes.OPERAND.here("statistic", what=what, node=AStatistic.__name__, name=name)
        return library.reduced(library.wide(a), "sum" if name == "a_sum" else "sum_of_squares", (-1,), None)

    call.__name__ = call.__qualname__ = name
    squares = "" if name == "a_sum" else "the squares of "
    call.__doc__ = f"""The sum of {squares}each row of A: an M x 1 value of float32.

    The vector cores compute it before the epilogue.
    ``{what}(a)`` is the same of an array (M, K): there no matmul tells what A is.
    """
    return call
