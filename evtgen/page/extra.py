"""The libraries of the extra ``report``, imported where they are used."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..diagnostics.page import NO_EXTRA
from ..system.translation import tr


def required(name: str) -> Any:
    """A module of the extra. Raises EvtgenError (EVT210) if it is not installed."""
    try:
        return import_module(name)
    except ImportError as error:
        library = name.partition(".")[0]
        message = tr(
            "pictures need the library {library}, which cannot be imported: {error}", library=library, error=error
        )
        raise NO_EXTRA.error(message, help="pip install 'evtgen[report]'") from error
