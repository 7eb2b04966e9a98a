"""What is committed under generated/ is what the examples become; `make generated` rewrites it."""

from __future__ import annotations

from pathlib import Path

from evtgen.emit.output.files import FileSet
from evtgen.pipeline.build import Request, render

from ..support.paths import CHECKOUT, GENERATED

EXAMPLES = CHECKOUT / "examples"
TRACED = {
    "traced_matmul_add": "matmul_add_evt",
    "traced_cast": "cast_evt",
    "traced_matmul_add_shared": "matmul_add_topo",
    "traced_row_broadcast_reduction": "row_broadcast_reduction_evt",
}
"""The functions of examples/traced.py, and the epilogues that they become."""


def rendered(*specs: Path) -> list[FileSet]:
    return render(Request(specs, GENERATED / "include", GENERATED / "examples"))[0]


def test_generated_is_up_to_date() -> None:
    for made in rendered(*sorted(set(EXAMPLES.glob("*.py")) - {EXAMPLES / "traced.py"})):
        shared = {made.root / path for path in made.files.keys() - made.origin.keys()}
        there = {path for path in made.root.rglob("*") if path.is_file() and path.suffix != ".json"}
        assert {path.relative_to(made.root).as_posix() for path in there - shared} == made.origin.keys()
        for path in made.origin:
            assert (made.root / path).read_text() == made.files[path], path


def test_traced_functions_become_the_same() -> None:
    include, _ = rendered(EXAMPLES / "traced.py")
    assert include.origin.keys() == {f"{name}.hpp" for name in TRACED}
    for name, same in TRACED.items():
        text = (GENERATED / "include" / f"{same}.hpp").read_text()
        ours = include.files[f"{name}.hpp"].replace(name.upper(), same.upper()).replace(name, same)
        assert ours == text
