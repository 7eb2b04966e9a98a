"""g++ compiles here also where ``EVTGEN_CXX`` names another: the two compilers take different programs of others."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def usual_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("EVTGEN_CXX", raising=False)
