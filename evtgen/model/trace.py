"""The trace of a run, read from the Chrome trace that the model writes.

Processes of the trace are cores, threads are pipes; one microsecond stands for one cycle.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ..diagnostics.diagnostic import EvtgenError
from ..diagnostics.machine import NO_TRACE

Event = dict[str, Any]
"""An event of the Chrome trace format."""


def prepare(path: Path) -> None:
    """See that a trace can be written to ``path``, before there is one. Raises EvtgenError (EVT073)."""
    try:
        new = not os.path.lexists(path)
        # Of a pipe nobody knows whether it has a reader.
        if not new and not path.is_file():
            raise NO_TRACE.refusal("no file", path=path)
        path.open("ab").close()
        if new:
            path.unlink()
    except OSError as error:
        raise _cannot_write(path, error) from error


def write(path: Path, events: Iterable[Event]) -> None:
    """Write a Chrome trace, for Perfetto or chrome://tracing. Raises EvtgenError (EVT073)."""
    source = {"source": "cost model, not a measurement; 1 us stands for 1 cycle"}
    try:
        path.write_text(json.dumps({"otherData": source, "traceEvents": list(events)}), encoding="utf-8")
    except OSError as error:
        path.unlink(missing_ok=True)
        raise _cannot_write(path, error) from error


def _cannot_write(path: Path, error: OSError) -> EvtgenError:
    return NO_TRACE.refusal("unwritable", path=path, strerror=error.strerror or error)


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

    @cached_property
    def work(self) -> list[Event]:
        """The instructions that were executed."""
        return [event for event in self.events if event["ph"] == "X" and event["cat"] == "work"]

    def core(self, event: Event) -> str:
        """The core of an event."""
        return self.cores[event["pid"]]

    def pipe(self, event: Event) -> str:
        """The pipe of an event."""
        return self.pipes[event["tid"]]
