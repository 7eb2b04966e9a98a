"""Programs written with TPipe and TQue: their results, their overlap in time, and what their types refuse."""

import re
from pathlib import Path
from typing import Any

import pytest

from ..support.machine import report_of

pytestmark = pytest.mark.cxx

PROGRAMS = re.findall(r'^    \{"(\w+)",', (Path(__file__).parent / "queues.cpp").read_text(), re.M)
SCHEDULES = ["recorded", "late", "random:1", "random:2", "random:3", "random:4"]


@pytest.mark.parametrize("arch", [2201, 3510])
@pytest.mark.parametrize("program", PROGRAMS)
def test_programs_have_the_results_of_plain_loops_in_every_order(
    build: Any, tmp_path: Path, program: str, arch: int
) -> None:
    for schedule in SCHEDULES:
        report = report_of(
            build("queues", arch), program, report=tmp_path / "r.json",
            EVTGEN_MODEL_STRICT="1", EVTGEN_MODEL_SCHEDULE=schedule,
        )  # fmt: skip
        assert report["hazards"] == [], schedule
        assert report["stats"]["launches"], schedule


def test_double_buffering_overlaps_copies_with_computation(build: Any, tmp_path: Path) -> None:
    cycles = {}
    for buffers in (1, 2, 4):
        report = report_of(build("queues"), f"add_1_{buffers}", report=tmp_path / "r.json")
        cycles[buffers] = report["stats"]["launches"][0]["makespan"]
    assert cycles[2] < 0.7 * cycles[1]
    assert cycles[4] < 0.9 * cycles[2]


REFUSED = {
    "a queue of depth 0 takes AllocTensor(tensor)": "TQue<TPosition::VECIN, 0> q; q.AllocTensor<float>();",
    "AllocTensor(tensor) is for queues of depth 0": "TQue<TPosition::VECIN, 1> q; q.AllocTensor(t);",
    "a queue of depth 0 takes DeQue(tensor)": "TQue<TPosition::VECIN, 0> q; q.DeQue<float>();",
    "DeQue(tensor) is for queues of depth 0": "TQue<TPosition::VECIN, 1> q; q.DeQue(t);",
    "VacantInQue is not for queues of depth 0": "TQue<TPosition::VECIN, 0> q; q.VacantInQue();",
    "HasIdleBuffer is not for queues of depth 0": "TQue<TPosition::VECIN, 0> q; q.HasIdleBuffer();",
    "FreeAllEvent is not for queues of depth 0": "TQue<TPosition::VECIN, 0> q; q.FreeAllEvent();",
    "queues have no such position": "TQue<TPosition::VECCALC, 1> q; (void)q;",
    "no flag orders this pair of positions": "TQueBind<TPosition::CO2, TPosition::GM, 1> q; (void)q;",
    "the CPU model has no TSCM": "TQueBind<TPosition::GM, TPosition::TSCM, 1> q; (void)q;",
    "GM to GM is no path": (
        "TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> q; q.EnQue<TPosition::GM, TPosition::GM>(t);"
    ),
    "EnQue and DeQue take positions in UB": (
        "TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> q; q.EnQue<TPosition::A1, TPosition::VECIN>(t);"
    ),
    "a TBuf takes one length": "TBuf<TPosition::VECCALC> b; p.InitBuffer(b, 2, 64);",
    "a pool lies in UB or L1": "TBufPool<TPosition::A2> pool; (void)pool;",
    "the queue lies elsewhere": (
        "TBufPool<TPosition::VECCALC> pool; TQue<TPosition::A1, 1> q; pool.InitBuffer(q, 1, 64);"
    ),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refused_at_compile_time(build: Any, message: str) -> None:
    body = f"TPipe p; LocalTensor<float> t; (void)p, (void)t; {REFUSED[message]}"
    source = f'#include "kernel_operator.h"\nusing namespace AscendC;\nvoid F() {{ {body} }}\n'
    assert message in build.refuses(source)
