"""Codes of pictures."""

from __future__ import annotations

from .diagnostic import WRONG_ENVIRONMENT
from .table import declare

NO_EXTRA = declare(
    "EVT210",
    "A library for pictures is missing",
    """`evtgen report` and `evtgen explain --svg` use libraries that nothing else needs, so they are an extra of the
    package: `pip install 'evtgen[report]'`.""",
    status=WRONG_ENVIRONMENT,
)
NOT_A_PICTURE = declare(
    "EVT211",
    "The picture cannot go there",
    """`evtgen explain --svg FILE` draws one epilogue into a file. With several, name a directory that
    exists, or end its name in a slash: each gets a picture of its name there. The picture is SVG, so the name of a file
    ends in `.svg`.""",
)
