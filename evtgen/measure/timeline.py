"""The work and the waits of the pipes of a cube core and one of its vector cores, from the trace of a profile."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from ..model.trace import Event
from .profile import Profile

MOST = 1500
"""Slices of a timeline; one that has more ends earlier."""

PIPES = {"AIC": ("S", "MTE2", "MTE1", "M", "FIX"), "AIV": ("S", "MTE2", "V", "MTE3")}
"""The pipes of each kind of core in the order in which data pass through them; S issues."""


@dataclass(frozen=True)
class Slice:
    """A stretch of time of one pipe.

    Attributes:
        begin, cycles: its begin, from the start of the kernel, and its length.
        name: the node, or the call if the program names no node; for a wait, the work that it waits for.
        call: the call of AscendC; empty where none was issued.
        tile: the number of its tile, for a wait the tile of the work that it waits for; None without one.
        waits: whether it is a wait.
        done: the time at which the result is there; a pipe may go on earlier.
        count: calls that follow each other without a gap, for the same tile.
        who: for a wait, the core and the pipe that it waits for; empty if they are not known.
        site: the file and the line of the call, ``"copy_gm_to_ub.hpp:34"``; empty where none was issued.
    """

    begin: int
    cycles: int
    name: str
    call: str = ""
    tile: int | None = None
    waits: bool = False
    done: int = 0
    count: int = 1
    who: str = ""
    site: str = ""

    @property
    def end(self) -> int:
        """The first cycle behind it."""
        return self.begin + self.cycles


@dataclass(frozen=True)
class Lane:
    """One pipe: ``core`` ("AIV 0.1"), ``pipe`` ("MTE2") and what it does, in order."""

    core: str
    pipe: str
    slices: tuple[Slice, ...]


@dataclass(frozen=True)
class Timeline:
    """One cube core and the one of its vector cores that ends last, of the group that ends last.

    Attributes:
        lanes: the pipes that do anything.
        phases: the name, begin and end of each of several phases on the vector core; they may overlap.
        groups: the same of each group of a list, on the cube core: its number, its rows, begin and end.
        ends: of each core its name, its first work and the end of its last.
        cycles: of the kernel.
        shown: the cycles that the lanes show; fewer if there are more slices than :data:`MOST`.
    """

    lanes: tuple[Lane, ...]
    phases: tuple[tuple[str, int, int], ...]
    cycles: int
    shown: int
    ends: tuple[tuple[str, int, int], ...] = ()
    groups: tuple[tuple[int, int, int, int], ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As plain data."""
        return asdict(self)


def timeline(profile: Profile, block: tuple[int, int] | None = None) -> Timeline:
    """The timeline of the cores that end last; ``block`` is that of the matmul, without which it knows no groups."""
    work = _Work(profile.trace)
    group = work.last_group()
    lanes = [
        Lane(core, pipe, slices)
        for core in group
        for pipe in PIPES[core[:3]]
        if (slices := tuple(_joined(_slices(work, core, pipe))))
    ]
    groups = () if block is None else tuple(_groups(profile, block, work, group[0]))
    return replace(_cut(lanes, profile.cycles), ends=tuple(work.ends()), groups=groups)


def _groups(profile: Profile, block: tuple[int, int], work: _Work, core: str) -> Iterator[tuple[int, int, int, int]]:
    """The groups of a list whose blocks a cube core multiplies. A core takes each so-many-th block of all."""
    (rows, columns), sizes = block, profile.matmuls.groups or ()
    across = -(-profile.shape[1] // columns)
    of_blocks = [number for number, size in enumerate(sizes) for _ in range(-(-size // rows) * across)]
    mine = of_blocks[int(_group(core)) :: sum(name.startswith("AIC") for name in work.cores)]
    done = [event for event in work.of[core, "FIX"] if event["name"] == "BlockMmad" and event["cat"] == "work"]
    if profile.matmuls.axis == 0 and len(mine) == len(done):
        begins = {of: event["ts"] for of, event in reversed(list(zip(mine, done, strict=True)))}
        at = sorted(begins.items(), key=lambda item: item[1])
        ends = [*(begin for _, begin in at[1:]), *(event["args"]["done"] for event in done[-1:])]
        for (number, begin), end in zip(at, ends, strict=True):
            yield number, sizes[number], begin, end


class _Work:
    """The slices of a trace by core and pipe, and by the time at which their results are there."""

    def __init__(self, trace: Sequence[Event]) -> None:
        named = [event for event in trace if event["ph"] == "M"]
        cores = {e["pid"]: e["args"]["name"].partition(", ")[0] for e in named if e["name"] == "process_name"}
        pipes = {e["tid"]: e["args"]["name"] for e in named if e["name"] == "thread_name"}
        self.cores = list(cores.values())
        tracks: dict[tuple[int, int], list[Event]] = defaultdict(list)
        self._done: dict[int, list[Event]] = defaultdict(list)
        for event in trace:
            if event["ph"] == "X":
                tracks[event["pid"], event["tid"]].append(event)
                if event["cat"] == "work":
                    self._done[event["args"]["done"]].append(event)
        self._names = {(core, pipe): (cores[core], pipes[pipe]) for core, pipe in tracks}
        self.of: dict[tuple[str, str], list[Event]] = defaultdict(list)
        self.of |= {self._names[track]: sorted(events, key=_begin) for track, events in tracks.items()}

    def done(self, at: int) -> list[tuple[str, str, Event]]:
        """The work whose result is there at a time, with its core and pipe, by its begin."""
        ended = sorted(self._done.get(at, ()), key=_begin)
        return [(*self._names[event["pid"], event["tid"]], event) for event in ended]

    def ends(self) -> Iterator[tuple[str, int, int]]:
        """Of each core that works its name, its first work and the end of its last."""
        for core in self.cores:
            own = [e for (of, _), events in self.of.items() if of == core for e in events if e["cat"] == "work"]
            if own:
                yield core, min(e["ts"] for e in own), max(e["args"]["done"] for e in own)

    def last_group(self) -> list[str]:
        """The cube core and the vector core of the group that ends last, of two vector cores the later one."""
        last = self.done(max(self._done))[0][0] if self._done else self.cores[0]
        number = _group(last)
        vector = last if last.startswith("AIV") else f"AIV {number}.0"
        return [core for core in (f"AIC {number}", vector) if core in self.cores]

    def released(self, at: int, core: str, pipe: str | None) -> tuple[str, Event] | None:
        """The slice that ended at ``at``, and its core and pipe: on ``pipe`` of ``core``; with None on any core, if
        possible on another core of the same group. Where cores wait for each other, the last to come may be the one
        that waits."""
        ended = self.done(at)
        if pipe is not None:
            return next(((p, e) for c, p, e in ended if (c, p) == (core, pipe)), None)
        near = sorted(ended, key=lambda one: (one[0] == core, _group(one[0]) != _group(core)))
        return next(((f"{c}, {p}", e) for c, p, e in near), None)


def _begin(event: Event) -> int:
    at: int = event["ts"]
    return at


def _group(core: str) -> str:
    """The number of the group that a core is in."""
    return core.partition(" ")[2].partition(".")[0]


def _slices(work: _Work, core: str, pipe: str) -> Iterator[Slice]:
    """The slices of a pipe, with the times in which S waits and issues nothing for it."""
    at = 0
    # S issues for all pipes: what it waits for, they wait for once they have done what was issued before.
    holds = [] if pipe == "S" else [_wait(work, e, core) for e in work.of[core, "S"] if e["cat"] == "wait"]
    for event in work.of[core, pipe]:
        yield from _held(holds, at, event["ts"])
        if event["cat"] == "wait":
            yield _wait(work, event, core)
        else:
            yield _named(event)
        at = max(at, event["ts"] + event["dur"])


def _held(holds: Sequence[Slice], begin: int, end: int) -> Iterator[Slice]:
    """The parts of the waits of S that lie in a gap of another pipe."""
    for hold in holds:
        first, last = max(begin, hold.begin), min(end, hold.end)
        if first < last:
            yield replace(hold, begin=first, cycles=last - first, call="")


def _named(event: Event) -> Slice:
    args = event["args"]
    name = args.get("node", event["name"])
    call, site = args.get("call", event["name"]), args.get("site", "")
    return Slice(event["ts"], event["dur"], name, call, args.get("tile"), done=args["done"], site=site)


def _wait(work: _Work, event: Event, core: str) -> Slice:
    """A wait, with the name of the work whose result is there when the wait ends."""
    args, end = event["args"], event["ts"] + event["dur"]
    begun = {"begin": event["ts"], "cycles": event["dur"], "call": event["name"], "waits": True, "done": end}
    begun["site"] = args.get("site", "")
    if "flag" in args:
        pipe = args["flag"].partition("_")[0]
        found, who = work.released(end, core, pipe), pipe
    elif event["name"].startswith("CrossCore"):
        found, who = work.released(end, core, None), ""
    else:
        return Slice(**begun, name="barrier", tile=args.get("tile"))
    if found is None:
        return Slice(**begun, name=who or "another core", who=who)
    who, cause = found
    return Slice(**begun, name=_named(cause).name, tile=_named(cause).tile, who=who)


def _joined(slices: Iterable[Slice]) -> Iterator[Slice]:
    """The slices, joined where they do the same for the same tile and follow each other at once."""
    before: Slice | None = None
    for one in slices:
        if before is not None and not one.waits and _what(one) == _what(before) and one.begin == before.end:
            cycles, count = before.cycles + one.cycles, before.count + one.count
            before = replace(before, cycles=cycles, count=count, done=one.done)
            continue
        if before is not None:
            yield before
        before = one
    if before is not None:
        yield before


def _what(one: Slice) -> tuple[object, ...]:
    # Without a tile, nothing says that two calls are for the same one: they may be two blocks of the matmul.
    return (one.name, one.call, one.waits, one.begin if one.tile is None else one.tile)


def _cut(lanes: Sequence[Lane], cycles: int) -> Timeline:
    """The timeline of these lanes; if there are too many slices, of the first ones."""
    begins = sorted(one.begin for lane in lanes for one in lane.slices)
    shown = begins[MOST] if len(begins) > MOST else cycles
    kept = [Lane(lane.core, lane.pipe, tuple(_until(lane.slices, shown))) for lane in lanes]
    return Timeline(tuple(lane for lane in kept if lane.slices), tuple(_phases(kept)), cycles, shown)


def _until(slices: Sequence[Slice], end: int) -> Iterator[Slice]:
    for one in slices:
        if one.begin < end:
            yield replace(one, cycles=min(one.cycles, end - one.begin))


def _phases(lanes: Sequence[Lane]) -> Iterator[tuple[str, int, int]]:
    """The phases by the names of the nodes."""
    found: dict[str, list[Slice]] = defaultdict(list)
    for lane in lanes:
        for one in lane.slices:
            phase, several, _ = one.name.partition("::")
            if several and not one.waits:
                found[phase].append(one)
    for phase in sorted(found):
        yield phase, min(one.begin for one in found[phase]), max(one.end for one in found[phase])
