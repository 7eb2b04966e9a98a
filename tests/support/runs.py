"""Runs that nothing was compiled for: profiles of a made-up pipeline, and results of arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from evtgen.graph.types import float32, half
from evtgen.measure.over_k import OverK, Point
from evtgen.measure.profile import PhaseTiming, Profile
from evtgen.model.trace import Event
from evtgen.pipeline.report import Subject
from evtgen.reference import Enclosure
from evtgen.verify import Result
from evtgen.verify.compare import compare

PIPES = ("S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX")

LOAD, COMPUTE, STORE, BLOCK = 1000, 100, 500, 600
"""Cycles of the work on one tile, and of a block of the matmul; each result is there 50 cycles later."""

LATE = 50


def trace(name: str, buffers: int, tiles: int, scope: str = "") -> list[Event]:
    """One cube core and two vector cores. The cube core makes a block for all tiles; of each, a vector core loads X,
    adds, and stores D. A buffer is loaded again once V has read it."""
    cores = ("AIC 0", "AIV 0.0", "AIV 0.1")
    found: list[Event] = []
    for pid, core in enumerate(cores):
        words = f"{core}, {name}, {buffers} buffer{'s' * (buffers != 1)}"
        found.append({"ph": "M", "name": "process_name", "pid": pid, "args": {"name": words}})
        found += [
            {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": pipe}}
            for tid, pipe in enumerate(PIPES)
        ]
    found.append(slice_of(0, "FIX", "BlockMmad", 10, BLOCK, 10 + BLOCK + LATE))
    for pid in (1, 2):
        found += _vector_core(pid, buffers, tiles, scope, 10 * pid)
    return found


def _vector_core(pid: int, buffers: int, tiles: int, scope: str, late: int) -> Iterator[Event]:
    block = 10 + BLOCK + LATE
    yield slice_of(pid, "S", "CrossCoreWaitFlag", 5, block - 5, block, wait=True)
    free = [0] * buffers  # when V has read a buffer
    loads = adds = stores = block + late
    for tile in range(tiles):
        if free[tile % buffers] > loads:
            end = free[tile % buffers]
            yield slice_of(pid, "MTE2", "WaitFlag", loads, end - loads, end, wait=True, flag="V_MTE2 0")
            loads = end
        yield slice_of(pid, "MTE2", "DataCopyPad", loads, LOAD, loads + LOAD + LATE, node=f"{scope}AuxLoadX", tile=tile)
        loads += LOAD
        there = loads + LATE
        if there > adds:
            yield slice_of(pid, "V", "WaitFlag", adds, there - adds, there, wait=True, flag="MTE2_V 0")
            adds = there
        half_ = COMPUTE // 2
        for part in (0, half_):  # two calls that follow each other
            done = adds + part + half_ + (LATE if part else 0)
            yield slice_of(pid, "V", "Add", adds + part, half_, done, node=f"{scope}Plus", tile=tile)
        adds += COMPUTE
        free[tile % buffers] = there = adds + LATE
        if there > stores:
            yield slice_of(pid, "MTE3", "WaitFlag", stores, there - stores, there, wait=True, flag="V_MTE3 0")
            stores = there
        yield slice_of(pid, "MTE3", "DataCopyPad", stores, STORE, stores + STORE, node=f"{scope}AuxStoreD", tile=tile)
        stores += STORE


def slice_of(
    pid: int, pipe: str, call: str, begin: int, cycles: int, done: int, *, wait: bool = False, **args: Any
) -> Event:
    """An event as a profile has it: of core ``pid`` on ``pipe``."""
    name = f"{args['node']}, tile {args['tile']}" if "node" in args else call
    return {
        "ph": "X", "name": name, "cat": "wait" if wait else "work", "pid": pid, "tid": PIPES.index(pipe), "ts": begin,
        "dur": cycles,
        "args": {"done": done, "site": "copy_gm_to_ub.hpp:30", **args, **({"call": call} if "node" in args else {})},
    }  # fmt: skip


def profile(name: str, buffers: int, tiles: int = 4, phases: Sequence[PhaseTiming] = (), scope: str = "") -> Profile:
    """The profile of that pipeline; its causes and calls are made up."""
    events = trace(name, buffers, tiles, scope)
    cycles = max(event["args"]["done"] for event in events if event["ph"] == "X")
    causes = {
        "AIC": {"S": {"wait for the other core": 1.0}, "FIX": {"work": 0.25, "tail: other cores still work": 0.75}},
        "AIV": {
            "S": {"wait for the other core": 0.9, "issue by S": 0.1},
            "MTE2": {"transfer": 0.5, "bandwidth that other copies take": 0.3, "wait V_MTE2": 0.2},
            "V": {"wait MTE2_V": 0.8, "work": 0.15, "bank conflicts": 0.05},
            "MTE3": {"wait V_MTE3": 0.6, "transfer": 0.396, "start of copies": 0.004},
        },
    }
    calls = [
        _call("AIC", "FIX", "BlockMmad", "", BLOCK),
        _call("AIV", "MTE2", "DataCopyPad", f"{scope}AuxLoadX", 8000, shared_bandwidth=4000),
        _call("AIV", "V", "Add", f"{scope}Plus", 800, start=40),
    ]
    return Profile(
        cycles=cycles, bandwidth_bound=cycles // 2, busy={}, overlap=0.5, launch=24000, mhz=1850, causes=causes,
        calls=calls, epilogue=name, shape=(64, 512, 16), buffers=buffers, compute_length=4096, trace=events,
        phases=tuple(phases),
    )  # fmt: skip


def _call(core: str, pipe: str, call: str, node: str, busy: int, **lost: int) -> dict[str, Any]:
    """A line of the model's costs."""
    none = {"start": 0, "bank_conflicts": 0, "rows": 0, "shared_bandwidth": 0}
    where = {"file": "include/x.hpp", "line": 1, "count": 8, "waits": 0}
    return {"core": core, "pipe": pipe, "call": call, "node": node, "busy": busy, **where, **none, **lost}


def results(name: str) -> tuple[Result, ...]:
    """A run that is right, and one whose D is wrong in one element."""
    value = np.arange(1.0, 33.0, dtype=np.float16).reshape(4, 8)
    bounds = Enclosure(value, value - np.float16(0.25), value + np.float16(0.25))
    near = value.copy()
    near[1, 2] += np.float16(0.125)
    far = near.copy()
    far[3, 4] = 99
    exact = value.astype(np.float64) + 2.0**-9
    accumulator = compare("C", float32, value.astype(np.float32), Enclosure(value.astype(np.float32)), formula=exact)
    right = Result(name, (4, 8, 16), 64, 128, 256, instructions=1234, accumulator=accumulator)
    right.outputs = [compare("D", half, near, bounds, formula=exact)]
    wrong = replace(right, data="normal", outputs=[compare("D", half, far, bounds, formula=exact)])
    return right, wrong


def with_runs(subject: Subject, *, wrong: bool = False, phases: bool = False) -> Subject:
    """A subject as if it had been run."""
    spans = (
        PhaseTiming("phase1", 1, 4096, 10, 2000, {"V": 0.5}),
        PhaseTiming("phase2", 1, 2048, 2000, 4000, {"V": 0.002}),
    )
    many = [
        profile(subject.name, plan.buffers, phases=spans if phases else (), scope="phase1::" if phases else "")
        for plan in subject.plans
    ]
    found = results(subject.name)
    points = tuple(Point(k, 20.0 + k / 40, 20.0, 1 << 20 + k // 512, 1 << 20) for k in (16, 512, 2048))
    return replace(
        subject, profiles=tuple(many), plain=None, results=found if wrong else found[:1],
        over_k=OverK(points, 3e8, 1.6e6), tried={f"buffers={one.buffers}": one.cycles for one in many},
    )  # fmt: skip
