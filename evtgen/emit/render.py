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

from ..operators.table import FAMILIES
from ..planner import evg
from ..planner.plan import Plan
from ..planner.tile import UbMap
from .evg import evg_header_view, extended_headers
from .example import example_view
from .finish import LATER, PLAIN, Finish
from .framework import EXTENDED, FUSION_DIRECTORY, Framework
from .functor import FunctorView
from .header import guard, header_view, local_operators, visit_views
from .places import (
    COMMON,
    EXTENDED_HEADERS,
    SHARED_HEADERS,
    epilogue_path,
    example_paths,
    extended_path,
    framework_paths,
    fusion_headers,
    with_included,
)

if TYPE_CHECKING:
    import jinja2


FRAMEWORK = Framework()
"""evtgen's own, in Catlass's place."""


def framework_files(fw: Framework, finish: Finish = PLAIN, plans: Sequence[Plan] | None = None) -> dict[str, str]:
    """The framework: path below the include root → text. With Catlass's own framework, the nodes that ``plans`` need
    beside it; None: all there are."""
    if fw.catlass:
        return finish.apply(_extended_files(plans))
    return finish.apply(_framework(fw))


def epilogue_files(plan: Plan, fw: Framework, finish: Finish = PLAIN) -> dict[str, str]:
    """The header of one epilogue: ``{"<name>.hpp": text}``."""
    if fw.catlass:
        view = evg_header_view(plan, guard(plan.name), local_operators(plan))
        text = render_template("evg/epilogue.hpp.j2", header=view)
    else:
        text = render_template("epilogue/epilogue.hpp.j2", header=header_view(plan, fw))
    return finish.apply({epilogue_path(plan.name): text})


def plan_of_tile(ub: UbMap, names: Sequence[str], length: int, fw: Framework) -> str:
    """The plan of tiles of ``length`` elements, of nodes with these names."""
    visits = tuple(visit_views(ub, names))
    return render_template("plan.j2", visits=visits, ub_bytes=ub.offsets[-1], length=length, namespace=fw.namespace)


def _extended_files(plans: Sequence[Plan] | None) -> dict[str, str]:
    own = {name: f"include/{FUSION_DIRECTORY}/{name}.j2" for name in SHARED_HEADERS}
    needed = EXTENDED_HEADERS if plans is None else [name for plan in plans for name in extended_headers(evg.of(plan))]
    files = {}
    for name in with_included(needed):
        path, template = extended_path(name), own.get(name, f"evg/extended/{name}.j2")
        files[path] = render_template(template, fw=EXTENDED, guard=_guard(path), families=_families())
    return files


def _families() -> dict[str, list[FunctorView]]:
    return {family: [FunctorView(op) for op in operators] for family, operators in FAMILIES.items()}


def header_files(plans: Sequence[Plan], fw: Framework) -> dict[str, str]:
    """The framework and the headers of all epilogues, in Catlass's style."""
    own = {path: text for plan in plans for path, text in epilogue_files(plan, fw, LATER).items()}
    return PLAIN.apply({**framework_files(fw, LATER, plans), **own})


@cache
def _framework(fw: Framework) -> dict[str, str]:
    headers = fusion_headers()
    return {
        path: render_template(f"include/{source}.j2", fw=fw, guard=_guard(path), headers=headers, families=_families())
        for source, path in framework_paths(fw).items()
    }


NEWEST = (1, 6, 3)
"""The release of Catlass that examples are for where none is given: the newest that they were built with."""


def example_files(
    plan: Plan, finish: Finish = PLAIN, release: Sequence[int] = NEWEST, fw: Framework = FRAMEWORK
) -> dict[str, str]:
    """An example directory in Catlass's style: path below the examples directory → text, as ``release`` takes it."""
    context = {"example": example_view(plan, fw), "release": tuple(release)}
    paths = example_paths(plan.name)
    return finish.apply(
        {path: render_template(f"example/{template}.j2", **context) for template, path in paths.items()}
    )


def common_files(finish: Finish = PLAIN, release: Sequence[int] = NEWEST) -> dict[str, str]:
    """The header that all example programs include: path below the examples directory → text."""
    return finish.apply({COMMON: render_template("example/evt_example.hpp.j2", release=tuple(release))})


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
