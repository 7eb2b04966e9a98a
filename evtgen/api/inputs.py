"""What callers of the Python API give, as the parts below take it; what cannot be meant is an :class:`EvtgenError`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..diagnostics.run import NOT_EPILOGUES
from ..frontend.trace import remade
from ..graph.ir import Epilogue
from ..pipeline.specs import Checked, check_given


def checked_of(given: Epilogue | Iterable[Epilogue], arch: str | None) -> Checked:
    """The epilogues, made for ``arch`` if that is given, and checked. Raises EvtgenError (EVT202)."""
    epilogues = [given] if isinstance(given, Epilogue) else _several(given)
    return check_given(epilogues if arch is None else [remade(epilogue, arch) for epilogue in epilogues])


def one(given: Any) -> Epilogue:
    """An epilogue, not several. Raises EvtgenError (EVT202)."""
    if isinstance(given, Epilogue):
        return given
    raise NOT_EPILOGUES.here("one", called=_called(given))


def _several(given: Any) -> list[Epilogue]:
    if callable(given) or isinstance(given, str | Path) or not isinstance(given, Iterable):
        raise NOT_EPILOGUES.here("several", called=_called(given))
    epilogues = list(given)
    for one in epilogues:
        if not isinstance(one, Epilogue):
            raise NOT_EPILOGUES.here("several", called=_called(one))
    if not epilogues:
        raise NOT_EPILOGUES.here("none")
    return epilogues


def _called(thing: Any) -> str:
    return str(getattr(thing, "__name__", None) or (repr(thing) if isinstance(thing, str) else type(thing).__name__))
