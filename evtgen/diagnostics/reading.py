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
    a row, a column or a single value. The message names the node. The line is a line of the model, if the graph knows
    it: `torch.export` does, and a `torch.fx.Tracer` with `record_stack_traces`.""",
    says={
        "reduced axes": ("{name} goes along {what}", "only rows, columns or both can be reduced"),
        "integers": (
            "in torch, this matmul of {a} and {b} does not give int32",
            "write torch._int_mm, which multiplies int8 and adds up in int32, as the kernel does",
        ),
        "wraps": ("in torch, {name} of {T} wraps around", "cast to float32 or to int32 before"),
        "overwritten": (
            "{name}, which the epilogue only reads, is overwritten here",
            "write it without a change in place",
        ),
        "overwrites several": ("{name} overwrites several tensors", "write it without a change in place"),
        "shared memory": (
            "{given} shares its memory with what {node} overwrites, and is read afterwards",
            "write it without a change in place",
        ),
        "extent": (
            "it computes with a number of rows or columns that is not known before the kernel runs",
            "write the number; of a last extent, examples=(…) or ShapeProp tell it",
        ),
        "module": ("{kind} is no module of torch.nn", "trace it, too, or write it with functions"),
        "unknown module": ("there is nothing like nn.{kind} behind a matmul", "known are {known}"),
        "columns": (
            "a tile of the kernel keeps its columns",
            "extents before the last may change where the graph knows them: run ShapeProp, or torch.export",
        ),
        "rows": (
            "a matrix of a batch keeps its rows",
            "put what follows in front of the view, or leave it to PyTorch",
        ),
        "training": (
            "there is nothing random in an epilogue, and this is in training",
            "call model.eval() before it is traced",
        ),
        "no tensor": ("what is not part of the epilogue reads something that is no tensor", None),
        "cut": ("it does not cut the columns", "write dim=-1"),
        "parts": ("it cuts a tensor into parts that meet each other", None),
        "shape": (
            ("{name} has the shape {shape}, which is not that of the output, {extents}, a row or a column of it"),
            "expand it before, so that it has a value for each element",
        ),
        "unfit": (
            "no kernel has {name} with {argument}",
            "docs/torch.md lists the forms that kernels have; evt.partition leaves others to PyTorch",
        ),
        "recipes": (
            "no kernel takes the scales of {name}: {a} for A and {b} for B",
            "TensorWise, RowWise and BlockWise1x32 of both operands, and BlockWise1x128 of A with BlockWise1x128 or "
            "BlockWise128x128 of B can be kernels; in groups RowWise alone",
        ),
        "scales": (
            "scales of the shapes {a} and {b} are not known to be of rows and columns, nor of slices of K",
            "in a graph that knows K and N, as torch.export's does, scales are M x 1 and 1 x N, or M x K/128 and "
            "K/128 x N or K/128 x N/128",
        ),
        "raised": ("{error}: {words}, at the node {node}", None),
    },
)
NO_MATMUL = declare(
    "EVT207",
    "It is not clear which matmul of the graph is the accumulator",
    """`evt.from_fx` takes a graph with one matmul, or with two that multiply one input by two weights, as in a gated
    MLP. Where there are more, `matmul="name"` says which is meant, by the name of its node or the path of its
    `nn.Linear`, and `matmul=("gate", "up")` which two are. Results of the others are inputs then.""",
    says={
        "graph alone": ("a {kind} of torch.fx has no parameters of the model", "give the GraphModule, not its graph"),
        "no graph": ("a {kind} is no graph of torch.fx", "write evt.from_fx(torch.fx.symbolic_trace(model))"),
        "no model": (
            "a {kind} is no model of PyTorch",
            "give a torch.nn.Module and examples=(…), or the program of torch.export.export",
        ),
        "none": ("the graph has no matmul", "it needs one of nn.Linear, {functions} or @"),
        "unknown": ("there is no matmul {name!r} in the graph", "known are {known}"),
        "ambiguous": ("there are several matmuls {name!r} in the graph", "known are {known}"),
        "several": ("the graph has {count} matmuls: {known}", 'say which is meant: matmul="{name}"'),
        "two products": (
            "{names} do not multiply one input by two weights",
            "two accumulators are two products with one A, and in groups with one list of them",
        ),
    },
)
NOT_KNOWN = declare(
    "EVT208",
    "The shape or the type of a tensor is not known",
    """A graph of `torch.fx` names tensors, but need not say what they are; parameters of modules are there to be looked
    at, arguments are not. `evt.from_fx(graph, examples=(x, mask))` shows it arguments; `torch.export` and
    `torch.fx.passes.shape_prop.ShapeProp` write the shapes of all nodes into the graph. Examples that the graph cannot
    be called with, and a `T` that is no element type, are refused, too.""",
    says={
        "axes": (
            "{name} goes along the axis {axis} of a tensor, and it is not known how many it has",
            "write dim=-1 for the last, or give examples=(…)",
        ),
        "element type": ("T={T!r} is no element type", "write one of {types}"),
        "K": (
            "{a} has the shape {shape}, and the matmul {node} needs {k} where that has {found}",
            "give an example that the model can be called with",
        ),
        "unknown": (
            "the {what} of {name} is not known",
            ("give examples=(…), the arguments of the model, or run torch.fx.passes.shape_prop.ShapeProp before"),
        ),
        "dtype": (
            "{name} is of {dtype}, which no tensor of a kernel is",
            "convert the model, or give examples of another type; a model of float32 may take T=half",
        ),
        "count": (
            "there are {given} examples for a graph of {count} arguments",
            "give those of the graph, in their order",
        ),
        "argument": ("the graph has no argument {name!r}", None),
        "no examples": (
            "nothing says what {kind} is called with",
            "give the arguments of a call: evt.partition(model, (x, mask))",
        ),
        "missing": ("{path} does not exist", "give a file that torch.export.save has written"),
        "directory": ("{path} is a directory", "give a file that torch.export.save has written"),
        "not loaded": ("torch.export.load cannot read {path}: {words}", "write it with torch.export.save"),
        "not exported": (
            "torch.export cannot export {kind}: {words}",
            "change the model so that torch.export.export(model, examples) works",
        ),
        "no argument": ("the model is called without {name}", "give all arguments of the model, or none"),
        "no tensor": ("the {kind} has no {path}", "give the model that was converted, or one of the same class"),
    },
)
