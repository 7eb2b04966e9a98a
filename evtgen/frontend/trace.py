"""A Python function as an epilogue: it is run once, with values that write down what is done to them.

1. ``@epilogue`` reads the annotations; each parameter becomes a load and a :class:`Value` that stands for it.
2. The function runs. Every operator on values adds a node to the :class:`Graph` and gives a new value.
3. The dict that it returns names the outputs: :mod:`evtgen.frontend.outputs` puts the stores and reductions in.
4. The nodes, in the order in which they were made, become one flat ``TopologicalVisitor``. The lowering chooses the
   form.
"""

from __future__ import annotations

import dis
import inspect
import linecache
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any, overload

from ..diagnostics import reading as codes
from ..diagnostics.diagnostic import EvtgenError
from ..graph.ir import Epilogue, Gemm, Scalar, TopologicalVisitor
from ..graph.location import Location
from ..graph.types import ElementType, Layout, RowMajor
from ..nodes import AccLoad, AuxLoad, Broadcast, ColBroadcast, RowBroadcast, ScalarBroadcast, VisitorNode
from ..targets import ARCHITECTURES, AtlasA2
from .errors import collecting, user_error
from .outputs import finish
from .value import Graph, ScalarValue, Value, is_number, number


@dataclass(frozen=True)
class Parameter:
    """What an annotation says of a parameter: its kind, element type and layout."""

    kind: str
    T: ElementType
    layout: Layout = RowMajor


@dataclass(frozen=True)
class Declared:
    """A parameter of a traced function.

    Attributes:
        kind: what its annotation says.
        default: its default value; None for none.
        location: its line.
    """

    name: str
    kind: Parameter | Scalar
    default: Any
    location: Location


class _Annotation:
    """``Kind[T]`` or ``Kind[T, layout]``."""

    takes_layout = True

    def __class_getitem__(cls, item: Any) -> Parameter:
        T, *more = item if isinstance(item, tuple) else (item,)
        name = cls.__name__
        allowed = 1 if cls.takes_layout else 0
        if not isinstance(T, ElementType):
            raise codes.PARAMETER.error(
                f"{name}[...] takes an element type, but was given {T!r}", _here(), f"for example {name}[half]"
            )
        if len(more) > allowed or not all(isinstance(m, Layout) for m in more):
            form = f"{name}[{T}, RowMajor]" if allowed else f"{name}[{T}]"
            raise codes.PARAMETER.error(f"{name}[...] takes more than it can use", _here(), f"write {form}")
        return Parameter(name, T, *more)


class Acc(_Annotation):
    """``acc: Acc[T]``: the accumulator of the GEMM, M×N."""

    takes_layout = False


class Aux(_Annotation):
    """``X: Aux[T]`` or ``Aux[T, layout]``: an M×N tensor in GM, called as the parameter is.

    A default value (``X: Aux[half] = 0.0``) allows a null pointer, which then stands for a tensor full of that value.
    """


class RowVector(_Annotation):
    """``row: RowVector[T]`` or ``RowVector[T, layout]``: a 1×N tensor in GM, repeated over the rows."""


class ColVector(_Annotation):
    """``col: ColVector[T]`` or ``ColVector[T, layout]``: an M×1 tensor in GM, repeated over the columns."""


class ScalarTensor(_Annotation):
    """``s: ScalarTensor[T]``: a tensor in GM of one value, which stands in every place."""


_BROADCASTS: dict[str, type[Broadcast]] = {
    "RowVector": RowBroadcast, "ColVector": ColBroadcast, "ScalarTensor": ScalarBroadcast
}  # fmt: skip


@overload
def epilogue(function: Callable[..., Any], /) -> Epilogue: ...
@overload
def epilogue(
    *,
    name: str | None = None,
    arch: str = "AtlasA2",
    auto_cast: bool = False,
    compute_length: int | str = "auto",
    buffers: int = 2,
    gemm: Gemm | None = None,
) -> Callable[[Callable[..., Any]], Epilogue]: ...
def epilogue(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Make an :class:`~evtgen.graph.ir.Epilogue` of a function, as ``@epilogue`` or ``@epilogue(option=…)``.

    Args:
        name: its name; that of the function by default. arch, auto_cast, compute_length, buffers, gemm: as in
        :class:`~evtgen.graph.ir.Epilogue`. With ``auto_cast`` operands of
            different element types meet in the wider one, see :meth:`evtgen.frontend.value.Graph.common`.

    Raises:
        EvtgenError: the function does what cannot be traced (EVT007 to EVT013). What it raises itself passes through.
    """
    names = sys._getframe(1).f_locals
    known = ("name", "arch", "auto_cast", "compute_length", "buffers", "gemm")
    for option in options:
        if option not in known:
            raise TypeError(f"epilogue() has no option {option!r}; it has {', '.join(known)}")

    def decorate(function: Callable[..., Any]) -> Any:
        failures = collecting.get()
        try:
            return _trace(function, names, options)
        except EvtgenError as error:
            if failures is None:
                raise
            failures += error.diagnostics
        except Exception as error:
            if failures is None:
                raise
            failures.append(user_error(error, function.__code__.co_filename))
        return None

    return decorate if function is None else decorate(function)


def _trace(function: Callable[..., Any], names: dict[str, Any], options: dict[str, Any]) -> Epilogue:
    code = function.__code__
    location = _line_of(code, rf"def\s+{code.co_name}\b")
    parameters = _parameters(function, names, location)
    arch_name = options.get("arch", "AtlasA2")
    # An unknown architecture has its own rule; until then any will do.
    arch = ARCHITECTURES.get(arch_name, AtlasA2) if isinstance(arch_name, str) else AtlasA2
    graph = Graph(arch, bool(options.get("auto_cast", False)))
    arguments = {parameter.name: _argument(graph, parameter) for parameter in parameters}
    root = finish(graph, _run(function, arguments), code)
    _refuse_unused(function, root, arguments)
    return Epilogue(
        options.get("name") or function.__name__,
        root,
        arch=options.get("arch", "AtlasA2"),
        auto_cast=options.get("auto_cast", False),
        compute_length=options.get("compute_length", "auto"),
        buffers=options.get("buffers", 2),
        gemm=_gemm(options.get("gemm"), root, parameters),
        traced=True,
        location=location,
    )


def _argument(graph: Graph, parameter: Declared) -> Value | ScalarValue:
    """What stands for a parameter while the function runs: a load's value, or a number that is given at run time."""
    if isinstance(parameter.kind, Scalar):
        default = None if parameter.default is None else number(parameter.default)
        return ScalarValue(replace(parameter.kind, name=parameter.name, default=default))
    return graph.add(_load(parameter.name, parameter.kind, parameter.default, parameter.location), (), parameter.kind.T)


def _run(function: Callable[..., Any], arguments: dict[str, Value | ScalarValue]) -> Any:
    """What the function returns."""
    signature = inspect.signature(function)
    bound = signature.bind_partial()
    bound.arguments.update(arguments)
    return function(*bound.args, **bound.kwargs)


def _refuse_unused(
    function: Callable[..., Any], root: TopologicalVisitor, arguments: dict[str, Value | ScalarValue]
) -> None:
    """Raise EVT007 for a scalar that no output needs. Unused tensors stay in the graph, for the checker to name."""
    used = {scalar for node in root.ops if isinstance(node, VisitorNode) for scalar in node.scalars}
    for name, argument in arguments.items():
        if isinstance(argument, ScalarValue) and argument.scalar not in used:
            line = _line_of(function.__code__, rf"\b{name}\s*:")
            raise codes.PARAMETER.error(f"no output of {function.__name__} needs the scalar {name}", line)


def _gemm(given: Gemm | None, root: TopologicalVisitor, parameters: Sequence[Declared]) -> Gemm:
    """The GEMM as given; where no AccLoad says the accumulator's type, the parameter does."""
    gemm = Gemm() if given is None else given
    if any(isinstance(node, AccLoad) for node in root.ops) or not isinstance(gemm, Gemm) or gemm.c is not None:
        return gemm
    types = [p.kind.T for p in parameters if isinstance(p.kind, Parameter) and p.kind.kind == "Acc"]
    return replace(gemm, c=types[0]) if types else gemm


def _parameters(function: Callable[..., Any], names: dict[str, Any], location: Location) -> list[Declared]:
    """The parameters, in order; raises EVT007 with all that is wrong with them."""
    try:
        annotations = inspect.get_annotations(function, locals=names, eval_str=True)
    except NameError as error:
        raise codes.PARAMETER.error(f"an annotation of {function.__name__} fails: {error}", location) from None
    result: list[Declared] = []
    wrong = []
    for name, parameter in inspect.signature(function).parameters.items():
        annotation = annotations.get(name)
        line = _line_of(function.__code__, rf"\b{name}\s*:")
        default = None if parameter.default is parameter.empty else parameter.default
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            wrong.append(codes.PARAMETER(f"{function.__name__} takes *{name}; each tensor is a parameter", location))
        elif isinstance(annotation, Scalar):
            if not isinstance(annotation.T, ElementType):
                wrong.append(codes.PARAMETER(f"Scalar[...] takes an element type, but was given {annotation.T!r}",
                                             location, "write Scalar[float32]"))
            elif default is not None and not is_number(default):
                wrong.append(codes.PARAMETER(f"the default of the scalar {name} is no number", location))
            else:
                result.append(Declared(name, annotation, default, line))
        elif annotation is Scalar:
            wrong.append(codes.PARAMETER(f"the scalar {name} has no element type", location, "write Scalar[float32]"))
        elif not isinstance(annotation, Parameter):
            wrong.append(
                codes.PARAMETER(
                    f"the parameter {name} of {function.__name__} has no annotation such as Acc, Aux or RowVector",
                    location,
                    f"for example {name}: Aux[half]",
                )
            )
        elif parameter.default is not parameter.empty and annotation.kind != "Aux":
            wrong.append(codes.PARAMETER(f"{annotation.kind} parameter {name} cannot have a default", location))
        else:
            result.append(Declared(name, annotation, default, line))
    if wrong:
        raise EvtgenError(wrong)
    return result


def _line_of(code: CodeType, pattern: str) -> Location:
    """The line of a function's head that holds ``pattern``; the decorator's line when none does."""
    body = min((line for _, line in dis.findlinestarts(code) if line and line > code.co_firstlineno), default=0)
    for line in range(code.co_firstlineno, max(body, code.co_firstlineno) + 1):
        if re.search(pattern, linecache.getline(code.co_filename, line)):
            return Location(code.co_filename, line)
    return Location(code.co_filename, code.co_firstlineno)


def _load(name: str, parameter: Parameter, default: Any, location: Location) -> VisitorNode:
    if parameter.kind == "Acc":
        return AccLoad(parameter.T, location=location)
    if parameter.kind == "Aux":
        return AuxLoad(name, parameter.T, parameter.layout, default, location=location)
    return _BROADCASTS[parameter.kind](name, parameter.T, parameter.layout, location=location)


def _here() -> Location | None:
    from ..graph.location import caller

    return caller()
