"""Where things lie in the checkout under test."""

from __future__ import annotations

from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
DEVICE = CHECKOUT / "evtgen" / "device"
GENERATED = CHECKOUT / "generated"
EXAMPLES = sorted((CHECKOUT / "examples").glob("3*.py"))
"""The specs of the four examples that follow Catlass's own."""
