"""What can go wrong before there is a graph: reading a spec file, and tracing a function."""

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
    """Python's own words, at the line that it names.""",
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
    module has none: none was made, or each sits in a list or a function.""",
)
NOT_JSON = declare(
    "EVT005",
    "The spec is not valid JSON",
    """The parser's own words, at the line that it names.""",
)
JSON_FORM = declare(
    "EVT006",
    "The JSON has another form",
    """A JSON spec holds `{"evtgen": 1, "epilogues": [...]}`. `evtgen schema`
    prints its JSON Schema. The place is the path from the top of the document.""",
)
PARAMETER = declare(
    "EVT007",
    "A parameter is not annotated",
    """Each parameter of a traced function says what it is: `acc: Acc[half]`, `X: Aux[half]`, `X: Aux[half, RowMajor]`,
    `row: RowVector[half]`, `alpha: Scalar[float32]`. `X: Aux[half] = 0.0` is a tensor whose pointer may be null and
    then stands for zeros, as `row: RowVector[half] = 1.0` stands for ones; `None` is no such value. Each tensor has
    a parameter of its own: `*tensors` and `**tensors` say nothing of their number and types.""",
)
CONDITION = declare(
    "EVT008",
    "A value is used as a condition",
    """A traced function runs once, with values that stand for whole tensors, so there is nothing to branch on.
    Conditions on Python values are fine. A comparison of values gives a mask, for `ops.where(mask, a, b)` to choose by;
    masks are joined by `&` and `|` and turned round by `~`, since Python's `and`, `or`, `not` and `a < x < b` ask for
    one truth value. So do its `max` and `min`: `ops.maximum(a, b)` works element by element.""",
)
OPERAND = declare(
    "EVT009",
    "An operand is not a value of this function",
    """Operators take the parameters of the function that is
    being traced, what was computed from them, and Python numbers. A value that was kept from another function belongs
    to another graph.""",
)
UNKNOWN_NAME = declare(
    "EVT010",
    "There is no such function",
    """`ops` has a function for each operator that `evtgen ops` lists, and
    `ops.row_reduce(value, "add" | "mean" | "max" | "min")`. Functions of numpy and torch work on values as far as `ops`
    has the same: `np.exp(acc)`, `np.maximum(acc, 0)`, `torch.relu(acc)`; so do methods: `acc.exp()`.""",
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
    "The function returns something else than outputs",
    """A traced function returns a dict that names its
    outputs: `{"D": value}`, with a value or a reduction for each name.""",
)
LOST_REDUCTION = declare(
    "EVT013",
    "A reduction is not returned",
    """A reduction is an output; what is not returned would not be written.""",
)
OPERATOR = declare(
    "EVT014",
    "An operator's declaration is wrong",
    """`evt.operator(name, calls, numpy)` declares an operator of your own. Its calls are AscendC's from tensor to
    tensor; each reads inputs (`a` to `d`), constants and what earlier calls wrote, and writes `dst` or a scratch tile
    (`tmp`, `tmp2`, …), never an input. Its numpy function takes `np`, the inputs and the constants, and gives an array
    of the inputs' shape.""",
)
TWO_ACCUMULATORS = declare(
    "EVT015",
    "There are two accumulators",
    """A kernel has one matmul, whose result is the one `Acc` parameter. A second product is not offered yet: compute it
    with a kernel of its own, and read it as an `Aux`.""",
)
PLAIN = declare(
    "EVT016",
    "What is decorated is not a plain function",
    """`@epilogue` takes a function that is made with `def` and returns its outputs: no class, no `async def`, no
    generator, no object that can merely be called, and nothing that is an epilogue already.""",
)
ELEMENTS = declare(
    "EVT017",
    "A value is asked for its elements",
    """A value stands for a whole tile whose numbers do not exist while the function is traced. So it has no slices, no
    length and no shape, it cannot be gone through, and no function of Python's `math` can take it: `ops.exp(x)` works
    on all elements. What goes over rows or columns is a reduction: `ops.row_reduce(x, "add")`.""",
)
UNREAD = declare(
    "EVT026",
    "The root never reaches a node",
    """A visit starts at the root and goes on to what it reads; an op that nobody on that way reads would never run.
    In a traced function it is a parameter that no output uses: a tensor, a scalar or the accumulator.""",
)
