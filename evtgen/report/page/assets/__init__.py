"""The files of the page that are not Python: one template, style sheets, scripts."""

from functools import cache
from pathlib import Path

ASSETS = Path(__file__).parent


@cache
def asset(name: str) -> str:
    """The text of a file."""
    return (ASSETS / name).read_text(encoding="utf-8")
