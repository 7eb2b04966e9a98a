"""What is written of things of the graph as if they were numbers or functions. The graph knows no diagnostics: who does
says here how that is refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, Protocol


class Refuses(Protocol):
    """Raises what the user is told."""

    def computed(self, T: Any) -> NoReturn:
        """``T * 2``, of an element type."""

    def called(self, epilogue: Any) -> NoReturn:
        """``e(a, b)``, of an epilogue."""

    def bound(self, epilogue: Any) -> NoReturn:
        """``e.bind(module)``, of an epilogue that was not converted from a model."""


_refuses: list[Refuses] = []


def refused_by(refuses: Refuses) -> None:
    """Say who refuses."""
    _refuses[:] = [refuses]


def computed(T: Any, *other: Any) -> NoReturn:
    """The method of an operator of Python's that element types do not have."""
    _refuses[0].computed(T)


def called(epilogue: Any, /, *arguments: Any, **named: Any) -> NoReturn:
    """The call of an epilogue."""
    _refuses[0].called(epilogue)


def unbound(epilogue: Any) -> Callable[..., NoReturn]:
    """The ``bind`` of an epilogue without a model."""
    return lambda *given, **named: _refuses[0].bound(epilogue)
