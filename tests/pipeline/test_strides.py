"""Which arrays lie as a kernel reads them, against the memory itself."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.stride_tricks import as_strided

from evtgen.pipeline.strides import meant_text, place, strides_text

MEMORY = np.arange(4000, dtype=np.int32)
START = 2000


@given(
    shape=st.lists(st.integers(1, 4), min_size=2, max_size=3),
    steps=st.lists(st.integers(-5, 20), min_size=3, max_size=3),
    along=st.sampled_from([-1, -2]),
)
def test_a_place_finds_every_element(shape: list[int], steps: list[int], along: int) -> None:
    """At the distances of its lines and parts, and neighbours along a line; a place is refused only for a reason."""
    array = as_strided(MEMORY[START:], shape, [4 * step for step in steps[: len(shape)]])
    found, length = place(array, along), shape[along]
    parts, rows, columns = (1,) * (3 - len(shape)) + tuple(shape)
    *_, part, row, column = [0, *steps[: len(shape)]]
    across = row if along == -1 else column
    step = column if along == -1 else row
    lines = rows if along == -1 else columns
    if found is None:
        assert (step != 1 and length > 1) or (across < length and lines > 1) or (part < 0 and parts > 1)
        return
    for index in np.ndindex(parts, rows, columns):
        line, at = index[1:] if along == -1 else index[:0:-1]
        assert array.reshape(parts, rows, columns)[index] == START + index[0] * found.parts + line * found.lines + at
    assert found.lines >= length and found.parts >= 0


def test_elements_that_no_stride_reaches() -> None:
    pairs = np.zeros((3, 4), [("a", np.int32), ("b", np.int16)])["a"]  # 6 bytes apart
    assert place(pairs, -1) is None and strides_text(pairs) == "(6, 1.5)"
    assert place(np.zeros((0, 4))[:, ::-1], -1) is not None  # nothing is read
    assert meant_text(np.zeros((2, 3, 4)), -1) == "(≥ 0, ≥ 4, 1)" and meant_text(np.zeros((3, 4)), -2) == "(1, ≥ 3)"
