"""The choice of compiled tests that ``make test`` makes reaches everything that can be reached."""

from __future__ import annotations

import pytest

from .conftest import COLLECTED
from .support.choice import everything


def test_the_choice_reaches_every_node_kernel_architecture_and_check(request: pytest.FixtureRequest) -> None:
    """Whoever adds one of these adds it to a test with the mark ``core``."""
    if request.config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        pytest.skip("some tests are asked for by name")
    marks = [mark for item in request.config.stash[COLLECTED] for mark in item.iter_markers("core")]
    reached = {name for of in {mark.kwargs["reaches"] for mark in marks if mark.kwargs} for name in of()}
    assert everything() - reached == set()
