"""Codes of the search for the fastest kernel, and of what a device took."""

from __future__ import annotations

from .diagnostic import Severity
from .table import declare

NONE_RUNS = declare(
    "EVT292",
    "There is no kernel to name",
    """`evtgen tune` names a kernel only after it was verified: its numbers, and that it has no hazard. It tries the
    fastest ones, and last the epilogue as it is. Here none of them compiled, came to its end, and was right.""",
    says={"": ("no kernel of {name} at {size} is right", "evtgen verify says what is wrong with {name} as it is")},
)
NOT_RIGHT = declare(
    "EVT293",
    "A fast kernel is wrong",
    """The search found this kernel to be the fastest that was left, but it was not verified: `evtgen verify` would
    report it with these options. The next one is taken. Please report it: evtgen should emit no such kernel.""",
    severity=Severity.WARNING,
    says={"": ("{name} with {options} is wrong: {why}", None)},
)
NOT_REWRITTEN = declare(
    "EVT294",
    "The options cannot be written into the spec",
    """`evtgen tune --write` changes the options of one epilogue in its file: keywords of the decorator `@epilogue(…)`
    or of the call `Epilogue("name", …)`, or members of its object in JSON. The epilogue must be there once by its
    name, and `gemm=` must be a call of `Gemm(…)` where it is given. In Python `--dispatch` adds
    `NAME_by_rows = Dispatch(NAME, …)` at the end: NAME must be a variable or a function of the module. Nothing
    was searched for and nothing was written; without `--write` the command prints a line to paste.""",
    says={
        "file": ("{name} is in no file of Python or JSON", "leave --write out, and paste the line"),
        "once": ("{file} does not define {name} once by its name", "leave --write out, and paste the line"),
        "gemm": ("the gemm of {name} in {file} is no call of Gemm(…)", "leave --write out, and paste the line"),
        "import": ("{file} does not import {what}, which --write needs for {name}", "add: from evtgen import {what}"),
        "dispatch": (
            "{name} is a kernel of the Dispatch of {what} in {file}, which --write leaves as it is",
            "leave --write out, and paste the line; or take the Dispatch out, and let --write --dispatch make another",
        ),
        "variable": (
            "no variable of {file} is {name}, and --dispatch needs one",
            'write NAME = Epilogue("{name}", …) as a line of the module, or leave --dispatch out',
        ),
        "taken": (
            "{file} has the name {what} already, which the Dispatch of {name} would have",
            "give it another name, or leave --dispatch out",
        ),
    },
)
NO_STORE = declare(
    "EVT295",
    "This is no store of winners",
    """A store is a file of JSON that `evtgen tune --store FILE` writes: `{"evtgen_winners": 1, "winners": […]}`. Each
    winner has the name of an epilogue, its graph by a hash, architecture, release, shapes, options and cycles.""",
    says={
        "unread": ("{path} cannot be read: {error}", "write it with evtgen tune --store"),
        "form": ("{path} is no store of winners: {what}", "write it with evtgen tune --store"),
    },
)
NO_WINNER = declare(
    "EVT296",
    "The store has no winner for an epilogue",
    """`evtgen build --tuned FILE` takes the options of each epilogue from a store. A winner counts for the graph, the
    architecture and the release of evtgen that it was found with, and for its class of shapes: M up to the next power
    of two, N and K. The epilogue is built as it is.""",
    severity=Severity.WARNING,
    says={
        "none": ("{path} has no winner for {name}", "run evtgen tune --store again"),
        "other": (
            "{path} has winners for {name}, but none for its graph, architecture and release: they are of {found_with}",
            "run evtgen tune --store again",
        ),
        "graph": (
            "{path} has winners for {name}, but of another graph than it has now",
            "run evtgen tune --store again",
        ),
        "shape": ("{path} has no winner for {name} at {size}", "it has {classes}"),
        "several": ("{path} has several winners for {name}: {classes}", "say which: --shape MxNxK"),
    },
)
NOT_MEASURED = declare(
    "EVT299",
    "This is no measurement of the kernel",
    """`evtgen profile --measured FILE` reads a CSV of Ascend's profilers: `op_summary_*.csv` of `msprof`,
    `kernel_details.csv` of torch_npu's profiler, or `PipeUtilization.csv` of `msprof op`. The first two have rows of
    many kernels; of the third, `OpBasicInfo.csv` beside it has the name of the one. The name of the kernel must have
    the name of the epilogue in it, as that of an operator of `evtgen extension` has. [What a device
    took](measured.md) tells how to make such a file.""",
    says={
        "unread": ("{path} cannot be read as CSV: {error}", "name a CSV that msprof wrote"),
        "columns": (
            "{path} lacks columns: {columns}",
            "name op_summary_*.csv or PipeUtilization.csv, made with --aic-metrics=PipeUtilization",
        ),
        "number": ("{path} has {text!r} as a time in {column}", "name a CSV that msprof wrote"),
        "kernel": ("{path} has no kernel of {name}; it has {known}", "the kernel's name must have {name} in it"),
        "several": ("{path} has several kernels of {name}: {known}", "leave the rows of one of them in the file"),
    },
)
FASTER_OPTIONS = declare(
    "EVT309",
    "At this shape other options are faster",
    """A cube core computes a block of the result at a time. The blocks that evtgen chooses are for any shape; where a
    matrix has fewer of them than the device has cores, or a few more, smaller blocks or slices of K keep more cores
    busy. Where it has enough, another number of buffers may be faster: tiles are longer with fewer, and a whole row of
    C may fit one. The formula of `evtgen tune` says by how much; no clock has run. Paste the options where all
    launches have such a shape; where some have more rows, `evt.Dispatch` has a kernel for few. Of one matmul whose
    blocks the spec does not name, `evtgen build --shape MxNxK` takes such options by itself.""",
    severity=Severity.WARNING,
    says={
        "": (
            "{name} at {size} has {blocks} for {cores} cores; with other blocks it takes about {share} of the cycles",
            "where all launches are like it: {line}",
        ),
        "buffers": (
            "{name} at {size} takes about {share} of the cycles with other buffers",
            "where all launches are like it: {line}",
        ),
        "taken": ("{name} is built for {size}", "in the spec that is: {line}"),
    },
)
UNLIKE = declare(
    "EVT311",
    "Kernels of a Dispatch take different sizes",
    """A launch takes one of the kernels of an `evt.Dispatch` by its rows, and other options may change which N and K a
    kernel takes: with `msd=True` the digits of A are packed, so K is even, even where B is `RowMajor`. A launch of an
    odd K is then right with many rows, and refused with few (EVT286; in C++ `can_implement` says so).""",
    severity=Severity.WARNING,
    says={
        "": (
            "of the kernels of {name}, {bound} takes {side} as a multiple of {most}, and {free} of {least}",
            "take {side} as a multiple of {step} with any number of rows",
        ),
    },
)
