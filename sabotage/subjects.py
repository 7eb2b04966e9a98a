"""The epilogues whose emitted text is broken, and the text itself."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from types import MappingProxyType

from evtgen.emit.render import Framework, epilogue_files, framework_files
from evtgen.frontend.load import load
from evtgen.ir import Epilogue, TreeVisitor
from evtgen.lower.plan import Plan, lower
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Compute, RowBroadcast, RowReduce
from evtgen.ops import OPERATORS
from evtgen.types import float32, half

CHECKOUT = Path(__file__).parents[1]

SHAPE = (257, 486, 16)
"""M, N, K of every run: several blocks per core, tails of both kinds, a block of one row, several tiles per block."""


@dataclass(frozen=True)
class Subject:
    """An epilogue, its emitted header, and whether it is one of the examples."""

    plan: Plan
    header: str
    example: bool

    @property
    def name(self) -> str:
        return self.plan.name

    def has(self, path: str) -> bool:
        """Whether the emitted file at ``path`` is part of its kernel."""
        if not path.startswith("catlass/"):
            return path == f"{self.name}.hpp"
        stem = Path(path).stem
        kinds = {"tree_visitor", "topological_visitor"}
        if stem not in kinds and (not stem.startswith("visitor_") or stem.startswith("visitor_impl")):
            return True
        return "".join(part.capitalize() for part in stem.split("_")) in self.header


def _operators() -> Epilogue:
    """Every operator that has barriers of its own, one after the other, below both other reductions."""
    value: TreeVisitor | AccLoad = AccLoad(float32)
    for cpp in ("Plus", "Multiplies", "Maximum", "Minimum"):
        others = AuxLoad(f"X{cpp}", float32), RowBroadcast(f"row{cpp}", float32)
        value = TreeVisitor(Compute(cpp, float32), value, *others)
    for operator in OPERATORS.values():
        if operator.name in ("divide_scalar", "divide_into_scalar"):
            value = TreeVisitor(Compute(operator.cpp, float32, scalar=2.0), value)
    value = TreeVisitor(RowReduce("most", "Maximum", float32, identity=-1e30), value)
    return Epilogue("operators", TreeVisitor(RowReduce("least", "Minimum", float32, identity=1e30), value))


def _others(examples: list[Epilogue]) -> list[Epilogue]:
    """What else it takes to reach every line of the framework that orders something."""
    by_name = {epilogue.name: epilogue for epilogue in examples}

    def stored(name: str, loaded: AuxLoad | RowBroadcast) -> Epilogue:
        """D = C + what was loaded, which STORE writes to E as well."""
        total = TreeVisitor(Compute("Plus", half), AccLoad(half), TreeVisitor(AuxStore("E", half), loaded))
        return Epilogue(name, TreeVisitor(AuxStore("D", half), total))

    default = TreeVisitor(Compute("Plus", half), AccLoad(half), AuxLoad("X", half, null_default=1.0))
    reduced = TreeVisitor(RowReduce("row", "Plus", float32, identity=0.0), AccLoad(float32))
    return [
        Epilogue("stored_accumulator", TreeVisitor(AuxStore("D", half), AccLoad(half))),
        stored("stored_input", AuxLoad("X", half)),
        stored("stored_row", RowBroadcast("row", half)),
        Epilogue("defaulted", TreeVisitor(AuxStore("D", half), default), buffers=1),
        Epilogue("reduced_accumulator", reduced, compute_length=256),
        replace(by_name["matmul_add_evt"], name="three_buffers", buffers=3),
        replace(by_name["row_broadcast_reduction_evt"], name="split_rows", compute_length=96),
        _operators(),
    ]


@cache
def framework() -> Mapping[str, str]:
    """The emitted framework: path → text."""
    return MappingProxyType(framework_files(Framework()))


@cache
def subjects() -> tuple[Subject, ...]:
    """The four examples, then the others."""
    examples = load(sorted((CHECKOUT / "examples").glob("3*.py")))
    found = []
    for epilogue in (*examples, *_others(examples)):
        plan = lower(epilogue)
        header = epilogue_files(plan, Framework())[f"{plan.name}.hpp"]
        found.append(Subject(plan, header, epilogue in examples))
    return tuple(found)
