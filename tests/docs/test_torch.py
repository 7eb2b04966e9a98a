"""The pages about torch: what they show happens."""

from __future__ import annotations

import doctest

import pytest

from ..support.optional import torch
from ..support.paths import CHECKOUT


@pytest.mark.parametrize(("name", "lines"), [("torch.md", 11), ("partition.md", 7)])
def test_the_session_of_the_page_goes_as_shown(name: str, lines: int) -> None:
    torch()
    page = CHECKOUT / "docs" / name
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(page), module_relative=False, optionflags=options, encoding="utf-8")
    assert result.attempted >= lines and not result.failed
