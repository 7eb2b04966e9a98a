"""JSON specs, whole and damaged, read and checked: each gives epilogues or diagnostics with a code, never an exception.

What passes the checks is planned and emitted, too, and comes back the same from its own JSON.
"""

from __future__ import annotations

import copy
import json
import random
import time
from dataclasses import fields, replace
from typing import Any

from evtgen.check import check
from evtgen.diagnostics.diagnostic import EvtgenError, has_errors, render
from evtgen.diagnostics.table import TABLE
from evtgen.emit.framework import Framework
from evtgen.emit.render import epilogue_files
from evtgen.frontend.json_form import read, to_json
from evtgen.graph.ir import Gemm
from evtgen.graph.types import ColumnMajor, half, int8, nZ, zN
from evtgen.nodes import NODE_KINDS
from evtgen.operators.table import OPERATORS
from evtgen.planner.plan import lower

from ..support.fuzzing import keep
from ..support.seeds import EXPLICIT, TRACED

GEMMS = (
    Gemm(batch=True, layout_a=zN, layout_b=ColumnMajor, policy="preload_async"),
    Gemm(group="m", layout_a=ColumnMajor, layout_b=nZ, workspace_stages=2),
    Gemm(a=half, b=int8, layout_b=ColumnMajor, policy="pingpong"),
    Gemm(split_k=4, l1=(32, 64, 64)),
    Gemm(a=half, c=half, handoff="gm", l1=(128, 256, 256), l0=(128, 256, 64), swizzle=(3, 1), workspace_stages=0),
)
"""Every field of a GEMM, with a value that is not its default."""

SEEDS = [to_json([epilogue]) for epilogue in (*EXPLICIT, *TRACED, *(replace(EXPLICIT[0], gemm=g) for g in GEMMS))]

FIELDS = (
    "evtgen", "epilogues", "name", "root", "arch", "compute_length", "buffers", "gemm", "node", "tree", "topological",
    *(field.name for field in fields(Gemm)),
)  # fmt: skip

ODD: list[Any] = [
    None, True, False, 0, -1, 1, 2, 16, 2**31, 2**32, 2**63, 2**64, 10**300, 10**400, 10**4000, 0.5, -0.0, 1e308,
    float("inf"), float("-inf"), float("nan"), "", "x", "half", "float32", "mask", "int", "RowMajor", "Infinity", "NaN",
    "zN", "nZ", "ColumnMajor", "m", "gm", "ub", "pingpong", "preload_async", "int8", [32, 64, 64], [3, 1],
    "__init__", "../../x", "a\"*/", "\x00", "\ud800", "é", "x" * 10_000, [], {}, [[]], [{}], {"": None}, [0] * 1000,
    {"node": "AccLoad", "T": "half"}, {"node": "Outputs"}, *NODE_KINDS, *OPERATORS,
]  # fmt: skip

SYNTAX = [b"{", b"}", b"[", b"]", b",", b":", b'"', b"\\", b"\0", b"\xff", b"1e999", b"-", b"//", b"\xef\xbb\xbf", b" "]


def _places(document: Any) -> list[tuple[Any, Any]]:
    """Every (container, key) of a document."""
    found, stack = [], [document]
    while stack:
        thing = stack.pop()
        items = thing.items() if isinstance(thing, dict) else enumerate(thing) if isinstance(thing, list) else ()
        for key, value in items:
            found.append((thing, key))
            stack.append(value)
    return found


def _change(document: Any, draw: random.Random) -> None:
    """One change: a value replaced, taken out, doubled, moved, nested in itself, or a key renamed."""
    places = _places(document)
    if not places:
        return
    container, key = draw.choice(places)
    other, elsewhere = draw.choice(places)
    kind = draw.randrange(7)
    if kind <= 1:
        container[key] = copy.deepcopy(draw.choice(ODD))
    elif kind == 2:
        del container[key]
    elif kind == 3:
        container[key] = copy.deepcopy(other[elsewhere])
    elif kind == 4 and isinstance(container, list):
        container.insert(draw.randrange(len(container) + 1), copy.deepcopy(container[key]))
    elif kind == 5 and isinstance(container, dict):
        container[draw.choice(FIELDS)] = container.pop(key)
    else:
        _nest(container, key, draw, draw.randrange(1, 4))


def _nest(container: Any, key: Any, draw: random.Random, depth: int) -> None:
    for _ in range(depth):
        container[key] = draw.choice([{"tree": {"op": container[key], "children": []}}, [container[key]]])


def made(draw: random.Random) -> bytes:
    """The bytes of a spec."""
    document = copy.deepcopy(draw.choice(SEEDS))
    for _ in range(draw.choice([0, 1, 1, 1, 2, 3, 8])):
        _change(document, draw)
    if draw.random() < 0.05 and (places := _places(document)):
        _nest(*draw.choice(places), draw, draw.choice([119, 120, 121, 300]))
    data = json.dumps(document, ensure_ascii=draw.random() < 0.5).encode(errors="surrogatepass")
    if draw.random() < 0.2:
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(data) + 1)
            data = data[:at] + draw.choice(SYNTAX) + data[at + draw.choice([0, 0, 1, 10, 1000]) :]
    return data


def tried(data: bytes) -> str:
    """What becomes of a spec: ``"unreadable"``, ``"refused"`` or ``"built"``. Raises whatever goes wrong."""
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return "unreadable"  # as for every file, before it is read as JSON
    try:
        epilogues = read(text, "spec.json")
    except EvtgenError as error:
        assert error.diagnostics and error.status == 2
        assert {d.code for d in error.diagnostics} <= {"EVT005", "EVT006"}
        assert len(render(error.diagnostics)) < 200 * len(text) + 10_000
        return "refused"
    found = [diagnostic for epilogue in epilogues for diagnostic in check(epilogue)]
    assert all(d.code in TABLE and d.code != "EVT099" for d in found)
    json.dumps([d.to_json() for d in found])
    if has_errors(found):
        return "refused"
    assert read(json.dumps(to_json(epilogues)), "again.json") == epilogues
    for epilogue in epilogues:
        assert epilogue_files(lower(epilogue), Framework())
    return "built"


def run(seconds: float, seed: int) -> int:
    """Try specs for some seconds; returns their number. AssertionError on a failure, with the file of the spec."""
    draw = random.Random(seed)
    end = time.monotonic() + seconds
    count = 0
    while time.monotonic() < end:
        data = made(draw)
        count += 1
        try:
            tried(data)
        except BaseException as error:
            raise AssertionError(f"{type(error).__name__}: {error}; the spec is {keep(data, 'spec.json')}") from error
    return count
