"""Codes of the numbers of a verification: results that differ from the formula, and results that cannot be judged."""

from __future__ import annotations

from .diagnostic import Severity
from .table import declare

OUT_OF_RANGE = declare(
    "EVT150",
    "A result overflowed on the way",
    """The device computes what the epilogue's types ask for, but elements of a result are infinite or NaN, or have
    wrapped around, where the same formula in float64 is an ordinary number. The warning names the first node where
    that happens. Compute in a wider type up to that node, scale before it, or clamp.""",
    severity=Severity.WARNING,
    says={
        "": (
            ("{name} is infinite, NaN or wrapped around in {share} of its elements, its formula is not; {first}"),
            "compute in a wider type up to there, scale before it, or clamp",
        ),
    },
)
INACCURATE = declare(
    "EVT151",
    "A result is less accurate than its type",
    """The device computes what the epilogue's types ask for, but a result is further from the same formula in float64
    than 32 roundings of its own type, or of the accumulator's, explain. Either something is computed in a narrower
    type on the way, or large values cancel. A cast to a narrower type, `ops.round` and the like are no such loss: the
    formula rounds there, too. The warning names the first node that has lost more than its type explains; compute the
    nodes before it in a wider type.""",
    severity=Severity.WARNING,
    says={
        "": (
            (
                "{share} of the elements of {name} are off from the formula by more than rounding to their type "
                "explains, by up to {error:.2g} of their size; {first}"
            ),
            "compute what it is made from in a wider type",
        ),
    },
)
NOT_A_NUMBER = declare(
    "EVT152",
    "The formula is not a number",
    """Elements of a result are NaN by the formula itself, in float64: the logarithm or root of a negative number, 0 /
    0, ∞ − ∞. The warning names the first node where that happens. Verification tries other data, positive data
    included, before it gives up.""",
    severity=Severity.WARNING,
    says={
        "": (
            "{name} is NaN in {share} of its elements by the formula itself; first at {alias}",
            "keep its operand within the function's domain",
        ),
    },
)
NOT_JUDGED = declare(
    "EVT153",
    "Too little was judged",
    """An element is judged when its bound is small beside its value, or beside the median magnitude of the output: at
    most an eighth in half and bfloat16, a 64th in other types. NaN is not judged; infinity is judged only where the
    formula has it too. If less than 99 % of an output is judged, a wrong program could pass, so the run fails.

    Look for the cause of the wide bound: a function near a pole, a sum of many terms in a narrow type, terms that
    cancel, an exponential that amplifies an error. Other data may help (`--seed`, `--data`, a smaller `--shape`); a
    wider type always narrows the bound.""",
    says={
        "undefined": (
            "only {judged:.3g} % of {name} was judged: it is infinite or NaN in {undefined} of its elements",
            "data for which the formula is a finite number would judge it",
        ),
        "wide bound": (
            "only {judged:.3g} % of {name} was judged: its bound is up to {bound:.3g}, and its values are of the order "
            "of {typical:.3g}",
            "elements are judged with a bound of at most {share:g} of that: data whose terms do not cancel, "
            "a smaller shape or a wider type would judge it",
        ),
        "columns": (
            "only {judged:.3g} % of {name} was judged: other columns have values that are as large within their bounds",
            "take them of the logits, whose order softmax and tanh keep: ops.argmax(acc), or _, columns = "
            "ops.topk(acc, k)",
        ),
    },
)
ONE_SIDED = declare(
    "EVT154",
    "A mask is the same everywhere",
    """A comparison is true for all elements of a run, or for none, so the other case was not tested. Verification draws
    other data a few times to avoid that. Another `--seed` or `--shape` may give a mixed mask; if none does, the
    epilogue does not need the mask.""",
    severity=Severity.WARNING,
    says={
        "": ("{alias} is {value} in every element of this run", None),
    },
)

WRONG_RESULT = declare(
    "EVT156",
    "The device computes something else",
    """An element of an output lies outside of the bound that the stepwise reference has for it, an output differs
    between two orders of execution, or there is no output because the program does not compile or does not come to its
    end. The message says which, and where the first element is. The headers are wrong, or the compiler's reading of
    them is.""",
)
