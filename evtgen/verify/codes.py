"""What can be wrong with the environment of a verification, for the page of error codes."""

from __future__ import annotations

RULES: tuple[tuple[str, str, str], ...] = (
    ("EVT090", "there is no C++ compiler",
     "Verification compiles what it emits. Install g++ 11 or clang++ 14 or later, or name one with --cxx."),
    ("EVT091", "the compiler is too old for the CPU model",
     "The CPU model is C++17. Install g++ 11 or clang++ 14 or later, or name one with --cxx."),
    ("EVT092", "the cache cannot be written",
     "Programs are built in EVTGEN_CACHE, else in evtgen below XDG_CACHE_HOME, ~/.cache or ~/Library/Caches. Set "
     "EVTGEN_CACHE to a directory that can be written."),
    ("EVT093", "not a Catlass checkout",
     "--catlass takes a Catlass checkout or the include directory in it: there must be a catlass/catlass.hpp."),
    ("EVT094", "headers are missing",
     "--headers takes an include root that evtgen build wrote for the same specs: each epilogue has its header there."),
)  # fmt: skip
"""Code, title and explanation of every diagnostic of this package."""
