"""Codes of faults found while a function is traced."""

from __future__ import annotations

from ..system.translation import tr
from .table import declare

_FORM = 'for example return {{"D": value}}'

NO_TRANSPOSE = tr("X.T is the element type of X; ops.transpose(x) is an output of N x M")
"""What is said where a transpose is meant."""

PARAMETER = declare(
    "EVT007",
    "A parameter is not annotated",
    """Each parameter of a traced function has an annotation: `acc: Acc[half]`, `X: Aux[half]`, `X: Aux[half,
    RowMajor]`, `row: RowVector[half]`, `alpha: Scalar[float32]`. `X: Aux[half] = 0.0` is a tensor whose pointer may be
    null and then stands for zeros, as `row: RowVector[half] = 1.0` stands for ones; `None` is not allowed as a default.
    Each tensor has a parameter of its own: `*tensors` and `**tensors` tell neither their number nor their types.""",
    says={
        "element type": ("{name}[...] takes an element type, not {given!r}", None),
        "too much": ("{name}[...] is given too much", "write {form}"),
        "annotation": ("an annotation of {function} fails: {error}", None),
        "stars": ("{function} must not have the parameter {name}", "write a parameter for each tensor"),
        "type of a scalar": (
            "Scalar[...] takes an element type, not {given!r}, for the parameter {name} of {function}",
            "write Scalar[float32]",
        ),
        "scalar without type": ("the scalar {name} of {function} has no element type", "write {name}: Scalar[{T}]"),
        "no type": ("the parameter {name} of {function} has no element type", "write {name}: {kind}[{T}]"),
        "type alone": (
            "the element type {T} alone is no annotation for the parameter {name} of {function}",
            "write {name}: Aux[{T}]",
        ),
        "no annotation": (
            "the parameter {name} of {function} has no annotation such as Acc, Aux or RowVector",
            "for example {name}: {kind}[{T}]",
        ),
        "other annotation": (
            "{given} is no annotation for the parameter {name} of {function}",
            "write {name}: {kind}[{T}]; what Python chooses by is a variable outside of the function",
        ),
        "default of a scalar": (
            "{default!r} is no default for the scalar {name} of {function}",
            "write {name}: Scalar[{T}] = 1.0, or leave it out",
        ),
        "default of Acc": (
            "the Acc parameter {name} of {function} must not have a default",
            "write {name}: {annotation}",
        ),
        "default": (
            "{default!r} is no default for the tensor {name} of {function}",
            "write {name}: {annotation} = 0.0 for a tensor that stands for zeros when its pointer is null",
        ),
    },
)
CONDITION = declare(
    "EVT008",
    "A value is used as a condition",
    """A traced function runs once, with values that stand for whole tensors, so there is nothing to branch on.
    Conditions on Python values are fine. A comparison of values gives a mask, for use in `ops.where(mask, a, b)`.
    Combine masks with `&` and `|` and invert them with `~`, since Python's `and`, `or`, `not` and `a < x < b` need one
    truth value. So do its `max` and `min`; use `ops.maximum(a, b)`, which works element by element.""",
    says={
        "value": (
            "a value stands for a whole tensor, so it cannot be a condition",
            "ops.where(condition, a, b) chooses elementwise; masks are joined by & and |, as in (a < x) & (x "
            "< b), and turned round by ~",
        ),
        "builtin": (
            "a value stands for a whole tensor, so it cannot be a condition",
            "ops.{name}imum(a, b) is the {name}imum of two values, element by element",
        ),
        "scalar": (
            "the scalar {name} is not known before the kernel runs, so it cannot be a condition",
            "compare it with a value, which gives a mask, or decide on the host",
        ),
    },
)
OPERAND = declare(
    "EVT009",
    "An operand is not a value of this function",
    """Operators take the parameters of the function that is
    being traced, values computed from them, and Python numbers. A value that was kept from another function belongs
    to another graph.""",
    says={
        "no value": ("{what} is given no value of this function", None),
        "foreign": ("{what} is given a value of another function", "a helper can take the value as a parameter"),
        "elsewhere": (
            "{what} is given a {noun} value, which is an output and no operand",
            "return it under a name; the value is there as it is, not {noun}",
        ),
        "other": ("{what} is given {thing}, which is neither a value of this function nor a number", None),
        "type": (
            "{what} is given the element type {T}, which is neither a value of this function nor a number",
            NO_TRANSPOSE,
        ),
        "computed": ("{T} is an element type, with which nothing can be computed", NO_TRANSPOSE),
        "scalar": (
            "the scalar {name} is not known before the kernel runs: nothing can be computed of it alone",
            "compute it on the host, and give the result as a scalar",
        ),
        "statistic": (
            "{what}() is called where no function is traced",
            "call it in a function with @epilogue; of an array, {what}(a) has the sums of the rows of a; in the "
            'explicit form, it is the node {node}("{name}")',
        ),
        "position": (
            "{what}() is called where no function is traced",
            "call it in a function with @epilogue; over an array, {what}(x) has the positions in x; in the "
            "explicit form, it is the node {node}()",
        ),
    },
)
UNKNOWN_NAME = declare(
    "EVT010",
    "There is no such function",
    """`evtgen ops` lists the functions of `ops`: one for each operator, and the others. Functions of
    numpy and torch work on values if `ops` has the same function: `np.exp(acc)`, `np.maximum(acc, 0)`,
    `torch.relu(acc)`; so do methods: `acc.exp()`.""",
    says={
        "@": ("there is no @ of values", "the accumulator is the product of the GEMM; nothing else is one"),
        "//": ("there is no // of values", "write ops.floor(x / y)"),
        "%": ("there is no % of values", "there is no remainder among AscendC's calls"),
        "<<": ("there is no << of values", "write x * 2, or another power of two"),
        ">>": ("there is no >> of values", "write x / 2, or another power of two"),
        "ops": ("there is no ops.{name}", None),
        "method": ("a value has no .{name}", None),
        "function": ("there is no {what} of values", None),
        "reduction": ("there is no {which} reduction {op!r}", None),
    },
)
ARGUMENT = declare(
    "EVT011",
    "A function is called with wrong arguments",
    """An operator takes as many values as it is declared with,
    and a constant where it is declared with one: a number, or a `Scalar`. `where` and the logical operators take masks,
    all others take numbers. `cast` takes an element type and a round mode.""",
    says={
        "mask": ("{name} takes a mask, not {T}", "a comparison makes one: x > 0"),
        "numbers": ("{name} takes numbers, not a mask", "write ops.where(mask, 1.0, 0.0)"),
        "masks": (
            "{name} takes masks, not {thing!r}",
            "comparisons need parentheses beside & and |: (x > 0) & (y > 0)",
        ),
        "condition": ("{what} takes a mask as its condition, not {thing!r}", "a comparison makes one: x > 0"),
        "xor": ("there is no exclusive or of masks", "write (m | n) & ~(m & n)"),
        "element type": ("{what} takes an element type, not {given!r}", "for example {what}(x, float32)"),
        "rounds twice": ("{what} makes {T} of bfloat16, not of {given}", "write {what}(x.cast(bfloat16), {T})"),
        "round mode": (
            "{what} takes the name of a round mode, not {given!r}",
            'for example {what}(x, T, round="CAST_RINT")',
        ),
        "digits": ("a value is rounded to whole numbers only", "write round(x * 100) / 100 for two digits"),
        "exponent": ("a value cannot be an exponent", "write ops.exp(x * math.log(base)), for a positive number"),
        "exponent is no number": (
            "the exponent of a value must be a Python number",
            "write ops.exp(ops.log(x) * y), for positive x",
        ),
        "power": ("a value has no power {exponent:g}", "write ops.exp(ops.log(x) * {exponent:g}), for positive x"),
        "power 0": ("a value has no power 0", "it is 1 everywhere"),
        "signature": ("{what}: {error}", None),
        "count": ("{what} must be called as {form}, but the number of its arguments is {count}", None),
        "approximate": (
            "{what} has no form approximate={form!r}",
            '"none" computes the function itself, by erf; "tanh" its approximation by tanh',
        ),
        "base and exponent": ("{what} takes a base and an exponent, not {given}", "x ** 2"),
        "in place": (
            "{what} cannot write into out: a value is never written in place",
            "take what it returns: y = {what}(…)",
        ),
        "constant": ("{what} takes no constant {name!r}", None),
        "number": ("{what} takes a number or a Scalar as its constant {name}", None),
        "values only": ("{what} takes values only, no numbers", None),
        "k": ("{what} is given {k!r} for k, which must be a whole number from 1 to {most}", "write {what}(x, 8)"),
        "statistic": ("{what} takes nothing, or an array in the place of A", "{what}()"),
        "positions": ("{what} takes nothing, or the value or array that the positions are in", "{what}() >= 128"),
        "type": ("{what} is given {name}, which is no element type", "the types are {types}"),
        "axes": ("{what} is given the axes {axes}, and a value has two: its rows and its columns", "ops.transpose(x)"),
        "axis": (
            "{what} is given the axis {axis!r}, and a value has two: its rows and its columns",
            "axis=1 goes along each row, axis=0 along each column, and None over all",
        ),
        "axis of rows": ("{what} is given the axis {axis}, and only rows can be gathered", "ops.gather(X, rows=idx)"),
        "training": (
            "there is nothing random in an epilogue, and {what} is in training",
            "write training=False, or give the mask as a tensor: x * mask",
        ),
        "indices": (
            "{what} along an extent also gives indices, which an epilogue does not have",
            "write torch.a{name}(x, dim=1, keepdim=True)",
        ),
        "reduction": ("{what} of a value takes an axis and keepdims, not {given!r}", "write {form}"),
        "reduction in a type": (
            "{what} of a value takes an axis and keepdims, not {given!r}",
            "write {form}; to reduce in another type, reduce x.cast(float32)",
        ),
        "keepdims": (
            "{what} gives one value for each row, which would stand in a row of its own",
            'write keepdims=True (torch: keepdim=True), or ops.{function}(x, "{op}")',
        ),
        "normalized_shape": (
            "{what} goes along each row, but normalized_shape is {given}",
            "{what}(x, (n,), ...) with the one extent n of a row",
        ),
        "eps": ("eps of {what} must be a number or a Scalar", "eps=1e-5"),
        "gather": (
            "ops.gather takes rows of a parameter Aux[T] that is RowMajor and has no default",
            "def spec(acc: Acc[half], X: Aux[half], idx: ColVector[int32]): … ops.gather(X, rows=idx)",
        ),
        "rows": (
            "{what} takes as rows a parameter ColVector[int32]",
            "write idx: ColVector[int32], and {what}(x, rows=idx)",
        ),
        "ranks": (
            "{what} takes as ranks a parameter ColVector[int32]",
            "write rank: ColVector[int32], and {what}(x, rows=idx, ranks=rank)",
        ),
        "add": ("add of ops.scatter is True or False, not {given}", None),
        "identity": ("the identity of {what} must be a Python number", None),
        "rope": (
            "ops.rope takes as cos and sin parameters Aux[T] that are RowMajor and have no default",
            "def spec(acc: Acc[float32], cos: Aux[half], sin: Aux[half]): … ops.rope(acc, cos, sin)",
        ),
        "head": ("ops.rope has no heads of {head!r} columns", "a head has {known} columns"),
        "heads": ("ops.rope of {n} columns has no whole heads of {head}", "head=… divides the number of columns"),
        "block": ("{what} has no blocks of {block!r} columns", "a block has {known} columns"),
        "blocks": (
            "{what} has no block: it does not reduce columns",
            'ops.col_reduce(x, "max", block=128) reduces the columns of each block',
        ),
    },
)
RETURN = declare(
    "EVT012",
    "The function does not return outputs",
    """A traced function returns a dict that names its
    outputs: `{"D": value}`, with a value or a reduction for each name.""",
    says={
        "no dict": ("{name} must return a dict of its outputs, not {given}", _FORM),
        "unnamed": ("{name} returns an output without a name", _FORM),
        "several unnamed": (
            "{name} returns {count} outputs without names",
            'name each, which is its name in C++, too: return {{"Y": first, "Z": second}}',
        ),
        "empty": ("{name} returns no output", _FORM),
        "key": ("an output of {name} is called {key!r}, which is no string", _FORM),
        "foreign": ('the output "{key}" of {name} is a value of another function', _FORM),
        "type": ('the output "{key}" of {name} is the element type {given}', NO_TRANSPOSE),
        "scalar": ('the output "{key}" of {name} is a scalar, which is an argument and no tensor', _FORM),
        "several": (
            'the output "{key}" of {name} must be a value, not {given}',
            'name each of them: q, scales = ...; return {{"q": q, "scales": scales}}',
        ),
        "other": ('the output "{key}" of {name} must be a value, not {given}', _FORM),
    },
)
LOST_REDUCTION = declare(
    "EVT013",
    "A reduction is not used",
    """A reduction is an output or an operand: `{"sum": ops.col_reduce(x)}`, `x / ops.col_reduce(x)`. One that is
    neither does nothing. Nor does a value in another place, as `ops.transpose` gives one, that is no output.""",
    says={
        "reduction": (
            "a reduction in {name} is neither returned nor an operand",
            'return {{"row_out": …}} with it, or compute with it',
        ),
        "elsewhere": ("a {noun} value in {name} is not returned", 'return {{"D": …}} with it'),
    },
)
TWO_ACCUMULATORS = declare(
    "EVT015",
    "There are too many accumulators",
    """A kernel multiplies A by one B, whose product is the one `Acc` parameter. With `gemm=Gemm(accumulators="halves")`
    B has 2N columns, and the first `Acc` parameter is the product with the left half of them, the second with the right
    one; with `"separate"` there are two Bs. Compute any further product with a kernel of its own, and read it as an
    `Aux`.""",
    says={
        "second": (
            "the parameter {name} of {function} is a second accumulator, but the GEMM has one",
            'write gemm=Gemm(accumulators="halves") for one B with 2N columns, "separate" for two Bs, or '
            "read it as a tensor: {name}: Aux[{T}]",
        ),
        "third": (
            "the parameter {name} of {function} is a third accumulator, but a GEMM has at most two",
            "read it as a tensor: {name}: Aux[{T}]",
        ),
    },
)
PLAIN = declare(
    "EVT016",
    "The decorated object is not a plain function",
    """`@epilogue` takes a function that is defined with `def` and returns its outputs: not a class, an `async def`, a
    generator, some other callable object, or an epilogue.""",
    says={
        "epilogue": ("{name} is an epilogue already", "one @epilogue is enough"),
        "class": ("{name} is a class", "move its parts into a function that returns the outputs"),
        "other": ("@epilogue takes a function, not a {name}", "decorate a function that is made with def"),
        "async": ("{name} is asynchronous", "take async away: nothing is waited for"),
        "generator": ("{name} yields", 'return a dict of all outputs: {{"D": value}}'),
    },
)
ELEMENTS = declare(
    "EVT017",
    "A value is asked for its elements",
    """A value stands for a whole tile whose numbers do not exist while the function is traced. So it has no elements,
    no length and no shape, it cannot be iterated over, and no function of Python's `math` can take it: `ops.exp(x)`
    works on all elements. A part of its columns is a value: `x[:, 0:512]`, `x[:, 512:]`. The bounds are whole numbers
    that are not negative, since N is not known. To combine the elements of rows or columns, use a reduction:
    `ops.row_reduce(x, "add")`.""",
    says={
        "cut": (
            "a value stands for a whole tile, of which only columns can be taken",
            "write x[:, 0:512] for the first 512 columns; a part of a tensor's rows is its pointer and its layout, "
            "which the host gives",
        ),
        "set": (
            "a value is never changed",
            "write ops.where(ops.col_index() < 512, new, x), which is another value, with the condition that is meant",
        ),
        "bound": (
            "the bounds of a part are whole numbers that are known now, not {bound}",
            'write x[:, 0:512]; two halves of a row are two accumulators, gemm=Gemm(accumulators="halves")',
        ),
        "step": (
            "a part has columns side by side, or every second one of all, but not {step}",
            "write x[:, 0:512], x[:, 0::2] or x[:, 1::2], or order the columns of B",
        ),
        "negative": (
            "a part from {start} to {stop} is counted from the end of the row, and N is not known",
            "count from its beginning: x[:, 512:] is all but the first 512 columns",
        ),
        "nothing": ("a part from {start} to {stop} has no columns", "write x[:, 0:512] for the first 512 columns"),
        "counted": (
            "a value cannot be gone through or counted: its elements do not exist yet",
            'what goes over rows or columns is a reduction: ops.row_reduce(x, "add"), ops.col_reduce',
        ),
        "number": (
            "a value is no number: its elements do not exist yet",
            "functions of ops and of numpy take values, those of math do not; x.cast(int32) is a cast",
        ),
        "array": (
            "a value is no array: its elements do not exist yet",
            "functions of ops and of numpy take a value as it is, without np.array or np.asarray",
        ),
        "attribute": ("a value has no {name}", None),
    },
)
POSITION = declare(
    "EVT195",
    "A comparison of positions leaves int32",
    """`ops.row_index()`, `ops.col_index()`, and sums, differences and products of them and of whole numbers, are int32.
    They are compared with each other and with whole numbers of int32. AtlasA2 cannot compare int32: there, the sign of
    the difference is tested, in float32, since rounding to float32 changes no sign. So the difference must stay within
    int32 for all products of up to 2^24 rows and columns; the difference of `row * 256 > col` may leave it. float32
    holds whole numbers below 2^24 exactly: if these are enough, compare `.cast(float32)` of both.""",
    says={
        "fraction": (
            "a value of int32 is compared with {constant!r}, which is no whole number",
            "write x.cast(float32), and compare that",
        ),
        "large": (
            "a value of int32 is compared with {number}, which int32 does not hold",
            "the comparison is the same in every place",
        ),
        "difference": (
            "the compared values may be between {low} and {high} apart, which int32 does not hold",
            "write x.cast(float32) on both sides, which is exact below 2^24",
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
    says={
        "raised": (
            "{function} cannot be run on arrays: {error}: {words}",
            "write functions of ops, which take arrays, too",
        ),
        "no arrays": ("{function} must return a dict of arrays where it is run on arrays", _FORM),
    },
)
IDENTITY = declare(
    "EVT200",
    "An operand has an identity",
    """`identity=` is what the caller fills the output of a reduction with before the launch. A reduction that is an
    operand, as in `x - ops.col_reduce(x, "max")`, starts from nothing but its values, and as an output it is stored
    like any other value. So there is nothing to fill.""",
    says={
        "": (
            "this reduction is an operand, for which identity={identity} has no meaning",
            "leave it out: it is what the caller fills an output with before the launch",
        ),
    },
)
