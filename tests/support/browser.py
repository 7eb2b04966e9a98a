"""Chromium for tests of pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def driver() -> Iterator[Any]:
    """A browser without a window; skips where it, its driver or selenium is not installed."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium: pip install 'evtgen[dev]'")
    browser, chromedriver = (shutil.which(name) for name in ("chromium", "chromedriver"))
    if browser is None or chromedriver is None:
        pytest.skip("needs chromium and chromedriver: apt-get install chromium chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = browser
    # As root, as CI runs it, the browser has no sandbox.
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--no-first-run"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    started = webdriver.Chrome(options=options, service=webdriver.ChromeService(chromedriver))
    yield started
    started.quit()
