"""One epilogue with several kernels, of which a launch takes one by its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

from ..diagnostics.files import USAGE
from ..graph.ir import Epilogue

TUNED = ("l1", "l0", "swizzle", "policy", "split_k", "workspace_stages", "handoff")
"""The fields of :class:`~evtgen.graph.ir.Gemm` that change how fast a kernel is, and not what it computes."""

OPTIONS = ("buffers", "compute_length")
"""The options of an epilogue that do so."""


Fields = Mapping[str, Any]
"""Some of them, with values."""


def applied(epilogue: Epilogue, choice: Fields) -> Epilogue:
    """The epilogue with fields of a choice in place of its own."""
    of_gemm = {name: value for name, value in choice.items() if name in TUNED}
    others = {name: value for name, value in choice.items() if name in OPTIONS}
    return replace(epilogue, gemm=replace(epilogue.gemm, **of_gemm), **others)


@dataclass(frozen=True)
class Served(Epilogue):
    """A kernel of a :class:`Dispatch`: the name that all have together, and up to how many rows it serves; None: the
    others."""

    operator: str = ""
    rows: int | None = None

    @property
    def plain(self) -> Epilogue:
        """The same without that."""
        return Epilogue(**_fields(self))

    def again(self, made: Epilogue) -> Served:
        """Another epilogue with what is chosen for this kernel."""
        chosen = {name: getattr(self.gemm, name) for name in TUNED} | {name: getattr(self, name) for name in OPTIONS}
        return _served(applied(made, chosen), self.name, self.operator, self.rows)


def _fields(epilogue: Epilogue) -> dict[str, Any]:
    return {field.name: getattr(epilogue, field.name) for field in fields(Epilogue)}


def _served(epilogue: Epilogue, name: str, operator: str, rows: int | None) -> Served:
    return Served(**{**_fields(epilogue), "name": name}, operator=operator, rows=rows)


class Dispatch:
    """One epilogue with several kernels, by the rows of a launch: ``Dispatch(linear, {16: {"l1": (16, 256, 256)}})``.

    It may stand for the list of its kernels: ``NAME_m16`` and, as the epilogue is, ``NAME_any``. An extension has an
    operator ``NAME`` that takes one of them.

    Args:
        epilogue: as it is for all that no other kernel serves.
        upto: for launches of at most so many rows, what differs: ``l1``, ``l0``, ``swizzle``, ``policy``, ``split_k``,
            ``workspace_stages`` and ``handoff`` of ``Gemm``, ``buffers``, ``compute_length``; as
            :func:`evtgen.tune` finds them, ``found.winner.options``. M is that of one matmul, or all rows of groups.

    Raises:
        EvtgenError: EVT079 for an option that changes more than the time, and for rows that are no whole number from 1.
    """

    def __init__(self, epilogue: Epilogue, upto: Mapping[int, Fields]) -> None:
        self.epilogue, self.name, made = epilogue, epilogue.name, list[Served]()
        for rows, options in sorted(upto.items(), key=lambda item: (not isinstance(item[0], int), item[0])):
            wrong = sorted({*options} - {*TUNED, *OPTIONS})
            if wrong or not isinstance(rows, int) or rows < 1:
                raise USAGE.here("dispatch", what=wrong[0] if wrong else rows)
            made.append(_served(applied(epilogue, options), f"{self.name}_m{rows}", self.name, rows))
        self.kernels = (*made, _served(epilogue, f"{self.name}_any", self.name, None))

    def __iter__(self) -> Iterator[Epilogue]:
        return iter(self.kernels)

    def of(self, rows: int) -> Epilogue:
        """The kernel of a launch with so many rows."""
        return next(one for one in self.kernels if one.rows is None or rows <= one.rows)
