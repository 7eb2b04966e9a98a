"""The block epilogue as other callers of a visitor: with one visit for all stages, or with three and no flags.

An accumulator in UB is there for V. Where a STORE reads it, a caller with one visit has MTE3 wait for V first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

BLOCK = "catlass/epilogue/block/block_epilogue_visitor.hpp"

_FLAGS = r"AscendC::(?:Set|Wait)Flag<[^;]*>\(stageId\);"
_ALL = """if constexpr (EVT::StoresResident()) {
            AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(stageId);
            AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(stageId);
        }
        cbs.visit(globalTileOffset, localTileOffset, tileShape, calCount);"""
_CALLERS = {
    "all": (rf"{_FLAGS}.*{_FLAGS}", _ALL),
    "stages": (_FLAGS, ""),
}
"""The replacements that turn the three visits and the flags between them into those of another caller."""


def visited(files: Mapping[str, str], caller: str) -> dict[str, str]:
    """Emitted files whose block epilogue visits its tiles as ``caller`` does."""
    pattern, become = _CALLERS[caller]
    before, visit_tile = files[BLOCK].split("void VisitTile(")
    changed, times = re.subn(pattern, become, visit_tile, flags=re.DOTALL)
    assert times
    return {**files, BLOCK: f"{before}void VisitTile({changed}"}
