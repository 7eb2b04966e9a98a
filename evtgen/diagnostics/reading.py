"""Codes of faults found before there is a graph: in reading a spec file, and in tracing a function."""

from __future__ import annotations

from .table import declare

UNREADABLE = declare(
    "EVT001",
    "The spec cannot be read",
    """A spec is a regular file that ends in `.py` or `.json` and holds UTF-8 text.""",
)
SYNTAX = declare(
    "EVT002",
    "The spec is not valid Python",
    """The message is Python's, and so is the line.""",
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
)
NOT_JSON = declare(
    "EVT005",
    "The spec is not valid JSON",
    """The message is the JSON parser's, and so is the line.""",
)
JSON_FORM = declare(
    "EVT006",
    "The JSON does not match the schema",
    """A JSON spec holds `{"evtgen": 1, "epilogues": [...]}`. `evtgen schema`
    prints its JSON Schema. The place in the message is the path from the top of the document.""",
)
PARAMETER = declare(
    "EVT007",
    "A parameter is not annotated",
    """Each parameter of a traced function has an annotation: `acc: Acc[half]`, `X: Aux[half]`, `X: Aux[half,
    RowMajor]`, `row: RowVector[half]`, `alpha: Scalar[float32]`. `X: Aux[half] = 0.0` is a tensor whose pointer may be
    null and then stands for zeros, as `row: RowVector[half] = 1.0` stands for ones; `None` is not allowed as a default.
    Each tensor has a parameter of its own: `*tensors` and `**tensors` tell neither their number nor their types.""",
)
CONDITION = declare(
    "EVT008",
    "A value is used as a condition",
    """A traced function runs once, with values that stand for whole tensors, so there is nothing to branch on.
    Conditions on Python values are fine. A comparison of values gives a mask, for use in `ops.where(mask, a, b)`.
    Combine masks with `&` and `|` and invert them with `~`, since Python's `and`, `or`, `not` and `a < x < b` need one
    truth value. So do its `max` and `min`; use `ops.maximum(a, b)`, which works element by element.""",
)
OPERAND = declare(
    "EVT009",
    "An operand is not a value of this function",
    """Operators take the parameters of the function that is
    being traced, values computed from them, and Python numbers. A value that was kept from another function belongs
    to another graph.""",
)
UNKNOWN_NAME = declare(
    "EVT010",
    "There is no such function",
    """`evtgen ops` lists the functions of `ops`: one for each operator, and the others. Functions of
    numpy and torch work on values if `ops` has the same function: `np.exp(acc)`, `np.maximum(acc, 0)`,
    `torch.relu(acc)`; so do methods: `acc.exp()`.""",
)
ARGUMENT = declare(
    "EVT011",
    "A function is called with wrong arguments",
    """An operator takes as many values as it is declared with,
    and a constant where it is declared with one: a number, or a `Scalar`. `where` and the logical operators take masks,
    all others take numbers. `cast` takes an element type and a round mode.""",
)
RETURN = declare(
    "EVT012",
    "The function does not return outputs",
    """A traced function returns a dict that names its
    outputs: `{"D": value}`, with a value or a reduction for each name.""",
)
LOST_REDUCTION = declare(
    "EVT013",
    "A reduction is not used",
    """A reduction is an output or an operand: `{"sum": ops.col_reduce(x)}`, `x / ops.col_reduce(x)`. One that is
    neither does nothing. Nor does a value in another place, as `ops.transpose` gives one, that is no output.""",
)
OPERATOR = declare(
    "EVT014",
    "An operator's declaration is wrong",
    """`evt.operator(name, calls, numpy)` declares an operator of your own. Its calls are AscendC's from tensor to
    tensor; each reads inputs (`a` to `d`), constants and results of earlier calls, and writes `dst` or a scratch tile
    (`tmp`, `tmp2`, …), never an input. Its numpy function takes `np`, the inputs and the constants, and returns an
    array of the inputs' shape.""",
)
TWO_ACCUMULATORS = declare(
    "EVT015",
    "There are too many accumulators",
    """A kernel multiplies A by one B, whose product is the one `Acc` parameter. With `gemm=Gemm(accumulators="halves")`
    B has 2N columns, and the first `Acc` parameter is the product with the left half of them, the second with the right
    one; with `"separate"` there are two Bs. Compute any further product with a kernel of its own, and read it as an
    `Aux`.""",
)
PLAIN = declare(
    "EVT016",
    "The decorated object is not a plain function",
    """`@epilogue` takes a function that is defined with `def` and returns its outputs: not a class, an `async def`, a
    generator, some other callable object, or an epilogue.""",
)
ELEMENTS = declare(
    "EVT017",
    "A value is asked for its elements",
    """A value stands for a whole tile whose numbers do not exist while the function is traced. So it has no slices, no
    length and no shape, it cannot be iterated over, and no function of Python's `math` can take it: `ops.exp(x)` works
    on all elements. To combine the elements of rows or columns, use a reduction: `ops.row_reduce(x, "add")`.""",
)
POSITION = declare(
    "EVT195",
    "A comparison of positions leaves int32",
    """`ops.row_index()`, `ops.col_index()`, and sums, differences and products of them and of whole numbers, are int32.
    They are compared with each other and with whole numbers of int32. AtlasA2 compares no int32: there, it is the
    difference that is compared, in float32, to which it is rounded without a change of its sign. So the difference must
    stay within int32 for all products of up to 2^24 rows and columns: that of `row * 256 > col` may not. Where numbers
    below 2^24 are enough, which float32 holds exactly, compare `.cast(float32)` of both.""",
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
EAGER = declare(
    "EVT205",
    "The function does not run on arrays",
    """A function with `@epilogue` also runs on arrays, where it is its own reference: `epilogue.function(acc, X=x)`.
    Its parameters then are arrays of numpy, as in `evt.verify(…, against=function)`, or whatever it is called with. The
    functions of `ops` take arrays of numpy and tensors of torch; `ops.cast(x, T)` is `x.cast(T)`. What asks for nodes
    of the graph has no meaning there.""",
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
IDENTITY = declare(
    "EVT200",
    "An operand has an identity",
    """`identity=` is what the caller fills the output of a reduction with before the launch. A reduction that is an
    operand, as in `x - ops.col_reduce(x, "max")`, is that of its values alone, and as an output it is stored as any
    value is; so there is nothing to fill.""",
)
