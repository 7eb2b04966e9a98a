"""Why a mutant of numbers changes nothing: no output differs in a bit, or in more than its bounds allow, and the reason
is stated here.

Where a reason can be tried out, it is, by other changes at the same place: one that must change as little if the reason
is true, or one that must be caught, which shows that the place matters to the outputs.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .numbers_text import Mutant

QUANTIZES_MX = "(?:fp4_)?mx_swiglu_quantize"

FEW = 2000
"""Elements of an output that are too few for some changes to meet one that shows them: between those of the smallest
default shape, of which parts make 3 x 584 at most (``mla_prologue``), and those of the next, 87 x 198."""


@dataclass(frozen=True)
class Reason:
    """A reason, and the mutants that it may be given for.

    Attributes:
        text: the reason.
        kinds: of its mutants.
        call: a pattern for what stands at the site.
        shown: a pattern that is found in the site's text.
        epilogue: a pattern for the epilogue's name.
        few: it holds only where the outputs have few elements.
        within: outputs may differ, too, within the bounds.
        silent: a change that must change nothing either.
        loud: a change that must be caught.
    """

    text: str
    kinds: tuple[str, ...]
    call: str
    shown: str = ""
    epilogue: str = ".*"
    few: bool = False
    within: bool = False
    silent: str | None = None
    loud: str | None = None

    def fits(self, mutant: Mutant, elements: int, identical: bool) -> bool:
        """Whether it may be given for a mutant of an epilogue whose outputs have so many elements."""
        return (
            mutant.kind in self.kinds
            and re.fullmatch(self.call, mutant.site.call) is not None
            and re.search(self.shown, mutant.site.shown) is not None
            and re.fullmatch(self.epilogue, mutant.epilogue) is not None
            and not (self.few and elements > FEW)
            and (identical or self.within)
        )


REASONS = (
    Reason(
        "no element reaches the limit, or beyond it the result is the same: with one a thousand times as far away "
        "nothing changes either",
        ("constant",), "Maxs|Mins|Constant", r"^M(?:axs|ins)\(|of (?:Clamp|Maxs|Mins)\d*$", silent="constant=-1000",
    ),
    Reason(
        "from far below the limit on the result is 1 in float: with two thirds of it nothing changes either, and with "
        "one a thousand times as far away the exponential overflows",
        ("constant",), "Mins", r"^Mins\(dst, x, 88", silent="constant=3", loud="constant=-1000",
    ),
    Reason(
        "from far below the limit on the result is 1 to within an ulp: a seventh of it is caught",
        ("constant",), "Mins", r"^Mins\(tmp, tmp, LIMIT", within=True, loud="constant=7",
    ),
    Reason(
        "only a mean is divided by how many values there are, and the reduction is none: with a thousand times as many "
        "nothing changes either",
        ("exchange",), "Instead", silent="constant=1000",
    ),
    Reason(
        "only the square of the difference is used, so that its sign does not matter",
        ("swap",), "Sub", silent="factor=-1", loud="factor=1.25",
    ),
    Reason(
        "beside the mean square of a row it is too small to show: a thousand million times as much does",
        ("constant",), "Constant", r"^1e-0[56]f of Adds\d*$", epilogue=r"\w*(?:norm|mla)\w*", within=True,
        loud="constant=1e9",
    ),
    Reason("nothing is multiplied afterwards", ("exchange",), "SetHF32Mode", "false"),
    Reason(
        "what is equal is so either way round", ("swap",), "Compare", r"\bMODE\b", epilogue="top1_gate", loud="invert",
    ),
    Reason(
        "they stand behind the last value of a group, and are spread over blocks that nobody reads: a thousand instead "
        "changes nothing either",
        ("factor", "constant"), "Duplicate", r"^Duplicate\(ubColumn\[count - last\]", silent="constant=1000",
    ),
    Reason(
        "it stands for an index where there is none, and is more than any: less than half of it changes nothing "
        "either, but a negative value does",
        ("constant",), "Constant", "^16777216.0f of WhereScalar", silent="constant=1", loud="constant=2",
    ),
    Reason(
        "an index, or a byte, is a whole number already: one more is caught",
        ("rounding",), "Cast", epilogue="moe_gating_top_1|fp8_block_linear", loud="factor=1.01",
    ),
    Reason(
        "bfloat16 over a power of two is bfloat16 already: a quarter more is caught",
        ("rounding",), "Cast", epilogue="fp4_mx_swiglu_quantize", loud="factor=1.25",
    ),
    Reason(
        "only an upper bit of it is read: another call is caught",
        ("factor",), "Adds", r"^Adds\(ubAbove, bits", loud="exchange",
    ),
    Reason(
        "one bit more of a power of two is a rounding: its negative is caught",
        ("factor",), "ShiftLeft|Maxs|Add", r"^\w+\(out, ", epilogue=QUANTIZES_MX, within=True, loud="factor=-1",
    ),
    Reason(
        "it stands for NaN, which no scale is, and is zero for all others, or few bits: tests read every byte",
        ("factor", "exchange"), "Adds|ShiftRight|Add", r"^(?:\w+\(ubBits, |Add\(out, )", epilogue=QUANTIZES_MX,
        within=True,
    ),
    Reason(
        "of so few blocks none is so near to a power of two that it falls below: a third is caught",
        ("constant",), "Constant|Muls", "^0.00390625f of Muls", epilogue=QUANTIZES_MX, few=True,
        loud="constant=3",
    ),
    Reason(
        "an index among so few columns is rounded to the same: a thousand times as much is not",
        ("factor",), "WholeReduceMin|Select|Cast", epilogue="moe_gating_top_1", few=True, loud="factor=1000",
    ),
    Reason(
        "so short a row has no columns beyond the first repeat: a thousand times as much changes nothing either",
        ("factor",), "Copy", r"^Copy\(ubTile\[column\], ubTile, mask", few=True, silent="factor=1000",
    ),
    Reason(
        "the sum that it is divided by, or the norm, has the same factor: no factor but zero shows",
        ("factor",), "Exp|Sub|Add", epilogue="(?:causal_)?softmax|layer_norm", within=True, loud="factor=0",
    ),
    Reason(
        "one B lies alone, and each B of a list has an address of its own: without a size nothing changes either",
        ("step",), "Rows", "^return size$", silent="first-rows=0",
    ),
    Reason(
        "what follows begins at the next multiple of its alignment: without a size something is overwritten",
        ("step",), "Rows", "^return size$", loud="first-rows=0",
    ),
    Reason("zero times any factor is zero", ("factor",), "Duplicate", silent="factor=1000", loud="constant=0.25"),
    Reason(
        "a column of zeros times what stands there is zero; sabotage of order sees that nothing has written it",
        ("last-column",), "Store", r"^CopyUbToGm\{\}\(gm\[first\], ub", epilogue=r"moe_wgrad(_norm)?|slice_k\w+",
    ),
    Reason(
        "zero times any factor is zero; whole numbers are compared with it: one instead changes something",
        ("factor",), "Duplicate", epilogue="alibi_scores|causal_softmax", silent="factor=1000", loud="constant=1",
    ),
    Reason(
        "whole numbers are compared with it, of which none lies between: with 0.9 nothing changes either, but with 1",
        ("constant",), "Constant", r"^0\.0f of LessEqualScalar\d*$", silent="constant=0.9", loud="constant=1",
    ),
    Reason(
        "only the sign of the difference is used, which is compared with zero: a thousand times as much changes "
        "nothing either, but its negative does",
        ("factor",), "Cast", silent="factor=1000", loud="factor=-1",
    ),
    Reason(
        "only the magnitude of the difference is used, so that its sign does not matter",
        ("swap",), "Sub", epilogue="sliding_window", silent="factor=-1", loud="factor=1.25",
    ),
    Reason(
        "a causal mask hides the last columns from all rows, so that their sums are zero, as they were before: without "
        "the last four nothing changes either, but without any",
        ("last-column",), "Store", r"^CopyUbToGm\{\}\(gm, ub", epilogue="lower_triangle", silent="last-columns=4",
        loud="last-columns=1000",
    ),
    Reason(
        "a causal mask hides the last columns from all rows: where only the first lane is left, something changes",
        ("lane",), "WholeReduce(?:Sum|Max)", epilogue="causal_softmax", few=True, loud="first-lane",
    ),
    Reason(
        "a causal mask hides the last columns from all rows: where only the first two parts are left, nothing changes "
        "either, but with the first alone",
        ("step",), "Rows", epilogue="causal_softmax", silent="first-rows=2", loud="first-rows=1",
    ),
    Reason(
        "a causal mask leaves one tile to contribute to each element, as the other adds zeros: a plain store changes "
        "something, as either may be last",
        ("exchange",), "SetAtomicAdd", epilogue="causal_softmax", loud="plain",
    ),
    Reason(
        "what is rectified is not negative: it is the same without a sign", ("exchange",), "Abs",
        epilogue="relu_quantize_per_tensor", loud="factor=1.25",
    ),
    Reason(
        "the one maximum of all is not in the last lane: where only the first is left, something changes",
        ("lane",), "WholeReduceMax", epilogue="relu_quantize_per_tensor", loud="first-lane",
    ),
    Reason(
        "the one maximum of all is not in the last part: where only the first is left, something changes",
        ("step",), "Rows", epilogue="relu_quantize_per_tensor", loud="first-rows=1",
    ),
    Reason(
        "no row has its largest value in the last part, which has a few columns",
        ("step",), "Rows", epilogue="mla_prologue",
    ),
    Reason(
        "one tile contributes to each element, which is zero before: a plain store changes nothing either; and no "
        "contribution is negative",
        ("exchange",), "SetAtomicAdd", silent="plain",
    ),
    Reason(
        "the largest value is not in what is left out, and there is only one maximum, of all or of each expert",
        ("lane", "step"), "WholeReduceMax|Rows", epilogue="(expert_)?abs_max",
    ),
    Reason(
        "no row has its largest value in the first column of a block: one row off, something changes",
        ("column-off",), "Load", r"^CopyGmToUb\{\}\(ubAcc", epilogue="softmax(_lse)?|top1_gate", loud="row-off",
    ),
    Reason(
        "no row has its largest value in the last lane of a repeat: where only the first is left, something changes",
        ("lane",), "WholeReduceMax", epilogue="softmax_lse", loud="first-lane",
    ),
    Reason(
        "of so few rows none has its largest value there: where only the first lane is left, something changes",
        ("lane",), "WholeReduceMax", epilogue=r"\w*swiglu_\w*quant\w*|per_\w+|mla_\w+", few=True, loud="first-lane",
    ),
    Reason(
        "the last five rows are of no group: without them nothing changes either, but without one more",
        ("last-column",), "Store", r"^CopyUbToGm\{\}\(gm\[first\], ub", epilogue="experts_swiglu_quantize_per_token",
        silent="last-columns=5", loud="last-columns=6",
    ),
    Reason(
        "of so few rows the last that are left have places that nobody asks for: a scatter leaves them out",
        ("last-block", "step"), "LeftOut|Rows", epilogue="expert_scatter|dispatch_ffn_combine", few=True,
    ),
    Reason(
        "one bit in the place of a half is 2^-24, which so few sums all round away",
        ("factor",), "Duplicate", r"^Duplicate\(ubRows", epilogue="gathered_residual", few=True,
    ),
    Reason(
        "the last of the elements that are filled are no columns of so short a row: without any, something changes",
        ("last-column",), "Store", r"^CopyUbToGm\{\}\(gm\[first\], ub", epilogue="bias_gradient_in_order", few=True,
        loud="last-columns=1000",
    ),
    Reason(
        "of so few elements none lies between the threshold and the changed one",
        ("factor", "constant"), "Duplicate|Constant", r"^Duplicate\(tmp, |of (?:Greater|Less)(?:Equal)?Scalar\d*$",
        few=True, loud="constant=-1000",
    ),
    Reason(
        "of so few elements none is equal to what it is compared with, or the choices are the same there",
        ("exchange",), "Compare", few=True, loud="invert",
    ),
    Reason(
        "of so few elements none is below the limit's negative",
        ("exchange",), "Abs", epilogue="outliers_apart", few=True, loud="factor=1000",
    ),
    Reason(
        "of so few elements none lies where the two ways to round differ",
        ("rounding",), "Cast", few=True, loud="factor=1.25",
    ),
    Reason(
        "of so few elements all are rounded to the same value of the output's type",
        ("constant",), "Muls|Adds", few=True, loud="constant=1",
    ),
)  # fmt: skip


def reason(
    mutant: Mutant, elements: int, identical: bool, silent: Callable[[str], bool], loud: Callable[[str], bool]
) -> str | None:
    """Why a mutant changes nothing.

    Args:
        elements: how many each M x N output has.
        identical: whether no output differs in a bit.
        silent: whether another change at its place changes nothing.
        loud: whether it is caught.
    """
    for candidate in REASONS:
        if (
            candidate.fits(mutant, elements, identical)
            and (candidate.silent is None or silent(candidate.silent))
            and (candidate.loud is None or loud(candidate.loud))
        ):
            return candidate.text
    return None
