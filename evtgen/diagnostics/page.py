"""Codes of pictures."""

from __future__ import annotations

from .table import declare

NOT_A_PICTURE = declare(
    "EVT211",
    "The picture cannot go there",
    """`evtgen explain --svg FILE` draws one epilogue into a file. With several, name a directory that
    exists, or end its name in a slash: each gets a picture of its name there. The picture is SVG, so the name of a file
    ends in `.svg`.""",
    says={
        "several": (
            "there are {count} epilogues, and {place} is one file",
            "name a directory, with a slash at the end: --svg {place}/",
        ),
        "name": (
            "the picture is SVG, and {place} is not named so",
            "name a file that ends in .svg, or a directory, with a slash at the end",
        ),
    },
)
