"""What goes wrong in reading EVTs that are written in C++."""

from __future__ import annotations

from .diagnostic import WRONG_ENVIRONMENT, Severity
from .table import declare

_NESTS = "required: {required}\nwritten:  {written}"

BRACES = declare(
    "EVT215",
    "The arguments do not fit the graph",
    """`EVT::Arguments` are nested as the graph is: in a `TreeVisitor` the arguments of the children come first, in
    order, then the arguments of its own node; in a `TopologicalVisitor` they have the order of its ops. A node that has
    no tensor takes `{}`, a load or a store `{ptr, layout}`, a reduction `{ptr, layout, identity}`, and an operator with
    constants `{{constant, …}}`. C++ often accepts braces that are nested in another way, and gives nodes null pointers
    or the tensors of other nodes. The help shows the nest that the graph takes beside the nest in the file.""",
    says={
        "number": ("{node} takes the arguments of {parts}, but is given {count}", _NESTS),
        "kind": ("{node} takes the arguments of {parts}, but is given {given}", _NESTS),
        "form": ("{node} takes {form}, but is given {given}", _NESTS),
        "layout": ("{node} takes a layout::{wanted}, but {given} is a layout::{type}", _NESTS),
        "another": ("these are the arguments of {given}, in the place of the arguments of {node}", _NESTS),
    },
)
UNREAD_CPP = declare(
    "EVT216",
    "C++ that cannot be read",
    """A type in the graph is one that evtgen cannot find or does not know: a header is missing (`-I DIR` says where it
    is), the graph depends on a parameter of a template, or a node is not one of the framework's. The message has
    clang's own words where there are any.""",
    says={
        "not parsed": ("clang cannot parse {path}", None),
        "phase": ("VisitorInWorkspace<{number}, …> reads what no phase before it writes", None),
        "unread": ("{name} cannot be read: {why}", "if a header is missing, give its directory: -I DIR"),
        "error": ("the file refuses to be compiled: {why}", "define the macros that it asks for"),
        "end": ("the file ends too early: {why}", None),
        "no node": ("{type} is no node of the framework", None),
        "not kept": ("{type} is no node that keeps a value of a phase", None),
        "template": ("{node} depends on a parameter of a template", None),
        "element type": ("{node}: {type} is no element type", "the element types are {known}"),
        "edge": ("{edge} is no tla::seq of indices", None),
        "op": ("the op of a TreeVisitor is a node, not a visitor", None),
    },
)
OPAQUE = declare(
    "EVT217",
    "A functor cannot be seen into",
    """The functor of a `VisitorCompute` is not one of the framework's. What it computes, which types it takes and how
    much of UB it needs for itself are in its body, which is not read; the rest of the graph is checked as if it took
    values of the node's type, gave one, and needed nothing.""",
    Severity.WARNING,
    says={
        "": (
            "{functor} is no functor of the framework",
            "the rest is checked as if it took values of the node's type and gave one",
        ),
    },
)
CUT = declare(
    "EVT218",
    "The tiles are cut to fit UB",
    """Tiles of `ComputeLength` elements, as many as there are buffers, do not fit UB. evtgen's block epilogue cuts them
    to the length that does, at compile time; others do not, and use memory that AscendC has for itself.""",
    Severity.WARNING,
)
OVERRUN = declare(
    "EVT303",
    "The nodes of Catlass's own framework take more UB than there is",
    """In Catlass's own framework (`EpilogueVisitor`, v1.6 and later) each node has UB of its own for `COMPUTE_LENGTH`
    elements, twice, for two tiles in flight; with the accumulator in UB, 128 KB more are taken. Nothing cuts the tiles,
    and a check of the sum is no part of a release build.""",
    says={
        "": (
            "{count} nodes with two tiles of {length} elements take {used} bytes of UB, and there are {size}",
            "take a COMPUTE_LENGTH of {most} or less",
        )
    },
)
RACES = declare(
    "EVT304",
    "Catlass's own framework stores what it has loaded without waiting",
    """In Catlass's own framework (`EpilogueVisitor`, up to v1.6.3) a load waits until V has read its buffer, not until
    a store has. A `VisitorAuxStore` that reads what a load has written may store what the next tile but one has
    loaded. A functor between them copies.""",
    says={"": ("{store} stores what {load} has loaded", "put a VisitorCompute between them, such as Muls by 1")},
)
SWAPPED = declare(
    "EVT219",
    "The arguments seem to belong to another node",
    """The arguments are nested as the graph is and C++ accepts them, but the names or the shapes say that they were
    meant for another node: `AuxLoadX` is given the tensor `Y` and `AuxLoadY` the tensor `X`, or a broadcast of a row is
    given a layout of one column.""",
    Severity.WARNING,
    says={
        "tensors": (
            "{node} is given {tensor}, and {other} {others}",
            "let them change places, or name the nodes after their tensors",
        ),
        "layout": (
            "{node} has a tensor of {shape}, but its layout is {rows} x {columns}",
            "give it the tensor that it reads or writes, with a layout of {shape}",
        ),
    },
)
NO_LIBCLANG = declare(
    "EVT220",
    "libclang cannot be loaded",
    """libclang reads EVTs in C++. evtgen installs it; `pip install 'libclang==18.*'` does so again.""",
    status=WRONG_ENVIRONMENT,
    says={
        "": ("reading C++ needs libclang: {error}", None),
    },
)
NO_EVT = declare(
    "EVT221",
    "The file has no such EVT",
    """An EVT is an alias of a `TreeVisitor`, a `TopologicalVisitor` or `Phases` that no other alias is made of.
    `FILE.hpp:NAME` is one of them. `NAME` is the alias, with its namespaces if several have this name, or the name of
    the epilogue as `evtgen lint FILE.hpp` prints it. If the EVT is in a header that was not found, `-I DIR` says where
    the header is.""",
    says={
        "none": ("{path} has no EVT", None),
        "named": ("{path} has no EVT {name}", None),
    },
)
UNSEEN = declare(
    "EVT222",
    "The epilogue has a functor that cannot be seen into",
    """Of an epilogue in C++ with a functor that is not the framework's (EVT217) nothing can be emitted or computed: the
    functor's body is not read. `evtgen lint` and `evtgen check` take it. To do more with it, write the epilogue in
    Python with an `evt.operator`.""",
)
BESIDE = declare(
    "EVT223",
    "What is around the EVT cannot be read",
    """The `BlockEpilogue` that visits the EVT cannot be read, so evtgen assumes its own choice of architecture, length
    of the tiles, number of buffers and types of the matmul. The program may have others.""",
    Severity.WARNING,
    says={
        "": ("{name} cannot be read: {why}", None),
    },
)
PLAN_OF_PHASES = declare(
    "EVT251",
    "There is no plan of several phases",
    """`evtgen lint --plan` prints the plan of one graph. The graphs that `Phases` visits have a plan each. Values cross
    between them in special nodes, which a spec does not have. `evtgen build` writes all of them, with plans.""",
    says={
        "": ("{name} has {count} phases", "evtgen build FILE writes the header, with a plan for each phase"),
    },
)
