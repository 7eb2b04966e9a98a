"""Codes of the machine that evtgen runs on: its compiler, its cache, the checkouts and headers that the user names."""

from __future__ import annotations

from .diagnostic import WRONG_ENVIRONMENT, Severity
from .table import declare

NO_COMPILER = declare(
    "EVT090",
    "There is no C++ compiler",
    """Verification compiles the emitted headers. Install g++ 11 or clang++ 14 or later, or name one with `--cxx`.""",
    status=WRONG_ENVIRONMENT,
)
OLD_COMPILER = declare(
    "EVT091",
    "The compiler is too old for the CPU model",
    """The CPU model is C++17. Install g++ 11 or clang++ 14 or later, or name one with `--cxx`.""",
    status=WRONG_ENVIRONMENT,
)
NO_CACHE = declare(
    "EVT092",
    "The cache cannot be written",
    """Programs are built in `EVTGEN_CACHE`, else in `evtgen` below `XDG_CACHE_HOME`, `~/.cache` or `~/Library/Caches`.
    Set `EVTGEN_CACHE` to a writable directory.""",
    status=WRONG_ENVIRONMENT,
)
NO_CHECKOUT = declare(
    "EVT093",
    "Not a Catlass checkout",
    """`--catlass` takes a Catlass checkout or the include directory in it: there must be a `catlass/catlass.hpp`.""",
)
NO_HEADERS = declare(
    "EVT094",
    "Headers are missing",
    """`--headers` takes an include root that `evtgen build` wrote for the same specs: it must hold the header of each
    epilogue.""",
)
STALE_HEADERS = declare(
    "EVT019",
    "The headers are not what the spec gives",
    """`verify --headers` runs the headers as they are. These differ from what a build of the spec writes now, by more
    than comments and layout: the spec or evtgen has changed since, or somebody has edited them. What is wrong in them
    may be put right by building or installing again.""",
    severity=Severity.WARNING,
)
NO_DUMP = declare(
    "EVT096",
    "The dump cannot be written",
    """`verify --dump DIR` writes one `.npz` per run into `DIR`, which is created if it is missing. It must be a
    writable directory.""",
)
NO_TRACE = declare(
    "EVT073",
    "The trace cannot be written",
    """`--trace FILE` names a regular file, or one that does not exist yet, in a writable directory.""",
)
