"""How it is refused to compute with an element type, or to call an epilogue."""

from __future__ import annotations

from typing import NoReturn

from ..diagnostics.run import NO_FUNCTION
from ..diagnostics.tracing import OPERAND
from ..graph.ir import Epilogue
from ..graph.misuse import refused_by
from ..graph.types import ElementType


class _Refuses:
    def computed(self, T: ElementType) -> NoReturn:
        """EVT009."""
        raise OPERAND.here("computed", T=T)

    def called(self, epilogue: Epilogue) -> NoReturn:
        """EVT230."""
        raise NO_FUNCTION.here("graph" if epilogue.function is None else "traced", name=epilogue.name)

    def bound(self, epilogue: Epilogue) -> NoReturn:
        """EVT230."""
        raise NO_FUNCTION.here("bound", name=epilogue.name)


refused_by(_Refuses())
