"""The CPU model against itself: every fault is found and no near miss is flagged; every result has numpy's bits."""

import itertools
import json
import os
import re
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from numpy.typing import NDArray

from evtgen.targets.tables import CALL_NAMES, read_table

from ..support.epilogues import FULL
from ..support.machine import report_of
from ..support.paths import DEVICE

HERE = Path(__file__).parent
CODES = dict(re.findall(r"EVT_FAULT\((EVT\d+), (\w+)", (DEVICE / "machine" / "faults.def").read_text()))


def cases(program: str) -> list[tuple[str, str, str]]:
    """The cases of a program of smallest programs: the program, the case, what it must find."""
    text = (HERE / f"{program}.cpp").read_text()
    found = re.findall(r'^(?:CASE|TILE|QUEUES|WORDS|HOST)(?:_ON)?\((\w+), "([\w ]+)"', text, re.M)
    return [(program, case, code) for case, code in found]


FAULTS = cases("faults") + cases("streams")
CASES = FAULTS + cases("hardware") + cases("ascend950")
NPU = {"ascend950": 3510}

Array = NDArray[Any]


@pytest.mark.core(reaches=lambda: {code for _, _, code in CASES})
@pytest.mark.parametrize(("program", "case", "code"), CASES)
def test_fault(build: Any, tmp_path: Path, program: str, case: str, code: str) -> None:
    status = int(code == "EVT144")  # the only fault that ends the program
    built = build(program, NPU.get(program, 2201))
    claimed = {"EVTGEN_MODEL_DETERMINISTIC": "1"} if code.endswith("EVT240") else {}
    report = report_of(built, case, report=tmp_path / "r.json", status=status, EVTGEN_MODEL_STRICT="1", **claimed)
    found = report["hazards"]
    if code.startswith("no "):
        assert found == []
        return
    mine = [hazard for hazard in found if hazard["code"] == code]
    assert mine, found
    for hazard in mine:
        assert hazard["severity"] == "error"
        assert hazard["count"] >= 1
        assert hazard["message"] and hazard["pipe"]
        for site in hazard["sites"]:
            here = site["file"].endswith((f"{program}.cpp", "cases.hpp")) and site["line"] > 0
            assert here or code in {"EVT111", "EVT244"}


def test_every_fault_has_a_case_and_a_near_miss() -> None:
    flagged = {code for _, _, code in FAULTS if not code.startswith("no ")}
    missed = {word for _, _, code in FAULTS if code.startswith("no ") for word in code.split()[1:]}
    assert flagged == missed == set(CODES)


@pytest.mark.parametrize("schedule", ["late", *(f"random:{seed}" for seed in range(1, 4 if FULL else 2))])
def test_near_misses_in_other_orders(build: Any, tmp_path: Path, schedule: str) -> None:
    for program, case, code in CASES:
        if code.startswith("no "):
            built = build(program, NPU.get(program, 2201))
            report = report_of(built, case, report=tmp_path / f"{case}.json", EVTGEN_MODEL_SCHEDULE=schedule)
            assert report["hazards"] == [], case


@pytest.mark.parametrize(
    ("case", "code"), [("vector_after_vector_raw", "EVT123"), ("scalar_reads_what_is_loaded", "EVT239")]
)
@pytest.mark.parametrize(("switch", "severity"), [("on", "warning"), ("off", "error")])
def test_an_order_that_the_compiler_inserts(
    build: Any, tmp_path: Path, case: str, code: str, switch: str, severity: str
) -> None:
    found = report_of(build("faults"), case, report=tmp_path / "r.json", EVTGEN_MODEL_AUTO_SYNC=switch)["hazards"]
    assert [(hazard["code"], hazard["severity"]) for hazard in found] == [(code, severity)]


def test_a_flag_that_the_compiler_inserts_holds_in_every_order(build: Any, tmp_path: Path) -> None:
    """No value comes too early, in whatever order the pipes run; where nothing is inserted it does."""
    for case in ("scalar_reads_what_is_loaded", "vector_reads_what_scalar_writes", "scalar_waits_across_a_load"):
        for order in ("late", "random:1", "random:2"):
            report = report_of(build("faults"), case, report=tmp_path / "r.json", EVTGEN_MODEL_SCHEDULE=order)
            assert {found["code"] for found in report["hazards"]} == {"EVT239"}, (case, order)
    report = report_of(
        build("faults"),
        "scalar_reads_what_is_loaded",
        report=tmp_path / "r.json",
        EVTGEN_MODEL_SCHEDULE="late",
        EVTGEN_MODEL_AUTO_SYNC="off",
    )
    assert "EVT107" in {found["code"] for found in report["hazards"]}


@pytest.mark.parametrize(
    ("case", "found"),
    [
        ("stored_beside_what_scalar_writes", {"EVT239"}),
        ("stored_beside_what_scalar_reads", {"EVT239"}),
        ("stored_beside_what_is_loaded_later", {"EVT120", "EVT239"}),
    ],
)
def test_a_flag_that_the_compiler_inserts_orders_whole_pipes(
    build: Any, tmp_path: Path, case: str, found: set[str]
) -> None:
    program = build("faults")
    both = {"EVT120", "EVT239"}
    for strict, switch, expected in (("0", "on", found), ("1", "on", both), ("0", "off", both)):
        report = report_of(
            program, case, report=tmp_path / "r.json", EVTGEN_MODEL_STRICT=strict, EVTGEN_MODEL_AUTO_SYNC=switch
        )
        assert {hazard["code"] for hazard in report["hazards"]} == expected


@pytest.mark.parametrize(("case", "found"), [("ub_reserved", []), ("ub_of_the_framework", ["EVT105"])])
def test_ub_that_calls_do_not_keep(build: Any, tmp_path: Path, case: str, found: list[str]) -> None:
    report = report_of(build("faults"), case, report=tmp_path / "r.json", EVTGEN_MODEL_RESERVED_UBUF="off")
    assert [hazard["code"] for hazard in report["hazards"]] == found


def test_a_meeting_names_both_numbers(build: Any, tmp_path: Path) -> None:
    found = report_of(build("faults"), "more_blocks_than_vector_cores_meet", report=tmp_path / "r.json")["hazards"]
    assert "41 blocks on a device that runs 40 at once" in found[0]["message"]


def test_ascend950_orders_vector_after_vector(build: Any, tmp_path: Path) -> None:
    program = build("faults", 3510)
    for case in ("vector_after_vector_raw", "vector_after_vector_war", "load_then_compute"):
        assert report_of(program, case, report=tmp_path / f"{case}.json", EVTGEN_MODEL_STRICT="1")["hazards"] == []
    found = report_of(program, "load_then_compute_unordered", report=tmp_path / "r.json")
    assert found["arch"] == "Ascend950"
    assert [hazard["code"] for hazard in found["hazards"]] == ["EVT120"]


def test_checks_off_says_nothing(build: Any, tmp_path: Path) -> None:
    report = report_of(build("faults"), "loads_overlap", report=tmp_path / "r.json", EVTGEN_MODEL_CHECKS="off")
    assert report["hazards"] == []
    assert report["stats"]["instructions"] == 3  # the two copies, and the barrier when the pipe ends


def test_a_report_to_a_device_leaves_it_in_its_place(build: Any, tmp_path: Path) -> None:
    link = tmp_path / "report"
    link.symlink_to(os.devnull)
    subprocess.run(
        [build("faults"), "loads_overlap"], env={**os.environ, "EVTGEN_MODEL_REPORT": str(link)}, check=False
    )
    assert [path.name for path in tmp_path.iterdir()] == ["report"] and link.is_symlink()


# ---- what must not compile

REFUSED = {
    "Add does not take": "Add(b, b, b, 16);",
    "Div does not take": "Div(i, i, i, 16);",
    "PipeBarrier<PIPE_S> does not exist": "PipeBarrier<PIPE_S>();",
    "this architecture does not have this mode": "CrossCoreSetFlag<4, PIPE_V>(0);",
    "Cast does not have this pair": "Cast(h, b, RoundMode::CAST_RINT, 16);",
    "atomics take": "SetAtomicAdd<uint8_t>();",
    "Gather": "AscendC::Gather(h, h, i, 0, 16);",  # a call the model does not have is named by the compiler
}
TENSORS = "LocalTensor<bfloat16_t> b; LocalTensor<int32_t> i; LocalTensor<half> h; (void)b, (void)i, (void)h;"


@pytest.mark.parametrize("message", REFUSED)
def test_refused_at_compile_time(build: Any, message: str) -> None:
    body = f"{TENSORS} {REFUSED[message]}"
    source = f'#include "kernel_operator.h"\nusing namespace AscendC;\nvoid F() {{ {body} }}\n'
    assert message in build.refuses(source)


# ---- exactness

ALL16 = np.arange(65536, dtype=np.uint16)
EDGES = np.array(
    [
        0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 65504, 65519, 65520, 65536, -65536, 1e-8, 6e-8, 3e38, np.inf, -np.inf,
        np.nan, 32767.5, -32768.5, 2147483647.0, -2147483648.0, 3e9, 127.5, 255.5, 1e-45, -1e-45,
    ],
    np.float32,
)  # fmt: skip


def same_bits(got: Array, want: Array) -> None:
    """Equal bit for bit; any NaN equals any NaN."""
    nan = np.isnan(want.astype(np.float32))
    unsigned = np.dtype(f"u{want.itemsize}")
    different = (got.view(unsigned) != want.view(unsigned)) & ~(nan & np.isnan(got.astype(np.float32)))
    assert not different.any(), (np.flatnonzero(different)[:5], got[different][:5], want[different][:5])


def run_exact(program: Path, tmp_path: Path, arguments: list[str], inputs: list[Array], dtype: Any) -> Array:
    for index, values in enumerate(inputs):
        (tmp_path / f"{index}.bin").write_bytes(values.tobytes())
    files = [str(tmp_path / f"{index}.bin") for index in range(len(inputs))]
    subprocess.run(
        [program, *arguments, *files, str(tmp_path / "out.bin")], check=True, capture_output=True, timeout=60
    )
    return np.frombuffer((tmp_path / "out.bin").read_bytes(), dtype)


def pairs(dtype: Any) -> tuple[Array, Array]:
    rng = np.random.default_rng(7)
    if dtype == np.float32:
        bits = rng.integers(0, 2**32, 200_000, dtype=np.uint32).view(np.float32)
        return np.concatenate([bits, np.repeat(EDGES, len(EDGES))]), np.concatenate(
            [rng.permutation(bits), np.tile(EDGES, len(EDGES))]
        )
    if np.issubdtype(dtype, np.integer):
        info = np.iinfo(dtype)
        return rng.integers(info.min, info.max, 70_000, dtype=dtype), rng.integers(
            info.min, info.max, 70_000, dtype=dtype
        )
    return np.tile(ALL16, 4).view(dtype), np.concatenate([rng.permutation(ALL16) for _ in range(4)]).view(dtype)


NUMPY: dict[str, Callable[..., Array]] = {
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": np.divide,
    "Max": np.maximum,
    "Min": np.minimum,
    "Relu": lambda a, b: np.maximum(a, a.dtype.type(0)),
    "Sqrt": lambda a, b: np.sqrt(a),
    "Abs": lambda a, b: np.abs(a),
}
TYPES = {"half": np.float16, "float": np.float32, "int32": np.int32, "int16": np.int16, "bf16": ml_dtypes.bfloat16}
FLOAT_ONLY = {"Div", "Sqrt", "Abs"}


@pytest.mark.core
@pytest.mark.parametrize("type_name", TYPES)
@pytest.mark.parametrize("op", NUMPY)
def test_arithmetic_has_numpys_bits(build: Any, tmp_path: Path, op: str, type_name: str) -> None:
    if type_name == "bf16" and op not in {"Add", "Sub", "Mul", "Div"}:
        pytest.skip("a value of bfloat16_t has four operators")
    if type_name.startswith("int") and (op in FLOAT_ONLY or (op == "Relu" and type_name == "int16")):
        pytest.skip("not an integer operation of this type")
    dtype = TYPES[type_name]
    a, b = pairs(dtype)
    with np.errstate(all="ignore"):
        want = NUMPY[op](a, b)
    got = run_exact(build("exact"), tmp_path, [op, type_name], [a, b], dtype)
    if op in {"Max", "Min", "Relu"}:  # numpy's choice between +0 and -0 varies with its vector code
        with np.errstate(invalid="ignore"):
            got, want = got + dtype(0), want + dtype(0)
    same_bits(got, want)


MODES = {"NONE": 0, "RINT": 1, "FLOOR": 2, "CEIL": 3, "ROUND": 4, "TRUNC": 5, "ODD": 6}
FIVE = ["RINT", "FLOOR", "CEIL", "ROUND", "TRUNC"]
CASTS = {
    ("half", "float"): ["NONE"],
    ("bf16", "float"): ["NONE"],
    ("int8", "half"): ["NONE"],
    ("int16", "float"): ["NONE"],
    ("int32", "int16"): ["NONE"],
    ("float", "half"): [*FIVE, "ODD", "NONE"],
    ("float", "bf16"): FIVE,
    ("float", "int16"): FIVE,
    ("float", "int32"): FIVE,
    ("half", "int8"): [*FIVE, "NONE"],
    ("half", "uint8"): [*FIVE, "NONE"],
    ("half", "int16"): FIVE,
    ("half", "int32"): FIVE,
    ("bf16", "int32"): FIVE,
    ("int16", "half"): [*FIVE, "NONE"],
    ("int32", "float"): [*FIVE, "NONE"],
}
DTYPES = {**TYPES, "int8": np.int8, "uint8": np.uint8}


def cast_inputs(source: str) -> Array:
    rng = np.random.default_rng(11)
    if source == "float":
        near = rng.normal(size=50_000).astype(np.float32) * np.float32(200)
        ties = (rng.integers(-70000, 70000, 20_000) / 2).astype(np.float32)
        bits = rng.integers(0, 2**32, 50_000, dtype=np.uint32).view(np.float32)
        halves = ALL16.view(np.float16).astype(np.float32)
        with np.errstate(all="ignore"):
            above = np.nextafter(ALL16.view(np.float16), np.float16(np.inf)).astype(np.float32)
            between = np.float32(0.5) * (halves + above)
        return np.concatenate([near, ties, bits, halves, between, EDGES])
    if source in {"half", "bf16", "int16"}:
        return ALL16.view(DTYPES[source])
    if source == "int8":
        return np.arange(-128, 128, dtype=np.int8)
    return rng.integers(-(2**31), 2**31, 100_000, dtype=np.int64).astype(np.int32)


def round_whole(values: Array, mode: str) -> Array:
    ways: dict[str, Callable[[Array], Array]] = {
        "FLOOR": np.floor,
        "CEIL": np.ceil,
        "TRUNC": np.trunc,
        "ROUND": lambda v: np.copysign(np.floor(np.abs(v) + 0.5), v),
    }
    return np.asarray(ways.get(mode, np.rint)(values))


def round_to(values: Array, dtype: Any, mode: str) -> Array:
    """Values in float64 to a narrower float type, from its two neighbours."""
    nearest = values.astype(dtype)
    if mode in {"NONE", "RINT"}:
        return nearest
    info = ml_dtypes.finfo(dtype)
    back = nearest.astype(np.float64)
    exact = (back == values) | ~np.isfinite(values)
    up = np.where(back >= values, nearest, np.nextafter(nearest, dtype(np.inf)))
    down = np.where(back <= values, nearest, np.nextafter(nearest, dtype(-np.inf)))
    up, down = up.astype(dtype), down.astype(dtype)
    toward_zero = np.where(values < 0, up, down).astype(dtype)
    away = np.where(values < 0, down, up).astype(dtype)
    if mode == "ODD":
        odd = (toward_zero.view(np.uint16) & 1).astype(bool)
        chosen = np.where(odd, toward_zero, np.where(np.isinf(away.astype(np.float64)), toward_zero, away))
    elif mode == "ROUND":
        # Beyond the largest finite value, the neighbour is counted as if the exponent went on.
        ceiling = float(info.max) + (float(info.max) - float(np.nextafter(dtype(info.max), dtype(0))))
        far = np.where(np.isinf(away.astype(np.float64)), np.copysign(ceiling, values), away.astype(np.float64))
        closer = np.abs(values - toward_zero.astype(np.float64)) < np.abs(far - values)
        chosen = np.where(closer, toward_zero, away)
    else:
        chosen = {"FLOOR": down, "CEIL": up, "TRUNC": toward_zero}[mode]
    return np.where(exact, nearest, chosen).astype(dtype)


@pytest.mark.core
@pytest.mark.parametrize(
    ("source", "target", "mode"),
    [(source, target, mode) for (source, target), modes in CASTS.items() for mode in modes],
)
def test_cast_has_the_defined_bits(build: Any, tmp_path: Path, source: str, target: str, mode: str) -> None:
    values = cast_inputs(source)
    dtype = np.dtype(DTYPES[target])
    with np.errstate(all="ignore"):
        wide = values.astype(np.float64)
        if np.issubdtype(dtype, np.integer):
            info = np.iinfo(dtype)
            want = (
                np.nan_to_num(np.clip(round_whole(wide, mode), info.min, info.max), nan=0)
                .astype(np.int64)
                .astype(dtype)
            )
        elif dtype == np.float32 and source != "int32":
            want = wide.astype(np.float32)
        elif dtype == np.float32 and mode not in {"NONE", "RINT"}:
            want = round_float32(wide, mode)
        else:
            want = round_to(wide, dtype.type, mode)
    got = run_exact(build("exact"), tmp_path, ["cast", source, target, str(MODES[mode])], [values], dtype)
    if np.issubdtype(dtype, np.integer):
        np.testing.assert_array_equal(got, want)
    else:
        same_bits(got, want)


def round_float32(values: Array, mode: str) -> Array:
    nearest = values.astype(np.float32)
    back = nearest.astype(np.float64)
    up = np.where(back >= values, nearest, np.nextafter(nearest, np.float32(np.inf)))
    down = np.where(back <= values, nearest, np.nextafter(nearest, np.float32(-np.inf)))
    if mode in {"FLOOR", "CEIL"}:
        return np.asarray(down if mode == "FLOOR" else up)
    toward_zero, away = np.where(values < 0, up, down), np.where(values < 0, down, up)
    if mode == "TRUNC":
        return np.asarray(toward_zero)
    return np.where(np.abs(values - toward_zero) < np.abs(away - values), toward_zero, away).astype(np.float32)


# ---- the other calls, timing and trace


@pytest.mark.core
def test_calls_against_plain_loops(build: Any, tmp_path: Path) -> None:
    report = report_of(build("calls"), report=tmp_path / "r.json", EVTGEN_MODEL_STRICT="1")
    assert report["hazards"] == []


def test_what_dump_tensor_prints(build: Any) -> None:
    printed = subprocess.run([build("calls")], capture_output=True, text=True, check=True).stdout
    of_gm, of_ub = re.findall(r"DumpTensor: desc=(.*)\n\[(.*)\]\n", printed)
    assert of_gm[0].startswith("7, ") and of_gm[0].endswith("data_type=uint8, position=GM, dump_size=3")
    assert of_ub[0].startswith("8, ") and of_ub[0].endswith("data_type=float32, position=UB, dump_size=3")
    assert of_gm[1] == "0, 1, 0" and of_ub[1] == "-50.000000, -13.000000, 24.000000"


def test_more_buffers_overlap_more(build: Any, tmp_path: Path) -> None:
    cycles = {}
    for buffers in (1, 2, 3):
        report = report_of(build("calls"), "pipeline", str(buffers), report=tmp_path / f"{buffers}.json")
        (launch,) = report["stats"]["launches"]
        assert report["hazards"] == []
        assert launch["makespan"] >= max(launch["busy"].values())
        assert launch["makespan"] >= launch["bandwidth_bound"] > 0
        cycles[buffers] = launch["makespan"]
    assert cycles[2] < 0.9 * cycles[1]
    assert cycles[3] <= 1.01 * cycles[2]


def test_trace_has_a_track_per_core_and_pipe(build: Any, tmp_path: Path) -> None:
    trace = tmp_path / "trace.json"
    report = report_of(build("calls"), "pipeline", "2", report=tmp_path / "r.json", EVTGEN_MODEL_TRACE=str(trace))
    events = json.loads(trace.read_text())["traceEvents"]
    tracks = {event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert {"S", "V", "MTE2", "MTE3"} <= tracks
    work = [event for event in events if event["ph"] == "X" and event["cat"] == "work"]
    assert len(work) == 3 * 16
    assert max(event["args"]["done"] for event in work) == report["stats"]["makespan"]
    for track in {event["tid"] for event in work}:  # a pipe does one thing at a time
        spans = sorted((event["ts"], event["ts"] + event["dur"]) for event in work if event["tid"] == track)
        assert all(end <= begin for (_, end), (begin, _) in itertools.pairwise(spans))


def test_a_cube_core_that_writes_to_ub_takes_its_time(build: Any, tmp_path: Path) -> None:
    """Each tile takes the path's bandwidth, waits for both vector cores and holds them up; none goes through global
    memory."""
    trace = tmp_path / "trace.json"
    program = build("ascend950", 3510)
    found = report_of(program, "tiles_handed_over", report=tmp_path / "r.json", EVTGEN_MODEL_TRACE=str(trace))
    slices = [event for event in json.loads(trace.read_text())["traceEvents"] if event["ph"] == "X"]

    def spans(name: str, pid: int) -> list[tuple[int, int]]:
        return [(one["ts"], one["args"]["done"]) for one in slices if (one["name"], one["pid"]) == (name, pid)]

    costs = read_table(DEVICE / "machine" / "targets" / "ascend950.def", CALL_NAMES).costs
    took = costs["localLatency"][0] + 1024 * 10 // costs["l0cUb10"][0]
    tiles, *uses = spans("Fixpipe", 0), spans("Add", 1), spans("Add", 2)
    assert [done - begin for begin, done in tiles] == [took] * 6
    written = [done for _, done in tiles[1::2]]
    for use in uses:
        assert [begin for begin, _ in use] == written
        assert [done for _, done in use[:2]] == [begin for begin, _ in tiles[2::2]]
    waits = {(one["pid"], one["tid"]) for one in slices if one["name"] == "CrossCoreWaitFlag"}
    assert waits == {(0, 6), (1, 1), (2, 1)}  # FIX of the cube core, V of the vector cores
    (launch,) = found["stats"]["launches"]
    assert {cause["core"] for cause in launch["causes"] if cause["cause"] == "transfer"} == {"AIV"}
    assert launch["bandwidth_bound"] == 1024 * 10 // costs["ubOut10"][0]

    report_of(program, "products_in_one_instruction", report=tmp_path / "r.json", EVTGEN_MODEL_TRACE=str(trace))
    slices = [event for event in json.loads(trace.read_text())["traceEvents"] if event["ph"] == "X"]
    products, adds = [one for one in slices if one["name"] == "BlockMmad"], spans("Add", 1)
    assert [one["args"]["done"] for one in products] == [begin for begin, _ in adds]
    for product, (_, released) in zip(products[1:], adds[:-1], strict=True):
        assert product["ts"] + product["dur"] < released  # loads and products wait for nobody
        assert product["args"]["done"] == released + took


# ---- what no kernel shows

AWKWARD = ["", 'a "word"', "C:\\path\\n", "two\nlines\r\tand more", "\x01\x1f\x7f", "北京 é 𝛼", "</script>", "{}[],:"]


def test_json_of_any_text(build: Any) -> None:
    run = subprocess.run([build("machine"), "texts", *AWKWARD], capture_output=True, check=True)
    written = json.loads(run.stdout)
    assert written["line"] == written["lines"]
    assert written["line"] == {
        "empty object": {},
        "empty array": [],
        "number": 2**64 - 1,
        "texts": AWKWARD,
        "keys": {text: index for index, text in enumerate(AWKWARD)},
    }


@pytest.mark.parametrize(("verb", "place"), [("reads", 0), ("writes", 1)])
def test_more_regions_than_an_instruction_holds(build: Any, verb: str, place: int) -> None:
    program = build("machine")
    limits = subprocess.run([program, "limits"], capture_output=True, text=True, check=True).stdout.split()
    limit = int(limits[place])
    fits = subprocess.run([program, verb, str(limit)], capture_output=True, text=True, check=False)
    assert (fits.returncode, fits.stdout, fits.stderr) == (0, f"{limit}\n", "")
    overflows = subprocess.run([program, verb, str(limit + 1)], capture_output=True, text=True, check=False)
    assert overflows.returncode == -signal.SIGABRT
    assert overflows.stderr == f"internal error of the CPU model: Held {verb} more than {limit} regions\n"
