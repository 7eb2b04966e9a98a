"""How it is refused to compute with an element type, or to call an epilogue."""

from __future__ import annotations

from typing import NoReturn

from ..diagnostics import reading as codes
from ..diagnostics.run import NO_FUNCTION
from ..graph.ir import Epilogue
from ..graph.location import caller
from ..graph.misuse import refused_by
from ..graph.types import ElementType
from ..system.translation import tr
from .value import NO_TRANSPOSE


class _Refuses:
    def computed(self, T: ElementType) -> NoReturn:
        """EVT009."""
        message = tr("{T} is an element type, with which nothing can be computed", T=T)
        raise codes.OPERAND.error(message, caller(), NO_TRANSPOSE)

    def called(self, epilogue: Epilogue) -> NoReturn:
        """EVT230."""
        message = tr("{name} is an epilogue, which is no function", name=epilogue.name)
        help = (
            tr("evt.run({name}, a, b, …) runs its kernel on arrays", name=epilogue.name)
            if epilogue.function is None
            else tr(
                "evt.run({name}, a, b, …) runs its kernel on arrays; {name}.function is the function that it was made "
                "of",
                name=epilogue.name,
            )
        )
        raise NO_FUNCTION.error(message, caller(), help)


refused_by(_Refuses())
