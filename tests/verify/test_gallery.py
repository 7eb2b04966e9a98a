"""The gallery: every epilogue verified, and the table of what each costs."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.gallery import BATCH, CHECKOUT, page, plans
from evtgen.check import check
from evtgen.verify import failures, verify_plans

SHAPES = ((256, 512, 64), (87, 198, 40), (1, 1, 16), (129, 33, 16), (5, 4099, 16))


def test_every_epilogue_is_right_at_every_shape() -> None:
    gallery = [plan for _, plan in plans()]
    assert len(gallery) >= 20
    assert [d.message for plan in gallery for d in check(plan.epilogue)] == []
    results = verify_plans(gallery, replace(BATCH, shapes=SHAPES, strict=True))
    assert len(results) == len(gallery) * len(SHAPES)
    assert all(r.ok for r in results), "\n".join(line for r in results for line in failures(r))


def test_rows_may_lie_apart() -> None:
    """Rows 3 elements apart, so that none but the first starts where copies would like it to."""
    gallery = [plan for _, plan in plans()]
    results = verify_plans(gallery, replace(BATCH, shapes=SHAPES[1:2], strict=True, pad=3))
    assert all(r.ok for r in results), "\n".join(line for r in results for line in failures(r))


def test_the_table_is_up_to_date() -> None:
    assert (CHECKOUT / "docs" / "gallery.md").read_text(encoding="utf-8") == page(BATCH), "run make docs"
