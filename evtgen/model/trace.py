"""The trace of a run, read from the Chrome trace that the model writes.

Processes of the trace are cores, threads are pipes; one microsecond stands for one cycle.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

Event = dict[str, Any]
"""An event of the Chrome trace format."""


@dataclass(frozen=True)
class Trace:
    """All events of a run, in the model's order."""

    events: list[Event]

    @classmethod
    def read(cls, path: Path) -> Trace:
        """Read a trace file."""
        return cls(json.loads(path.read_text(encoding="utf-8"))["traceEvents"])

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
