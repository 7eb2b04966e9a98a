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
from collections.abc import Callable
from dataclasses import dataclass, replace
from types import CodeType
from typing import Any, overload

from ..diagnostics import reading as codes
from ..diagnostics.diagnostic import EvtgenError
from ..graph.ir import Epilogue, Gemm, Scalar
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
            different element types meet in one that holds all, see :meth:`evtgen.frontend.value.Graph.common`.

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
    arch_name = options.get("arch", "AtlasA2")
    # An unknown architecture has its own rule; until then any will do.
    arch = ARCHITECTURES.get(arch_name, AtlasA2) if isinstance(arch_name, str) else AtlasA2
    graph = Graph(arch, bool(options.get("auto_cast", False)))
    gemm = options.get("gemm")
    gemm = Gemm() if gemm is None else gemm
    arguments: dict[str, Value | ScalarValue] = {}
    positional: list[Value | ScalarValue] = []
    scalars: list[Scalar] = []
    for name, (parameter, default) in _parameters(function, names, location).items():
        line = _line_of(code, rf"\b{name}\s*:")
        value: Value | ScalarValue
        if isinstance(parameter, Scalar):
            scalars.append(replace(parameter, name=name, default=None if default is None else number(default)))
            value = ScalarValue(scalars[-1])
        else:
            value = graph.add(_load(name, parameter, default, line), (), parameter.T)
        if isinstance(parameter, Parameter) and parameter.kind == "Acc" and isinstance(gemm, Gemm) and gemm.c is None:
            gemm = replace(gemm, c=parameter.T)
        if inspect.signature(function).parameters[name].kind is inspect.Parameter.POSITIONAL_ONLY:
            positional.append(value)
        else:
            arguments[name] = value
    returned = function(*positional, **arguments)
    root = finish(graph, returned, code)
    used = {scalar for node in root.ops if isinstance(node, VisitorNode) for scalar in node.scalars}
    for scalar in scalars:
        if scalar not in used:
            line = _line_of(code, rf"\b{scalar.name}\s*:")
            raise codes.PARAMETER.error(f"no output of {function.__name__} needs the scalar {scalar.name}", line)
    if any(isinstance(node, AccLoad) for node in root.ops):
        # The AccLoad says it; what was given explicitly stays.
        gemm = Gemm() if options.get("gemm") is None else options["gemm"]
    return Epilogue(
        options.get("name") or function.__name__,
        root,
        arch=options.get("arch", "AtlasA2"),
        auto_cast=options.get("auto_cast", False),
        compute_length=options.get("compute_length", "auto"),
        buffers=options.get("buffers", 2),
        gemm=gemm,
        traced=True,
        location=location,
    )


def _parameters(
    function: Callable[..., Any], names: dict[str, Any], location: Location
) -> dict[str, tuple[Parameter | Scalar, Any]]:
    """Each parameter with its annotation and default."""
    try:
        annotations = inspect.get_annotations(function, locals=names, eval_str=True)
    except NameError as error:
        raise codes.PARAMETER.error(f"an annotation of {function.__name__} fails: {error}", location) from None
    result: dict[str, tuple[Parameter | Scalar, Any]] = {}
    wrong = []
    for name, parameter in inspect.signature(function).parameters.items():
        annotation = annotations.get(name)
        if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            wrong.append(codes.PARAMETER(f"{function.__name__} takes *{name}; each tensor is a parameter", location))
        elif isinstance(annotation, Scalar):
            default = None if parameter.default is parameter.empty else parameter.default
            if not isinstance(annotation.T, ElementType):
                wrong.append(codes.PARAMETER(f"Scalar[...] takes an element type, but was given {annotation.T!r}",
                                             location, "write Scalar[float32]"))
            elif default is not None and not is_number(default):
                wrong.append(codes.PARAMETER(f"the default of the scalar {name} is no number", location))
            else:
                result[name] = (annotation, default)
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
            default = None if parameter.default is parameter.empty else parameter.default
            result[name] = (annotation, default)
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
