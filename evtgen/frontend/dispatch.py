"""One epilogue with several kernels, of which a launch takes one by its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from ..diagnostics.files import USAGE
from ..graph.ir import Epilogue

TUNED = ("l1", "l0", "swizzle", "policy", "split_k", "workspace_stages", "handoff", "msd")
"""The fields of :class:`~evtgen.graph.ir.Gemm` that change how fast a kernel is, and not what it computes; with ``msd``
K is even, whatever the layout of B (EVT311)."""

OPTIONS = ("buffers", "compute_length")
"""The options of an epilogue that do so."""

MOST_ROWS = 999_999_999
"""The most rows of a launch that a kernel is for."""

Fields = Mapping[str, Any]
"""Some of them, with values."""


def applied(epilogue: Epilogue, choice: Fields) -> Epilogue:
    """The epilogue with fields of a choice in place of its own."""
    of_gemm = {name: value for name, value in choice.items() if name in TUNED}
    others = {name: value for name, value in choice.items() if name in OPTIONS}
    return replace(epilogue, gemm=replace(epilogue.gemm, **of_gemm), **others)


def chosen(epilogue: Epilogue) -> dict[str, Any]:
    """Those of an epilogue, all of them."""
    return {name: getattr(epilogue.gemm, name) for name in TUNED} | {name: getattr(epilogue, name) for name in OPTIONS}


def differing(choice: Fields, other: Fields) -> dict[str, Any]:
    """What has another value in the other choice."""
    return {name: value for name, value in choice.items() if value != other[name]}


@dataclass(frozen=True)
class Served(Epilogue):
    """A kernel of a :class:`Dispatch`: the name that all have together, and which rows it serves: more than ``above``,
    and up to ``rows``; None: all of those."""

    operator: str = ""
    above: int = 0
    rows: int | None = None

    def served(self, rows: int) -> int:
        """The number of rows that it serves nearest to this one."""
        return min(max(rows, self.above + 1), self.rows or max(rows, self.above + 1))

    @property
    def plain(self) -> Epilogue:
        """The same without that."""
        return Epilogue(**_fields(self))

    def again(self, made: Epilogue) -> Served:
        """Another epilogue with what is chosen for this kernel."""
        own = {"name": self.name, "operator": self.operator, "above": self.above, "rows": self.rows}
        return Served(**_fields(applied(made, chosen(self))) | own)


def _fields(epilogue: Epilogue) -> dict[str, Any]:
    return {field.name: getattr(epilogue, field.name) for field in fields(Epilogue)}


class Dispatch:
    """One epilogue with several kernels, by the rows of a launch: ``Dispatch(linear, {16: {"l1": (16, 256, 256)}})``.

    It may stand for the list of its kernels: ``NAME_m16`` and, as the epilogue is, ``NAME_any``. An extension has an
    operator ``NAME`` that takes one of them.

    Args:
        epilogue: as it is for all that no other kernel serves.
        upto: for launches of at most so many rows, what differs: ``l1``, ``l0``, ``swizzle``, ``policy``, ``split_k``,
            ``workspace_stages``, ``handoff`` and ``msd`` of ``Gemm``, ``buffers``, ``compute_length``; as
            :func:`evtgen.tune` finds them, ``found.winner.options``. M is that of one matmul, or all rows of groups.

    Raises:
        EvtgenError: EVT079 for an option that changes more than the time, and for rows that are no whole number from 1
            to :data:`MOST_ROWS`.
    """

    def __init__(self, epilogue: Epilogue, upto: Mapping[int, Fields]) -> None:
        self.epilogue, self.name = epilogue, epilogue.name
        made, above = list[Served](), 0
        for rows in upto:
            if type(rows) is not int:
                raise USAGE.here("dispatch", what=rows)
            if not 1 <= rows <= MOST_ROWS:
                raise USAGE.here("dispatched rows", bound="< 1" if rows < 1 else f"> {MOST_ROWS}")
        for rows, options in sorted(upto.items()):
            if wrong := sorted({*options} - {*TUNED, *OPTIONS}):
                raise USAGE.here("dispatch", what=wrong[0])
            made.append(self._kernel(applied(epilogue, options), f"m{rows}", above, rows))
            above = rows
        self.kernels = (*made, self._kernel(epilogue, "any", above, None))

    def _kernel(self, epilogue: Epilogue, which: str, above: int, rows: int | None) -> Served:
        own = {"name": f"{self.name}_{which}", "operator": self.name, "above": above, "rows": rows}
        return Served(**_fields(epilogue) | own)

    def __iter__(self) -> Iterator[Epilogue]:
        return iter(self.kernels)

    def of(self, rows: int) -> Epilogue:
        """The kernel of a launch with so many rows."""
        return next(one for one in self.kernels if one.rows is None or rows <= one.rows)
