"""Templates to text: the framework, an epilogue's header, an example directory.

The templates decide nothing: views (:mod:`.header`, :mod:`.example`, :mod:`.functor`) hold the values to print, taken
from the :class:`~evtgen.planner.plan.Plan`, the declarations in :mod:`evtgen.operators.table` and the node kinds.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..operators.table import FRAMEWORK
from ..planner.plan import Plan
from .example import example_view
from .finish import LATER, PLAIN, Finish
from .framework import Framework
from .functor import FunctorView
from .header import header_view
from .places import COMMON, epilogue_path, example_paths, framework_paths, fusion_headers

if TYPE_CHECKING:
    import jinja2


def framework_files(fw: Framework, finish: Finish = PLAIN) -> dict[str, str]:
    """The framework: path below the include root → text."""
    headers = fusion_headers()
    operators = [FunctorView(op) for op in FRAMEWORK]
    files = {
        path: render_template(f"include/{source}.j2", fw=fw, guard=_guard(path), headers=headers, operators=operators)
        for source, path in framework_paths(fw).items()
    }
    return finish.apply(files)


def epilogue_files(plan: Plan, fw: Framework, finish: Finish = PLAIN) -> dict[str, str]:
    """The header of one epilogue: ``{"<name>.hpp": text}``."""
    header = header_view(plan, fw)
    text = render_template("epilogue/epilogue.hpp.j2", header=header)
    return finish.apply({epilogue_path(plan.name): text})


def header_files(plans: Sequence[Plan], fw: Framework) -> dict[str, str]:
    """The framework and the headers of all epilogues, finished together."""
    files = framework_files(fw, LATER)
    for plan in plans:
        files.update(epilogue_files(plan, fw, LATER))
    return PLAIN.apply(files)


def example_files(plan: Plan, finish: Finish = PLAIN) -> dict[str, str]:
    """An example directory in Catlass's style: path below the examples directory → text."""
    view = example_view(plan)
    paths = example_paths(plan.name)
    return finish.apply(
        {path: render_template(f"example/{template}.j2", example=view) for template, path in paths.items()}
    )


def common_files(finish: Finish = PLAIN) -> dict[str, str]:
    """The header that all example programs include: path below the examples directory → text."""
    return finish.apply({COMMON: render_template("example/evt_example.hpp.j2")})


def _guard(path: str) -> str:
    return re.sub(r"[^0-9A-Za-z]", "_", path).upper()


def render_template(template: str, **context: Any) -> str:
    return _environment().get_template(template).render(**context)


def templates() -> Path:
    """The templates: inside an installed package, or beside it in a checkout."""
    package = Path(__file__).parent.parent
    installed = package / "templates"
    return installed if installed.is_dir() else package.parent / "templates"


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    from .bytecode import Beside

    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(templates()),
        bytecode_cache=Beside(),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
