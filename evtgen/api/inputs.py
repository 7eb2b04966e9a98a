"""What callers of the Python API give, as the parts below take it; what cannot be meant is an :class:`EvtgenError`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..diagnostics import files as codes
from ..diagnostics.arguments import NO_REFERENCE, NOT_EPILOGUES
from ..emit.framework import Framework
from ..frontend.trace import remade
from ..graph.ir import Epilogue
from ..graph.location import caller
from ..graph.shapes import Shape
from ..kernels import Matmuls
from ..model.processes import TIMEOUT
from ..pipeline.bounds import MOST, MOST_BUFFERS, MOST_CORES, MOST_MATMULS, SHORTEST
from ..pipeline.build import Request
from ..pipeline.specs import Checked, check_given
from ..system.translation import tr

if TYPE_CHECKING:
    from ..verify.against import Against


def checked_of(given: Epilogue | Iterable[Epilogue], arch: str | None) -> Checked:
    """The epilogues, made for ``arch`` if that is given, and checked. Raises EvtgenError (EVT202)."""
    epilogues = [given] if isinstance(given, Epilogue) else _several(given)
    return check_given(epilogues if arch is None else [remade(epilogue, arch) for epilogue in epilogues])


def one(given: Any) -> Epilogue:
    """An epilogue, not several. Raises EvtgenError (EVT202)."""
    if isinstance(given, Epilogue):
        return given
    help = tr("pass one function that @evt.epilogue decorates, or one Epilogue object")
    raise NOT_EPILOGUES.error(tr("{called} is no epilogue", called=_called(given)), caller(), help)


def _several(given: Any) -> list[Epilogue]:
    help = tr("pass functions that @evt.epilogue decorates, or Epilogue objects")
    if callable(given) or isinstance(given, str | Path) or not isinstance(given, Iterable):
        raise NOT_EPILOGUES.error(tr("{called} is no epilogue", called=_called(given)), caller(), help)
    epilogues = list(given)
    for one in epilogues:
        if not isinstance(one, Epilogue):
            raise NOT_EPILOGUES.error(tr("{called} is no epilogue", called=_called(one)), caller(), help)
    if not epilogues:
        raise NOT_EPILOGUES.error(tr("there is no epilogue: the list is empty"), caller(), help)
    return epilogues


def _called(thing: Any) -> str:
    return str(getattr(thing, "__name__", None) or (repr(thing) if isinstance(thing, str) else type(thing).__name__))


def shape(given: Any) -> Shape:
    """(M, N, K). Raises EvtgenError (EVT086)."""
    try:
        m, n, k = (_whole(side) for side in given)
    except (TypeError, ValueError):
        m = n = k = 0
    if not all(1 <= side <= MOST for side in (m, n, k)):
        message = tr("{given!r} is not a shape (M, N, K) of three whole numbers from 1 up", given=given)
        raise codes.NOT_A_SHAPE.error(message, caller(), tr("write it like (256, 512, 1024)"))
    return m, n, k


def whole(name: str, given: Any, low: int, high: int | None = None) -> int:
    """A whole number, numpy's too. Raises EvtgenError (EVT079)."""
    try:
        number = _whole(given)
    except TypeError:
        number = low - 1
    if low <= number and (high is None or number <= high):
        return number
    message = (
        tr("{name}={given!r} is no whole number from {low} up", name=name, given=given, low=low)
        if high is None
        else tr("{name}={given!r} is no whole number from {low} to {high}", name=name, given=given, low=low, high=high)
    )
    raise codes.USAGE.error(message, caller())


def cores(given: int | None) -> int | None:
    """Cube cores. Raises EvtgenError (EVT079)."""
    return None if given is None else whole("cores", given, 1, MOST_CORES)


def seconds(given: float | None) -> float:
    """After how many seconds a run is given up. Raises EvtgenError (EVT079)."""
    if given is None:
        return TIMEOUT
    if isinstance(given, Real) and not isinstance(given, bool) and SHORTEST <= given <= MOST:
        return float(given)
    message = tr("timeout={given!r} is no number of seconds from {low} to {high}", given=given, low=SHORTEST, high=MOST)
    raise codes.USAGE.error(message, caller())


def matmuls(batch: int | None, rows: Iterable[int] | None) -> Matmuls:
    """The matmuls of a launch. Raises EvtgenError (EVT079, EVT178)."""
    return Matmuls(None if batch is None else whole("batch", batch, 1, MOST_MATMULS), groups(rows))


def groups(given: Iterable[int] | None) -> tuple[int, ...] | None:
    """The rows of each group. Raises EvtgenError (EVT178)."""
    if given is None:
        return None
    try:
        rows = tuple(_whole(one) for one in given)
    except (TypeError, ValueError):
        rows = ()
    if not any(rows) or len(rows) > MOST_MATMULS or not all(0 <= one <= MOST for one in rows):
        message = tr("{given!r} does not say the rows of each group, of which one or more has some", given=given)
        raise codes.NOT_GROUPS.error(message, caller(), tr("write it like [5, 0, 17]"))
    return rows


def buffers(given: int | Sequence[int] | None) -> tuple[int, ...] | None:
    """Numbers of buffers, each once. Raises EvtgenError (EVT078)."""
    if given is None:
        return None
    try:
        counts = tuple(dict.fromkeys(_whole(one) for one in ([given] if isinstance(given, int) else given)))
    except (TypeError, ValueError):
        counts = ()
    if not counts or not all(1 <= count <= MOST_BUFFERS for count in counts):
        message = tr("{given!r} is not a list of numbers of buffers", given=given)
        raise codes.NOT_BUFFERS.error(message, caller(), tr("write it like [1, 2, 3]"))
    return counts


def data(given: str | None) -> str | None:
    """A kind of data. Raises EvtgenError (EVT079)."""
    from ..model.data import DATA

    if given is not None and given not in DATA:
        raise codes.USAGE.error(tr("data={given!r} is none of {data}", given=given, data=", ".join(DATA)), caller())
    return given


def against(function: Any, arrays: Any) -> Against | None:
    """What to compare with, and what makes its arrays. Raises EvtgenError (EVT203)."""
    if function is None:
        if arrays is None:
            return None
        message = tr("arrays= says what against= takes, which is not given")
        raise NO_REFERENCE.error(message, caller(), tr("write against=function, too"))
    if arrays is not None and not callable(arrays):
        message = tr("arrays is of the type {name}, not a function", name=type(arrays).__name__)
        raise NO_REFERENCE.error(message, caller(), tr("write one that takes a numpy array: arrays=torch.from_numpy"))
    from ..verify.against import Against

    return Against(_function(function), arrays)


def _function(given: Any) -> Callable[..., Any]:
    if isinstance(given, Epilogue):
        message = tr("{name} is an epilogue, not a function of arrays", name=given.name)
        help = tr("write against={name}.function, which it was made of", name=given.name)
        raise NO_REFERENCE.error(message, caller(), help if given.function is not None else None)
    if not callable(given):
        message = tr("against is of the type {name}, not a function", name=type(given).__name__)
        raise NO_REFERENCE.error(
            message, caller(), tr("write a function of the accumulator and the inputs by their names")
        )
    found: Callable[..., Any] = given
    return found


def path(given: str | Path | None) -> Path | None:
    """A path. Raises EvtgenError (EVT079) for an empty one, which does not mean the working directory."""
    if given is not None and not str(given):
        raise codes.USAGE.error(tr("a path is empty"), caller(), tr("the working directory is ."))
    return None if given is None else Path(given)


def in_framework(given: str) -> bool:
    """Whether it is Catlass's own visitor framework. Raises EvtgenError (EVT079)."""
    if given not in ("evtgen", "catlass"):
        raise codes.USAGE.error(tr("framework={given!r} is neither evtgen nor catlass", given=given), caller())
    return given == "catlass"


def place(framework: str) -> Framework | None:
    """Where the framework of a verification lies; None: where the checkout has room for it."""
    return Framework(catlass=True) if in_framework(framework) else None


def request(  # noqa: PLR0917
    checked: Checked,
    output: Path,
    examples: Path | None,
    framework: str,
    namespace: str | None,
    fusion_dir: str | None,
    banner: str | Path | None,
) -> Request:
    """What to build."""
    made = Request((), output, examples, banner=path(banner), catlass=in_framework(framework), given=checked)
    return replace(made, namespace=namespace or made.namespace, directory=fusion_dir or made.directory)


def _whole(given: Any) -> int:
    """A whole number, numpy's too. Raises TypeError."""
    if isinstance(given, bool) or not hasattr(given, "__index__"):
        raise TypeError
    return int(given.__index__())
