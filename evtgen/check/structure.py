"""Rules of structure: the contents of the graph, its edges, and its root."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter

from ..diagnostics.diagnostic import Diagnostic, Severity
from ..diagnostics.reading import TOO_LARGE, UNREAD
from ..graph.ir import Epilogue, Gemm, Node
from ..nodes import AccLoad, Compute, Outputs
from ..operators.declaration import Operator
from ..passes.analysis.fields import fits, short, values_of
from ..passes.analysis.size import excess
from .facts import Facts, Found, Level, Place, wrong_type
from .registry import rule, rule_of, says


@rule_of(TOO_LARGE)
def too_large(facts: Facts) -> Iterator[Diagnostic]:
    """The graph with inserted casts; as it is written, it was measured before the facts were built."""
    found = excess(facts.with_casts.root)
    if found is not None:
        yield found


@rule("EVT020", "A value has the wrong type")
@says("an edge must be an index of ops, not {value}", when="edge")
@says("the graph must hold nodes, not the class {value}", "write {value}(...)", when="class")
@says("the graph must hold nodes, not {value}", "write a node such as AccLoad(half)", when="node")
@says("{label}: {name} must be {hint}, not {value}", when="field")
@says("{name} must be {hint}, not {value}", when="option")
def malformed(facts: Facts) -> Iterator[Found]:
    """A field of a node, an option of the epilogue or an entry of the graph has the wrong type: a string in place of an
    element type (`"half"` for `half`), a class in place of a node (`AccLoad` for `AccLoad(half)`), an edge that is not
    an integer."""
    for prefix, owner in (("", facts.epilogue), ("gemm.", facts.epilogue.gemm)):
        if isinstance(owner, (Epilogue, Gemm)):
            for name, hint, value in values_of(owner):
                if name != "root" and not fits(value, hint):
                    yield wrong_type(None, "option", prefix + name, hint, value)
    yield from facts.malformed


@rule("EVT022", "The graph has a cycle")
@says("the graph has a cycle: {names}", "edges[i] lists the ops that op i reads; take one of these edges out")
def cycle(facts: Facts) -> Iterator[Found]:
    """In a `TopologicalVisitor` no op may depend on itself, directly or through other ops. The message lists the ops of
    the cycle with their indices."""
    for level in facts.levels:
        edges = {i: set(e) for i, e in enumerate(level.edges)}
        while found := _cycle(edges):
            names = " → ".join(level.name(facts, i) for i in (*found, found[0]))
            yield Found(level.location(found[0]), names=names)
            for index in found:
                edges.pop(index)


def _cycle(edges: dict[int, set[int]]) -> list[int] | None:
    """One cycle, each op before the one that reads it; None if there is no cycle."""
    try:
        TopologicalSorter({i: [e for e in needs if e in edges] for i, needs in edges.items()}).prepare()
    except CycleError as error:
        return list(error.args[1][:-1])
    return None


@rule("EVT023", "An edge points outside the visitor")
@says("op {name} reads op {edge}, but the ops are 0 to {last}")
def edge_range(facts: Facts) -> Iterator[Found]:
    """`edges[i]` holds indices of `ops`, counted from 0; negative indices are not allowed. An op of an outer or a
    nested visitor cannot be read by index."""
    for level in facts.levels:
        count = len(level.visitor.ops)
        for index, edges in enumerate(level.visitor.edges[:count]):
            for edge in edges:
                if isinstance(edge, int) and not isinstance(edge, bool) and not 0 <= edge < count:
                    name = level.name(facts, index)
                    yield Found(level.location(index), name=name, edge=short(edge), last=count - 1)


@rule("EVT024", "A TopologicalVisitor is incomplete")
@says(
    "a TopologicalVisitor has {edges} edges for {ops} ops",
    "write one tuple of indices for each op, () for an op without inputs",
    when="edges",
)
@says("a TopologicalVisitor needs at least 2 ops, but has 1", "write the node itself", when="one op")
@says("a TopologicalVisitor needs at least 2 ops, but has none", when="no op")
def topological_size(facts: Facts) -> Iterator[Found]:
    """A `TopologicalVisitor` has one entry in `edges` for each of its `ops`, and at least two ops: a single node needs
    no visitor around it."""
    for level in facts.levels:
        visitor = level.visitor
        if len(visitor.edges) != len(visitor.ops):
            yield Found(visitor.location, "edges", edges=len(visitor.edges), ops=len(visitor.ops))
        if len(visitor.ops) < 2:
            yield Found(visitor.location, "one op" if visitor.ops else "no op")


@rule("EVT025", "The root is not last")
@says("the last op is {last}, but the root is {root}", "move the root to the end of ops and adapt the indices in edges")
def root_last(facts: Facts) -> Iterator[Found]:
    """The last op of a `TopologicalVisitor` is its root: a visit starts at it and returns its output. So no op of the
    visitor may read it, and it must be the op that the stores and reductions lead to."""
    for level in facts.levels:
        root = misplaced_root(facts, level)
        last = len(level.edges) - 1
        if root is not None:
            yield Found(level.location(root), last=level.name(facts, last), root=level.name(facts, root))


def misplaced_root(facts: Facts, level: Level) -> int | None:
    """The op that should be last, if the last one clearly is not the root; else None."""
    if not level.edges:
        return None
    last = len(level.edges) - 1
    read = {e for edges in level.edges for e in edges}
    sinks = [i for i in range(last) if i not in read]
    writers = [i for i in sinks if _writes(facts, level, i)]
    if last in read:
        best = writers or sinks
        return best[-1] if best else None
    return writers[-1] if writers and not _writes(facts, level, last) else None


def _writes(facts: Facts, level: Level, op: int) -> bool:
    """Whether an op is, or depends on, a store or a reduction."""
    for index in _reached(level.edges, op):
        place = level.places[index]
        for inner in _cone(facts, place):
            if inner.node.writes:
                return True
    return False


def _cone(facts: Facts, place: int | None) -> Iterator[Place]:
    seen: set[int] = set()
    stack = [] if place is None else [place]
    while stack:
        index = stack.pop()
        if index not in seen:
            seen.add(index)
            yield facts.places[index]
            stack += [producer for _, producer in facts.places[index].inputs]


def _reached(edges: Sequence[Sequence[int]], root: int) -> set[int]:
    seen: set[int] = set()
    stack = [root]
    while stack:
        index = stack.pop()
        if index not in seen:
            seen.add(index)
            stack += edges[index]
    return seen


@rule_of(UNREAD)
def unreachable(facts: Facts) -> Iterator[Found]:
    """Ops that a visit does not reach, and in a traced function the tensors and the accumulator that no output uses."""
    for level in facts.levels:
        if not level.edges:
            continue
        root = misplaced_root(facts, level)
        reached = _reached(level.edges, len(level.edges) - 1 if root is None else root)
        if root is not None:
            reached.add(len(level.edges) - 1)
        for index in range(len(level.edges)):
            if index in reached:
                continue
            op, name = level.visitor.ops[index], level.name(facts, index)
            if not facts.epilogue.traced:
                yield Found(level.location(index), "op", name=name)
            elif isinstance(op, AccLoad):
                yield Found(level.location(index), "accumulator")
            else:
                yield Found(level.location(index), "parameter", name=getattr(op, "name", None) or name)


@rule("EVT027", "A node has the wrong number of inputs")
@says("{label} takes no inputs, but has {given}", when="none")
@says("{label} takes 1 input, but has {given}", when="one")
@says("{label} takes {low} inputs, but has {given}", when="several")
@says("{label} takes {low} to {high} inputs, but has {given}", when="between")
@says("{label} takes at least {low} inputs, but has {given}", when="at least")
def arity(facts: Facts) -> Iterator[Found]:
    """Loads take no input; casts, stores and reductions take one; an operator takes as many as it is declared with.
    Associative operators (`Plus`, `Multiplies`, `Maximum`, `Minimum`) also take more."""
    for place in facts.places:
        low, high = _arity(place.node)
        if (place.given < low and not (place.given == 0 and place.node.writes)) or (
            high is not None and place.given > high
        ):
            exact = {0: "none", 1: "one"}.get(low, "several")
            when = "at least" if high is None else exact if low == high else "between"
            yield Found(place, when, low=low, high=high, given=place.given)


def _arity(node: Node) -> tuple[int, int | None]:
    operator = node.operator if isinstance(node, Compute) and isinstance(node.op, (str, Operator)) else None
    if operator is not None:
        return operator.inputs, None if operator.variadic else operator.inputs
    return getattr(node, "min_inputs", 0), getattr(node, "max_inputs", None)


@rule("EVT028", "A store has no input")
@says(
    "{label} has no input, so there is nothing to write",
    "put it over a node: TreeVisitor(store, node), or name the node's index in edges",
)
def store_without_input(facts: Facts) -> Iterator[Found]:
    """A store or reduction writes the value that it reads from another node. On its own, as a leaf of a tree or with
    empty edges, it has nothing to write."""
    for place in facts.places:
        if place.node.writes and place.given == 0:
            yield Found(place)


@rule("EVT029", "The epilogue has no output")
@says("{epilogue} has no store and no reduction, so nothing is written", 'put an AuxStore("D", ...) at the root')
def no_output(facts: Facts) -> Iterator[Found]:
    """An epilogue with neither a store nor a reduction discards everything that it computes."""
    if facts.places and not any(place.node.writes for place in facts.places):
        yield Found()


@rule("EVT062", "The epilogue does not read the accumulator", Severity.WARNING)
@says("{epilogue} does not read the accumulator", "add a parameter such as acc: Acc[half]", when="function")
@says("{epilogue} does not read the accumulator", "read it with AccLoad(half)", when="graph")
def no_accumulator(facts: Facts) -> Iterator[Found]:
    """The kernel multiplies A by B, but the epilogue never reads the product. That is legal but rarely intended: read
    it as `acc: Acc[half]`, or as `AccLoad(half)`."""
    if facts.places and not any(isinstance(place.node, AccLoad) for place in facts.places):
        yield Found(None, "function" if facts.epilogue.traced else "graph")


@rule("EVT031", "A nested visitor is given inputs")
@says(
    "op {index} is a nested {name}, which takes no inputs, but its edges are {edges}",
    "write () for it, and make what it should read an op of the outer visitor",
)
def nested_inputs(facts: Facts) -> Iterator[Found]:
    """A visitor inside a `TopologicalVisitor` is complete in itself: it has its own loads, and its entry in `edges` is
    empty."""
    for level in facts.levels:
        for index, (op, edges) in enumerate(zip(level.visitor.ops, level.visitor.edges, strict=False)):
            if edges and not isinstance(op, Node):
                yield Found(level.location(index), index=index, name=type(op).__name__, edges=edges)


@rule("EVT032", "A TreeVisitor has no children")
@says("a TreeVisitor has no children", "write the {op} itself, or give it inputs")
def tree_without_children(facts: Facts) -> Iterator[Found]:
    """`TreeVisitor(op, children...)` needs at least one child; write a node without inputs on its own."""
    for tree in facts.trees:
        if not tree.children:
            yield Found(tree.location, op=getattr(type(tree.op), "__name__", "node"))


@rule("EVT033", "Outputs is not the root")
@says("Outputs() has no value, but another node reads it", "make it the root", when="read")
@says("Outputs() stands inside the graph", "make it the root", when="inside")
def outputs_inside(facts: Facts) -> Iterator[Found]:
    """`Outputs()` joins stores and reductions that have nothing in common into one root. It has no value, so nothing
    can read it, and it must be the root of the whole graph."""
    for index, place in enumerate(facts.places):
        if not isinstance(place.node, Outputs):
            continue
        if index in facts.read:
            yield Found(place, "read")
        elif index != facts.root and not any(misplaced_root(facts, level) is not None for level in facts.levels):
            yield Found(place, "inside")
