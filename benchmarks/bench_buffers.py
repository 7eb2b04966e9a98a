"""How much at once: the buffers and tiles that evtgen chooses, against an exhaustive search on the clock. Aim: 1.03.

The search has one to six buffers, with tiles as long as fit, and sub-blocks in one to eight tiles. Their number is set
at run time, by a line that takes the place of the block epilogue's own. ``EVTGEN_GALLERY`` names the epilogues to
search for, separated by commas, in place of six of different kinds; ``all`` of the gallery take half an hour.
"""

from __future__ import annotations

import os
import statistics
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from evtgen.emit.framework import Framework
from evtgen.emit.render import header_files
from evtgen.frontend.load import load
from evtgen.graph.ir import Epilogue
from evtgen.graph.shapes import Shape
from evtgen.model.programs import Compilation, require_programs
from evtgen.model.toolchain import Program
from evtgen.planner.plan import Plan, lower

from . import clock
from .bench_gallery import SPECS

VARIABLE = "EVTGEN_GALLERY"
NAMES = "bias_relu,bias_gelu,dequant_per_channel,bias_gradient,dropout,softmax_max"
SHAPES: tuple[Shape, ...] = ((87, 198, 40), (256, 512, 1024), (1024, 4096, 64), (4096, 4096, 128))
BUFFERS = (1, 2, 3, 4, 5, 6)
TILES = (1, 2, 3, 4, 5, 6, 8)

AIM = 1.03

BLOCK_EPILOGUE = "catlass/epilogue/block/block_epilogue_visitor.hpp"
OWN = "uint32_t wanted = "
"""Of whole rows and of whole columns: the line that says into how many tiles a sub-block is split, if not too few."""


def run() -> Iterator[str]:
    """Each epilogue: what is chosen, and its cycles over those of the best that was found, at each shape."""
    wanted = os.environ.get(VARIABLE, NAMES).split(",")
    gallery = {e.name: e for path in SPECS for e in load([path])}
    if unknown := set(wanted) - {"all", *gallery}:
        raise SystemExit(f"{VARIABLE}: not in the gallery: {', '.join(sorted(unknown))}")
    epilogues = list(gallery.values()) if wanted == ["all"] else [gallery[name] for name in wanted]
    ratios = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for epilogue, cells in zip(epilogues, pool.map(search, epilogues), strict=True):
            plan = lower(epilogue)
            ratios += [chosen / best for chosen, best in cells]
            row = "  ".join(f"{chosen:7,} / {best:7,} {chosen / best:.3f}" for chosen, best in cells)
            yield f"{plan.name:24} {plan.buffers} x {plan.compute_length:6}  {row}"
    near = sum(ratio <= AIM for ratio in ratios)
    yield (
        f"{near} of {len(ratios)} within {AIM}; mean {statistics.mean(ratios):.4f}, "
        f"median {statistics.median(ratios):.3f}, worst {max(ratios):.3f}"
    )


def search(epilogue: Epilogue) -> list[tuple[int, int]]:
    """At each shape the cycles of what is chosen, and the least that was found."""
    chosen = lower(epilogue)
    programs = {}
    for buffers in BUFFERS:
        plan = lower(replace(epilogue, buffers=buffers))
        if plan.compute_length:
            programs[buffers] = plan, _program(plan)
    found = []
    for shape in SHAPES:
        cycles = {
            (buffers, tiles): clock.cycles(program, plan, shape, {"EVTGEN_TILES": str(tiles)})
            for buffers, (plan, program) in programs.items()
            for tiles in TILES
        }
        plan, program = programs[chosen.buffers]
        own = clock.cycles(program, plan, shape)
        found.append((own, min(own, *cycles.values())))
    return found


def _program(plan: Plan) -> Program:
    """Its program, with a block epilogue that takes the number of tiles from the environment."""
    headers = header_files([plan], Framework())
    text = headers[BLOCK_EPILOGUE]
    assert text.count(OWN) == 2
    given = f'char const* tiles = std::getenv("EVTGEN_TILES");\n{OWN}tiles ? std::atoi(tiles) : '
    headers[BLOCK_EPILOGUE] = "#include <cstdlib>\n" + text.replace(OWN, given)
    with tempfile.TemporaryDirectory() as directory:
        for name, header in headers.items():
            path = Path(directory, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(header)
        return require_programs([plan], Compilation(headers=Path(directory)))[plan.name]
