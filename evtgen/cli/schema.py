"""``evtgen schema``: the JSON Schema of JSON specs."""

from __future__ import annotations

from typing import Any

from .options import Json
from .outcome import call, print_json


def schema(as_json: Json = False) -> None:
    """Print the JSON Schema of JSON specs (it is JSON with or without --json)."""

    def run() -> Any:
        from ..frontend.schema import json_schema

        return json_schema()

    print_json(call(run, as_json=as_json))
