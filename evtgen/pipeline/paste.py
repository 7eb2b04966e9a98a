"""Plans of tiles, to be pasted into headers that are written by hand."""

from __future__ import annotations

from ..diagnostics import cpp as codes
from ..diagnostics.diagnostic import EvtgenError
from ..graph.ir import Epilogue


def plan_text(epilogue: Epilogue) -> str:
    """The plan of an epilogue's graph as it is written, as C++. Raises EvtgenError (EVT251)."""
    from ..emit.finish import PLAIN
    from ..emit.framework import Framework
    from ..emit.render import plan_of_tile
    from ..planner.aliases import aliases_of
    from ..planner.phases import placed_phases
    from ..targets import ARCHITECTURES

    cut, ways, _ = placed_phases(epilogue, ARCHITECTURES[epilogue.arch])
    if cut is not None:
        raise EvtgenError([codes.PLAN_OF_PHASES.of(at=epilogue.location, name=epilogue.name, count=len(ways))])
    (_, way), name = ways[0], "plan.hpp"
    text = plan_of_tile(way.tiles.ub, aliases_of(way.steps), way.tiles.length, Framework())
    return PLAIN.apply({name: text})[name]
