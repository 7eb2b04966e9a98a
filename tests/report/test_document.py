"""The page: whole, linked, escaped, small, and in need of nothing else."""

from __future__ import annotations

import re
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest

import evtgen as evt
from evtgen.frontend.load import load
from evtgen.options import ReportOptions
from evtgen.pipeline.report import Subject, plain_matmul, subjects
from evtgen.pipeline.specs import check_given
from evtgen.planner.plan import Plan, lower
from evtgen.report.page import sections as sections_package
from evtgen.report.page.document import page
from evtgen.report.page.html import VOID, data, join, table, tabs, tag
from evtgen.report.page.sections import SECTIONS
from evtgen.report.page.sections.header import code
from evtgen.report.page.sections.ub import ub_map

from ..support.paths import CHECKOUT


class Read(HTMLParser):
    """The elements of a page; an end that fits no start is an error."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: Counter[str] = Counter()
        self.links: set[str] = set()
        self.loaded: list[str] = []
        self.text: list[str] = []
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.ids.update([found["id"] or ""] if "id" in found else [])
        self.links.update([found["href"] or ""] if tag == "a" else [])
        self.loaded += [f"{tag} {name}" for name in ("src", "srcset", "data", "action") if name in found]
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


@pytest.fixture(scope="module")
def found() -> list[Subject]:
    gallery = CHECKOUT / "examples" / "gallery"
    chosen = [e for e in load([gallery / "rows.py", gallery / "experts.py"]) if e.name in ("layer_norm", "adapters")]
    return subjects(check_given(chosen), ReportOptions(run=False))


@pytest.fixture(scope="module")
def text(found: list[Subject]) -> str:
    return page(found)


def test_the_page_is_whole(text: str, found: list[Subject]) -> None:
    read = Read(text)
    assert {name: count for name, count in read.ids.items() if count > 1} == {}
    assert {link for link in read.links if not link.startswith("#") or link[1:] not in read.ids} == set()
    for subject in found:
        assert f"#{subject.name}" in read.links
        assert {subject.id("graph"), subject.id("arguments"), subject.id("ub"), subject.id("header")} <= set(read.ids)


def test_the_page_needs_nothing_else(text: str) -> None:
    assert set(re.findall(r"[a-z]+://[^\s\"'<]*", text)) == {"http://www.w3.org/2000/svg"}
    assert Read(text).loaded == []
    assert "url(" not in text and "@import" not in text and "fetch(" not in text
    # A section gives an element what differs from one to the next, in its style.
    sections = "".join(path.read_text() for path in Path(sections_package.__file__).parent.glob("*.py"))
    assert set(re.findall(r"var\((--[\w-]+)", text)) <= set(re.findall(r"(--[\w-]+)(?=:|\")", text + sections))


def test_the_page_is_small(text: str, found: list[Subject]) -> None:
    assert len(text.encode()) < 300_000 * len(found)


def test_the_page_is_the_same_again(text: str, found: list[Subject]) -> None:
    assert page(found) == text


def test_what_was_not_run_is_said(text: str) -> None:
    said = " ".join(Read(text).text)
    # Right, hazards and time, of two epilogues, in their cards and in the table of all.
    assert said.count("not run") == 12


def test_every_section_has_its_own_anchor(found: list[Subject]) -> None:
    anchors = [fragment.anchor for section in SECTIONS if (fragment := section(found[0])) is not None]
    assert len(set(anchors)) == len(anchors) and all(re.fullmatch("[a-z]+", anchor) for anchor in anchors)


def test_the_arguments_are_in_the_order_of_the_header(text: str, found: list[Subject]) -> None:
    header = found[0].headers["layer_norm.hpp"]
    struct = header[header.index("struct Arguments {") : header.index("ToEvt()")]
    members = re.findall(r"^    [\w:]+ (\w+)\{", struct, re.MULTILINE)
    section = text[text.index('id="layer_norm-arguments"') : text.index('id="layer_norm-ub"')]
    assert re.findall(r"<tr><td><code>(\w+)</code></td>", section) == members


def test_the_header_is_shown_as_it_is(found: list[Subject]) -> None:
    header = found[0].headers["layer_norm.hpp"]
    made = code(header, "line")
    read = Read(made)
    assert "".join(read.text) == header.removesuffix("\n")
    assert list(read.ids) == [f"line-{number}" for number in range(1, header.count("\n") + 1)]


def test_the_map_of_ub_shows_every_part_in_its_place(found: list[Subject], text: str) -> None:
    (subject,) = (subject for subject in found if subject.name == "adapters")
    section = text[text.index('id="adapters-ub"') : text.index('id="adapters-kernel"')]
    assert section.count("<svg") == len(subject.plans) == 3
    for plan in subject.plans:
        ub = plan.ub
        for place in (place for place in ub.places() if place.buffer == 0):
            assert f"{plan.aliases[place.node]}, " in section
            assert f"{place.bytes:,} bytes from {place.first:,} on" in section
    assert f"{subject.plan.ub_used:,} of {subject.plan.ub_limit:,} used" in section


def test_the_accumulator_lies_at_the_start_of_ub() -> None:
    @evt.epilogue(arch="Ascend950", gemm=evt.Gemm(handoff="ub"))
    def resident(acc: evt.Acc[evt.float32]):
        return {"D": acc * 2.0}

    plan = lower(resident)
    bar = re.findall(r"<title>([^<]*): ([\d,]*) bytes</title><rect x=\"([\d.]*)\"", ub_map(plan))
    names, counts, places = zip(*bar, strict=True)
    assert names == ("the accumulator", *(f"buffer {number}" for number in range(plan.buffers)), "free")
    assert sum(int(count.replace(",", "")) for count in counts) == plan.arch.ub_usable
    assert sorted(places, key=float) == list(places)


def test_html_is_escaped() -> None:
    assert tag("p", "<b>", tag("i", "&"), None, 3, class_='a"b', hidden=True, id=None) == (
        '<p class="a&#34;b" hidden>&lt;b&gt;<i>&amp;</i>3</p>'
    )
    assert join(["<", tag("br")], by=" > ") == "&lt; &gt; <br>"
    assert data("x", {"a": "</script><!--"}).count("<") == 2
    assert "&lt;" in table(("<",), [("<",)])
    assert tabs("x", [("one", tag("p"))]) == "<p></p>"


def test_the_matmul_alone(plans: dict[str, Plan]) -> None:
    alone = plain_matmul(plans["experts_swiglu_quantize_per_token"])
    assert alone is not None and alone.accumulators == 2
    assert [tensor.name for tensor in alone.tensors] == ["C0", "C1"]
    assert all(plain_matmul(plan) is not None for plan in plans.values())


def test_assets_are_in_the_package() -> None:
    names = {path.suffix for path in (Path(__file__).parents[2] / "evtgen" / "report" / "page" / "assets").iterdir()}
    assert {".css", ".js", ".j2"} <= names


def test_a_page_from_python(tmp_path: Path) -> None:
    @evt.epilogue
    def scaled(acc: evt.Acc[evt.half]):
        return {"D": acc * 2.0}

    path = evt.report(scaled, tmp_path / "made", run=False)
    assert path == tmp_path / "made" / "index.html" and 'id="scaled-graph"' in path.read_text()
    path.write_text("mine")
    with pytest.raises(evt.EvtgenError, match="EVT080"):
        evt.report([scaled], tmp_path / "made", run=False)
    with pytest.raises(evt.EvtgenError, match="EVT202"):
        evt.report([], tmp_path, run=False)


def test_no_number_of_a_curve_lies_on_the_ticks() -> None:
    """Below the roof there is room for it, but not just above the axis."""
    from evtgen.report.page.sections.over_k import _figure

    roof, own = [(32.0, 100.0, ""), (512.0, 900.0, "")], [(32.0, 12.3, ""), (512.0, 189.0, "")]
    figure = str(_figure("", {"roof": roof, "own": own}, [32, 512]))
    assert re.findall(r'dy="([^"]*)">(12.3|189)<', figure) == [("-0.7em", "12.3"), ("1.6em", "189")]
