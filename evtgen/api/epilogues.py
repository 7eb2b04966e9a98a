"""An epilogue at a prompt, as its formulas, and in a notebook, as a picture of its graph."""

from __future__ import annotations

from ..graph.ir import Epilogue
from ..graph.shown import shown_by


class _Shows:
    def text(self, epilogue: Epilogue) -> str:
        """A line that names it, which of two products is which, and its formulas; of one that is wrong, that it is."""
        from ..check import planned
        from ..emit.formula import formula, product, spoken

        plan, _ = planned(epilogue)
        if plan is None:
            return f"<epilogue {epilogue.name} for {epilogue.arch}; evt.check says what is wrong>"
        with spoken():
            lines = [*([product(plan)] if plan.accumulators > 1 else []), *formula(plan)]
        return "\n".join([f"<epilogue {plan.name} for {plan.arch.name}>", *(f"  {line}" for line in lines)])

    def html(self, epilogue: Epilogue) -> str | None:
        """Its graph; None for one that is wrong."""
        from ..check import planned
        from .pictures import graph

        plan, _ = planned(epilogue)
        return None if plan is None else graph(plan)


shown_by(_Shows())
