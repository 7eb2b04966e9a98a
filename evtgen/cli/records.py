"""The options of a command from the record of :mod:`evtgen.options` that it makes of them."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator
from dataclasses import fields
from enum import Enum
from math import isnan
from pathlib import Path
from typing import Annotated, Any

import typer

from ..diagnostics.files import USAGE
from ..options import (
    Choice,
    Counts,
    Option,
    Place,
    Places,
    Rows,
    Seconds,
    Size,
    Sizes,
    Switch,
    Whole,
    Words,
    parse_shape,
)
from .options import Arch, IncludeDirs, directory, parse_buffers, parse_groups


def takes(record: type[Any]) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator of a command with a parameter ``options``: in its place the command line has the options of a
    ``record``, and the command is given a function that makes it, which raises EvtgenError."""
    options = {field.name: inspect.getattr_static(record, field.name) for field in fields(record)}

    def taking(command: Callable[..., None]) -> Callable[..., None]:
        parameters: list[inspect.Parameter] = []
        for parameter in inspect.signature(command, eval_str=True).parameters.values():
            parameters += _parameters(options) if parameter.name == "options" else [parameter]

        @functools.wraps(command)
        def called(**given: Any) -> None:
            own = {name: given.pop(name) for name in options if name in given}
            given.pop("include_dirs", None)
            command(**given, options=lambda: record(**{name: _read(options[name], own[name]) for name in own}))

        vars(called)["__signature__"] = inspect.Signature(parameters)
        called.__annotations__ = {}
        return called

    return taking


def _parameters(options: dict[str, Option[Any, Any]]) -> Iterator[inspect.Parameter]:
    for name, option in options.items():
        if name == "arch":
            # What these two say holds while specs are loaded.
            yield _parameter("include_dirs", IncludeDirs, None)
            yield _parameter(name, Arch, None)
        elif option.help is not None:
            yield _parameter(name, *_typed(name, option))


def _parameter(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.POSITIONAL_OR_KEYWORD, default=default, annotation=annotation)


def _typed(name: str, option: Option[Any, Any]) -> tuple[Any, Any]:
    """The type of an option of the command line, with all that typer needs to know, and its default."""
    kind: Any = next((_KINDS[one] for one in type(option).__mro__ if one in _KINDS), str)
    default, more = option.default, dict[str, Any]()
    if isinstance(option, Choice):
        kind = Enum(name, {word: word for word in option.among}, type=str)  # type: ignore[misc, no-redef]
        default = None if default is None else kind(default)
    elif isinstance(option, Whole | Seconds):
        more = {"min": option.low, "max": option.high}
    elif isinstance(option, Place) and option.exists:
        more = {"parser": directory}
    elif default == ():
        default = []
    flags = option.flags or (f"--{name.replace('_', '-')}",)
    info = typer.Option(*flags, help=option.help, metavar=option.metavar, **more)
    return Annotated[kind | None if default is None else kind, info], default


_KINDS: dict[type, Any] = {
    Whole: int,
    Seconds: float,
    Switch: bool,
    Place: Path,
    Sizes: list[str],
    Words: list[str],
    Places: list[Path],
}


def _read(option: Option[Any, Any], given: Any) -> Any:
    """What the record takes for a value of the command line. Raises EvtgenError."""
    if given is None:
        return None
    if isinstance(option, Choice):
        return given.value
    if isinstance(option, Seconds) and isnan(given):  # which is in no range, and outside of none
        raise USAGE.refusal("timeout", given=given, low=option.low, high=option.most)
    if isinstance(option, Sizes):
        return [parse_shape(text) for text in given]
    parse = {Size: parse_shape, Rows: parse_groups, Counts: parse_buffers}.get(type(option))
    return given if parse is None else parse(given)
