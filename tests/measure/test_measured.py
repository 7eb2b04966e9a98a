"""What a device took: the files of the profilers are read, and laid beside the clock."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import evtgen as evt
from evtgen.frontend.load import load
from evtgen.measure.measured import Measured, read
from evtgen.measure.profile import Profile
from evtgen.measure.timing import Timing
from evtgen.pipeline import profile as profiling
from evtgen.pipeline.explain import describe
from evtgen.pipeline.report import Subject
from evtgen.planner.plan import lower
from evtgen.report.page.sections import measured as section

from ..support.paths import EXAMPLES
from ..support.said import refused

VECTOR = {"V": 0.1, "MTE2": 0.2}
CLOCK = Timing(18_500, 0, {"AIC": {"FIX": 0.9}, "AIV": VECTOR}, 0.0, 24_050, 1850, {}, [])
"""10 us, of a kernel with the default policy: FIX stands for whole blocks of the matmul."""
AHEAD = replace(CLOCK, busy={"AIC": {"M": 0.5, "MTE2": 0.9, "FIX": 0.1}, "AIV": VECTOR})
"""The same, of one that loads ahead."""

SUMMARY = """\
Op Name,OP Type,Task Duration(us),aicore_time(us),aic_mac_time(us),aic_mte2_time(us),aiv_time(us),aiv_vec_time(us),\
aiv_mte2_time(us),aic_fixpipe_time(us)
my_ops_add_mix_aic,KERNEL,30,11,5,9,12,1,6,7
my_ops_add_mix_aic,KERNEL,90,31,5,9,12,1,6,7
my_ops_add_mix_aic,KERNEL,20,10,5,9,12,1,6,7
my_ops_add_more_mix_aic,KERNEL,7,1,1,1,1,1,1,1
aclnnAdd,Add,4,N/A,N/A,N/A,3,1,1,N/A
"""
CORES = """\
block_id,sub_block_id,aic_time(us),aic_cube_time(us),aic_mte2_time(us),aiv_time(us),aiv_vec_time(us),aiv_mte2_time(us)
0,cube0,11,4,9,NA,NA,NA
0,vector0,NA,NA,NA,10,1,6
0,vector1,NA,NA,NA,14,1,6
1,cube0,11,6,9,NA,NA,NA
"""
BASIC = "Op Name,Op Type,Task Duration(μs),Block Dim\nmy_ops_add_mix_aic,mix,30,20\n"


def file(at: Path, text: str, name: str = "op_summary_0.csv") -> Path:
    (at / name).write_text(text, encoding="utf-8-sig")
    return at / name


@pytest.mark.parametrize("of", ["summary", "details", "cores"])
def test_the_files_of_three_profilers(tmp_path: Path, of: str) -> None:
    if of == "cores":
        file(tmp_path, BASIC, "OpBasicInfo.csv")
        path = file(tmp_path, CORES, "PipeUtilization.csv")
    else:
        text = SUMMARY if of == "summary" else SUMMARY.replace("Op Name", "Name").replace("Task Duration", "Duration")
        path = file(tmp_path, text)
    found = read(path, "add")
    assert (found.kernel, found.launches) == ("my_ops_add_mix_aic", 1 if of == "cores" else 3)
    assert found.task == 30 and found.times["AIC", ""] == 11 and found.times["AIC", "M"] == 5
    whole = {("AIC", ""): (11, 10), ("AIV", ""): (12, 10), ("AIV", "MTE2"): (6, 2), ("AIV", "V"): (1, 1)}
    for clock, cube in ((CLOCK, {}), (AHEAD, {"MTE2": (9, 9), "M": (5, 5)})):
        both = {(one.core, one.pipe): (one.measured, one.modelled) for one in found.beside(clock)}
        assert both == whole | {("AIC", pipe): times for pipe, times in cube.items()}
        assert found.in_blocks(clock) == (clock is CLOCK)
        assert found.to_json(clock)["parts"] == ["AIV MTE2"]


def test_the_exact_name_comes_first(tmp_path: Path) -> None:
    numbered = SUMMARY.replace("my_ops_add_more", "my_ops_add_2")
    assert read(file(tmp_path, numbered), "add").kernel == "my_ops_add_mix_aic"
    assert read(file(tmp_path, numbered), "add_2").kernel == "my_ops_add_2_mix_aic"
    assert read(file(tmp_path, SUMMARY.replace("my_ops_add_mix", "my_ops_add_0_mix")), "add").launches == 3


@pytest.mark.parametrize(
    ("text", "name", "said"),
    [
        ("", "add", "cannot be read … no rows"),
        ("a,b\n1,2\n", "add", "lacks columns: aic_mac_time(us)"),
        (SUMMARY.replace("Op Name", "Who"), "add", "lacks columns: Op Name"),
        (SUMMARY.replace("Task Duration", "Other"), "add", "lacks columns: Task Duration"),
        (SUMMARY, "mul", "no kernel of mul; it has my_ops_add_mix_aic, my_ops_add_more_mix_aic, aclnnAdd"),
        (SUMMARY.replace("aclnnAdd", "other_add_mix_aiv"), "add", "several kernels of add"),
        (SUMMARY.replace(",30,11,", ",30,soon,"), "add", "'soon' … time"),
        (SUMMARY.replace(",30,11,", ",30,-1,"), "add", "'-1' … time"),
    ],
)
def test_what_is_none_is_refused(tmp_path: Path, text: str, name: str, said: str) -> None:
    with refused("EVT299", said):
        read(file(tmp_path, text), name)


def test_no_file_and_the_files_of_another_kernel(tmp_path: Path) -> None:
    with refused("EVT299", "cannot be read"):
        read(tmp_path, "add")
    (tmp_path / "binary.csv").write_bytes(b"\xff\xfe\x00")
    with refused("EVT299", "cannot be read"):
        read(tmp_path / "binary.csv", "add")
    path = file(tmp_path, CORES, "PipeUtilization.csv")
    assert read(path, "mul") == Measured("", 1, None, read(path, "add").times), "nothing says which kernel it is"
    file(tmp_path, BASIC, "OpBasicInfo.csv")
    with refused("EVT299", "no kernel of mul"):
        read(path, "mul")


def test_a_profile_its_text_and_the_report_have_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (add,) = load(EXAMPLES[:1])
    path = file(tmp_path, SUMMARY.replace("my_ops_add_mix", f"my_ops_{add.name}_mix"))

    def profiled(plans: Any, options: Any, progress: Any = None) -> list[Profile]:
        return [Profile(**vars(CLOCK), epilogue=plan.name, shape=(16, 16, 16), buffers=plan.buffers,
                        compute_length=1, trace=[]) for plan in plans]  # fmt: skip

    monkeypatch.setattr(profiling, "profile_plans", profiled)
    found = evt.profile(add, measured=path, shape=(16, 16, 16))
    (one,) = found
    assert one.measured is not None and one.buffers == lower(add).buffers
    text = " ".join(str(found).split())
    assert (
        "AIV MTE2" in text and "They part in AIV MTE2 (-4.0 us)." in text and "the median of its launches (3)" in text
    )
    assert f"By its name it is taken for {add.name}." in text and "block of the matmul as a whole" in text
    assert json.loads(json.dumps(one.to_json()))["measured"]["parts"] == ["AIV MTE2"]
    plan = lower(add)
    subject = Subject(plan, (plan,), describe(plan), {}, (one,))
    fragment = section.section(subject)
    assert fragment is not None and "AIV MTE2" in fragment.html and "+0%" in fragment.html
    assert section.section(Subject(plan, (plan,), describe(plan), {})) is None
    with refused("EVT079", "one shape"):
        evt.profile(add, measured=path, shapes=[(16, 16, 16), (32, 16, 16)])
    with refused("EVT299", "no kernel"):
        evt.profile(add, measured=file(tmp_path, SUMMARY), shape=(16, 16, 16))
