"""What calls compute on Ascend950 and not on AtlasA2: more element types, new calls, subnormals that are flushed."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from evtgen.graph.types import ElementType, float32, half
from evtgen.nodes import Compute
from evtgen.operators.arrays import Array, same, ulp_distance
from evtgen.reference import Enclosure, Tensors
from evtgen.reference.propagate import propagate

from .conftest import Build

ARCHITECTURES = (2201, 3510)
TYPES = {
    "half": np.float16,
    "float": np.float32,
    "bf16": ml_dtypes.bfloat16,
    "int32": np.int32,
    "int16": np.int16,
    "int8": np.int8,
}


def operands(dtype: Any) -> tuple[Array, Array]:
    """All values of a type of 16 bits and some of a wider one, in two orders. There are infinities, NaN, subnormals."""
    rng = np.random.default_rng(3)
    width = np.dtype(dtype).itemsize
    bits = np.arange(1 << 16, dtype=np.uint16) if width < 4 else rng.integers(0, 2**32, 1 << 16, np.uint32)
    if width == 4 and dtype == np.float32:
        bits[::4] &= 0x807FFFFF  # subnormals
        bits[1::4] = (bits[1::4] & 0x80FFFFFF) + 0x00800000  # the least normal numbers
    values = bits.astype(f"u{width}").view(dtype)
    return values, rng.permutation(values)


def computed(program: Path, at: Path, op: str, type_name: str) -> Array:
    """``op`` of the operands of a type, on the model."""
    for name, values in zip("ab", operands(TYPES[type_name]), strict=True):
        (at / name).write_bytes(values.tobytes())
    command = [str(part) for part in (program, op, type_name, at / "a", at / "b", at / "out")]
    subprocess.run(command, check=True, capture_output=True, timeout=60)
    return np.frombuffer((at / "out").read_bytes(), TYPES[type_name])


def three(a: Array) -> Any:
    return a.dtype.type(3)


def truncated(a: Array, b: Array) -> Array:
    """Of integers, towards zero; zero where the divisor is."""
    wide, by = a.astype(np.int64), b.astype(np.int64)
    quotient = np.abs(wide) // np.maximum(np.abs(by), 1) * np.sign(wide) * np.sign(by)
    return quotient.astype(a.dtype)


EXACT: dict[str, Callable[[Array, Array], Array]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Max": np.maximum,
    "Min": np.minimum,
    "Abs": lambda a, b: np.abs(a),
    "Adds": lambda a, b: a + three(a),
    "Muls": lambda a, b: a * three(a),
    "Maxs": lambda a, b: np.maximum(a, three(a)),
    "Mins": lambda a, b: np.minimum(a, three(a)),
    "Subs": lambda a, b: a - three(a),
    "RSubs": lambda a, b: three(a) - a,
    "Prelu": lambda a, b: np.where(a >= 0, a, a * b),
    "Div": truncated,
}
NEW = {
    "bf16": ("Add", "Sub", "Mul", "Max", "Min", "Adds", "Muls", "Maxs", "Mins", "Subs", "RSubs"),
    "int8": ("Add", "Sub", "Max", "Min", "Adds", "Abs"),
    "int16": ("Div", "Abs"),
    "int32": ("Div", "Abs", "RSubs"),
    "half": ("Prelu", "RSubs"),
    "float": ("Prelu",),
}


@pytest.mark.parametrize("type_name", NEW)
def test_new_calls_and_types_have_numpys_bits(build: Build, tmp_path: Path, type_name: str) -> None:
    a, b = operands(TYPES[type_name])
    for op in NEW[type_name]:
        got = computed(build("exact", 3510), tmp_path, op, type_name)
        with np.errstate(all="ignore"):
            want = EXACT[op](a, b).astype(a.dtype)
            equal = same(got, want)
        assert equal.all(), (op, a[~equal][:5], b[~equal][:5], got[~equal][:5], want[~equal][:5])


@pytest.mark.parametrize("op", ["Axpy", "FusedMulAdd"])
def test_bfloat16_multiplies_and_adds_with_one_rounding_to_float(build: Build, tmp_path: Path, op: str) -> None:
    a, b = (array.astype(np.float32) for array in operands(ml_dtypes.bfloat16))
    got = computed(build("exact", 3510), tmp_path, op, "bf16")
    with np.errstate(all="ignore"):
        want = (3 * a + b if op == "Axpy" else a * a + b).astype(ml_dtypes.bfloat16)
        assert same(got, want).all()


# ---- subnormals

ITERATING: dict[str, Callable[[Any, Any], Any]] = {
    "Div": lambda a, b: a / b,
    "Divs": lambda a, b: a / 3,
    "RDivs": lambda a, b: 3 / a,
    "Reciprocal": lambda a, b: 1 / a,
    "Exp": lambda a, b: np.exp(a),
    "Ln": lambda a, b: np.log(a),
    "Sqrt": lambda a, b: np.sqrt(a),
    "Rsqrt": lambda a, b: 1 / np.sqrt(a),
    "Silu": lambda a, b: a / (1 + np.exp(-a)),
}


def is_subnormal(array: Array) -> Any:
    return (np.abs(array) < np.finfo(array.dtype).tiny) & (array != 0)


def flush(array: Array) -> Array:
    return np.where(is_subnormal(array), np.copysign(array.dtype.type(0), array), array)


@pytest.mark.parametrize("type_name", ["half", "float"])
def test_calls_that_iterate_flush_on_ascend950_alone(build: Build, tmp_path: Path, type_name: str) -> None:
    a, b = operands(TYPES[type_name])
    for op, value in ITERATING.items():
        for npu in (3510,) if "Divs" in op else ARCHITECTURES:
            keep: Callable[[Array], Array] = flush if npu == 3510 else lambda array: array
            got = computed(build("exact", npu), tmp_path, op, type_name)
            with np.errstate(all="ignore"):
                want = keep(value(keep(a).astype(np.float64), keep(b).astype(np.float64)).astype(a.dtype))
            # Silu rounds three times, and its exp(-x) overflows below -88.
            off = (ulp_distance(got, want) > 4) & (a > -88) if op == "Silu" else ulp_distance(got, want) > 1
            assert not off.any(), (op, npu, a[off][:5], b[off][:5], got[off][:5], want[off][:5])
            assert is_subnormal(got).any() == (npu == 2201 and op not in {"Ln", "Sqrt", "Rsqrt"})


OPERATORS = {"Div": "Divides", "Exp": "Exp", "Ln": "Log", "Sqrt": "Sqrt"}


@pytest.mark.parametrize("type_name", ["half", "float"])
def test_the_reference_knows_what_is_flushed(build: Build, tmp_path: Path, type_name: str) -> None:
    T = half if type_name == "half" else float32
    a, b = operands(TYPES[type_name])
    for call, name in OPERATORS.items():
        given = [a, b][: 2 if call == "Div" else 1]
        said = {npu: enclosed(name, T, given, flushes=npu == 3510) for npu in ARCHITECTURES}
        got = {npu: computed(build("exact", npu), tmp_path, call, type_name) for npu in ARCHITECTURES}
        for npu in ARCHITECTURES:
            allowed = said[npu].contains(got[npu])
            assert allowed.all(), (call, npu, a[~allowed][:5], got[npu][~allowed][:5], said[npu].value[~allowed][:5])
        small = np.logical_or.reduce([is_subnormal(array) for array in (*given, got[2201])])
        alike = same(got[2201], got[3510])
        assert (alike | np.isnan(got[2201]) | small)[np.isfinite(a)].all(), "only subnormals make a difference"
        assert not said[2201].contains(got[3510])[~alike].all(), "what is flushed is an error on the other one"


def enclosed(name: str, T: ElementType, inputs: list[Array], *, flushes: bool) -> Enclosure:
    tensors = Tensors(inputs[0], {}, flushes_subnormals=flushes)
    with np.errstate(all="ignore"):
        return propagate(Compute(name, T), [Enclosure(array) for array in inputs], tensors)


def test_a_flush_between_two_calls_is_known() -> None:
    """silu of -88 in float32 is -4e-37, a normal number; but exp(-88) is none."""
    given = [np.array([-88.0, -80.0], np.float32)]
    flushed, kept = (enclosed("Silu", float32, given, flushes=flushes) for flushes in (True, False))
    zero = np.zeros(2, np.float32)
    assert flushed.contains(zero).tolist() == [True, False] and kept.contains(zero).tolist() == [False, False]
    assert flushed.contains(kept.value).all(), "where it is not flushed, too"
    assert flushed.low is not None and kept.low is not None and flushed.low[1] == kept.low[1], "no wider elsewhere"
