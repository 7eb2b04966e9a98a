"""The page in a browser: it renders without a network, every tab and link works, the timeline zooms.

Needs Chromium and its driver (of Debian's packages ``chromium`` and ``chromium-driver``) and selenium, of the extra
``dev``; no test of it is run where one of them is missing.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from evtgen.options import ReportOptions
from evtgen.pipeline.report import subjects
from evtgen.pipeline.specs import check_given
from evtgen.report.page.document import page

from ..support import seeds
from ..support.browser import driver
from ..support.runs import with_runs

webdriver = pytest.importorskip("selenium.webdriver", reason="needs selenium: pip install 'evtgen[dev]'")

__all__ = ["driver"]

DESKTOP, PHONE = (1280, 900), (390, 844)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A page about an epilogue that is right, and one with phases, wrong numbers and a hazard."""
    right, other = subjects(check_given([seeds.ADD, seeds.ROWS]), ReportOptions(run=False))
    wrong = with_runs(other, wrong=True, phases=True)
    site = {"file": "catlass/epilogue/fusion/operations.hpp", "line": 12, "call": "Add", "pipe": "V"}
    hazard = {"code": "EVT120", "severity": "error", "message": "Add: reads too early", "count": 2, "sites": [site]}
    first, *more = wrong.results
    wrong = replace(wrong, results=(replace(first, hazards=[hazard]), *more))
    path: Path = tmp_path_factory.mktemp("page") / "index.html"
    path.write_text(page([with_runs(right), wrong]), encoding="utf-8")
    return path.as_uri()


class Page:
    """The page in the browser, of some width, light or dark."""

    def __init__(self, driver: Any, address: str) -> None:
        self.driver = driver
        self.address = address
        driver.get_log("browser"), driver.get_log("performance")

    def open(self, size: tuple[int, int] = DESKTOP, scheme: str = "light") -> Page:
        width, height = size
        metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
        media = {"media": "", "features": [{"name": "prefers-color-scheme", "value": scheme}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
        self.driver.get("about:blank")  # the address may differ in its fragment alone
        self.driver.get(self.address)
        return self

    def js(self, text: str, *arguments: Any) -> Any:
        return self.driver.execute_script(text, *arguments)

    def all(self, selector: str) -> list[Any]:
        found: list[Any] = self.driver.find_elements("css selector", selector)
        return found

    def shown(self, selector: str) -> list[Any]:
        return [one for one in self.all(selector) if one.is_displayed()]


@pytest.fixture
def opened(driver: Any, address: str) -> Iterator[Page]:
    """The page; after the test, whatever it did, the console is empty and nothing was asked of a network."""
    made = Page(driver, address)
    yield made
    assert [entry["message"] for entry in driver.get_log("browser")] == []
    messages = [json.loads(entry["message"])["message"] for entry in driver.get_log("performance")]
    asked = {one["params"]["request"]["url"] for one in messages if one["method"] == "Network.requestWillBeSent"}
    assert {url for url in asked if not url.startswith(("data:", "about:"))} <= {address}


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [DESKTOP, PHONE])
def test_it_renders(opened: Page, size: tuple[int, int], scheme: str) -> None:
    opened.open(size, scheme)
    assert opened.js("return document.title").startswith("add, rows")
    lightness = opened.js("return getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (sum(lightness) > 600) is (scheme == "light")
    # Whatever is wider than the screen scrolls in its own box.
    assert opened.js("return document.documentElement.scrollWidth") <= size[0]
    for name in ("add", "rows"):
        opened.js("location.hash = arguments[0]", name)
        assert opened.js("return document.documentElement.scrollWidth") <= size[0], name


def test_every_link_leads_to_something_in_sight(opened: Page) -> None:
    opened.open()
    targets = {link.get_attribute("href").partition("#")[2] for link in opened.all("a[href]")}
    assert {"add", "rows", "rows-timeline", "rows-times", "rows-results", "rows-hazards"} <= targets
    for target in sorted(targets - {""}):
        opened.js("location.hash = arguments[0]", target)
        (found,) = opened.all(f"[id='{target}']")
        assert found.is_displayed(), target
    assert {link.get_attribute("href").partition("#")[0] for link in opened.all("a[href]")} == {opened.address}


def test_every_tab_shows_its_panel_alone(opened: Page) -> None:
    opened.open()
    for name in ("add", "rows"):
        opened.js("location.hash = arguments[0]", name)
        boxes = opened.shown(f"[id='{name}'] .tabs")
        assert len(boxes) >= 2  # causes, UB
        for box in boxes:
            tabs = box.find_elements("css selector", "[role=tab]")
            assert len(tabs) == len(box.find_elements("css selector", ":scope > .panel")) > 1
            for tab in tabs:
                tab.click()
                panels = [one for one in box.find_elements("css selector", ":scope > .panel") if one.is_displayed()]
                assert [one.get_attribute("id") for one in panels] == [tab.get_attribute("aria-controls")]
                assert tab.get_attribute("aria-selected") == "true"


def test_details_unfold(opened: Page) -> None:
    opened.open()
    for summary in opened.shown("summary"):
        summary.click()
    folds = [one for one in opened.all("details") if one.is_displayed()]
    assert len(folds) >= 3 and all(one.get_attribute("open") for one in folds)


ZOOM = "return Number(document.querySelector('#add .canvas').style.getPropertyValue('--zoom') || 1)"
WIDTH = "return document.querySelector('#add .canvas').getBoundingClientRect().width"
LEFT = "return document.querySelector('#add .scroller').scrollLeft"


def test_the_timeline_zooms_and_moves(opened: Page) -> None:
    opened.open()
    opened.js("location.hash = 'add-timeline'")
    (scroller,) = opened.all("#add .scroller")
    out, in_, whole = opened.all("#add .controls button")
    width = opened.js(WIDTH)
    in_.click()
    in_.click()
    assert opened.js(ZOOM) == 4 and opened.js(WIDTH) > 3 * width
    out.click()
    assert opened.js(ZOOM) == 2
    # The middle of what was shown stays in the middle.
    assert opened.js(LEFT) > 0
    whole.click()
    assert opened.js(ZOOM) == 1 and opened.js(LEFT) == 0
    scroller.send_keys("++++")
    assert opened.js(ZOOM) == 16
    before = opened.js(LEFT)
    actions = webdriver.ActionChains(opened.driver, duration=0)
    actions.move_to_element(scroller).click_and_hold().move_by_offset(-120, 0).release().perform()
    assert opened.js(LEFT) - before == pytest.approx(120, abs=2)
    scroller.send_keys("0")
    assert opened.js(ZOOM) == 1
    # The wheel zooms at the pointer, and only with Ctrl.
    wheel = (
        "const box = arguments[0].getBoundingClientRect();"
        "arguments[0].dispatchEvent(new WheelEvent('wheel', {deltaY: -400, ctrlKey: arguments[1], cancelable: true,"
        "clientX: box.right - 20, clientY: box.top + 50}))"
    )
    opened.js(wheel, scroller, False)
    assert opened.js(ZOOM) == 1
    opened.js(wheel, scroller, True)
    assert opened.js(ZOOM) > 2 and opened.js(LEFT) > opened.js(WIDTH) / 3


def test_the_ticks_follow_the_zoom(opened: Page) -> None:
    opened.open()
    ticks = "return [...document.querySelectorAll('#add .ticks i')].map((one) => one.textContent)"
    opened.js("document.querySelector('#add-timeline').scrollIntoView()")
    few = opened.js(ticks)
    for _ in range(4):
        opened.all("#add .controls button")[1].click()
    many = opened.js(ticks)
    numbers = [int(one.replace(",", "")) for one in many]
    steps = {after - before for before, after in pairwise(numbers)}
    assert len(steps) == 1 and steps.pop() < int(few[1].replace(",", "")) - int(few[0].replace(",", ""))
    assert 2 <= len(many) < 20


def test_two_fingers_zoom(opened: Page) -> None:
    opened.open(PHONE)
    opened.js("document.querySelector('#add .scroller').scrollIntoView()")
    x, y = opened.js(
        "const b = document.querySelector('#add .scroller').getBoundingClientRect(); return [b.left, b.top]"
    )

    def touch(kind: str, *at: float) -> None:
        points = [{"x": x + one, "y": y + 60, "id": number} for number, one in enumerate(at)]
        opened.driver.execute_cdp_cmd("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", 150, 200)
    for spread in range(10, 60, 10):
        touch("touchMove", 150 - spread, 200 + spread)
    touch("touchEnd")
    assert opened.js(ZOOM) == pytest.approx(3, rel=0.2)
    assert opened.js("return document.documentElement.scrollWidth") <= PHONE[0]


def test_a_click_tells_of_a_bar_and_marks_its_tile(opened: Page) -> None:
    opened.open()
    opened.js("location.hash = 'add-timeline'")
    bar = opened.shown("#add .track b[title^='AuxLoadX, tile 2']")[0]
    bar.click()
    assert opened.all("#add .detail")[0].text.startswith("AuxLoadX, tile 2: DataCopyPad, 1,000 cycles from ")
    # The line that it is emitted from, and its node in the header, which a link unfolds.
    assert opened.all("#add .detail code")[0].text.startswith("copy_gm_to_ub.hpp:30 ")
    link = opened.all("#add .detail a")[0].get_attribute("href").partition("#")[2]
    assert opened.all("#add .detail a")[0].text == f"line {link.rpartition('-')[2]} of the header"
    assert "using AuxLoadX =" in opened.all(f"[id='{link}']")[0].get_attribute("textContent")
    marked = [one.get_attribute("title").split(":")[0] for one in opened.all("#add .same")]
    assert marked == [f"{node}, tile 2" for node in ("AuxLoadX", "Plus", "AuxStoreD")]
    opened.all("#add .run h3")[0].click()
    assert opened.all("#add .same") == []


def test_a_long_name_in_prose_is_broken(opened: Page) -> None:
    opened.open(PHONE, "dark")
    opened.js("location.hash = 'add'")
    wide = """
        const text = document.querySelector("[id='add-arguments'] p");
        text.textContent = "Catlass::Evt::" + "long_name_".repeat(9);
        return text.scrollWidth - text.clientWidth;
    """
    assert opened.js(wide) <= 0


def test_it_is_whole_without_a_script(opened: Page) -> None:
    opened.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        opened.open()
        for name in ("add", "rows"):
            for part in ("timeline", "times", "ub", "header"):
                assert opened.shown(f"[id='{name}-{part}']"), (name, part)
        assert len(opened.shown("#add-times .panel")) == 3
        assert len(opened.shown("#add .ticks i")) >= 3 and not opened.shown(".controls")
    finally:
        opened.driver.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})


def test_paper_has_everything(opened: Page) -> None:
    opened.open()
    opened.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    assert len(opened.shown("#add-times .panel")) == 3
    assert not opened.shown(".controls") and opened.shown("#rows-hazards")
    printed = opened.driver.execute_cdp_cmd("Page.printToPDF", {})
    assert len(printed["data"]) > 10_000
