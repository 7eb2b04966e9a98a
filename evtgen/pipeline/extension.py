"""``evtgen extension``: a Python package with an operator of PyTorch for each epilogue."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from ..check import planned
from ..checkouts.catlass import Checkout, require_operands
from ..diagnostics import files as codes
from ..diagnostics.diagnostic import Diagnostic, EvtgenError
from ..diagnostics.extension import NO_OPERATOR
from ..emit.output.files import Written
from ..emit.output.standalone import write_new
from ..graph.types import ColumnMajor, RowMajor
from ..options import EmitOptions, ExtensionOptions
from ..planner.plan import Plan
from ..planner.scales import scales
from ..planner.widening import loads_of
from .build import Request, chosen, framework_of, render
from .specs import Checked


def extension(checked: Checked, output: Path, options: ExtensionOptions) -> tuple[Written, list[Diagnostic]]:
    """Write the package, all or nothing; returns the changes and the warnings.

    Raises EvtgenError: a spec is wrong; EVT079 without a namespace; EVT260 for an epilogue or a namespace that cannot
    be one of an operator; EVT080 where another file is, EVT095 where the system refuses; what :func:`.build.chosen`
    raises.
    """
    from ..emit.extension import extension_files, require_operators

    if options.namespace is None:
        raise codes.USAGE.here("namespace")
    checked = chosen(checked.require(), options.tuned, options.shape)
    require_operators(checked.plans, options.namespace)
    in_catlass = options.style == "catlass"
    emitted = EmitOptions(arch=options.arch, catlass=output if in_catlass else options.catlass)
    request = Request.of(emitted, output / "include", None, given=checked)
    if in_catlass and request.checkout is not None:
        output = _with_extension(request.checkout)
    (headers,), warnings = render(request)
    # Into a checkout evtgen install puts them, which also removes them.
    files = {} if in_catlass else {f"include/{path}": text for path, text in headers.files.items()}
    names: dict[str, str] = {}
    if options.style == "package":
        modules = _modules(checked)
        files |= {f"tests/{_module(path)}.py": path.read_text(encoding="utf-8") for path in modules.values()}
        names = {name: _module(path) for name, path in modules.items()}
    either = [plan.name for plan in checked.plans if takes_either(plan, request.checkout)]
    files |= extension_files(
        checked.plans, options.namespace, names, framework_of(request),
        either=either, copies=options.copy, style=options.style,
    )  # fmt: skip
    written = write_new({output / path: text for path, text in files.items()}, force=options.force)
    unchanged = [str(output / path) for path in files if output / path not in written]
    return Written([str(path) for path in written], unchanged=unchanged), warnings


def _with_extension(checkout: Checkout) -> Path:
    """The root of a checkout that has the examples which an extension is added to. Raises EvtgenError (EVT260)."""
    for place in ("examples/shared_lib/src/kernels", "examples/python_extension/src/wrapper"):
        if not (checkout.root / place).is_dir():
            raise NO_OPERATOR.refusal("checkout", root=checkout.root, place=place)
    return checkout.root


def takes_either(plan: Plan, checkout: Checkout | None = None) -> bool:
    """Whether its kernel can also be made for the other layout of B, with the same tiles, and with the same graph where
    B is widened. Two elements in a byte are neighbours in one layout alone."""
    if any(loads_of(plan.gemm)) or any(scales(plan.gemm)) or plan.operands[1].packed > 1:
        return False
    turned = RowMajor if plan.gemm.layout_b == ColumnMajor else ColumnMajor
    other, _ = planned(replace(plan.written, gemm=replace(plan.written.gemm, layout_b=turned)))
    if other is None or other.mmad_tiles != plan.mmad_tiles:
        return False
    try:
        if checkout is not None:
            require_operands(checkout, [other.gemm])
    except EvtgenError:
        return False
    return True


def _modules(checked: Checked) -> dict[str, Path]:
    """The Python file of each epilogue that is in one, by the epilogue's name: the package's test imports a copy."""
    found = {}
    for plan in checked.plans:
        at = plan.epilogue.location
        path = None if at is None else Path(at.file)
        if path is not None and path.suffix == ".py" and path.is_file():
            found[plan.name] = path
    return found


def _module(path: Path) -> str:
    """The name of the copy of a spec, which is none of the package's."""
    return f"spec_{path.stem}"
