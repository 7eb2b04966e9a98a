"""What checking yields: each command lowers an epilogue once, when it is checked, and goes on with that plan."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import evtgen as evt
from evtgen.pipeline.specs import check_given
from evtgen.planner.buffering import buffered
from evtgen.report.page.report import draw

from ..support import seeds


@pytest.mark.parametrize(
    "command",
    [
        evt.check,
        evt.render,
        evt.explain,
        lambda epilogues: evt.explain(epilogues)._repr_html_(),
        lambda epilogues: draw(check_given(epilogues), "build/"),
    ],
    ids=["check", "render", "explain", "notebook", "draw"],
)
def test_an_epilogue_is_lowered_once(
    command: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    lowered = []

    def counted(epilogue: evt.Epilogue, *rest: Any) -> Any:
        lowered.append(epilogue.name)
        return buffered(epilogue, *rest)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("evtgen.planner.handoff.buffered", counted)
    command([seeds.ADD, seeds.ROWS])
    assert lowered == [seeds.ADD.name, seeds.ROWS.name]
