"""The page about torch: what it shows happens."""

from __future__ import annotations

import doctest

from ..support.optional import torch
from ..support.paths import CHECKOUT


def test_the_session_of_the_page_goes_as_shown() -> None:
    torch()
    page = CHECKOUT / "docs" / "torch.md"
    options = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
    result = doctest.testfile(str(page), module_relative=False, optionflags=options, encoding="utf-8")
    assert result.attempted > 10 and not result.failed
