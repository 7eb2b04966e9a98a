"""Sequences of casts equal a single rounding, for every pair of types and in every mode."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from evtgen.graph.types import (
    ELEMENT_TYPES,
    ElementType,
    bfloat16,
    float8_e4m3fn,
    float8_e5m2,
    float32,
    half,
    int8,
    int16,
    int32,
    mask,
    uint8,
)
from evtgen.operators.arrays import cast
from evtgen.targets import ARCHITECTURES, Ascend950, AtlasA2, CastStep, cast_steps

from ..support.rounding import MODES, round_once, roundings, same, samples

NUMBERS = [T for T in ELEMENT_TYPES.values() if T.kind in ("float", "int")]


def applied(values: Any, steps: tuple[CastStep, ...]) -> Any:
    for step in steps:
        values = cast(values, step.to, step.mode)
    return values


@pytest.mark.slow
@pytest.mark.parametrize("source", NUMBERS, ids=str)
def test_every_sequence_rounds_once(source: ElementType) -> None:
    values = samples(source)
    for to in NUMBERS:
        expected = roundings(values, to)
        for mode in MODES:
            # Most are those of all architectures.
            for steps in {cast_steps(arch, source, to, mode) for arch in ARCHITECTURES.values()} - {None}:
                assert steps is not None
                wrong = ~same(applied(values, steps), expected(mode))
                assert not wrong.any(), (to, mode, steps, values[wrong][:5])


def test_every_step_is_one_that_the_architecture_has() -> None:
    for source, to, mode in product(NUMBERS, NUMBERS, (*MODES, "CAST_NONE")):
        for step in cast_steps(AtlasA2, source, to, mode) or ():
            assert step.mode in AtlasA2.casts[step.source, step.to]


def test_what_has_no_sequence() -> None:
    """Only what no instruction can finish: to odd, but to half; and int32 to bfloat16 to nearest."""
    numbers = [T for T in NUMBERS if AtlasA2.has(T)]
    missing = {
        (source, to, mode) for source, to in permutations(numbers, 2) for mode in MODES
        if cast_steps(AtlasA2, source, to, mode) is None
    }  # fmt: skip
    odd = {
        (source, to, "CAST_ODD") for source, to in permutations(numbers, 2)
        if to != half and not to.includes(source) and not source.kind == to.kind == "int"
    }  # fmt: skip
    assert missing - odd == {(int32, bfloat16, "CAST_RINT")}
    assert odd - missing == set()


def test_only_ascend950_has_floats_of_eight_bits() -> None:
    for T in (float8_e4m3fn, float8_e5m2):
        assert Ascend950.has(T) and not AtlasA2.has(T)
        assert not any(cast_steps(AtlasA2, T, to) or cast_steps(AtlasA2, to, T) for to in NUMBERS)
        assert cast_steps(Ascend950, float32, T) == ((float32, T, "CAST_RINT"),)
        assert cast_steps(Ascend950, half, T) == ((half, float32, "CAST_NONE"), (float32, T, "CAST_RINT"))
        assert cast_steps(Ascend950, T, half) == ((T, float32, "CAST_NONE"), (float32, half, "CAST_NONE"))
        assert cast_steps(Ascend950, float32, T, "CAST_TRUNC") is None


def _paths(here: ElementType, to: ElementType, seen: tuple[ElementType, ...]) -> Iterator[tuple[CastStep, ...]]:
    for (source, end), modes in AtlasA2.casts.items():
        if source == here and end not in seen:
            for mode in modes:
                if end == to:
                    yield (CastStep(source, end, mode),)
                else:
                    for rest in _paths(end, to, (*seen, end)):
                        yield (CastStep(source, end, mode), *rest)


def test_int32_to_bfloat16_has_none() -> None:
    """Each of all sequences is wrong somewhere."""
    hard = [2**24 + 2**16 + 1, 2**24 + 2**16 - 1, 2**30 + 2**22 + 1, 2**30 + 2**22 - 1, 2**30 + 3 * 2**22, 2**20 + 1]
    values = np.array(hard + [-v for v in hard] + [1, 70_001, -70_001, 255, 257, 259, 2**9 + 2 + 1], np.int32)
    tried = list(_paths(int32, bfloat16, (int32,)))
    assert len(tried) > 30
    expected = round_once(values, bfloat16, "CAST_RINT")
    assert not any(same(applied(values, steps), expected).all() for steps in tried)


@pytest.mark.slow
def test_two_roundings_to_nearest_are_found() -> None:
    """That the samples tell: the sequence that one would write first is wrong."""
    for source, to, between in ((float32, int8, half), (int32, bfloat16, float32), (float32, uint8, half)):
        values = samples(source)
        twice = cast(cast(values, between, "CAST_RINT"), to, "CAST_RINT")
        assert not same(twice, round_once(values, to, "CAST_RINT")).all()


def test_what_they_are() -> None:
    assert cast_steps(AtlasA2, float32, int8) == ((float32, half, "CAST_ODD"), (half, int8, "CAST_NONE"))
    assert cast_steps(AtlasA2, bfloat16, uint8, "CAST_FLOOR") == (
        (bfloat16, float32, "CAST_NONE"), (float32, half, "CAST_ODD"), (half, uint8, "CAST_FLOOR"),
    )  # fmt: skip
    assert cast_steps(AtlasA2, int16, float32, "CAST_CEIL") == ((int16, float32, "CAST_NONE"),)
    assert cast_steps(AtlasA2, half, half) == ()
    assert cast_steps(AtlasA2, half, int8, "CAST_UP") is None
    assert cast_steps(AtlasA2, half, mask) is None and cast_steps(AtlasA2, mask, half) is None


def test_float32_to_int8_is_not_rounded_twice() -> None:
    """0.5001 is 1 and 126.5001 is 127, which rounding to half first makes 0 and 126."""
    x = np.array(
        [0.5001, 126.5001, -0.5001, 2.5, -2.5, 127.4999, 127.5001, 1e9, -1e9, np.nan, np.inf, 1e-30], np.float32
    )
    assert round_once(x, int8, "CAST_RINT").tolist() == [1, 127, -1, 2, -2, 127, 127, 127, -128, 0, 127, 0]
    steps = cast_steps(AtlasA2, float32, int8)
    assert steps is not None
    assert applied(x, steps).tolist() == round_once(x, int8, "CAST_RINT").tolist()
