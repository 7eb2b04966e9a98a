"""The playground in a browser: a spec in the address is checked, another one is drawn and becomes what build writes.

Needs Chromium as the tests of the report page do, and what ``make build/npm`` brings.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from docs.generate.site import playground
from docs.generate.site.entries import encoded
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files
from evtgen.frontend.load import load
from evtgen.planner.plan import lower

from ..support.browser import driver
from ..support.paths import CHECKOUT

__all__ = ["driver"]

WRONG = """\
from evtgen import Acc, Aux, epilogue, float32, half


@epilogue
def bias(acc: Acc[half], X: Aux[float32]):
    return {"D": acc + X}
"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path) -> Iterator[str]:
    if not (files := playground.files()):
        pytest.skip("needs npm, for Pyodide and clang-format in browsers: make build/npm")
    shutil.copytree(CHECKOUT / "docs" / "assets", tmp_path / "assets")
    (tmp_path / playground.FOLDER).mkdir()
    for name, content in files.items():
        (tmp_path / playground.FOLDER / name).write_bytes(content)
    for language, name in (("en", "playground"), ("zh", "playground.zh")):
        page = (CHECKOUT / "docs" / f"{name}.md").read_text(encoding="utf-8")
        head = f'<!DOCTYPE html><html lang="{language}"><meta charset="utf-8"><link rel="icon" href="data:,">'
        (tmp_path / f"{name}.html").write_text(head + page, encoding="utf-8")
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=tmp_path)) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/playground.html"
        server.shutdown()


@pytest.mark.slow
def test_a_spec_is_checked_drawn_and_emitted(driver: Any, address: str, tmp_path: Path) -> None:
    from selenium.webdriver.support.wait import WebDriverWait

    def text(selector: str, expected: str) -> str:
        WebDriverWait(driver, 120).until(lambda _: expected in read(selector))
        return read(selector)

    def read(selector: str) -> str:
        return str(driver.execute_script("return document.querySelector(arguments[0])?.textContent ?? ''", selector))

    driver.get_log("browser")
    driver.get(f"{address}#{encoded(WRONG)}")
    assert "spec.py:6" in text("#playground .said", "EVT021")
    good = WRONG.replace("Aux[float32]", "Aux[half]")
    change = "const box = document.querySelector('textarea'); box.value = arguments[0];"
    driver.execute_script(f"{change} box.dispatchEvent(new Event('input'))", good)
    assert text("#playground .said", "fine: bias")
    # Its Python, 3.14, evaluates annotations late, when evtgen reads them.
    driver.execute_script(f"{change} box.dispatchEvent(new Event('input'))", good.replace("Aux[half]", "Aux[haf]"))
    assert "spec.py:5" in (said := text("#playground .said", "EVT007")) and "did you mean half" in said
    driver.execute_script(f"{change} box.dispatchEvent(new Event('input'))", good)
    assert text("#playground .said", "fine: bias")
    assert driver.current_url == f"{address}#{encoded(good)}"
    (tmp_path / "spec.py").write_text(good)
    (header,) = epilogue_files(lower(load([tmp_path / "spec.py"])[0]), Framework()).values()
    assert text("#playground details pre", "Arguments") == header
    assert driver.execute_script("return document.querySelector('#playground img').naturalWidth") > 100
    assert "AuxLoadX" in read("#playground details + details")
    driver.get(f"{address.replace('.html', '.zh.html')}#{encoded(WRONG)}")
    assert "输入" in text("#playground .said", "EVT021")
    assert [entry["message"] for entry in driver.get_log("browser")] == []
