"""Runs mutants on the CPU model and collects its findings."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cache

from evtgen.model.toolchain import CompileFailure

from .callers import BLOCK, visited
from .findings import Hazard, Refusal, findings
from .mutants import Mutant
from .subjects import ATLAS_A2, Subject, framework, subjects

SHORT = 1024
"""Elements of tiles that fit UB by any plan."""

_REFUSED = re.compile(r"static[_ ]assert.* failed.*The plan: ")
"""The assertions of tile_plan.hpp, in the words of g++ and of clang++."""


@dataclass(frozen=True)
class Outcome:
    """The model's findings for a mutant.

    Attributes:
        hazards: name of the subject → its hazards, up to the first group with any: the examples that the mutant is part
            of; the other subjects; then those of them that have one buffer, with VisitStage::ALL.
        problem: the reason why it could not be run, such as the compiler's output; None if it was run.
        refused: whether it was not run because the emitted plans do not hold for it, or the kernel refuses the problem.
    """

    mutant: Mutant
    hazards: Mapping[str, Sequence[Hazard]]
    problem: str | None = None
    refused: bool = False

    @property
    def flagged(self) -> bool:
        """Whether the checker itself found something in any subject, or C++ refused the plan of one."""
        return self.refused or any(self.hazards.values())


def intact(arch: str = ATLAS_A2) -> dict[str, list[Hazard]]:
    """The model's findings for the unchanged text; there must be none."""
    return {**findings({}, subjects(arch)), **_run_at_once({}, subjects(arch))}


def run(mutants: Sequence[Mutant], done: Callable[[Outcome], None] = lambda outcome: None) -> list[Outcome]:
    """The outcome of each mutant, in order; ``done`` is told of each as it comes."""

    def one(mutant: Mutant) -> Outcome:
        outcome = _run_one(mutant)
        done(outcome)
        return outcome

    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(one, mutants))


def _run_one(mutant: Mutant) -> Outcome:
    if mutant.same:
        return Outcome(mutant, {})
    change = {mutant.path: mutant.text}
    concerned = [subject for subject in subjects(mutant.arch) if subject.has(mutant.path, mutant.struct)]
    hazards: dict[str, list[Hazard]] = {}
    try:
        for group in _groups(concerned):
            if not any(hazards.values()):
                hazards |= findings(change, group)
        if mutant.path != BLOCK and not any(hazards.values()):
            hazards |= _run_at_once(change, concerned)
        # A trait that does not hold misleads who plans a tile: here the framework, where a graph has no plan
        simple = [_without_plan(subject) for subject in concerned if _may_lack_plan(subject)]
        if mutant.rule.name == "trait" and simple and not any(hazards.values()):
            known = _known(mutant.arch)
            for name, found in findings(change, simple).items():
                hazards[name] = [hazard for hazard in found if hazard["code"] not in known[name]]
    except Refusal:
        return Outcome(mutant, {}, refused=True)
    except CompileFailure as failure:
        if _REFUSED.search(str(failure)):
            return Outcome(mutant, {}, refused=True)
        return Outcome(mutant, {}, str(failure))
    return Outcome(mutant, hazards)


@cache
def _known(arch: str) -> Mapping[str, set[str]]:
    """The codes that the unchanged text has without a plan: a tile of which only the first row is read (EVT115)."""
    found = findings({}, [_without_plan(subject) for subject in subjects(arch) if _may_lack_plan(subject)])
    return {name: {hazard["code"] for hazard in hazards} for name, hazards in found.items()}


def _may_lack_plan(subject: Subject) -> bool:
    """Whether the accumulator is handed over in GM, and alone: in UB the block's width sets the length of the tiles."""
    plan = subject.plan
    return not (plan.ub_workspace or plan.widening or plan.adding)


def _without_plan(subject: Subject) -> Subject:
    """A subject whose graphs get the simple plan of the framework, with tiles that fit it."""
    header, times = re.subn(r"(?s)Fusion::Planned<\s*Plan,\s*(.*?)>;", r"\1;", subject.header)
    assert times, subject.name
    length = min(subject.plan.compute_length, SHORT)
    return replace(subject, header=re.sub(r"(COMPUTE_LENGTH = )\d+;", rf"\g<1>{length};", header))


def _groups(concerned: Sequence[Subject]) -> Iterator[Sequence[Subject]]:
    """The examples and then the others, each kind's first alone: most mutants show in it, and it compiles fast."""
    for example in (True, False):
        some = [subject for subject in concerned if subject.example == example]
        yield from (group for group in (some[:1], some[1:]) if group)


def _run_at_once(change: Mapping[str, str], concerned: Sequence[Subject]) -> dict[str, list[Hazard]]:
    """With VisitStage::ALL, which is for callers with one buffer."""
    single = [subject for subject in concerned if subject.plan.buffers == 1]
    found = findings(visited({**framework(), **change}, "all"), single) if single else {}
    return {f"{name} (`ALL`)": hazards for name, hazards in found.items()}
