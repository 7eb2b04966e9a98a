"""The signatures of functions that take a record of options: of each option a parameter of its own."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import fields
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar, get_args, get_type_hints, overload

Parameters = ParamSpec("Parameters")
Record = TypeVar("Record")
Record_co = TypeVar("Record_co", covariant=True)
Made = TypeVar("Made")
One = TypeVar("One")
Two = TypeVar("Two")


class _Taking(Protocol[Parameters, Record_co]):
    @overload
    def __call__(
        self, function: Callable[[One, Record_co], Made], /
    ) -> Callable[Concatenate[One, Parameters], Made]: ...
    @overload
    def __call__(
        self, function: Callable[[One, Two, Record_co], Made], /
    ) -> Callable[Concatenate[One, Two, Parameters], Made]: ...


def takes(record: Callable[Parameters, Record]) -> _Taking[Parameters, Record]:
    """A decorator of a function whose last parameter is a ``record``: it takes the fields by their names instead, as
    type checkers, ``help`` and completion see."""
    kind: Any = record
    hints = get_type_hints(kind)
    options = [
        inspect.Parameter(
            field.name, inspect.Parameter.KEYWORD_ONLY, default=field.default, annotation=_given(hints[field.name])
        )
        for field in fields(kind)
    ]

    def taking(function: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(function)
        *positional, _ = signature.parameters.values()

        @functools.wraps(function)
        def called(*given: Any, **named: Any) -> Any:
            bound = shown.bind(*given, **named)
            return function(*bound.args, record(**bound.kwargs))  # type: ignore[call-arg]

        shown = signature.replace(parameters=[*positional, *options])
        vars(called)["__signature__"] = shown
        return called

    return taking


def _given(option: Any) -> Any:
    """What callers give for an :class:`~evtgen.options.Option`."""
    return (get_args(option) or get_args(option.__orig_bases__[0]))[0]
