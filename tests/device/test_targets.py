"""The model's tables: what Python reads, what the C++ compiles, and what the headers accept are one thing."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from evtgen.targets import ARCHITECTURES
from evtgen.targets.architecture import ELEMENT_WORDS, SCALE_CASTS
from evtgen.targets.tables import CALL_NAMES, CALLS, ELEMENTS, MACHINE, MODES, Table, read_calls, read_table

from ..support.paths import CHECKOUT
from .conftest import Build

EVTGEN = CHECKOUT / "evtgen"
TARGETS = sorted((MACHINE / "targets").glob("*.def"))

CPP = dict(zip(ELEMENTS, ("int4b_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t",
                          "uint64_t", "half", "bfloat16_t", "float", "double", "fp8_e4m3fn_t", "fp8_e5m2_t",
                          "fp4x2_e2m1_t"),
               strict=True))  # fmt: skip

NEWER_REDUCTIONS = ("ReduceRepeat", "ReduceDataBlock", "ReducePairElem")

# Arguments of each call in a form that it has, for tensors t, a scalar s, a bit mask m and a count n. By shape, or by
# name.
ARGUMENTS = {
    "Unary": "t, t, 256",
    "Binary": "t, t, t, 256",
    "Scalar": "t, t, s, 256",
    "Flexible": "t, t, s, 256",
    "Function": "t, t, 256",
    "Fill": "t, s, 256",
    "Move": "t, t, uint64_t(16), 1, CopyRepeatParams()",
    "Accumulate": "t, t, t, 256",
    "AccumulateScalar": "t, t, s, 256",
    "Compare": "m, t, t, CMPMODE::EQ, 256",
    "Compares": "m, t, s, CMPMODE::EQ, 256",
    "CompareScalar": "m, t, s, CMPMODE::EQ, 256",
    "Select": "t, m, t, t, SELMODE::VSEL_TENSOR_TENSOR_MODE, 256",
    "Brcb": "t, t, 1, BrcbRepeatParams()",
    "TransDataTo5HD": "{t}, {t}, TransDataTo5HDParams()",
    **dict.fromkeys(("ReduceSum", "ReduceMax", "ReduceMin"), "t, t, t, 256"),
    **dict.fromkeys(("WholeReduceSum", "WholeReduceMax", "WholeReduceMin"), "t, t, 16, 1, 1, 1, 8"),
    "RepeatReduceSum": "t, t, 1, 16, 1, 1, 8, 8",
    **dict.fromkeys(NEWER_REDUCTIONS, "t, t, 16, 1, 1, 1, 8"),
    "Gather": "t, t, LocalTensor<uint32_t>(), 0, 256",
    "Gatherb": "t, t, LocalTensor<uint32_t>(), 1, GatherRepeatParams()",
    "GatherMask": "t, t, uint8_t{1}, false, 16, GatherMaskParams(), n",
    "Sort32": "t, t, LocalTensor<uint32_t>(), 1",
    "MrgSort": "t, MrgSortSrcList<decltype(s)>(), MrgSort4Info()",
    "CreateVecIndex": "t, s, 256",
    "Transpose": "t, t",
    **dict.fromkeys(("BlockReduceSum", "BlockReduceMax", "BlockReduceMin", "PairReduceSum"), "t, t, 1, 16, 1, 1, 8"),
}


# Arguments of the form that takes a mask and repeats, of calls that take more types by a count.
REPEATS = "uint64_t(16), 1"
MASKED = {
    "Unary": f"t, t, {REPEATS}, UnaryRepeatParams()",
    "Binary": f"t, t, t, {REPEATS}, BinaryRepeatParams()",
    "Scalar": f"t, t, s, {REPEATS}, UnaryRepeatParams()",
    "Flexible": f"t, s, t, {REPEATS}, UnaryRepeatParams()",
    "Fill": f"t, s, {REPEATS}, 1, 8",
    "Accumulate": f"t, t, t, {REPEATS}, BinaryRepeatParams()",
    "AccumulateScalar": f"t, t, s, {REPEATS}, UnaryRepeatParams()",
    "Compare": f"m, t, t, CMPMODE::EQ, {REPEATS}, BinaryRepeatParams()",
    "Select": f"t, m, t, t, SELMODE::VSEL_TENSOR_TENSOR_MODE, {REPEATS}, BinaryRepeatParams()",
    "Gather": f"t, t, LocalTensor<uint32_t>(), 0, {REPEATS}, 8",
}


def table(path: Path) -> Table:
    return read_table(path, CALL_NAMES)


def as_written(read: Table) -> dict[str, object]:
    """A table in the form in which machine.cpp writes the C++'s."""
    order = {word: index for index, word in enumerate((*ELEMENTS, *MODES))}

    def ordered(words: tuple[str, ...]) -> list[str]:
        return sorted(words, key=order.__getitem__)

    casts = sorted(read.casts.items(), key=lambda item: [order[word] for word in item[0]])
    return {
        "name": read.name,
        "number": read.number,
        "sizes": read.sizes,
        "facts": read.facts,
        "takes": {name: ordered(read.takes.get(name, ())) for name in CALL_NAMES},
        "counted": {name: ordered(read.counted.get(name, ())) for name in CALL_NAMES},
        "atomics": ordered(read.atomics),
        "casts": [[source, to, ordered(modes)] for (source, to), modes in casts],
        "costs": {name: value for name, (value, _) in read.costs.items()},
        "prices": {name: [fixed, repeat] for name, (fixed, repeat, _) in read.prices.items()},
    }


def test_python_reads_what_the_model_compiles(build: Build) -> None:
    ours = {read.name: as_written(read) for read in map(table, TARGETS)}
    run = subprocess.run([build("machine"), "tables"], capture_output=True, text=True, check=True)
    assert {written["name"]: written for written in json.loads(run.stdout)} == ours
    assert set(ours) == set(ARCHITECTURES)


@pytest.mark.parametrize("path", TARGETS, ids=lambda path: path.stem)
def test_an_architecture_is_its_table(path: Path) -> None:
    read = table(path)
    arch = ARCHITECTURES[read.name]
    words = {element: word for word, element in ELEMENT_WORDS.items()}
    assert (arch.npu, arch.ub_size, arch.l1_size) == (read.number, read.sizes["UB"], read.sizes["L1"])
    assert arch.ub_reserved >= read.facts["ubReserved"]
    for name, types in arch.calls.items():
        if CALLS.get(name) and CALLS[name].domain == "Bits":
            assert {"I16", "U16"} <= set(read.takes[name]), "masks are passed as 16-bit integers"
        elif name == "Cast":
            # As a call of an operator it keeps the type: it rounds to whole numbers.
            assert {words[element] for element in types} == {a for a, b in read.casts if a == b} & set(ELEMENT_WORDS)
        else:
            taken = {*read.takes.get(name, ()), *read.counted.get(name, ())}
            assert {words[element] for element in types} == taken & set(ELEMENT_WORDS)
    casts = {pair: modes for pair, modes in arch.casts.items() if pair not in SCALE_CASTS}  # which are no calls of Cast
    assert {(words[source], words[to]): modes for (source, to), modes in casts.items()} == {
        pair: modes for pair, modes in read.casts.items() if set(pair) <= set(ELEMENT_WORDS) and pair[0] != pair[1]
    }
    sources = [source for *_, source in read.costs.values()] + [source for *_, source in read.prices.values()]
    assert all(source == "assumed" or len(source) > len("assumed") for source in sources)


@pytest.mark.parametrize("path", TARGETS, ids=lambda path: path.stem)
def test_the_headers_accept_what_the_table_says(build: Build, path: Path) -> None:
    """Every call with every element type, every cast and every atomic, one per line: which lines are refused?"""
    read = table(path)
    lines = ['#include "kernel_operator.h"', "using namespace AscendC; LocalTensor<uint8_t> m; uint64_t n;"]
    accepted = set()
    for name in sorted(CALL_NAMES):
        arguments = ARGUMENTS[CALLS[name].shape if name in CALLS else name]
        call = f"{name}<ReduceType::SUM>" if name in NEWER_REDUCTIONS else name
        for word, cpp in CPP.items():
            # In int32_t, equality is compared too; the table has what every comparison takes.
            compares = name.startswith("Compare") and word == "I32"
            if word in (*read.takes.get(name, ()), *read.counted.get(name, ())) or compares:
                accepted.add(len(lines) + 1)
            lines.append(f"void f{len(lines)}(LocalTensor<{cpp}> t, {cpp} s) {{ (void)s; {call}({arguments}); }}")
            masked = MASKED.get(CALLS[name].shape if name in CALLS else name)
            if masked and word in read.counted.get(name, ()):
                lines.append(f"void f{len(lines)}(LocalTensor<{cpp}> t, {cpp} s) {{ (void)s; {call}({masked}); }}")
    for source, from_ in CPP.items():
        if source in read.atomics:
            accepted.add(len(lines) + 1)
        lines.append(f"void f{len(lines)}() {{ SetAtomicAdd<{from_}>(); }}")
        for to, into in CPP.items():
            # int32_t becomes half with the scale of SetDeqScale, which no operator sets.
            if (source, to) in read.casts or (source, to) == ("I32", "F16"):
                accepted.add(len(lines) + 1)
            call = "Cast(d, t, RoundMode::CAST_NONE, 16);"
            lines.append(f"void f{len(lines)}(LocalTensor<{into}> d, LocalTensor<{from_}> t) {{ {call} }}")
    said = build.refuses("\n".join(lines), read.number)
    refused = {int(line) for line in re.findall(r"refused\.cpp:(\d+):", said)}
    everything = set(range(3, len(lines) + 1))
    assert accepted and refused
    wrong = sorted((refused & accepted) | (everything - refused - accepted))
    assert not wrong, "\n".join(lines[number - 1] for number in wrong)


REGISTERS = """
template <class T> void unused(T* at) {{
    using namespace AscendC::MicroAPI;
    constexpr static CastTrait trait = {{RegLayout::ZERO, SatMode::SAT, MaskMergeMode::ZEROING, RoundMode::UNKNOWN}};
    RegTensor<float> r; RegTensor<half> h; MaskReg m = CreateMask<float, MaskPattern::ALL>();
    LoadAlign<T, PostLiteral::POST_MODE_UPDATE, LoadDist::DIST_BRC_B32>(r, at, 8);
    Cast<half, float, trait>(h, r, m); Duplicate(r, 0.0f); Muls(r, r, 2.0f, m); StoreAlign(at, r, m);
}}
{}
"""


def test_registers_are_names_only(build: Build) -> None:
    """Code of the vector unit's registers may be there, and must not be instantiated."""
    start = '#include "kernel_operator.h"\nusing namespace AscendC;'
    assert build.errors(start + REGISTERS.format(""), 3510) == ""
    used = "void used(float* at) { AscendC::Reg::RegTensor<float> r; AscendC::Reg::LoadAlign(r, at); }"
    assert "the CPU model does not have vector registers" in build.errors(start + REGISTERS.format(used), 3510)


# ---- adding one

TRIAL = "trial"


def test_an_architecture_is_one_file_on_each_side_and_its_line(build: Build, tmp_path: Path) -> None:
    package = tmp_path / "evtgen"
    shutil.copytree(EVTGEN, package, ignore=shutil.ignore_patterns("__pycache__"))
    machine = package / "device" / "machine"
    text = (machine / "targets" / "atlas_a2.def").read_text()
    text = text.replace("EVT_ARCH(AtlasA2, 2201)", "EVT_ARCH(Trial, 4711)").replace("EVT_TAKES(Exp, F16 | F32)\n", "")
    (machine / "targets" / f"{TRIAL}.def").write_text(text.replace("EVT_MEMORY(UB, 192", "EVT_MEMORY(UB, 96"))
    add_line(machine / "targets.def", '#include "targets/ascend950.def"', f'#include "targets/{TRIAL}.def"')
    module = (package / "targets" / "atlas_a2.py").read_text()
    (package / "targets" / f"{TRIAL}.py").write_text(
        module.replace("AtlasA2 =", "Trial =").replace('"atlas_a2"', f'"{TRIAL}"')
    )
    listed = package / "targets" / "__init__.py"
    add_line(listed, "from .atlas_a2 import AtlasA2", f"from .{TRIAL} import Trial")
    listed.write_text(listed.read_text().replace("(AtlasA2, Ascend950)", "(AtlasA2, Ascend950, Trial)"))

    says = "import evtgen; print(evtgen.__file__); from evtgen.targets import ARCHITECTURES as A; t = A['Trial']; "
    says += "print(t.npu, t.ub_size, 'Exp' in t.calls, 'Ln' in t.calls)"
    run = subprocess.run([sys.executable, "-c", says], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert run.stdout.splitlines() == [str(package / "__init__.py"), f"4711 {96 * 1024} False True"]

    device = package / "device"
    include = '#include "kernel_operator.h"\n#include "catlass/arch/arch.hpp"\n'
    uses = "void f(AscendC::LocalTensor<half> t) {{ AscendC::{}(t, t, 16); }}\n"
    size = f"static_assert(Catlass::Arch::Trial::UB_SIZE == {96 * 1024});\n"
    assert build.errors(include + size + uses.format("Ln"), 4711, device) == ""
    assert "Exp does not take" in build.errors(include + uses.format("Exp"), 4711, device)
    assert "CATLASS_ARCH is none of" in build.errors(include, 4712, device)


def add_line(path: Path, after: str, line: str) -> None:
    text = path.read_text()
    assert text.count(after) == 1
    path.write_text(text.replace(after, f"{after}\n{line}"))


# ---- lines that are not as they must be

ADD = "EVT_TAKES(Add, I16 | F16 | I32 | F32)"
LATENCY = 'EVT_COST(localLatency, 40, "assumed")'
GOOD = (MACHINE / "targets" / "atlas_a2.def").read_text()
CALLS_TEXT = (MACHINE / "calls.def").read_text()


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        (ADD, "EVT_TAKES(Add, I16 | F17)", "F17 is no word"),
        (ADD, "EVT_TAKES(Add, I16,F16)", "I16,F16 is no word"),
        (ADD, "EVT_TAKES(Add, I16, F16)", "2 arguments are needed"),
        (ADD, "EVT_TAKES(Add, I16 | I16)", "twice"),
        (ADD, "EVT_TAKES(Plus, I16)", "Plus is no word"),
        (ADD, "EVT_TAKES(Sub, I16)\nEVT_TAKES(Sub, I16)", "Sub is there already"),
        (ADD, "EVT_TAKES(Add, I16 | F16", "not a line of the form"),
        (ADD, "EVT_TAKE(Add, I16)", "EVT_TAKE has no meaning"),
        ("EVT_MEMORY(UB, 192 * 1024)", "EVT_MEMORY(UB, 192 KB)", "192 KB is no number"),
        ("EVT_CAST(F16, F32, CAST_NONE)", "EVT_CAST(F16, F32, CAST_NEAREST)", "CAST_NEAREST is no word"),
        (LATENCY, "EVT_COST(localLatency, 40)", "not of the form EVT_COST"),
        (LATENCY, 'EVT_COST(localLatency, 40, "")', "not of the form EVT_COST"),
        (LATENCY, 'EVT_PRICE(Add, 24, "assumed")', "not of the form EVT_PRICE"),
        (LATENCY, 'EVT_PRICE(Plus, 24, 100, "assumed")', "Plus is no word"),
        (LATENCY, 'EVT_PRICE(Add, 24, 100, "assumed")', "Add is there already"),
        ("EVT_ARCH(AtlasA2, 2201)\n", "", "EVT_ARCH is the first line"),
        ("EVT_ARCH_END()\n", "", "ends without EVT_ARCH_END"),
    ],
)
def test_a_wrong_line_of_a_target_is_named(tmp_path: Path, old: str, new: str, complaint: str) -> None:
    path = tmp_path / "wrong.def"
    assert GOOD.count(old) == 1
    path.write_text(GOOD.replace(old, new))
    with pytest.raises(ValueError, match=re.escape(complaint)) as raised:
        read_table(path, CALL_NAMES)
    match = re.match(rf"{re.escape(str(path))}:(\d+): ", str(raised.value))
    assert match is not None
    if old == ADD and "\n" not in new:
        assert path.read_text().splitlines()[int(match[1]) - 1] == new


@pytest.mark.parametrize(
    ("new", "complaint"),
    [
        ("EVT_ARITH(Add, Ternary, Numbers, Simple, Exact, Sum(a, b))", "Ternary is no word"),
        ("EVT_ARITH(Add, Binary, Reals, Simple, Exact, Sum(a, b))", "Reals is no word"),
        ("EVT_ARITH(Add, Binary, Numbers, Dear, Exact, Sum(a, b))", "Dear is no word"),
        ("EVT_ARITH(Add, Binary, Numbers, Simple, Nearly, Sum(a, b))", "Nearly is no word"),
        ("EVT_ARITH(Add, Binary, Numbers, Simple)", "not of the form EVT_ARITH"),
        ("EVT_CALL(Sub)", "Sub is there already"),
        ("EVT_CALL(Add, 2)", "neither EVT_ARITH nor EVT_CALL"),
        ("Add", "not a line of the form"),
    ],
)
def test_a_wrong_line_of_the_calls_is_named(tmp_path: Path, new: str, complaint: str) -> None:
    path = tmp_path / "calls.def"
    old = "EVT_ARITH(Add, Binary, Numbers, Simple, Exact, Sum(a, b))"
    assert CALLS_TEXT.count(old) == 1
    path.write_text(CALLS_TEXT.replace(old, new))
    with pytest.raises(ValueError, match=re.escape(complaint)) as raised:
        read_calls(path)
    assert re.match(rf"{re.escape(str(path))}:\d+: ", str(raised.value))
