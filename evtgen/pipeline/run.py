"""A kernel that is built once, and then is a function of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..check import require_plan
from ..diagnostics.diagnostic import Diagnostic
from ..diagnostics.machine import NOT_DONE
from ..diagnostics.run import NOT_SOUND
from ..frontend.dispatch import Dispatch
from ..graph.ir import Epilogue
from ..graph.location import caller
from ..graph.shapes import Shape
from ..model import footprint
from ..model.data import Operands
from ..model.execution import Prepared, Run, Settings
from ..model.programs import Compilation, require_programs
from ..model.toolchain import Program
from ..nodes import AuxScatter
from ..nodes.base import named
from ..operators.arrays import Array, dtype
from ..passes.analysis.gemm import dequantises
from ..planner.plan import Plan, require_sides
from ..reference import as_multiplied, factors, values
from .arguments import Launch, named_arguments, outputs_of
from .specs import Checked, Spec
from .tensors import is_tensor, tensor_of


class Compiled:
    """The kernel of an epilogue as a function of arrays; see :func:`evtgen.api.compile`. Calls may come from several
    threads.

    Attributes:
        epilogue: it is the kernel of this one.
        plan: of the kernel.
        warnings: which blocks it has for the shape that it was made for (EVT309).
    """

    def __init__(self, epilogue: Epilogue, shape: Shape | None = None) -> None:
        self.epilogue, self.plan = epilogue, require_plan(epilogue)
        self.warnings: list[Diagnostic] = []
        if shape is not None:
            from .fitting import for_shape

            found = for_shape(Checked([Spec(None, (epilogue,), (self.plan,))]), shape)
            (self.epilogue,), (self.plan,), self.warnings = found.epilogues, found.plans, found.diagnostics
        self._program: Program | None = None

    def __repr__(self) -> str:
        return f"<compiled {self.plan.name} for {self.plan.arch.name}>"

    def build(self) -> Program:
        """The program, compiled unless it is there: a cache may be emptied."""
        if self._program is None or not self._program.path.exists():
            self._program = require_programs([self.plan], Compilation())[self.plan.name]
        return self._program

    def __call__(self, a: Any, b: Any, /, **tensors: Any) -> dict[str, Any]:
        """The outputs by name. Arguments and errors are those of :func:`evtgen.api.run`; wrong arguments are refused
        before anything is built."""
        plan = self.plan
        # An input or a number of the same name hides an option.
        inputs = {*(t.name for t in plan.tensors if not t.output), *(scalar.name for scalar in plan.scalars)}
        out = None if "out" in inputs else tensors.pop("out", None)
        copy = "copy" not in inputs and bool(tensors.pop("copy", False))
        launch = Launch(plan, *named_arguments(plan, tensors), copy=copy)
        operands = launch.operands(a, b)
        require_sides(plan, [(launch.problem.n, launch.problem.k)], caller())
        into = outputs_of(plan, launch, out)
        computed = self._run(launch, operands) if launch.problem.m else {}
        torch = any(map(is_tensor, (a, *(b if isinstance(b, tuple | list) else (b,)), *tensors.values())))
        results: dict[str, Any] = {}
        outputs = {tensor.name: tensor for tensor in plan.tensors if tensor.output}
        for name in plan.results:
            array = launch.result(outputs[name], computed.get(name), operands, into.get(name))
            if name in into:
                np.copyto(into[name], array)
                results[name] = out[name] if isinstance(out, dict) else out
            else:
                results[name] = tensor_of(array) if torch else array
        return results

    def _run(self, launch: Launch, operands: Operands) -> dict[str, Array]:
        """What the kernel writes. Raises EvtgenError (EVT075, EVT189)."""
        plan = self.plan
        footprint.at_once([(plan.name, footprint.estimate(plan, launch.problem))], 1)
        program = self.build()
        with Prepared(plan, launch.problem, operands, null=launch.null, places=launch.places) as prepared:
            done = prepared.run(program, Settings())
        _require_sound(plan, done)
        return done.outputs


class Reference(Compiled):
    """The same function without the kernel: each node in numpy, which rounds where the kernel does. Nothing is
    compiled."""

    def __repr__(self) -> str:
        return f"<reference of {self.plan.name} for {self.plan.arch.name}>"

    def _run(self, launch: Launch, operands: Operands) -> dict[str, Array]:
        plan, problem = self.plan, launch.problem
        exact = np.float32 if plan.operands[0].kind == "float" else np.float64
        *of_cube, multiplied = factors(plan, operands.a, operands.b, operands.inputs, problem)
        a, b = (as_multiplied(plan, operand).astype(exact) for operand in of_cube)
        acc = np.zeros((problem.m, b.shape[1]), dtype(plan.element_c))
        for of_c, of_a, of_b in multiplied.factors():
            product = np.matmul(a[of_a], b[of_b])
            with np.errstate(over="ignore"):
                acc[of_c] = product.astype(np.float32) if dequantises(plan.gemm) else product
        found = values(plan, acc, operands.read_by(plan), problem)
        for _, node in plan.nodes():
            if isinstance(node, AuxScatter) and node.add and node.name in operands.inputs:
                found[node.name] = found[node.name] + operands.inputs[node.name]
        for tensor in plan.tensors:
            if tensor.rows and tensor.initial is None:  # rows as C has them, not yet where they go
                there, places = named(tensor, operands.inputs, problem)
                placed = np.zeros(tensor.size(problem), found[tensor.name].dtype)
                placed[places] = found[tensor.name][there]
                found[tensor.name] = placed
        return found


class Dispatched:
    """The kernels of a dispatch as one function of arrays, which calls one of them by the rows of ``a``; ``warnings``
    are theirs."""

    def __init__(self, dispatch: Dispatch, shape: Shape | None = None) -> None:
        self.dispatch = dispatch
        self._compiled = {epilogue.name: Compiled(epilogue, shape) for epilogue in dispatch}
        self.warnings = [warning for one in self._compiled.values() for warning in one.warnings]

    def __repr__(self) -> str:
        return f"<compiled {', '.join(self._compiled)}>"

    def build(self) -> None:
        """Compile all."""
        for one in self._compiled.values():
            one.build()

    def __call__(self, a: Any, b: Any, /, **tensors: Any) -> dict[str, Any]:
        """As of the kernel that serves it."""
        # What has no rows is refused there.
        (rows,) = np.shape(a)[-2:-1] or (1,)
        return self._compiled[self.dispatch.of(rows).name](a, b, **tensors)


def built(epilogue: Epilogue) -> None:
    """Build its program into the cache: a job."""
    Compiled(epilogue).build()


def _require_sound(plan: Plan, done: Run) -> None:
    faults = [hazard for hazard in done.report.get("hazards", ()) if hazard.get("severity") == "error"]
    if faults:
        case, first, more = "several" if len(faults) > 1 else "one", faults[0], len(faults) - 1
        code, message = first.get("code"), first.get("message")
        raise NOT_SOUND.refusal(case, plan.epilogue.location, name=plan.name, code=code, message=message, more=more)
    if done.error is not None:
        raise NOT_DONE.refusal("run", plan.epilogue.location, name=plan.name, error=done.error)
