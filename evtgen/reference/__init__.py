"""Two references: what the device must say, with proved bounds, and what the user meant.

**Stepwise.** One walk over the graph computes each node by :func:`stepwise`, which rounds where the device rounds.
Beside each value it carries an enclosure, the interval in which the device's value must lie. It is the value itself as
long as nothing rounds differently; it widens in two places:

1. An operator that is not bit for bit (``ulp`` > 0) widens it by that many neighbours: those of float32, before
   they are rounded to half, where it computes half in float32.
2. A reduction adds tile by tile and joins the tiles in an order that is not defined. Its bound follows the longest
   chain of additions within a tile, and the number of tiles; it is zero where the terms are whole numbers whose sums
   the type holds exactly.

Every other operator maps enclosures to enclosures: all are monotone in each input between zero and the places where
they say that they turn, and so is rounding. Their extremes over a box are therefore at its corners, and at those places
where the box spans them. Comparisons change where their operands meet.

Of several matmuls in one launch, :class:`~evtgen.graph.shapes.Problem`, the arrays hold the rows of all, one matmul
after the other. Each is computed, cut into tiles and bounded on its own; what they share is read by all and reduced
over all.

**Formula.** The same walk computes the same graph in float64 from the same operands, without the roundings between. How
far the stepwise value is from it says what the chosen types cost, HF32 of operands among them. Where passes rewrote the
graph, the stepwise value is that of the graph that is emitted, and the formula of an output that of the graph as the
user wrote it.

:mod:`~evtgen.reference.walk` visits the graph, :mod:`~evtgen.reference.propagate` maps enclosures through one node,
:mod:`~evtgen.reference.pairs` knows what a value has to do with a reduction of it,
:mod:`~evtgen.reference.tiles` says how the device cuts C, :mod:`~evtgen.reference.sums` bounds sums,
:mod:`~evtgen.reference.formula` computes a node in float64, :mod:`~evtgen.reference.differences` finds the node
where the two references part, and :mod:`~evtgen.reference.blockwise` reads a large problem block by block.
"""

from .blockwise import Block, Joined, blocks, most_rows
from .dequantised import bits_of
from .differences import Blocks, Departure, Kind, departed, departures, magnitude, scale, scale_behind
from .enclosure import Enclosure
from .hf32 import as_multiplied
from .pairs import paired
from .roundings import ROUNDINGS, explained_by
from .scaling import factors
from .stepwise import stepwise
from .sums import accumulator, product
from .tensors import Tensors
from .walk import Reading, enclose, evaluate, formulas, read, steps_of, values

__all__ = [
    "ROUNDINGS",
    "Block",
    "Blocks",
    "Departure",
    "Enclosure",
    "Joined",
    "Kind",
    "Reading",
    "Tensors",
    "accumulator",
    "as_multiplied",
    "bits_of",
    "blocks",
    "departed",
    "departures",
    "enclose",
    "evaluate",
    "explained_by",
    "factors",
    "formulas",
    "magnitude",
    "most_rows",
    "paired",
    "product",
    "read",
    "scale",
    "scale_behind",
    "steps_of",
    "stepwise",
    "values",
]
