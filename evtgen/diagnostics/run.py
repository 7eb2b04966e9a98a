"""Codes of the arguments of a kernel that is run from Python."""

from __future__ import annotations

from .table import declare

NOT_ITS_ARGUMENTS = declare(
    "EVT186",
    "These are not the arguments of the epilogue",
    """`evt.run(epilogue, a, b, X=x, alpha=0.5)` takes one epilogue, the operands of the matmul, and each input and each
    number by its name; those with a default may be left out. So does what `evt.compile(epilogue)` returns, without the
    epilogue. A reduction may be given, too: what it is joined to; any other output may not, but `out=` may name arrays
    that outputs are written into. A grouped epilogue takes `groups=[5, 0, 17]`, the rows of each group or its part of
    K, and no other does; with `weight_index=True` it takes `weight_index=[2, 0, 2]`, too. One whose rows go to other
    ranks takes `ranks=4`, how many there are.""",
    says={
        "groups": ("groups is {groups!r}, not the size of each group", "write it like groups=[5, 0, 17]"),
        "weight index": (
            "weight_index is {groups!r}, not the number of the B that each group takes",
            "write it like weight_index=[2, -1, 2], with -1 for a group whose rows are left alone",
        ),
        "left alone": (
            "some groups take no B, but {name} is one of all groups",
            "give it an axis in front, with a part for each group",
        ),
        "no weight index": (
            "the groups of {name} take Bs by their numbers, but there is no weight_index",
            "give the number of the B of each: weight_index=[2, 0, 2]",
        ),
        "missing": ("{name} needs {missing}", "give it by its name: {first}=…"),
        "called groups": ("{name} is grouped and has a tensor or a number called {groups}", "call it something else"),
        "no groups": ("{name} is grouped, but there are no groups", "give the size of each: groups=[5, 0, 17]"),
        "not grouped": (
            "{name} is not grouped, so it has no groups",
            'they are for epilogues with gemm=Gemm(group="m"), or "k"',
        ),
        "called ranks": ("{name} has ranks and a tensor or a number called {ranks}", "call it something else"),
        "ranks": ("{name} scatters to other ranks, and ranks={ranks!r} is not how many there are", "write ranks=4"),
        "unknown": ("{name} has no {name2}", None),
        "output": ("{name} is an output of {name2}, which its kernel writes", "leave it out; it is returned"),
        "one out": ("{name} has several outputs, but out is one array", "write out={{{output}: array}}"),
        "no output": ("{name} has no output {name2}", None),
    },
)
WRONG_SHAPE = declare(
    "EVT187",
    "An array has the wrong shape",
    """The message names the argument of the call and the shape that it must have. A is (M, K) and B is (K, N), which
    give M, N and K; what belongs to the epilogue is M x N, 1 x N, M x 1 or a single value, and axes of 1 may be left
    out. A batch has an axis of L in front of each array; groups of rows have one of G in front of B, and a row of G for
    vectors and values; groups of K have one in front of all but A and B. An array without that axis is shared by all
    matmuls. With `weights="pointers"` B is a list of arrays (K, N), with `weight_index=True` it is (W, K, N).""",
    says={
        "shape": ("{name} has the shape {shape}, not {meant}", "{name} is {T} of {meant}"),
        "behind groups": (
            "{name} has the number {number}, of a row behind the last group",
            "give the arrays without the rows behind the groups",
        ),
        "two Bs": ("{name} has two Bs, but b is {given}", "write b as a pair: evt.run(e, a, (b, b2))"),
        "unequal Bs": ("b[0] has the shape {shape} and b[1] {shape2}, but both are (K, N)", None),
        "K": ("a has {k} columns and b has {of_b} rows, but both are K", "a is (M, K), b is (K, {columns})"),
        "halves": (
            "b has {columns} columns, but each of two accumulators takes half of them",
            "b is (K, 2N): the columns of both, one half after the other",
        ),
        "out": ("{name} has the shape {shape}, not {meant}", None),
        "empty": ("{name} is empty: it has the shape {shape}", None),
        "batch": (
            "{name} is batched, but no array says of how many matmuls",
            "a is (L, M, K), b is (L, K, N); one of them may have two axes",
        ),
        "chunks": (
            "{name} is batched, but a has matrices of different shapes: {shapes}",
            'matmuls with rows of their own are groups: write gemm=Gemm(group="m"), concatenate the matrices of a, and '
            "give groups={groups}",
        ),
        "rows": ("the groups have {groups} rows, but a has only {m}", None),
        "K of groups": ("the groups take {groups} of K, but a has only {k} columns", None),
        "weights": ("weight_index has {weights} numbers, but there are {groups} groups", None),
        "weight": ("weight_index has the number {number}, but b has only {bs} matrices", "they count from 0"),
        "no Bs": ("{name} is an empty list, which does not say N", "write an array of the shape (0, K, N)"),
        "pointers": ("{name} has the shape {shape}, but each B is (K, N), as the first with {first}", None),
    },
)
WRONG_TYPE = declare(
    "EVT188",
    "An array has values that its type does not hold",
    """`evt.run` rounds no array: an array has its tensor's type, or only values which that type holds exactly. A number
    may be rounded as constants are, but not to zero or to infinity. Round the array where you make it:
    `x.astype(numpy.float16)`; `ml_dtypes` has the types that numpy lacks.""",
    says={
        "no number": ("{name} is {value!r}, not a number of type {T}", None),
        "number": ("{name} is {number!r}, which {T} does not hold", None),
        "no array": ("{name} is of the type {kind}, not an array of {wanted}", None),
        "type": ("{name} is an array of {dtype}, not of {wanted}", None),
        "values": (
            "{name} is an array of {dtype} with values that {element} does not hold, such as {array}",
            "round it yourself: {name}.astype({wanted})",
        ),
        "scales": (
            "{name} is an array of {dtype}, but scales of a product are uint64 with the bits of a float32",
            "write numpy.float32({name}).view(numpy.uint32).astype(numpy.uint64)",
        ),
        "bits": (
            "{name} has {bits:#x}, no scale of a product: infinite, NaN or subnormal, or a shift (bit 36, Atlas A2)",
            None,
        ),
        "unreadable": ("{name} cannot be read as an array of {wanted}: {why}", None),
        "not writable": ("{name} is {kind}, not a writable array of {wanted}", None),
    },
)
NOT_IN_PLACE = declare(
    "EVT255",
    "An array does not lie as the kernel reads it",
    """The message gives the array's strides in elements, and those that the kernel reads without a copy: elements of a
    row are neighbours, and rows lie apart by a row or more; the same holds for columns of an operand that is
    `ColumnMajor`. So `w.T` of a weight (N, K) is read in place with `Gemm(layout_b=ColumnMajor)`, and a slice of rows
    or columns, or a batch whose axes are exchanged, with any layout. `copy=True` allows a copy of what lies otherwise,
    such as every second column. An array of another type than its tensor's is copied in any case.""",
    says={
        "": (
            "{name} of the shape {shape} has the strides {strides}, in elements; the kernel reads {meant}",
            "have it copied: copy=True",
        ),
    },
)
NOT_SOUND = declare(
    "EVT189",
    "The kernel has a fault",
    """The CPU model has found a fault while it ran the kernel, so what was computed may be wrong. `evtgen verify` shows
    all of them. Sequences of your own operators can be at fault; if there are none, please report it.""",
    says={
        "one": ("{name}: {code}: {message}", "evtgen verify shows what the model finds"),
        "several": ("{name}: {code}: {message}, and {more} more", "evtgen verify shows what the model finds"),
    },
)
NOT_EPILOGUES = declare(
    "EVT202",
    "There is no epilogue",
    """`evt.check`, `evt.render`, `evt.build`, `evt.verify`, `evt.profile`, `evt.report` and `evt.explain` take one
    epilogue or several, `evt.run` and `evt.compile` take one: functions that `@evt.epilogue` decorates, or
    `evt.Epilogue` objects. A function without the decorator is not an epilogue. An empty list is refused, since a test
    of no epilogue would always pass.""",
    says={
        "one": ("{called} is no epilogue", "pass one function that @evt.epilogue decorates, or one Epilogue object"),
        "several": ("{called} is no epilogue", "pass functions that @evt.epilogue decorates, or Epilogue objects"),
        "none": (
            "there is no epilogue: the list is empty",
            "pass functions that @evt.epilogue decorates, or Epilogue objects",
        ),
    },
)
NO_FUNCTION = declare(
    "EVT230",
    "An epilogue is called",
    """An epilogue is no function of Python: `@evt.epilogue` has made a graph of the one that it decorates.
    `evt.run(e, a, b, X=x)` runs the kernel on arrays. The function is `e.function`; on arrays it computes what the
    epilogue means, and within another function that is decorated it can be called with values. `e.bind(module)` gives
    the tensors of the model that `evt.from_fx` converted; other epilogues have no model.""",
    says={
        "graph": ("{name} is an epilogue, not a function", "evt.run({name}, a, b, …) runs its kernel on arrays"),
        "traced": (
            "{name} is an epilogue, not a function",
            "evt.run({name}, a, b, …) runs its kernel on arrays; {name}.function is the function that it was made of",
        ),
        "bound": (
            "{name} was not converted from a model, so no model has its tensors",
            "evt.from_fx converts one; evt.run({name}, a, b, …) takes tensors by name",
        ),
    },
)
NO_REFERENCE = declare(
    "EVT203",
    "A function cannot be what a kernel is compared with",
    """`evt.verify(e, against=function)` calls the function with the accumulator and, by their names, every input and
    every number of the epilogue. It returns one array, where the epilogue has one output, or a dict with an array for
    each. The message says what is different: a parameter, a name, a shape, or the error that the function raised. A
    function of torch's tensors needs `arrays=torch.from_numpy`, which makes tensors of the arrays that it is given.
    Where an epilogue reads or writes rows by their numbers, it can be compared only with one matmul in front.""",
    says={
        "arrays alone": ("arrays= says what against= takes, which is not given", "write against=function, too"),
        "arrays": (
            "arrays is of the type {name}, not a function",
            "write one that takes a numpy array: arrays=torch.from_numpy",
        ),
        "epilogue": ("{name} is an epilogue, not a function of arrays", None),
        "against": (
            "against is of the type {name}, not a function",
            "write a function of the accumulator and the inputs by their names",
        ),
        "rows": ("{name} names rows of all matmuls of a launch, and {name2} is called for each", None),
        "names": ("{name} returns a dict of {returned}, but {name2} has {outputs}", "return an array for each output"),
        "no numbers": ("{name} returns {kind} for {name2}, not an array of numbers", None),
        "raises": ("{name} raises {name2}: {error}", None),
        "call": ("{name} cannot be called with {names}: {error}", "give it a parameter of each name"),
        "no dict": ("{name} returns {kind}, but {name2} has {outputs}", 'return a dict: {{"{first}": ...}}'),
        "shape": (
            "{name} returns an array of the shape {shape} for {name2}, not {meant}",
            "{tensor} is {extent} in {size} x {size2}",
        ),
    },
)
NOT_VERIFIED = declare(
    "EVT204",
    "A verification failed",
    """`evt.verify(e).require()` raises this error if a run failed, with the text of every fault: wrong elements,
    hazards, what the numbers say. It is meant for tests. `evt.verify(e)` alone raises nothing for a fault of the
    kernel; whether there was one says `.ok`.""",
)
