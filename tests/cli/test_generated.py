"""What is committed under generated/ is what the examples become; `make generated` rewrites it."""

from __future__ import annotations

from pathlib import Path

from evtgen.pipeline.build import Request, compare

CHECKOUT = Path(__file__).parents[2]


def test_generated_is_up_to_date() -> None:
    specs = tuple(sorted((CHECKOUT / "examples").glob("*.py")))
    generated = CHECKOUT / "generated"
    differences, _ = compare(Request(specs, generated / "include", generated / "examples"))
    assert differences == []
