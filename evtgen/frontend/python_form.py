"""An epilogue as a spec in Python: the function whose trace it is."""

from __future__ import annotations

import keyword
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import fields
from typing import Any

from ..graph.ir import DEFAULT_ARCH, Epilogue, Gemm, Scalar, Step, consumers, flatten, visit_order
from ..graph.types import ElementType, Layout, RowMajor, int32
from ..nodes import (
    REDUCED,
    AccLoad,
    Alternate,
    AStatistic,
    AuxGather,
    AuxLoad,
    AuxScatter,
    BlockReduced,
    Cast,
    ColBroadcast,
    Compute,
    HeadBroadcast,
    Outputs,
    Part,
    Position,
    RankScatter,
    Reduced,
    Reducing,
    Rotate,
    RowBroadcast,
    ScalarBroadcast,
    Store,
    TopK,
    TopKResult,
)
from ..operators.table import REDUCTIONS
from ..passes.analysis.fields import is_default
from .reductions import KINDS

_LONG = 72
"""A value that takes more characters than this gets a line and a name."""

_PARAMETERS = {
    AccLoad: "Acc", AuxLoad: "Aux", RowBroadcast: "RowVector", ColBroadcast: "ColVector",
    ScalarBroadcast: "ScalarTensor",
}  # fmt: skip

_INFIX = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "greater": ">", "greater_equal": ">=", "less": "<",
    "less_equal": "<=", "equal": "==", "not_equal": "!=", "logical_and": "&", "logical_or": "|",
}  # fmt: skip

_BINDS = {"*": 3, "/": 3, "+": 2, "-": 2, "&": 1, "|": 0}
"""How strong an operator binds; comparisons are always in parentheses."""

_ATOM = 9


class NotSpelled(Exception):
    """There is no function of which this graph is the trace."""


def to_python(epilogue: Epilogue, doc: Sequence[str] = ()) -> str:
    """A spec of one epilogue with these lines as its docstring.

    Raises:
        NotSpelled: the graph has a node that this form does not write, or a name that the spec needs for itself.
    """
    text = _Writer(epilogue).text(doc)
    scope: dict[str, Any] = {"__name__": "spec"}
    try:
        exec(compile(text, "spec", "exec"), scope)
    except Exception as error:
        raise NotSpelled(str(error)) from error
    made = scope[epilogue.name]
    if _nodes(made) != _nodes(epilogue) or made.gemm != epilogue.gemm:
        raise NotSpelled(epilogue.name)
    return text


def gemm_text(gemm: Gemm, name: Callable[[Any], str] = str) -> str:
    """``Gemm(…)`` with what is no default; ``name`` spells an element type or a layout."""
    given = [(f.name, getattr(gemm, f.name)) for f in fields(Gemm) if not is_default(f, getattr(gemm, f.name))]
    return f"Gemm({', '.join(f'{field}={spelled(one, name)}' for field, one in given)})"


def spelled(value: Any, name: Callable[[Any], str] = str) -> str:
    """The value of a field as an expression."""
    if isinstance(value, ElementType | Layout):
        return name(value)
    return f'"{value}"' if isinstance(value, str) else repr(value)


def _nodes(epilogue: Epilogue) -> Counter[Any]:
    return Counter(step.node for step in flatten(epilogue.root) if not isinstance(step.node, Outputs))


class _Writer:
    """One function. Steps are written in the order of visits; a value that is read once stands where it is read."""

    def __init__(self, epilogue: Epilogue) -> None:
        self.epilogue, self.steps = epilogue, flatten(epilogue.root)
        self.uses = [len(users) for users in consumers(self.steps)]
        self.made: dict[int, tuple[str, int]] = {}
        self.types: dict[int, ElementType | None] = {}
        self.lines: list[str] = []
        self.outputs: dict[str, str] = {}
        self.imports = {"epilogue", "Gemm"}
        self.parameters: dict[str, str] = {}
        self.scalars: dict[str, Scalar] = {}
        self.taken: set[str] = set()
        self.ropes = {index: found for index in range(len(self.steps)) if (found := self._rope(index)) is not None}
        self.within = {index for found in self.ropes.values() for index in found[1]}

    def text(self, doc: Sequence[str]) -> str:
        for index in visit_order([step.inputs for step in self.steps]):
            self._step(index, self.steps[index])
        if unspelled := {*self.parameters, *self.scalars} & {*self.imports, "ops", self.epilogue.name}:
            raise NotSpelled(", ".join(unspelled))
        order = self.epilogue.outputs or tuple(self.outputs)
        returned = ", ".join(f'"{name}": {self.outputs[name]}' for name in order)
        options = [f"gemm={self._gemm(self.epilogue.gemm)}"]
        options += [f"{key}=True" for key in ("auto_cast", "fast_math", "deterministic") if getattr(self.epilogue, key)]
        if self.epilogue.arch != DEFAULT_ARCH.get():
            options.append(f'arch="{self.epilogue.arch}"')
        if self.epilogue.buffers != "auto":
            options.append(f"buffers={self.epilogue.buffers}")
        given = [f"{name}: {kind}" for name, kind in self.parameters.items()]
        given += [
            f"{name}: Scalar[{self._name(one.T)}]" + ("" if one.default is None else f" = {one.default!r}")
            for name, one in self.scalars.items()
        ]
        given.sort(key=lambda one: " = " in one)  # what has a default comes last
        self.imports |= {"Scalar"} if self.scalars else set()
        body = "\n".join(f"    {line}" for line in [*self.lines, f"return {{{returned}}}"])
        names = ", ".join(sorted({*self.imports, *(["ops"] if "ops." in body else [])}))
        said = '"""' + "\n".join(doc) + '\n"""\n\n' if doc else ""
        signature = ",\n    ".join(given)
        return (
            f"{said}from evtgen import {names}\n\n\n@epilogue({', '.join(options)})\n"
            f"def {self.epilogue.name}(\n    {signature},\n):\n{body}\n"
        )

    def _step(self, index: int, step: Step) -> None:
        node = step.node
        if isinstance(node, Outputs) or index in self.within:
            return
        if isinstance(node, Store):
            if node.tensor is None:
                raise NotSpelled(type(node).__name__)
            (source,) = step.inputs
            self._named(source, node.name if node.name != "D" else None)
            text = self.made[source][0]
            is_same = self.types[source] == node.T
            text = text if is_same else f"{self._operand(source, _ATOM)}.cast({self._name(node.T)})"
            self.outputs[node.name] = self._placed(node, text)
            self.made[index], self.types[index] = self.made[source], self.types[source]
            return
        if type(node) in _PARAMETERS:
            self._parameter(index, node)
            return
        if index in self.ropes:
            (value, rotation, *loads), _ = self.ropes[index]
            cos, sin = (self._aux(load.name, load.T) for load in loads)
            more = ", interleaved=True" * rotation.interleaved
            text = f"ops.rope({self.made[value][0]}, {cos}, {sin}, head={rotation.head}{more})"
            self.made[index], self.types[index] = (text, _ATOM), rotation.T
        else:
            self.made[index], self.types[index] = self._expression(node, step.inputs)
        # What a store alone reads besides is a value that is read once, too.
        if self.uses[index] > 1 or len(self.made[index][0]) > _LONG:
            self._named(index, None)

    def _placed(self, node: Store, text: str) -> str:
        """An output in its place."""
        if isinstance(node, AuxScatter):
            ranks = f", ranks={self._numbers(node.ranks)}" if isinstance(node, RankScatter) else ""
            return f"ops.scatter({text}, rows={self._numbers(node.rows)}{', add=True' * node.add}{ranks})"
        return f"ops.transpose({text})" if node.tensor is not None and node.tensor.by_columns else text

    def _numbers(self, name: str) -> str:
        """A parameter that numbers rows or ranks."""
        self.imports.add("ColVector")
        self.parameters.setdefault(name, f"ColVector[{self._name(int32)}]")
        self.taken.add(name)
        return name

    def _aux(self, name: str, T: ElementType) -> str:
        self.imports.add("Aux")
        self.parameters[name] = f"Aux[{self._name(T)}]"
        self.taken.add(name)
        return name

    def _rope(self, index: int) -> tuple[tuple[int, Rotate, HeadBroadcast, HeadBroadcast], tuple[int, ...]] | None:
        """The value, the rotation and both tensors of an ``ops.rope`` that a step is the last of, and its other steps;
        None if it is none."""
        if self._operator(index) != "add":
            return None
        products = self.steps[index].inputs
        if [self._operator(one) for one in products] != ["multiply"] * 2 or any(self.uses[one] > 1 for one in products):
            return None
        (value, cos), (rotated, sin) = (self.steps[one].inputs for one in products)
        node, casts = self.steps[rotated].node, [one for one in (cos, sin) if isinstance(self.steps[one].node, Cast)]
        loads = [self.steps[one].inputs[0] if one in casts else one for one in (cos, sin)]
        of_cos, of_sin = (self.steps[one].node for one in loads)
        if not isinstance(node, Rotate) or self.uses[rotated] > 1 or self.steps[rotated].inputs != (value,):
            return None
        if not isinstance(of_cos, HeadBroadcast) or not isinstance(of_sin, HeadBroadcast):
            return None
        return (value, node, of_cos, of_sin), (*products, rotated, *casts, *loads)

    def _operator(self, index: int) -> str:
        node = self.steps[index].node
        return node.operator.name if isinstance(node, Compute) and node.operator is not None else ""

    def _parameter(self, index: int, node: Any) -> None:
        kind = _PARAMETERS[type(node)]
        if isinstance(node, AccLoad):
            name = "acc" if self.epilogue.gemm.accumulators is None else ("acc", "acc2")[node.index]
            of, default = self._name(node.T), None
        else:
            name, default = node.name, node.null_default
            of = self._name(node.T) + (f", {self._name(node.layout)}" if node.layout != RowMajor else "")
        if name in self.parameters:
            name += "_" if isinstance(node, AccLoad) else ""
        self.imports.add(kind)
        self.parameters[name] = f"{kind}[{of}]" + ("" if default is None else f" = {default!r}")
        self.taken.add(name)
        self.made[index], self.types[index] = (name, _ATOM), node.T

    def _named(self, index: int, name: str | None) -> None:
        """Give a value a name, unless it has one."""
        text, _ = self.made[index]
        if text.isidentifier() or (name is None and self.uses[index] < 2 and len(text) <= _LONG):
            return
        name = name or self._short(self.steps[index].node)
        while name in self.taken or keyword.iskeyword(name) or not name.isidentifier() or name == self.epilogue.name:
            name = f"{name}_"
        self.taken.add(name)
        self.lines.append(f"{name} = {text}")
        self.made[index] = name, _ATOM

    @staticmethod
    def _short(node: Any) -> str:
        if isinstance(node, Compute) and node.operator is not None:
            return node.operator.name.partition("_scalar")[0]
        return "reduced" if isinstance(node, Reducing) else "largest" if isinstance(node, TopK) else "x"

    def _expression(  # noqa: PLR0911
        self, node: Any, inputs: Sequence[int]
    ) -> tuple[tuple[str, int], ElementType | None]:
        types = {self.types[i] for i in inputs}
        common = types.pop() if len(types) == 1 else None
        if isinstance(node, Cast):
            mode = "" if node.round in ("CAST_NONE", "") else f', "{node.round}"'
            return (f"{self._operand(inputs[0], _ATOM)}.cast({self._name(node.to)}{mode})", _ATOM), node.to
        if isinstance(node, Reducing):
            op = next(op for op, name in REDUCTIONS.items() if name == node.op)
            kind, block = "col_reduce", f", block={node.block}" if isinstance(node, BlockReduced) else ""
            if isinstance(node, Reduced):
                kind = next(name for name, of in KINDS.items() if REDUCED[of] is type(node))
            return (f'ops.{kind}({self.made[inputs[0]][0]}, "{op}"{block})', _ATOM), node.T
        if isinstance(node, TopK):
            return (f"ops.topk({self.made[inputs[0]][0]}, {node.stop})", _ATOM), node.T
        if isinstance(node, TopKResult):
            return (f"{self._operand(inputs[0], _ATOM)}[{int(int32 == node.T)}]", _ATOM), node.T
        if isinstance(node, Part):
            columns = f"{node.start}::2" if isinstance(node, Alternate) else f"{node.start}:{node.stop or ''}"
            return (f"{self._operand(inputs[0], _ATOM)}[:, {columns}]", _ATOM), node.T
        if isinstance(node, AuxGather):
            return (f"ops.gather({self._aux(node.name, node.T)}, rows={self._numbers(node.rows)})", _ATOM), node.T
        if isinstance(node, AStatistic):
            return (f"ops.{node.name}()", _ATOM), node.T
        if isinstance(node, Position):
            return (f"ops.{node.function}()", _ATOM), node.element
        if not isinstance(node, Compute) or node.operator is None or node.own is not None:
            raise NotSpelled(type(node).__name__)
        found = self._compute(node.operator.name, node, inputs)
        return found, node.element if node.element != node.T else common

    def _compute(self, name: str, node: Compute, inputs: Sequence[int]) -> tuple[str, int]:
        constants = [self._constant(one) for one in node.constants]
        base = name.removesuffix("_scalars").removesuffix("_scalar")
        if name == "divide_into_scalar":
            return f"{constants[0]} / {self._operand(inputs[0], 4)}", 3
        if name == "negative":
            return f"-{self._operand(inputs[0], 5)}", 4
        if name == "logical_not":
            return f"~{self._operand(inputs[0], 5)}", 4
        if base in _INFIX and len(inputs) + len(constants) == 2:
            sign = _INFIX[base]
            binds = _BINDS.get(sign, -1)
            if sign == "+" and constants and constants[0].startswith("-"):
                return f"{self._operand(inputs[0], binds)} - {constants[0][1:]}", binds
            one = self._operand(inputs[0], max(binds, 2))
            other = constants[0] if constants else self._operand(inputs[1], max(binds, 1) + 1)
            return f"{one} {sign} {other}", binds
        if node.operator is not None and node.constants == node.operator.defaults:
            constants = []
        return f"ops.{base}({', '.join([*(self.made[i][0] for i in inputs), *constants])})", _ATOM

    def _operand(self, index: int, binds: int) -> str:
        text, own = self.made[index]
        return text if own >= binds else f"({text})"

    def _constant(self, constant: Any) -> str:
        if isinstance(constant, Scalar):
            self.scalars[constant.name] = constant.argument
            return constant.spelled()
        if isinstance(constant, float) and not math.isfinite(constant):
            return f'float("{constant}")'
        return repr(constant)

    def _name(self, thing: ElementType | Layout) -> str:
        self.imports.add(thing.name)
        return thing.name

    def _gemm(self, gemm: Gemm) -> str:
        return gemm_text(gemm, self._name)
