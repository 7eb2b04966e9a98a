"""The reference: an epilogue evaluated in numpy, with proved bounds on what the device may say instead.

One walk over the graph calls each node's ``evaluate``. Beside each value it carries an enclosure, the interval in which
the device's value must lie. It is the value itself as long as nothing rounds differently; it widens in two places:

1. An operator that is not bit for bit (``ulp`` > 0) widens it by that many neighbours.
2. A sum in an order that is not defined (an atomic reduction) has ``n`` additions, each off by at most the unit
   roundoff ``u``: the error is at most ``n·u·Σ|x|``, in any order (Jeannerod and Rump, 2013). It is zero where the
   terms are whole numbers whose sum of magnitudes the type holds exactly.

Every other operator maps enclosures to enclosures: all are monotone in each input between zero and the places where
they say that they turn, and so is rounding. Their extremes over a box are therefore at its corners, and at those places
where the box spans them. Comparisons change where their operands meet.

:mod:`~evtgen.reference.walk` visits the graph, :mod:`~evtgen.reference.propagate` maps enclosures through one node,
:mod:`~evtgen.reference.sums` bounds sums.
"""

from .enclosure import Enclosure
from .sums import accumulator
from .walk import enclose, evaluate

__all__ = ["Enclosure", "accumulator", "enclose", "evaluate"]
