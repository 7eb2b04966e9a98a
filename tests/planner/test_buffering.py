"""How much at once: each term of the formula decides somewhere, and the clock agrees."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from benchmarks import clock
from evtgen.check import check
from evtgen.frontend.load import load
from evtgen.graph.ir import Epilogue, Gemm, TreeVisitor, flatten
from evtgen.graph.types import ElementType, float32, half
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Compute
from evtgen.passes.analysis.gemm import chosen
from evtgen.passes.manager import run_passes
from evtgen.planner.buffering import Work, buffered
from evtgen.planner.cut import grain, tile_shape
from evtgen.planner.plan import lower
from evtgen.planner.tile import ub_map
from evtgen.reference.tiles import tiles
from evtgen.targets import ARCHITECTURES

from ..support.graphs import random_epilogue

GALLERY = Path(__file__).parents[2] / "examples" / "gallery"
A2 = ARCHITECTURES["AtlasA2"]
WORK = Work(accumulator=2, loaded=2, stored=2, start=100, compute=0.02, stores_loaded=False)


def of_gallery(name: str) -> Epilogue:
    return next(e for path in sorted(GALLERY.glob("*.py")) for e in load([path]) if e.name == name)


def test_the_slowest_pipe_decides_with_many_buffers() -> None:
    length = 8192
    through = A2.costs["globalBytes"] / (A2.cube_cores * A2.vector_cores)
    assert WORK.cycles(length, 6, A2) == pytest.approx(length * 4 / through)
    assert replace(WORK, compute=1.0).cycles(length, 6, A2) == 100 + length
    assert replace(WORK, loaded=0, stored=0, accumulator=16).cycles(length, 6, A2) == pytest.approx(
        A2.costs["copyStartup"] + length * 160 / A2.costs["ubIn10"]
    )


def test_one_buffer_waits_for_all_that_holds_it() -> None:
    length, quick = 1024, replace(WORK, compute=0.5)
    latency = A2.costs["loadLatency"]
    alone, shared = quick.cycles(length, 1, A2), quick.cycles(length, 2, A2)
    assert alone > latency + 100 + length * 0.5 and shared == pytest.approx(max(alone / 2, 100 + length * 0.5))
    assert replace(quick, stores_loaded=True).cycles(length, 1, A2) > alone + A2.costs["storeLatency"]


@pytest.mark.cxx
@pytest.mark.parametrize(
    ("name", "buffers"),
    [
        pytest.param("bias_gelu", 2, id="V works all the time"),
        pytest.param("alpha_beta", 3, id="global memory works all the time, unevenly"),
        pytest.param("quant_per_tensor", 3, id="two tiles do not cover the latencies"),
        pytest.param("bias_gradient", 4, id="a store reads what is loaded"),
    ],
)
def test_the_clock_agrees(name: str, buffers: int) -> None:
    """At 1024 x 2048 x 64 no number of buffers is more than 3 % faster on the clock than the one that is chosen."""
    epilogue = of_gallery(name)
    assert lower(epilogue).buffers == buffers
    plans = {count: lower(replace(epilogue, buffers=count)) for count in (2, 3, 4)}
    cycles = {
        count: clock.cycles(clock.programs([plan])[name], plan, (1024, 2048, 64)) for count, plan in plans.items()
    }
    assert cycles[buffers] <= 1.03 * min(cycles.values()), cycles


@pytest.mark.parametrize("T", [half, float32])
def test_what_is_stored_as_it_is_loaded_has_three_buffers(T: ElementType) -> None:
    assert lower(Epilogue("copy", TreeVisitor(AuxStore("D", T), AccLoad(T)))).buffers == 3


@pytest.mark.parametrize("seed", range(60))
def test_what_is_chosen_fits(seed: int) -> None:
    epilogue = random_epilogue(seed)
    plan = lower(replace(epilogue, buffers="auto", compute_length="auto"))
    assert 1 <= plan.buffers <= A2.event_ids and plan.compute_length > 0
    assert plan.ub_used <= plan.ub_limit
    # What was given is kept; the length is the longest then too.
    assert lower(replace(epilogue, buffers=plan.buffers, compute_length="auto")).compute_length == plan.compute_length


def chain(count: int) -> Epilogue:
    """So many loads alive at once."""
    loads = [AuxLoad(f"X{i}", float32) for i in range(count)]
    return Epilogue("chain", TreeVisitor(AuxStore("D", float32), TreeVisitor(Compute("Plus", float32), *loads)))


@pytest.mark.parametrize("count", [10, 740, 1468])
def test_two_buffers_or_more_where_two_fit(count: int) -> None:
    plan = lower(chain(count))
    two = ub_map(plan.ub.plan, [node for _, node in plan.nodes()], 32, 2).used <= plan.ub_limit
    assert (plan.buffers == 1) == (not two)


@pytest.mark.slow
def test_nothing_fits() -> None:
    epilogue = run_passes(chain(1500))
    steps = flatten(epilogue.root)
    gemm = chosen(epilogue.gemm, float32, A2)

    def least(**options: Any) -> tuple[int, int]:
        ub, length, *_ = buffered(replace(epilogue, gemm=gemm, **options), steps, A2, A2.ub_usable)
        assert ub.used > A2.ub_usable
        return ub.buffers, length

    assert least() == (1, 0)
    assert least(compute_length=64) == (2, 64)
    assert least(buffers=3) == (3, 0)


def test_a_given_length_takes_as_many_buffers_as_fit() -> None:
    store = TreeVisitor(AuxStore("D", half), TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half)))
    assert [d.code for d in check(Epilogue("e", store, compute_length=24000))] == ["EVT054"]
    assert not check(Epilogue("e", store, compute_length=24000, buffers=1))
    assert lower(Epilogue("e", store, compute_length=15488)).buffers == 2
    assert lower(Epilogue("e", store, compute_length=128)).buffers > 2


@pytest.mark.parametrize("l1", [(128, 256), (128, 128), (64, 128), (32, 64), (512, 16)])
@pytest.mark.parametrize("length", [96, 2048, 15488])
def test_the_formula_counts_the_tiles_that_are_cut(l1: tuple[int, int], length: int) -> None:
    """Those of the reference, which the model's runs are compared with."""
    m, n = l1
    store = TreeVisitor(AuxStore("D", half), AccLoad(half))
    gemm = Gemm(l1=(m, n, 64), l0=(m, n, 16))
    for buffers in (1, 2, 3, 6):
        plan = lower(Epilogue("e", store, compute_length=length, buffers=buffers, gemm=gemm))
        height, width = tile_shape(m // 2, n, length, buffers, grain(node for _, node in plan.nodes()))
        assert 2 * -(-m // 2 // height) * -(-n // width) == len(list(tiles(plan, m, n)))


def test_no_more_buffers_than_tiles() -> None:
    """A sub-block of 1024 elements is one tile, whatever the number of buffers."""
    add = TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half))
    gemm = Gemm(l1=(32, 64, 64), l0=(32, 64, 16))
    assert lower(Epilogue("e", TreeVisitor(AuxStore("D", half), add), gemm=gemm)).buffers <= 4
