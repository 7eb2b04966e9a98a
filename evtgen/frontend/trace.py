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
from collections import ChainMap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import partial
from types import CodeType, FunctionType
from typing import Any, overload

from ..diagnostics import aliases
from ..diagnostics import tracing as codes
from ..diagnostics.diagnostic import Diagnostic, EvtgenError
from ..diagnostics.reading import UNREAD
from ..diagnostics.suggestions import suggest
from ..graph.ir import DEFAULT_ARCH, Epilogue, Gemm, Scalar, TopologicalVisitor
from ..graph.location import Location
from ..graph.types import ELEMENT_TYPES, ElementType, Layout, RowMajor, dtype_name, element_type, half
from ..nodes import AccLoad, AuxLoad, Broadcast, ColBroadcast, RowBroadcast, ScalarBroadcast, VisitorNode
from ..passes.analysis.fields import short
from ..system.translation import tr
from ..targets import ARCHITECTURES, AtlasA2
from . import misuse, protocols  # noqa: F401 - element types refuse to be computed with from now on
from .dispatch import Served
from .errors import collecting, diagnostics_of, help_of, words
from .outputs import finish, line_of_output
from .value import Graph, ScalarValue, Value, is_number, number, tracing


@dataclass(frozen=True)
class Parameter:
    """What an annotation says of a parameter: its kind, element type and layout."""

    kind: str
    T: ElementType
    layout: Layout = RowMajor

    def __str__(self) -> str:
        return f"{self.kind}[{self.T}{'' if self.layout == RowMajor else f', {self.layout}'}]"


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


def _meant(thing: Any) -> str | None:
    """What to write for ``float``, ``torch.bool`` or ``"fp16"`` in the place of an element type."""
    name = dtype_name(thing)
    if name == "bool":
        return tr("load numbers and compare them, as in X > 0")
    return suggest(name, ELEMENT_TYPES, aliases.TYPES)


class _Annotation:
    """``Kind[T]`` or ``Kind[T, layout]``."""

    takes_layout = True

    def __class_getitem__(cls, item: Any) -> Parameter:
        T, *more = item if isinstance(item, tuple) else (item,)
        name, T = cls.__name__, element_type(T)
        allowed = 1 if cls.takes_layout else 0
        if not isinstance(T, ElementType):
            raise codes.PARAMETER.here("element type", help=_meant(T), name=name, given=T)
        if len(more) > allowed or not all(isinstance(m, Layout) for m in more):
            raise codes.PARAMETER.here("too much", name=name, form=f"{name}[{T}{', RowMajor' * allowed}]")
        return Parameter(name, T, *more)


class Acc(_Annotation):
    """``acc: Acc[T]``: the accumulator of the GEMM, M×N. With ``gemm=Gemm(accumulators=…)`` there are two of them, the
    first and the second."""

    takes_layout = False


class Aux(_Annotation):
    """``X: Aux[T]`` or ``Aux[T, layout]``: an M×N tensor in GM, called as the parameter is.

    A default value (``X: Aux[half] = 0.0``) allows a null pointer, which then stands for a tensor full of that value;
    so it does for vectors and scalar tensors.
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


_OPTIONS = ("name", "arch", "auto_cast", "compute_length", "buffers", "gemm", "fast_math", "deterministic")
"""The options of :func:`epilogue`."""


@overload
def epilogue(function: Callable[..., Any], /) -> Epilogue: ...
@overload
def epilogue(
    *,
    name: str | None = None,
    arch: str = ...,
    auto_cast: bool = False,
    compute_length: int | str = "auto",
    buffers: int | str = "auto",
    gemm: Gemm | None = None,
    fast_math: bool = False,
    deterministic: bool = False,
) -> Callable[[Callable[..., Any]], Epilogue]: ...
def epilogue(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Make an :class:`~evtgen.graph.ir.Epilogue` of a function, as ``@epilogue`` or ``@epilogue(option=…)``.

    Args:
        name: its name; that of the function by default. arch, auto_cast, compute_length, buffers, gemm,
        fast_math, deterministic: as in :class:`~evtgen.graph.ir.Epilogue`. With ``auto_cast`` operands of
            different element types meet in one that holds all, see :meth:`evtgen.frontend.value.Graph.common`.

    Raises:
        EvtgenError: the function does what cannot be traced (EVT007 to EVT017, EVT026). What it raises itself
            passes through.
    """
    names = sys._getframe(1).f_locals
    for option in options:
        if option not in _OPTIONS:
            raise TypeError(f"epilogue() has no option {option!r}; it has {', '.join(_OPTIONS)}")

    def decorate(function: Callable[..., Any]) -> Any:
        failures = collecting.get()
        try:
            return _trace(function, names, options)
        except Exception as error:
            if failures is None:
                raise
            failures += diagnostics_of(error, getattr(getattr(function, "__code__", None), "co_filename", ""))
        return None

    return decorate if function is None else decorate(function)


def remade(made: Epilogue, arch: str) -> Epilogue:
    """An epilogue for another architecture: its function traced or its model converted anew,
    or its graph as it is written."""
    if made.function is None:
        return replace(made, arch=arch)
    if isinstance(made, Served):
        return made.again(remade(made.plain, arch))
    if again := getattr(made.function, "remade", None):
        converted: Epilogue = again(arch)
        return converted
    options = {field.name: getattr(made, field.name) for field in fields(made) if field.name in _OPTIONS}
    # Annotations that are text may name what was local where the function was defined: evtgen's own names, as a rule.
    names = ChainMap(inspect.unwrap(made.function).__globals__, vars(sys.modules["evtgen"]))
    return _trace(made.function, names, {**options, "arch": arch})


def _trace(function: Callable[..., Any], names: Mapping[str, Any], options: dict[str, Any]) -> Epilogue:
    plain = _plain(function)
    code = plain.__code__
    parameters = _parameters(plain, code, names, getattr(options.get("gemm"), "accumulators", None))
    arch_name = options.get("arch", DEFAULT_ARCH.get())
    # An unknown architecture has its own rule; until then any will do.
    arch = ARCHITECTURES.get(arch_name, AtlasA2) if isinstance(arch_name, str) else AtlasA2
    graph = Graph(arch, bool(options.get("auto_cast", False)), protocols)
    accumulators = [parameter.name for parameter in parameters if _is_acc(parameter.kind)]
    arguments = {parameter.name: _argument(graph, parameter, accumulators) for parameter in parameters}
    token = tracing.set(graph)
    try:
        returned = _run(function, arguments)
    finally:
        tracing.reset(token)
    root = finish(graph, returned, code.co_name, partial(line_of_output, code))
    _refuse_unused(plain, root, arguments)
    return Epilogue(
        options.get("name") or plain.__name__,
        root,
        arch=arch_name,
        auto_cast=options.get("auto_cast", False),
        compute_length=options.get("compute_length", "auto"),
        buffers=options.get("buffers", "auto"),
        gemm=Gemm() if options.get("gemm") is None else options["gemm"],
        fast_math=options.get("fast_math", False),
        deterministic=options.get("deterministic", False),
        traced=True,
        function=function,
        outputs=tuple(returned),
        accumulators=tuple(accumulators),
        location=_line_of(code, rf"def\s+{code.co_name}\b"),
    )


def _argument(graph: Graph, parameter: Declared, accumulators: list[str]) -> Value | ScalarValue:
    """What stands for a parameter while the function runs: a load's value, or a number that is given at run time.
    ``accumulators`` are the names of those parameters, in order."""
    if isinstance(parameter.kind, Scalar):
        default = None if parameter.default is None else number(parameter.default)
        return ScalarValue(replace(parameter.kind, name=parameter.name, default=default))
    if parameter.kind.kind == "Acc":
        load: VisitorNode = AccLoad(parameter.kind.T, accumulators.index(parameter.name), location=parameter.location)
    else:
        load = load_of(parameter.name, parameter.kind, parameter.default, parameter.location)
    return graph.add(load, (), parameter.kind.T)


def _run(function: Callable[..., Any], arguments: dict[str, Value | ScalarValue]) -> Any:
    """What the function returns."""
    signature = inspect.signature(function)
    bound = signature.bind_partial()
    bound.arguments.update(arguments)
    return function(*bound.args, **bound.kwargs)


def _refuse_unused(
    function: Callable[..., Any], root: TopologicalVisitor, arguments: dict[str, Value | ScalarValue]
) -> None:
    """Raise EVT026 for each scalar that no output needs. Unused loads stay in the graph, for the checker to name."""
    used = {scalar for node in root.ops if isinstance(node, VisitorNode) for scalar in node.scalars}
    unused = [
        UNREAD.of("scalar", _line_of(function.__code__, rf"\b{name}\s*:"), name=name)
        for name, argument in arguments.items()
        if isinstance(argument, ScalarValue) and argument.scalar not in used
    ]
    if unused:
        raise EvtgenError(unused)


def _plain(function: Any) -> Callable[..., Any]:
    """The function itself, below what ``functools.wraps`` put around it; raises EVT016 for anything else."""
    inner = inspect.unwrap(function) if callable(function) else function
    if isinstance(function, Epilogue):
        raise codes.PLAIN.here("epilogue", name=function.name)
    if isinstance(function, type):
        raise codes.PLAIN.here("class", name=function.__name__)
    if not isinstance(inner, FunctionType):
        raise codes.PLAIN.here("other", name=type(function).__name__)
    if inspect.iscoroutinefunction(inner) or inspect.isasyncgenfunction(inner):
        raise codes.PLAIN.here("async", name=inner.__name__)
    if inspect.isgeneratorfunction(inner):
        raise codes.PLAIN.here("generator", name=inner.__name__)
    return inner


def _parameters(
    function: Callable[..., Any], code: CodeType, names: Mapping[str, Any], accumulators: object
) -> list[Declared]:
    """The parameters, in order; raises EVT007 and EVT015 with all that is wrong with them. ``accumulators`` is that of
    the GEMM."""
    location = _line_of(code, rf"def\s+{code.co_name}\b")
    try:
        annotations = inspect.get_annotations(function, locals=names, eval_str=True)
    except NameError as error:
        raise codes.PARAMETER.refusal(
            "annotation", location, help=help_of(error), function=function.__name__, error=words(error)
        ) from None
    result: list[Declared] = []
    wrong: list[Diagnostic] = []
    typed = [a.T for a in annotations.values() if isinstance(a, Parameter)]
    some = typed[0] if typed else half
    for parameter in inspect.signature(function).parameters.values():
        annotation = annotations.get(parameter.name)
        line = _line_of(code, rf"\b{parameter.name}\b\s*[:,=)]", location.line)
        named: dict[str, Any] = {"name": parameter.name, "function": function.__name__, "T": some}
        before = sum(_is_acc(earlier.kind) for earlier in result) if _is_acc(annotation) else 0
        if found := _wrong_parameter(parameter, annotation, first=not result):
            when, fields = found
            wrong.append(codes.PARAMETER.of(when, line, **(named | fields)))
        elif before > 1 or (before == 1 and accumulators is None):
            wrong.append(codes.TWO_ACCUMULATORS.of("third" if before > 1 else "second", line, **named))
        elif isinstance(annotation, (Parameter, Scalar)):
            default = None if parameter.default is parameter.empty else parameter.default
            result.append(Declared(parameter.name, annotation, default, line))
    if wrong:
        raise EvtgenError(wrong)
    return result


def _wrong_parameter(  # noqa: PLR0911
    parameter: inspect.Parameter, annotation: Any, first: bool
) -> tuple[str, dict[str, Any]] | None:
    """Which message there is for a parameter that cannot be meant so, and values for its fields."""
    if parameter.kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
        # Printed as it is written, with its stars.
        return "stars", {"name": str(parameter).partition(":")[0]}
    if isinstance(annotation, Scalar) and not isinstance(annotation.T, ElementType):
        return "type of a scalar", {"given": annotation.T}
    if annotation is Scalar:
        return "scalar without type", {}
    if isinstance(annotation, type) and issubclass(annotation, _Annotation):
        return "no type", {"kind": annotation.__name__}
    if isinstance(annotation, ElementType):
        return "type alone", {"T": annotation}
    if not isinstance(annotation, (Parameter, Scalar)):
        is_one = is_number(parameter.default) or annotation in (bool, int, float)
        when = "no annotation" if annotation is None else "other annotation"
        return when, {"kind": "Acc" if first else "Scalar" if is_one else "Aux", "given": short(annotation)}
    if (default := parameter.default) is parameter.empty:
        return None
    if _is_acc(annotation):
        return "default of Acc", {"annotation": annotation}
    when = "default of a scalar" if isinstance(annotation, Scalar) else "default"
    return None if is_number(default) else (when, {"default": default, "annotation": annotation, "T": annotation.T})


def _is_acc(annotation: Any) -> bool:
    return isinstance(annotation, Parameter) and annotation.kind == "Acc"


def _line_of(code: CodeType, pattern: str, start: int = 0) -> Location:
    """The line of a function's head, from ``start`` on, that holds ``pattern``; the decorator's line when none does."""
    body = min((line for _, line in dis.findlinestarts(code) if line and line > code.co_firstlineno), default=0)
    for line in range(max(start, code.co_firstlineno), max(body, code.co_firstlineno) + 1):
        if re.search(pattern, linecache.getline(code.co_filename, line)):
            return Location(code.co_filename, line)
    return Location(code.co_filename, code.co_firstlineno)


def load_of(name: str, parameter: Parameter, default: Any, location: Location) -> VisitorNode:
    """The load of a parameter."""
    if parameter.kind == "Aux":
        return AuxLoad(name, parameter.T, parameter.layout, default, location=location)
    return _BROADCASTS[parameter.kind](name, parameter.T, parameter.layout, default, location=location)
