"""What an epilogue shows of itself. The graph knows no formulas and no pictures: who does says here what they are."""

from __future__ import annotations

from typing import Any, Protocol


class Shows(Protocol):
    """Makes what is shown."""

    def text(self, epilogue: Any) -> str:
        """Its formulas, as ``print(e)`` shows them."""

    def html(self, epilogue: Any) -> str | None:
        """Its graph, as a notebook shows it; None for the text."""


_shows: list[Shows] = []


def shown_by(shows: Shows) -> None:
    """Say who makes it."""
    _shows[:] = [shows]


def text(epilogue: Any) -> str:
    """The text of an epilogue."""
    return _shows[0].text(epilogue)


def html(epilogue: Any) -> str | None:
    """The picture of an epilogue."""
    return _shows[0].html(epilogue)
