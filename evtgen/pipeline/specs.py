"""Specs, loaded and checked: the first step of every command, and of every function of the Python API."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import attrgetter
from pathlib import Path
from typing import TypeAlias

from ..check import has_errors, planned
from ..diagnostics import cpp, tuning
from ..diagnostics import files as codes
from ..diagnostics.diagnostic import WRONG_INPUT, Diagnostic, EvtgenError
from ..frontend.cpp.paths import INCLUDE_DIRS, is_cpp
from ..frontend.dispatch import Served
from ..graph.ir import Epilogue
from ..passes.analysis.fields import describe
from ..planner.plan import Plan
from ..system.translation import tr

_One: TypeAlias = tuple[Epilogue, Plan | None, list[Diagnostic]]
"""An epilogue, its plan unless it has an error, and what was found in it."""


@dataclass(frozen=True)
class Spec:
    """A spec file and the epilogues in it, in order of definition; no path: they were given as they are. ``plans`` are
    of the epilogues without errors."""

    path: Path | None
    epilogues: tuple[Epilogue, ...]
    plans: tuple[Plan, ...]


@dataclass
class Checked:
    """Specs that were loaded and checked, and their diagnostics."""

    specs: list[Spec] = field(default_factory=list)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether no diagnostic is an error."""
        return not has_errors(self.diagnostics)

    @property
    def epilogues(self) -> list[Epilogue]:
        """The epilogues of all specs, in order."""
        return [epilogue for spec in self.specs for epilogue in spec.epilogues]

    @property
    def plans(self) -> list[Plan]:
        """The plans of the epilogues without errors, in order: where all are :attr:`ok`, of each."""
        return [plan for spec in self.specs for plan in spec.plans]

    def require(self, *, seen: bool = True) -> Checked:
        """Itself. Raises EvtgenError with every diagnostic if one is an error, and, unless it need not be ``seen``, for
        each functor in C++ of which nothing but the name is known (EVT222)."""
        if not self.ok:
            raise EvtgenError(self.diagnostics, 2)
        if seen and (problems := list(self._unseen())):
            raise EvtgenError(problems)
        return self

    def add(self, path: Path | None, found: Iterable[_One]) -> None:
        """Take over what checking the epilogues of a file has yielded."""
        epilogues, plans, diagnostics = tuple(zip(*found, strict=True)) or ((), (), ())
        self.specs.append(Spec(path, epilogues, tuple(plan for plan in plans if plan is not None)))
        # An epilogue with other blocks is checked again.
        self.diagnostics = [*dict.fromkeys([*self.diagnostics, *chain.from_iterable(diagnostics)])]

    def _unseen(self) -> Iterator[Diagnostic]:
        for spec in self.specs:
            if spec.path is not None and is_cpp(spec.path):
                from ..frontend.cpp.nodes import unseen

                for epilogue in spec.epilogues:
                    for node in unseen(epilogue):
                        message = tr("nothing is known of the functor in {node} but its name", node=describe(node))
                        yield cpp.UNSEEN(message, node.location, tr("write it in Python with an evt.operator"))


def load_and_check(paths: Sequence[Path]) -> Checked:
    """Load every spec and check every epilogue. Every fault of a spec, failure to load included, is a diagnostic.
    Raises EvtgenError where the machine lacks what reads one (EVT220)."""
    result = each_checked(paths)
    result.diagnostics += [*_clashes(result.epilogues), *_unlike(result.plans)]
    return result


def each_checked(paths: Sequence[Path]) -> Checked:
    """The same for epilogues that stay where they are: several may have one name."""
    from ..frontend.load import load

    result = Checked()
    # A spec that is named twice counts once.
    for path in dict.fromkeys(paths):
        try:
            with _with_headers(path):
                loaded = load([path], result.diagnostics)
        except EvtgenError as error:
            if error.status != WRONG_INPUT:
                raise
            result.diagnostics += error.diagnostics
            continue
        result.add(path, [(_checked_cpp if is_cpp(path) else _checked)(epilogue) for epilogue in loaded])
    return result


@contextmanager
def _with_headers(path: Path) -> Iterator[None]:
    """Look for headers of an example in C++ where ``evtgen build`` writes them, too."""
    before = INCLUDE_DIRS.get()
    if is_cpp(path):
        INCLUDE_DIRS.set((*before, *built_for(path.parent)))
    try:
        yield
    finally:
        INCLUDE_DIRS.set(before)


def built_for(example: Path) -> list[Path]:
    """The directories of headers that ``evtgen build`` wrote for the example in a directory: that of the shared header,
    and the include root."""
    from ..emit.output.manifest import MANIFEST

    examples, include = example / "..", example / "../../include"
    roots = {examples: examples / "common", include: include}
    return [root for written, root in roots.items() if (written / MANIFEST).is_file()]


def check_given(epilogues: Iterable[Epilogue]) -> Checked:
    """Check epilogues that are in memory; one that is given twice counts once."""
    result = Checked()
    result.add(None, [_checked(epilogue) for epilogue in {id(epilogue): epilogue for epilogue in epilogues}.values()])
    result.diagnostics += [*_clashes(result.epilogues), *_unlike(result.plans)]
    return result


def _checked(epilogue: Epilogue) -> _One:
    return epilogue, *planned(epilogue)


def _checked_cpp(epilogue: Epilogue) -> _One:
    """An EVT that is written in C++. Where its tiles are too long for UB, the framework cuts them (EVT218)."""
    plan, found = planned(epilogue)
    if epilogue.compute_length == "auto" or [d.code for d in found if has_errors([d])] != ["EVT054"]:
        return epilogue, plan, found
    cut = replace(epilogue, compute_length="auto")
    plan, again = planned(cut)
    if plan is None:
        return epilogue, plan, found
    message = tr(
        "tiles of {length} elements do not fit UB with {buffers} buffers; evtgen's block epilogue cuts them",
        length=epilogue.compute_length,
        buffers=epilogue.buffers,
    )
    [too_long] = [d for d in found if has_errors([d])]
    return cut, plan, [*again, cpp.CUT(message, too_long.location, too_long.help)]


def in_catlass(plans: Iterable[Plan]) -> list[Diagnostic]:
    """The reasons (EVT175) why Catlass's own visitor framework cannot express epilogues."""
    from ..check.evg import refusals

    return [problem for plan in plans for problem in refusals(plan)]


def expressible(plans: Iterable[Plan]) -> None:
    """Raises EvtgenError (EVT175) unless Catlass's own visitor framework can express every plan."""
    if problems := in_catlass(plans):
        raise EvtgenError(problems)


def _unlike(plans: Iterable[Plan]) -> Iterator[Diagnostic]:
    """EVT311: kernels of one Dispatch, some of which refuse an N or a K that others take; once for each side."""
    kernels: dict[str, list[Plan]] = {}
    for plan in plans:
        if isinstance(plan.epilogue, Served):
            kernels.setdefault(plan.epilogue.operator, []).append(plan)
    for name, some in kernels.items():
        for side, of in (("N", attrgetter("divides_n")), ("K", attrgetter("divides_k"))):
            free, bound = min(some, key=of), max(some, key=of)
            if of(free) != of(bound):
                yield tuning.UNLIKE.of(
                    "", bound.epilogue.location, name=name, side=side, step=math.lcm(*map(of, some)),
                    bound=bound.name, most=of(bound), free=free.name, least=of(free),
                )  # fmt: skip


def _clashes(epilogues: Sequence[Epilogue]) -> list[Diagnostic]:
    """EVT083: epilogues that would be written to one header."""
    # Some file systems ignore case.
    counts = Counter(str(epilogue.name).lower() for epilogue in epilogues)
    first: dict[str, str] = {}
    problems = []
    for epilogue in epilogues:
        name, lower = str(epilogue.name), str(epilogue.name).lower()
        if lower not in first:
            first[lower] = name
            continue
        if name == first[lower]:
            problems.append(codes.SAME_NAME.of("same name", epilogue.location, name=name, counts=counts[lower]))
        else:
            problems.append(codes.SAME_NAME.of("same file", epilogue.location, name=name, first=first[lower]))
    return problems
