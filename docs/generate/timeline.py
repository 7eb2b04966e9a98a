"""A picture of the pipes of the first vector core, on the clock.

One panel per number of buffers, to the same scale; a colour is a tile, so it can be followed from pipe to pipe.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from evtgen.options import ProfileOptions
from evtgen.pipeline.profile import profile
from evtgen.pipeline.specs import load_and_check

SPEC = Path(__file__).parents[2] / "examples" / "33_cast_evt.py"
SHAPE = (1024, 4096, 64)

PIPES = (("MTE2", "load"), ("V", "compute"), ("MTE3", "store"))
COLOURS = ("#4e79a7", "#f28e2b", "#59a14f", "#b07aa1", "#e15759", "#76b7b2")
CYCLES = 12000
"""The cycles of the kernel that are shown."""

LEFT, WIDTH, ROW, GAP, PANEL = 110, 840, 26, 6, 140


def panels(events: list[dict[str, Any]]) -> list[tuple[str, int]]:
    """(title, process) of the first vector core of each profile."""
    found = []
    for event in events:
        if event["name"] == "process_name":
            core, _, title = event["args"]["name"].partition(", ")
            if core == "AIV 0.0":
                found.append((title, event["pid"]))
    return found


def bar(event: dict[str, Any], start: int, y: int) -> str:
    x = LEFT + (event["ts"] - start) * WIDTH / CYCLES
    width = min(event["dur"] * WIDTH / CYCLES, LEFT + WIDTH - x)
    tile = event["args"]["tile"]
    place = f'x="{x:.1f}" y="{y}" width="{max(width, 0.8):.1f}" height="{ROW}"'
    words = f"{event['name']}, {event['args']['buffer']}: {event['args']['call']}, {event['dur']} cycles"
    rect = f'<rect {place} fill="{COLOURS[tile % len(COLOURS)]}"><title>{words}</title></rect>'
    if width > 16:
        rect += f'<text x="{x + width / 2:.1f}" y="{y + 17}" class="tile">{tile}</text>'
    return rect


def panel(events: list[dict[str, Any]], title: str, process: int, top: int) -> list[str]:
    tracks = {e["args"]["name"]: e["tid"] for e in events if e["name"] == "thread_name" and e["pid"] == process}
    work = [e for e in events if e["pid"] == process and e["ph"] == "X" and "node" in e["args"]]
    start = min(e["ts"] for e in work)
    lines = [f'<text x="{LEFT}" y="{top + 12}" class="title">{title}</text>']
    for index, (pipe, stage) in enumerate(PIPES):
        y = top + 22 + index * (ROW + GAP)
        lines.append(f'<rect x="{LEFT}" y="{y}" width="{WIDTH}" height="{ROW}" fill="#eeeeee"/>')
        lines.append(f'<text x="{LEFT - 8}" y="{y + 17}" class="pipe">{pipe} ({stage})</text>')
        shown = [e for e in work if e["tid"] == tracks[pipe] and e["ts"] < start + CYCLES]
        lines += [bar(e, start, y) for e in shown]
    return lines


def picture(events: list[dict[str, Any]]) -> str:
    found = panels(events)
    height = len(found) * PANEL + 34
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + WIDTH + 10} {height}" font-family="sans-serif">',
        "<style>.title{font-size:14px;font-weight:bold}.pipe{font-size:12px;text-anchor:end}"
        ".tile{font-size:11px;fill:white;text-anchor:middle}.note{font-size:12px;fill:#555555}</style>",
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for index, (title, process) in enumerate(found):
        lines += panel(events, title, process, 6 + index * PANEL)
    note = f"The first {CYCLES:,} cycles of one vector core, by the CPU model's table of costs; not a measurement. "
    lines.append(f'<text x="{LEFT}" y="{height - 14}" class="note">{note}A number is a tile.</text>')
    return "\n".join([*lines, "</svg>", ""])


def write(directory: Path) -> None:
    """Profile an example with one buffer and with two, and draw both."""
    with tempfile.TemporaryDirectory() as scratch:
        trace = Path(scratch) / "trace.json"
        profile(load_and_check([SPEC]), ProfileOptions(shape=SHAPE, buffers=(1, 2), trace=trace))
        events = json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    (directory / "timeline.svg").write_text(picture(events), encoding="utf-8")
