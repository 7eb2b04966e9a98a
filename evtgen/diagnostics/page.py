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

NOT_A_PROFILE = declare(
    "EVT302",
    "This is no profile to compare with",
    """`evtgen report --compare FILE` shows what has changed since a profile. The file is what `evtgen profile --json`
    printed: a list with the numbers of each epilogue.""",
    says={
        "unread": ("{path} cannot be read: {error}", "write it with evtgen profile --json SPEC > FILE"),
        "form": ("{path} holds no profiles", "write it with evtgen profile --json SPEC > FILE"),
    },
)
