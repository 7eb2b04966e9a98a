"""Codes of pictures."""

from __future__ import annotations

from .table import declare

NOT_A_PICTURE = declare(
    "EVT211",
    "The picture cannot go there",
    """`evtgen explain --svg FILE` draws one epilogue into a file. With several, name a directory that
    exists, or end its name in a slash: each gets a picture of its name there. The picture is SVG, so the name of a file
    ends in `.svg`.""",
)
