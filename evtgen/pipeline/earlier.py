"""The profiles of another time, from the file that ``evtgen profile --json`` printed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from ..diagnostics.page import NOT_A_PROFILE

_Count = Annotated[int, Field(ge=0, lt=1 << 63)]
_Cycles = Annotated[int, Field(gt=0, lt=1 << 63)]


class _Part(BaseModel):
    model_config = ConfigDict(strict=True, allow_inf_nan=False)


class _Call(_Part):
    node: str | None
    call: str
    pipe: str
    busy: _Count


class _Profile(_Part):
    """What the page reads of a profile; it may have more."""

    epilogue: str
    shape: list[_Count]
    buffers: _Count
    compute_length: _Count
    phases: list[dict[str, Any]] = []
    cycles: _Cycles
    busy: dict[str, dict[str, float]]
    calls: list[_Call]


def read(path: Path) -> list[dict[str, Any]]:
    """The profiles of a file. Raises EvtgenError (EVT302)."""
    try:
        found: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise NOT_A_PROFILE.refusal("unread", path=path, error=getattr(error, "strerror", None) or error) from error
    try:
        TypeAdapter(list[_Profile]).validate_python(found)
    except ValueError:
        raise NOT_A_PROFILE.refusal("form", path=path) from None
    return found
