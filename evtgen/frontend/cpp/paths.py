"""Files of C++ and EVTs in them, as a command line names them."""

from __future__ import annotations

from contextvars import ContextVar
from pathlib import Path

SUFFIXES = (".hpp", ".cpp", ".h", ".cc", ".cxx", ".hh", ".hxx", ".asc", ".cce", ".inl")
"""Files that are read as C++."""

INCLUDE_DIRS: ContextVar[tuple[Path, ...]] = ContextVar("INCLUDE_DIRS", default=())
"""Directories with headers of the user's."""


def is_cpp(path: Path) -> bool:
    """Whether a path names a file of C++, or one EVT in it: ``FILE.hpp:NAME``."""
    return selected(path)[0].suffix in SUFFIXES


def selected(path: Path) -> tuple[Path, str]:
    """A file and the name of an EVT behind it, or an empty one."""
    stem, _, rest = str(path).rpartition(".")
    suffix, colon, name = rest.partition(":")
    return (Path(f"{stem}.{suffix}"), name) if colon and f".{suffix}" in SUFFIXES else (path, "")
