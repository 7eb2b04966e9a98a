"""Why a mutant of numbers changes nothing: no output differs in a bit, and the reason is stated here.

Where a reason can be tried out, it is: ``proof`` is a larger change at the same place, of which no output may differ
either.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from .numbers_text import Mutant


@dataclass(frozen=True)
class Reason:
    """A reason, and the mutants that it holds for.

    Attributes:
        text: the reason, as a sentence's second half.
        kinds: of its mutants.
        call: a pattern for what stands at the site.
        shown: a pattern that is found in the site's text.
        small: it holds only where there is but a handful of elements.
        proof: a change that is as harmless if the reason is true; None if there is none.
    """

    text: str
    kinds: tuple[str, ...]
    call: str
    shown: str = ""
    small: bool = False
    proof: str | None = None

    def holds(self, mutant: Mutant, elements: int) -> bool:
        """Whether it may be given for a mutant whose outputs have so many elements."""
        return (
            mutant.kind in self.kinds
            and re.fullmatch(self.call, mutant.site.call) is not None
            and re.search(self.shown, mutant.site.shown) is not None
            and not (self.small and elements > FEW)
        )


FEW = 32

REASONS = (
    Reason(
        "no element reaches the limit; it may be a thousand times as far away",
        ("constant",), "Maxs|Mins|Constant", r"^M(?:axs|ins)\(|of (?:Clamp|Maxs|Mins)\d*$", proof="constant=-1000",
    ),
)  # fmt: skip


def reason(mutant: Mutant, elements: int, harmless: Callable[[str], bool]) -> str | None:
    """Why a mutant changes nothing; ``harmless`` says whether another change at its place does neither."""
    for candidate in REASONS:
        if candidate.holds(mutant, elements) and (candidate.proof is None or harmless(candidate.proof)):
            return candidate.text
    return None
