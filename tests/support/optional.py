"""Libraries that tests use where they are installed."""

from __future__ import annotations

from typing import Any

import pytest


def torch() -> Any:
    """The module; a test that asks for it is skipped where it is not installed."""
    return pytest.importorskip("torch", reason="needs torch: pip install 'evtgen[torch]'")
