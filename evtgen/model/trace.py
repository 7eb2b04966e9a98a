"""The trace of a run, read from the Chrome trace that the model writes.

Processes of the trace are cores, threads are pipes; one microsecond stands for one cycle.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..diagnostics.machine import NO_TRACE

Event = dict[str, Any]
"""An event of the Chrome trace format."""


def prepare(path: Path) -> None:
    """Make sure that a trace can be written to ``path``, before the work. Raises EvtgenError (EVT069)."""
    there = path.exists()
    try:
        with path.open("ab"):
            pass
        if not there:
            path.unlink()
    except OSError as error:
        raise NO_TRACE.error(f"cannot write the trace {path}: {error.strerror}") from error


def write(path: Path, events: Iterable[Event]) -> None:
    """Write a Chrome trace, for Perfetto or chrome://tracing. Raises EvtgenError (EVT069)."""
    source = {"source": "cost model, not a measurement; 1 us stands for 1 cycle"}
    try:
        path.write_text(json.dumps({"otherData": source, "traceEvents": list(events)}), encoding="utf-8")
    except OSError as error:
        raise NO_TRACE.error(f"cannot write the trace {path}: {error.strerror}") from error


@dataclass(frozen=True)
class Trace:
    """All events of a run, in the model's order."""

    events: list[Event]

    @classmethod
    def read(cls, path: Path) -> Trace:
        """Read a trace file."""
        return cls(json.loads(path.read_text(encoding="utf-8"))["traceEvents"])

    def launches(self) -> list[Trace]:
        """One trace per launch: each names its cores, from the first on, and then its events follow."""
        starts = [i for i, event in enumerate(self.events) if event["name"] == "process_name" and event["pid"] == 0]
        return [Trace(self.events[start:end]) for start, end in zip(starts, [*starts[1:], None], strict=True)]

    @cached_property
    def cores(self) -> dict[int, str]:
        """The core of each process: ``"AIV 0.1"``."""
        named = (event for event in self.events if event["name"] == "process_name")
        return {event["pid"]: event["args"]["name"].partition(" of ")[0] for event in named}

    @cached_property
    def pipes(self) -> dict[int, str]:
        """The pipe of each thread: ``"MTE2"``."""
        return {event["tid"]: event["args"]["name"] for event in self.events if event["name"] == "thread_name"}

    def slices(self) -> Iterator[Event]:
        """All slices: work and waits."""
        return (event for event in self.events if event["ph"] == "X")

    def work(self) -> Iterator[Event]:
        """The instructions that were executed."""
        return (event for event in self.slices() if event["cat"] == "work")

    def core(self, event: Event) -> str:
        """The core of an event."""
        return self.cores[event["pid"]]

    def pipe(self, event: Event) -> str:
        """The pipe of an event."""
        return self.pipes[event["tid"]]
