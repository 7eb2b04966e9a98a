"""Both faces of AscendC, the model's headers and those of an asc-devkit checkout, record the same for the same call."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from evtgen.checkouts.ascendc import recognise
from evtgen.model.roots import ascendc_flags, include_roots
from evtgen.model.toolchain import find_compiler, machine_library

from ..support.paths import DEVICE

PROGRAM = Path(__file__).parent / "agreement.cpp"
_TEXT = PROGRAM.read_text(encoding="utf-8")
CASES = set(re.findall(r"CALL_[A-Z]+\(\s*(?!Name)(\w+)", _TEXT)) | set(re.findall(r'c\.name == "(\w+)"', _TEXT))
"""The calls that the program can make."""

WITHOUT = {
    "flags of its own": {"CreateVecIndex"},
    "2201, whose faces these are": {"Divs", "Prelu", "Subs"},
    "the basic API, which both faces are": {"Silu"},
}
"""The calls that have no cases, by what lacks them, or what the case language lacks for them."""

CASTS = dict.fromkeys(re.findall(r"CONVERT\((?!S)(\w+), (\w+)\)", _TEXT))
TYPES = {"F16": "half", "F32": "float", "I16": "int16_t", "U16": "uint16_t", "I32": "int32_t"}
MODES = ("NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD")
REDUCTIONS = {name for name in CASES if "Reduce" in name}
FORMS = {**dict.fromkeys(REDUCTIONS, (1, 1)), "Copy": (1, 4), "Gather": (0, 2)}
"""The first and last form of the calls that do not have all five."""

FLAGS = ("-std=c++17", "-Og", "-DCATLASS_ARCH=2201", "-Wl,--wrap=_ZN7machine6RecordEONS_11InstructionE")


MENDED = {
    "ReduceMax half 1 1165 61 3562790080755887173 4609516430463870792 3 1 3 3 4 17 17 1 1 84793655": (
        "ran 5f8666d3345dffd7 V.reads 45056-45178 45600-45722 46144-46266 V.writes 0-4"
    ),
    "ReduceMin float 1 359 45 7842997830897417913 5970418048660038247 2 2 3 4 3 14 10 1 3 1321325664": (
        "ran 147cf5baae7af261 V.reads 45056-45236 45504-45684 V.writes 0-8"
    ),
    "ReduceSum half 1 1033 44 13823216654666249789 9713429686878947150 11 1 4 4 19 11 6 2 1 353044085": (
        "ran fa28209d395a05ab V.reads 45056-45144 45408-45496 45760-45848 46112-46200 46464-46552 "
        "46816-46904 47168-47256 47520-47608 47872-47960 48224-48312 48576-48664 V.writes 0-2"
    ),
    "Select float 4 40 27 3414153798778116481 5890242983145315800 12 1 1 2 23 3 3 0 -1 1327396362": (
        "ran dbd746ac18f25549 V.reads 45056-46220 90112-90144 90176-91328 91360-91392 135168-135184 "
        "V.writes 0-108 736-844 1472-1580 2208-2316 2944-3052 3680-3788 4416-4524 5152-5260 5888-5996 "
        "6624-6732 7360-7468 8096-8204"
    ),
}
"""Cases in which the faces differed once (the index of a maximum and of a minimum, the order of a sum, the bits of a
selection), and what AscendC's own headers leave."""


def takes() -> Iterator[tuple[str, str]]:
    """Each call that has cases, with each of its element types on Atlas A2."""
    text = (DEVICE / "machine" / "targets" / "atlas_a2.def").read_text(encoding="utf-8")
    for name, types in re.findall(r"EVT_TAKES\((\w+), ([^)]+)\)", text):
        if name in CASES:
            yield from ((name, TYPES[type_]) for type_ in types.split(" | ") if type_ in TYPES)
    yield from (("Cast", f"{source}>{destination}") for source, destination in CASTS)


def modes(casts: str) -> list[int]:
    """The numbers of the round modes of a conversion, ``"half>float"``."""
    names = {**TYPES, "BF16": "bfloat16_t", "I8": "int8_t", "U8": "uint8_t", "I64": "int64_t"}
    text = (DEVICE / "machine" / "targets" / "atlas_a2.def").read_text(encoding="utf-8")
    for source, destination, allowed in re.findall(r"EVT_CAST\((\w+), (\w+), ([^)]+)\)", text):
        if f"{names[source]}>{names[destination]}" == casts:
            return [MODES.index(mode.removeprefix("CAST_")) for mode in allowed.split(" | ")]
    raise AssertionError(casts)


@st.composite
def cases(draw: st.DrawFn) -> str:
    """A line for the program, within what the pages allow."""
    name, type_ = draw(st.sampled_from(sorted(takes())))
    lanes = 128 if type_ in {"half", "int16_t", "uint16_t"} else 64
    reduces = name in REDUCTIONS
    form = draw(st.integers(*FORMS.get(name, (0, 4))))
    bits = st.integers(1, 2**64 - 1)
    words = [
        name, type_, form, draw(st.integers(1, 2000 if form == 0 else 12 * lanes)), draw(st.integers(1, lanes)),
        draw(bits), draw(bits), draw(st.integers(1, 12)), *(draw(st.integers(1, 4)) for _ in range(3)),
        *(draw(st.integers(1 if reduces else 0, 24)) for _ in range(3)),
        draw(st.sampled_from(modes(type_)) if name == "Cast" else st.integers(0, 2)),
        draw(st.integers(-3, 3)), draw(st.integers(0, 2**31 - 1)),
    ]  # fmt: skip
    return " ".join(map(str, words))


def answers(program: Path, lines: list[str]) -> list[str]:
    """What the program says of each case; findings of the model are no matter here."""
    environment = {**os.environ, "EVTGEN_MODEL_CHECKS": "off", "EVTGEN_MODEL_REPORT": ""}
    done = subprocess.run(
        [program], input="\n".join(lines), env=environment, capture_output=True, text=True, check=True
    )
    said = done.stdout.splitlines()
    assert len(said) == len(lines), done.stderr
    return said


def test_every_call_has_cases_or_a_reason() -> None:
    calls = set(re.findall(r"^EVT_(?:ARITH|CALL)\((\w+)", (DEVICE / "machine" / "calls.def").read_text(), re.MULTILINE))
    without = set().union(*WITHOUT.values())
    assert CASES | without == calls | {"Cast"}
    assert not CASES & without


@pytest.fixture(scope="module")
def ours(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return _compile(tmp_path_factory.mktemp("ours"), [*include_roots(None)], [])


@pytest.fixture(scope="module")
def theirs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if "ASCENDC_HOME" not in os.environ:
        pytest.skip("ASCENDC_HOME is not set: it names an asc-devkit checkout to compare with")
    checkout = recognise(Path(os.environ["ASCENDC_HOME"]))
    roots = [*include_roots(None, intrinsics=True), *checkout.include]
    return _compile(tmp_path_factory.mktemp("theirs"), roots, ascendc_flags(find_compiler(None)))


def _compile(directory: Path, roots: list[Path], flags: list[str]) -> Path:
    compiler = find_compiler(None)
    program = directory / "agreement"
    include = [part for root in roots for part in ("-isystem", str(root))]
    command = [compiler.path, *FLAGS, *flags, *include, str(PROGRAM), str(machine_library(compiler)), "-pthread"]
    done = subprocess.run([*command, "-o", str(program)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return program


@pytest.mark.cxx
def test_every_call_can_be_made(ours: Path) -> None:
    given = [(name, type_, modes(type_)[0] if name == "Cast" else 0) for name, type_ in takes()]
    lines = [f"{name} {type_} 1 64 8 1 0 1 1 1 1 8 8 8 {mode} 1 0" for name, type_, mode in given]
    for line, said in zip(lines, answers(ours, lines), strict=True):
        assert said.startswith("ran ") and " V.writes " in said, (line, said)


@pytest.mark.cxx
def test_what_was_mended_stays(ours: Path) -> None:
    assert answers(ours, list(MENDED)) == list(MENDED.values())


@pytest.mark.cxx
@settings(max_examples=40, suppress_health_check=list(HealthCheck))
@given(lines=st.lists(cases(), min_size=50, max_size=50))
def test_both_faces_record_the_same(ours: Path, theirs: Path, lines: list[str]) -> None:
    said = answers(ours, lines)
    for line, mine, other in zip(lines, said, answers(theirs, lines), strict=True):
        assert mine == other, line
    # Masks without a lane and counts of nothing are cases, too, but few.
    assert sum(" V.writes " in mine for mine in said) > 0.8 * len(said)
