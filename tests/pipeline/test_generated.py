"""What is committed under generated/ is what the examples become; `make generated` rewrites it."""

from __future__ import annotations

from evtgen.pipeline.build import Request, compare

from ..support.paths import CHECKOUT, GENERATED


def test_generated_is_up_to_date() -> None:
    specs = tuple(sorted((CHECKOUT / "examples").glob("*.py")))
    differences, _ = compare(Request(specs, GENERATED / "include", GENERATED / "examples"))
    assert differences == []
