"""A plan and the operator table for readers, as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..diagnostics.diagnostic import Diagnostic
from ..system.progress import Progress, silent
from ..system.translation import tr
from ..system.words import number

if TYPE_CHECKING:
    from ..graph.ir import Gemm
    from ..planner.plan import Plan
    from .specs import Checked


def explain(
    checked: Checked, progress: Progress = silent, *, stack: bool = True
) -> tuple[list[dict[str, Any]], list[Diagnostic]]:
    """The description of each epilogue by :func:`describe`, with what it takes of the device's ``stack`` and the size
    of its ``code`` if that is asked for, and the warnings. Raises EvtgenError."""
    checked.require(seen=False)
    from ..measure.language import examine, too_long
    from ..model.programs import Compilation

    plans = checked.plans
    if not stack:
        return [describe(plan) for plan in plans], checked.diagnostics
    examined = examine(plans, Compilation(), progress, rules=False)
    found = []
    for plan in plans:
        measured = examined[plan.name].to_json()
        found.append({**describe(plan), **{name: measured[name] for name in ("stack", "code", "note")}})
    return found, [*checked.diagnostics, *too_long(plans, examined)]


def describe(plan: Plan) -> dict[str, Any]:
    """The graph in the order of visits, its formulas, C++ type, Arguments in order and UB budget in bytes, of each
    phase where there are several, and what crosses between these; the passes that rewrote it, with the vector
    instructions of each tile that they saved; and what becomes of it in Catlass's own visitor framework."""
    from ..emit.formula import formula, product, spoken
    from ..emit.framework import Framework
    from ..emit.graph import arguments_text, cpp_type
    from ..passes.analysis.argument_order import arguments_nest

    fw, formulas = Framework(), spoken()(formula)
    several = bool(plan.parts)
    nests = [arguments_nest(part.epilogue.root) for part in plan.phases]
    return {
        "epilogue": plan.name,
        "arch": plan.arch.name,
        "kernel": _kernel(plan),
        "product": spoken()(product)(plan),
        "formula": formulas(plan),
        **({} if several else _tiles(plan)),
        "evt": cpp_type(plan, fw.prefix),
        "arguments": tuple(nests) if several else nests[0],
        "braces": arguments_text(plan),
        "tensors": [
            {
                "name": tensor.name,
                "dtype": tensor.element.name,
                "shape": list(tensor.extents),
                "layout": tensor.layout.name,
                "output": tensor.output,
            }
            for tensor in plan.tensors
        ],
        "scalars": [
            {"name": scalar.name, "dtype": scalar.T.name, "default": scalar.default} for scalar in plan.scalars
        ],
        "phases": [{"formula": formulas(part), **_tiles(part)} for part in plan.parts],
        "rows": None if plan.rows is None else _tiles(plan.rows),
        "crossing": _crossing(plan),
        "order": _order(plan),
        "workspace": _workspace(plan),
        "rewritten": [{"pass": saving.name, "instructions": saving.instructions} for saving in plan.savings],
        "catlass": _in_catlass(plan),
    }


def _tiles(plan: Plan) -> dict[str, Any]:
    """The nodes in the order of visits, with the bytes of UB that each works with, and the tiles that they work on; of
    one phase."""
    from ..emit.framework import Framework
    from ..emit.types import node_type

    fw, nodes, of_alias = Framework(), [], dict(plan.nodes())
    for index in plan.ub.plan.order:
        alias, step = plan.aliases[index], plan.steps[index]
        node = of_alias[alias]
        nodes.append(
            {
                "node": alias,
                "type": node_type(node, fw.prefix),
                "element": node.element.name,
                "inputs": [plan.aliases[i] for i in step.inputs],
                "tensor": node.tensor.name if node.tensor else None,
                "scalars": [scalar.name for scalar in node.scalars],
                "ub": plan.ub.share(index),
            }
        )
    return {
        "nodes": nodes,
        "compute_length": plan.compute_length,
        "buffers": plan.buffers,
        "ub": {"used": plan.ub_used, "limit": plan.ub_limit},
    }


def _crossing(plan: Plan) -> dict[str, Any] | None:
    """What crosses between phases: the values, those that phases compute again in their place, what all phases take for
    each element of C, bytes of matrices and cycles, and up to how many columns a block of the matmul has whole rows, so
    that no phase waits for other cores; None where there is one phase."""
    from ..nodes import Kept, Reduced
    from ..passes.analysis.gemm import block_shape
    from ..planner.parts import MAX_WHOLE_COLUMNS

    if plan.split is None:
        return None
    nodes = [[node for _, node in part.nodes() if isinstance(node, Kept)] for part in plan.parts]
    values = []
    for value in plan.split.crossing:
        (kept,) = {node.kept for of in nodes for node in of if node.number == value.number and node.writes}
        values.append(
            {
                "name": value.name,
                "dtype": kept.element.name,
                "shape": list(kept.extents),
                "bytes": " * ".join([*(side for side in kept.extents if side != "1"), str(kept.element.size)]),
                "written": value.phase + 1,
                "read": [
                    place
                    for place, of in enumerate(nodes, 1)
                    if any(node.number == value.number and not node.writes for node in of)
                ],
                "kept": not isinstance(plan.steps[value.step].node, Reduced),
            }
        )
    by_rows = all(node.shape.rows == "M" for of in nodes for node in of)
    return {
        "values": values,
        "again": [plan.aliases[step] for step in plan.split.again],
        "taken": plan.split.taken._asdict(),
        "if_again": plan.split.taken_again and plan.split.taken_again._asdict(),
        "by_rows": plan.split.taken_by_rows and plan.split.taken_by_rows._asdict(),
        "whole_rows": block_shape(plan.gemm)[1] if by_rows else 0,
        "rows_up_to": next((n for n in range(MAX_WHOLE_COLUMNS, 0, -1) if plan.has_whole_rows(n)), 0),
    }


def _order(plan: Plan) -> list[dict[str, Any]]:
    """The reductions and sums of rows in a fixed order, in all phases: their tensor, and the bytes of the workspace
    that they take, of each matmul: a column for each column of blocks, and for each half of a block a row or a value;
    and all rows that are added up. A row and a column take whole units of 512 bytes."""
    from ..nodes import AuxScatter, Reduce

    found = []
    for _, node in (pair for part in plan.phases for pair in part.nodes()):
        if isinstance(node, Reduce) and node.ordered_by:
            rows, columns = node.ordered_by
            halves, across = f"{plan.arch.vector_cores} * ceil(M / {rows})", f"ceil(N / {columns})"
            parts = [*([halves] if 0 in node.axis else []), *([across] if 1 in node.axis else [])]
            kept = "".join(extent for axis, extent in enumerate("MN") if axis not in node.axis)
            part = f"ceil({kept} / {512 // node.T.size}) * 512" if kept else str(node.T.size)
            found.append({"name": node.name, "bytes": " * ".join([*parts, part])})
        if isinstance(node, AuxScatter) and node.ordered:
            found.append({"name": node.name, "bytes": f"M * ceil(N / {512 // node.T.size}) * 512"})
    return found


def _kernel(plan: Plan) -> dict[str, Any]:
    """The kernel, what it computes in a launch, and the choices of its GEMM; of several matmuls the field that has the
    stride from one's tensor to the next's, by tensor, the tensors that all may share by a stride of 0, and what a list
    of groups has."""
    from ..graph.shapes import GEMM_B, GEMM_B2

    kernel, gemm, (a, b) = plan.kernel, plan.gemm, plan.operands
    strided = [tensor for tensor in plan.tensors if kernel.strided(tensor)]
    separate = gemm.accumulators == "separate"
    strides = {} if gemm.weights == "pointers" else kernel.strides
    of_operands = {**strides, **({GEMM_B2: "strideB2"} if separate and GEMM_B in strides else {})}
    return {
        "name": kernel.name,
        "computes": kernel.noun,
        "a": [a.name, gemm.layout_a.name],
        "b": [b.name, gemm.layout_b.name],
        "policy": gemm.policy,
        "split_k": gemm.split_k,
        "accumulators": gemm.accumulators,
        "strides": {**of_operands, **{tensor.name: f"stride{plan.suffixes[tensor.name]}" for tensor in strided}},
        "shareable": [*of_operands, *(tensor.name for tensor in strided if kernel.may_share(tensor))],
        **({"hf32": True} if gemm.hf32 else {}),
        **({"msd": True} if gemm.msd else {}),
        **(_groups(gemm) if kernel.several == "groups" else {}),
    }


def _groups(gemm: Gemm) -> dict[str, Any]:
    """What the list of groups has; and how the Bs lie, and whether a list says which each group takes."""
    return {"groups": [gemm.group_list, gemm.group_type.name], "weights": [gemm.weights, gemm.weight_index]}


def _in_catlass(plan: Plan) -> dict[str, Any] | None:
    """The tiles of the epilogue in Catlass's own visitor framework, or why it cannot be expressed there; None for an
    architecture that has none."""
    from ..check.evg import refusals
    from ..planner import evg

    if plan.arch.name != evg.ARCHITECTURE:
        return None
    if why := [refusal.message for refusal in refusals(plan)]:
        return {"refused": why}
    made = evg.of(plan)
    return {
        "handoff": "ub" if made.in_ub else "gm",
        "compute_length": made.compute_length,
        "ub": {"used": made.ub_used, "limit": made.ub_limit},
    }


def _workspace(plan: Plan) -> dict[str, Any]:
    """How the accumulator is handed over, its blocks per cube core, and the bytes that the workspace has for each core,
    or where it has the whole of the accumulator, for each of its elements; in UB, those of each vector core; the
    type that B is cast to, if it is; the slices of K, if it is split; and the bytes that each core, or in UB each
    vector core, has for products of slices with scales."""
    from ..passes.analysis.gemm import workspace_bytes

    stages, handoff = plan.gemm.workspace_stages or 0, "ub" if plan.ub_workspace else "gm"
    more: dict[str, Any] = {"cast_b": str(plan.operands[0])} if plan.widening is not None else {}
    more |= {"accumulators": plan.accumulators} if plan.accumulators > 1 else {}
    if plan.ub_workspace:
        return {"handoff": handoff, "stages": stages, "bytes_per_vector_core": plan.ub_workspace, **more}
    per_element = workspace_bytes(plan.gemm, 1, 1, plan.arch, cores=0)
    per_core = workspace_bytes(plan.gemm, 0, 0, plan.arch, cores=1, products_in_ub=plan.products_in_ub)
    more |= {"slices": plan.gemm.split_k} if plan.gemm.split_k > 1 else {}
    if stages:
        return {"handoff": handoff, "stages": stages, "bytes_per_core": per_core, **more}
    more |= {"product_bytes_per_core": per_core} if per_core else {}
    if plan.adding is not None and plan.products_in_ub:
        more |= {"product_bytes_per_vector_core": plan.adding.ub_workspace}
    return {"handoff": handoff, "stages": stages, "bytes_per_element": per_element, **more}


def element_types() -> dict[str, list[str]]:
    """The element types of numbers that each architecture has, those that it can only cast included."""
    from ..graph.types import ELEMENT_TYPES
    from ..targets import ARCHITECTURES

    numbers = [T for T in ELEMENT_TYPES.values() if T.kind != "mask"]
    return {name: [T.name for T in numbers if arch.has(T)] for name, arch in ARCHITECTURES.items()}


def kernel_names() -> list[dict[str, Any]]:
    """Every kernel: its name, the GEMM that asks for it, and what it computes."""
    from ..kernels import KERNELS

    return [
        {
            "name": kernel.name,
            "gemm": f"Gemm({', '.join(f'{field}={value!r}' for field, value in kernel.asked.items())})",
            "computes": kernel.noun,
        }
        for kernel in KERNELS
    ]


def kernels() -> list[dict[str, Any]]:
    """As :func:`kernel_names`, and what may be with each, as the checker says it: the layouts of the operands, and on
    each architecture the handoffs of the accumulator, with the policies of each."""
    from ..check import check, has_errors
    from ..check.gemm import HANDOFFS, POLICIES
    from ..graph.ir import Epilogue, Gemm, TreeVisitor
    from ..graph.types import LAYOUTS, float32
    from ..kernels import KERNELS
    from ..nodes import AccLoad, AuxStore
    from ..targets import ARCHITECTURES

    stored = TreeVisitor(AuxStore("D", float32), AccLoad(float32))

    def taken(arch: str, **gemm: Any) -> bool:
        return not has_errors(check(Epilogue("stored", stored, arch=arch, gemm=Gemm(**gemm))))

    def layouts(operand: str, asked: Mapping[str, object]) -> list[str]:
        field = f"layout_{operand}"
        return [
            name
            for name, layout in LAYOUTS.items()
            if all(taken(arch, **asked, **{field: layout}) for arch in ARCHITECTURES)
        ]

    return [
        {
            **named,
            "layouts": {operand: layouts(operand, kernel.asked) for operand in "ab"},
            "handoffs": {
                arch: {
                    way: policies
                    for way in HANDOFFS
                    if (policies := [p for p in POLICIES if taken(arch, **kernel.asked, handoff=way, policy=p)])
                }
                for arch in ARCHITECTURES
            },
        }
        for kernel, named in zip(KERNELS, kernel_names(), strict=True)
    ]


def families() -> dict[str, list[str]]:
    """The names of ``ops`` that people write, by family."""
    from ..frontend.composed import COMPOSED
    from ..frontend.functions import names, written
    from ..frontend.places import PLACES
    from ..frontend.reductions import KINDS
    from ..operators.table import FAMILIES

    left = dict.fromkeys(written())
    found = {name.capitalize(): [op.name for op in of if op.name in left] for name, of in FAMILIES.items()} | {
        "Rows": [*KINDS, *COMPOSED],
        "Places": list(PLACES),
    }
    listed = {name for of in found.values() for name in of}
    operators_and_more = {row["name"] for row in operators()} - listed
    found["Places"] += [name for name in names() if name in left and name in operators_and_more]
    found["Sums of A"] = [name for name in left if name.startswith("a_sum")]
    return found


def one_function(name: str) -> dict[str, Any]:
    """One function of ``ops``: its form, types, accuracy, cost and an example. Raises EvtgenError (EVT010)."""
    from ..diagnostics.tracing import UNKNOWN_NAME
    from ..frontend.functions import UnknownFunction, instead, names
    from ..graph.ir import Step
    from ..graph.types import float32
    from ..nodes import Compute
    from ..operators.table import BY_NAME
    from ..planner.buffering import vector_work
    from ..targets import ARCHITECTURES

    if name not in names():
        raise UnknownFunction(UNKNOWN_NAME.of("ops", None, help=instead(name), name=name))
    op = BY_NAME.get(name)
    if op is None:
        row = {"form": f"{name}()", **next(row for row in (*functions(), *operators()) if row["name"] == name)}
        computes, call = row.get("computes") or row["note"], ", ".join(row.get("required", ()))
        return {**row, "computes": computes, "example": f"y = ops.{name}({call})"}
    row = next(row for row in operators() if row["name"] == op.name)
    defaults = [f"={default}" for default in op.defaults] or [""] * len(op.constants)
    constants = [f"{constant}{given}" for constant, given in zip(op.constants, defaults, strict=True)]
    form = f"{name}({', '.join([*op.operands, *(['...'] if op.variadic else []), *constants])})"
    named = {constant: constant for constant in op.constants}
    values = ["acc", "x", "y", "z"][: op.inputs]
    numbers = [f"{constant}={given}" for constant, given in zip(op.constants, op.defaults or [0.5] * 9, strict=False)]
    costs = []
    for arch in ARCHITECTURES.values():
        element = float32 if float32 in op.types(arch) else next(iter(op.types(arch)), None)
        if element is not None:
            constants_given = tuple(0.5 for _ in op.constants)
            node = Compute.of(op, element, constants_given)
            start, each = vector_work(Step(node, tuple(range(op.inputs))), arch)
            text = tr("{start:.0f} + {each:.3f} for each element of {type} on {arch}")
            costs.append(text.format(start=start, each=each, type=element, arch=arch.name))
    calls = number(len(op.sequence), tr("{count} call{s}"))
    calls += number(len(op.scratch), tr(", {count} scratch tile{s}")) if op.scratch else ""
    formula = op.text.format(*op.operands, **named) if op.text else op.name
    return {
        **row,
        "form": form,
        "computes": tr("{formula} ({note})", formula=formula, note=tr(op.note)) if op.note else formula,
        "accuracy": tr("{ulp} ulp of numpy at most", ulp=op.ulp) if op.ulp else tr("bit for bit as numpy"),
        "cost": tr("{calls}; cycles of V in a tile: {costs}", calls=calls, costs=tr("; ").join(costs)),
        "example": f"y = ops.{name}({', '.join([*values, *numbers])})",
    }


def functions() -> list[dict[str, Any]]:
    """Every function of ``ops`` that is no operator and no position: its name, its parameters, and what it computes."""
    import inspect

    from ..frontend.composed import COMPOSED
    from ..frontend.functions import statistic_function
    from ..frontend.places import PLACES
    from ..frontend.reductions import KINDS, reduction_function
    from ..nodes import STATISTICS
    from ..operators.table import REDUCTIONS

    def row(name: str, made: Callable[..., Any], more: str = "") -> dict[str, Any]:
        said = (inspect.getdoc(made) or "").partition("\n\n")[0]
        given = [one.replace(annotation=one.empty) for one in inspect.signature(made).parameters.values()]
        required = [one for one in given if one.default is one.empty]
        return {
            "name": name,
            "parameters": [one.name for one in given],
            "form": f"{name}{inspect.Signature(given)}",
            "required": [f"{one.name}={one.name}" if one.kind is one.KEYWORD_ONLY else one.name for one in required],
            "computes": " ".join(said.replace("``", "").split()).partition(" Raises ")[0] + more,
        }

    ways = f" op is one of {', '.join(REDUCTIONS)}."
    return [
        *(row(name, reduction_function(name), ways) for name in KINDS),
        *(row(name, made) for name, made in COMPOSED.items()),
        *(row(name, made) for name, made in PLACES.items()),
        *(row(name, statistic_function(name)) for name in STATISTICS),
    ]


def operators() -> list[dict[str, Any]]:
    """Every operator, and the positions: names, inputs, AscendC calls, and element types on each architecture."""
    from ..nodes import NODE_KINDS, Position
    from ..operators.table import OPERATORS
    from ..targets import ARCHITECTURES

    return [
        {
            "name": op.name,
            "aliases": list(op.aliases),
            "cpp": op.cpp,
            "inputs": op.inputs,
            "variadic": op.variadic,
            "constants": list(op.constants),
            "scratch": {T.name: op.scratch_tiles(T) for arch in ARCHITECTURES.values() for T in op.types(arch)},
            "atomic": op.atomic,
            "calls": [f"{call.name}({', '.join(call.args)}, count)" for call in op.sequence],
            "types": {name: [t.name for t in op.types(arch)] for name, arch in ARCHITECTURES.items()},
            "ulp": op.ulp,
            "note": op.note,
        }
        for op in OPERATORS.values()
    ] + [
        {
            "name": kind.function,
            "aliases": [],
            "cpp": kind().template,
            "inputs": 0,
            "variadic": False,
            "constants": [],
            "scratch": {},
            "atomic": None,
            "calls": [f"{call}(dst, ..., count)" for call, _ in kind().calls()],
            "types": {name: [kind().element.name] for name in ARCHITECTURES},
            "ulp": 0,
            "note": f"the {kind.noun} of each element, from 0 on in each matmul of a launch",
        }
        for kind in NODE_KINDS.values()
        if issubclass(kind, Position)
    ]
