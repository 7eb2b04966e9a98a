"""The functions of a spec: ``ops.exp(x)``, ``ops.row_reduce(x, "add")``, one for each operator and reduction.

``dir(ops)`` lists them, ``evtgen ops`` shows their types and the AscendC calls that they become.
"""

from typing import Any as _Any


def __getattr__(name: str) -> _Any:
    """The function called ``name``. Raises EvtgenError (EVT010) with the nearest name where there is none."""
    if name.startswith("_"):  # the import system asks for __path__
        raise AttributeError(name)
    from .frontend.functions import function

    return function(name)


def __dir__() -> list[str]:
    from .frontend.functions import written

    return written()
