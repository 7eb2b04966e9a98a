"""Winners that are kept: a store in plain JSON, from which a build takes options, and the spec itself.

A winner counts for what it was found with: the graph, the architecture, evtgen's release, and a class of shapes, M up
to a power of two, N and K. One that was found for several shapes counts for those without a class of their own, too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from ..check import planned
from ..diagnostics.diagnostic import Diagnostic
from ..diagnostics.files import USAGE
from ..diagnostics.tuning import NO_STORE, NO_WINNER
from ..emit.output.standalone import write_new
from ..frontend.dispatch import OPTIONS, TUNED, Fields, applied, chosen, differing
from ..frontend.spec_text import rewritten
from ..graph.ir import Epilogue
from ..graph.shapes import Shape
from ..measure.space import identity
from ..model.cache import key
from ..options import TuneOptions
from ..planner.plan import Plan
from ..version import __version__
from .specs import Checked
from .tune import Tuning

_FORM = "evtgen_winners"
_IS = ("epilogue", "graph", "arch", "release", "class")
"""The members that say what a winner counts for."""


def require_places(checked: Checked, options: TuneOptions) -> None:
    """Before a search that may take long: that its winners can be kept. Raises EvtgenError (EVT294, EVT295)."""
    if options.dispatch and not (options.write and len({m for m, _, _ in options.problems}) > 1):
        raise USAGE.here("tuned dispatch")
    if options.write:
        tried = {"swizzle": (1, 0), "buffers": 2}
        upto = {1: tried} if options.dispatch else {}
        for text in _written(checked, {one.name: (tried, upto) for one in checked.epilogues}).values():
            text()
    if options.store is not None and options.store.exists():
        read(options.store)


def keep(checked: Checked, found: Sequence[Tuning], options: TuneOptions) -> list[Path]:
    """Put winners into the store and into the specs, where that was asked for; returns the files that changed.

    Raises EvtgenError: EVT294 for a spec that cannot be rewritten, EVT295 for a file that is no store; EVT095 where the
    system refuses.
    """
    # What was found for all shapes comes last.
    texts: dict[Path, Callable[[], str]] = {}
    if options.write:
        written: dict[str, tuple[Fields, Mapping[int, Fields]]] = {
            one.epilogue: (one.winner.options, {}) for one in found
        }
        if options.dispatch:
            written = {one.name: by_rows(one, found) for one in checked.epilogues}
        texts |= _written(checked, written)
    if options.store is not None:
        texts[options.store] = partial(_stored, options.store, {one.name: one for one in checked.epilogues}, found)
    return write_new(texts, force=True)


def by_rows(epilogue: Epilogue, found: Iterable[Tuning]) -> tuple[Fields, dict[int, Fields]]:
    """The options of an epilogue for the shape with the most rows, and by rows what differs from these for the others:
    what a Dispatch takes. Of shapes with as many rows the one that takes longest counts. Raises EvtgenError (EVT079)
    where nothing was found for the epilogue and its architecture."""
    of = epilogue.name, epilogue.arch
    own = [one for one in found if (one.epilogue, one.arch) == of and len(one.shapes) == 1]
    if not own:
        raise USAGE.here("not tuned", name=epilogue.name, arch=epilogue.arch)
    own.sort(key=lambda one: (one.shapes[0][0], one.default.cycles))
    plain = chosen(epilogue)
    winners = {one.shapes[0][0]: {**plain, **one.winner.options} for one in own}
    _, most = winners.popitem()
    upto: dict[int, Fields] = {}
    larger: Fields = {}
    for rows in reversed(winners):  # The kernel for more rows serves these, too, where it is the same.
        options = differing(winners[rows], most)
        if options != larger:
            upto[rows] = larger = options
    return differing(most, plain), upto


def _written(
    checked: Checked, options: Mapping[str, tuple[Fields, Mapping[int, Fields]]]
) -> dict[Path, Callable[[], str]]:
    """What makes the text of each spec with other options of each epilogue, by its name, and kernels for so many rows:
    of the text that is there then."""
    found: dict[Path, list[Epilogue]] = {}
    for spec in checked.specs:
        for epilogue in spec.epilogues:
            path = spec.path or Path("" if epilogue.location is None else epilogue.location.file)
            found.setdefault(path, []).append(epilogue)

    def text(path: Path) -> str:
        made: str | None = None
        for epilogue in found[path]:
            made = rewritten(path, made, epilogue, *options[epilogue.name])
        return made or ""

    return {path: partial(text, path) for path in found}


def shape_class(shape: Shape) -> str:
    """``"M<=16 4096x4096"``: M up to the next power of two, N and K."""
    m, n, k = shape
    return f"M<={1 << (m - 1).bit_length()} {n}x{k}"


def read(path: Path) -> list[dict[str, Any]]:
    """The winners of a store. Raises EvtgenError (EVT295)."""
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise NO_STORE.refusal("unread", path=path, error=error) from None
    winners = document.get("winners") if isinstance(document, dict) and document.get(_FORM) == 1 else None
    if not isinstance(winners, list):
        raise NO_STORE.refusal("form", path=path, what=f'it has no "{_FORM}": 1 and no list "winners"')
    for number, one in enumerate(winners):
        if fault := _fault(one):
            raise NO_STORE.refusal("form", path=path, what=f"winners[{number}] {fault}")
    return winners


def _fault(one: Any) -> str | None:
    """What is wrong with a winner."""
    if not isinstance(one, dict) or not all(isinstance(one.get(name), str) for name in _IS):
        return f"has no texts {', '.join(_IS)}"
    options = one.get("options")
    if not isinstance(options, dict) or (unknown := set(options) - {*TUNED, *OPTIONS}):
        return "has no options" if not isinstance(options, dict) else f"has an option {sorted(unknown)[0]!r}"
    return None


def with_winners(checked: Checked, path: Path, shape: Shape | None) -> Checked:
    """Epilogues with the options of their winners; a warning (EVT296) for each without one. Raises EvtgenError for what
    is no store (EVT295), and for options that an epilogue cannot have."""
    winners = read(path)
    result = Checked(diagnostics=[*checked.diagnostics])
    for spec in checked.specs:
        found: list[tuple[Epilogue, Plan | None, list[Diagnostic]]] = []
        for epilogue, plan in zip(spec.epilogues, spec.plans, strict=True):
            winner = _winner(winners, epilogue, path, shape)
            if isinstance(winner, Diagnostic):
                found.append((epilogue, plan, [winner]))
                continue
            made = applied(epilogue, {name: _tuple(value) for name, value in winner["options"].items()})
            found.append((made, *planned(made)))
        result.add(spec.path, found)
    return result.require()


def _winner(winners: Sequence[Mapping[str, Any]], epilogue: Epilogue, path: Path, shape: Shape | None) -> Any:
    """The winner of an epilogue at a shape, or the warning that there is none."""
    at, name = epilogue.location, epilogue.name
    own = [one for one in winners if _is(epilogue, one)]
    if not own:
        others = {(one["release"], one["arch"]) for one in winners if one["epilogue"] == name}
        when = "none" if not others else "graph" if (__version__, epilogue.arch) in others else "other"
        found_with = ", ".join(f"evtgen {release} for {arch}" for release, arch in sorted(others))
        return NO_WINNER.of(when, at, path=path, name=name, found_with=found_with)
    classes = ", ".join(one["class"] or "one for several shapes" for one in own)
    for one in own:
        if one["class"] == (shape_class(shape) if shape else "") or (shape is None and len(own) == 1):
            return one
    if shape is None:
        return NO_WINNER.of("several", at, path=path, name=name, classes=classes)
    several = [one for one in own if not one["class"]]
    size = "x".join(map(str, shape))
    return several[0] if several else NO_WINNER.of("shape", at, path=path, name=name, size=size, classes=classes)


def _is(epilogue: Epilogue, one: Mapping[str, Any]) -> bool:
    of = epilogue.name, key([identity(epilogue)]), epilogue.arch, __version__
    return of == tuple(one[name] for name in _IS[:-1])


def _tuple(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _stored(path: Path, epilogues: Mapping[str, Epilogue], found: Iterable[Tuning]) -> str:
    """The text of a store with these winners in the place of others that count for the same."""
    winners = {tuple(one[name] for name in _IS): one for one in (read(path) if path.exists() else [])}
    for tuning in found:
        one = {
            "epilogue": tuning.epilogue,
            "graph": key([identity(epilogues[tuning.epilogue])]),
            "arch": tuning.arch,
            "release": __version__,
            "class": shape_class(tuning.shapes[0]) if len(tuning.shapes) == 1 else "",
            "shapes": tuning.shapes,
            "options": tuning.winner.options,
            "cycles": tuning.winner.cycles,
            "default": tuning.default.cycles,
        }
        winners[tuple(one[name] for name in _IS)] = one
    return json.dumps({_FORM: 1, "winners": [winners[is_] for is_ in sorted(winners)]}, indent=1) + "\n"
