"""Diagnostics of code that is typed: at a prompt, in a doctest, in a cell of a notebook."""

from __future__ import annotations

import doctest
import re
import subprocess
import sys
import types

import pytest

import evtgen as evt
from evtgen.diagnostics.diagnostic import EvtgenError, render
from evtgen.diagnostics.own_operators import OPERATOR
from evtgen.graph.location import Location
from evtgen.nodes import AccLoad

WRONG = "evt.operator('softsign', ['Abs(dst, a)'], lambda np, a: a)"


def at_a_prompt(*arguments: str, typed: str = "") -> str:
    """What Python says at the end."""
    done = subprocess.run([sys.executable, *arguments], input=typed, capture_output=True, text=True, check=False)
    return done.stderr


def test_a_prompt_names_its_own_line() -> None:
    said = at_a_prompt("-i", "-q", typed=f"import evtgen as evt\n{WRONG}\n")
    # From 3.13 on Python keeps what was typed.
    kept, name = sys.version_info >= (3, 13), "<stdin-1>" if sys.version_info >= (3, 14) else "<stdin>-1"
    line = f"  --> {name}:1    {WRONG}" if kept else "  --> <stdin>:1"
    assert "\nevtgen.EvtgenError: error[EVT014]: operator 'softsign': " in said and line in said.splitlines()
    command = f"import evtgen as evt; {WRONG}"
    line = f"  --> <string>:1    {command}" if kept else "  --> <string>:1"
    assert line in at_a_prompt("-c", command).splitlines()


def test_a_doctest_names_its_own_line() -> None:
    example = doctest.DocTestParser().get_doctest(f">>> {WRONG}", {"evt": evt}, "wrong", None, None)
    said: list[str] = []
    doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert f"  --> <doctest wrong[0]>:1    {WRONG}" in "".join(said).replace("\n    ", "\n")


def test_generated_code_is_nobodys() -> None:
    """The methods that dataclasses have are of no file, and called by the user's line."""
    node = evt.TreeVisitor(AccLoad(evt.half))
    assert node.location is not None and node.location.file == __file__
    assert node.op.location == node.location


def test_a_cell_is_named_as_the_notebook_does(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = {"/tmp/ipykernel_7/42.py": ("Cell", "In[3]")}
    compiler = types.SimpleNamespace(format_code_name=cells.get)
    shell = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(compile=compiler))
    monkeypatch.setitem(sys.modules, "IPython", shell)
    for file, line, said in (("/tmp/ipykernel_7/42.py", 2, "Cell In[3], line 2"), ("/tmp/x.py", 2, "/tmp/x.py:2")):
        found = OPERATOR.error("wrong", Location(file, line, "text"), "mend it")
        assert str(found) == f"error[EVT014]: wrong\n  --> {said}    text\n  help: mend it"
    # Outside of a notebook, and with an IPython that does not say.
    for other in (types.SimpleNamespace(get_ipython=lambda: None), types.SimpleNamespace()):
        monkeypatch.setitem(sys.modules, "IPython", other)
        assert "--> /tmp/x.py:2" in str(found)


def test_the_text_of_an_error_is_that_of_the_terminal() -> None:
    with pytest.raises(EvtgenError) as caught:
        evt.operator("softsign", ["Abs(dst, a)"], lambda np, a: a)
    assert str(caught.value) == render(caught.value.diagnostics)
    assert caught.value._render_traceback_() == [render(caught.value.diagnostics, color=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("EVTGEN_DEBUG", "1")
        with pytest.raises(NotImplementedError):  # and IPython shows the traceback
            caught.value._render_traceback_()


CELLS = """
import contextlib, io, sys
from IPython.core.interactiveshell import InteractiveShell

shell = InteractiveShell.instance(colors="NoColor")
for cell in sys.stdin.read().split("# cell"):
    shell.run_cell(cell, store_history=True)
"""

SESSION = """# cell
import evtgen as evt
from evtgen import Acc, Aux, half

signed_root = evt.operator(
    "signed_root", ["Abs(tmp, a)", "Sqrt(tmp, tmp)", "Mul(dst, tmp, a)"], lambda np, a: np.sqrt(np.abs(a)) * a, ulp=1)
# cell
@evt.epilogue
def own(acc: Acc[half], X: Aux[half]):
    return {"D": signed_root(acc) + Y}
# cell
@evt.epilogue
def own(acc: Acc[half], X: Aux[half]):
    return {"D": signed_root(acc) + X}
own
# cell
print("struct SignedRoot" in evt.render(own)["own.hpp"], evt.check(own))
# cell

evt.operator("softsign", ["Abs(dst, a)"], lambda np, a: a)
# cell
evt.run(own, [[1, 2]], [[1], [2]], X=[[3, 4]])
"""


def test_cells_of_a_notebook() -> None:
    """An operator of one cell in the C++ of another, a function that is defined again, and what is wrong."""
    pytest.importorskip("IPython", reason="needs IPython: pip install 'evtgen[test]'")
    done = subprocess.run(
        [sys.executable, "-c", CELLS], input=SESSION, capture_output=True, text=True, check=True, timeout=120
    )
    said = re.sub(r"\x1b\[[\d;]*m", "", done.stdout)
    assert "NameError: name 'Y' is not defined" in said
    assert "<epilogue own for AtlasA2>" in said and ": own" in said
    operator = '  --> Cell In[5], line 1    evt.operator("softsign", ["Abs(dst, a)"], lambda np, a: a)'
    assert operator in said.splitlines()
    argument = "error[EVT187]: X has the shape (1, 2), not (M, N) = (1, 1)"
    assert said.count("Traceback") == 1 and argument in said.splitlines()  # of the NameError alone
