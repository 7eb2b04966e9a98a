"""What the tests of pictures look at: every epilogue of the examples and of the gallery."""

from __future__ import annotations

import pytest

from evtgen.frontend.load import load
from evtgen.planner.plan import Plan, lower

from ..support.emitted import SPECS


@pytest.fixture(scope="session")
def plans() -> dict[str, Plan]:
    """The plans by their names."""
    return {epilogue.name: lower(epilogue) for spec in SPECS for epilogue in load([spec])}
