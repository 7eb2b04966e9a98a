"""The targets of the fuzzer: every module ``tests/properties/fuzz_*.py``.

Each has ``run(seconds, seed)``, which tries inputs until the time is over and returns their number; a failure is an
AssertionError that names the file in which the input is kept.
"""

from __future__ import annotations

import hashlib
import importlib
from collections.abc import Callable

from .paths import CHECKOUT

TARGETS = sorted(path.stem for path in (CHECKOUT / "tests" / "properties").glob("fuzz_*.py"))

KEPT = CHECKOUT / "build" / "fuzz"
"""Where inputs that fail are kept."""


def target(name: str) -> Callable[[float, int], int]:
    """The ``run`` of a target."""
    run: Callable[[float, int], int] = importlib.import_module(f"tests.properties.{name}").run
    return run


def keep(data: bytes, name: str) -> str:
    """Keep an input that failed; returns its path."""
    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / f"{hashlib.sha256(data).hexdigest()[:12]}-{name}"
    path.write_bytes(data)
    return str(path)
