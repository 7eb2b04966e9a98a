"""Codes of faults found in reading a spec."""

from __future__ import annotations

from .table import declare

UNREADABLE = declare(
    "EVT001",
    "The spec cannot be read",
    """A spec is a regular file that ends in `.py` or `.json` and holds UTF-8 text.""",
    says={
        "kind": ("{path} is neither a .py nor a .json file, nor one of C++", None),
        "text": ("{path} is not UTF-8 text", None),
        "directory": ("{path} is a directory", None),
        "irregular": ("{path} is not a regular file", None),
        "missing": ("{path} does not exist", None),
        "refused": ("{path} cannot be read: {error}", None),
        "no path": ("{path} is no path", None),
    },
)
SYNTAX = declare(
    "EVT002",
    "The spec is not valid Python",
    """The message is Python's, and so is the line.""",
    says={
        "deep": ("an expression is nested too deep for Python", None),
    },
)
RAISED = declare(
    "EVT003",
    "The spec raised an exception",
    """A spec is run to find its epilogues. The message is the exception's
    own, the line is the innermost one of yours.""",
)
EMPTY = declare(
    "EVT004",
    "The spec has no epilogue",
    """Every `Epilogue` that is bound to a name of the module is built. This
    module has none: none was created, or all of them are inside a list or a function.""",
    says={
        "": ("{path} has no epilogue", "bind an Epilogue, or a function under @epilogue, to a name"),
    },
)
NOT_JSON = declare(
    "EVT005",
    "The spec is not valid JSON",
    """The message is the JSON parser's, and so is the line.""",
    says={
        "syntax": ("{error}, in column {column}", None),
        "deep": ("it is nested too deep", None),
        "number": ("a number has too many digits", None),
        "twice": ("an object has twice the key {key}", None),
    },
)
JSON_FORM = declare(
    "EVT006",
    "The JSON does not match the schema",
    """A JSON spec holds `{"evtgen": 1, "epilogues": [...]}`. `evtgen schema`
    prints its JSON Schema. The place in the message is the path from the top of the document.""",
    says={
        "deep": ("{where}: the visitors are nested more than {limit} levels deep", "write a topological visitor"),
        "two": ("{where}: a visitor must be one thing, not {forms}", None),
        "visitor": ('{where}: a visitor must be {{"node": …}}, {{"tree": …}} or {{"topological": …}}', None),
        "node": ('{where}: there is no node "{name}"', None),
        "op": ("{where}: the op of a tree must be a node", None),
        "name": ('{where}: there is no {what} "{name}"', None),
        "field": ('{where}: there is no field "{name}"', None),
        "missing": ("{where}: this field is missing", None),
        "object": ("{where}: this must be an object", None),
        "version": ("{where}: this must be 1", None),
        "other": ("{where}: {error}", None),
    },
)
TOO_LARGE = declare(
    "EVT030",
    "The graph is nested too deep or too large",
    """Visitors may be nested 120 levels deep. Each level costs a C++ compiler several levels of template instantiation,
    and compilers stop at about 900. A `TopologicalVisitor` has its nodes on one level, as many as EVT250 lets through.
    A graph reaches the limit of 20000 nodes, beyond which it is not looked at, when a tree uses visitor objects again
    and again, since each use is a node of its own.""",
    says={
        "deep": (
            "the visitors are nested more than {limit} levels deep",
            "C++ compilers stop at about 900 template levels; write a TopologicalVisitor, which is flat",
        ),
        "large": (
            "the graph has more than {limit} nodes",
            "a visitor that is used twice counts twice; a TopologicalVisitor shares it",
        ),
    },
)
UNREAD = declare(
    "EVT026",
    "The root never reaches a node",
    """A visit starts at the root and follows inputs; an op that is not reached that way would never run. In a traced
    function it is a parameter that no output uses: a tensor, a scalar or the accumulator.""",
    says={
        "accumulator": ("no output uses the accumulator", "use it, or take it out"),
        "parameter": ("no output uses the parameter {name}", "use it, or take it out"),
        "scalar": ("no output uses the scalar {name}", "use it, or take it out"),
        "op": (
            "the root never reaches op {name}",
            "let an op that leads to the root read it, join unrelated outputs with Outputs(), or take it out",
        ),
    },
)
NODE = declare(
    "EVT206",
    "A node of a graph of torch has no place in an epilogue",
    """`evt.from_fx` takes over what follows a matmul up to the next one. What it finds there must be computed element
    by element or along rows, by functions and modules that values have (docs/functions.md), of tensors that are M x N,
    a row, a column or a single value. The message names the node, and the line is that of the model, where the graph
    knows it: `torch.export` does, and a `torch.fx.Tracer` with `record_stack_traces`.""",
)
NO_MATMUL = declare(
    "EVT207",
    "It is not clear which matmul of the graph is the accumulator",
    """`evt.from_fx` takes a graph with one matmul, or with two that multiply one input by two weights, as in a gated
    MLP. Where there are more, `matmul="name"` says which is meant, by the name of its node or the path of its
    `nn.Linear`, and `matmul=("gate", "up")` which two are. Results of the others are inputs then.""",
)
NOT_KNOWN = declare(
    "EVT208",
    "The shape or the type of a tensor is not known",
    """A graph of `torch.fx` names tensors, but need not say what they are; parameters of modules are there to be looked
    at, arguments are not. `evt.from_fx(graph, examples=(x, mask))` shows it arguments; `torch.export` and
    `torch.fx.passes.shape_prop.ShapeProp` write the shapes of all nodes into the graph. Examples that the graph cannot
    be called with, and a `T` that is no element type, are refused, too.""",
)
