"""A function that is an epilogue, run on arrays: what its outputs are by its own words."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ...diagnostics.diagnostic import EvtgenError
from ...diagnostics.tracing import EAGER
from ...graph.location import Location
from ...graph.types import ElementType
from ...operators.arrays import Array
from ..errors import user_error, words
from ..libraries import MEANT
from ..places import cast
from ..protocols import method
from . import running, running_a


class Tile(np.ndarray[Any, np.dtype[Any]]):
    """An array with the methods of a traced value: ``x.cast(T)``, ``x.relu()``; functions of torch take it, too.

    Attributes:
        T: the element type that the value has in the trace, not the transpose; None where that is not known.
    """

    T: Any = None

    def __array_finalize__(self, other: Any) -> None:
        self.T = other.T if isinstance(other, Tile) else None

    def cast(self, T: ElementType, round: str | None = None) -> Any:
        """As :meth:`evtgen.frontend.value.Value.cast`."""
        result = cast(self, T, round).view()
        result.T = T
        return result

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return method(self, name)

    @classmethod
    def __torch_function__(cls, function: Any, types: Any, operands: Any = (), named: Any = None) -> Any:
        given, by_name = _tensors(tuple(operands)), {key: _tensors(value) for key, value in (named or {}).items()}
        return _tiles(function(*given, **by_name))


def _own(name: str) -> Callable[..., Any]:
    """A method that arrays have, too, with the arguments of a value's."""

    def call(self: Tile, *operands: Any, **named: Any) -> Any:
        return method(self, name)(*operands, **named)

    call.__name__ = name
    return call


for _name in filter(partial(hasattr, np.ndarray), MEANT["x"]):
    setattr(Tile, _name, _own(_name))


def _tensors(thing: Any) -> Any:
    """Tiles as tensors of torch, which is there: it is its function that is called."""
    if isinstance(thing, Tile):
        return sys.modules["torch"].from_numpy(thing.view(np.ndarray).copy())
    return type(thing)(map(_tensors, thing)) if type(thing) in (tuple, list) else thing


def _tiles(thing: Any) -> Any:
    """Tensors as tiles."""
    if isinstance(thing, sys.modules["torch"].Tensor):
        return thing.numpy().view(Tile)
    return tuple(map(_tiles, thing)) if isinstance(thing, (tuple, list)) else thing


def call(
    function: Callable[..., Any],
    tensors: Mapping[str, Any],
    size: tuple[int, int],
    types: Mapping[str, ElementType] | None = None,
    a: Array | None = None,
) -> dict[str, Array]:
    """What a function says its outputs are, for arrays by the names of its parameters.

    Args:
        function: as it was before ``@epilogue``.
        tensors: arrays of (M, N), (1, N), (M, 1) or (1, 1), and numbers. In float64 they stand for numbers that
            nothing rounds but casts to integers.
        size: (M, N), of the outputs.
        types: what ``X.T`` is of a parameter, by its name.
        a: A, (M, K), for statistics of it.

    Returns:
        Arrays by the outputs' names.

    Raises:
        EvtgenError: EVT205, if the function raises an error or returns something else.
    """
    given = {name: _tile(array, (types or {}).get(name)) for name, array in tensors.items()}
    token, of_a = running.set(np.empty(size, bool).view(Tile)), running_a.set(None if a is None else a.view(Tile))
    try:
        returned = function(**given)
    except EvtgenError:
        raise
    except Exception as error:
        at = user_error(error, function.__code__.co_filename).location
        told = {"function": function.__name__, "error": type(error).__name__, "words": words(error)}
        raise EAGER.refusal("raised", at, **told) from error
    finally:
        running.reset(token)
        running_a.reset(of_a)
    if not isinstance(returned, Mapping) or not all(isinstance(array, np.ndarray) for array in returned.values()):
        at = Location(function.__code__.co_filename, function.__code__.co_firstlineno)
        raise EAGER.refusal("no arrays", at, function=function.__name__)
    return {name: array.view(np.ndarray) for name, array in returned.items()}


def _tile(given: Any, T: ElementType | None) -> Any:
    if not isinstance(given, np.ndarray):
        return given
    tile = given.view(Tile)
    tile.T = T
    return tile
