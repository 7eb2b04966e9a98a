"""The sentence about buffers and flags that no core used again."""

from __future__ import annotations

from collections.abc import Iterable

from ..model.uses import Use, merged
from ..system.translation import recognised, tr

SHOWN = 2
"""The number of names that are shown. ``--json`` has all."""


NAMES = (
    "{space} buffer at byte {start}", "flag {event}, id {id}", "cross-core flag {id} of mode {mode}",
    "cross-core flag {id}",
)  # fmt: skip
"""What the CPU model calls them."""


def not_again(uses: Iterable[Use]) -> str:
    """Their number and the first names; empty if there are none."""
    once = [use["name"] for use in merged(uses) if not use["again"]]
    names = tr(", ").join([*(recognised(name, NAMES) for name in once[:SHOWN]), *(["…"] if len(once) > SHOWN else [])])
    if not once:
        return ""
    return tr(
        "no core used {count} of the buffers and flags again, so their order is unchecked ({names})",
        count=len(once), names=names,
    )  # fmt: skip
