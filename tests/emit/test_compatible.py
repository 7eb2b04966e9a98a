"""Programs and operators that were written for another visitor framework, on the emitted one."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import numpy as np
import pytest

from evtgen.emit.framework import Framework
from evtgen.emit.render import framework_files
from evtgen.model.toolchain import compile_program, find_compiler

from ..support.cpp import INCLUDES

pytestmark = pytest.mark.cxx

MAIN = Path(__file__).with_name("compatible.cpp").read_text(encoding="utf-8")
REPLACES = Framework(replaces=True)
FLAGS = ("-DCATLASS_ARCH=2201",)


def output(headers: dict[str, str], tmp_path: Path, *flags: str) -> tuple[int, str, list[str]]:
    """The exit status, what the program prints, and the codes of the model's findings."""
    program = compile_program(find_compiler(), MAIN, headers, extra_flags=(*FLAGS, *flags), system=INCLUDES).path
    report = tmp_path / "report.json"
    settings = {**os.environ, "EVTGEN_MODEL_REPORT": str(report), "EVTGEN_MODEL_STRICT": "1"}
    done = subprocess.run([program], env=settings, check=False, capture_output=True, text=True)
    codes = [hazard["code"] for hazard in json.loads(report.read_text())["hazards"]]
    return done.returncode, done.stdout, codes


def test_runs_and_is_clean(tmp_path: Path) -> None:
    assert output(framework_files(REPLACES), tmp_path) == (0, "", [])


def test_without_the_last_barrier_the_second_epilogue_sets_flags_too_early(tmp_path: Path) -> None:
    headers = framework_files(REPLACES)
    path = "catlass/epilogue/block/block_epilogue_visitor.hpp"
    barrier = "sets these flags again\n        AscendC::PipeBarrier<PIPE_ALL>();\n"
    assert headers[path].count(barrier) == 1
    headers[path] = headers[path].replace(barrier, "\n")
    assert set(output(headers, tmp_path)[2]) == {"EVT139"}


def test_each_node_dumps_its_tiles(tmp_path: Path) -> None:
    status, text, codes = output(framework_files(REPLACES), tmp_path, "-DCATLASS_EVT_DUMP", "-Werror")
    assert (status, codes) == (0, [])
    i = np.arange(96 * 256).reshape(96, 256)
    c, x = i % 7, i % 11
    values = {0: c, 1: x, 2: c + x, 3: x, 4: (c + x) * x, 5: c, 6: (c + x) * x - c}
    names = {0: "VisitorAccLoad", 1: "VisitorAuxLoad", 2: "VisitorCompute", 3: "VisitorAuxLoad", 4: "TimesX"}
    seen = {number: np.full(i.shape, np.nan) for number in values}
    tile = r"^node (\d+), block 0, tile \((\d+), (\d+)\) of (\d+) x (\d+): .*Node = (.*)\n"
    row = r"DumpTensor: desc=(\d+), .*data_type=float32, position=UB, dump_size=(\d+)\n\[(.*)\]\n"
    parts = re.split(tile, text, flags=re.MULTILINE)
    for at in range(1, len(parts), 7):
        number, first, column, rows, columns = map(int, parts[at : at + 5])
        assert names.get(number, "") in parts[at + 5]
        lines = re.findall(row, parts[at + 6])
        assert [(int(desc), int(size)) for desc, size, _ in lines] == [(number, columns)] * rows
        dumped = [[float(word) for word in words.split(", ")] for _, _, words in lines]
        seen[number][first : first + rows, column : column + columns] = dumped
    for number, expected in values.items():
        np.testing.assert_array_equal(seen[number], expected)


@pytest.mark.fast
@pytest.mark.parametrize("fw", [Framework(), Framework("Catlass::Epilogue::Evt", "catlass/epilogue/evt"), REPLACES])
def test_the_text_is_for_one_place(fw: Framework) -> None:
    """What only kernels of another framework take is there only in its place, and nothing asks which release it is."""
    text = "".join(framework_files(fw).values())
    assert "__has_include" not in text and "VisitorPolicies" not in text
    assert ("initialize_workspace" in text) == ("status.hpp" in text) == fw.replaces
    assert ("struct EpilogueAtlasA2Visitor" in text) == (fw == Framework())
