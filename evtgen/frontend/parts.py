"""``x[:, start:stop]``: which part of a value is meant."""

from __future__ import annotations

import numbers
from typing import Any

from ..diagnostics import tracing as codes
from ..graph.shapes import Columns
from ..passes.analysis.fields import short


def columns_of(key: Any) -> Columns:
    """The columns of a value that an index takes. Raises EvtgenError (EVT017) for what is no part of the columns."""
    rows, *more = key if isinstance(key, tuple) else (key,)
    all_rows = rows is Ellipsis or (isinstance(rows, slice) and rows == slice(None))
    if len(more) != 1 or not all_rows or not isinstance(more[0], slice):
        raise codes.ELEMENTS.here("cut")
    part = more[0]
    for bound in (part.start, part.stop, part.step):
        if bound is not None and (not isinstance(bound, numbers.Integral) or isinstance(bound, bool)):
            raise codes.ELEMENTS.here("bound", bound=short(bound))
    start, stop = (None if bound is None else int(bound) for bound in (part.start, part.stop))
    step = 1 if part.step is None else int(part.step)
    if step != 1 and (step != 2 or stop is not None or start not in (None, 0, 1)):
        raise codes.ELEMENTS.here("step", step=f"{short(part.start)}:{short(part.stop)}:{step}")
    if min(start or 0, 0 if stop is None else stop) < 0:
        raise codes.ELEMENTS.here("negative", start=start, stop=stop)
    if stop is not None and stop <= (start or 0):
        raise codes.ELEMENTS.here("nothing", start=start or 0, stop=stop)
    return Columns(start or 0, stop, step)
