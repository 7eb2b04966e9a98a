"""A user's own function as a reference: its result for the operands of a run, and the distance that the device may
have.

The function is called once for each matmul, in float64, with numbers that nothing has rounded: the product of A and B,
and the inputs. So its result is close to the formula, and it means the same as the epilogue if the two agree. The
device's value is close to the formula, too: the types of the graph cost some accuracy, and the proved enclosure says
how much. The device may differ from the function by the distance of its enclosure from the formula, and in addition by
the rounding of the function itself. That is :data:`SHARE` of the distance between two numbers of the output's type; or,
if the function computes in a narrower type than float64, as many roundings of that type as an epilogue of a few
operators makes.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

import numpy as np

from ..diagnostics.diagnostic import EvtgenError
from ..diagnostics.run import NO_REFERENCE
from ..frontend.eager.call import call
from ..frontend.errors import words
from ..frontend.fx.model import ModelFunction
from ..graph.ir import Epilogue
from ..graph.location import Location
from ..graph.shapes import GEMM_A, Problem
from ..graph.types import ElementType
from ..nodes import Tensor
from ..nodes.base import destinations
from ..operators.arrays import Array, spacing
from ..planner.plan import Plan
from ..planner.scales import scales
from ..reference import ROUNDINGS, Enclosure
from ..system.translation import tr
from .compare import judged
from .result import Comparison

SHARE = 1 / 32
"""The rounding of a function in float64, as a share of the distance between two numbers of an output's type. No sum or
exponential of an epilogue rounds so much, and another meaning differs by more."""

Function = Callable[..., Any]


@dataclass(frozen=True)
class Against:
    """A function to compare with.

    Attributes:
        function: takes the accumulators, in their order, and the inputs and numbers, by name; returns an array, or a
            dict of arrays.
        arrays: converts a numpy array to the type that the function takes; None: it takes numpy arrays.
    """

    function: Function
    arrays: Callable[[Array], Any] | None = None
    # Held while it runs: runs are verified in threads, of which a function need not know.
    _lock: Any = field(default_factory=Lock, init=False, repr=False, compare=False)

    @property
    def name(self) -> str:
        """Its name in messages."""
        return str(getattr(self.function, "__name__", None) or type(self.function).__name__)

    def outputs(self, plan: Plan, problem: Problem, exact: Array, inputs: Mapping[str, Array]) -> dict[str, Array]:
        """The outputs by name, as the references have them, in float64, without outputs that several matmuls share.

        Args:
            exact: the products, (M, N) or of two accumulators (M, 2N), float64.
            inputs: the inputs of the launch, and A if the graph reads statistics of it; a tensor that is left out
                stands for its default.

        Raises:
            EvtgenError: EVT203.
        """
        indexed = any(tensor.rows or tensor.indexes for tensor in plan.tensors)
        if problem.count > 1 and indexed and not problem.batch:
            raise NO_REFERENCE.refusal("rows", _line(self.function), name=plan.name, name2=self.name)
        given = _given(plan, problem, inputs)
        found: dict[str, list[Array]] = {}
        for index, (rows, of_a, _) in enumerate(problem.factors()):
            if not problem.rows[index]:
                for tensor in plan.tensors:
                    if tensor.output and tensor.shape.rows == "1" and tensor.initial is not None:
                        found.setdefault(tensor.name, []).append(
                            np.full(tensor.shape.size(0, problem.n), float(tensor.initial))
                        )
                continue
            accumulators = np.split(exact[rows], plan.accumulators, axis=1)
            own = {name: _of_matmul(tensor, problem, index, array) for name, (tensor, array) in given.items()}
            size = (problem.rows[index], problem.n)
            numbers = {scalar.name: _number(inputs[scalar.name]) for scalar in plan.scalars}
            with self._lock:
                a = inputs[GEMM_A][of_a].astype(np.float64) if GEMM_A in inputs else None
                returned = self._call(plan, accumulators, {**own, **numbers}, size, a)
            for tensor, array in self._named(plan, returned):
                found.setdefault(tensor.name, []).append(self._placed(tensor, array, size, own, problem.ranks))
        shared = problem.shared if problem.count > 1 else frozenset()
        return {name: np.concatenate(parts) for name, parts in found.items() if name not in shared}

    def _call(
        self, plan: Plan, accumulators: Sequence[Array], named: Mapping[str, Any], size: tuple[int, int],
        a: Array | None,
    ) -> Any:  # fmt: skip
        """The result of the function. The epilogue's own function may do with its arrays all that it does with
        values."""
        made = (lambda x: x) if self.arrays is None else self.arrays
        try:
            accs = [made(np.ascontiguousarray(acc)) for acc in accumulators]
            rest = {n: made(np.ascontiguousarray(x)) if isinstance(x, np.ndarray) else x for n, x in named.items()}
            positional, by_name = self._bound(plan, accs, rest)
            with np.errstate(all="ignore"):
                own = self.function is plan.written.function and not isinstance(self.function, ModelFunction)
                if own and self.arrays is None:
                    types = {t.name: t.element for t in plan.tensors if t.name in named}
                    types |= {name: plan.element_c for name in by_name if name not in named}
                    return call(self.function, by_name, size, types, a)
                return self.function(*positional, **by_name)
        except EvtgenError:
            raise
        except Exception as error:
            help = tr(
                "it was called for an output of {rows} x {columns}; shapes=[(M, N, K)] says for which others",
                rows=size[0],
                columns=size[1],
            )
            if self.arrays is None and "torch" in sys.modules and isinstance(error, TypeError | AttributeError):
                help = tr("if it takes torch's tensors, write arrays=torch.from_numpy")
            raise NO_REFERENCE.refusal(
                "raises",
                _line(self.function, error),
                help=help,
                name=self.name,
                name2=type(error).__name__,
                error=words(error),
            ) from error

    def _bound(
        self, plan: Plan, accs: Sequence[Any], named: Mapping[str, Any]
    ) -> tuple[Sequence[Any], Mapping[str, Any]]:
        """Its arguments: the accumulators are the first parameters without the name of an input."""
        try:
            signature = inspect.signature(self.function)
        except (TypeError, ValueError):  # of C, which does not say
            return accs, named
        plain = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
        free = [name for name, p in signature.parameters.items() if p.kind in plain and name not in named]
        if len(free) >= len(accs) and not _has(signature, inspect.Parameter.POSITIONAL_ONLY):
            accs, named = (), {**dict(zip(free, accs, strict=False)), **named}
        try:
            signature.bind(*accs, **named)
        except TypeError as error:
            names = ", ".join([tr("the accumulator"), *(name for name in named if name not in free)])
            raise NO_REFERENCE.refusal(
                "call", _line(self.function), name=self.name, names=names, error=words(error)
            ) from None
        return accs, named

    def _named(self, plan: Plan, returned: Any) -> Iterator[tuple[Tensor, Array]]:
        """Each output with the function's array for it. Raises EvtgenError (EVT203) for another number of arrays."""
        outputs = {tensor.name: tensor for tensor in plan.tensors if tensor.output}
        if not isinstance(returned, Mapping):
            if len(outputs) > 1:
                raise NO_REFERENCE.refusal(
                    "no dict",
                    _line(self.function),
                    name=self.name,
                    kind=_kind(returned),
                    name2=plan.name,
                    outputs=", ".join(outputs),
                    first=next(iter(outputs)),
                )
            returned = {name: returned for name in outputs}
        if returned.keys() != outputs.keys():
            raise NO_REFERENCE.refusal(
                "names",
                _line(self.function),
                name=self.name,
                returned=", ".join(map(str, returned)),
                name2=plan.name,
                outputs=", ".join(outputs),
            )
        for name, tensor in outputs.items():
            yield tensor, self._array(name, returned[name])

    def _array(self, name: str, returned: Any) -> Array:
        # A tensor that gradients flow through is none that numpy takes.
        detach = getattr(returned, "detach", None)
        array = np.asarray(returned if detach is None else detach())
        if array.dtype.kind not in "biuf" and array.dtype.name not in _ADDED:
            raise NO_REFERENCE.refusal(
                "no numbers", _line(self.function), name=self.name, kind=_kind(returned), name2=name
            )
        return array

    def _placed(
        self, tensor: Tensor, array: Array, size: tuple[int, int], own: Mapping[str, Array], ranks: int
    ) -> Array:
        """An output of one matmul, as the references have it. Its type stays: it says how the function rounds."""
        rows, columns = tensor.shape.size(*size)
        if tensor.shape.columns == "N":
            columns = len(tensor.columns.of(columns))
            if tensor.columns.step > 1 and array.shape == size:
                array = array[:, :: tensor.columns.step]  # it stands in every column of its block
        if tensor.ranks and array.ndim == 3:
            # The ranks that no number asks for are 0.
            whole = np.zeros((ranks, rows, columns), array.dtype)
            whole[: len(array)] = array[:ranks, :rows]
            array, rows = whole.reshape(-1, columns), rows * ranks
        elif tensor.rows and array.ndim == 2:
            array = array[:rows]  # without rows that the numbers ask for, and the tensor does not have
        meant = (columns, rows) if tensor.by_columns else (rows, columns)
        forms = {meant, *([(rows * columns,)] if 1 in meant else []), *([()] if meant == (1, 1) else [])}
        if array.shape in forms:
            array = array.reshape(meant)
        else:
            try:
                # What is the same in all rows, say, need not be repeated.
                array = np.broadcast_to(array, meant)
            except ValueError:
                raise NO_REFERENCE.refusal(
                    "shape",
                    _line(self.function),
                    name=self.name,
                    shape=array.shape,
                    name2=tensor.name,
                    meant=meant,
                    tensor=tensor.name,
                    extent=tensor.shape,
                    size=size[0],
                    size2=size[1],
                ) from None
        if tensor.by_columns:
            array = array.T
        if not tensor.rows:
            return array
        _, places = destinations(tensor, own, size[0], Problem((size[0],), size[1], 0, ranks=ranks))
        placed: Array = array[places]
        return placed


_ADDED = ("bfloat16", "float8_e4m3fn", "float8_e5m2", "float8_e8m0fnu", "float4_e2m1fn", "int4")


def against_of(function: Any, arrays: Any, plan: Plan) -> Against | None:
    """The function to compare with, and the function that makes its arrays; without one, that of the model that the
    epilogue was converted from. Raises EvtgenError (EVT203)."""
    if function is None:
        if arrays is None:
            converted = plan.written.function
            return Against(converted) if isinstance(converted, ModelFunction) else None
        raise NO_REFERENCE.here("arrays alone")
    if arrays is not None and not callable(arrays):
        raise NO_REFERENCE.here("arrays", name=type(arrays).__name__)
    return Against(_function(function), arrays)


def _function(given: Any) -> Callable[..., Any]:
    if isinstance(given, Epilogue):
        help = tr("write against={name}.function, which it was made of", name=given.name)
        raise NO_REFERENCE.here("epilogue", help=help if given.function is not None else None, name=given.name)
    if not callable(given):
        raise NO_REFERENCE.here("against", name=type(given).__name__)
    found: Callable[..., Any] = given
    return found


def compare_function(  # noqa: PLR0917
    against: Against,
    tensor: Tensor,
    device: Array,
    expected: Enclosure,
    formula: Array,
    given: Array,
    typical: float,
    beside: Array | float,
) -> Comparison:
    """One output of the device, (rows, columns), against the function's array for it.

    ``expected`` encloses the device's values, ``formula`` is their meaning, and ``typical`` is their magnitude. A
    rounding of the function is compared with ``beside`` where the element itself is smaller.
    """
    got, value = device.astype(np.float64), given.astype(np.float64)
    low, high = (end.astype(np.float64) for end in expected.ends)
    with np.errstate(all="ignore"):
        size = np.maximum(np.abs(value), beside)
        slack = np.maximum(SHARE * spacing(size, tensor.element), ROUNDINGS * roundoff(given.dtype) * size)
        finite = np.isfinite(value) & np.isfinite(formula) & np.isfinite(got)
        low, high = low - formula - slack, high - formula + slack
        off = got - value
        within = np.where(finite, (low <= off) & (off <= high), _alike(value, formula, slack))
        known = np.isfinite(low) & np.isfinite(high)
    wrong = ~within & (known | ~finite)
    error = np.where(finite & known, np.abs(off), 0.0)
    bound = np.where(finite & known, np.maximum(np.abs(low), np.abs(high)), 0.0)
    first = None
    if wrong.any():
        row, column = (int(i) for i in np.argwhere(wrong)[0])
        first = (row, column, float(got[row, column]), float(value[row, column]))
    sure = judged(expected, expected.error(), tensor.element, formula, typical)
    return Comparison(
        tensor.name, tensor.element.name, device.size, int(wrong.sum()), float(error.max(initial=0.0)), 0,
        float(bound.max(initial=0.0)), first, judged=float(sure.mean()) if device.size else 1.0, typical=typical,
        against=against.name,
    )  # fmt: skip


def roundoff(dtype: Any) -> float:
    """The largest relative error of a rounding to a type of numpy; 0 for whole numbers and for float64."""
    if dtype.name in _ADDED:
        import ml_dtypes

        return float(ml_dtypes.finfo(dtype).eps) / 2
    return float(np.finfo(dtype).eps) / 2 if dtype.kind == "f" and dtype.itemsize < 8 else 0.0


def _alike(value: Array, formula: Array, slack: Array) -> Array:
    """For elements that are not finite on the device or in one of the two: whether they mean the same."""
    alike: Array = (value == formula) | (np.isnan(value) & np.isnan(formula)) | (np.abs(value - formula) <= slack)
    return alike


def _given(plan: Plan, problem: Problem, inputs: Mapping[str, Array]) -> dict[str, tuple[Tensor, Array]]:
    """The inputs with their tensors; a null pointer becomes an array of its default. They are float64, or int64 for
    whole numbers, which numpy takes as an index. What operands are widened with, or their scales, is in the product."""
    of_b = {tensor.name for tensor in plan.widening.tensors} if plan.widening is not None else set()
    of_b |= {node.name for node in scales(plan.gemm)}
    found = {}
    for tensor in plan.tensors:
        if tensor.output or tensor.name in of_b:
            continue
        array = inputs.get(tensor.name)
        if array is None:
            array = np.full(tensor.size(problem), float(tensor.null_default or 0.0))
        found[tensor.name] = tensor, array.astype(_wide(tensor.element))
    return found


def _wide(element: ElementType) -> Any:
    return np.int64 if element.kind == "int" else np.float64


def _of_matmul(tensor: Tensor, problem: Problem, index: int, array: Array) -> Array:
    """The part of an input that belongs to one matmul."""
    part = problem.part(tensor.name, index)
    return array[list(problem.segments())[part] if tensor.shape.rows == "M" else slice(part, part + 1)]


def _number(array: Array) -> float | int:
    value: float | int = array.astype(np.float64).item() if array.dtype.kind != "i" else array.item()
    return value


def _has(signature: inspect.Signature, kind: Any) -> bool:
    return any(parameter.kind is kind for parameter in signature.parameters.values())


def _kind(thing: Any) -> str:
    return "None" if thing is None else type(thing).__name__


def _line(function: Function, error: BaseException | None = None) -> Location | None:
    """The innermost line of the function's file where an error was raised; without one, the function's own."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return None
    line, trace = code.co_firstlineno, None if error is None else error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == code.co_filename:
            line = trace.tb_lineno
        trace = trace.tb_next
    return Location(code.co_filename, line)
