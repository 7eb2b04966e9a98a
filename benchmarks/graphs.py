"""Graphs of any size, as evtgen's users would write them."""

from __future__ import annotations

from evtgen import Epilogue, TopologicalVisitor, TreeVisitor, half
from evtgen.nodes import AccLoad, AuxLoad, AuxStore, Compute


def chain(nodes: int, *, traced: bool = True) -> Epilogue:
    """D = relu(…relu(relu(C) + X)…): a chain of ``nodes`` nodes. Traced, so a pass chooses the form."""
    ops = [AccLoad(half), *(Compute("Relu", half) for _ in range(nodes - 2)), AuxStore("D", half)]
    edges = [(), *((index,) for index in range(nodes - 1))]
    return Epilogue(f"chain{nodes}", TopologicalVisitor(edges, ops), traced=traced)


def shared(nodes: int, *, traced: bool = True) -> Epilogue:
    """A DAG where every value is used twice: z = z + z, all the way."""
    ops = [AccLoad(half), *(Compute("Plus", half) for _ in range(nodes - 2)), AuxStore("D", half)]
    edges = [(), *((index, index) for index in range(nodes - 2)), (nodes - 2,)]
    return Epilogue(f"shared{nodes}", TopologicalVisitor(edges, ops), traced=traced)


def tree(nodes: int) -> Epilogue:
    """A TreeVisitor of ``nodes`` nodes, balanced: sums of loads."""

    loads = 0

    def grow(count: int) -> TreeVisitor | AuxLoad | AccLoad | Compute:
        nonlocal loads
        if count == 1:
            loads += 1
            return AccLoad(half) if loads == 1 else AuxLoad(f"X{loads}", half)
        if count == 2:
            return TreeVisitor(Compute("Relu", half), grow(1))
        left = (count - 1) // 2
        return TreeVisitor(Compute("Plus", half), grow(left), grow(count - 1 - left))

    return Epilogue(f"tree{nodes}", TreeVisitor(AuxStore("D", half), grow(nodes - 1)))


def topological(nodes: int) -> Epilogue:
    """A TopologicalVisitor of ``nodes`` nodes, as written."""
    epilogue = shared(nodes, traced=False)
    return Epilogue(f"topological{nodes}", epilogue.root)
