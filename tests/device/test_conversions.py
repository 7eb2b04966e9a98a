"""The worked examples of AscendC's page on precision conversion against the machine: ``docs/samples.md``."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from typing import Any

import ml_dtypes
import numpy as np
import pytest

from evtgen.graph.types import float4_e2m1fn, int4
from evtgen.operators.arrays import cast, unpacked

from ..support.paths import CHECKOUT
from ..support.rounding import float8_samples, same

PAGE = CHECKOUT / "docs" / "samples.md"
ROWS = [
    (source, destination, mode, value, page, model, said)
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if re.match(r"\| \w+ \| \w+ \| [A-Z]+(, [A-Z]+)* \|", line)
    for source, destination, modes, value, pages, models, said in [re.split(r"\s*\|\s*", line.strip("| "))]
    for mode, page, model in zip(modes.split(", "), pages.split(", "), models.split(", "), strict=True)
]
"""Source, destination, mode, input, the page's result, the model's, the verdict; one row of the page has some modes."""

WHOLE = {"int4b_t", "int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "int64_t"}


def number(text: str) -> float | int:
    """A number as the page writes it: sums of whole powers of two and decimal fractions."""
    assert re.fullmatch(r"[\d.^+\-e ]+", text), text
    total: float | int = 0
    for sign, power, plain in re.findall(r"(?:^|\s)([+-]?)\s*(?:2\^(-?\d+)|([\d.]+(?:e-\d+)?))", text):
        term: float | int = 2 ** int(power) if power else float(plain) if set(plain) & set(".e") else int(plain)
        total += -term if sign == "-" else term
    return total


def agree(page: str, model: str) -> bool:
    """Whether the model's result is the page's, to the digits that the page gives."""
    if "e" not in page:
        return number(page) == number(model)
    digits = len(page.partition("e")[0].replace(".", ""))
    return float(f"{number(model):.{digits - 1}e}") == number(page)


def verdict(page: str, model: str) -> str:
    """The last column, without its footnote."""
    return "not in the model" if model == "—" else "agrees" if agree(page, model) else "differs"


def test_numbers_are_read_as_they_are_meant() -> None:
    assert number("2^35 + 2^12 + 2^11") == 2**35 + 2**12 + 2**11
    assert number("0.5 + 2^-9 + 2^-11") == 0.5 + 2**-9 + 2**-11
    assert number("2^7 - 0.5") == 127.5
    assert number("-1.5") == -1.5
    assert number("2.90573e-06") == 2.90573e-06
    assert agree("2.9e-06", "2.92063e-06") and not agree("2.90e-06", "2.92063e-06")


@pytest.mark.cxx
def test_every_row_is_what_the_model_does(build: Any) -> None:
    given = []
    for source, destination, mode, value, *_ in ROWS:
        exact = number(value)
        given.append(f"{source} {destination} {mode} {exact if source in WHOLE else float(exact).hex()}")
    done = subprocess.run([build("conversions")], input="\n".join(given), capture_output=True, text=True, check=True)
    results = done.stdout.split()
    assert len(results) == len(ROWS)
    for row, result in zip(ROWS, results, strict=True):
        _, destination, _, _, page, model, said = row
        assert (model == "—") == (result == "none"), row
        if result != "none":
            exact = int(result) if destination in WHOLE else float.fromhex(result)
            assert exact == number(model) or ("e" in model and f"{exact:.5e}" == f"{number(model):.5e}"), (row, exact)
        assert said.partition(":")[0] == verdict(page, model), row


def convert(build: Any, values: Any, source: str, to: str, mode: str) -> bytes:
    command = [build("conversions"), source, to, mode]
    done = subprocess.run(command, input=values.tobytes(), capture_output=True, check=True)
    return bytes(done.stdout)


@pytest.mark.cxx
def test_integers_of_four_bits_are_those_of_ml_dtypes(build: Any) -> None:
    """All bytes to half, int16 and bfloat16, and all halves to the nearest, or down, up, away from zero and towards it;
    what is too large saturates, NaN becomes 0."""
    codes = np.arange(256, dtype=np.uint8)
    values = unpacked(codes, int4)
    for name, dtype in (("half", np.float16), ("int16_t", np.int16), ("bfloat16_t", ml_dtypes.bfloat16)):
        wide = np.frombuffer(convert(build, codes, "int4b_t", name, "NONE"), dtype)
        np.testing.assert_array_equal(wide.astype(np.int64), values.astype(np.int64))
    halves = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    for mode in ("RINT", "FLOOR", "CEIL", "ROUND", "TRUNC"):
        narrow = np.frombuffer(convert(build, halves, "half", "int4b_t", mode), np.uint8)
        wanted = cast(halves, int4, f"CAST_{mode}")
        np.testing.assert_array_equal(unpacked(narrow, int4).astype(np.int64), wanted.astype(np.int64))
    assert (wanted.astype(np.float64) == np.clip(np.trunc(np.nan_to_num(halves.astype(np.float64))), -8, 7)).all()


@pytest.mark.cxx
def test_floats_of_four_bits_are_those_of_ml_dtypes(build: Any) -> None:
    """All bytes to bfloat16, and all of bfloat16 to the nearest, down, up, away from zero and towards it; what is too
    large is the largest number, NaN becomes 0."""
    codes = np.arange(256, dtype=np.uint8)
    wide = np.frombuffer(convert(build, codes, "fp4x2_e2m1_t", "bfloat16_t", "NONE"), ml_dtypes.bfloat16)
    assert same(wide, unpacked(codes, float4_e2m1fn)).all()
    given = np.arange(1 << 16, dtype=np.uint16).view(ml_dtypes.bfloat16)
    with np.errstate(all="ignore"):
        exact = given.astype(np.float64)
        nearest = np.nan_to_num(exact, nan=0.0).astype(ml_dtypes.float4_e2m1fn)
    clipped = np.clip(np.nan_to_num(exact, nan=0.0), -6, 6)
    values = np.unique(unpacked(codes, float4_e2m1fn).astype(np.float64))
    low, high = (values[np.searchsorted(values, clipped, "right") - 1], values[np.searchsorted(values, clipped)])
    nearer = np.where(np.abs(clipped - low) < np.abs(high - clipped), low, high)
    tied = clipped - low == high - clipped
    wanted = {
        "RINT": nearest.astype(np.float64),
        "FLOOR": low, "CEIL": high, "TRUNC": np.where(clipped > 0, low, high),
        "ROUND": np.where(tied & (clipped < 0), low, nearer),
    }  # fmt: skip
    for mode, expected in wanted.items():
        found = unpacked(
            np.frombuffer(convert(build, given, "bfloat16_t", "fp4x2_e2m1_t", mode), np.uint8), float4_e2m1fn
        )
        np.testing.assert_array_equal(found.astype(np.float64), expected)
        numbers = ~np.isnan(exact)
        assert (np.signbit(found.astype(np.float64)) == np.signbit(exact))[numbers].all()


@pytest.mark.cxx
def test_all_codes_of_bfloat16_are_those_of_ml_dtypes(build: Any) -> None:
    """To float, and floats between any two of them to the nearest."""
    codes = np.arange(1 << 16, dtype=np.uint16)
    decoded = np.frombuffer(convert(build, codes, "bfloat16_t", "float", "NONE"), np.uint32)
    np.testing.assert_array_equal(decoded, codes.view(ml_dtypes.bfloat16).astype(np.float32).view(np.uint32))
    for low in (0x7FFF, 0x8000, 0x8001):
        between = (decoded | np.uint32(low)).view(np.float32)
        between = between[np.isfinite(between)]
        nearest = np.frombuffer(convert(build, between, "float", "bfloat16_t", "RINT"), np.uint16)
        with np.errstate(over="ignore"):
            np.testing.assert_array_equal(nearest, between.astype(ml_dtypes.bfloat16).view(np.uint16))


@pytest.mark.cxx
@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_floats_of_eight_bits_are_those_of_ml_dtypes(build: Any, name: str) -> None:
    """All codes to float, and floats to the nearest code: values, midpoints, their neighbours, random bits; signs of
    zeros and of NaN included."""
    dtype: Any = getattr(ml_dtypes, name)
    ascendc = name.replace("float8", "fp8") + "_t"

    codes = np.arange(256, dtype=np.uint8)
    decoded = np.frombuffer(convert(build, codes, ascendc, "float", "NONE"), np.float32)
    wanted = codes.view(dtype).astype(np.float32)
    np.testing.assert_array_equal(decoded, wanted)
    np.testing.assert_array_equal(np.signbit(decoded), np.signbit(wanted))

    samples = float8_samples()
    with np.errstate(over="ignore", invalid="ignore"):
        nearest = samples.astype(dtype).view(np.uint8)
    np.testing.assert_array_equal(np.frombuffer(convert(build, samples, "float", ascendc, "RINT"), np.uint8), nearest)


def test_the_page_counts_its_rows() -> None:
    counts = Counter(row[-1].partition(":")[0] for row in ROWS)
    text = PAGE.read_text(encoding="utf-8")
    assert f"{len(ROWS)} results" in text
    assert f"{counts['agrees']} agree" in text and f"{counts['differs']} differ" in text
    assert f"{counts['not in the model']} are of types" in text


def test_what_differs_is_explained() -> None:
    differing = [row for row in ROWS if row[-1].startswith("differs")]
    assert differing and all(re.fullmatch(r"differs: note \d", row[-1]) for row in differing)
    text = PAGE.read_text(encoding="utf-8")
    for note in {row[-1].split()[-1] for row in ROWS if ": note " in row[-1]}:
        assert f"\n{note}. " in text
