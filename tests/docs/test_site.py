"""The pages as a site: it builds without a warning, and is complete without a network."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest

from evtgen.frontend.load import load

from ..support.browser import driver
from ..support.paths import CHECKOUT

__all__ = ["driver"]

DOCS = CHECKOUT / "docs"
SPEC = """\
from evtgen import Acc, epilogue, half


@epilogue
def doubled(acc: Acc[half]):
    return {"D": acc * 2}
"""
MISSING = "needs mkdocs, its theme and nbconvert: pip install 'evtgen[docs]'"


def test_the_figures_of_the_first_page_are_those_of_the_pages_that_it_names() -> None:
    figures = re.findall(
        r"^- \*\*(.*?)\*\*.*\]\(docs/([\w-]+\.md)(?:#[\w-]+)?\)\)$",
        (CHECKOUT / "README.md").read_text(encoding="utf-8"),
        re.M,
    )
    assert len(figures) == 8
    for figure, page in figures:
        named = (DOCS / page).read_text(encoding="utf-8")
        assert re.search(rf"(?<![\d.,]){re.escape(figure)}(?![\d.,]\d)", named), figure


def test_the_first_page_says_how_many_epilogues_the_gallery_has() -> None:
    """In hundreds. The number is the same in every language, which test_chinese.py sees to."""
    (said,) = re.findall(r"over (\d+) common epilogues", (CHECKOUT / "README.md").read_text(encoding="utf-8"))
    entries = re.findall(r"^\| \[`", (DOCS / "gallery.md").read_text(encoding="utf-8"), re.M)
    assert int(said) == len(entries) // 100 * 100


@pytest.mark.slow
def test_the_spec_of_an_entry_is_complete_by_itself(tmp_path: Path) -> None:
    """What its page shows makes the same epilogue as the gallery's file."""
    from docs.generate.gallery import epilogues
    from docs.generate.site.entries import alone

    for path, epilogue in epilogues("AtlasA2"):
        spec = tmp_path / f"{epilogue.name}.py"
        spec.write_text(alone(path, epilogue.name), encoding="utf-8")
        (again,) = load([spec])
        assert (
            again.fields_text() == epilogue.fields_text()
        )  # which names the operators that a file declares; each is one of its own


@pytest.mark.fast
def test_the_bundle_of_the_playground_is_complete(tmp_path: Path) -> None:
    """A Python that has nothing else shows what a spec makes."""
    from docs.generate.site.playground import bundle

    (tmp_path / "bundle").mkdir()
    zipfile.ZipFile(io.BytesIO(bundle())).extractall(tmp_path / "bundle")
    code = f"import sys; sys.path.insert(0, 'bundle'); from shown import shown; print(shown({SPEC!r}))"
    done = subprocess.run([sys.executable, "-ISc", code], cwd=tmp_path, capture_output=True, text=True, check=True)
    found = json.loads(done.stdout)
    (one,) = found["epilogues"]
    assert "fine: doubled" in found["said"] and one["name"] == "doubled" and one["graph"].startswith("<?xml")
    assert "namespace Catlass::Evt::doubled" in one["header"] and "AccLoad" in one["explained"]


@pytest.mark.parametrize("suffix", ["", ".zh"])
def test_an_entry_links_to_its_report_where_there_is_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str
) -> None:
    """In the table of the gallery and on its page, in its language; `make site` builds both, and nothing is linked that
    it did not."""
    for module in ("mkdocs", "material", "nbconvert"):
        pytest.importorskip(module, reason=MISSING)
    from mkdocs.config import load_config
    from mkdocs.structure.files import File, Files
    from mkdocs.structure.pages import Page

    from docs.generate import reports
    from docs.generate.site import hooks

    first, second, *_ = reports.names()
    (tmp_path / f"{first}{suffix}").mkdir()
    (tmp_path / f"{first}{suffix}" / "index.html").write_text("<p>the report</p>")
    monkeypatch.setattr(reports, "MADE", tmp_path)
    config = load_config(str(CHECKOUT / "mkdocs.yml"))
    config.plugins._current_plugin = "test"  # as mkdocs sets it while hooks run
    gallery = File.generated(config, f"gallery{suffix}.md", content="")
    files = hooks.on_files(Files([gallery]), config=config)
    report = files.get_file_from_path(f"gallery/reports/{first}{suffix}/index.html")
    assert report is not None and report.content_string == "<p>the report</p>"
    page = Page(None, gallery, config)
    table = (DOCS / f"gallery{suffix}.md").read_text(encoding="utf-8")
    shown = hooks.on_page_markdown(table, page=page, config=config, files=files)
    for name, linked in ((first, True), (second, False)):
        own = files.get_file_from_path(f"gallery/{name}{suffix}.md")
        assert own is not None and (f"reports/{name}{suffix}/index.html" in own.content_string) is linked
        assert (f"](gallery/reports/{name}{suffix}/index.html)" in shown) is linked
    other = files.get_file_from_path(f"gallery/{first}{'' if suffix else '.zh'}.md")
    assert other is not None and "reports/" not in other.content_string


@pytest.mark.cxx
@pytest.mark.slow
def test_a_report_is_made_for_the_site(tmp_path: Path) -> None:
    from docs.generate import reports

    name = reports.names()[0]
    for language, timeline in (("en", ">Timeline<"), ("zh", ">时间线<")):
        reports.write_one(name, tmp_path, language)
        page = (tmp_path / reports.place_of(name, language)).read_text(encoding="utf-8")
        assert f"evtgen report {name}.py" in page and f'id="{name}-timeline"' in page and timeline in page


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One build, five seconds. A link, an anchor or a page outside the order of the site fails it."""
    for module in ("mkdocs", "material", "nbconvert"):
        pytest.importorskip(module, reason=MISSING)
    place = tmp_path_factory.mktemp("site")
    # Not --quiet: strict counts the warnings that are shown.
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(place)]
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=CHECKOUT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return place


@pytest.mark.slow
def test_the_site_is_built_strictly_and_complete(site: Path) -> None:
    every_entry_of_the_gallery_has_a_page_with_its_picture(site)
    the_tutorial_shows_what_its_cells_have_shown(site)
    the_words_around_a_page_are_in_its_language(site)
    the_pages_around_a_page_are_in_its_language(site)
    nothing_is_fetched_from_elsewhere(site)


@pytest.mark.slow
@pytest.mark.parametrize("width", [390, 1400])
def test_no_page_is_wider_than_the_screen(driver: Any, site: Path, width: int) -> None:
    """Whatever is wider scrolls in its own box."""
    metrics = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)
    for name in (
        "index",
        "README.zh",
        "gallery",
        "gallery/layer_norm",
        "gallery/layer_norm.zh",
        "errors.zh",
        "functions",
        "playground",
    ):
        driver.get((site / f"{name}.html").as_uri())
        assert driver.execute_script("return document.documentElement.scrollWidth") <= width, name


def every_entry_of_the_gallery_has_a_page_with_its_picture(site: Path) -> None:
    rows = re.findall(r"^\| \[`(\w+)`\]", (DOCS / "gallery.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(rows) > 80
    for suffix, heading in (("", "Arguments"), (".zh", "参数")):
        gallery = (site / f"gallery{suffix}.html").read_text(encoding="utf-8")
        for name in (f"{row}{suffix}" for row in rows):
            page = (site / "gallery" / f"{name}.html").read_text(encoding="utf-8")
            assert f'src="{name}.svg"' in page and f'href="gallery/{name}.html"' in gallery
            assert f">{heading}<" in page and not (suffix and "the caller fills" in page)
            assert (site / "gallery" / f"{name}.svg").read_text(encoding="utf-8").startswith("<?xml")


def the_tutorial_shows_what_its_cells_have_shown(site: Path) -> None:
    for suffix in ("", ".zh"):
        page = (site / f"tutorial{suffix}.html").read_text(encoding="utf-8")
        assert page.count('class="shown"') > 8 and "<svg" in page and "error[EVT021]" in page
        assert f'href="testing{suffix}.html"' in page


def the_words_around_a_page_are_in_its_language(site: Path) -> None:
    for name, language, contents in (("types", "en", "Table of contents"), ("types.zh", "zh", "目录")):
        page = (site / f"{name}.html").read_text(encoding="utf-8")
        assert f'<html lang="{language}"' in page and f'aria-label="{contents}"' in page


def the_pages_around_a_page_are_in_its_language(site: Path) -> None:
    """The tabs, the first page behind the logo, the pages before and after, and the same page in the other language."""
    tabs = {
        "": ["Start", "How to", "Reference", "Explanation", "Evidence"],
        ".zh": ["入门", "使用方法", "参考", "原理", "依据"],
    }
    first = {"": "index", ".zh": "README.zh"}
    found = {}
    for path in ("", "gallery/"):
        for suffix, other in (("", ".zh"), (".zh", "")):
            name = "swiglu" if path else "inductor"
            page = (site / f"{path}{name}{suffix}.html").read_text(encoding="utf-8")
            back = "../" if path else ""
            links = re.findall(r'<a href="([^"]*)" class="md-tabs__link">\s*(.*?)\s*</a>', page, re.DOTALL)
            assert [text for _, text in links] == tabs[suffix]
            assert {".zh." in link for link, _ in links} == {bool(suffix)}
            assert f'<a href="{back}{first[suffix]}.html" title="evtgen" class="md-header__button md-logo"' in page
            assert f'<a href="{name}{other}.html" hreflang' in page
            found[path, suffix] = re.findall(r'href="([^"]*)" class="md-footer__link', page)
    assert found["", ""] == ["samples.html", "field.html"] and found["", ".zh"] == ["samples.zh.html"]
    index = (site / "sabotage.html").read_text(encoding="utf-8")
    assert re.findall(r'href="([^"]*)" class="md-footer__link', index) == ["field.html"]
    assert '<a href="README.zh.html" hreflang="zh"' in index


def nothing_is_fetched_from_elsewhere(site: Path) -> None:
    """Links to other sites are; scripts, styles, fonts and pictures are not."""
    pages = list(site.rglob("*.html"))
    assert len(pages) > len(list(DOCS.glob("*.md")))
    for page in pages:
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"<(?:script|img|iframe|source)[^>]* src=\"?(?:https?:)?//", text), page
        assert not re.search(r"<link[^>]* href=\"?(?:https?:)?//", text), page
    assert not any(re.search(r"url\(\s*[\"']?(?:https?:)?//", css.read_text()) for css in site.rglob("*.css"))
