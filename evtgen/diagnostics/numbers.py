"""Codes of what a verification's numbers say: results that left the formula, and what could not be judged."""

from __future__ import annotations

from .diagnostic import Severity
from .table import declare

OUT_OF_RANGE = declare(
    "EVT150",
    "A result overflowed on the way",
    """The device computes what the epilogue's types ask for, but elements of a result are infinite or NaN, or have
    wrapped around, where the same formula in float64 is an ordinary number. The warning names the first node at which
    that happens: compute in a wider type up to there, scale before it, or clamp.""",
    severity=Severity.WARNING,
)
INACCURATE = declare(
    "EVT151",
    "A result is less accurate than its type",
    """The device computes what the epilogue's types ask for, but a result is further from the same formula in float64
    than 32 roundings of its own type, or of the accumulator's, explain. Either a narrower type lies between, or large
    values cancel. The warning names the first node that has lost more than its type explains: what comes before it
    should be computed in a wider type.""",
    severity=Severity.WARNING,
)
NOT_A_NUMBER = declare(
    "EVT152",
    "The formula is not a number",
    """Elements of a result are NaN by the formula itself, in float64: the logarithm or root of a negative number, 0 /
    0, ∞ − ∞. The warning names the first node at which that happens. Verification looks for data without it, positive
    ones included, before it gives up.""",
    severity=Severity.WARNING,
)
NOT_JUDGED = declare(
    "EVT153",
    "Too little was judged",
    """An element is judged when its bound is small beside its value, or beside the median magnitude of the output: at
    most an eighth in half and bfloat16, a 64th in other types. NaN is not judged, infinity only where the formula has
    it. With less than 99 % of an output judged, a wrong program could pass, so the run has failed.

    Look at what makes the bound wide: a function near a pole, a sum of many terms in a narrow type, terms that cancel,
    an exponential that amplifies an error. Other data may judge it (`--seed`, `--data`, a smaller `--shape`); a wider
    type always narrows the bound.""",
)
ONE_SIDED = declare(
    "EVT154",
    "A mask is the same everywhere",
    """A comparison is true for all elements of a run, or for none, so what the other side computes was not seen.
    Verification draws other data a few times to avoid it. With `--seed` or `--shape` it may come out mixed; if it never
    does, the epilogue does not need the mask.""",
    severity=Severity.WARNING,
)
